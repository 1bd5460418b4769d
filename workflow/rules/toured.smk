# What the rules of tours, and of trainings by them, are made from; no rules here.


def toured_models():
    """Models whose tours are run: those of a figure of many, and of figures of one."""
    figures = config["figures"]
    return list(dict.fromkeys([*figures["lv-f2a"]["models"], *map(model_of, ("lv-f2b", "lv-f2c", "lv-f3"))]))


def tour_settings(wildcards):
    """What the tours of one model depend on, beside the model and its data."""
    figures, model = config["figures"], wildcards.model
    return {
        **{key: figures["lv-f2a"][key] for key in ("batches", "batch", "cap")},
        "rounds": figures["lv-f2b"]["rounds"] if model == model_of("lv-f2b") else [1],
        "visible": ["draws", "means"] if model in figures["lv-f2a"]["means"] else ["draws"],
        "shown": figures["lv-f3"]["shown"],
        "seed": config["seed"],
    }


def drawn_models(figure):
    """The models that a figure of tours shows."""
    entry = config["figures"][figure]
    return entry.get("models") or [entry["model"]]


def drawn_estimators(figure):
    """Titles of the estimators that a figure of tours compares them with."""
    return {name: ESTIMATOR_NAMES[name] for name in config["figures"][figure].get("estimators", [])}


def drawn_tours(figure):
    """What a figure of tours is drawn from: a file for each of its models."""
    if figure == "lv-f1":
        return [f"{DATA}/figures/lv-f1.nc"]
    files = f"{DATA}/figures/lv-f4.{{model}}.nc" if figure == "lv-f4" else f"{DATA}/tours/{{model}}.nc"
    return expand(files, model=drawn_models(figure))


def chain_settings():
    entry = config["figures"]["lv-f1"]
    return {**{key: entry[key] for key in ("digits", "sweeps", "candidates")}, "seed": config["seed"]}


def tour_estimate_settings():
    """What log Z by tours, and by other estimators at the same cost, depends on, beside the model and its data."""
    entry = config["figures"]["lv-f4"]
    others = {name: config["estimators"][name] for name in entry["estimators"]}
    return {
        **figure_settings("lv-f4", "tours", "cap", "points", "replicates", "shares"),
        "others": {name: (one["method"], one["options"]) for name, one in others.items()},
    }


def training_entry(wildcards):
    return config["trainings"][wildcards.training]


def training_settings(wildcards):
    """What the runs of one trainer depend on, beside the data."""
    entry = training_entry(wildcards)
    trainer = entry["trainers"][wildcards.trainer]
    train = {key: value for key, value in entry["train"].items() if key not in ("learning_rate", "options")}
    return {
        "train": {**train, **entry["train"]["options"], **trainer["options"]},
        "method": trainer["method"],
        "rates": entry["train"]["learning_rate"],
        "runs": entry["runs"],
        "seed": config["seed"],
    }


def training_files(name):
    """Likelihoods of every trainer of a table."""
    return {trainer: f"{DATA}/trainings/{name}.{trainer}.nc" for trainer in config["trainings"][name]["trainers"]}


def table_trainers(wildcards):
    """Titles and published numbers of the trainers of a table of trainings; nothing for other tables."""
    name = config["tables"][wildcards.table].get("trainings")
    trainers = {} if name is None else config["trainings"][name]["trainers"]
    return {key: {"title": one["title"], "published": one["published"]} for key, one in trainers.items()}


def table_title(wildcards):
    """The title of a table, with the sizes of its trainings if it shows any."""
    entry = config["tables"][wildcards.table]
    if "trainings" not in entry:
        return entry["title"]
    trainings = config["trainings"][entry["trainings"]]
    train, runs = trainings["train"], trainings["runs"]
    values = {"grey": "grey levels", "binary": "binary data"}[train["values"]]
    return f"{entry['title']}: {values}, {train['hidden']} hidden units, {train['updates']:,} updates, {runs} runs"
