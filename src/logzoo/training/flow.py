"""The adaptive ladder of SML-APT: rungs move until the share of "up" replicas is linear in the number of the rung.

Sources: Desjardins, Courville & Bengio 2010 (adaptive parallel tempering) and Katzgraber, Trebst, Huse & Troyer 2006. A
replica gets its first label at the base end. It is "down" after a visit to this end, and "up" after a visit to the
model end (beta = 1). f_up is the share of "up" among the labelled replicas of a rung. f_up changes most where exchanges
fail. Rungs move there.

Replicas move ballistically if even and odd pairs are exchanged alternately. Let J / 2 be the flow: round trips per
sweep and ladder. If a share a of exchanges succeeds, f_up rises by J (1 - a) / a over an inner gap. It rises by J / 2
more over an end gap, because replicas are relabelled on arrival. A linear f_up would therefore shrink the end gaps to
zero if a > 2/3 at inner gaps. The feedback instead counts arrivals under their old label and adds J to every gap. f_up
then rises by J / a over a gap, as in the random walk that the rule assumes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from logzoo.checks import share, whole_number
from logzoo.io.checkpoints import Resumed
from logzoo.paths import inverse_temperatures

if TYPE_CHECKING:
    from logzoo.types import ArrayLike


_DOWN, _UP = 1, 2  # headings of replicas, as in `logzoo.kernels.tempering.count_crossing`
# The return time (of a round trip) starts at its value for this exchange rate.
_EXCHANGE_RATE_AT_START = 0.4
# Smallest gap, relative to the gaps of the linear ladder, so that float32 distinguishes the rungs.
_SMALLEST_GAP = 1e-3
_BURN_IN = 100  # smallest number of updates from one new rung to the next


class FlowLadder(Resumed):
    """Inverse temperatures `betas` (rung,) from 0 to 1, which adapt to the flow of replicas; k sweeps per update.

    rate: fraction of the way to the targets per update, limited to 1 / return time, because a faster ladder oscillates.
    spawn_below: mean exchange rate below which `spawn` inserts a rung. Raises ValueError for impossible settings.
    """

    _kept = ("betas", "share_up", "exchange_rates", "trip_rate", "trips_seen", "sweeps", "quiet")

    def __init__(self, betas: ArrayLike, rate: float, *, k: int = 1, spawn_below: float | None = None) -> None:
        self.betas = inverse_temperatures(betas, np.size(betas)).copy()
        self.rate, self.k = share("ladder_rate", rate), whole_number("k", k)
        self.spawn_below = None if spawn_below is None else share("spawn_below", spawn_below)
        rungs = self.betas.size
        self.share_up = np.linspace(0.0, 1.0, rungs)
        # Until exchanges are seen, all count as accepted.
        self.exchange_rates = np.ones(rungs - 1)
        failures = (rungs - 1) * (1.0 - _EXCHANGE_RATE_AT_START) / _EXCHANGE_RATE_AT_START
        # Round trips per replica and update: the rate of the even-odd scheme (Syed et al. 2019). The return time is its
        # inverse. All averages have this time constant in updates, or 2 updates if the return time is shorter.
        self.trip_rate = self.k / (rungs * (2.0 + 2.0 * failures))
        self.trips_seen = self.sweeps = self.quiet = 0

    @property
    def f_up(self) -> np.ndarray:
        """Share (rung,) of "up" among labelled replicas: 0 at the base end, 1 at the model end; linear at first."""
        return np.clip(self.share_up, 0.0, 1.0)

    @property
    def _flow(self) -> float:
        """Round trips per sweep and ladder."""
        return min(self.trip_rate * self.betas.size / self.k, 0.5)

    def _profile(self) -> np.ndarray:
        """The profile (rung,) that the moving rungs make linear: monotone f_up, corrected as in the module text."""
        from scipy.optimize import isotonic_regression  # a slow import, which only SML-APT needs

        profile = self.f_up
        profile[[0, -1]] = self._flow, 1.0 - self._flow
        return isotonic_regression(profile).x + 2.0 * self._flow * np.arange(profile.size)

    def update(self, rung: np.ndarray, heading: np.ndarray, round_trips: np.ndarray, exchanged: np.ndarray) -> None:
        """Update the flow from the replicas after a parameter update, and move the rungs.

        exchanged (pair,): mean acceptance probability of the exchanges in this update.
        """
        rungs, weight = self.betas.size, min(self.trip_rate, 0.5)
        self.sweeps += self.k
        up, down = (np.bincount(rung[heading == label], minlength=rungs) for label in (_UP, _DOWN))
        # Replicas move up from every other inner rung, and down from the rungs between. Replicas that move up have the
        # label "up" less often than replicas that move down, by twice the flow.
        expected = self.share_up + self._flow * np.where((np.arange(rungs) + self.sweeps) % 2 == 0, -1.0, 1.0)
        expected[[0, -1]] = 0.0, 1.0
        # Replicas without a label do not count, so a rung with only such replicas keeps its value.
        self.share_up = self.share_up + weight * (up - (up + down) * expected) * (rungs / rung.size)
        self.exchange_rates = self.exchange_rates + weight * (exchanged - self.exchange_rates)
        trips = int(round_trips.sum())
        # The time constant is the inverse of the rate itself, so the rate falls as 1 / updates until a round trip.
        self.trip_rate += weight * ((trips - self.trips_seen) / rung.size - self.trip_rate)
        self.trips_seen, self.quiet = trips, max(0, self.quiet - 1)
        self.betas = moved_towards(linearising(self.betas, self._profile()), self.betas, min(self.rate, weight))

    def spawn(self) -> int | None:
        """Insert a rung in the middle of the gap where the profile rises most, if exchanges are rare.

        Returns the number of the rung, or None. Its replicas start without label or round trips.
        """
        if self.spawn_below is None or self.quiet > 0 or self.exchange_rates.mean() >= self.spawn_below:
            return None
        new = int(np.argmax(np.diff(self._profile()))) + 1
        self.betas = np.insert(self.betas, new, 0.5 * (self.betas[new - 1] + self.betas[new]))
        self.share_up = np.insert(self.share_up, new, 0.5 * (self.share_up[new - 1] + self.share_up[new]))
        # In half the gap, about half as many exchanges fail.
        self.exchange_rates = np.insert(self.exchange_rates, new, 0.5 * (1.0 + self.exchange_rates[new - 1]))
        self.exchange_rates[new - 1] = self.exchange_rates[new]
        self.quiet = _BURN_IN
        return new


def linearising(betas: np.ndarray, profile: np.ndarray) -> np.ndarray:
    """Inverse temperatures (rung,) at which a monotone profile (rung,) would be linear in the rung's index."""
    targets = np.interp(np.linspace(profile[0], profile[-1], betas.size), profile, betas)
    # A profile that is flat at an end would move that end.
    targets[[0, -1]] = betas[[0, -1]]
    return targets


def moved_towards(targets: np.ndarray, betas: np.ndarray, rate: float) -> np.ndarray:
    """`betas` (rung,) moved by the fraction `rate` towards the targets. Gaps stay positive; ends stay 0 and 1."""
    moved = betas + rate * (targets - betas)
    smallest = _SMALLEST_GAP / (betas.size - 1)
    if np.diff(moved).min() < smallest:
        reached = np.cumsum(np.maximum(np.diff(moved), smallest))
        moved[1:] = reached / reached[-1]
    return moved
