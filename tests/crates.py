"""A finished tree with the project around it, and what RO-Crate and the profiles of a run demand of its description."""

import json
import re
import shutil
from pathlib import Path

from trees import Tree

ROOT = Path(__file__).parents[1]
# Those of the vocabulary of RO-Crate 1.1 (w3id.org/ro/crate/1.1/context) that a crate of ours uses.
TERMS = Path(__file__).with_name("crate-terms.json")
SOURCES = """
sources:
  source:
    title: Some numbers
    licence: CC BY 4.0
    citation: Somebody (1999)
"""
WRITTEN = {
    "Snakefile": "rule all:\n",
    "config/config.yaml": "scale: quick\n",
    "config/datasets.yaml": SOURCES,
    "config/papers/rts.yaml": "figures: {}\n",
    "config/small.yaml": "scale: tiny\n",
    "config/large.yaml": "scale: large\n",
    "src/logzoo/some.py": "VALUE = 1\n",
    "src/logzoo/__pycache__/some.pyc": "compiled\n",
}
CONTEXT = "https://w3id.org/ro/crate/1.1"
PROFILES = (
    "https://w3id.org/ro/wfrun/process/",
    "https://w3id.org/ro/wfrun/workflow/",
    "https://w3id.org/workflowhub/workflow-ro-crate/",
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d[+]00:00)?")


def finished_project(folder, seed=0):
    """A tree as a run leaves it, in a project with a configuration of its own; the citation is the real one."""
    folder = Tree(folder, seed=seed).write()
    for path, text in WRITTEN.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    for name in ("CITATION.cff", "LICENSE", "README.md"):
        shutil.copyfile(ROOT / name, folder / name)
    return folder


def graph_of(content):
    """{identifier: entity} of a crate."""
    found = {one["@id"]: one for one in content["@graph"]}
    assert len(found) == len(content["@graph"])
    return found


def read_crate(folder):
    return json.loads((Path(folder) / "ro-crate-metadata.json").read_text())


def listed(value):
    """The values of a property: none, one, or a list."""
    return [] if value is None else value if isinstance(value, list) else [value]


def references(entity):
    """Identifiers that an entity refers to."""
    return [one["@id"] for value in entity.values() for one in listed(value) if isinstance(one, dict)]


def breaches(content):
    """Yield what breaks a MUST of RO-Crate 1.1, Workflow RO-Crate 1.0, Process or Workflow Run Crate 0.5."""
    contexts = [one for one in listed(content.get("@context")) if isinstance(one, str)]
    if contexts != [f"{CONTEXT}/context"]:
        yield f"context {contexts}"
    found = {one["@id"]: one for one in content["@graph"]}
    if len(found) < len(content["@graph"]):
        yield "two entities of one identifier"
    for name, one in found.items():
        yield from _breaches_of_form(name, one)
    descriptor = found.get("ro-crate-metadata.json", {})
    if (descriptor.get("@type"), descriptor.get("about")) != ("CreativeWork", {"@id": "./"}):
        yield "no descriptor"
    if CONTEXT not in references({"conformsTo": descriptor.get("conformsTo")}):
        yield "the descriptor does not conform to RO-Crate 1.1"
    root = found.get("./", {})
    yield from _breaches_of_root(root, found)
    yield from _breaches_of_workflow(found.get(root.get("mainEntity", {}).get("@id"), {}), found)
    yield from _breaches_of_actions(found)


def _breaches_of_form(name, entity):
    if re.search(r"\s", name) or name.startswith("/"):
        yield f"{name!r} is no relative or absolute IRI"
    if "@type" not in entity:
        yield f"{name} has no type"
    for key, value in entity.items():
        for one in listed(value):
            if isinstance(one, list) or isinstance(one, dict) and set(one) != {"@id"}:
                yield f"{name}: {key} is not flat"


def _breaches_of_root(root, found):
    if "Dataset" not in listed(root.get("@type")):
        yield "the root is no data set"
    for key in ("name", "description", "license", "datePublished"):
        if not root.get(key):
            yield f"the root has no {key}"
    if not _DATE.fullmatch(str(root.get("datePublished"))):
        yield "the root has no date"
    said = references({"conformsTo": root.get("conformsTo")})
    for profile in PROFILES:
        if not any(one.startswith(profile) and "CreativeWork" in _types(found, one) for one in said):
            yield f"the root does not conform to {profile}"
    reached, waiting = set(), ["./"]
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting += set(references({"hasPart": found.get(name, {}).get("hasPart")})) - reached
    for name, one in found.items():
        if {"File", "Dataset"} & set(listed(one.get("@type"))) and name not in reached:
            yield f"{name} is no part of the root"


def _breaches_of_workflow(workflow, found):
    if not {"File", "SoftwareSourceCode", "ComputationalWorkflow"} <= set(listed(workflow.get("@type"))):
        yield "the main entity is no workflow"
    languages = references({"is": workflow.get("programmingLanguage")})
    if not languages or any("ComputerLanguage" not in _types(found, one) for one in languages):
        yield "the workflow has no language"


def _breaches_of_actions(found):
    runnable = {"SoftwareApplication", "SoftwareSourceCode", "ComputationalWorkflow"}
    actions = [one for one in found.values() if one.get("@type") == "CreateAction"]
    if not actions:
        yield "no action"
    for one in actions:
        tools = references({"is": one.get("instrument")})
        if not tools or any(not runnable & set(_types(found, tool)) for tool in tools):
            yield f"{one['@id']} has no instrument"


def _types(found, name):
    return listed(found.get(name, {}).get("@type"))
