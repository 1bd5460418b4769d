"""PT-MBAR: parallel tempering read at all rungs.

MBAR (Shirts & Chodera 2008) in a form that streams. At frozen log Zhat, q_k(x) = f_k(x) / Zhat_k / sum_l f_l(x) /
Zhat_l; O_lk, the mean of q_k over the states of rung l, obeys Z_l / Zhat_l O_lk = Z_k / Zhat_k O_kl on average. So its
stationary vector is proportional to Z_k / Zhat_k, whatever Zhat. Cost: that of BAR, and log f at all rungs after every
second sweep.
"""

import numpy as np

from logzoo.estimators.bar import BridgeSums, estimate_of_exchanges
from logzoo.estimators.intervals import sums_left_out
from logzoo.estimators.shared import Wanted, reads
from logzoo.estimators.transitions import smoothed, stationary
from logzoo.samplers import parallel_tempering


@reads
def estimate(rbm, ledger, stream, **options):
    """Estimate log Z by PT-MBAR; options as in `logzoo.samplers.parallel_tempering.run`.

    Returns Estimate, its error by the jackknife as that of BAR. Raises ValueError for a single ladder that has but one
    sweep.
    """
    bridge = BridgeSums()
    overlaps = OverlapSums(bridge)
    draws = yield Wanted(parallel_tempering.run, (bridge, overlaps), options)
    log_ratios = overlaps.log_ratios(overlaps.parts().sum(axis=0))
    left_out = [overlaps.log_ratios(sums).sum() for sums in sums_left_out(overlaps.parts())]
    return estimate_of_exchanges(rbm, draws, bridge, log_ratios, np.array(left_out))


class OverlapSums:
    """Observer of parallel tempering: running sums of q at every rung, at the log Zhat that the bridges found.

    bridge: the BridgeSums of the same run, which hear of each stretch before.
    """

    every = 2

    def __init__(self, bridge):
        self._bridge = bridge

    def start(self, ladders, rungs, sweeps):
        """Begin a run whose sampling phase has that many sweeps."""
        self._sums = np.zeros((self._bridge.blocks, ladders, rungs, rungs))
        self._sweeps, self._done = sweeps, 0

    def add(self, steps):
        """Add a stretch of sweeps after the burn-in."""
        if steps.burn_in:
            return
        log_q = steps.log_f - np.append(0.0, np.cumsum(self._bridge.log_s))
        q = np.exp(log_q - log_q.max(axis=-1, keepdims=True))
        q /= q.sum(axis=-1, keepdims=True)
        stretch = steps.up.shape[1]
        sweep = self._done + np.minimum(self.every * np.arange(1, q.shape[1] + 1), stretch) - 1
        np.add.at(self._sums, sweep * len(self._sums) // self._sweeps, q.swapaxes(0, 1))
        self._done += stretch

    def parts(self):
        """Sums (part, rung, rung) of q_k over the states of rung l, over parts as those of the bridge."""
        return self._sums.reshape(-1, *self._sums.shape[2:])

    def log_ratios(self, sums):
        """log(Z_{k+1} / Z_k) (pair,) in nats from sums (rung, rung)."""
        return self._bridge.log_s + np.diff(np.log(stationary(smoothed(sums))))
