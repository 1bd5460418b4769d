"""Las Vegas figures 2a and 2b: tails of tour lengths, by hidden units and by the size of the stopping set."""

from itertools import cycle
from typing import Any

import numpy as np

from logzoo.types import Array
from replication.claim import Claim, Power, Size
from replication.papers.declaration import Declaration, Here
from replication.papers.las_vegas import lv_lengths
from replication.papers.repeats import first_of, of_each
from replication.reporting.statistics import mean, over_repeats, ratio_of_sums, share
from replication.reporting.style import finished, new_figure
from replication.types import Artifacts, Figure, Inputs, Names, Statistics

_PLACE = "Tours lengths and stopping state, figure 2{}"
_MEANS = "visible units at their means, as in the authors' code; mean over trainings"

# Colours of the models, or of the stopping sets, in order.
COLOURS = ("#E69F00", "#009E73", "#56B4E9", "#0072B2", "#CC79A7", "#332288")
_CLAIMS_2A = {
    "longer": Claim(
        "Tours grow longer with the number of hidden units",
        _PLACE.format("a"),
        "lengths significantly increase with the hidden units",
        f"slope of the mean log length of tours on the log of the hidden units; {_MEANS}",
        at_least=0.0,
        bound="significantly increase",
        power=Power(
            0.32, 0.15, "tours 1.25 times as long for twice the units; spread: three times that over three pilots"
        ),
    ),
    "one": Claim(
        "With few hidden units most tours take one sweep",
        _PLACE.format("a"),
        "most tours have length one",
        "share of trainings of the fewest hidden units in which more than half of the tours take one sweep; visible"
        " units at their means, as in the authors' code",
        at_least=0.5,
        bound="most tours are extremely short, more than half of length one",
        scale="share",
        power=Power(0.95, 0.5, "it holds in all trainings but one of twenty; spread of a binomial share"),
    ),
    "heavy": Claim(
        "The tail of tour lengths becomes very heavy as hidden units are added",
        _PLACE.format("a"),
        "a very heavy tail",
        f"share of tours longer than 1,000 sweeps, of the most hidden units; {_MEANS}",
    ),
    "apart": Claim(
        "Tours return within one sweep or are unlikely to return for a very long time",
        _PLACE.format("a"),
        "for a very long time",
        f"median length of the tours of more than one sweep, of the most hidden units; {_MEANS}".replace(
            "mean over", "geometric mean over"
        ),
    ),
    "same": Claim(
        "Tours of one sweep end in the hidden state that they started from",
        _PLACE.format("a"),
        "over 99% of the cases",
        "share of the tours of one sweep that end in the hidden state that they started from, of all three sizes"
        f" together; {_MEANS}",
        at_least=0.99,
        bound="over 99% of the cases",
        scale="share",
        power=Power(0.995, 0.01, "half as many exceptions as the bound allows; spread: thrice that over three pilots"),
    ),
    "geometric": Claim(
        "Tails of tour lengths decay geometrically in the end: old tours return at a constant rate",
        "theorem 2",
        "a geometrically decaying tail",
        "returns per sweep of tours older than a tenth of the longest allowed, over those of tours from a hundredth to"
        " a tenth of it, of the most hidden units; visible units at their means; counts are summed over trainings",
    ),
}
_LINES = {"draws": "-", "means": "--"}
# Line styles of models that are not trained as published. They alternate, because the lines may overlap.
_OTHERWISE = ("-", ":")
_TEXTS = {"draws": "visible units drawn", "means": "means of visible units, as published"}


def _inputs_2a(here: Here) -> Inputs:
    models = here.entry["models"]
    here.expect("means", here.entry["means"] and {*models} >= {*here.entry["means"]}, "one or more of `models`")
    return {"tours": {model: lv_lengths.lengths(here, model) for model in models}}


def _sizes_2a(here: Here) -> dict[str, Size]:
    means = here.entry["means"]
    largest = max(means, key=lambda name: here.train(name)["hidden"])
    of_largest = dict.fromkeys(("heavy", "apart", "geometric"), lv_lengths.tour_size(here, [largest]))
    return dict.fromkeys(_CLAIMS_2A, lv_lengths.tour_size(here, means)) | of_largest


def _statistics_2a(artifacts: Artifacts) -> Statistics:
    """Statistics of the models trained as published. The other models have other trainings and data."""
    models = [model for model in artifacts["tours"].values() if "means" in first_of(model)["visible"].values]
    models.sort(key=lambda model: first_of(model).attrs["hidden_units"])
    small, largest = models[0], models[-1]
    size = np.log([first_of(model).attrs["hidden_units"] for model in models])
    slope = (size - size.mean()) / max(np.square(size - size.mean()).sum(), np.finfo(float).tiny)

    def grown(*logs: Array) -> Any:
        return sum(weight * values.mean(axis=-1) for weight, values in zip(slope, logs, strict=True))

    def same(*counts: Array) -> Any:
        ended, all_of_one_sweep = (sum(count[:, row].sum(axis=-1) for count in counts) for row in (0, 1))
        return ended / all_of_one_sweep

    def median(tours):
        longer = lv_lengths.with_means(tours)[lv_lengths.with_means(tours) > 1]
        return np.median(longer) if longer.size else np.nan

    def rate_ratio(counts):
        return ratio_of_sums(counts[:, 0], counts[:, 1]) / ratio_of_sums(counts[:, 2], counts[:, 3])

    logs = [of_each(lambda tours: np.log(lv_lengths.with_means(tours)).mean(), model) for model in models]
    one_sweep = of_each(lambda tours: (lv_lengths.with_means(tours) == 1).mean(), small)
    long = of_each(lambda tours: (lv_lengths.with_means(tours) > _LONG).mean(), largest)
    with np.errstate(invalid="ignore"):
        medians = of_each(median, largest)
        rates = over_repeats(rate_ratio, of_each(_returns, largest), scale="log")
    return {
        "longer": over_repeats(grown, *logs),
        "one": share(one_sweep > _MOST),
        "heavy": over_repeats(mean, long, scale="share"),
        "apart": over_repeats(lambda lengths: np.exp(mean(np.log(lengths))), medians, scale="log"),
        "same": over_repeats(same, *(of_each(_returned, model) for model in models), scale="share"),
        "geometric": rates,
    }


# Length in sweeps above which a tour belongs to the tail. In figure 2 the authors' code cuts tours at this length.
_LONG = 1_000
# A training has mostly tours of one sweep if their share exceeds this value.
_MOST = 0.5


def _returned(tours):
    """Number of tours of one sweep that end in their first hidden state, and number of all tours of one sweep."""
    single = (lv_lengths.with_means(tours) == 1) & (lv_lengths.with_means(tours, "finished") == 1)
    return np.array([(lv_lengths.with_means(tours, "same") * single).sum(), single.sum()])


def _returns(tours):
    """Numbers of returns and of sweeps at tour ages above cap / 10, and from cap / 100 to cap / 10."""
    length, cap = lv_lengths.with_means(tours), tours.attrs["cap"]
    finished = lv_lengths.with_means(tours, "finished") == 1
    numbers = []
    for young, old in ((cap / 10, cap), (cap / 100, cap / 10)):
        numbers.append((finished & (young < length) & (length <= old)).sum())
        numbers.append(np.clip(length - young, 0, old - young).sum())
    return np.array(numbers)


def draw_2a(artifacts: Artifacts, *, titles: Names) -> Figure:
    figure = new_figure(7.0, 5.0)
    axis = figure.subplots()
    by_model = {model: first_of(trainings) for model, trainings in artifacts["tours"].items()}
    otherwise = cycle(_OTHERWISE)
    for colour, (model, tours) in zip(cycle(COLOURS), by_model.items(), strict=False):
        for visible in tours["visible"].values:
            values = tours["length"].sel(visible=visible).isel(rounds=0).values.ravel()
            label = titles[model] if visible == "draws" else None
            line = _LINES[visible] if tours.sizes["visible"] > 1 else next(otherwise)
            lv_lengths.draw_tail(axis, values, label=label, color=colour, linestyle=line)
    for visible, line in _LINES.items():
        if any(visible in tours["visible"].values for tours in by_model.values()):
            axis.plot([], [], color="black", linestyle=line, label=_TEXTS[visible])
    lv_lengths.finish_tails(axis, max(int(tours.attrs["cap"]) for tours in by_model.values()))
    figure.legend(loc="outside upper center", ncols=3, fontsize=8)
    return finished(figure, *by_model.values())


_CLAIMS_2B = {
    "shorter": Claim(
        "A larger stopping set shortens tours",
        _PLACE.format("b"),
        "more tours finish in a single step as states are added",
        "share of tours longer than one sweep back to the largest stopping set, over that back to the smallest;"
        f" {_MEANS}",
        at_most=1.0,
        bound="the probability of tours finishing in a single step increases",
        scale="log",
        power=Power(0.8, 0.07, "a factor of 1.25; spread over three pilot trainings of 32 units"),
    )
}


def _statistics_2b(artifacts: Artifacts) -> Statistics:
    last = of_each(lambda tours: (lv_lengths.with_means(tours, rounds=-1) > 1).mean(), artifacts["tours"])
    first = of_each(lambda tours: (lv_lengths.with_means(tours) > 1).mean(), artifacts["tours"])
    return {"shorter": over_repeats(ratio_of_sums, last, first, scale="log")}


def draw_2b(artifacts: Artifacts, *, title: str) -> Figure:
    tours = first_of(artifacts["tours"])
    figure = new_figure(6.4, 4.4)
    axis = figure.subplots()
    for colour, rounds in zip(cycle(COLOURS), tours["rounds"].values, strict=False):
        to_set = tours.sel(rounds=rounds, visible="means")
        label = f"R = {int(rounds)}: {int(to_set['stopping_states']):,} states"
        lv_lengths.draw_tail(axis, to_set["length"].values.ravel(), label=label, color=colour)
    lv_lengths.finish_tails(axis, int(tours.attrs["cap"]))
    axis.legend(fontsize=8)
    axis.set_title(title, loc="right", fontsize=9)
    return finished(figure, tours)


FIGURES = {
    "lv-f2a": Declaration(
        """\
Share of tours longer than n sweeps, for models with different numbers of hidden units, one training each. Tours of
models trained by LVS are cut at the cap. Tours of other models may be cut earlier. Dashed: the means of visible units
replace draws, as in the authors' code. Savarese et al. (2018), figure 2a.""",
        _inputs_2a,
        draw_2a,
        sizes=_sizes_2a,
        claims=_CLAIMS_2A,
        statistics=_statistics_2a,
    ),
    "lv-f2b": Declaration(
        """\
Share of tours longer than n sweeps. The stopping set grows with R, the number of hidden states drawn for each training
image, and contains all smaller sets. Visible units are at their means; one training. Savarese et al. (2018),
figure 2b.""",
        lv_lengths.lengths_of_model,
        draw_2b,
        sizes=lv_lengths.size_of_model,
        claims=_CLAIMS_2B,
        statistics=_statistics_2b,
    ),
}
