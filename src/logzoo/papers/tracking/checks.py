"""Checks of the log Z that was tracked while a model trained, and what tracking costs, as experiments."""

from logzoo.papers.declaration import TIMINGS, training_work
from logzoo.reporting.statistics import over_repeats, ratio_of_means


def checked(here, model, check):
    """The experiment that finds log Z at the snapshots of a training: `exact`, or by `ais`."""
    snapshots = here.config["models"][model]["train"]["options"]["snapshots"]
    settings = here.config["checks"]["ais"]
    if check == "exact":
        visible, hidden = here.shape(model)
        work = {"enumeration": snapshots * 2 ** min(visible, hidden) * max(visible, hidden)}
    else:
        work = {"sampling": here.visits(model, snapshots * settings["sweeps"] * settings["chains"])}
    return here.experiment(
        "logzoo.papers.tracking.snapshots:run",
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


def tracking_costs(here):
    """The experiment that takes the seconds of an update with each tracker and without, on the model of trk-f4a."""
    entry = here.of("trk-f4a").entry
    train, dataset = (here.config["models"][here.known("models", entry["model"])][key] for key in ("train", "dataset"))
    plain = {key: train[key] for key in ("hidden", "batch", "learning_rate")}
    plain |= {key: train["options"][key] for key in ("particles", "rungs")}
    updates = entry["timed_updates"]
    visible = here.config["datasets"][dataset]["visible"]
    one = {**plain, "method": "sml-pt", "updates": 4 * 3 * TIMINGS * updates}
    return here.experiment(
        "logzoo.papers.timing:trackers",
        {"dataset": here.dataset(dataset)},
        {"train": plain, "updates": updates},
        "timings/trackers",
        stream=("time-of-tracking",),
        methods=("sml-pt",),
        timed=True,
        work=training_work(one, visible),
    )


def tracking_cost(timings, tracker):
    """Statistic: seconds of an update of SML-PT with a tracker over one without."""
    seconds = [timings["seconds"].sel(tracker=name).values for name in (tracker, "none")]
    return over_repeats(ratio_of_means, *seconds, of="seconds of an update, tracked / not tracked", logarithmic=True)
