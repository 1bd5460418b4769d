"""What a project says of itself: its citation, the papers it replicates, its configuration and its code."""

import re
from pathlib import Path
from typing import NamedTuple

import yaml

WORKFLOW = "Snakefile"
LICENCE = "LICENSE"
README = "README.md"
_CITATION = "CITATION.cff"
_ABOUT = (README, LICENCE, _CITATION, "pyproject.toml", "requirements.txt", "environment.yml")
_CODE = ("workflow", "src/logzoo")
_CONFIGFILE = re.compile(r"^\s*configfile:\s*[\"']([^\"']+)[\"']", re.MULTILINE)


class Paper(NamedTuple):
    """A paper as the citation refers to it; authors are (name, whether it is one person)."""

    title: str
    year: int
    doi: str | None
    authors: list


class Project(NamedTuple):
    """What is said of a project; files are paths from its folder.

    citation: content of CITATION.cff; authors: (name, whether it is one person); licence: title of the licence;
    papers: {name: Paper}; titles: {figure or table: title}; sources: {source of raw files: entry}; configuration,
    code, about: files.
    """

    citation: dict
    authors: list
    licence: str
    papers: dict
    titles: dict
    sources: dict
    configuration: list
    code: list
    about: list


def read_project(folder, scale):
    """What the project in a folder says of itself, and of a scale.

    Raises ValueError, one line naming the file, for what is missing or cannot be read.
    """
    folder = Path(folder)
    citation = _mapping(folder, _CITATION, ("title", "version", "license", "abstract", "authors"))
    figures = _mapping(folder, "config/figures.yaml", ("papers", "figures", "tables"))
    sources = _mapping(folder, "config/datasets.yaml", ("sources",))["sources"]
    try:
        authors, references = _people(citation["authors"]), [_paper(one) for one in citation.get("references", [])]
        titles = {name: one["title"] for key in ("figures", "tables") for name, one in figures[key].items()}
        papers = _references({name: one["title"] for name, one in figures["papers"].items()}, references)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{_CITATION}, config/figures.yaml: expected names and titles, found {error!r}") from None
    return Project(
        citation=citation,
        authors=authors,
        licence=_text(folder, LICENCE).split("\n", 1)[0].strip(),
        papers=papers,
        titles=titles,
        sources=sources,
        configuration=_configuration(folder, scale),
        code=[path for top in _CODE for path in _files_below(folder, top)],
        about=[name for name in _ABOUT if (folder / name).is_file()],
    )


def _people(entries):
    """(name, whether it is one person) of authors."""
    found = []
    for one in entries:
        person = "family-names" in one
        parts = (one.get("given-names"), one["family-names"]) if person else (one["name"],)
        found.append((" ".join(part for part in parts if part), person))
    return found


def _paper(entry):
    return Paper(entry["title"], entry["year"], entry.get("doi"), _people(entry["authors"]))


def _references(titles, references):
    """The references of the papers that have one: the configuration may leave out a subtitle."""
    return {
        name: one
        for name, title in titles.items()
        for one in references
        if one.title.casefold().startswith(title.casefold())
    }


def _configuration(folder, scale):
    """The files that the workflow always reads, and those that set this scale."""
    always = _CONFIGFILE.findall(_text(folder, WORKFLOW))
    others = [f"config/{path.name}" for path in sorted((folder / "config").glob("*.yaml"))]
    return [*always, *(path for path in others if path not in always and _scale_in(folder, path) == scale)]


def _scale_in(folder, path):
    content = _yaml(folder, path)
    return content.get("scale") if isinstance(content, dict) else None


def _files_below(folder, top):
    """The files below a folder of the project, in order, but for what Python and editors leave."""
    paths = (path for path in sorted((folder / top).rglob("*")) if path.is_file())
    found = [path.relative_to(folder) for path in paths]
    return [path.as_posix() for path in found if not any(part.startswith((".", "__pycache__")) for part in path.parts)]


def _mapping(folder, path, keys):
    content = _yaml(folder, path)
    missing = [key for key in keys if not isinstance(content, dict) or key not in content]
    if missing:
        raise ValueError(f"{path}: expected the keys {', '.join(keys)}, found no {missing[0]}")
    return content


def _yaml(folder, path):
    try:
        return yaml.safe_load(_text(folder, path))
    except yaml.YAMLError as error:
        raise ValueError(f"{path}: not YAML: {' '.join(str(error).split())}") from None


def _text(folder, path):
    try:
        return (folder / path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ValueError(f"{path}: expected a file of the project in {folder}: {reason}") from None
