# The families of the zoo, and what its rules are made from; no rules here.

ZOO_FIGURES = {
    "zoo-rmse": "logzoo.figures.zoo",
    "zoo-sweeps": "logzoo.figures.zoo_lines",
    "zoo-seconds": "logzoo.figures.zoo_lines",
    "zoo-ranks": "logzoo.figures.zoo_ranks",
    "zoo-bias": "logzoo.figures.zoo_errors",
    "zoo-coverage": "logzoo.figures.zoo_errors",
    "zoo-trainers": "logzoo.figures.zoo_trainers",
}


def place_of(model):
    """What a model is selected by in zoo.nc; one that is not of the zoo is a family of its own."""
    entry = config["models"][model]
    trainer = "imported" if "import" in entry else entry["train"]["method"]
    own = {"family": model, "dataset": entry["dataset"], "trainer": trainer}
    return zoo_places(config["zoo"]).get(model, own)


MATRIX_PLACES = {model: place_of(model) for model in MATRIX_MODELS}
FAMILIES = list(dict.fromkeys(place["family"] for place in MATRIX_PLACES.values()))


def first_in_family(wildcards):
    return next(model for model, place in MATRIX_PLACES.items() if place["family"] == wildcards.family)


def timed_in_family(wildcards):
    model = first_in_family(wildcards)
    return {"model": f"{DATA}/models/{model}.nc", "dataset": dataset_file(model)}


def family_timing_settings(wildcards):
    chains = config["models"][first_in_family(wildcards)].get("chains", MATRIX["chains"])
    return {**figure_settings("zoo-seconds", "budgets"), "chains": chains}


def family_timings():
    return expand(f"{DATA}/timings/zoo.{{family}}.nc", family=FAMILIES)


def zoo_figure_inputs(name):
    timings = {"timings": family_timings()} if name == "zoo-seconds" else {}
    return {"zoo": f"{DATA}/zoo.nc", **timings}
