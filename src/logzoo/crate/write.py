"""A finished run as an RO-Crate: one file in the folder of the project that says what each other file is.

Workflow Run Crate 0.5 (https://w3id.org/ro/wfrun/workflow/0.5), which builds on RO-Crate 1.1.
"""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

from rocrate.rocrate import ROCrate

from logzoo.artifacts.atomic import write_text
from logzoo.audit.manifest import manifest_path
from logzoo.crate import entities
from logzoo.crate.project import README, read_project
from logzoo.crate.run import read_run, software_of

CRATE = "ro-crate-metadata.json"


def write_crate(folder, scale, *, tasks=None, agent=None):
    """Describe the finished run of a scale in `ro-crate-metadata.json` in the folder of its project.

    tasks: `Tasks` of today's configuration and code, which are to be those of the run, or None if they are not known;
    agent: name of the person who ran it, or None. The same run gives the same bytes but for datePublished and the
    times of files. Returns the path.
    Raises ValueError, one line, if there is no such run, if files or tasks are not as its manifest says, or if the
    project does not say what it is.
    """
    folder = Path(folder)
    if agent is not None and not re.search(r"\w", agent):
        raise ValueError(f"agent: expected the name of a person, found {agent!r}")
    run, project = read_run(folder, scale, tasks), read_project(folder, scale)
    crate = ROCrate(version="1.1")
    crate.metadata.extra_terms["sha256"] = entities.SHA256
    content = _described(crate, folder, project, run, agent).metadata.generate()
    target = folder / CRATE
    write_text(target, json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    return target


def _described(crate, folder, project, run, agent):
    """The crate with all that is said of a run."""
    citation = project.citation
    licence, authors = entities.licence(crate, project), entities.people(crate, project.authors)
    articles = entities.papers(crate, project)
    terms = {"license": licence, "author": authors}
    workflow = entities.workflow(crate, folder, project, **terms)
    given, inputs = entities.inputs(crate, folder, project, run)
    made, outputs, records = entities.results(crate, folder, project, run, articles)
    for path in project.about:
        entities.project_files(crate, folder, [path], about=crate.root_dataset if path == README else None)
    listed = {"description": "The sha256 of all other files that the run left, and the jobs that made them."}
    entities.project_files(crate, folder, [manifest_path(run.scale)], **listed)
    software = entities.software(crate, software_of(records))
    entities.say(workflow, input=inputs, output=outputs, softwareRequirements=software)
    action = entities.run_action(crate, folder, run, agent=agent, instrument=workflow, object=given, result=made)
    entities.say(
        crate.root_dataset,
        name=f"{citation['title']} {citation['version']}: a run at the scale {run.scale}",
        description=f"{' '.join(citation['abstract'].split())} This is a finished run of the workflow with all that it "
        "made. Raw files keep the terms of their sources.",
        datePublished=datetime.now(UTC).date().isoformat(),
        keywords=citation.get("keywords", []),
        conformsTo=entities.profiles(crate),
        citation=list(articles.values()),
        mentions=action,
        **terms,
    )
    return crate
