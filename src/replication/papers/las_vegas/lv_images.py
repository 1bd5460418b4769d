"""Las Vegas figures 1 and 3: chains broken into tours, and images that start short and long tours."""

import numpy as np

from logzoo.types import Array
from replication.claim import Claim, Power, Size
from replication.papers.declaration import Declaration, Here
from replication.papers.las_vegas import lv_lengths
from replication.papers.panels import draw_image
from replication.papers.repeats import first_of, of_each
from replication.reporting.statistics import difference_of_means, mean, over_repeats, ratio_of_sums
from replication.reporting.style import finished, new_figure
from replication.types import Artifacts, Dataset, Figure, Inputs, Statistics

_CLAIMS_1 = {
    "inspection": Claim(
        "For K > 1, CD-K takes its states from longer tours: the inspection paradox",
        "Correspondence and Differences Between LVS-K and CD-K, figure 1",
        "more likely to sample states from longer tours than shorter tours",
        "mean log length of the tour that the state of CD-10 belongs to, less that of the first tour of the same chain;"
        " a tour ends when the first hidden state is drawn again, or is cut after 100 sweeps of the chain; mean over"
        " trainings",
        at_least=0.0,
        bound="more likely to sample states from longer tours",
        power=Power(0.22, 0.2, "lengths that differ by a factor of 1.25; spread assumed"),
    )
}
_TOUR_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#332288")
_UNFINISHED = "#999999"


def _inputs_1(here: Here) -> Inputs:
    model, inspection = here.entry["model"], here.entry["inspection"]
    sizes = here.chosen("digits", "sweeps", "candidates")
    chains = here.experiment(
        "replication.papers.las_vegas.lv_tours:chains",
        here.model_and_data(model),
        sizes,
        stream=("broken-chains",),
        work={"tours": here.visits(model, len(sizes["digits"]) * sizes["candidates"] * sizes["sweeps"])},
    )
    inspected = {
        name: here.experiment(
            "replication.papers.las_vegas.lv_tours:inspected",
            here.model_and_data(name),
            inspection,
            f"figures/{here.name}.{name}",
            stream=("inspected-tours", name),
            work={"sampling": here.visits(name, inspection["inspected"] * inspection["sweeps"])},
        )
        for name in here.trainings(here.entry["inspection_of"])
    }
    return {"chains": chains, "inspected": inspected}


def _sizes_1(here: Here) -> Size:
    model = here.entry["inspection_of"]
    train, count = here.train(model), len(here.trainings(model))
    return Size(
        {"hidden units": (train["hidden"], lv_lengths.HIDDEN), "updates": (train["updates"], lv_lengths.UPDATES)},
        count,
        count,
    )


def _statistics_1(artifacts: Artifacts) -> Statistics:
    held = of_each(lambda chains: np.log(chains["held"]).mean(), artifacts["inspected"])
    first = of_each(lambda chains: np.log(chains["first"]).mean(), artifacts["inspected"])
    return {"inspection": over_repeats(difference_of_means, held, first)}


def draw_1(artifacts: Artifacts) -> Figure:
    """Draw the chains. The frame of an image has the colour of the tour; unfinished tours are grey."""
    chains = artifacts["chains"]
    count, sweeps = chains.sizes["chain"], chains.sizes["sweep"]
    figure = new_figure(0.62 * (sweeps + 1) + 0.6, 0.9 * count + 0.9)
    axes = figure.subplots(count, sweeps + 1, squeeze=False)
    for number, row in enumerate(axes):
        chain = chains.isel(chain=number)
        draw_image(row[0], chain["start"].values)
        row[0].set_ylabel(f"from a {int(chain['chain'])}", fontsize=8)
        for sweep, (tour, returned) in enumerate(tours_of(chain["home"].values)):
            colour = _TOUR_COLOURS[tour % len(_TOUR_COLOURS)] if returned else _UNFINISHED
            draw_image(row[1 + sweep], chain["v"].values[sweep], colour)
            row[1 + sweep].set_title(f"tour {tour + 1}" if returned else "unfinished", fontsize=7, pad=2)
    for sweep, axis in enumerate(axes[-1]):
        axis.set_xlabel("image" if sweep == 0 else f"{sweep}", fontsize=8)
    figure.supxlabel(
        "sweeps. LVS uses the coloured tours, which returned to their first hidden state, and leaves out the grey,\n"
        "unfinished tours. CD-K uses the last picture of a row, even if its tour is unfinished.",
        fontsize=8,
    )
    return finished(figure, chains)


def tours_of(home: Array) -> list[tuple[int, bool]]:
    """Returns (tour number, whether the tour is complete) of each sweep. home (sweep,): 1 if a tour ends there."""
    numbers = np.concatenate([[0], np.cumsum(home)[:-1]])
    return [(int(number), bool(number < np.sum(home))) for number in numbers]


_PLACE_3 = "Distribution modes of the learned RBM, figure 3"
_BY_EYE = "the paper judges ten examples by eye and gives no measure of how common an example is"
_CLAIMS_3 = {
    "odd": Claim("Long tours start from uncommon examples", _PLACE_3, "a clear relation", not_tested=_BY_EYE),
    "thick": Claim(
        "Long tours start from digits of thicker strokes",
        _PLACE_3,
        "tend to be thicker, or of a not-so-standard shape",
        "mean width of strokes [pixel] of images of tours of one sweep, less that of images of unfinished tours; tours"
        " are summed over trainings, visible units at their means",
        at_most=0.0,
        bound="digits that are thicker than those of short tours",
        power=Power(-0.25, 0.1, "an eighth of the mean width of 2 pixels; spread: ten times that over three pilots"),
    ),
    "unlike": Claim(
        "First draws of long tours resemble their images less than those of short tours do",
        _PLACE_3,
        "in half of the examples not too similar; those of short tours still recognizable",
        "mean correlation of the pixels of an image with those of the first visible state drawn on its tour, of the"
        " shortest tours less that of the longest; ten of each in a training, mean over trainings",
    ),
}
# Largest number of images of each kind in the figure.
_DRAWN = 10
_NAMES = {"short": "the shortest tours", "long": "the longest tours"}


def _statistics_3(artifacts: Artifacts) -> Statistics:
    def widths(tours):
        sums = []
        for chosen in (lv_lengths.with_means(tours) == 1, lv_lengths.with_means(tours, "finished") == 0):
            sums += [np.nansum(tours["stroke"].values * chosen), chosen.sum()]
        return np.array(sums)

    def difference(sums):
        return ratio_of_sums(sums[:, 0], sums[:, 1]) - ratio_of_sums(sums[:, 2], sums[:, 3])

    alike = of_each(resemblance, artifacts["tours"])
    return {
        "thick": over_repeats(difference, of_each(widths, artifacts["tours"])),
        "unlike": over_repeats(mean, alike[0] - alike[1]),
    }


def resemblance(tours: Dataset) -> Array:
    """Mean correlation (kind,) between the pixels of images and the pixels of first draws."""
    image, drawn = (tours[name].values for name in ("image", "first_draw"))
    image, drawn = (values - values.mean(axis=-1, keepdims=True) for values in (image, drawn))
    with np.errstate(invalid="ignore"):
        lengths = np.sqrt((image**2).sum(axis=-1) * (drawn**2).sum(axis=-1))
        return np.nanmean((image * drawn).sum(axis=-1) / lengths, axis=-1)


def draw_3(artifacts: Artifacts) -> Figure:
    tours = first_of(artifacts["tours"])
    kinds, shown = tours["kind"].values, min(tours.sizes["shown"], _DRAWN)
    figure = new_figure(0.9 * shown + 1.4, 5.0)
    axes = figure.subplots(2 * len(kinds), shown, squeeze=False)
    for images, draws, kind in zip(axes[::2], axes[1::2], kinds, strict=True):
        extreme = tours.sel(kind=kind)
        for column in range(shown):
            tour = extreme.isel(shown=column)
            draw_image(images[column], tour["image"].values)
            draw_image(draws[column], tour["first_draw"].values)
            length = int(tour["shown_length"])
            # The recorded length of a tour that was cut is a lower bound.
            words = "> " * (not tour["shown_finished"]) + f"{length:,}"
            images[column].set_title(words, fontsize=8, pad=2)
        for axis, text in ((images[0], f"{_NAMES[kind]}:\nimage"), (draws[0], "first draw")):
            axis.set_ylabel(text, fontsize=8, rotation=0, ha="right", va="center")
    figure.supxlabel("above each image: length of its tour [sweeps]", fontsize=8)
    return finished(figure, tours)


FIGURES = {
    "lv-f1": Declaration(
        """\
Three real chains, from images of a 7, a 3 and a 4, broken into tours wherever the first hidden state is drawn again.
Savarese et al. (2018), figure 1.""",
        _inputs_1,
        draw_1,
        claims=_CLAIMS_1,
        statistics=_statistics_1,
        sizes=_sizes_1,
    ),
    "lv-f3": Declaration(
        """\
Images that start the shortest and the longest tours in the RBM of one training. Below each image: the first visible
state drawn on the tour. Visible units of tours are at their means.
Savarese et al. (2018), figure 3.""",
        lv_lengths.lengths_of_model,
        draw_3,
        claims=_CLAIMS_3,
        statistics=_statistics_3,
        sizes=lv_lengths.size_of_model,
    ),
}
