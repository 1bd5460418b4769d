"""A published claim: the statement, the statistic, its bounds, and the experiment sizes here and in the paper.

A claim is fixed before the first draw. docs/protocol.md is generated from these entries and the configuration.
"""

import math
from itertools import count
from statistics import NormalDist
from typing import NamedTuple

# Levels of replication.
PUBLISHED_SIZE = "at the published size"
REDUCED = "reduced"
EXPLORATORY = "exploratory"
BOUNDS = ("at_least", "at_most")
# Scales on which intervals, tail probabilities and powers are computed.
SCALES = {"linear": lambda value: value, "log": math.log, "share": lambda value: math.asin(math.sqrt(value))}
# Two-sided error of a verdict, and the power for which the number of repeats is chosen.
ERROR, POWER = 0.05, 0.8
# Fewest independent repeats for a verdict, except on a binomial share. With fewer, the estimate of their spread is too
# uncertain.
FEWEST_REPEATS = 5
# Factor that the protocol names as the effect if a paper prints no number. A claim may assume another effect.
LEAST_FACTOR = 1.25
_NORMAL = NormalDist()


class Power(NamedTuple):
    """Inputs of the power of a verdict.

    effect: value of the statistic if the paper is right. spread: standard error of the statistic times the square root
    of the number of repeats. The standard error applies on the scale of the claim: to the logarithm of the statistic
    for "log", and to the arcsine of the square root for "share". source: origin of both numbers.
    """

    effect: float
    spread: float
    source: str


class Claim(NamedTuple):
    """The statement of a paper, and the bounds of the statistic that decides it.

    A claim without bounds gets no verdict. Its estimate is shown beside the published value. A claim without `where` is
    a diagnostic of ours. No paper makes it, and it has no bounds.
    """

    text: str
    where: str = ""  # section, page, figure or table of the paper
    published: str = "-"
    measured: str = ""  # the statistic, in words
    at_least: float | None = None
    at_most: float | None = None
    bound: str = ""  # the words of the paper that the bounds are read from
    scale: str = "linear"  # a key of SCALES
    power: Power | None = None
    not_tested: str = ""
    why: str = ""  # the cause, if the claim is not reproduced

    @property
    def bounds(self) -> dict[str, float]:
        """The claimed bounds of the statistic, by the names "at_least" and "at_most"; empty without bounds."""
        return {name: bound for name in BOUNDS if (bound := getattr(self, name)) is not None}


class Size(NamedTuple):
    """The size of the experiment behind a claim.

    settings: {name: (value here, value in the paper)}. The value in the paper is None if it is not stated. repeats:
    independent repeats of the statistic. trainings: independent trainings behind the statistic, 0 if no model is
    trained here. exploratory: reason for a setting that the paper does not name, empty without such a setting.
    """

    settings: dict[str, tuple[float, float | None]]
    repeats: int
    trainings: int = 0
    exploratory: str = ""

    @property
    def level(self) -> str:
        """The level of replication: at the published size (or larger), reduced, or exploratory."""
        if self.exploratory:
            return EXPLORATORY
        reduced = any(paper is not None and here < paper for here, paper in self.settings.values())
        return REDUCED if reduced else PUBLISHED_SIZE

    @property
    def words(self) -> str:
        """The sizes here and in the paper, in words."""
        texts = [
            f"{what} {_number(here)}" + ("" if paper is None or paper == here else f" of {_number(paper)}")
            for what, (here, paper) in self.settings.items()
        ]
        return "; ".join(filter(None, [*texts, self.exploratory]))


def power_of(claim: Claim, repeats: int) -> float:
    """Probability that the claim is reproduced if the effect in `claim.power` is true; NaN without `claim.power`.

    With fewer than `FEWEST_REPEATS` repeats the power is 0. Otherwise it is the power of a t-test against the nearer
    bound, by the normal approximation of the noncentral t distribution (Johnson & Welch 1940).
    Raises ValueError if the effect is not within the bounds.
    """
    if claim.power is None:
        return math.nan
    if repeats < FEWEST_REPEATS:
        return 0.0
    freedom = repeats - 1
    shift, quantile = _distance(claim) * math.sqrt(repeats) / claim.power.spread, _student_quantile(freedom)
    return _NORMAL.cdf((shift - quantile * (1.0 - 0.25 / freedom)) / math.sqrt(1.0 + 0.5 * quantile**2 / freedom))


def _student_quantile(freedom: int) -> float:
    """The quantile of Student's t distribution at 1 - ERROR / 2, by the Cornish-Fisher expansion."""
    # Importing scipy instead would delay every start of the workflow.
    z = _NORMAL.inv_cdf(1.0 - ERROR / 2.0)
    first, second = (z**3 + z) / 4.0, (5.0 * z**5 + 16.0 * z**3 + 3.0 * z) / 96.0
    third = (3.0 * z**7 + 19.0 * z**5 + 17.0 * z**3 - 15.0 * z) / 384.0
    return z + first / freedom + second / freedom**2 + third / freedom**3


def fewest_repeats(claim: Claim) -> int:
    """The smallest number of repeats, at least `FEWEST_REPEATS`, with a power of at least 80%; needs `claim.power`."""
    return next(repeats for repeats in count(FEWEST_REPEATS) if power_of(claim, repeats) >= POWER)


def _distance(claim: Claim) -> float:
    """Distance from the effect to the nearer bound, on the claim's scale; ValueError if the effect is out of bounds."""
    on_scale, effect = SCALES[claim.scale], math.nan if claim.power is None else claim.power.effect
    least, most = claim.bounds.get("at_least", -math.inf), claim.bounds.get("at_most", math.inf)
    if not least < effect < most:
        raise ValueError(f"claim {claim.text!r}: expected an effect within its bounds, found {effect:g}")
    return min(abs(on_scale(effect) - on_scale(bound)) for bound in claim.bounds.values())


def _number(value):
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"
