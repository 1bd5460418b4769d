"""Las Vegas figures 2a and 2b: tails of tour lengths, by hidden units and by the size of the stopping set."""

from itertools import cycle

import numpy as np

from replication.claim import Claim
from replication.papers.declaration import Declaration, Here
from replication.papers.expected import expect
from replication.reporting.statistics import mean, over_repeats, ratio_of_sums
from replication.reporting.style import finished, new_figure

# Visible units of a sweep: draws, or their means given h, as in the authors' code.
VISIBLE = ("draws", "means")
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
        "replication.papers.las_vegas.lv_tours:lengths",
        here.model_and_data(model),
        settings,
        f"tours/{model}",
        stream=("tour-lengths", model),
        work={"tours": here.visits(model, tours)},
        most={"sampling": here.visits(model, tours * settings["cap"] + draws)},
    )


# Light to dark as hidden units, or the stopping set, grow.
COLOURS = ("#E69F00", "#009E73", "#56B4E9", "#0072B2", "#CC79A7", "#332288")


def tail(lengths):
    """Lengths that occur, and the share of tours that are longer than each."""
    values, counts = np.unique(lengths, return_counts=True)
    return values, 1.0 - np.cumsum(counts) / lengths.size


def draw_tail(axis, lengths, **look):
    """A line of the tail of lengths."""
    values, longer = tail(lengths)
    # A logarithmic axis has no 0.
    seen = np.where(longer > 0.0, longer, np.nan)
    # No tour is shorter than one sweep.
    axis.plot([1.0, *values], [1.0, *seen], drawstyle="steps-post", **look)


def finish_tails(axis, cap):
    """Axes of tails, and a line where tours were cut."""
    axis.axvline(cap, color="#999999", linestyle=":", linewidth=1)
    at_bottom = axis.get_xaxis_transform()
    axis.text(cap, 0.02, "cap ", fontsize=8, color="#666666", ha="right", va="bottom", transform=at_bottom)
    axis.set(xscale="log", yscale="log", xlabel="length n [sweeps]", ylabel="share of tours longer than n")


_CLAIMS_2A = {
    "heavy": Claim(
        "The tails of tour lengths grow heavier with the number of hidden units",
        "a very heavy tail as H grows",
        at_least=0.0,
    ),
    "longer": Claim(
        "Tours grow longer with the number of hidden units", "lengths increase significantly", at_least=0.0
    ),
    "one": Claim(
        "With few hidden units most tours take one sweep, by Gibbs sampling", "most tours have length one", at_least=0.5
    ),
    "one-means": Claim(
        "With few hidden units most tours take one sweep, visible units at their means as published",
        "most tours have length one",
        at_least=0.5,
    ),
    "apart": Claim(
        "Tours that do not return within one sweep take very long, visible units at their means as published",
        "return within one step or are unlikely to return for a very long time",
        at_least=0.5,
    ),
    "same": Claim(
        "Tours of one sweep end in the hidden state that they started from, whatever the number of hidden units "
        "(visible units at their means)",
        "over 99% of them",
        at_least=0.99,
        why="With the fewest hidden units they do. The share grows with training, too.",
    ),
}
_LINES = {"draws": "-", "means": "--"}
# Of models trained otherwise, whose lines may lie on each other.
_OTHERWISE = ("-", ":")
_TEXTS = {"draws": "visible units drawn", "means": "their means, as published"}


def _inputs_2a(here: Here) -> dict:
    tours = {model: lengths(here, model) for model in here.entry["models"]}
    expect(here, "means", here.entry["means"] and tours.keys() >= {*here.entry["means"]}, "one or more of `models`")
    return {"tours": tours}


def _statistics_2a(artifacts: dict) -> dict:
    """Of the models trained as published: how lengths grow with the hidden units, and tours of one sweep.

    Models trained otherwise are drawn, not judged: their lengths differ by training and data as well.
    """
    alike = [tours for tours in artifacts["tours"].values() if "means" in tours["visible"].values]
    ordered = sorted(alike, key=lambda tours: tours.attrs["hidden_units"])
    sizes = [tours.attrs["hidden_units"] for tours in ordered]
    size = np.log(sizes)
    slope = (size - size.mean()) / max(np.square(size - size.mean()).sum(), np.finfo(float).tiny)
    small, hidden, largest = ordered[0], sizes[0], sizes[-1]

    def grown(*values):
        return sum(weight * batches.mean(axis=-1) for weight, batches in zip(slope, values, strict=True))

    def by_batch(tours, visible="draws"):
        return tours["length"].sel(visible=visible).isel(rounds=0)

    logs = [np.log(by_batch(tours)).mean("tour").values for tours in ordered]
    tails = [(by_batch(tours) > TAIL).mean("tour").values for tours in ordered]
    statistics = {
        "heavy": over_repeats(grown, *tails, of=f"share of tours longer than {TAIL} sweeps, slope on log H"),
        "longer": over_repeats(grown, *logs, of="mean log length, slope on log H"),
    }
    longer, much_longer = ((by_batch(ordered[-1], "means") > least).sum("tour").values for least in (1, TAIL))
    of = f"share of tours longer than {TAIL} sweeps among those longer than one, H = {largest}, visible means"
    statistics["apart"] = over_repeats(ratio_of_sums, much_longer, longer, of=of)
    for visible, key in (("draws", "one"), ("means", "one-means")):
        one_sweep = (by_batch(small, visible) == 1).mean("tour").values
        of = f"share of tours of one sweep, H = {hidden}, visible {visible}"
        statistics[key] = over_repeats(mean, one_sweep, of=of)
    of = "share of these that end where they began, the least of H = {}".format(", ".join(map(str, sizes)))
    return statistics | {"same": over_repeats(_least_ratio, *map(_returned, ordered), of=of)}


def _returned(tours):
    """Tours of one sweep that end in the hidden state that they started from, and all of one sweep, by batch."""
    means = tours.sel(visible="means").isel(rounds=0)
    single = (means["length"] == 1) * means["finished"]
    return np.stack([(means["same"] * single).sum("tour").values, single.sum("tour").values])


def _least_ratio(*sums):
    return np.min([ratio_of_sums(counts[:, 0], counts[:, 1]) for counts in sums], axis=0)


def draw_2a(artifacts: dict, *, titles):
    """Tails of tour lengths of several models, with visible units drawn, and with their means where that was run."""
    figure = new_figure(7.0, 5.0)
    axis = figure.subplots()
    by_model = artifacts["tours"]
    otherwise = cycle(_OTHERWISE)
    for colour, (model, tours) in zip(cycle(COLOURS), by_model.items(), strict=False):
        for visible in tours["visible"].values:
            values = tours["length"].sel(visible=visible).isel(rounds=0).values.ravel()
            label = titles[model] if visible == "draws" else None
            line = _LINES[visible] if tours.sizes["visible"] > 1 else next(otherwise)
            draw_tail(axis, values, label=label, color=colour, linestyle=line)
    for visible, line in _LINES.items():
        if any(visible in tours["visible"].values for tours in by_model.values()):
            axis.plot([], [], color="black", linestyle=line, label=_TEXTS[visible])
    finish_tails(axis, int(tours.attrs["cap"]))
    figure.legend(loc="outside upper center", ncols=3, fontsize=8)
    return finished(figure, *by_model.values())


_CLAIMS_2B = {
    "shorter": Claim(
        "A larger stopping set shortens tours significantly", "can significantly shorten the tours", at_most=0.9
    )
}


def _inputs_2b(here: Here) -> dict:
    return {"tours": lengths(here, here.entry["model"])}


def _statistics_2b(artifacts: dict) -> dict:
    """Share of tours longer than one sweep back to the largest stopping set, over that back to the smallest."""
    tours = artifacts["tours"]
    longer = (tours["length"].sel(visible="draws") > 1).mean("tour")
    first, last = (longer.isel(rounds=size).values for size in (0, -1))
    rounds = tours["rounds"].values
    of = f"share of tours longer than one sweep, visible units drawn, R = {rounds[-1]} / R = {rounds[0]}"
    return {"shorter": over_repeats(ratio_of_sums, last, first, of=of, scale="log")}


def draw_2b(artifacts: dict, *, title):
    """Tails of tour lengths of one model back to stopping sets of several sizes."""
    tours = artifacts["tours"]
    figure = new_figure(6.4, 4.4)
    axis = figure.subplots()
    for colour, rounds in zip(cycle(COLOURS), tours["rounds"].values, strict=False):
        to_set = tours.sel(rounds=rounds, visible="draws")
        label = f"R = {int(rounds)}: {int(to_set['stopping_states']):,} states"
        draw_tail(axis, to_set["length"].values.ravel(), label=label, color=colour)
    finish_tails(axis, int(tours.attrs["cap"]))
    axis.legend(fontsize=8)
    axis.set_title(title, loc="right", fontsize=9)
    return finished(figure, tours)


FIGURES = {
    "lv-f2a": Declaration(
        """\
Share of tours longer than n sweeps, for models with more and more hidden units; tours are cut at the cap. Dashed: the
means of visible units stand in place of draws, as in the authors' code. Savarese et al. (2018), figure 2a.""",
        _inputs_2a,
        draw_2a,
        claims=_CLAIMS_2A,
        statistics=_statistics_2a,
    ),
    "lv-f2b": Declaration(
        """\
Share of tours longer than n sweeps as more hidden states are drawn for each training image (R) and the stopping set
grows; each set holds the one before. Savarese et al. (2018), figure 2b.""",
        _inputs_2b,
        draw_2b,
        claims=_CLAIMS_2B,
        statistics=_statistics_2b,
    ),
}
