"""BAR and PT-MBAR: log Z from parallel tempering, by bridges between neighbouring rungs or from log f at all rungs.

BAR (Bennett 1976; Meng & Wong 1996; Desjardins, Courville & Bengio 2011, section 3.3) builds a bridge between the
densities f_i and f_{i+1} of neighbouring rungs: q* = f_i f_{i+1} / (s f_i + f_{i+1}), with s near Z_{i+1} / Z_i. Then
Z_{i+1} / Z_i = mean u / mean v. Here u = q* / f_i at the states of rung i, and v = q* / f_{i+1} at the states of rung
i + 1. log Z is log Z_1 + sum_i log(Z_{i+1} / Z_i). Cost of a sweep: one Gibbs sweep and log f at three rungs.
Stepping stones (Xie et al. 2011) are computed as well. On average, sum_i log mean f_{i+1} / f_i over rung i is low, and
-sum_i log mean f_i / f_{i+1} over rung i + 1 is high.

PT-MBAR is MBAR (Shirts & Chodera 2008) from running sums. Let Zhat_k be a fixed guess of Z_k, and q_k(x) be
f_k(x) / Zhat_k divided by sum_l f_l(x) / Zhat_l. O_lk is the mean of q_k over the states of rung l. On average
(Z_l / Zhat_l) O_lk equals (Z_k / Zhat_k) O_kl. The stationary vector of O is therefore proportional to Z_k / Zhat_k for
any Zhat. Cost: as for BAR, plus log f at all rungs after every second sweep.
"""

from typing import Any

import numpy as np
from scipy.special import expit, log_expit, logsumexp

from logzoo.estimators.estimator import Draws
from logzoo.estimators.intervals import jackknife_error, sums_left_out
from logzoo.estimators.result import Estimate, estimate_from
from logzoo.estimators.tempering_estimates import FLOOR
from logzoo.estimators.transitions import smoothed, stationary
from logzoo.models.rbm import RBM
from logzoo.samplers.replica_exchange import ParallelTemperingDraws, Steps
from logzoo.types import Floats

# Smallest number of ladders for a spread over ladders. The run of fewer ladders is divided into blocks.
_FEWEST_LADDERS = 5
_BLOCKS = 10
# Smallest mean number of round trips of a replica, and smallest share of successful exchanges of a pair of rungs.
_FEWEST_ROUND_TRIPS = 1.0
_LEAST_EXCHANGE = 0.02
# Largest distance in nats of a log ratio from the log s of its bridge. Beyond it the decisive states are too rare to be
# drawn.
_LARGEST_OFFSET = 3.0
# Largest argument of the exponential of a stepping stone, so that sums stay finite.
_LARGEST_LOG = 600.0
_BISECTIONS = 80


def read(draws: Draws) -> Estimate:
    """The Estimate of `Draws` by BAR; see `from_bridges`."""
    return from_bridges(draws.rbm, draws.sample, draws.observed[BridgeSums])


def from_bridges(rbm: RBM, draws: ParallelTemperingDraws, sums: "BridgeSums") -> Estimate:
    """The Estimate from ParallelTemperingDraws and the BridgeSums of their run.

    The error is the jackknife error over independent ladders, or over blocks of the run for fewer than five ladders.
    Raises ValueError for a single ladder with only one sweep in the sampling phase.
    """
    parts = sums.parts()
    log_ratios = sums.log_ratios(parts.sum(axis=0))
    left_out = sums.log_ratios(sums_left_out(parts)).sum(axis=1)
    return estimate_of_exchanges(rbm, draws, sums, log_ratios, left_out)


def estimate_of_exchanges(
    rbm: RBM, draws: ParallelTemperingDraws, sums: "BridgeSums", log_ratios: Floats, left_out: Floats
) -> Estimate:
    """The Estimate from log_ratios (pair,) of neighbouring Z, with the jackknife error over parts of the run.

    left_out (part,): log(Z_K / Z_1) with one part left out. Raises ValueError for a single part.
    """
    if len(left_out) < 2:
        raise ValueError("sweeps: expected at least 2 after the burn-in for the spread of a single ladder, found 1")
    log_z, std_error = draws.log_z_base + float(log_ratios.sum()), jackknife_error(left_out)
    offset = float(np.abs(log_ratios - sums.log_s).max())
    gap, gap_error = sums.sandwich()
    round_trips, exchange_rate = float(draws.round_trips.mean()), float(draws.exchange_rates.min())
    signs = {
        # A standard error of 0 is right only for independent units.
        "one-way": std_error == 0.0 and bool(rbm.weights.any()),
        "no-round-trips": round_trips < _FEWEST_ROUND_TRIPS,
        "few-exchanges": exchange_rate < _LEAST_EXCHANGE,
        "bridge-off": offset > _LARGEST_OFFSET,
    }
    return estimate_from(
        log_z,
        std_error,
        len(left_out),
        signs,
        diagnostics={
            "exchange_rate": exchange_rate,
            "round_trips": round_trips,
            "round_trip_share": draws.round_trip_share,
            "bridge_offset": offset,
            "sandwich_gap": gap,
            "sandwich_error": gap_error,
        },
    )


class BridgeSums:
    """Observer of parallel tempering: it sums u and s v of neighbouring rungs, at the s that the burn-in found.

    Any s that does not depend on the draws gives a consistent ratio. The variance is smallest near s = Z_{i+1} / Z_i,
    where an error of s has a second-order effect. The burn-in therefore improves s repeatedly. The sums of the sampling
    phase use the last s and take constant memory. Without a burn-in, s comes from the first call of `add`.
    """

    def start(self, ladders: int, rungs: int, sweeps: int) -> None:
        """Begin a run whose sampling phase has `sweeps` sweeps."""
        self.log_s: Any = None
        self._pilot = np.full((2, rungs - 1), -np.inf)
        self._stretches = 0
        self._sweeps, self._done = sweeps, 0
        self.blocks = 1 if ladders >= _FEWEST_LADDERS else min(_BLOCKS, sweeps)
        self._sums = np.zeros((self.blocks, ladders, 5, rungs - 1))

    def add(self, steps: Steps) -> None:
        """Add a stretch (consecutive sweeps): improve s in the burn-in, and add to the sums later."""
        up, down = (values.reshape(-1, values.shape[-1]) for values in (steps.up, steps.down))
        if self.log_s is None:
            self.log_s = bridge_root(up, down)
        if steps.burn_in:
            self._improve(up, down)
            return
        above, below = steps.up - self.log_s, self.log_s - steps.down
        stones = (np.exp(np.minimum(values, _LARGEST_LOG)) for values in (above, below))
        terms = np.stack([expit(above), expit(below), *stones, np.ones(above.shape)], axis=2)
        block = (self._done + np.arange(above.shape[1])) * len(self._sums) // self._sweeps
        for number in np.unique(block):
            self._sums[number] += terms[:, block == number].sum(axis=1)
        self._done += above.shape[1]

    def _improve(self, up, down):
        """Set s to mean u / mean v over the stretches since the last stretch whose number is a power of two."""
        self._stretches += 1
        if self._stretches & (self._stretches - 1) == 0:
            self._pilot[:] = -np.inf
        # The second row sums s v, so it is scaled below to the new s.
        log_sums = np.stack(
            [logsumexp(log_expit(up - self.log_s), axis=0), logsumexp(log_expit(self.log_s - down), axis=0)]
        )
        self._pilot = np.logaddexp(self._pilot, log_sums)
        step = self._pilot[0] - self._pilot[1]
        self.log_s += step
        self._pilot[1] += step

    def parts(self) -> Floats:
        """Sums (part, 5, pair) over parts of the run: ladders, or blocks of each ladder.

        The five summed numbers are u, s v, the stepping stones f_{i+1} / (s f_i) upwards and s f_i / f_{i+1} downwards,
        and 1.
        """
        return self._sums.reshape(-1, *self._sums.shape[2:])

    def log_ratios(self, sums: Floats) -> Floats:
        """log(Z_{i+1} / Z_i) (..., pair) in nats from sums (..., 5, pair)."""
        logs = np.log(np.maximum(sums, FLOOR))
        return self.log_s + logs[..., 0, :] - logs[..., 1, :]

    def sandwich(self) -> tuple[float, float]:
        """log Z by downward stepping stones minus log Z by upward stones, in nats, and the error of this difference.

        The difference is above 0 on average, and small if the draws suffice (Xie et al. 2011).
        """
        parts = self.parts()
        return float(_gap(parts.sum(axis=0))), jackknife_error(_gap(sums_left_out(parts)))


def _gap(sums):
    """The gap (...) of `BridgeSums.sandwich` in nats, from sums (..., 5, pair)."""
    logs = np.log(np.maximum(sums, FLOOR))
    return np.sum(2.0 * logs[..., 4, :] - logs[..., 3, :] - logs[..., 2, :], axis=-1)


def bridge_root(up: Floats, down: Floats) -> Floats:
    """The log s (pair,) at which mean u / mean v = s, with u and v as in the module docstring.

    up, down (draw, pair), in nats: log f_{i+1} - log f_i at equally many draws of rung i and of rung i + 1.
    log s is the root C of sum expit(up - C) = sum expit(C - down), found by bisection (Bennett 1976, eq 12).
    """
    low = np.minimum(up.min(axis=0), down.min(axis=0))
    high = np.maximum(up.max(axis=0), down.max(axis=0))
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        above = expit(middle - down).sum(axis=0) > expit(up - middle).sum(axis=0)
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return 0.5 * (low + high)


def read_overlaps(draws: Draws) -> Estimate:
    """The Estimate of `Draws` by PT-MBAR, with the jackknife error and the exceptions of `from_bridges`."""
    observer = draws.observed[OverlapSums]
    parts, ratios = observer.overlaps(), observer.overlap_ratios
    left_out = np.array([ratios(sums).sum() for sums in sums_left_out(parts)])
    return estimate_of_exchanges(draws.rbm, draws.sample, observer, ratios(parts.sum(axis=0)), left_out)


class OverlapSums(BridgeSums):
    """Observer of parallel tempering that also sums q at every rung, with log Zhat from the bridges."""

    every = 2

    def start(self, ladders: int, rungs: int, sweeps: int) -> None:
        """Begin a run whose sampling phase has `sweeps` sweeps."""
        super().start(ladders, rungs, sweeps)
        self._overlaps = np.zeros((self.blocks, ladders, rungs, rungs))

    def add(self, steps: Steps) -> None:
        """Add a stretch of sweeps."""
        first = self._done
        super().add(steps)
        if steps.burn_in:
            return
        log_q = steps.log_f - np.append(0.0, np.cumsum(self.log_s))
        q = np.exp(log_q - log_q.max(axis=-1, keepdims=True))
        q /= q.sum(axis=-1, keepdims=True)
        stretch = steps.up.shape[1]
        sweep = first + np.minimum(self.every * np.arange(1, q.shape[1] + 1), stretch) - 1
        np.add.at(self._overlaps, sweep * self.blocks // self._sweeps, q.swapaxes(0, 1))

    def overlaps(self) -> Floats:
        """Sums (part, rung l, rung k) of q_k over states of rung l after every second sweep; parts as in `parts`."""
        return self._overlaps.reshape(-1, *self._overlaps.shape[2:])

    def overlap_ratios(self, sums: Floats) -> Floats:
        """log(Z_{k+1} / Z_k) (pair,) in nats from sums (rung, rung)."""
        return self.log_s + np.diff(np.log(stationary(smoothed(sums))))
