"""Infinite swapping figure 2: distance to the exact gradient, 12 visible and 4 hidden units.

Distance of the running estimate of the gradient to the exact one against Gibbs sweeps, at the first and the last
parameters of a training by exact gradients; mean over repeats, 95% band. Hult et al. (2019), figure 2.
"""

import numpy as np

from replication.papers.declaration import Claim
from replication.papers.infinite_swapping.drawing import DISTANCE, draw_states
from replication.papers.infinite_swapping.experiments import gradients
from replication.reporting.statistics import over_repeats

# Distances are compared from this share of all steps on.
LATER = 0.1


def claims(size):
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


CLAIMS = claims("12 × 4")


def inputs(here):
    return {"gradients": gradients(here)}


def settings(here):
    names = {name: entry["title"] for name, entry in here.entry["samplers"].items()}
    return {"title": here.config["models"][here.entry["model"]]["short"], "names": names}


def statistics(artifacts):
    """Ratios of distances to the exact gradient, geometric means over the later steps."""
    distance = artifacts["gradients"]["distance"]
    later = distance.sel(step=distance["step"] >= LATER * distance["step"].values[-1])

    def ratio(state, sampler, other, names, of="distance to the exact gradient", statistic=geometric_ratio):
        values = [later.sel(state=state, sampler=name).transpose("step", "repeat").values for name in (sampler, other)]
        return over_repeats(statistic, *values, of=f"{of}, {names}, {state} in training", logarithmic=True)

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


def draw(artifacts, *, title, names):
    """Distance to the exact gradient against steps, early and late in training."""
    return draw_states(artifacts["gradients"], "distance", DISTANCE, title, names)
