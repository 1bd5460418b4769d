"""Functions of the Snakefile: the jobs behind all files, the manifest, and the texts that a run prints.

`jobs_of_files` reads Snakemake's `workflow`, because no public function finds the rule of a file. Its `rules` and
`rule.expand_*` are undocumented, but not marked as private.
"""

import json
import os
from collections.abc import Iterable
from difflib import get_close_matches
from itertools import product
from pathlib import Path
from typing import Any

from replication.artifacts import raw_manifest, recorded, without_stamp
from replication.audit.manifest import manifest_path, write_manifest
from replication.catalogue import Catalogue
from replication.layout import kind_of
from replication.progress import Progress, ending
from replication.protocol import protocol_digest


def jobs_of_files(workflow: Any, catalogue: Catalogue) -> dict[str, dict]:
    """Returns {file: job} for all files of this configuration, as the present code would make them.

    A job is a dict with the keys rule, script, inputs, parameters, source and default. The rule `all` needs the file of
    a job if `default` is true. A user can request other files by their paths: data sets, and models with their truths
    and estimates.
    """
    jobs = _jobs_behind(workflow, workflow.get_rule("all").expand_input({})[0], {}, default=True)
    config, data = catalogue.config, catalogue.data
    others = [f"{data}/truths/{model}.nc" for model in config["models"]]
    others += [f"{data}/estimates/{model}/{name}.nc" for model, name in product(config["models"], config["estimators"])]
    return _jobs_behind(workflow, [*shared_files(catalogue), *others], jobs, default=False)


def _jobs_behind(workflow: Any, files: Iterable[str], known: dict[str, dict], *, default: bool) -> dict[str, dict]:
    """Returns {file: job} with the known jobs, and the jobs of these files and of all files behind them."""
    jobs, waiting = {**known}, list(map(str, files))
    while waiting:
        path = waiting.pop()
        if path in jobs or kind_of(path) is None:
            continue
        able = [rule for rule in workflow.rules if any(output.match(path) for output in rule.output)]
        # If several rules can make a file, the rule with the fewest outputs is taken.
        if maker := min(able, key=lambda rule: len(rule.output), default=None):
            produced = _jobs_of(maker, maker.get_wildcards(path))
            jobs |= {name: {**job, "default": default} for name, job in produced.items() if name not in jobs}
            waiting += produced[path]["inputs"] + list(produced)
    return jobs


def _jobs_of(maker: Any, wildcards: dict) -> dict[str, dict]:
    """Returns {output: job} of one rule with these wildcards."""
    inputs, outputs = maker.expand_input(wildcards)[0], maker.expand_output(wildcards)[0]
    params = dict(maker.expand_params(wildcards, inputs, outputs, None)[0].items())
    jobs = {}
    for number, path in enumerate(outputs):
        # Rules without a source digest make no files with provenance.
        parameters, source = recorded(params, number) if {"source", "sources"} & set(params) else ({}, None)
        job = {"rule": maker.name, "script": Path(maker.script or "").name, "inputs": list(map(str, inputs))}
        jobs[str(path)] = {**job, "parameters": parameters, "source": source}
    return json.loads(json.dumps(jobs))  # JSON turns tuples into lists and keys into text, as in artifacts


def lacking_sources(config: dict) -> list[str]:
    """Manifests in the working folder that record files of a source as not available.

    Raises a one-line ValueError for a damaged manifest.
    """
    manifests = [path for name in config["sources"] if os.path.isfile(path := f"data/raw/{name}/manifest.json")]
    return [path for path in manifests if "unavailable" in raw_manifest(path)]


def remove_manifest(scale: str) -> None:
    """Remove the manifest of the last run, because this run changes files and may be killed before it lists them."""
    Path(manifest_path(scale)).unlink(missing_ok=True)


def print_manifest(catalogue: Catalogue) -> None:
    """Write the manifest of a run, and print its hash; do nothing if the scale has no folder."""
    scale = catalogue.config["scale"]
    if not Path(f"data/{scale}").is_dir():
        return
    digest = write_manifest(".", scale, shared_files(catalogue), protocol_digest(catalogue))
    print(f"All files are listed in {manifest_path(scale)}, sha256 {digest}")


def shared_files(catalogue: Catalogue) -> list[str]:
    """Data sets and raw files of a configuration, which other scales in the same checkout may share."""
    config = catalogue.config
    paths = [f"data/datasets/{name}.nc" for name in config["datasets"]]
    for name, source in config["sources"].items():
        paths += [f"data/raw/{name}/{file}" for file in ("manifest.json", *source["files"])]
    return paths


def near_targets(words: Iterable[str], targets: Iterable[str]) -> list[str]:
    """Suggestions, one line each, for words of a command line that resemble a target (a rule or a file name).

    A path gets a suggestion only if its folder holds targets, because other folders hold files that are not listed.
    """
    names = {Path(target).name: target for target in targets}
    folders = {Path(target).parent for target in names.values()} | {Path()}
    listed = [word for word in words if not word.startswith("-") and Path(word).parent in folders]
    unknown = [word for word in listed if Path(word).name not in names]
    near = {word: get_close_matches(Path(word).name, names, n=1, cutoff=0.75) for word in unknown}
    return [
        f"logzoo: no target {word!r}; did you mean {names[nearest[0]]}?" for word, nearest in near.items() if nearest
    ]


def print_tables(catalogue: Catalogue, papers: Iterable[str] = ()) -> None:
    """Print the tables of some papers at the end of a run, by default the tables of all papers and the scorecard."""
    from replication.reporting.scorecard import without_links  # pandas takes long to import

    papers = tuple(papers)
    shown = [file for paper in papers or catalogue.config["papers"] for file in catalogue.files_of_paper(paper)]
    tables = [file for file in shown if file.endswith(".md")]
    for table in map(Path, tables if papers else [*tables, f"{catalogue.folder}/scorecard.md"]):
        if table.is_file():
            print(without_links(without_stamp(table.read_text(encoding="utf-8"))))


def print_ending(progress: Progress | None, catalogue: Catalogue, log: Iterable[str], *, success: bool) -> None:
    """Print the summary of a run, unless Snakemake printed its own output (progress: None) or no job ran."""
    if progress is None or not progress.jobs:
        return
    card, claims = Path(f"{catalogue.data}/scorecard.nc"), ""
    if str(card) in progress.outputs and card.is_file():
        from logzoo.io.netcdf import read_artifact
        from replication.reporting.scorecard import summary

        counts = summary(read_artifact(card), catalogue.config["scale"]).partition(". ")[0].rstrip(".")
        claims = f"{counts} ({catalogue.folder}/scorecard.md)"
    progress.tell(ending(progress, catalogue.folder, claims, next(iter(log), "none"), success))
