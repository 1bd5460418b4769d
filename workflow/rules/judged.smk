# What the claims of each figure are judged by; no rules here.


def claims_of(figure):
    """The claims that a figure shows and that are tested, by id."""
    entries = config["claims"].items()
    return {name: entry for name, entry in entries if entry["figure"] == figure and "not_tested" not in entry}


def artifacts_of(wildcards):
    """The artifacts that the claims of a figure are judged by, as the figure's function in logzoo.claims names them."""
    return ARTIFACTS[wildcards.figure]()


def estimates_on(model, **names):
    return {key: f"{DATA}/estimates/{model}/{name}.nc" for key, name in names.items()}


def f3_artifacts():
    entry = config["figures"]["rts-f3"]
    model = entry["judged"]
    names = {name: name for name in entry["estimators"]}
    return {"truth": f"{DATA}/truths/{model}.nc", **estimates_on(model, **names)}


def f7_artifacts():
    model = model_of("rts-f7")
    return {"truth": f"{DATA}/truths/{model}.nc", **estimates_on(model, matched="rts", uniform="rts-uniform")}


def f8_artifacts():
    small, large = config["figures"]["rts-f8"]["models"]
    return {
        "small": f"{DATA}/figures/rts-f8.{small}.nc",
        "large": f"{DATA}/figures/rts-f8.{large}.nc",
        "small_truth": f"{DATA}/truths/{small}.nc",
        "large_truth": f"{DATA}/truths/{large}.nc",
    }


def tracked_artifacts(figure):
    model = model_of(figure)
    return {"trace": f"{DATA}/models/{model}.trace.nc", "check": f"{DATA}/checks/{model}.ais.nc"}


def best_artifacts(table):
    """The best model of each data set of a table's grid."""
    grid = config["tables"][table]["grid"]
    datasets = config["grids"][grid]["datasets"]
    return {dataset.partition("-")[0]: f"{DATA}/best/{grid}.{dataset}.nc" for dataset in datasets}


def compared_artifacts(figure):
    """The comparisons that a figure shows, by trainer; by data and trainer if they are two."""
    trainers, comparisons = config["figures"][figure]["trainers"], config["figures"][figure]["comparisons"]
    prefixes = [""] if len(comparisons) == 1 else ["mnist_", "toy_"]
    return {
        f"{prefix}{trainer}": f"{DATA}/comparisons/{comparison}.{trainer}.nc"
        for prefix, comparison in zip(prefixes, comparisons, strict=True)
        for trainer in trainers
    }


def tours_artifact(figure):
    return {"tours": f"{DATA}/tours/{model_of(figure)}.nc"}


ARTIFACTS = {
    "lv-f2a": lambda: dict(zip(drawn_models("lv-f2a"), drawn_tours("lv-f2a"))),
    "lv-f2b": lambda: tours_artifact("lv-f2b"),
    "lv-f2c": lambda: tours_artifact("lv-f2c"),
    "lv-f3": lambda: tours_artifact("lv-f3"),
    "lv-f4": lambda: dict(zip(drawn_models("lv-f4"), drawn_tours("lv-f4"))),
    "lv-t1": lambda: training_files(config["tables"]["lv-t1"]["trainings"]),
    "lv-t2": lambda: training_files(config["tables"]["lv-t2"]["trainings"]),
    "ins-f2": lambda: {"gradients": f"{DATA}/figures/ins-f2.nc"},
    "ins-f3": lambda: compared_artifacts("ins-f3"),
    "ins-f4": lambda: {"gradients": f"{DATA}/figures/ins-f4.nc"},
    "ins-f5": lambda: compared_artifacts("ins-f5"),
    "ins-f6": lambda: compared_artifacts("ins-f6"),
    "rts-f5": lambda: tracked_artifacts("rts-f5"),
    "trk-f3": lambda: {model: f"{DATA}/checks/{model}.exact.nc" for model in tracked_runs()},
    "trk-f4a": lambda: tracked_artifacts("trk-f4a"),
    "trk-f4b": lambda: tracked_artifacts("trk-f4b"),
    "trk-t1": lambda: best_artifacts("trk-t1"),
    "trk-text": lambda: best_artifacts("trk-text"),
    "rts-f1": lambda: {"iterations": f"{DATA}/figures/rts-f1.nc"},
    "rts-f2": lambda: {"mixture": f"{DATA}/figures/rts-f2.nc"},
    "rts-f3": f3_artifacts,
    "rts-f4": lambda: {"rungs": f"{DATA}/figures/rts-f4.nc", "truth": f"{DATA}/truths/{model_of('rts-f4')}.nc"},
    "rts-f4-cost": lambda: {"timings": f"{DATA}/timings/rts-f4.nc"},
    "rts-f6": lambda: {"mixture": f"{DATA}/figures/rts-f6.nc"},
    "rts-f7": f7_artifacts,
    "rts-f8": f8_artifacts,
}


def judged_figures():
    """Figures and tables whose claims are judged."""
    return [name for name in [*config["figures"], *config["tables"]] if name in ARTIFACTS]


def places_of_claims():
    """Where the figure or table of each claim is, and what it is judged from; papers in their order."""
    drawn = {name: (entry["paper"], f"{figure_file(name)}.png") for name, entry in config["figures"].items()}
    drawn |= {name: (entry["paper"], f"{table_file(name)}.html") for name, entry in config["tables"].items()}
    named = list(dict.fromkeys(entry["figure"] for entry in config["claims"].values()))
    # A figure that is not drawn belongs to the paper that its name begins with.
    found = {name: drawn.get(name, (name.partition("-")[0], "")) for name in named}
    return {
        name: {"paper": paper, "picture": picture, "artifacts": ARTIFACTS[name]() if name in ARTIFACTS else {}}
        for one in config["papers"]
        for name, (paper, picture) in found.items()
        if paper == one
    }
