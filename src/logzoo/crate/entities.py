"""The things that an RO-Crate of a run names: files, people, papers, software, and the run itself.

Each function adds what it is named after to a crate (an `ROCrate` of the rocrate library) and returns it. Relative
identifiers are paths from the folder of the project, or start with #; all follow from what they name.
"""

import json
import re
from pathlib import Path, PurePosixPath

from rocrate.model.contextentity import ContextEntity

from logzoo.audit.layout import kind_of
from logzoo.audit.manifest import sha256_of
from logzoo.crate.project import LICENCE, WORKFLOW
from logzoo.crate.run import attributes_of, times_of

# IRIs of the vocabularies; RO-Crate 1.1 has no sha256 of its own.
SHA256 = "https://w3id.org/ro/terms/workflow-run#sha256"
_BIOSCHEMAS = "https://bioschemas.org/profiles"
_COMPLETED = "http://schema.org/CompletedActionStatus"
_PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
_FORMATS = {
    "": "text/plain",
    ".amat": "text/plain",
    ".cff": "application/yaml",
    ".css": "text/css",
    ".csv": "text/csv",
    ".data": "text/plain",
    ".gz": "application/gzip",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".mat": "application/x-matlab-data",
    ".md": "text/markdown",
    ".nc": "application/x-netcdf",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".py": "text/x-python",
    ".rst": "text/x-rst",
    ".smk": "text/x-python",
    ".t": "text/plain",
    ".toml": "application/toml",
    ".tr": "text/plain",
    ".txt": "text/plain",
    ".val": "text/plain",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}
_UNKNOWN_FORMAT = "application/octet-stream"


def say(entity, /, **said):
    """Set properties of an entity, but for those that are empty; a list of one is that one. Returns the entity."""
    for name, value in said.items():
        if isinstance(value, list) and len(value) == 1:
            (value,) = value
        if value not in (None, "", []):
            entity[name] = value
    return entity


def profiles(crate):
    """The profiles that the crate conforms to."""
    return [
        _thing(crate, identifier, "CreativeWork", name=name, version=identifier.rsplit("/", 1)[1])
        for identifier, name in _PROFILES.items()
    ]


def licence(crate, project):
    """The licence of the project; its text is among the files."""
    name = project.citation["license"]
    said = {"name": project.licence, "description": f"Of the software and of what it made; the text is in {LICENCE}."}
    return _thing(crate, f"https://spdx.org/licenses/{name}", "CreativeWork", identifier=name, **said)


def people(crate, names):
    """People and organisations: (name, whether it is one person)."""
    return [
        _thing(crate, f"#{kind.lower()}-{_slug(name)}", kind, name=name)
        for name, kind in ((name, "Person" if person else "Organization") for name, person in names)
    ]


def papers(crate, project):
    """{name: article} of the papers that the citation refers to."""
    found = {}
    for name, one in project.papers.items():
        identifier = f"https://doi.org/{one.doi}" if one.doi else f"#paper-{name}"
        said = {"name": one.title, "author": people(crate, one.authors), "datePublished": str(one.year)}
        found[name] = _thing(crate, identifier, "ScholarlyArticle", **said)
    return found


def software(crate, versions):
    """Applications by name and version."""
    return [
        _thing(
            crate, f"#software-{_slug(f'{name}-{version}')}", "SoftwareApplication", name=name, softwareVersion=version
        )
        for name, version in versions
    ]


def project_files(crate, folder, paths, **said):
    """Files as they are now, which no manifest lists."""
    return [_file(crate, folder, path, sha256_of((folder / path).read_bytes()), **said) for path in paths]


def workflow(crate, folder, project, **said):
    """The Snakefile as the main entity, with the rest of the code as its parts."""
    content = (folder / WORKFLOW).read_bytes()
    found = crate.add_workflow(folder / WORKFLOW, WORKFLOW, main=True, lang="snakemake")
    say(found, **_measured(WORKFLOW, content_size=len(content), digest=sha256_of(content)))
    citation = project.citation
    return say(
        found,
        name=citation["title"],
        description=citation["abstract"],
        version=citation["version"],
        conformsTo={"@id": f"{_BIOSCHEMAS}/ComputationalWorkflow/1.0-RELEASE"},
        hasPart=project_files(crate, folder, project.code),
        **said,
    )


def inputs(crate, folder, project, run):
    """Configuration and raw files, each an example of an input of the workflow; returns files and those inputs."""
    settings = _parameter(crate, "input-configuration", "Configuration of the workflow.")
    found = project_files(crate, folder, project.configuration, exampleOfWork=settings)
    downloads = _parameter(crate, "input-raw-file", "Raw files of the sources of data.")
    for manifest in [path for path in run.files if kind_of(path) == "raw manifest"]:
        found += _raw_files(crate, folder, manifest, project.sources, run, exampleOfWork=downloads)
    return found, [settings, downloads]


def results(crate, folder, project, run, articles):
    """Files that jobs made, each an example of an output of the workflow; returns files, those outputs, and records.

    Records are the attributes of the artifacts.
    """
    found, records, outputs = [], [], {}
    for path, digest in run.files.items():
        kind = kind_of(path)
        if kind == "raw file":
            continue
        if kind not in outputs:
            outputs[kind] = _parameter(crate, f"output-{_slug(kind)}", f"Files of the kind: {kind}.")
        record = attributes_of(folder / path) if path.endswith(".nc") else {}
        records.append(record)
        said = {"exampleOfWork": outputs[kind], **_said_of(path, kind, project, record, articles)}
        found.append(_file(crate, folder, path, digest, **said))
    return found, list(outputs.values()), records


def run_action(crate, folder, run, *, agent, **said):
    """The run itself, and when it was."""
    start, end = times_of(folder, run)
    if agent is not None:
        (said["agent"],) = people(crate, [(agent, True)])
    return _thing(
        crate,
        f"#run-{_slug(run.scale)}",
        "CreateAction",
        name=f"Run of the workflow at the scale {run.scale}",
        description="Times are those of files: startTime of the oldest that it left (it began before), endTime of its "
        "manifest, its last step. A run that was interrupted counts from its first start.",
        startTime=start,
        endTime=end,
        actionStatus=_COMPLETED,
        **said,
    )


def _raw_files(crate, folder, manifest, sources, run, **said):
    """The raw files of a source, in a folder that has the terms of the source."""
    content, place = json.loads((folder / manifest).read_text()), manifest.rsplit("/", 1)[0]
    source = sources.get(place.rsplit("/", 1)[1], {})
    found = []
    for name, entry in sorted(content["files"].items()):
        addresses = source.get("files", {}).get(name, {}).get("sources", [])
        # An entry that says more than an address is of another form of the file.
        same = [one["url"] for one in addresses if set(one) == {"url"}]
        taken = f"Taken from {entry['source']}."
        path = f"{place}/{name}"
        found.append(_file(crate, folder, path, run.files[path], description=taken, contentUrl=same, **said))
    lack = f"Not to be had: {content['unavailable']}" if "unavailable" in content else "Raw files of one source."
    terms = {"license": source.get("licence"), "citation": source.get("citation")}
    say(
        crate.add_dataset(folder / place, f"{place}/"),
        name=source.get("title", place),
        description=lack,
        hasPart=found,
        **terms,
    )
    return found


def _said_of(path, kind, project, record, articles):
    """Name, description and paper of a result."""
    place = PurePosixPath(path)
    shown = kind in ("picture", "table text") and len(place.parts) == 4
    said = {"name": project.titles.get(place.stem) if shown else record.get("title")}
    if "stand_in_for" in record:
        said["description"] = f"NOT {record['stand_in_for']} but a stand-in for it"
    if shown and place.parts[2] in articles:
        said["citation"] = articles[place.parts[2]]
    return said


def _parameter(crate, name, description):
    """An input or output of the workflow."""
    profile = {"@id": f"{_BIOSCHEMAS}/FormalParameter/1.0-RELEASE"}
    said = {"name": name, "description": description, "additionalType": "File", "conformsTo": profile}
    return _thing(crate, f"#{name}", "FormalParameter", multipleValues=True, **said)


def _file(crate, folder, path, digest, **said):
    found = crate.add_file(folder / path, path)
    say(found, name=path, **_measured(path, content_size=(folder / path).stat().st_size, digest=digest))
    return say(found, **said)


def _measured(path, *, content_size, digest):
    form = _FORMATS.get(Path(path).suffix.lower(), _UNKNOWN_FORMAT)
    return {"encodingFormat": form, "contentSize": str(content_size), "sha256": digest}


def _thing(crate, identifier, kind, /, **said):
    return say(crate.add(ContextEntity(crate, identifier, properties={"@type": kind})), **said)


def _slug(name):
    return re.sub(r"[^\w.]+", "-", name.casefold()).strip("-")
