"""Statistics over independent repeats with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from replication.claim import ERROR, FEWEST_REPEATS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import xarray as xr

    from logzoo.types import Array, ArrayLike
    from replication.types import Measure


RESAMPLES = 2000
QUANTILES = (0.025, 0.975)
# Normal deviate of a central 95% interval.
DEVIATE = 1.959963984540054
# Standard errors that the truth is shifted by: a size moves as much whichever the side, and no slope at 0 shows it.
_SHIFTS = np.array([-2.0, -1.0, 1.0, 2.0])
_TO_SCALE = {"linear": np.asarray, "log": np.log, "share": lambda share: np.arcsin(np.sqrt(np.clip(share, 0.0, 1.0)))}
_FROM_SCALE = {
    "linear": np.asarray,
    "log": np.exp,
    "share": lambda angle: np.sin(np.clip(angle, 0.0, np.pi / 2.0)) ** 2,
}
# The jackknife leaves out groups of repeats where there are more.
_MOST_GROUPS = 100


class Statistic(NamedTuple):
    """A number computed from artifacts, with its 95% interval.

    note: what the reader has to know beside what its claim says is measured. error, freedom: its standard error on
    `scale` and the degrees of freedom of that. number: how many cases a binomial share is of, 0 of other statistics.
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
    """The statistic that could not be computed."""
    return Statistic(np.nan, np.nan, np.nan, note)


def truth_of(truth: xr.Dataset) -> tuple[float, float]:
    """log Z taken as true and its standard error, nats; the error is infinite where its runs did not converge."""
    return float(truth["log_z"]), float(truth["std_error"]) if truth.attrs.get("converged", 1) else np.inf


def fixed_generator(key: int | Sequence[int]) -> np.random.Generator:
    """A generator that always makes the same resamples: a repeated figure or verdict is the same."""
    return np.random.Generator(np.random.Philox(key=key))


def resamples(replicates: int, generator: np.random.Generator) -> np.ndarray:
    """Places (resample, replicate) of replicates drawn with replacement.

    Of n replicates n - 1 are drawn, so that the variance of a mean comes out right however few there are (Rao & Wu
    1988).
    """
    return generator.integers(replicates, size=(RESAMPLES, max(replicates - 1, 1)))


def resampled(values: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Values (resample, ..., replicate) of the last axis of an array, at the places of `resamples`."""
    return np.moveaxis(values[..., chosen], -2, 0)


def over_repeats(
    statistic: Measure, *replicated: Array, note: str = "", scale: str = "linear", truth_error: float = 0.0
) -> Statistic:
    """`statistic(*replicated)` with its 95% interval over the last axis (repeat) of every array: independent repeats.

    The jackknife (Tukey 1958) with Student's quantiles: a repeat at a time is left out. Arrays are paired, and lose the
    same one, where all have equally many repeats; else each loses its own, and the degrees of freedom are Welch's
    (1947). scale: "log" of a positive statistic, "share" of one from 0 to 1 (the arcsine of its root): the interval is
    computed there. truth_error: standard error of a truth that all values are errors from: added is the most that the
    statistic moves by, per standard error, as the truth is shifted by up to two. The statistic takes arrays with a
    leading axis of samples and returns one number for each. Fewer than five repeats, and repeats that are all alike,
    have no interval.
    """
    value = float(statistic(*(array[None] for array in replicated))[0])
    repeats = min(array.shape[-1] for array in replicated)
    if not np.isfinite(value):
        return untested(note)
    if np.isinf(truth_error):
        return Statistic(value, np.nan, np.nan, joined(note, "no interval, as the runs of the truth did not converge"))
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
        return Statistic(value, np.nan, np.nan, joined(note, "no interval, as all repeats are alike"))
    spread = np.sum(variances**2 / freedoms)
    freedom = float(total**2 / spread if spread > 0.0 else freedoms.sum())
    error = float(np.sqrt(total))
    reach = _student(freedom) * error
    low, high = map(float, _FROM_SCALE[scale](np.array([center - reach, center + reach])))
    # Rounding must not put the value itself outside.
    return Statistic(value, min(low, value), max(high, value), note, error, freedom, scale)


def joined(*texts: str) -> str:
    """Texts that are not empty in one line."""
    return "; ".join(filter(None, texts))


def tail(statistic: Statistic, bound: float) -> float:
    """Two-sided tail probability of a bound under a statistic; NaN if the statistic has no interval."""
    from scipy.special import stdtr  # takes long to import, and every job of the workflow would wait for it

    if statistic.number:
        spread = np.sqrt(bound * (1.0 - bound) / statistic.number) if 0.0 < bound < 1.0 else 0.0
        far, freedom = abs(statistic.value - bound), np.inf
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            value, bound = _TO_SCALE[statistic.scale](np.array([statistic.value, bound]))
        # No value on a logarithmic scale is as low as 0.
        far, spread, freedom = np.nan_to_num(abs(value - bound), nan=np.inf), statistic.error, statistic.freedom
    if np.isnan(spread):
        return np.nan
    if spread == 0.0:
        return 1.0 if far == 0.0 else 0.0
    return float(2.0 * stdtr(freedom, -far / spread))


def _left_out(measured, replicated, losing):
    """Jackknife variance of a statistic, and its degrees of freedom, over the repeats of the arrays in `losing`.

    Many repeats are left out in groups, not singly.
    """
    repeats = replicated[losing[0]].shape[-1]
    count = min(repeats, _MOST_GROUPS)
    remaining = [np.flatnonzero(np.arange(repeats) % count != group) for group in range(count)]
    values = np.array(
        [
            measured(*((array[..., those] if i in losing else array)[None] for i, array in enumerate(replicated)))[0]
            for those in remaining
        ]
    )
    # On a logarithmic scale it is infinite if the remainder is 0.
    variance = (count - 1) / count * np.sum((values - values.mean()) ** 2) if np.isfinite(values).all() else np.inf
    return variance, count - 1


def _student(freedom):
    """Half-width of a 95% interval in standard errors, by Student's law."""
    from scipy.special import stdtrit  # takes long to import, and every job of the workflow would wait for it

    return float(stdtrit(freedom, QUANTILES[1]))


def holm(tails: Mapping[str, float]) -> dict[str, bool]:
    """Whether each claim keeps its verdict, {name: bool}, when all claims {name: tail probability} are tested
    together.

    At most 5% of whole families have any false verdict (Holm 1979). One without a tail probability counts as one that
    has none.
    """
    ordered = sorted(tails, key=lambda name: np.nan_to_num(tails[name], nan=1.0))
    holds = {}
    for rank, name in enumerate(ordered):
        # The first that fails takes all larger ones with it.
        holds[name] = all(holds.values()) and tails[name] <= ERROR / (len(ordered) - rank)
    return holds


def share(hits: Array, note: str = "") -> Statistic:
    """Share of hits with its binomial interval; NaN of none."""
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
    # Rounding must not put the share itself outside.
    return fraction, np.array([np.minimum(fraction, center - half), np.maximum(fraction, center + half)])


def mean_with_band(values: Array) -> tuple[Array, Array]:
    """Mean over the last axis (budget, replicate) and a 95% bootstrap band: (budget,), (2, budget)."""
    return _with_band(values, lambda sample: sample.mean(axis=-1))


def rmse_with_band(values: Array, truth: float) -> tuple[Array, Array]:
    """Root mean square error over replicates (budget, replicate) and its 95% bootstrap band: (budget,), (2, budget)."""
    return _with_band(values - truth, root_mean_square)


def root_mean_square(errors: Array, axis: int | tuple[int, ...] = -1) -> Array:
    """Root mean square over an axis, or several."""
    return np.sqrt((errors**2).mean(axis=axis))


def ratio_of_rmse(errors: Array, others: Array) -> Array:
    """Root mean square over all axes but the first (resample), over that of other errors."""
    above, below = (root_mean_square(array, _inner_axes(array)) for array in (errors, others))
    return above / below


def mean(values: Array) -> Array:
    """Mean over all axes but the first (resample)."""
    return values.mean(axis=_inner_axes(values))


def ratio_of_means(values: Array, others: Array) -> Array:
    """`mean` of values over that of others, NaN where both are 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return mean(values) / mean(others)


def ratio_of_sums(values: Array, others: Array) -> Array:
    """Sum of values over the last axis over that of others, NaN where both are 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return values.sum(axis=-1) / others.sum(axis=-1)


def difference_of_means(values: Array, others: Array) -> Array:
    """`mean` of values less that of others."""
    return mean(values) - mean(others)


def _inner_axes(array):
    return tuple(range(1, array.ndim))


def _with_band(values, statistic):
    chosen = resamples(values.shape[-1], fixed_generator(0))
    return statistic(values), np.quantile(statistic(resampled(values, chosen)), QUANTILES, axis=0)


def seconds_of_budgets(timings: xr.Dataset, estimator: str, budgets: ArrayLike) -> tuple[Array, float]:
    """Seconds (budget,) of an estimator, on the line through the measured times, and seconds of a sweep.

    timings: Dataset of `replication.papers.timing.estimators`; time is linear in sweeps beyond a fixed part, which is
    all of it where one budget was timed.
    """
    measured = timings["seconds"].sel(estimator=estimator)
    sweeps, seconds = measured["budget"].values.astype(float), measured.values
    # By hand: the last digit of `polyfit` depends on the processor.
    farther = sweeps - sweeps.mean()
    spread = float((farther**2).sum())
    # No estimate is faster for more sweeps: a shorter time is noise.
    rate = max(float((farther * seconds).sum()) / spread, 0.0) if spread else 0.0
    fixed = max(float(seconds.mean()) - rate * float(sweeps.mean()), 0.0)
    return fixed + rate * np.asarray(budgets), rate
