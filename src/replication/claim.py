"""A published claim: what the paper says, what is measured of it, what decides it, and at which size.

A claim is fixed before the first draw: docs/protocol.md is made from these entries and the configuration.
"""

import math
from statistics import NormalDist
from typing import NamedTuple

# Levels of replication.
PUBLISHED_SIZE = "at the published size"
REDUCED = "reduced"
EXPLORATORY = "exploratory"
BOUNDS = ("at_least", "at_most")
# Scales on which intervals, tail probabilities and powers are computed.
SCALES = {"linear": lambda value: value, "log": math.log, "share": lambda value: math.asin(math.sqrt(value))}
# Two-sided error of a verdict, and the power that the repeats are chosen for.
ERROR, POWER = 0.05, 0.8
# The effect that a claim is powered for where its paper prints no number.
LEAST_FACTOR = 1.25
_NORMAL = NormalDist()


class Power(NamedTuple):
    """What the power of a verdict is computed from, on the scale of the claim.

    effect: value of the statistic if the paper is right. spread: standard error of the statistic times the square root
    of the repeats (of a ratio: of its logarithm; of a share: of the arcsine of its root). source: where both are from.
    """

    effect: float
    spread: float
    source: str


class Claim(NamedTuple):
    """What a paper claims, and the bounds of a statistic that decide it.

    Without bounds it is an estimate beside the published value, without a verdict. Without `where` no paper says so: it
    is a diagnostic of ours, and has no bounds.
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
    why: str = ""  # the cause, where the claim is not reproduced

    @property
    def bounds(self) -> dict[str, float]:
        """The claimed bounds of the statistic: {"at_least": number, "at_most": number}, or one of them."""
        return {name: bound for name in BOUNDS if (bound := getattr(self, name)) is not None}


class Size(NamedTuple):
    """How large the experiment behind a claim is.

    settings: {what: (here, in the paper)}; None where the paper does not say. repeats: independent repeats of the
    statistic. trainings: independent trainings it rests on, 0 where the model is published or known. exploratory: why
    the setting is ours, where the paper names none.
    """

    settings: dict[str, tuple[float, float | None]]
    repeats: int
    trainings: int = 0
    exploratory: str = ""

    @property
    def level(self) -> str:
        """Whether the size is the published one (or larger), a reduced one, or that of a setting of ours."""
        if self.exploratory:
            return EXPLORATORY
        reduced = any(paper is not None and here < paper for here, paper in self.settings.values())
        return REDUCED if reduced else PUBLISHED_SIZE

    @property
    def words(self) -> str:
        """Sizes here and in the paper."""
        texts = [
            f"{what} {_number(here)}" + ("" if paper is None or paper == here else f" of {_number(paper)}")
            for what, (here, paper) in self.settings.items()
        ]
        return "; ".join([*texts, *([self.exploratory] if self.exploratory else [])])


def power_of(claim: Claim, repeats: int) -> float:
    """Probability of a verdict for the claim if its `effect` is true; NaN where no power is declared."""
    if claim.power is None:
        return math.nan
    distance = _distance(claim)
    return _NORMAL.cdf(distance * math.sqrt(repeats) / claim.power.spread - _NORMAL.inv_cdf(1.0 - ERROR / 2.0))


def fewest_repeats(claim: Claim) -> int:
    """The repeats that a power of 80% takes."""
    if claim.power is None:
        raise ValueError(f"claim {claim.text!r}: expected a power, found none")
    deviates = _NORMAL.inv_cdf(1.0 - ERROR / 2.0) + _NORMAL.inv_cdf(POWER)
    return math.ceil((deviates * claim.power.spread / _distance(claim)) ** 2)


def _distance(claim: Claim) -> float:
    """From the effect to the nearer bound. Raises ValueError for an effect that is not within the bounds."""
    on_scale, effect = SCALES[claim.scale], math.nan if claim.power is None else claim.power.effect
    least, most = claim.bounds.get("at_least", -math.inf), claim.bounds.get("at_most", math.inf)
    if not least < effect < most:
        raise ValueError(f"claim {claim.text!r}: expected an effect within its bounds, found {effect:g}")
    return min(abs(on_scale(effect) - on_scale(bound)) for bound in claim.bounds.values())


def _number(value):
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"
