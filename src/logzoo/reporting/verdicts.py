"""Verdicts on published claims: a statistic with its interval against a threshold.

A claim says that a statistic is `at_least` or `at_most` a threshold. It is reproduced when the whole 95% interval lies
on the claimed side, not reproduced when none of it does, and undecided otherwise.
"""

import numpy as np
import xarray as xr

from logzoo.artifacts.labels import labelled
from logzoo.checks import one_of

REPRODUCED = "reproduced"
NOT_REPRODUCED = "not reproduced"
UNDECIDED = "undecided at this scale"
NOT_TESTED = "not tested"
DIRECTIONS = ("at_least", "at_most")


def judge(claim, statistic):
    """The verdict on one claim (an entry {claim, published, figure, direction, threshold}) by one statistic."""
    one_of("direction", claim["direction"], DIRECTIONS)
    threshold = claim["threshold"]
    numbers = np.array([statistic.value, statistic.low, statistic.high])
    if not np.isfinite(numbers).all():
        return NOT_TESTED
    right = numbers >= threshold if claim["direction"] == "at_least" else numbers <= threshold
    if right.all():
        return REPRODUCED
    return UNDECIDED if right.any() else NOT_REPRODUCED


def verdicts(claims, statistics, *, untested=None):
    """Dataset over claims: {id: entry} and {id: Statistic}; `untested` is the reason when none can be judged."""
    names = list(claims)
    found = [statistics[name] for name in names]
    said = [NOT_TESTED if untested else judge(claims[name], statistics[name]) for name in names]
    texts = {
        "verdict": (said, "what the data say of the claim"),
        "claim": ([claims[name]["claim"] for name in names], "what was published"),
        "statistic": ([one.of for one in found], "what was computed"),
        "direction": ([claims[name]["direction"] for name in names], "side of the threshold that was claimed"),
        "figure": ([claims[name]["figure"] for name in names], "figure that shows it"),
        "published": ([claims[name].get("published", "-") for name in names], "published value"),
    }
    numbers = {
        "value": ([one.value for one in found], "the statistic"),
        "low": ([one.low for one in found], "lower end of its 95% interval"),
        "high": ([one.high for one in found], "upper end of its 95% interval"),
        "threshold": ([claims[name]["threshold"] for name in names], "threshold of the claim"),
    }
    dataset = xr.Dataset(
        {name: labelled("id", np.array(values, dtype=object), text, "1") for name, (values, text) in texts.items()}
        | {name: labelled("id", np.array(values, float), text, "1") for name, (values, text) in numbers.items()},
        coords={"id": labelled("id", np.array(names, dtype=object), "claim", "1")},
    )
    return dataset.assign_attrs(untested=untested or "")


def number_of(one):
    """A statistic with its interval, in words."""
    value, low, high = (float(one[name]) for name in ("value", "low", "high"))
    if np.isnan(value):
        return "no data"
    if low == high:
        return f"{value:.3g}"
    return f"{value:.3g} [{low:.3g}, {high:.3g}]"


def bound_of(one):
    """What was claimed of a statistic, in words."""
    return f"{one['direction'].item().replace('_', ' ')} {float(one['threshold']):g}"
