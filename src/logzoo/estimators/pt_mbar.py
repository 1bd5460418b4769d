"""PT-MBAR: parallel tempering read at all rungs.

MBAR (Shirts & Chodera 2008) in a form that streams. At frozen log Zhat, q_k(x) = f_k(x) / Zhat_k / sum_l f_l(x) /
Zhat_l; O_lk, the mean of q_k over the states of rung l, obeys Z_l / Zhat_l O_lk = Z_k / Zhat_k O_kl on average. So its
stationary vector is proportional to Z_k / Zhat_k, whatever Zhat. Cost: that of BAR, and log f at all rungs after every
second sweep.
"""

import numpy as np

from logzoo.estimators.bar import BridgeSums, estimate_of_exchanges
from logzoo.estimators.intervals import sums_left_out
from logzoo.estimators.transitions import smoothed, stationary


def read(draws):
    """The Estimate of `Draws` of parallel tempering by PT-MBAR, its error by the jackknife as that of BAR.

    Raises ValueError for a single ladder that has but one sweep.
    """
    overlaps = draws.observed[OverlapSums]
    log_ratios = overlaps.overlap_ratios(overlaps.overlaps().sum(axis=0))
    left_out = [overlaps.overlap_ratios(sums).sum() for sums in sums_left_out(overlaps.overlaps())]
    return estimate_of_exchanges(draws.rbm, draws.sample, overlaps, log_ratios, np.array(left_out))


class OverlapSums(BridgeSums):
    """Observer of parallel tempering: BridgeSums, and sums of q at every rung, at the log Zhat of the bridges."""

    every = 2

    def start(self, ladders, rungs, sweeps):
        """Begin a run whose sampling phase has that many sweeps."""
        super().start(ladders, rungs, sweeps)
        self._overlaps = np.zeros((self.blocks, ladders, rungs, rungs))

    def add(self, steps):
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

    def overlaps(self):
        """Sums (part, rung, rung) of q_k over the states of rung l, over parts as those of the bridges."""
        return self._overlaps.reshape(-1, *self._overlaps.shape[2:])

    def overlap_ratios(self, sums):
        """log(Z_{k+1} / Z_k) (pair,) in nats from sums (rung, rung)."""
        return self.log_s + np.diff(np.log(stationary(smoothed(sums))))
