"""Declarations of the experiments of Hult et al. (2019): gradients, comparisons of trainers, and timings."""

from collections import Counter
from collections.abc import Iterable

from logzoo.checks import one_of
from replication.claim import Size
from replication.papers.declaration import Here
from replication.papers.experiment import TIMINGS, Experiment, training_work
from replication.types import Settings


def samplers_of(here: Here) -> dict[str, Settings]:
    """Settings {sampler: settings} of the samplers of a figure, without their titles."""
    samplers = here.entry["samplers"].items()
    return {name: {key: value for key, value in entry.items() if key != "title"} for name, entry in samplers}


def comparison_of(here: Here, name: str) -> Settings:
    """The entry of a comparison."""
    return here.config["comparisons"][here.known("comparisons", name)]


def trainers_of(here: Here, name: str, trainers: Iterable[str]) -> dict[str, Settings]:
    """Entries {trainer: entry} of trainers of a comparison."""
    known, where = comparison_of(here, name)["trainers"], f"configuration: figures.{here.name}: trainers"
    return {trainer: known[one_of(where, trainer, known)] for trainer in trainers}


def titles_of_trainers(here: Here, name: str, trainers: Iterable[str]) -> dict[str, str]:
    """Titles {trainer: title} of trainers of a comparison."""
    return {trainer: entry["title"] for trainer, entry in trainers_of(here, name, trainers).items()}


def _settings_of(comparison, entry):
    return {**comparison["train"], "method": entry["method"], **entry["options"]}


def _chains(samplers, ladders):
    """Total number of chains of all samplers in one repeat."""
    return sum(len(settings["temperatures"]) * settings.get("ladders", ladders) for settings in samplers.values())


def gradients(here: Here) -> Experiment:
    """The experiment on the distance between the exact gradient and the estimates of a figure's samplers."""
    model, samplers = here.entry["model"], samplers_of(here)
    names = here.trainings(model)
    sizes = here.chosen("states", "ladders", "steps", "repeats", "points")
    repeats = len(names) * len(sizes["states"]) * sizes["repeats"]
    sweeps = repeats * sizes["steps"] * _chains(samplers, sizes["ladders"])
    return here.experiment(
        "replication.papers.infinite_swapping.ins_runs:gradients",
        {
            "models": {name: here.model(name) for name in names},
            "snapshots": {name: here.snapshots(name) for name in names},
        },
        {**sizes, "samplers": samplers},
        stream=("gradients", here.name),
        work={"sampling": here.visits(model, sweeps)},
    )


def compared(
    here: Here, name: str, trainers: Iterable[str], initial_scale: float | None = None
) -> dict[str, Experiment]:
    """The experiments {trainer: experiment} of a comparison: repeats of a training by each of these trainers.

    initial_scale: standard deviation of the initial parameters, in place of the option `initial`.
    """
    comparison, experiments = comparison_of(here, name), {}
    sizes = {key: comparison[key] for key in ("repeats", "points", "subset", "paired") if key in comparison}
    ending = "" if initial_scale is None else f"-from-{initial_scale:g}".replace(".", "p")
    sizes |= {"initial_scale": initial_scale} if ending else {}
    for trainer, entry in trainers_of(here, name, trainers).items():
        train = _settings_of(comparison, entry)
        work = _work(here, comparison, train, sizes["repeats"] * train["updates"])
        evaluated = sizes["repeats"] * sizes["points"] * sizes["subset"]
        work["prediction"] = evaluated * here.config["datasets"][comparison["dataset"]]["label_units"] * train["hidden"]
        experiments[trainer] = here.experiment(
            "replication.papers.infinite_swapping.ins_runs:trainings",
            {"dataset": here.dataset(comparison["dataset"])},
            {"trainer": f"{trainer}{ending}", "train": train, **sizes},
            f"comparisons/{name}.{trainer}{ending}",
            stream=("comparisons", name),
            methods=(train["method"],),
            checkpoints=True,
            work=work,
        )
    return experiments


def _work(here, comparison, train, updates):
    """Work of `updates` updates by one trainer of a comparison."""
    return training_work({**train, "updates": updates}, here.config["datasets"][comparison["dataset"]]["visible"])


def timings(here: Here) -> Experiment:
    """The experiment that times the samplers of `ins-equal` and `ins-many`, and the trainers of `ins-equal`."""
    equal, many = here.of("ins-equal"), here.of("ins-many")
    gradient = here.of(equal.entry["gradients"])
    samplers = {**samplers_of(gradient), **samplers_of(many)}
    return _timed(equal, gradient, equal.entry["comparison"], equal.entry["shown"], samplers, f"timings/{equal.name}")


def timings_of_large(here: Here) -> Experiment:
    """The experiment that times an update of two trainers on the larger data."""
    gradient, name = here.of(here.entry["gradients"]), here.entry["larger"]
    return _timed(here, gradient, name, ["pt", "ins"], {}, f"timings/{here.name}-{name}")


def _timed(here, gradient, name, trainers, samplers, path):
    """The experiment that times samplers on the model of `gradient`, and trainers of the comparison `name`."""
    comparison, steps = comparison_of(here, name), here.entry["steps"]
    trainings = {key: _settings_of(comparison, entry) for key, entry in trainers_of(here, name, trainers).items()}
    ladders = gradient.entry["ladders"]
    # Each timing of a trainer has two trainings, of `steps` and of 3 * `steps` updates.
    works = [_work(here, comparison, train, 4 * TIMINGS * steps) for train in trainings.values()]
    sampling = here.visits(gradient.entry["model"], TIMINGS * steps * _chains(samplers, ladders))
    return here.experiment(
        "replication.papers.timing:infinite_swapping",
        {"model": here.model(gradient.entry["model"]), "dataset": here.dataset(comparison["dataset"])},
        {"samplers": samplers, "trainings": trainings, "ladders": ladders, "steps": steps},
        path,
        stream=("time-of-swapping",),
        methods=tuple(train["method"] for train in trainings.values()),
        timed=True,
        work=dict(sum(map(Counter, works), start=Counter(sampling=sampling))),
    )


# Sizes of the comparisons in the paper, sections 4.2 to 4.5: visible units including label units, hidden units, and
# training examples. For the largest data the paper counts 1,050 visible units, without the 128 label units.
_PUBLISHED = {
    "toy-4-4": (12, 4, 10_000),
    "toy-4-8": (20, 6, 10_000),
    "mnist": (794, 500, 55_000),
    "toy-large": (1178, 600, 128_000),
}


def size_of_comparison(here: Here, name: str) -> Size:
    """The Size behind statistics over the repeats of a comparison."""
    comparison, (visible, hidden, examples) = comparison_of(here, name), _PUBLISHED[name]
    train, dataset = comparison["train"], here.config["datasets"][comparison["dataset"]]
    settings: dict[str, tuple[float, float | None]] = {
        "visible units": (dataset["visible"], visible),
        "hidden units": (train["hidden"], hidden),
        "training examples": (dataset["splits"]["train"], examples),
        "updates": (train["updates"], 10_000),
        "batch": (train["batch"], 10),
    }
    return Size(settings, comparison["repeats"], comparison["repeats"])


def size_of_gradients(here: Here) -> Size:
    """The Size behind statistics over the trainings whose gradients are estimated."""
    model = here.entry["model"]
    visible, hidden = here.shape(model)
    published = {"toy-4-4-exact": "toy-4-4", "toy-4-8-exact": "toy-4-8"}[model]
    settings: dict[str, tuple[float, float | None]] = {
        "visible units": (visible, _PUBLISHED[published][0]),
        "hidden units": (hidden, _PUBLISHED[published][1]),
        "updates before": (here.train(model)["updates"], 10_000),
        "chains at a temperature": (here.entry["ladders"], 10),
        "steps": (here.entry["steps"], None),
        "runs of a training": (here.entry["repeats"], None),
    }
    trainings = len(here.trainings(model))
    return Size(settings, trainings, trainings)
