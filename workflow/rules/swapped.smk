# What the rules of swapped temperatures are made from; no rules here.


def comparison_settings(wildcards):
    """What the repeats of one trainer in a comparison depend on, beside the data."""
    entry = config["comparisons"][wildcards.comparison]
    trainer = entry["trainers"][wildcards.trainer]
    train = {**entry["train"], "method": trainer["method"], **trainer["options"]}
    return {"train": train, **{key: entry[key] for key in ("repeats", "points", "subset")}, "seed": config["seed"]}


def compared(figure):
    """The comparison that a figure shows, where it is one."""
    return config["comparisons"][config["figures"][figure]["comparison"]]


def _comparisons_of(figure):
    entry = config["figures"][figure]
    return entry.get("comparisons") or [entry["comparison"]]


def _trainers_of(figure):
    entry = config["figures"][figure]
    return entry.get("trainers") or entry["shown"]


def comparison_files(figure):
    names = {"comparison": _comparisons_of(figure), "trainer": _trainers_of(figure)}
    return expand(f"{DATA}/comparisons/{{comparison}}.{{trainer}}.nc", **names)


def comparison_titles(figure):
    return {name: config["comparisons"][name]["title"] for name in _comparisons_of(figure)}


def trainer_names(figure):
    """Titles of the trainers that a figure shows."""
    trainers = config["comparisons"][_comparisons_of(figure)[0]]["trainers"]
    return {name: trainers[name]["title"] for name in _trainers_of(figure)}


def sampler_names(figure):
    return {name: entry["title"] for name, entry in config["figures"][figure]["samplers"].items()}


def associated_names():
    entry = config["figures"]["ins-association"]
    return {name: sampler_names(entry["gradients"])[name] for name in entry["samplers"]}


def _samplers_of(figure):
    """Settings of the samplers of a figure, without their titles."""
    samplers = config["figures"][figure]["samplers"].items()
    return {name: {key: value for key, value in entry.items() if key != "title"} for name, entry in samplers}


def gradients_settings(figure):
    """What the distances of gradients depend on, beside the states."""
    entry = config["figures"][figure]
    sizes = {key: entry[key] for key in ("states", "ladders", "steps", "repeats", "points")}
    return {**sizes, "samplers": _samplers_of(figure), "seed": config["seed"]}


def swapping_timings():
    """What is timed for the figures over seconds: samplers of two of them, trainers of one comparison."""
    figure, entry = config["figures"]["ins-equal"], compared("ins-equal")
    trainers = {name: entry["trainers"][name] for name in figure["shown"]}
    return {
        "samplers": {**_samplers_of(figure["gradients"]), **_samplers_of("ins-many")},
        "trainings": {
            name: {**entry["train"], "method": one["method"], **one["options"]} for name, one in trainers.items()
        },
        "ladders": config["figures"][figure["gradients"]]["ladders"],
        "steps": figure["steps"],
        "seed": config["seed"],
    }
