"""Las Vegas figure 2b: tails of tour lengths as the stopping set grows.

Share of tours longer than n sweeps as more hidden states are drawn for each training image (R) and the stopping set
grows; each set holds the one before. Savarese et al. (2018), figure 2b.
"""

from itertools import cycle

from replication.papers.declaration import Claim
from replication.papers.las_vegas.drawing import COLOURS, draw_tail, finish_tails
from replication.papers.las_vegas.lengths import lengths
from replication.reporting.statistics import over_repeats, ratio_of_sums
from replication.reporting.style import finished, new_figure

CLAIMS = {
    "shorter": Claim(
        "A larger stopping set shortens tours significantly", "can significantly shorten the tours", at_most=0.9
    )
}


def inputs(here):
    return {"tours": lengths(here, here.entry["model"])}


def statistics(artifacts):
    """Share of tours longer than one sweep back to the largest stopping set, over that back to the smallest."""
    tours = artifacts["tours"]
    longer = (tours["length"].sel(visible="draws") > 1).mean("tour")
    first, last = (longer.isel(rounds=size).values for size in (0, -1))
    rounds = tours["rounds"].values
    of = f"share of tours longer than one sweep, visible units drawn, R = {rounds[-1]} / R = {rounds[0]}"
    return {"shorter": over_repeats(ratio_of_sums, last, first, of=of, logarithmic=True)}


def draw(artifacts, *, title):
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
