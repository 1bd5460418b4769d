"""Las Vegas figure 3: images that start short and long tours.

Images that start tours of one sweep and the longest tours, each above the first visible units drawn on the tour.
Savarese et al. (2018), figure 3.
"""

import numpy as np

from replication.papers.declaration import Claim
from replication.papers.las_vegas.drawing import draw_image
from replication.papers.las_vegas.lengths import difference, lengths
from replication.reporting.statistics import over_repeats, share
from replication.reporting.style import finished, new_figure

CLAIMS = {
    "odd": Claim(
        "Long tours start from images that the model finds less probable",
        "from not-so-common examples",
        at_least=0.0,
        why="The paper shows ten examples of each. Over all tours it is the other way: images of long ones have a "
        "larger log f.",
    ),
    "thick": Claim(
        "Long tours start from digits of thicker strokes",
        "tend to be thicker",
        at_most=0.0,
        why="The paper shows ten examples of each. Over all tours it is the other way: the strokes of long ones are "
        "thinner.",
    ),
    "unlike": Claim(
        "The first draw of a long tour is often unlike the image that it started from",
        "in half of the examples not too similar",
        at_least=0.3,
        why="Long tours begin as short ones do, with a draw near their image: what makes them long comes later.",
    ),
    "alike": Claim(
        "The first draw of a tour of one sweep is like the image that it started from",
        "still recognizable",
        at_most=0.3,
    ),
}
# Long tours: this share of all, the longest, cut ones among them.
_LONGEST = 0.01
# Images of each kind that are drawn, however many are looked at.
_DRAWN = 10
_NAMES = {"short": "tours of one sweep", "long": "the longest tours"}


def inputs(here):
    return {"tours": lengths(here, here.entry["model"])}


def statistics(artifacts):
    """How images that start the longest tours differ from those that start tours of one sweep; what is drawn first.

    A draw is unlike its image where the training image nearest to it shows another class.
    """
    tours = artifacts["tours"]
    sweeps = tours["length"].sel(visible="draws").isel(rounds=0)
    least = max(int(np.quantile(sweeps.values, 1.0 - _LONGEST, method="lower")), 2)

    def less(variable, of):
        sums = [
            total.sum("tour").values
            for chosen in (sweeps == 1, sweeps >= least)
            for total in (tours[variable] * chosen, chosen)
        ]
        of = f"{of}, images of tours of one sweep less that of tours of {least:,} or more, visible units drawn"
        return over_repeats(difference, *sums, of=of)

    def unlike(kind):
        extreme = tours.sel(kind=kind)
        known = extreme["shown_label"].values >= 0
        apart = (extreme["first_label"] != extreme["shown_label"]).values[known]
        return share(apart, of=f"share of {_NAMES[kind]} whose first draw is nearest to an image of another class")

    return {
        "odd": less("log_f", "mean log f [nat]"),
        "thick": less("stroke", "mean width of strokes [pixel]"),
        "unlike": unlike("long"),
        "alike": unlike("short"),
    }


def draw(artifacts):
    """Images that start very short tours and very long ones, each above the first visible units drawn on its tour."""
    tours = artifacts["tours"]
    kinds, shown = tours["kind"].values, min(tours.sizes["shown"], _DRAWN)
    figure = new_figure(0.9 * shown + 0.9, 4.9)
    axes = figure.subplots(2 * len(kinds), shown, squeeze=False)
    for images, draws, kind in zip(axes[::2], axes[1::2], kinds, strict=True):
        extreme = tours.sel(kind=kind)
        for column in range(shown):
            tour = extreme.isel(shown=column)
            draw_image(images[column], tour["image"].values, "black")
            draw_image(draws[column], tour["first_draw"].values, "black")
            length = int(tour["shown_length"])
            # Tours that were cut are longer than that.
            words = "> " * (not tour["shown_finished"]) + f"{length:,}"
            images[column].set_title(words, fontsize=8, pad=2)
        images[0].set_ylabel(f"{_NAMES[kind]}\nimages [sweeps]", fontsize=8)
        draws[0].set_ylabel("first draws", fontsize=8)
    return finished(figure, tours)
