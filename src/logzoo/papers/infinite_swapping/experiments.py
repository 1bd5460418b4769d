"""The experiments of Hult et al. (2019) as figures declare them: gradients, comparisons of trainers, and seconds."""

_FOLDER = "logzoo.papers.infinite_swapping"


def samplers_of(here):
    """Settings {sampler: settings} of the samplers of a figure, without their titles."""
    samplers = here.entry["samplers"].items()
    return {name: {key: value for key, value in entry.items() if key != "title"} for name, entry in samplers}


def sampler_titles(here):
    """Titles {sampler: title} of the samplers of a figure."""
    return {name: entry["title"] for name, entry in here.entry["samplers"].items()}


def trainer_titles(here, comparison, trainers):
    """Titles {trainer: title} of trainers of a comparison."""
    return {name: here.config["comparisons"][comparison]["trainers"][name]["title"] for name in trainers}


def _chains(samplers, ladders):
    """Chains of all samplers together, in one repeat."""
    return sum(len(settings["temperatures"]) * settings.get("ladders", ladders) for settings in samplers.values())


def gradients(here):
    """The experiment on how far the samplers of a figure are from the exact gradient."""
    model, samplers = here.entry["model"], samplers_of(here)
    sizes = here.chosen("states", "ladders", "steps", "repeats", "points")
    visible, hidden = here.shape(model)
    sweeps = len(sizes["states"]) * sizes["repeats"] * sizes["steps"] * _chains(samplers, sizes["ladders"])
    return here.experiment(
        f"{_FOLDER}.gradients:run",
        {"model": here.model(model), "snapshots": here.snapshots(model)},
        {**sizes, "samplers": samplers},
        stream=("gradients", here.name),
        work={"sampling": sweeps * visible * hidden},
    )


def _training_settings(comparison, trainer):
    """Settings of one trainer in a comparison, its method among them."""
    entry = comparison["trainers"][trainer]
    return {**comparison["train"], "method": entry["method"], **entry["options"]}


def compared(here, name, trainers):
    """The experiments {trainer: experiment} of a comparison: repeats of a training by each of these trainers."""
    return {trainer: _repeated(here, name, trainer) for trainer in trainers}


def _repeated(here, name, trainer):
    comparison = here.config["comparisons"][name]
    train = _training_settings(comparison, trainer)
    repeats = comparison["repeats"]
    return here.experiment(
        f"{_FOLDER}.comparisons:run",
        {"dataset": here.dataset(comparison["dataset"])},
        {"trainer": trainer, "train": train, **{key: comparison[key] for key in ("repeats", "points", "subset")}},
        f"comparisons/{name}.{trainer}",
        stream=("comparisons", name),
        methods=(train["method"],),
        checkpoints=True,
        work=_training_work(train, _visible(here, comparison), repeats * train["updates"]),
    )


def _visible(here, comparison):
    return here.config["datasets"][comparison["dataset"]]["visible"]


def _training_work(train, visible, updates):
    """Work of so many updates by one trainer."""
    hidden = train["hidden"]
    if train["method"] == "exact":
        return {"enumeration": updates * 2.0 ** min(visible, hidden) * max(visible, hidden)}
    chains = train.get("particles", train["batch"]) * len(train.get("temperatures", [1]))
    return {"training": updates * (train["batch"] + chains) * visible * hidden}


def timings(here):
    """The experiment that takes the seconds of all samplers and trainers that are compared over seconds."""
    equal, many = here.of("ins-equal"), here.of("ins-many")
    gradient = here.of(equal.entry["gradients"])
    comparison = here.config["comparisons"][equal.entry["comparison"]]
    trainings = {name: _training_settings(comparison, name) for name in equal.entry["shown"]}
    samplers = {**samplers_of(gradient), **samplers_of(many)}
    ladders, steps = gradient.entry["ladders"], equal.entry["steps"]
    visible, hidden = here.shape(gradient.entry["model"])
    # Samplers take so many steps three times over, trainers four times as many updates.
    works = [_training_work(train, _visible(here, comparison), 12 * steps) for train in trainings.values()]
    return equal.experiment(
        "logzoo.papers.timing:infinite_swapping",
        {"model": here.model(gradient.entry["model"]), "dataset": here.dataset(comparison["dataset"])},
        {"samplers": samplers, "trainings": trainings, "ladders": ladders, "steps": steps},
        f"timings/{equal.name}",
        stream=("time-of-swapping",),
        methods=tuple(train["method"] for train in trainings.values()),
        timed=True,
        work={
            "sampling": 3 * steps * _chains(samplers, ladders) * visible * hidden,
            **{kind: sum(work.get(kind, 0) for work in works) for kind in ("training", "enumeration")},
        },
    )
