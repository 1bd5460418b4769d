"""Las Vegas figure 3: images that start short and long tours.

Images that start tours of one sweep and the longest tours, each above the first visible units drawn on the tour.
Savarese et al. (2018), figure 3.
"""

from logzoo.papers.declaration import Claim
from logzoo.papers.las_vegas.drawing import draw_image
from logzoo.papers.las_vegas.lengths import TAIL, difference, lengths
from logzoo.reporting.statistics import over_repeats
from logzoo.reporting.style import finished, new_figure

CLAIMS = {
    "odd": Claim(
        "Long tours start from images that the model finds less probable", "from not-so-common examples", at_least=0.0
    ),
    "thick": Claim("Long tours start from thicker digits", "tend to be thicker", at_most=0.0),
}
_NAMES = {"short": "tours of one sweep", "long": "the longest tours"}


def inputs(here):
    return {"tours": lengths(here, here.entry["model"])}


def statistics(artifacts):
    """How images that start tours of more than ten sweeps differ from those that start tours of one."""
    tours = artifacts["tours"]
    sweeps = tours["length"].sel(visible="draws").isel(rounds=0)

    def less(variable, of):
        sums = [
            total.sum("tour").values
            for chosen in (sweeps == 1, sweeps > TAIL)
            for total in (tours[variable] * chosen, chosen)
        ]
        of = f"{of}, images of tours of one sweep less that of tours of more than {TAIL}"
        return over_repeats(difference, *sums, of=of)

    return {"odd": less("log_f", "mean log f [nat]"), "thick": less("ink", "mean grey value")}


def draw(artifacts):
    """Images that start very short tours and very long ones, each above the first visible units drawn on its tour."""
    tours = artifacts["tours"]
    kinds, shown = tours["kind"].values, tours.sizes["shown"]
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
            words = "> " * (not tour["shown_finished"]) + f"{length:,} sweep" + "s" * (length != 1)
            images[column].set_title(words, fontsize=8, pad=2)
        images[0].set_ylabel(f"{_NAMES[kind]}\nimages", fontsize=8)
        draws[0].set_ylabel("first draws", fontsize=8)
    return finished(figure, tours)
