"""What a run will cost: the work of its jobs, counted from their settings, times the seconds that work takes.

Work is counted in visits: weights looked at, V H and a little more in a sweep of a chain of a V x H RBM.
"""

from collections.abc import Iterable
from pathlib import PurePosixPath

from logzoo.papers.declaration import SWEEP, named_paths, shape_of, training_work
from logzoo.pipeline.catalogue import Catalogue
from logzoo.pipeline.models import estimate_settings, truth_from
from logzoo.reporting.printing import columns

# Core-seconds of a visit, by kind of work, as measured on two cores of an AMD EPYC; of "solving" and "resampling" of a
# draw at a rung, of "Hamiltonian" of a draw.
SECONDS = {
    "sampling": 6e-11,
    "training": 1.6e-10,
    "enumeration": 8e-10,
    "tours": 2e-9,
    "solving": 4e-6,
    "resampling": 1e-8,
    "Hamiltonian": 3e-5,
}
# Of work that nobody has measured: that of the dearest sweeps.
UNKNOWN = 2e-10
# Of every job: Python starts, artifacts are read and written, pictures are drawn.
START = 2.0

Work = dict[str, float]


def seconds_of(work: Work) -> float:
    """Core-seconds of a job."""
    return START + sum(SECONDS.get(kind, UNKNOWN) * visits for kind, visits in work.items())


def jobs_behind(catalogue: Catalogue, files: Iterable[str]) -> dict[str, Work]:
    """The work of every artifact that some artifacts are made from, and of these, by path."""
    jobs: dict[str, Work] = {}
    waiting = list(files)
    while waiting:
        path = waiting.pop()
        if path not in jobs:
            jobs[path], inputs = _job(catalogue, path)
            waiting += inputs
    return jobs


def _job(catalogue: Catalogue, path: str) -> tuple[Work, list[str]]:
    """The work behind an artifact, and what it is made from."""
    if path in catalogue.experiments:
        experiment = catalogue.experiments[path]
        return experiment.work, list(named_paths(experiment.inputs).values())
    group, folder, file = PurePosixPath(path).parts[-3:]
    name, _, estimator = file.removesuffix(".nc").partition(".")
    if folder == "models":
        return _training(catalogue, name)
    if folder == "truths":
        return _estimates(catalogue, name, estimator, long_run=True) if estimator else _truth(catalogue, name)
    if group == "estimates":
        return _estimates(catalogue, folder, name, long_run=False)
    return {}, []


def _training(catalogue: Catalogue, model: str) -> tuple[Work, list[str]]:
    entry = catalogue.config["models"][model]
    if "known" in entry:
        return {}, []
    inputs = [f"data/datasets/{entry['dataset']}.nc"]
    if "import" in entry:
        return {}, inputs
    if "start" in entry:
        inputs.append(f"{catalogue.data}/models/{entry['start']}.nc")
    return training_work(entry["train"], shape_of(catalogue.config, model)[0]), inputs


def _truth(catalogue: Catalogue, model: str) -> tuple[Work, list[str]]:
    source = truth_from(catalogue.config, model)
    if source == "known":
        return {}, _given(catalogue, model)
    if source == "long runs":
        return {}, [f"{catalogue.data}/truths/{model}.{name}.nc" for name in catalogue.config["truth"]["estimators"]]
    sizes = shape_of(catalogue.config, model)
    return {"enumeration": 2.0 ** min(sizes) * max(sizes)}, _given(catalogue, model)


def _estimates(catalogue: Catalogue, model: str, estimator: str, *, long_run: bool) -> tuple[Work, list[str]]:
    settings = estimate_settings(catalogue.config, model, [estimator], long_run=long_run)[estimator]
    chain_sweeps = sum(settings["budgets"]) * settings["replicates"] * settings["chains"]
    visible, hidden = shape_of(catalogue.config, model)
    return {"sampling": chain_sweeps * (visible * hidden + SWEEP)}, _given(catalogue, model)


def _given(catalogue: Catalogue, model: str) -> list[str]:
    dataset = catalogue.config["models"][model]["dataset"]
    return [f"{catalogue.data}/models/{model}.nc", f"data/datasets/{dataset}.nc"]


def table_of_costs(catalogue: Catalogue) -> str:
    """Lines with jobs, core-hours and longest job of every figure and table, each by itself, and of all together."""
    sources = {name: (shown.paper, [*named_paths(shown.inputs).values()]) for name, shown in catalogue.shown.items()}
    sources["everything"] = ("", [path for _, paths in list(sources.values()) for path in paths])
    rows = []
    for name, (paper, paths) in sources.items():
        taken = [seconds_of(work) for work in jobs_behind(catalogue, paths).values()] or [0.0]
        hours = f"{(sum(taken) + START) / 3600:,.2f}", f"{max(taken) / 3600:,.2f}"
        rows.append((name, paper, f"{len(taken):,}", *hours))
    return columns(("", "paper", "artifacts", "core-hours", "longest job [h]"), rows)
