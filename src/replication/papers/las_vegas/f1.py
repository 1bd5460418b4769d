"""Las Vegas figure 1: chains broken into tours.

Three real chains, from images of a 7, a 3 and a 4, broken into tours wherever the first hidden state is drawn again.
Savarese et al. (2018), figure 1.
"""

import numpy as np

from replication.papers.declaration import Claim
from replication.papers.las_vegas.drawing import draw_image
from replication.reporting.style import finished, new_figure

CLAIMS = {"": Claim("Chains broken into tours", "an illustration", not_tested="an illustration")}
_TOUR_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#332288")
_UNFINISHED = "#999999"


def inputs(here):
    model, sizes = here.entry["model"], here.chosen("digits", "sweeps", "candidates")
    chains = here.experiment(
        "replication.papers.las_vegas.tours:chains",
        here.model_and_data(model),
        sizes,
        stream=("broken-chains",),
        work={"tours": here.visits(model, len(sizes["digits"]) * sizes["candidates"] * sizes["sweeps"])},
    )
    return {"chains": chains}


def draw(artifacts):
    """Chains, every sweep in a frame that tells which tour it belongs to."""
    chains = artifacts["chains"]
    count, sweeps = chains.sizes["chain"], chains.sizes["sweep"]
    figure = new_figure(0.62 * (sweeps + 1) + 0.6, 0.9 * count + 0.9)
    axes = figure.subplots(count, sweeps + 1, squeeze=False)
    for number, row in enumerate(axes):
        chain = chains.isel(chain=number)
        draw_image(row[0], chain["start"].values, "black")
        row[0].set_ylabel(f"from a {int(chain['chain'])}", fontsize=8)
        for sweep, (tour, returned) in enumerate(tours_of(chain["home"].values)):
            draw_image(row[1 + sweep], chain["v"].values[sweep], colour_of(tour, returned))
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


def colour_of(number, finished):
    """Colour of the frames of a tour."""
    return _TOUR_COLOURS[number % len(_TOUR_COLOURS)] if finished else _UNFINISHED
