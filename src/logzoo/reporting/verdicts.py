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
# Each with its short form.
VERDICTS = {verdict: verdict.partition(" at ")[0] for verdict in (REPRODUCED, NOT_REPRODUCED, UNDECIDED, NOT_TESTED)}
DIRECTIONS = ("at_least", "at_most")
_TEXTS = {
    "verdict": "what the data say of the claim",
    "claim": "what was published",
    "statistic": "what was computed",
    "direction": "side of the threshold that was claimed",
    "figure": "figure that shows it",
    "published": "published value",
}
NUMBERS = {
    "value": "the statistic",
    "low": "lower end of its 95% interval",
    "high": "upper end of its 95% interval",
    "threshold": "threshold of the claim",
}


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
    rows = {}
    for name, claim in claims.items():
        statistic = statistics[name]
        verdict = NOT_TESTED if untested else judge(claim, statistic)
        rows[name] = {**claim, **statistic._asdict(), "statistic": statistic.of, "verdict": verdict}
    return table_of_claims(rows, _TEXTS).assign_attrs(untested=untested or "")


def table_of_claims(rows, texts):
    """Dataset over `id` of {id: {column: text or number}}: columns of texts {column: what it is}, and NUMBERS."""
    variables = {
        column: labelled("id", np.array([row[column] for row in rows.values()], kind), text, "1")
        for columns, kind in ((texts, object), (NUMBERS, float))
        for column, text in columns.items()
    }
    return xr.Dataset(variables, {"id": labelled("id", np.array(list(rows), dtype=object), "claim", "1")})


def number_of(row):
    """A statistic with its interval, in words; row: of a Dataset of claims."""
    value, low, high = (float(row[name]) for name in ("value", "low", "high"))
    if np.isnan(value):
        return "no data"
    if low == high:
        return f"{value:.3g}"
    return f"{value:.3g} [{low:.3g}, {high:.3g}]"


def bound_of(row):
    """What was claimed of a statistic, in words; row: of a Dataset of claims."""
    return f"{row['direction'].item().replace('_', ' ')} {float(row['threshold']):g}"
