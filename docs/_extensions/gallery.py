"""The directive `gallery`: every figure and table of every paper as it is declared, with its picture where one was made."""

from pathlib import Path

from docutils import nodes
from prose import inline, paragraph, section
from repository import from_root
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from logzoo.pipeline.project import catalogue_of

# Where finished runs are looked for below the root, the best first.
RUNS = ("results/decisive/figures", "figures/quick")


def setup(app):
    app.add_directive("gallery", Gallery)
    return {"parallel_read_safe": True}


def made(shown, root, suffix):
    """The file that a finished run shows a figure or table in, or None."""
    found = (path for run in RUNS for path in sorted(Path(root, run).rglob(f"{shown.paper}/{shown.name}{suffix}")))
    return next(found, None)


class Gallery(SphinxDirective):
    """A section of each paper, and in it one of each figure and table."""

    def run(self):
        self._folder = Path(self.env.srcdir)
        self._root = self._folder.parent
        self._catalogue = catalogue_of(folder=self._root)
        for path in (*self._root.glob("config/**/*.yaml"), *self._root.glob("src/logzoo/papers/**/*.py")):
            self.env.note_dependency(str(path))
        return [self._paper(name, entry) for name, entry in self._catalogue.config["papers"].items()]

    def _paper(self, name, entry):
        shown = [self._shown(one) for one in self._catalogue.shown.values() if one.paper == name]
        return section(self.state.document, entry["title"], paragraph(entry["source"]), *shown, name=name)

    def _shown(self, one):
        content = [*self._picture(one), *map(paragraph, one.caption.split("\n\n"))]
        if one.claims:
            content.append(nodes.bullet_list("", *(_claim(*item) for item in one.claims.items())))
        code = Path(one.module.__file__).resolve()
        link = addnodes.download_reference("", "", refdoc=self.env.docname, reftarget=from_root(code, self._folder))
        link += nodes.literal("", code.relative_to(self._root).as_posix())
        content.append(paragraph(f"`{one.name}`, declared in ", link))
        return section(self.state.document, one.title, *content, name=one.name)

    def _picture(self, one):
        """What shows it: a picture, the rows of a table, or the command that makes it."""
        path = made(one, self._root, ".md" if one.is_table else ".png")
        if path is None:
            first = self._catalogue.files_of(one)[0]
            return [paragraph(f"Not made in this checkout yet: `snakemake --cores 2 {first}`.")]
        self.env.note_dependency(str(path))
        if one.is_table:
            # The first line is the title.
            return self.parse_text_to_nodes(path.read_text().partition("\n")[2])
        return [nodes.image("", uri=from_root(path, self._folder), alt=one.title, loading="lazy")]


def _claim(name, claim):
    """What was claimed, what was published, and how it is tested, in words."""
    bounds = " and ".join(f"{words.replace('_', ' ')} {bound:g}" for words, bound in claim.bounds.items())
    tested = f"Not tested: {claim.not_tested}" if claim.not_tested else f"Tested: {bounds}"
    why = f" Where it is not reproduced: {claim.why}" if claim.why else ""
    said = f" (`{name}`). Published: {claim.published}. {tested.rstrip('.')}.{why}"
    return nodes.list_item("", nodes.paragraph("", "", nodes.strong("", "", *inline(claim.text)), *inline_after(said)))


def inline_after(text):
    """The nodes of a text that goes on after others."""
    return [nodes.Text(" "), *inline(text)]
