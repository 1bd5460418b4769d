"""Verdicts on published claims: a statistic with its interval, compared with the bounds of the claim.

A claim bounds a statistic: `at_least`, `at_most`, or both. It is reproduced if the whole 95% interval lies within the
bounds, and not reproduced if none of it does. Otherwise it is undecided. It is also undecided without an interval, or
if the interval is a single point on a bound. Experiments smaller than the paper's have separate verdicts. A claim
without bounds, or with an exploratory setting, gets no verdict. Its statistic is an estimate.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from logzoo.checks import expected_one_of
from logzoo.io.schema import labelled
from replication.claim import BOUNDS, EXPLORATORY, REDUCED
from replication.reporting.statistics import Statistic, joined, tail, untested

REPRODUCED = "reproduced"
NOT_REPRODUCED = "not reproduced"
REPRODUCED_REDUCED = "reproduced at reduced size"
NOT_REPRODUCED_REDUCED = "not reproduced at reduced size"
UNDECIDED = "undecided at this scale"
ESTIMATE = "estimate without a verdict"
NOT_TESTED = "not tested"
FAILED = (NOT_REPRODUCED, NOT_REPRODUCED_REDUCED)
DECIDED = (REPRODUCED, REPRODUCED_REDUCED, *FAILED)
# Signs beside the words, so that a verdict is not shown by colour alone.
SIGNS = {
    REPRODUCED: "\N{CHECK MARK}",
    NOT_REPRODUCED: "\N{BALLOT X}",
    REPRODUCED_REDUCED: "(\N{CHECK MARK})",
    NOT_REPRODUCED_REDUCED: "(\N{BALLOT X})",
    UNDECIDED: "?",
    ESTIMATE: "\N{ALMOST EQUAL TO}",
    NOT_TESTED: "\N{EN DASH}",
}
# {verdict: short form}.
VERDICTS = {**{verdict: verdict for verdict in SIGNS}, UNDECIDED: "undecided", ESTIMATE: "estimate"}
# The statistic of a claim if none was computed, for example because its model is left out.
_NOTHING = untested("-")
TEXTS = {
    "verdict": "verdict of the data on the claim",
    "claim": "published statement",
    "where": "section, page, figure or table of the paper; empty for a diagnostic of ours",
    "statistic": "definition of the statistic",
    "bound": "words of the paper behind the bounds",
    "why": "cause, if the claim is not reproduced",
    "figure": "name of the figure",
    "published": "published value",
    "level": "level of replication",
    "size": "size of the experiment, here and in the paper",
}
NUMBERS = {
    "value": "value of the statistic",
    "low": "lower end of the 95% interval of the statistic",
    "high": "upper end of the 95% interval of the statistic",
    "at_least": "claimed lower bound",
    "at_most": "claimed upper bound",
    "tail": "two-sided tail probability of the bound that the verdict depends on",
    "repeats": "independent repeats",
    "trainings": "independent trainings",
    "power": "probability that the claim is reproduced if the assumed effect is true",
}


def judge(claim: Mapping[str, Any], statistic: Statistic) -> str:
    """The verdict on one claim by one statistic; the claim is an entry {claim, at_least, at_most, level}.

    Raises ValueError if `at_least` exceeds `at_most`.
    """
    least, most = _bounds_of(claim)
    if not np.isfinite(statistic.value):
        return NOT_TESTED
    if (least, most) == (-np.inf, np.inf) or claim.get("level") == EXPLORATORY:
        return ESTIMATE
    if not least <= most:
        raise ValueError("claim: expected at_least and at_most in order, found the wrong order")
    if statistic.low == statistic.high and statistic.value in (least, most):
        return UNDECIDED
    reduced = claim.get("level") == REDUCED
    if least <= statistic.low and statistic.high <= most:
        return REPRODUCED_REDUCED if reduced else REPRODUCED
    if statistic.high < least or statistic.low > most:
        return NOT_REPRODUCED_REDUCED if reduced else NOT_REPRODUCED
    return UNDECIDED


def tail_of(claim: Mapping[str, Any], statistic: Statistic) -> float:
    """Two-sided tail probability of the bound that a verdict depends on; NaN if there is no verdict."""
    least, most = _bounds_of(claim)
    if judge(claim, statistic) in (ESTIMATE, NOT_TESTED):
        return np.nan
    if statistic.value < least or statistic.value > most:
        return tail(statistic, least if statistic.value < least else most)
    # A statistic within both bounds must differ significantly from both.
    return max(tail(statistic, bound) for bound in (least, most) if np.isfinite(bound))


def _bounds_of(claim):
    return tuple(claim.get(name, otherwise) for name, otherwise in zip(BOUNDS, (-np.inf, np.inf), strict=True))


def verdicts(
    claims: Mapping[str, Any], statistics: Mapping[str, Statistic], *, reason: str | None = None
) -> xr.Dataset:
    """Judge claims {id: entry} by statistics {id: Statistic}; returns a Dataset of verdicts along `id`.

    reason: the reason why no claim can be tested, or None. Raises ValueError for a statistic without a claim.
    """
    for name in statistics.keys() - claims.keys():
        raise ValueError(f"statistics: unknown claim {name!r}; {expected_one_of(name, claims)}")
    rows = {}
    for name, claim in claims.items():
        statistic = statistics.get(name, _NOTHING)
        verdict = NOT_TESTED if reason else judge(claim, statistic)
        rows[name] = {
            **dict.fromkeys(TEXTS, ""),
            **dict.fromkeys(NUMBERS, np.nan),
            **claim,
            **{key: getattr(statistic, key) for key in ("value", "low", "high")},
            "tail": np.nan if reason else tail_of(claim, statistic),
            "statistic": joined(claim.get("measured", ""), statistic.note),
            "verdict": verdict,
        }
    return table_of_claims(rows, TEXTS).assign_attrs(untested=reason or "")


def table_of_claims(rows: Mapping[str, Any], texts: Mapping[str, str]) -> xr.Dataset:
    """A Dataset along `id` from rows {id: {column: text or number}}; texts: {text column: its long name}."""
    variables = {
        column: labelled("id", np.array([row[column] for row in rows.values()], kind), text, "1")
        for columns, kind in ((texts, object), (NUMBERS, float))
        for column, text in columns.items()
    }
    return xr.Dataset(variables, {"id": labelled("id", np.array(list(rows), dtype=object), "claim", "1")})


def number_of(row: Any) -> str:
    """A statistic with its interval, as text; `row` is a row of a Dataset of claims."""
    value, low, high = (float(row[name]) for name in ("value", "low", "high"))
    if np.isnan(value):
        return "no data"
    if np.isnan(low):
        return f"{value:.3g} (no interval)"
    if low == high:
        return f"{value:.3g}"
    return f"{value:.3g} [{low:.3g}, {high:.3g}]"


def bound_of(row: Any) -> str:
    """The bounds of a claim, as text; `row` is a row of a Dataset of claims."""
    bounds = {name.replace("_", " "): float(row[name]) for name in BOUNDS}
    return " and ".join(f"{words} {bound:g}" for words, bound in bounds.items() if not np.isnan(bound)) or "-"


def why_of(row: Any) -> str:
    """The known cause if a claim is not reproduced, else empty; `row` is a row of a Dataset of claims."""
    return row["why"].item() if row["verdict"].item() in FAILED else ""
