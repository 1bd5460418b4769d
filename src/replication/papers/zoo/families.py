"""The models on which all estimators run, their families, and the experiments on all these models."""

from itertools import product

from replication.papers.declaration import Here
from replication.types import Inputs

# {key in the entry of a model that was not trained here: label in place of a trainer}.
_UNTRAINED = {"import": "imported", "known": "known"}


def zoo_models(zoo: dict) -> dict[str, dict]:
    """Models {name: entry} of the zoo, named <data set>-<hidden>-<trainer>."""
    models = {}
    for name, data, hidden, trainer in _parts(zoo):
        entry = zoo["trainers"][trainer]
        models[name] = {
            "title": f"{data}, {hidden} hidden units, {entry['title']}",
            "short": f"{data}, {hidden} hidden, {entry['title']}",
            "dataset": zoo["datasets"][data],
            **{key: zoo[key] for key in ("budgets", "chains", "replicates", "truth_sweeps") if key in zoo},
            "train": {**{key: value for key, value in entry.items() if key != "title"}, "hidden": hidden},
        }
    return models


def _parts(zoo):
    """Yield name, data set, hidden units and trainer of every model of the zoo."""
    for data, hidden, trainer in product(zoo["datasets"], zoo["hidden"], zoo["trainers"]):
        yield f"{data}-{hidden}-{trainer}", data, hidden, trainer


def matrix_places(config: dict) -> dict[str, dict]:
    """Family, data set and trainer of every model on which all estimators run, by model, the zoo last.

    The family of a model outside the zoo is the `family` of its entry, by default the name of the model.
    """
    places = {}
    for model in config["matrix"]["models"]:
        entry = config["models"][model]
        origins = [name for key, name in _UNTRAINED.items() if key in entry]
        trainer = origins[0] if origins else entry["train"]["method"]
        places[model] = {"family": entry.get("family", model), "dataset": entry["dataset"], "trainer": trainer}
    for name, data, hidden, trainer in _parts(config["zoo"]):
        dataset = config["zoo"]["datasets"][data]
        places[name] = {"family": f"{data}-{hidden}", "dataset": dataset, "trainer": trainer}
    return places


def arenas_of(config: dict) -> list[str]:
    """Families of the models outside the zoo whose log Z is known, or whose entry names a family."""
    models = config["models"]
    chosen = [name for name in config["matrix"]["models"] if {"known", "family"} & models[name].keys()]
    return list(dict.fromkeys(models[name].get("family", name) for name in chosen))


def combined(here: Here) -> Inputs:
    """Input `zoo`: all estimates of all models."""
    places, estimators = matrix_places(here.config), here.config["matrix"]["estimators"]
    inputs = {
        "estimates": {model: here.estimates(model, estimators) for model in places},
        "truths": {model: here.truth(model) for model in places},
        "models": {model: here.model(model) for model in places},
    }
    return {
        "zoo": here.experiment(
            "replication.papers.zoo.zoo_experiments:combined_estimates", inputs, {"places": places}, "zoo", kind="zoo"
        )
    }


def combined_and_timed(here: Here) -> Inputs:
    """Inputs `zoo`, as in `combined`, and `timings` {family: timings of all estimators on one model}."""
    config, seconds, timings = here.config, here.of("zoo-seconds"), {}
    for model, labels in matrix_places(config).items():
        if labels["family"] not in timings:
            chains = here.chains_of(model)
            timings[labels["family"]] = seconds.timed_estimators(
                labels["family"], model, config["matrix"]["estimators"], chains
            )
    return {**combined(here), "timings": timings}
