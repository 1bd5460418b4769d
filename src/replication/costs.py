"""The cost of a run: the work of its jobs, counted from their settings, times seconds per unit of work.

Most work is counted in visits. A visit reads one weight. A sweep of one chain counts as a visit to each weight, plus
a fixed number.
"""

import time
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from statistics import fmean
from typing import NamedTuple

import numpy as np

from logzoo.printing import columns
from replication.catalogue import Catalogue
from replication.models import by_run, estimate_settings, made_together, truth_from
from replication.papers.experiment import SWEEP, named_paths, shape_of, training_most, training_work
from replication.papers.zoo.families import matrix_places

# Core-seconds of a unit of work, measured on two cores of an AMD EPYC ("prediction": of an Intel Xeon, divided by the
# ratio of their probes). The unit is a draw at a rung for "solving" MBAR and "resampling", an exponential for
# "prediction", a draw for "Hamiltonian", and otherwise a visit.
SECONDS = {
    "sampling": 2.5e-11,
    "training": 5e-11,
    "enumeration": 2e-10,
    "tours": 8e-9,
    "solving": 1.5e-6,
    "resampling": 1e-8,
    "prediction": 8e-9,
    "Hamiltonian": 1e-5,
}
# Assumed core-seconds of a visit in kinds of work that were not measured: the value of "enumeration".
UNKNOWN = 2e-10
# Core-seconds of every job for starting a process, reading and writing artifacts, and drawing.
START = 0.5
# The probe: shape of the RBM, number of chains, number of sweeps, and seconds of repetition. The fastest run counts.
_PROBE_SHAPE, _PROBE_CHAINS, _PROBE_SWEEPS, _PROBE_SECONDS = (784, 500), 50, 40, 2.0
# Folders of the artifacts of rules; "experiments" stands for several folders. Names of rules for estimates start with
# "estimate". A job of any other rule takes `START`.
_FOLDERS = {"evidence": "evidence", "experiment": "experiments", "long_run": "truths", "truth": "truths"}
_FOLDERS |= dict.fromkeys(("train_model", "train_with_snapshots", "import_model", "known_model"), "models")

Work = dict[str, float]


class Job(NamedTuple):
    """The work of a job, its inputs, and the most work that any data can cause (if empty, `work`)."""

    work: Work
    inputs: list[str] = []
    most: Work = {}

    @property
    def seconds(self) -> float:
        """Expected core-seconds."""
        return seconds_of(self.work)

    @property
    def most_seconds(self) -> float:
        """Upper bound of the core-seconds; the bound of a run is the sum over its jobs."""
        return max(seconds_of(self.most), seconds_of(self.work))


def seconds_of(work: Work) -> float:
    """Expected core-seconds of a job with this work."""
    return START + sum(SECONDS.get(kind, UNKNOWN) * visits for kind, visits in work.items())


def jobs_behind(catalogue: Catalogue, files: Iterable[str]) -> dict[str, Job]:
    """Returns {path: Job} of these files and of all artifacts behind them."""
    jobs: dict[str, Job] = {}
    waiting = list(files)
    while waiting:
        path = _first_output(catalogue, waiting.pop())
        if path not in jobs:
            jobs[path] = _job(catalogue, path)
            waiting += jobs[path].inputs
    return jobs


# The result is cached, because figures share most of their jobs.
@cache
def _first_output(catalogue: Catalogue, path: str) -> str:
    """The file that stands for all outputs of its job, so that the job is counted once."""
    file = PurePosixPath(path)
    if file.parent.name == "models":
        return str(file.with_name(f"{file.name.partition('.')[0]}.nc"))
    if file.parent.parent.name == "estimates":
        return str(file.with_name(f"{_readers(catalogue, file.parent.name, file.stem)[0]}.nc"))
    return catalogue.files_of(catalogue.shown[file.stem])[0] if path in catalogue.files else path


def _readers(catalogue: Catalogue, model: str, estimator: str) -> list[str]:
    """The estimators that share one job on a model with this estimator, this estimator included."""
    config = catalogue.config
    lots = made_together(config).values() if model in matrix_places(config) else []
    return next((lot for lot in lots if estimator in lot), [estimator])


@cache
def _job(catalogue: Catalogue, path: str) -> Job:
    """The job that makes a file."""
    if path in catalogue.experiments:
        experiment = catalogue.experiments[path]
        return Job(experiment.work, list(named_paths(experiment.inputs).values()), experiment.most)
    group, folder, file = PurePosixPath(path).parts[-3:]
    name, _, estimator = file.removesuffix(".nc").partition(".")
    if folder == "models":
        return _training(catalogue, name)
    if folder == "evidence":
        return _evidence(catalogue, name)
    if folder == "truths":
        return _estimates(catalogue, name, estimator, long_run=True) if estimator else _truth(catalogue, name)
    if group == "estimates":
        return _estimates(catalogue, folder, *_readers(catalogue, folder, name))
    if folder == "verdicts":
        return Job({}, list(named_paths(catalogue.shown[name].inputs).values()))
    if path == f"{catalogue.data}/scorecard.nc":
        return Job({}, list(catalogue.verdicts.values()))
    return Job({}, catalogue.artifacts_of(catalogue.shown[name]) if path in catalogue.files else [])


def _training(catalogue: Catalogue, model: str) -> Job:
    entry = catalogue.config["models"][model]
    if "known" in entry:
        return Job({})
    inputs = [f"data/datasets/{entry['dataset']}.nc"]
    if "import" in entry:
        return Job({}, inputs)
    if "start" in entry:
        inputs.append(f"{catalogue.data}/models/{entry['start']}.nc")
    visible = shape_of(catalogue.config, model)[0]
    examples = catalogue.config["datasets"][entry["dataset"]]["splits"]["train"]
    return Job(training_work(entry["train"], visible), inputs, training_most(entry["train"], visible, examples))


def _truth(catalogue: Catalogue, model: str) -> Job:
    source = truth_from(catalogue.config, model)
    if source == "long runs":
        runs = catalogue.config["truth"]["estimators"]
        return Job({}, [f"{catalogue.data}/truths/{model}.{name}.nc" for name in runs])
    sizes = shape_of(catalogue.config, model)
    work = {"enumeration": 2.0 ** min(sizes) * max(sizes)} if source == "enumeration" else {}
    return Job(work, _model_and_data(catalogue, model))


def _evidence(catalogue: Catalogue, model: str) -> Job:
    # Kernels take long to import, and every start of the workflow would wait for them.
    from logzoo.estimators.evidence import chain_sweeps_of

    chains = catalogue.config["evidence"]["chains"]
    return _sampling(catalogue, model, chain_sweeps_of(*shape_of(catalogue.config, model), chains=chains))


def _estimates(catalogue: Catalogue, model: str, *readers: str, long_run: bool = False) -> Job:
    settings = estimate_settings(catalogue.config, model, readers, long_run=long_run)
    # Estimators that read the same sampling run share its sweeps.
    runs = [[settings[name] for name in lot] for lot in by_run(catalogue.config, readers)]
    chain_sweeps = sum(
        max(sum(entry["budgets"]) * entry["replicates"] * entry["chains"] for entry in run) for run in runs
    )
    return _sampling(catalogue, model, chain_sweeps, f"{catalogue.data}/evidence/{model}.nc")


def _sampling(catalogue: Catalogue, model: str, chain_sweeps: float, *inputs: str) -> Job:
    visible, hidden = shape_of(catalogue.config, model)
    work = {"sampling": chain_sweeps * (visible * hidden + SWEEP)}
    return Job(work, [*_model_and_data(catalogue, model), *inputs])


def _model_and_data(catalogue: Catalogue, model: str) -> list[str]:
    dataset = catalogue.config["models"][model]["dataset"]
    return [f"{catalogue.data}/models/{model}.nc", f"data/datasets/{dataset}.nc"]


def core_hours(catalogue: Catalogue) -> dict[str, float]:
    """Expected core-hours {name: hours} of all jobs behind each figure or table with a claim that is tested."""
    return {
        name: sum(job.seconds for job in jobs_behind(catalogue, [path]).values()) / 3600
        for name, path in catalogue.verdicts.items()
    }


def expected_seconds(catalogue: Catalogue, path: str) -> float:
    """Expected core-seconds of the job that makes a file."""
    return _job(catalogue, _first_output(catalogue, path)).seconds if path.endswith(".nc") else START


def expected_total(
    catalogue: Catalogue, counts: Mapping[str, int], targets: Collection[str] = ()
) -> tuple[float, float]:
    """Expected core-seconds of a run and of its longest job, computed from the number of jobs of each rule.

    Each job is assumed to take the mean time of the jobs in its folder whose files are missing. If no file is missing,
    the mean is over all jobs in the folder. targets: words of the command line. If files or papers are among these
    words, the means cover only the jobs of these files and papers.
    """
    files = [path for word in targets if word in catalogue.config["papers"] for path in catalogue.files_of_paper(word)]
    files += [word for word in targets if word in catalogue.files or word.startswith("data/") and word.endswith(".nc")]
    jobs = jobs_behind(catalogue, files or [*catalogue.files, *catalogue.verdicts.values()])
    by_folder: dict[str, list[tuple[bool, float]]] = {}
    for path, job in jobs.items():
        by_folder.setdefault(_folder_of(catalogue, path), []).append((Path(path).is_file(), job.seconds))
    total, longest = 0.0, 0.0
    for rule, count in counts.items():
        folder = "estimates" if rule.startswith("estimate") else _FOLDERS.get(rule, "")
        known = by_folder.get(folder, [(False, START)])
        missing, present = ([time for exists, time in known if exists is state] for state in (False, True))
        mean = fmean(missing or present)
        total, longest = total + count * mean, max(longest, mean, *missing)
    return total, longest


def _folder_of(catalogue: Catalogue, path: str) -> str:
    return "experiments" if path in catalogue.experiments else path.removeprefix(f"{catalogue.data}/").partition("/")[0]


def measured_slowness() -> float:
    """CPU time of a probe on this machine, divided by its CPU time on the processor of `SECONDS`."""
    from logzoo import RBM, sample_gibbs

    visible, hidden = _PROBE_SHAPE
    rbm = RBM(np.random.default_rng(0).normal(0.0, 0.05, _PROBE_SHAPE), np.zeros(visible), np.zeros(hidden))
    sample_gibbs(rbm, _PROBE_CHAINS, 1)  # compiles kernels that are not in the cache
    taken, end = [], time.monotonic() + _PROBE_SECONDS
    while not taken or time.monotonic() < end:
        start = time.process_time()
        sample_gibbs(rbm, _PROBE_CHAINS, _PROBE_SWEEPS)
        taken.append(time.process_time() - start)
    visits = _PROBE_CHAINS * _PROBE_SWEEPS * (visible * hidden + SWEEP)
    return min(taken) / (visits * SECONDS["sampling"])


def table_of_costs(catalogue: Catalogue, slowness: float = 1.0) -> str:
    """Lines with the jobs, core-hours and longest job of each figure or table, and of all of them together.

    The column `at most` bounds the hours for any data, even if all tours run up to their cap. slowness: factor of the
    machine, from `measured_slowness`.
    """
    files = {name: [catalogue.files_of(shown)[0]] for name, shown in catalogue.shown.items()}
    for name, path in catalogue.verdicts.items():
        files[name].append(path)
    files["everything"] = [path for some in list(files.values()) for path in some]
    rows = []
    for name, paths in files.items():
        paper = catalogue.shown[name].paper if name in catalogue.shown else ""
        jobs = jobs_behind(catalogue, paths).values()
        seconds, most = ([getattr(job, kind) for job in jobs] for kind in ("seconds", "most_seconds"))
        longest = max(seconds, default=0.0)
        hours = (f"{time * slowness / 3600:,.2f}" for time in (sum(seconds), longest, sum(most)))
        rows.append((name, paper, f"{len(jobs):,}", *hours))
    return columns(("", "paper", "jobs", "core-hours", "longest job [h]", "at most"), rows)
