"""Checks of the log Z that was tracked while a model trained, as experiments."""

from replication.papers.expected import expect


def all_checked(here, key):
    """Checks by AIS of all models that a setting of a figure names, which are one or more, by their names."""
    models = here.entry[key]
    expect(here, key, models, "a model or more")
    return {model: checked(here, model, "ais") for model in models}


def checked(here, model, check):
    """The experiment that finds log Z at the snapshots of a training: `exact`, or by `ais`."""
    snapshots = here.config["models"][model]["train"]["options"]["snapshots"]
    settings = {}
    if check == "exact":
        visible, hidden = here.shape(model)
        work = {"enumeration": snapshots * 2 ** min(visible, hidden) * max(visible, hidden)}
    else:
        settings = here.config["checks"]["ais"]
        work = {"sampling": here.visits(model, snapshots * settings["sweeps"] * settings["chains"])}
    return here.experiment(
        "replication.papers.tracking.snapshots:run",
        {
            "snapshots": here.snapshots(model),
            "trace": here.trace(model),
            "dataset": here.dataset(here.config["models"][model]["dataset"]),
        },
        {**settings, "check": check},
        f"checks/{model}.{check}",
        stream=("checks", model, check),
        kind="check",
        work=work,
        methods=() if check == "exact" else ("ais",),
    )
