"""The experiments of Hult et al. (2019) as figures declare them: gradients, comparisons of trainers, and seconds."""

from collections import Counter

from logzoo.checks import one_of
from replication.papers.declaration import training_work


def samplers_of(here):
    """Settings {sampler: settings} of the samplers of a figure, without their titles."""
    samplers = here.entry["samplers"].items()
    return {name: {key: value for key, value in entry.items() if key != "title"} for name, entry in samplers}


def comparison_of(here, name):
    """The entry of a comparison."""
    return here.config["comparisons"][here.known("comparisons", name)]


def trainers_of(here, name, trainers):
    """Entries {trainer: entry} of trainers of a comparison."""
    known = comparison_of(here, name)["trainers"]
    return {
        trainer: known[one_of(f"configuration: figures.{here.name}: trainers", trainer, known)] for trainer in trainers
    }


def _settings_of(comparison, entry):
    """Settings of a training by a trainer of a comparison, its method among them."""
    return {**comparison["train"], "method": entry["method"], **entry["options"]}


def _chains(samplers, ladders):
    """Chains of all samplers together, in one repeat."""
    return sum(len(settings["temperatures"]) * settings.get("ladders", ladders) for settings in samplers.values())


def gradients(here):
    """The experiment on how far the samplers of a figure are from the exact gradient."""
    model, samplers = here.entry["model"], samplers_of(here)
    sizes = here.chosen("states", "ladders", "steps", "repeats", "points")
    sweeps = len(sizes["states"]) * sizes["repeats"] * sizes["steps"] * _chains(samplers, sizes["ladders"])
    return here.experiment(
        "replication.papers.infinite_swapping.ins_runs:gradients",
        {"model": here.model(model), "snapshots": here.snapshots(model)},
        {**sizes, "samplers": samplers},
        stream=("gradients", here.name),
        work={"sampling": here.visits(model, sweeps)},
    )


def compared(here, name, trainers):
    """The experiments {trainer: experiment} of a comparison: repeats of a training by each of these trainers."""
    comparison, experiments = comparison_of(here, name), {}
    sizes = {key: comparison[key] for key in ("repeats", "points", "subset", "paired") if key in comparison}
    for trainer, entry in trainers_of(here, name, trainers).items():
        train = _settings_of(comparison, entry)
        experiments[trainer] = here.experiment(
            "replication.papers.infinite_swapping.ins_runs:trainings",
            {"dataset": here.dataset(comparison["dataset"])},
            {"trainer": trainer, "train": train, **sizes},
            f"comparisons/{name}.{trainer}",
            stream=("comparisons", name),
            methods=(train["method"],),
            checkpoints=True,
            work=_work(here, comparison, train, sizes["repeats"] * train["updates"]),
        )
    return experiments


def _work(here, comparison, train, updates):
    """Work of so many updates by one trainer of a comparison."""
    return training_work({**train, "updates": updates}, here.config["datasets"][comparison["dataset"]]["visible"])


def timings(here):
    """The experiment that takes the seconds of all samplers and trainers that are compared over seconds."""
    equal, many = here.of("ins-equal"), here.of("ins-many")
    gradient = here.of(equal.entry["gradients"])
    comparison = comparison_of(equal, equal.entry["comparison"])
    entries = trainers_of(equal, equal.entry["comparison"], equal.entry["shown"])
    trainings = {name: _settings_of(comparison, entry) for name, entry in entries.items()}
    samplers = {**samplers_of(gradient), **samplers_of(many)}
    ladders, steps = gradient.entry["ladders"], equal.entry["steps"]
    # Samplers take so many steps three times over, trainers four times as many updates.
    works = [_work(here, comparison, train, 12 * steps) for train in trainings.values()]
    sampling = here.visits(gradient.entry["model"], 3 * steps * _chains(samplers, ladders))
    return equal.experiment(
        "replication.papers.timing:infinite_swapping",
        {"model": here.model(gradient.entry["model"]), "dataset": here.dataset(comparison["dataset"])},
        {"samplers": samplers, "trainings": trainings, "ladders": ladders, "steps": steps},
        f"timings/{equal.name}",
        stream=("time-of-swapping",),
        methods=tuple(train["method"] for train in trainings.values()),
        timed=True,
        work=dict(sum(map(Counter, works), start=Counter(sampling=sampling))),
    )
