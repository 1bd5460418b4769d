"""The lengths of a model's tours, which several figures show: the experiment, and a statistic over its batches."""

from replication.reporting.statistics import ratio_of_sums

# What takes the place of the visible units on a tour: draws, or their means given h, as the authors' code has it.
VISIBLE = {"draws": False, "means": True}
# Tours longer than this are the tail of the lengths.
TAIL = 10


def lengths(here, model):
    """Lengths of tours of a model, at the sizes of lv-f2a; to stopping sets of several sizes if lv-f2b shows it."""
    tails, sets, images = (here.of(name).entry for name in ("lv-f2a", "lv-f2b", "lv-f3"))
    settings = {
        **{key: tails[key] for key in ("batches", "batch", "cap")},
        "rounds": sets["rounds"] if model == sets["model"] else [1],
        "visible": ["draws", "means"] if model in tails["means"] else ["draws"],
        "shown": images["shown"],
    }
    tours = settings["batches"] * settings["batch"] * len(settings["rounds"]) * len(settings["visible"])
    draws = (max(settings["rounds"]) + 1) * len(settings["rounds"]) * here.examples(model)
    return here.experiment(
        "replication.papers.las_vegas.tours:lengths",
        here.model_and_data(model),
        settings,
        f"tours/{model}",
        stream=("tour-lengths", model),
        work={"tours": here.visits(model, tours)},
        most={"sampling": here.visits(model, tours * settings["cap"] + draws)},
    )


def difference(total, count, other_total, other_count):
    """Ratio of sums over batches less that of other sums."""
    return ratio_of_sums(total, count) - ratio_of_sums(other_total, other_count)
