"""Las Vegas figure 2a: tails of tour lengths as hidden units are added.

Share of tours longer than n sweeps, for models with more and more hidden units; tours are cut at the cap. Dashed: the
means of visible units stand in the place of draws, as in the authors' code. Savarese et al. (2018), figure 2a.
"""

from itertools import cycle

import numpy as np

from replication.papers.declaration import Claim
from replication.papers.expected import expect
from replication.papers.las_vegas.drawing import COLOURS, draw_tail, finish_tails
from replication.papers.las_vegas.lengths import TAIL, lengths
from replication.reporting.statistics import mean, over_repeats, ratio_of_sums
from replication.reporting.style import finished, new_figure

CLAIMS = {
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
_VISIBLE = {"draws": "visible units drawn", "means": "their means, as published"}


def inputs(here):
    tours = {model: lengths(here, model) for model in here.entry["models"]}
    expect(here, "means", here.entry["means"] and tours.keys() >= {*here.entry["means"]}, "one or more of `models`")
    return {"tours": tours}


def statistics(artifacts):
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
    return np.min([ratio_of_sums(one[:, 0], one[:, 1]) for one in sums], axis=0)


def draw(artifacts, *, titles):
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
            axis.plot([], [], color="black", linestyle=line, label=_VISIBLE[visible])
    finish_tails(axis, int(tours.attrs["cap"]))
    figure.legend(loc="outside upper center", ncols=3, fontsize=8)
    return finished(figure, *by_model.values())
