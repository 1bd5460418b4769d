"""Verdicts on published claims: a statistic with its interval against what was claimed of it.

A claim says that a statistic is `at_least` something, `at_most` something, or both. It is reproduced when the whole 95%
interval lies there, not reproduced when none of it does, and undecided otherwise, where there is no interval, or where
it is the bound itself and nothing else.
"""

import numpy as np
import xarray as xr

from logzoo.io.schema import labelled
from replication.reporting.statistics import untested

REPRODUCED = "reproduced"
NOT_REPRODUCED = "not reproduced"
UNDECIDED = "undecided at this scale"
NOT_TESTED = "not tested"
# Each with its short form.
VERDICTS = {verdict: verdict.partition(" at ")[0] for verdict in (REPRODUCED, NOT_REPRODUCED, UNDECIDED, NOT_TESTED)}
# Beside the word, so that no verdict is told by its colour alone.
SIGNS = dict(zip(VERDICTS, ("\N{CHECK MARK}", "\N{BALLOT X}", "?", "\N{EN DASH}"), strict=True))
BOUNDS = ("at_least", "at_most")
# Of a claim whose statistic was not computed: its model is left out, for one.
_NOTHING = untested("-")
_TEXTS = {
    "verdict": "what the data say of the claim",
    "claim": "what was published",
    "statistic": "what was computed",
    "why": "why it is not reproduced, if it is not",
    "figure": "figure that shows it",
    "published": "published value",
}
NUMBERS = {
    "value": "the statistic",
    "low": "lower end of its 95% interval",
    "high": "upper end of its 95% interval",
    "at_least": "least that was claimed",
    "at_most": "most that was claimed",
}


def judge(claim, statistic):
    """The verdict on one claim (an entry {claim, published, figure, at_least, at_most, why}) by one statistic."""
    least, most = (claim.get(name, otherwise) for name, otherwise in zip(BOUNDS, (-np.inf, np.inf), strict=True))
    if not least <= most or (least, most) == (-np.inf, np.inf):
        raise ValueError("claim: expected at_least, at_most, or both in order, found none or the wrong order")
    if not np.isfinite(statistic.value):
        return NOT_TESTED
    if statistic.low == statistic.high and statistic.value in (least, most):
        return UNDECIDED
    if least <= statistic.low and statistic.high <= most:
        return REPRODUCED
    return NOT_REPRODUCED if statistic.high < least or statistic.low > most else UNDECIDED


def verdicts(claims, statistics, *, reason=None):
    """Dataset over claims: {id: entry} and {id: Statistic}; reason: why none can be judged, if that is so."""
    rows = {}
    for name, claim in claims.items():
        statistic = statistics.get(name, _NOTHING)
        verdict = NOT_TESTED if reason else judge(claim, statistic)
        entry = {"why": "", **dict.fromkeys(BOUNDS, np.nan), **claim}
        rows[name] = {**entry, **statistic._asdict(), "statistic": statistic.of, "verdict": verdict}
    return table_of_claims(rows, _TEXTS).assign_attrs(untested=reason or "")


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
    if np.isnan(low):
        return f"{value:.3g} (no interval)"
    if low == high:
        return f"{value:.3g}"
    return f"{value:.3g} [{low:.3g}, {high:.3g}]"


def bound_of(row):
    """What was claimed of a statistic, in words; row: of a Dataset of claims."""
    bounds = {name.replace("_", " "): float(row[name]) for name in BOUNDS}
    return " and ".join(f"{words} {bound:g}" for words, bound in bounds.items() if not np.isnan(bound)) or "-"


def why_of(row):
    """Why a claim is not reproduced, if it is not and that is known; row: of a Dataset of claims."""
    return row["why"].item() if row["verdict"].item() == NOT_REPRODUCED else ""
