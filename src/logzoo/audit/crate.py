"""A finished run as an RO-Crate: ro-crate-metadata.json in the folder of the project says what each file is.

Workflow Run Crate 0.5 (https://w3id.org/ro/wfrun/workflow/0.5), which builds on RO-Crate 1.1. Relative identifiers are
paths from the folder of the project, or start with #.
"""

import json
import mimetypes
import re
from datetime import UTC, datetime
from pathlib import Path

import yaml
from rocrate.model.contextentity import ContextEntity
from rocrate.rocrate import ROCrate

from logzoo.artifacts.atomic import write_text
from logzoo.artifacts.netcdf import read_provenance
from logzoo.audit.layout import kind_of, scale_of, walked
from logzoo.audit.manifest import deviations, listed_files, manifest_path, read_manifest, sha256_of
from logzoo.reporting.printing import one_line

CRATE = "ro-crate-metadata.json"
_CITATION, _WORKFLOW = "CITATION.cff", "Snakefile"
_ABOUT = ("README.md", "LICENSE", _CITATION, "pyproject.toml", "requirements.txt", "environment.yml")
_CODE = ("workflow", "src/logzoo")
# RO-Crate 1.1 has no sha256 of its own.
_SHA256 = "https://w3id.org/ro/terms/workflow-run#sha256"
_PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
# Not of the machine: the same run gives the same bytes.
_FORMATS = mimetypes.MimeTypes(filenames=())
_SHOWN = 5


def write_crate(folder, scale, *, tasks=None, agent=None):
    """Describe the finished run of a scale in `ro-crate-metadata.json` in the folder of its project.

    tasks: `Tasks` of today's configuration and code, or None; agent: name of the person who ran it, or None. The same
    run gives the same bytes but for datePublished and the times of files. Returns the path. Raises ValueError, one
    line, if there is no such run, files or tasks are not as its manifest says, or the project does not say what it is.
    """
    folder = Path(folder)
    if agent is not None and not re.search(r"\w", agent):
        raise ValueError(f"agent: expected the name of a person, found {agent!r}")
    content = _Crate(folder, scale, _files_of_run(folder, scale, tasks)).described(agent)
    write_text(folder / CRATE, json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    return folder / CRATE


def _files_of_run(folder, scale, tasks):
    """{path: sha256} of all files of the run, if they are as its manifest lists them and as tasks would make them."""
    manifest = manifest_path(scale)
    if not (folder / manifest).is_file():
        raise ValueError(f"{manifest}: no such file in {folder}, run the workflow first: it ends by writing this")
    files, made, _ = read_manifest(folder, scale)
    digests = {path: sha256_of(folder / path) for path in listed_files(folder, scale)}
    wrong = deviations(files, digests, scale)
    wrong += walked(folder)[1]
    if wrong:
        raise ValueError(f"files are not as {manifest} lists them: {_some(wrong)}; run the workflow again")
    other = [] if tasks is None else [path for path in files if made.of(path) != tasks.of(path)]
    if other:
        changed = f"configuration or code is not that of the run in {manifest}"
        raise ValueError(f"{changed} (another job would make: {_some(other)}): run the workflow again")
    return dict(sorted(files.items()))


def _some(paths):
    return ", ".join(paths[:_SHOWN]) + (f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else "")


class _Crate:
    """The crate of a project as it is filled; files: {path: sha256} of those of the run."""

    def __init__(self, folder, scale, files):
        self.folder, self.scale, self.files = folder, scale, files
        self.crate = ROCrate(version="1.1")
        self.crate.metadata.extra_terms["sha256"] = _SHA256

    def described(self, agent):
        """All that is said of the run, as JSON-LD."""
        citation = self._yaml(_CITATION, "title", "version", "license", "abstract", "authors")
        abstract = one_line(citation["abstract"])
        licence = f"https://spdx.org/licenses/{citation['license']}"
        try:
            terms = {
                "license": self._thing(licence, "CreativeWork", name=citation["license"]),
                "author": self._people(citation["authors"]),
            }
            papers = [self._paper(reference) for reference in citation.get("references", [])]
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{_CITATION}: expected names and titles, found {error!r}") from None
        workflow = self.crate.add_workflow(self.folder / _WORKFLOW, _WORKFLOW, main=True, lang="snakemake")
        self._measure(workflow, _WORKFLOW, name=citation["title"], description=abstract, version=citation["version"])
        code = [self._file(path) for path in self._below(*_CODE)]
        for path in (manifest_path(self.scale), *(name for name in _ABOUT if (self.folder / name).is_file())):
            self._file(path)
        given = self._configuration() + self._raw_files()
        made, software = self._results()
        _say(workflow, hasPart=code, softwareRequirements=software, **terms)
        _say(
            self.crate.root_dataset,
            name=f"{citation['title']} {citation['version']}: a run at the scale {self.scale}",
            description=f"{abstract} A finished run of the workflow. Raw files keep the terms of their sources.",
            datePublished=datetime.now(UTC).date().isoformat(),
            keywords=citation.get("keywords"),
            conformsTo=[self._thing(profile, "CreativeWork", name=name) for profile, name in _PROFILES.items()],
            citation=papers,
            mentions=self._action(agent, instrument=workflow, object=given, result=made),
            **terms,
        )
        return self.crate.metadata.generate()

    def _action(self, agent, **said):
        """The run itself. The file system knows no more of its times than when files were written."""
        own = [path for path in self.files if scale_of(path) == self.scale]
        times = [(self.folder / path).stat().st_mtime for path in (*own, manifest_path(self.scale))]
        start, end = (datetime.fromtimestamp(time, UTC) for time in (min(times), times[-1]))
        return self._thing(
            f"#run-{_slug(self.scale)}",
            "CreateAction",
            name=f"Run of the workflow at the scale {self.scale}",
            description="From when its oldest file was written to when its manifest was, the last step.",
            startTime=start.isoformat(timespec="seconds"),
            endTime=end.isoformat(timespec="seconds"),
            agent=None if agent is None else self._thing(f"#person-{_slug(agent)}", "Person", name=agent),
            **said,
        )

    def _configuration(self):
        """The files in config/ but for those of other scales; config.yaml has the defaults of all."""
        paths = [path for path in self._below("config") if path.endswith(".yaml")]
        scales = {path: self._yaml(path).get("scale", self.scale) for path in paths}
        return [self._file(path) for path in paths if path == "config/config.yaml" or scales[path] == self.scale]

    def _raw_files(self):
        """Raw files, each source in a folder that has the terms of the source."""
        sources, entities = self._yaml("config/datasets.yaml", "sources")["sources"], []
        for manifest in [path for path in self.files if kind_of(path) == "raw manifest"]:
            top = manifest.rsplit("/", 1)[0]
            content, source = json.loads((self.folder / manifest).read_text()), sources.get(Path(top).name, {})
            files = [
                self._file(f"{top}/{name}", description=f"Source: {entry['source']}")
                for name, entry in sorted(content["files"].items())
            ]
            _say(
                self.crate.add_dataset(self.folder / top, f"{top}/"),
                name=source.get("title", top),
                description=f"Not to be had: {content['unavailable']}" if "unavailable" in content else None,
                license=source.get("licence"),
                citation=source.get("citation"),
                hasPart=files,
            )
            entities += files
        return entities

    def _results(self):
        """The files that jobs made, and the software that artifacts name."""
        entities, versions = [], set()
        for path in [path for path in self.files if kind_of(path) != "raw file"]:
            record = read_provenance(self.folder / path) if path.endswith(".nc") else {}
            versions |= set(json.loads(record.get("software_json", "{}")).items())
            stand_in = f"NOT {record['stand_in_for']} but a stand-in for it" if "stand_in_for" in record else None
            entities.append(self._file(path, name=record.get("title", path), description=stand_in))
        return entities, [
            self._thing(f"#{_slug(f'{name}-{version}')}", "SoftwareApplication", name=name, softwareVersion=version)
            for name, version in sorted(versions)
        ]

    def _paper(self, reference):
        return self._thing(
            f"https://doi.org/{reference['doi']}" if "doi" in reference else f"#{_slug(reference['title'])}",
            "ScholarlyArticle",
            name=reference["title"],
            author=self._people(reference["authors"]),
            datePublished=str(reference["year"]),
        )

    def _people(self, authors):
        """People, and organisations: authors with one name."""
        entities = []
        for author in authors:
            kind = "Person" if "family-names" in author else "Organization"
            name = author["name"] if kind == "Organization" else f"{author['given-names']} {author['family-names']}"
            entities.append(self._thing(f"#{kind.lower()}-{_slug(name)}", kind, name=name))
        return entities

    def _below(self, *tops):
        """The files below folders of the project, in order, but for what Python leaves."""
        paths = [path for top in tops for path in sorted((self.folder / top).rglob("*")) if path.is_file()]
        return [path.relative_to(self.folder).as_posix() for path in paths if path.parent.name != "__pycache__"]

    def _file(self, path, **said):
        return self._measure(self.crate.add_file(self.folder / path, path), path, **{"name": path} | said)

    def _measure(self, entity, path, **said):
        form, packed = _FORMATS.guess_type(path)
        return _say(
            entity,
            encodingFormat="application/gzip" if packed else form or "application/octet-stream",
            contentSize=str((self.folder / path).stat().st_size),
            sha256=self.files.get(path) or sha256_of(self.folder / path),
            **said,
        )

    def _thing(self, identifier, kind, **said):
        return _say(self.crate.add(ContextEntity(self.crate, identifier, properties={"@type": kind})), **said)

    def _yaml(self, path, *keys):
        """The mapping in a YAML file. Raises ValueError, one line naming the file, if it is none with these keys."""
        try:
            content = yaml.safe_load((self.folder / path).read_text(encoding="utf-8"))
        except yaml.YAMLError as error:
            raise ValueError(f"{path}: not YAML: {one_line(error)}") from None
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or error
            raise ValueError(f"{path}: expected a file of the project in {self.folder}: {reason}") from None
        content = content if isinstance(content, dict) else {}
        missing = [key for key in keys if key not in content]
        if missing:
            raise ValueError(f"{path}: expected the keys {', '.join(keys)}, found no {missing[0]}")
        return content


def _say(entity, **said):
    """Set properties of an entity, but for those that are empty. Returns the entity."""
    for name, value in said.items():
        if value:
            entity[name] = value
    return entity


def _slug(name):
    return re.sub(r"[^\w.]+", "-", name.casefold()).strip("-")
