"""Infinite swapping figures 2 and 4: running estimates of the gradient over sweeps."""

from functools import partial
from typing import Any

import numpy as np

from logzoo.types import Array
from replication.claim import Claim, Power
from replication.papers.declaration import Declaration, Here
from replication.papers.infinite_swapping.ins_experiments import gradients, size_of_gradients
from replication.reporting.statistics import mean_with_band, over_repeats, ratio_of_means
from replication.reporting.style import TRUTH, draw_band, draw_bars, finished, new_figure, plain_logarithms
from replication.types import Artifacts, Axes, DataArray, Dataset, Figure, Inputs, Look, Names, Settings, Statistics

_LOOKS = {
    "exact": (TRUTH, "-"),
    "pcd": ("#D55E00", "-"),
    "pcd-50": ("#E69F00", "--"),
    "pt": ("#009E73", "-"),
    "ins": ("#0072B2", "-"),
    "ins-marginal": ("#56B4E9", "--"),
    "pt-5": ("#009E73", "--"),
    "initial": ("#0072B2", ":"),
    "ins-5": ("#0072B2", "-"),
    "ins-8": ("#56B4E9", "-"),
    "pins-8": ("#56B4E9", ":"),
    "ins-12": ("#CC79A7", "-"),
    "pins-12": ("#CC79A7", ":"),
    "pt-12": ("#009E73", "-."),
}
DISTANCE = "Euclidean distance of the running\nestimate to the exact gradient [1]"
_STATES = {"early": "first parameters", "late": "last parameters"}


def look_of(name: str) -> Look:
    """Colour and line of a sampler or trainer."""
    colour, line = _LOOKS.get(name, ("#999999", "-."))
    return {"color": colour, "linestyle": line}


def draw_states(gradients: Dataset, variable: str, label: str, title: str, names: Names) -> Figure:
    """A figure of a variable of `gradients` against sweeps, early and late in training; names: {sampler: title}."""
    figure = new_figure(8.0, 4.0)
    axes = figure.subplots(1, len(_STATES), sharey=True)
    for axis, (state, text) in zip(axes, _STATES.items(), strict=True):
        for sampler, name in names.items():
            draw_mean(axis, gradients["step"].values, gradients[variable], state, sampler, label=name)
        axis.set_xlabel("Gibbs sweeps per chain")
        axis.set_title(f"{title}, {text}", loc="right", fontsize=9)
    axes[0].set_ylabel(label)
    add_legend(figure, axes[0])
    return finished(figure, gradients, panels=axes)


def add_legend(figure: Figure, axis: Axes, band: str = "band: 95% interval of the mean") -> None:
    """Add one legend above all panels: the lines of `axis`, and the meaning of bands or bars."""
    from matplotlib.patches import Patch

    handles, labels = axis.get_legend_handles_labels()
    handles.append(Patch(color="grey", alpha=0.3, linewidth=0))
    figure.legend(handles, [*labels, band], loc="outside upper left", ncols=min(len(handles), 5), fontsize=8)


def draw_mean(axis: Axes, x: Array, variable: DataArray, state: str, sampler: str, label: str, **bars: Any) -> None:
    """Draw the mean of a variable of `gradients` for one sampler against x (step,), with its 95% band over trainings.

    bars: options of `reporting.style.draw_bars`, which draws bars in place of the band.
    """
    values = variable.sel(state=state, sampler=sampler).mean("repeat").transpose("step", "training").values
    draw = partial(draw_bars, **bars) if bars else draw_band
    draw(axis, x, mean_with_band(values), label=label, **look_of(sampler))
    plain_logarithms(axis.xaxis, axis.yaxis)


_DISTANCE = (
    "Euclidean distance of the running mean of the model's part of the gradient from the exact expectation, a mean "
    "over runs and over all steps (area under the curve, equal weight for equal numbers of steps)"
)
_OF_STATES = {
    "late": f"{_DISTANCE}, at the last parameters of trainings by exact gradients, mean over trainings",
    "early": f"{_DISTANCE}, at the first parameters of trainings by exact gradients, mean over trainings",
}


def _claims(size, number, column):
    """The claims of figure `number` on a model of this size; column: index of the figure in the pairs `spreads`."""

    def claim(text, published, measured, bound, spreads, effect=0.8, **bounds):
        """A claim; spreads: standard deviations over trainings of the log ratio, for figures 2 and 4."""
        pilot = "a pilot of ten trainings, with five runs each, with another seed"
        power = Power(effect, spreads[column], f"a factor of 1.25 from the bound; spread from {pilot}")
        where, how = f"section 4.4, figure {number}", {"bound": bound, "scale": "log", "power": power}
        return Claim(f"{text} ({size})", where, published, measured, **how, **bounds)

    return {
        "late": claim(
            "Late in training the gradient estimate of INS converges faster to the exact one than that of PT",
            "slightly faster",
            f"{_OF_STATES['late']}, INS / PT",
            'smaller than 1: "converging slightly faster towards 0 distance ... than PT"',
            spreads=(0.16, 0.15),
            at_most=1.0,
        ),
        "pcd": claim(
            "Late in training INS outperforms PCD-1 as an estimate of the gradient",
            "INS outperforms the other algorithms",
            f"{_OF_STATES['late']}, INS / PCD-1",
            'smaller than 1: "INS outperforms the other algorithms"',
            spreads=(0.21, 0.18),
            at_most=1.0,
        ),
        "early": claim(
            "Early in training INS has a smaller estimation error than PT",
            "smaller estimation error",
            f"{_OF_STATES['early']}, INS / PT",
            'smaller than 1: "INS seems to produce smaller estimation error and variance"',
            spreads=(0.1, 0.05),
            at_most=1.0,
        ),
        "spread": claim(
            "Early in training the estimation error of INS has a smaller variance than that of PT",
            "smaller variance",
            "variance over the runs of a training of the same distance at the first parameters, a mean over all steps "
            "(area under the curve) and trainings, INS / PT",
            'smaller than 1: "INS seems to produce smaller estimation error and variance"',
            # The pilot found 0.25 and 0.37 with five runs of each training. With 15 runs both are smaller, by at most a
            # factor of sqrt(3).
            spreads=(0.25, 0.25),
            at_most=1.0,
        ),
        "harder": claim(
            "Late in training the gradient is harder to estimate than early, by PT and by INS",
            "harder later in the training phase",
            f"{_DISTANCE}, mean over trainings, at the last parameters / at the first; the smaller of the ratios of PT "
            "and of INS",
            'larger than 1: "Estimating the gradient becomes harder later in the training phase"',
            spreads=(0.15, 0.13),
            effect=1.25,
            at_least=1.0,
        ),
    }


_FLIPS = {
    "flips": Claim(
        "The algorithms differ more in their gradient estimates the fewer bits of the data are flipped",
        "section 4.4, remark 1",
        "can be expected to increase",
        not_tested="the paper states an expectation, and has one probability, 0.2",
    )
}


def _inputs(here: Here) -> Inputs:
    return {"gradients": gradients(here)}


def settings(here: Here) -> Settings:
    names = {name: entry["title"] for name, entry in here.entry["samplers"].items()}
    return {"title": here.config["models"][here.entry["model"]]["short"], "names": names}


def statistics(artifacts: Artifacts) -> Statistics:
    distance = artifacts["gradients"]["distance"].transpose("step", "training", "repeat", ...)
    steps = distance["step"].values

    def of(state, reduced):
        at_state = {name: distance.sel(state=state, sampler=name).values for name in ("pcd", "pt", "ins")}
        return {name: over_steps(reduced(values), steps) for name, values in at_state.items()}

    def ratio(*values, statistic=ratio_of_means):
        return over_repeats(statistic, *values, scale="log")

    def smaller_ratio(above, below, others_above, others_below):
        return np.minimum(ratio_of_means(above, below), ratio_of_means(others_above, others_below))

    late, early = (of(state, lambda values: values.mean(axis=-1)) for state in ("late", "early"))
    variance = of("early", lambda values: values.var(axis=-1, ddof=1))
    return {
        "late": ratio(late["ins"], late["pt"]),
        "pcd": ratio(late["ins"], late["pcd"]),
        "early": ratio(early["ins"], early["pt"]),
        "spread": ratio(variance["ins"], variance["pt"]),
        "harder": ratio(late["pt"], early["pt"], late["ins"], early["ins"], statistic=smaller_ratio),
    }


def over_steps(values: Array, steps: Array) -> Array:
    """Means (training,) of values (step, training) over the steps, by the trapezoidal rule."""
    return np.trapezoid(values, steps, axis=0) / np.ptp(steps)


def draw(artifacts: Artifacts, *, title: str, names: Names) -> Figure:
    return draw_states(artifacts["gradients"], "distance", DISTANCE, title, names)


FIGURES = {
    "ins-f2": Declaration(
        """\
Distance of the running estimate of the gradient to the exact gradient, against Gibbs sweeps per chain. Left: the first
parameters of trainings by exact gradients. Right: the last parameters. Lines: mean over trainings and runs. Bands: 95%
intervals over trainings. Hult et al. (2019), figure 2.""",
        _inputs,
        draw,
        settings=settings,
        claims=_claims("12 × 4", 2, 0),
        statistics=statistics,
        sizes=size_of_gradients,
    ),
    "ins-f4": Declaration(
        """\
As figure 2, on toy data of 20 visible units. Hult et al. (2019), figure 4.""",
        _inputs,
        draw,
        settings=settings,
        claims=_claims("20 × 6", 4, 1) | _FLIPS,
        statistics=statistics,
        sizes=size_of_gradients,
    ),
}
