"""Links into the repository are rewritten, so that the pages work both in a repository and as a site.

A paragraph that is only a link to a Markdown file or notebook outside this folder is replaced by that file. Links to
the file then lead to the page. Links to a folder lead to its README.md; other files of the repository are downloads.
Sphinx reports links to missing files.
"""

import re
from pathlib import Path

from notebooks import markdown_of

_ALONE = re.compile(r"^\[[^\]\n]*\]\(([^)\s]+\.(?:md|ipynb))\)$", re.MULTILINE)
_LINK = re.compile(r"(?<=\]\()([^)\s#:]+)(?=(?:#[^)\s]*)?\))")


def setup(app):
    app.connect("builder-inited", _find)
    app.connect("source-read", _read)
    return {"parallel_read_safe": True}


def shown_files(folder):
    """{file outside the folder: page in the folder that shows it, without suffix}."""
    found = {}
    for page in sorted(folder.rglob("*.md")):
        for link in _ALONE.findall(page.read_text()):
            if not _file(page.parent, link).is_relative_to(folder):
                found[_file(page.parent, link)] = page.relative_to(folder).with_suffix("").as_posix()
    return found


def with_links(text, origin, folder, shown):
    """A text of the folder `origin`, with links to files relative to the folder of the pages, as Sphinx needs them."""

    def rewritten(match):
        path = _file(origin, match.group())
        path = path / "README.md" if path.is_dir() else path
        if path in shown:
            return f"/{shown[path]}.md"
        if not path.is_file():
            return match.group()
        if path.is_relative_to(folder):
            return f"/{path.relative_to(folder).as_posix()}"
        # Without the prefix, Sphinx takes a Markdown file for a page.
        return f"{'path:' if path.suffix == '.md' else ''}{from_root(path, folder)}"

    return _LINK.sub(rewritten, text)


def from_root(path, folder):
    """The path by which pages in `folder`, below the root of the repository, refer to a file."""
    return f"/../{path.relative_to(folder.parent).as_posix()}"


def _file(folder, link):
    return Path(folder, link).resolve()


def _find(app):
    app.env.shown_files = shown_files(Path(app.srcdir))


def _read(app, name, source):
    folder, shown = Path(app.srcdir), app.env.shown_files
    origin = Path(app.env.doc2path(name)).parent

    def content(match):
        path = _file(origin, match.group(1))
        if path not in shown:
            return match.group()
        app.env.note_dependency(str(path))
        text = path.read_text()
        return with_links(markdown_of(text) if path.suffix == ".ipynb" else text, path.parent, folder, shown)

    # The links of the page and of the file that it shows are relative to different folders.
    parts, end = [], 0
    for match in _ALONE.finditer(source[0]):
        parts += [with_links(source[0][end : match.start()], origin, folder, shown), content(match)]
        end = match.end()
    source[0] = "".join([*parts, with_links(source[0][end:], origin, folder, shown)])
