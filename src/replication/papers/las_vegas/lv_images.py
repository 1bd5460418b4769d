"""Las Vegas figures 1 and 3: chains broken into tours, and images that start short and long tours."""

from math import isqrt

import numpy as np

from replication.claim import Claim
from replication.papers.declaration import Declaration, Here
from replication.papers.las_vegas.lv_tails import lengths
from replication.reporting.statistics import over_repeats, ratio_of_sums, share
from replication.reporting.style import finished, new_figure


def draw_image(axis, values, colour):
    """A square image (pixel,) in a frame of that colour; ValueError for others."""
    side = isqrt(values.size)
    if side * side != values.size:
        raise ValueError(f"images: expected square ones, found {values.size} pixels")
    axis.imshow(values.reshape(side, side), cmap="binary", vmin=0, vmax=1, interpolation="nearest")
    axis.set(xticks=[], yticks=[])
    axis.spines[:].set(visible=True, color=colour, linewidth=2 if colour != "black" else 0.8)


_CLAIMS_1 = {"": Claim("Chains broken into tours", "an illustration", not_tested="an illustration")}
_TOUR_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#332288")
_UNFINISHED = "#999999"


def _inputs_1(here: Here) -> dict:
    model, sizes = here.entry["model"], here.chosen("digits", "sweeps", "candidates")
    chains = here.experiment(
        "replication.papers.las_vegas.lv_tours:chains",
        here.model_and_data(model),
        sizes,
        stream=("broken-chains",),
        work={"tours": here.visits(model, len(sizes["digits"]) * sizes["candidates"] * sizes["sweeps"])},
    )
    return {"chains": chains}


def draw_1(artifacts: dict):
    """Chains; the colour of the frame of each sweep is that of its tour."""
    chains = artifacts["chains"]
    count, sweeps = chains.sizes["chain"], chains.sizes["sweep"]
    figure = new_figure(0.62 * (sweeps + 1) + 0.6, 0.9 * count + 0.9)
    axes = figure.subplots(count, sweeps + 1, squeeze=False)
    for number, row in enumerate(axes):
        chain = chains.isel(chain=number)
        draw_image(row[0], chain["start"].values, "black")
        row[0].set_ylabel(f"from a {int(chain['chain'])}", fontsize=8)
        for sweep, (tour, returned) in enumerate(tours_of(chain["home"].values)):
            colour = _TOUR_COLOURS[tour % len(_TOUR_COLOURS)] if returned else _UNFINISHED
            draw_image(row[1 + sweep], chain["v"].values[sweep], colour)
            row[1 + sweep].set_title(f"tour {tour + 1}" if returned else "not home", fontsize=7, pad=2)
    for sweep, axis in enumerate(axes[-1]):
        axis.set_xlabel("image" if sweep == 0 else f"{sweep}", fontsize=8)
    figure.supxlabel(
        "sweeps. Colours: tours that returned to their first hidden state, which LVS uses; grey: not finished,\n"
        "left out. CD-K uses the last picture of a row, whatever tour it belongs to.",
        fontsize=8,
    )
    return finished(figure, chains)


def tours_of(home):
    """(number, whether it returns) of the tour that each sweep belongs to; home (sweep,): returns after that sweep."""
    numbers = np.concatenate([[0], np.cumsum(home)[:-1]])
    return [(int(number), bool(number < np.sum(home))) for number in numbers]


_CLAIMS_3 = {
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


def _inputs_3(here: Here) -> dict:
    return {"tours": lengths(here, here.entry["model"])}


def _statistics_3(artifacts: dict) -> dict:
    """How images that start the longest tours differ from those that start tours of one sweep; what is drawn first.

    A draw is unlike its image where the training image nearest to it shows another class.
    """
    tours = artifacts["tours"]
    sweeps = tours["length"].sel(visible="draws").isel(rounds=0)
    least = max(int(np.quantile(sweeps.values, 1.0 - _LONGEST, method="lower")), 2)

    def difference(total, count, other_total, other_count):
        return ratio_of_sums(total, count) - ratio_of_sums(other_total, other_count)

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


def draw_3(artifacts: dict):
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


FIGURES = {
    "lv-f1": Declaration(
        """\
Three real chains, from images of a 7, a 3 and a 4, broken into tours wherever the first hidden state is drawn again.
Savarese et al. (2018), figure 1.""",
        _inputs_1,
        draw_1,
        claims=_CLAIMS_1,
    ),
    "lv-f3": Declaration(
        """\
Images that start tours of one sweep and the longest tours, each above the first visible units drawn on the tour.
Savarese et al. (2018), figure 3.""",
        _inputs_3,
        draw_3,
        claims=_CLAIMS_3,
        statistics=_statistics_3,
    ),
}
