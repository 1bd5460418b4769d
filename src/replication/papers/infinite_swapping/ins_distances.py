"""Infinite swapping figures 2 and 4, and how evenly replicas use the temperatures: running gradients over sweeps."""

import numpy as np

from logzoo.checks import one_of
from replication.claim import Claim
from replication.papers.declaration import Declaration, Here
from replication.papers.infinite_swapping.ins_experiments import gradients
from replication.reporting.statistics import mean_with_band, over_repeats
from replication.reporting.style import TRUTH, draw_band, finished, new_figure

_LOOKS = {
    "exact": (TRUTH, "-"),
    "pcd": ("#D55E00", "-"),
    "pcd-50": ("#E69F00", "--"),
    "pt": ("#009E73", "-"),
    "ins": ("#0072B2", "-"),
    "ins-marginal": ("#56B4E9", "--"),
    "ins-5": ("#0072B2", "-"),
    "ins-8": ("#56B4E9", "-"),
    "pins-8": ("#56B4E9", ":"),
    "ins-12": ("#CC79A7", "-"),
    "pins-12": ("#CC79A7", ":"),
    "pt-12": ("#009E73", "-."),
}
DISTANCE = "distance of the running gradient\nestimate to the exact one"
_STATES = {"early": "first parameters", "late": "last parameters"}


def look_of(name):
    """Colour and line of a sampler or trainer."""
    colour, line = _LOOKS.get(name, ("#999999", "-."))
    return {"color": colour, "linestyle": line}


def draw_states(gradients, variable, label, title, names):
    """A figure of a variable of `gradients` against steps, early and late in training; names: {sampler: title}."""
    figure = new_figure(8.0, 4.0)
    axes = figure.subplots(1, len(_STATES), sharey=True)
    for axis, (state, text) in zip(axes, _STATES.items(), strict=True):
        for sampler, name in names.items():
            draw_mean(axis, gradients["step"].values, gradients[variable], state, sampler, label=name)
        axis.set_xlabel("Gibbs sweeps of every chain")
        axis.set_title(f"{title}, {text}", loc="right", fontsize=9)
    axes[0].set_ylabel(label)
    axes[0].legend(fontsize=8)
    return finished(figure, gradients, panels=axes)


def draw_mean(axis, x, variable, state, sampler, label):
    """The mean over repeats of a variable of `gradients` for one sampler, with its 95% band, against x (step,)."""
    values = variable.sel(state=state, sampler=sampler).transpose("step", "repeat").values
    draw_band(axis, x, mean_with_band(values), label=label, **look_of(sampler))
    axis.set(xscale="log", yscale="log")


# Distances are compared from this share of all steps on.
LATER = 0.1


def _claims(size):
    """The claims of figures 2 and 4, on a model of that size."""
    return {
        "late": Claim(
            f"Late in training the gradient by INS is no farther from the exact one than by PT ({size})",
            "slightly faster towards 0",
            at_most=1.0,
        ),
        "pcd": Claim(
            f"Late in training PT is closer to the exact gradient than PCD-1 ({size})",
            "PCD-1 stays far off",
            at_most=1.0,
        ),
        "early": Claim(
            f"Early in training INS has the smaller error, too ({size})", "smaller error and variance", at_most=1.0
        ),
        "spread": Claim(
            f"The distance varies less over repeats by INS than by PT ({size})",
            "smaller error and variance",
            at_most=1.0,
        ),
    }


def _inputs(here: Here) -> dict:
    return {"gradients": gradients(here)}


def settings(here: Here) -> dict:
    names = {name: entry["title"] for name, entry in here.entry["samplers"].items()}
    return {"title": here.config["models"][here.entry["model"]]["short"], "names": names}


def statistics(artifacts: dict) -> dict:
    """Ratios of distances to the exact gradient, geometric means over the later steps."""
    distance = artifacts["gradients"]["distance"]
    later = distance.sel(step=distance["step"] >= LATER * distance["step"].values[-1])

    def ratio(state, sampler, other, names, of="distance to the exact gradient", statistic=geometric_ratio):
        values = [later.sel(state=state, sampler=name).transpose("step", "repeat").values for name in (sampler, other)]
        return over_repeats(statistic, *values, of=f"{of}, {names}, {state} in training", scale="log")

    return {
        "late": ratio("late", "ins", "pt", "INS / PT"),
        "pcd": ratio("late", "pt", "pcd", "PT / PCD-1"),
        "early": ratio("early", "ins", "pt", "INS / PT"),
        "spread": ratio("early", "ins", "pt", "INS / PT", "variance of the distance over repeats", _ratio_of_variances),
    }


def _ratio_of_variances(distances, others):
    """Ratio of means over steps of variances over repeats; arrays (resample, step, repeat)."""
    above, below = (array.var(axis=-1, ddof=1).mean(axis=1) for array in (distances, others))
    return above / below


def geometric_ratio(distances, others):
    """Geometric mean over steps of the ratio of means over repeats; arrays (resample, step, repeat)."""
    return np.exp(np.log(distances.mean(axis=-1) / others.mean(axis=-1)).mean(axis=1))


def draw(artifacts: dict, *, title, names):
    """Distance to the exact gradient against steps, early and late in training."""
    return draw_states(artifacts["gradients"], "distance", DISTANCE, title, names)


_UNEVENNESS = "total variation distance of a replica's\ntemperatures so far from uniform"


def _inputs_association(here: Here) -> dict:
    return {"gradients": gradients(here.of(here.entry["gradients"]))}


def _settings_association(here: Here) -> dict:
    known, where = settings(here.of(here.entry["gradients"])), f"configuration: figures.{here.name}: samplers"
    names = {name: known["names"][one_of(where, name, known["names"])] for name in here.entry["samplers"]}
    return {**known, "names": names}


def draw_association(artifacts: dict, *, title, names):
    """How far the temperatures that a replica has held so far are from uniform, early and late in training."""
    gradients = artifacts["gradients"]
    steps = gradients["step"].values
    rungs = float(gradients["chains"].sel(sampler=next(iter(names)))) / float(gradients.attrs["ladders"])
    figure = draw_states(gradients, "unevenness", _UNEVENNESS, title, names)
    for axis in figure.axes:
        axis.plot(steps, _unevenness_of_draws(rungs, steps), color=TRUTH, linestyle=":", label="independent draws")
    figure.axes[0].legend(fontsize=8)
    return figure


def _unevenness_of_draws(rungs, steps):
    """The mean of the same distance for so many independent uniform draws: de Moivre's mean deviation of a binomial."""
    from scipy.stats import binom  # takes long to import

    share = 1.0 / rungs
    above = np.floor(steps * share) + 1
    return rungs * above * (1.0 - share) * binom.pmf(above, steps, share) / steps


FIGURES = {
    "ins-f2": Declaration(
        """\
Distance of the running estimate of the gradient to the exact one against Gibbs sweeps, at the first and the last
parameters of a training by exact gradients; mean over repeats, 95% band. Hult et al. (2019), figure 2.""",
        _inputs,
        draw,
        settings=settings,
        claims=_claims("12 × 4"),
        statistics=statistics,
    ),
    "ins-f4": Declaration(
        """\
As figure 2, on toy data of 20 visible units. Hult et al. (2019), figure 4.""",
        _inputs,
        draw,
        settings=settings,
        claims=_claims("20 × 6"),
        statistics=statistics,
    ),
    "ins-association": Declaration(
        """\
How evenly each replica has used the temperatures so far: a diagnostic of convergence (Doll & Dupuis 2015).""",
        _inputs_association,
        draw_association,
        settings=_settings_association,
    ),
}
