"""A finished run as an RO-Crate: ro-crate-metadata.json in the folder of the project describes each file.

The profile is Workflow Run Crate 0.5 (https://w3id.org/ro/wfrun/workflow/0.5), which builds on RO-Crate 1.1.
"""

import json
import mimetypes
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml
from rocrate.model.contextentity import ContextEntity
from rocrate.rocrate import ROCrate

from logzoo.checks import shown
from logzoo.io.atomic import write_text
from logzoo.io.netcdf import load_raw
from logzoo.io.reading import read_bytes, sha256_of
from logzoo.printing import one_line
from logzoo.types import FilePath
from replication.audit.manifest import manifest_path
from replication.audit.publish import files_of_run
from replication.layout import kind_of

CRATE = "ro-crate-metadata.json"
_PROFILES = (
    "https://w3id.org/ro/wfrun/process/0.5",
    "https://w3id.org/ro/wfrun/workflow/0.5",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0",
)
_ABOUT = ("CITATION.cff", "LICENSE", "README.md", "pyproject.toml", "requirements.txt", "environment.yml")
# Only Python's built-in media types are used, so that a file has the same type on every machine.
_FORMATS = mimetypes.MimeTypes(filenames=())


def write_crate(
    folder: FilePath,
    scale: str,
    *,
    jobs: Mapping[str, Any] | None = None,
    configuration: FilePath | None = None,
    agent: str | None = None,
) -> Path:
    """Describe the finished run of a scale in `ro-crate-metadata.json` in the folder of its project. Returns the path.

    jobs: as for `audit`, or None. configuration: the file of the scale, if it is not in config/. agent: name of the
    person who ran the workflow, or None. Raises a one-line ValueError if the run is not finished, or has faults or
    stale files. The error is also raised for a missing Snakefile, for a missing or incomplete CITATION.cff, for a
    configuration outside the project, and for an agent without a name.
    """
    folder = Path(folder)
    if agent is not None and not (agent.strip() and agent.isprintable()):
        raise ValueError(f"agent: expected the name of a person, found {shown(agent)}")
    inside = folder.resolve()
    settings = [] if configuration is None else [Path(configuration).resolve()]
    if not all(path.is_relative_to(inside) for path in settings):
        raise ValueError(f"{settings[0]}: expected a configuration in {inside}; move it there")
    files = files_of_run(folder, scale, jobs)
    try:
        citation = yaml.safe_load(read_bytes(folder / "CITATION.cff"))
        content = _described(
            folder, scale, files, citation, agent, [path.relative_to(inside).as_posix() for path in settings]
        )
        text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False)
    except (OSError, KeyError, TypeError, AttributeError, ValueError, yaml.YAMLError) as error:
        reason = getattr(error, "strerror", None) or one_line(error)
        raise ValueError(f"{folder}: expected a complete CITATION.cff and a Snakefile, found {reason}") from None
    write_text(folder / CRATE, f"{text}\n")
    return folder / CRATE


def variables_of(path: FilePath) -> dict[str, dict[str, str]]:
    """Returns {variable: properties of schema.org} of a NetCDF artifact: long name, dimensions, flags and unit."""
    dataset, described = load_raw(path), {}
    for name, variable in dataset.variables.items():
        text = f"{variable.attrs.get('long_name', name)}; dimensions: {', '.join(map(str, variable.dims)) or 'none'}"
        if "flag_meanings" in variable.attrs:
            masks = map(str, variable.attrs["flag_masks"])
            flags = zip(masks, variable.attrs["flag_meanings"].split(), strict=True)
            text += f"; bits: {', '.join(map(' '.join, flags))}"
        described[str(name)] = {"name": str(name), "description": text, "unitText": variable.attrs.get("units", "1")}
    return described


def _described(folder, scale, files, citation, agent, configuration):
    """The JSON-LD of the run. Inputs are configuration and raw files. Results are all other files of the manifest."""
    crate = ROCrate(version="1.1")
    crate.metadata.extra_terms["sha256"] = "https://w3id.org/ro/terms/workflow-run#sha256"

    def add(identifier, kind, **properties):
        return crate.add(ContextEntity(crate, identifier, properties={"@type": kind, **properties}))

    def describe(path, entity=None):
        form, packed = _FORMATS.guess_type(path)
        entity = entity or crate.add_file(folder / path, path)
        entity["name"], entity["contentSize"] = path, str((folder / path).stat().st_size)
        entity["encodingFormat"] = "application/gzip" if packed else form or "application/octet-stream"
        entity["sha256"] = files.get(path) or sha256_of(folder / path)
        if kind_of(path) == "zoo":
            fields = variables_of(folder / path).items()
            entity["variableMeasured"] = [add(f"#zoo-{name}", "PropertyValue", **field) for name, field in fields]
        return entity

    def below(top, pattern="*"):
        paths = [path for path in sorted((folder / top).rglob(pattern)) if path.is_file()]
        return [path.relative_to(folder).as_posix() for path in paths if path.parent.name != "__pycache__"]

    licence = add(f"https://spdx.org/licenses/{citation['license']}", "CreativeWork", name=citation["license"])
    names = [
        author.get("name") or f"{author['given-names']} {author['family-names']}" for author in citation["authors"]
    ]
    people = [add(f"#author-{number}", "Organization", name=name) for number, name in enumerate(names)]
    workflow = describe("Snakefile", crate.add_workflow(folder / "Snakefile", "Snakefile", main=True, lang="snakemake"))
    workflow["name"], workflow["version"], workflow["license"] = citation["title"], str(citation["version"]), licence
    workflow["hasPart"] = [describe(path) for path in (*below("workflow"), *below("src"))]
    for path in (manifest_path(scale), *(name for name in _ABOUT if (folder / name).is_file())):
        describe(path)
    raw = [path for path in files if kind_of(path) == "raw file"]
    times = [(folder / path).stat().st_mtime for path in (*files, manifest_path(scale))]
    start, end = (datetime.fromtimestamp(time, UTC).isoformat(timespec="seconds") for time in (min(times), times[-1]))
    run = add(f"#run-{scale}", "CreateAction", name=f"Run at the scale {scale}", startTime=start, endTime=end)
    settings = dict.fromkeys((*below("config", "*.yaml"), *configuration))
    run["instrument"], run["object"] = workflow, [describe(path) for path in (*settings, *raw)]
    run["result"] = [describe(path) for path in files if path not in raw]
    if agent is not None:
        run["agent"] = add("#agent", "Person", name=agent)
    root = crate.root_dataset
    root["name"] = f"{citation['title']} {citation['version']}: a run at the scale {scale}"
    root["description"] = f"{one_line(citation['abstract'])} Raw files keep the terms of their sources."
    root["datePublished"], root["license"], root["author"] = datetime.now(UTC).date().isoformat(), licence, people
    root["conformsTo"] = [add(profile, "CreativeWork", name=profile) for profile in _PROFILES]
    root["mentions"] = run
    return crate.metadata.generate()
