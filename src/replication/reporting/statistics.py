"""Statistics of independent repeats with 95% intervals."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from logzoo.types import Array, ArrayLike
from replication.claim import ERROR, FEWEST_REPEATS
from replication.types import Dataset, Measure

RESAMPLES = 2000
QUANTILES = (0.025, 0.975)
# Normal deviate of a central 95% interval.
DEVIATE = 1.959963984540054
# Shifts of the truth in units of its standard error. A derivative at 0 is not enough: it is 0 for an RMSE that grows
# equally for both signs.
_SHIFTS = np.array([-2.0, -1.0, 1.0, 2.0])
_TO_SCALE = {"linear": np.asarray, "log": np.log, "share": lambda share: np.arcsin(np.sqrt(np.clip(share, 0.0, 1.0)))}
_FROM_SCALE = {
    "linear": np.asarray,
    "log": np.exp,
    "share": lambda angle: np.sin(np.clip(angle, 0.0, np.pi / 2.0)) ** 2,
}
# With more repeats than this, the jackknife leaves out groups of repeats.
_MOST_GROUPS = 100


class Statistic(NamedTuple):
    """A number computed from artifacts, with its 95% interval.

    note: a remark for readers beside the `measured` text of the claim. error, freedom: the standard error on `scale`,
    and its degrees of freedom. number: the number of cases behind a binomial share, 0 for other statistics.
    """

    value: float
    low: float
    high: float
    note: str = ""
    error: float = np.nan
    freedom: float = np.inf
    scale: str = "linear"
    number: int = 0


def untested(note: str = "") -> Statistic:
    """A statistic that could not be computed: NaN, with the reason as its note."""
    return Statistic(np.nan, np.nan, np.nan, note)


def truth_of(truth: Dataset) -> tuple[float, float]:
    """True log Z and its standard error, nats; the error is infinite if the runs of the truth did not converge."""
    return float(truth["log_z"]), float(truth["std_error"]) if truth.attrs.get("converged", 1) else np.inf


def fixed_generator(key: int | Sequence[int]) -> np.random.Generator:
    """A generator with a fixed seed, so that repeated figures and verdicts use the same resamples."""
    return np.random.Generator(np.random.Philox(key=key))


def resamples(replicates: int, generator: np.random.Generator) -> np.ndarray:
    """Indices (resample, replicate) of replicates drawn with replacement.

    A resample of n replicates has n - 1 draws. The variance of a mean is then unbiased for any n (Rao & Wu 1988).
    """
    return generator.integers(replicates, size=(RESAMPLES, max(replicates - 1, 1)))


def over_repeats(
    statistic: Measure, *replicated: Array, note: str = "", scale: str = "linear", truth_error: float = 0.0
) -> Statistic:
    """`statistic(*replicated)` with its 95% interval; the last axis of every array holds independent repeats.

    The interval comes from the jackknife (Tukey 1958) with quantiles of Student's t distribution. If all arrays have
    the same number of repeats, the arrays are paired, and the same repeat is left out of all of them. Otherwise repeats
    are left out of one array at a time, with Welch's degrees of freedom (1947). scale: scale of the interval, "log" for
    positive statistics, "share" for shares (arcsine of the root). truth_error: standard error of the truth, if all
    values are errors relative to the truth. The truth is then shifted by up to two standard errors. The largest change
    of the statistic per standard error is added in quadrature to the error of the statistic. `statistic` takes arrays
    with a leading axis of samples, and returns a number for each sample. A value that is not finite becomes NaN. There
    is no interval for fewer than five repeats, for an infinite `truth_error`, or if the error of the statistic is zero
    or not finite.
    """
    from scipy.special import stdtrit  # takes long to import, and every job of the workflow would wait for it

    value = float(statistic(*(array[None] for array in replicated))[0])
    repeats = min(array.shape[-1] for array in replicated)
    if not np.isfinite(value):
        return untested(note)
    if np.isinf(truth_error):
        return Statistic(value, np.nan, np.nan, joined(note, "no interval: the runs of the truth did not converge"))
    if repeats < FEWEST_REPEATS:
        return Statistic(value, np.nan, np.nan, joined(note, f"no interval from {repeats} repeats"))

    def measured(*arrays):
        values = np.asarray(statistic(*arrays), float)
        with np.errstate(divide="ignore", invalid="ignore"):
            return _TO_SCALE[scale](values)

    paired = len({array.shape[-1] for array in replicated}) == 1
    every = range(len(replicated))
    parts = [
        _left_out(measured, replicated, losing) for losing in ([every] if paired else [[number] for number in every])
    ]
    variances, freedoms = np.array(parts).T
    total = variances.sum()
    center = measured(*(array[None] for array in replicated))[0]
    if truth_error:
        shifted = [measured(*(array[None] + by * truth_error for array in replicated))[0] for by in _SHIFTS]
        total = total + np.max(np.abs((np.array(shifted) - center) / _SHIFTS)) ** 2
    if not np.isfinite([center, total]).all():
        return Statistic(value, np.nan, np.nan, note)
    if total == 0.0:
        return Statistic(value, np.nan, np.nan, joined(note, "no interval: all repeats are equal"))
    spread = np.sum(variances**2 / freedoms)
    freedom = float(total**2 / spread if spread > 0.0 else freedoms.sum())
    error = float(np.sqrt(total))
    reach = float(stdtrit(freedom, QUANTILES[1])) * error
    low, high = map(float, _FROM_SCALE[scale](np.array([center - reach, center + reach])))
    # Rounding could put the value outside of its interval.
    return Statistic(value, min(low, value), max(high, value), note, error, freedom, scale)


def joined(*texts: str) -> str:
    """The non-empty texts in one line, separated by semicolons."""
    return "; ".join(filter(None, texts))


def tail(statistic: Statistic, bound: float) -> float:
    """Two-sided tail probability of a statistic if its true value is `bound`; NaN if it has no interval."""
    from scipy.special import stdtr  # takes long to import

    if statistic.number:
        spread = np.sqrt(bound * (1.0 - bound) / statistic.number) if 0.0 < bound < 1.0 else 0.0
        far, freedom = abs(statistic.value - bound), np.inf
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            value, bound = _TO_SCALE[statistic.scale](np.array([statistic.value, bound]))
        # On a logarithmic scale a bound of 0 or less is infinitely far away.
        far, spread, freedom = np.nan_to_num(abs(value - bound), nan=np.inf), statistic.error, statistic.freedom
    if np.isnan(spread):
        return np.nan
    if spread == 0.0:
        return 1.0 if far == 0.0 else 0.0
    return float(2.0 * stdtr(freedom, -far / spread))


def _left_out(measured, replicated, losing):
    """Jackknife variance and degrees of freedom, over repeats (or groups) of the arrays numbered in `losing`."""
    repeats = replicated[losing[0]].shape[-1]
    count = min(repeats, _MOST_GROUPS)
    remaining = [np.flatnonzero(np.arange(repeats) % count != group) for group in range(count)]
    values = np.array(
        [
            measured(*((array[..., those] if i in losing else array)[None] for i, array in enumerate(replicated)))[0]
            for those in remaining
        ]
    )
    # On a logarithmic scale the value is infinite if the statistic of the remaining repeats is 0.
    if not np.isfinite(values).all():
        return np.inf, count - 1
    # Equal repeats differ by the rounding of their means.
    if np.ptp(values) <= 8.0 * np.finfo(float).eps * np.abs(values).max():
        return 0.0, count - 1
    return (count - 1) / count * np.sum((values - values.mean()) ** 2), count - 1


def holm(tails: Mapping[str, float]) -> dict[str, bool]:
    """Returns {name: whether the claim keeps its verdict} when all claims {name: tail probability} are tested together.

    The probability of any false verdict among the claims is at most 5% (Holm 1979). A claim with a tail probability of
    NaN keeps no verdict.
    """
    ordered = sorted(tails, key=lambda name: np.nan_to_num(tails[name], nan=1.0))
    holds = {}
    for rank, name in enumerate(ordered):
        # If a claim fails, all claims with larger tail probabilities fail as well.
        holds[name] = all(holds.values()) and tails[name] <= ERROR / (len(ordered) - rank)
    return holds


def share(hits: Array, note: str = "") -> Statistic:
    """Share of hits with its binomial interval; NaN for an empty array."""
    if hits.size == 0:
        return untested(note)
    value, (low, high) = share_with_interval(np.count_nonzero(hits), hits.size)
    return Statistic(float(value), float(low), float(high), joined(note, f"of {hits.size}"), number=int(hits.size))


def share_with_interval(hits: ArrayLike, number: ArrayLike) -> tuple[Array, Array]:
    """Share of hits and its 95% interval (Wilson 1927; Brown, Cai & DasGupta 2001); NaN where the number is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        fraction, squared = np.divide(hits, number), np.divide(DEVIATE**2, number)
        center = (fraction + 0.5 * squared) / (1.0 + squared)
        half = np.sqrt(fraction * (1.0 - fraction) * squared + 0.25 * squared**2) / (1.0 + squared)
    # Rounding could put the share outside of its interval.
    return fraction, np.array([np.minimum(fraction, center - half), np.maximum(fraction, center + half)])


def mean_with_band(values: Array) -> tuple[Array, Array]:
    """The mean of values (budget, replicate) over replicates, and its 95% bootstrap band (2, budget)."""
    return _with_band(values, lambda sample: sample.mean(axis=-1))


def rmse_with_band(values: Array, truth: float) -> tuple[Array, Array]:
    """The RMSE of values (budget, replicate) over replicates, and its 95% bootstrap band (2, budget)."""
    return _with_band(values - truth, root_mean_square)


def root_mean_square(errors: Array, axis: int | tuple[int, ...] = -1) -> Array:
    """Root mean square over one or several axes."""
    return np.sqrt((errors**2).mean(axis=axis))


def ratio_of_rmse(errors: Array, others: Array) -> Array:
    """RMS of `errors` divided by the RMS of `others`, each over all axes but the first (sample)."""
    above, below = (root_mean_square(array, _inner_axes(array)) for array in (errors, others))
    return above / below


def mean(values: Array) -> Array:
    """Mean over all axes but the first (sample)."""
    return values.mean(axis=_inner_axes(values))


def ratio_of_means(values: Array, others: Array) -> Array:
    """`mean` of `values` divided by `mean` of `others`; NaN where both are 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return mean(values) / mean(others)


def ratio_of_sums(values: Array, others: Array) -> Array:
    """Sum of `values` divided by the sum of `others`, each along the last axis; NaN where both are 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return values.sum(axis=-1) / others.sum(axis=-1)


def difference_of_means(values: Array, others: Array) -> Array:
    """`mean` of `values` minus `mean` of `others`."""
    return mean(values) - mean(others)


def _inner_axes(array):
    return tuple(range(1, array.ndim))


def _with_band(values, statistic):
    """The statistic and its band; NaN in the band of fewer than five replicates, whose bootstrap is too narrow."""
    if values.shape[-1] < FEWEST_REPEATS:
        return statistic(values), np.full((2, *values.shape[:-1]), np.nan)
    chosen = resamples(values.shape[-1], fixed_generator(0))
    return statistic(values), np.quantile(statistic(np.moveaxis(values[..., chosen], -2, 0)), QUANTILES, axis=0)


def seconds_of_budgets(timings: Dataset, estimator: str, budgets: ArrayLike) -> tuple[Array, float]:
    """Seconds of an estimator at `budgets`, from a line fitted to measured times, and seconds per sweep.

    timings: Dataset of `replication.papers.timing.estimators`. The line is a fixed time plus a time per sweep. With a
    single timed budget all time counts as fixed.
    """
    measured = timings["seconds"].sel(estimator=estimator)
    sweeps, seconds = measured["budget"].values.astype(float), measured.values
    # `polyfit` is not used, because its last digit depends on the processor.
    farther = sweeps - sweeps.mean()
    spread = float((farther**2).sum())
    # A negative slope is noise, because more sweeps cannot take less time.
    rate = max(float((farther * seconds).sum()) / spread, 0.0) if spread else 0.0
    fixed = max(float(seconds.mean()) - rate * float(sweeps.mean()), 0.0)
    return fixed + rate * np.asarray(budgets), rate
