"""What every file would be made with, by this configuration and this code, as the audit reads it.

Functions take Snakemake's `workflow`. Nothing public names the rule that makes a file, or tells the targets of a run:
`rules`, `rule.expand_*`, `dag`, `dag_settings` and `scheduler` are not documented, though none is marked as private.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from logzoo.artifacts.stamps import without_stamp
from logzoo.audit.layout import kind_of
from logzoo.audit.manifest import listed_files, manifest_path, write_manifest
from logzoo.audit.tasks import Tasks
from logzoo.pipeline.catalogue import Catalogue

# Targets that tell something and make nothing.
_TELLING = {"audit", "cost", "crate", "publish"}
# What names of rules that sample begin with.
_SAMPLING = ("train_", "evidence", "estimate")
# Jobs of which the starts take longer than loading once what all of them load.
_MANY = 40


def tasks_of_files(workflow: Any, scale: str, targets: Iterable[str] = ()) -> dict:
    """The jobs that make the files that are there, as this configuration and this code would have them made.

    targets: rules for which the jobs behind all that they want are added, whether their files are there or not.
    """
    tasks: list[dict] = []
    seen: set[str] = set()
    numbers: dict[tuple, int] = {}
    wanted = [path for target in targets for path in workflow.get_rule(target).expand_input({})[0]]
    waiting = [*listed_files(".", scale), *map(str, wanted)]
    for path in waiting:
        maker = None if path in seen else _maker_of(workflow, path)
        seen.add(path)
        if maker is None:
            continue
        wildcards = maker.get_wildcards(path)
        key = (maker.name, *wildcards.values())
        if key not in numbers:
            numbers[key] = len(tasks)
            tasks.append(_task(maker, wildcards))
            if targets:
                behind = (*tasks[-1]["input"]["items"], *tasks[-1]["output"]["items"])
                waiting += [path for path in behind if kind_of(path) is not None]
    return {"scale": scale, "tasks": tasks}


def _maker_of(workflow: Any, path: str) -> Any:
    """The rule that makes a file, of several the one that makes the fewest others with it; None if there is none."""
    able = [rule for rule in workflow.rules if any(output.match(path) for output in rule.output)]
    return min(able, key=lambda rule: len(rule.output), default=None)


def _task(maker: Any, wildcards: dict) -> dict:
    """One job, as `logzoo.audit.tasks` reads it."""
    given, made = maker.expand_input(wildcards)[0], maker.expand_output(wildcards)[0]
    params = maker.expand_params(wildcards, given, made, None)[0]
    return {
        "rule": maker.name,
        "script": f"workflow/scripts/{Path(maker.script).name}" if maker.script else "",
        "wildcards": {"items": [], "names": dict(wildcards)},
        "input": _paths(given),
        "output": _paths(made),
        "params": {"items": [], "names": {name: _plain(value) for name, value in params.items()}},
    }


def _paths(items: Any) -> dict:
    """Inputs or outputs: paths, those without a name first, and where among them those lie that a name stands for."""
    paths, names = _plain(list(items)), {}
    named = [(name, value if isinstance(value, list) else None) for name, value in items.items()]
    first = len(paths) - sum(1 if values is None else len(values) for _, values in named)
    for name, values in named:
        end = first + (1 if values is None else len(values))
        names[name] = first if values is None else [first, end]
        first = end
    return {"items": paths, "names": names}


def _plain(value: Any) -> Any:
    """Texts and lists without the types of Snakemake."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, str) else value


def makes_files(workflow: Any) -> bool:
    """Whether this run makes anything, or only tells something."""
    targets = set(workflow.dag_settings.targets)
    return not targets or not targets <= _TELLING


def runs_kernels(workflow: Any) -> bool:
    """Whether this run samples anything: what it then needs compiled, several of its jobs need."""
    return any(job.rule.name.startswith(_SAMPLING) for job in workflow.dag.needrun_jobs())


def runs_many(workflow: Any) -> bool:
    """Whether this run has many jobs."""
    return sum(1 for _ in workflow.dag.needrun_jobs()) >= _MANY


def stood_in_for(workflow: Any) -> list[str]:
    """Manifests of raw files, behind what this run wants and not to be made anew, that say that these cannot be had."""
    anew = {str(path) for job in workflow.dag.needrun_jobs() for path in job.output}
    behind = {str(path) for job in workflow.dag.jobs for path in job.output if kind_of(path) == "raw manifest"}
    # Raw files may be gone where all that is made from them is there.
    there = filter(os.path.isfile, sorted(behind - anew))
    return [path for path in there if "unavailable" in json.loads(Path(path).read_text())]


def remove_manifest(scale: str) -> None:
    """Remove the manifest of the last run: what follows changes files, and may be killed before it lists them."""
    Path(manifest_path(scale)).unlink(missing_ok=True)


def print_manifest(workflow: Any, scale: str) -> None:
    """Write the manifest of a run, and print its hash; nothing where no file of the scale is there."""
    if not Path(f"data/{scale}").is_dir():
        return
    digest = write_manifest(".", scale, Tasks(tasks_of_files(workflow, scale)))
    print(f"All files are listed in {manifest_path(scale)}, sha256 {digest}")


def list_what_was_made(workflow: Any, scale: str) -> None:
    """Write the manifest if a run was killed when all was made but the manifest.

    Snakemake then has nothing to do, and no hook for that.
    """
    ready = workflow.is_main_process and workflow.scheduler is not None and not workflow.dryrun
    made = Path(f"data/{scale}").is_dir() and not Path(manifest_path(scale)).exists()
    if ready and not len(workflow.dag) and made:
        print_manifest(workflow, scale)


def print_tables(catalogue: Catalogue) -> None:
    """Print the tables that a run ended in."""
    from logzoo.reporting.scorecard import without_links  # pandas takes long to import

    tables = [file for file in catalogue.files if file.endswith(".md")]
    for table in map(Path, [*tables, f"{catalogue.folder}/scorecard.md"]):
        if table.is_file():
            print(without_links(without_stamp(table.read_text())))
    page = Path(catalogue.folder) / "index.html"
    if page.parent.is_dir():
        print(f"Figures are in {catalogue.folder}/" + (f", all on one page: {page}" if page.is_file() else ""))
