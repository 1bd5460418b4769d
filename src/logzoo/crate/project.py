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


class Project(NamedTuple):
    """What is said of a project; files are paths from its folder.

    citation: content of CITATION.cff; licence: title of the licence; papers: {name: reference of the citation};
    titles: {figure or table: title}; sources: {source of raw files: entry}; configuration, code, about: files.
    """

    citation: dict
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
    shown = {**figures["figures"], **figures["tables"]}
    return Project(
        citation=citation,
        licence=_text(folder, LICENCE).split("\n", 1)[0].strip(),
        papers=_references(figures["papers"], citation.get("references", [])),
        titles={name: entry["title"] for name, entry in shown.items()},
        sources=_mapping(folder, "config/datasets.yaml", ("sources",))["sources"],
        configuration=_configuration(folder, scale),
        code=[path for top in _CODE for path in _files_below(folder, top)],
        about=[name for name in _ABOUT if (folder / name).is_file()],
    )


def people(entries):
    """(name, whether it is one person) of the authors in a citation."""
    for entry in entries:
        person = "family-names" in entry
        parts = (entry.get("given-names"), entry["family-names"]) if person else (entry["name"],)
        yield " ".join(part for part in parts if part), person


def _references(papers, references):
    """The references of the papers that have one: the configuration may leave out a subtitle."""
    return {
        name: one
        for name, paper in papers.items()
        for one in references
        if one["title"].casefold().startswith(paper["title"].casefold())
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
