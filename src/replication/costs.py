"""What a run will cost: the work of its jobs, counted from their settings, times the seconds that work takes.

Work is counted in visits: weights looked at, V H and a little more in a sweep of a chain of a V x H RBM.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import PurePosixPath
from typing import NamedTuple

from logzoo.printing import columns
from replication.catalogue import Catalogue
from replication.models import by_run, estimate_settings, truth_from
from replication.papers.declaration import SWEEP, named_paths, shape_of, training_most, training_work
from replication.papers.zoo.families import matrix_places

# Core-seconds of a visit, by kind of work, as measured on two cores of an AMD EPYC; of "solving" and "resampling" of a
# draw at a rung, of "Hamiltonian" of a draw.
SECONDS = {
    "sampling": 2.5e-11,
    "training": 5e-11,
    "enumeration": 2e-10,
    "tours": 8e-9,
    "solving": 1.5e-6,
    "resampling": 1e-8,
    "Hamiltonian": 1e-5,
}
# Of work that nobody has measured: that of the most expensive sweeps.
UNKNOWN = 2e-10
# Of every job: Python starts, artifacts are read and written, pictures are drawn.
START = 1.0

Work = dict[str, float]


class Job(NamedTuple):
    """The work of a job, its inputs, and the most work that any data can cause (empty: as much as `work`)."""

    work: Work
    inputs: list[str] = []
    most: Work = {}

    @property
    def ceiling(self) -> Work:
        """The most work that any data can cause."""
        return self.most or self.work

    @property
    def seconds(self) -> float:
        """Expected core-seconds."""
        return seconds_of(self.work)

    @property
    def most_seconds(self) -> float:
        """Upper bound of the core-seconds; the bounds of all jobs add up to that of a run."""
        return max(seconds_of(self.ceiling), seconds_of(self.work))


def seconds_of(work: Work) -> float:
    """Core-seconds of a job."""
    return START + sum(SECONDS.get(kind, UNKNOWN) * visits for kind, visits in work.items())


def jobs_behind(catalogue: Catalogue, files: Iterable[str]) -> dict[str, Job]:
    """The jobs of every artifact that some artifacts are made from, and of these, by path."""
    jobs: dict[str, Job] = {}
    waiting = list(files)
    while waiting:
        path = _first_output(catalogue, waiting.pop())
        if path not in jobs:
            jobs[path] = _job(catalogue, path)
            waiting += jobs[path].inputs
    return jobs


# Figures share most of their jobs: each is looked at once.
@cache
def _first_output(catalogue: Catalogue, path: str) -> str:
    """The artifact that work is counted by.

    A training writes its trace and snapshots beside the model, and estimators of the matrix read the same run.
    """
    file = PurePosixPath(path)
    if file.parent.name == "models":
        return str(file.with_name(f"{file.name.partition('.')[0]}.nc"))
    if file.parent.parent.name == "estimates":
        return str(file.with_name(f"{_readers(catalogue, file.parent.name, file.stem)[0]}.nc"))
    return path


def _readers(catalogue: Catalogue, model: str, estimator: str) -> list[str]:
    """Estimators that read the same run on a model in one job."""
    config = catalogue.config
    in_matrix = model in matrix_places(config) and estimator in config["matrix"]["estimators"]
    lots = by_run(config, config["matrix"]["estimators"]) if in_matrix else []
    return next((lot for lot in lots if estimator in lot), [estimator])


@cache
def _job(catalogue: Catalogue, path: str) -> Job:
    """The job that makes an artifact."""
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
    return Job({})


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

    return _sampling(catalogue, model, chain_sweeps_of(*shape_of(catalogue.config, model)))


def _estimates(catalogue: Catalogue, model: str, *readers: str, long_run: bool = False) -> Job:
    settings = estimate_settings(catalogue.config, model, readers, long_run=long_run).values()
    # One run for all of them.
    chain_sweeps = max(sum(entry["budgets"]) * entry["replicates"] * entry["chains"] for entry in settings)
    return _sampling(catalogue, model, chain_sweeps, f"{catalogue.data}/evidence/{model}.nc")


def _sampling(catalogue: Catalogue, model: str, chain_sweeps: float, *inputs: str) -> Job:
    visible, hidden = shape_of(catalogue.config, model)
    work = {"sampling": chain_sweeps * (visible * hidden + SWEEP)}
    return Job(work, [*_model_and_data(catalogue, model), *inputs])


def _model_and_data(catalogue: Catalogue, model: str) -> list[str]:
    dataset = catalogue.config["models"][model]["dataset"]
    return [f"{catalogue.data}/models/{model}.nc", f"data/datasets/{dataset}.nc"]


def core_hours(catalogue: Catalogue) -> dict[str, float]:
    """Core-hours of all that each figure or table with claims is made from, by its name."""
    hours = {}
    for name in catalogue.verdicts:
        jobs = jobs_behind(catalogue, named_paths(catalogue.shown[name].inputs).values()).values()
        hours[name] = sum(job.seconds for job in jobs) / 3600
    return hours


def table_of_costs(catalogue: Catalogue) -> str:
    """Lines with jobs, core-hours and longest job of every figure and table, each by itself, and of all together.

    At most: hours that no data can make it go beyond, where tours take as many sweeps as they may.
    """
    sources = {name: (shown.paper, [*named_paths(shown.inputs).values()]) for name, shown in catalogue.shown.items()}
    sources["everything"] = ("", [path for _, paths in list(sources.values()) for path in paths])
    rows = []
    for name, (paper, paths) in sources.items():
        jobs = jobs_behind(catalogue, paths).values()
        taken, most = sum(job.seconds for job in jobs), sum(job.most_seconds for job in jobs)
        longest = max((seconds_of(job.work) for job in jobs), default=0.0)
        hours = (f"{seconds / 3600:,.2f}" for seconds in (taken + START, longest, most + START))
        rows.append((name, paper, f"{max(len(jobs), 1):,}", *hours))
    return columns(("", "paper", "artifacts", "core-hours", "longest job [h]", "at most"), rows)
