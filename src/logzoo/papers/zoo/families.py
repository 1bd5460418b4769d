"""The models that all estimators run on, the families that they make up, and the experiments on all of them."""

from itertools import product


def zoo_models(zoo):
    """Models {name: entry} of the zoo, named <data set>-<hidden>-<trainer>."""
    models = {}
    for name, data, hidden, trainer in _parts(zoo):
        entry = zoo["trainers"][trainer]
        models[name] = {
            "title": f"{data}, {hidden} hidden units, {entry['title']}",
            "short": f"{data}, {hidden} hidden, {entry['title']}",
            "dataset": zoo["datasets"][data],
            "budgets": zoo["budgets"],
            "chains": zoo["chains"],
            "train": {**{key: value for key, value in entry.items() if key != "title"}, "hidden": hidden},
        }
    return models


def zoo_places(zoo):
    """{model: family, data set and trainer} of the models of the zoo; a family is a data set and a number of units."""
    return {
        name: {"family": f"{data}-{hidden}", "dataset": zoo["datasets"][data], "trainer": trainer}
        for name, data, hidden, trainer in _parts(zoo)
    }


def _parts(zoo):
    """Yield name, data set, hidden units and trainer of every model of the zoo."""
    for data, hidden, trainer in product(zoo["datasets"], zoo["hidden"], zoo["trainers"]):
        yield f"{data}-{hidden}-{trainer}", data, hidden, trainer


def matrix_places(config):
    """{model: family, data set and trainer} of all models that all estimators run on, the zoo last.

    A model that is not of the zoo is a family of its own.
    """
    own = {model: _own_place(model, config["models"][model]) for model in config["matrix"]["models"]}
    return {**own, **zoo_places(config["zoo"])}


def matrix_models(config):
    """Names of all models that all estimators run on, the zoo last."""
    return list(matrix_places(config))


def _own_place(model, entry):
    trainer = "imported" if "import" in entry else entry["train"]["method"]
    return {"family": model, "dataset": entry["dataset"], "trainer": trainer}


def combined(here):
    """The artifact of all estimates of all models."""
    places, estimators = matrix_places(here.config), here.config["matrix"]["estimators"]
    inputs = {
        "estimates": {model: here.estimates(model, estimators) for model in places},
        "truths": {model: here.truth(model) for model in places},
        "models": {model: here.model(model) for model in places},
    }
    return here.experiment("logzoo.papers.zoo.combined:run", inputs, {"places": places}, "zoo", kind="zoo")


def timings(here):
    """The experiments {family: experiment} that take the seconds of all estimators on its first model."""
    first = {}
    for model, labels in matrix_places(here.config).items():
        first.setdefault(labels["family"], model)
    estimators, models = here.config["matrix"]["estimators"], here.config["models"]
    seconds = here.of("zoo-seconds")
    return {
        family: seconds.timed_estimators(family, model, estimators, models[model].get("chains", here.chains))
        for family, model in first.items()
    }
