"""Wang-Landau on the rungs of a tempering ladder: the classic baseline of adaptive weights.

Wang & Landau (2001), Atchade & Liu (2010), and the 1 / t regime of Belardinelli & Pereyra (2007): each visit of a rung
adds log F to its log Zhat. Cost: one sweep and log f at a few interpolation nodes a sweep.
"""

import numpy as np

from logzoo.checks import share
from logzoo.estimators.simulated_tempering import from_groups

# Parts of the ladder, of neighbouring rungs, whose visits must be flat.
_PARTS = 10


def estimate(rbm, ledger, stream, *, flatness=0.5, **options):
    """Estimate log Z by Wang-Landau: the mean of log Zhat over independent groups of chains. Returns Estimate.

    Options: those of `logzoo.samplers.adjusted.run`; flatness in [0, 1), the least visits of a part of the ladder
    relative to the mean that count as flat. Raises ValueError for others.
    """
    return from_groups(HalvedFactor(flatness), rbm, ledger, stream, **options)


class HalvedFactor:
    """The recursion on log Zhat: log F starts at 1, is halved whenever the visits are flat, then falls as K / (n t).

    n is the number of chains of a group, t counts sweeps: from the first halving at which log F is below it, log F is
    K / (n t), which moves the K rungs by 1 / t of their mean a sweep. With a prior r, a visit adds log F / (K r_k).
    """

    def __init__(self, flatness):
        self.flatness = share("flatness", flatness)

    def start(self, log_z_hat, prior, sizes, sweeps):
        """Begin with log_z_hat (group, rung), which the steps change."""
        groups, rungs = log_z_hat.shape
        self.log_z_hat = log_z_hat
        self.share = 1.0 / (rungs * prior)
        self.parts = np.unique(np.arange(_PARTS) * rungs // _PARTS)
        self.part_share = np.add.reduceat(prior, self.parts)
        self.steady = rungs / sizes  # K / n
        self.log_factor = np.ones(groups)
        self.falling = np.zeros(groups, bool)  # in the 1 / t regime
        self.visits = np.zeros((groups, rungs))
        self.t = 0

    def step(self, occupancy, visits):
        """Move log Zhat by the visits (group, rung) of one sweep."""
        self.t += 1
        target = self.steady / self.t
        self.log_factor = np.where(self.falling, target, self.log_factor)
        self.log_z_hat += self.log_factor[:, None] * self.share * visits
        self.visits += visits
        if self.falling.all():
            return
        flat = self._flat() & ~self.falling
        self.log_factor[flat] *= 0.5
        self.visits[flat] = 0.0
        self.falling |= flat & (self.log_factor <= target)

    def _flat(self):
        """Whether no part of the ladder had less than `flatness` of its share of the visits, by group."""
        visits = np.add.reduceat(self.visits, self.parts, axis=1)
        expected = self.visits.sum(axis=1, keepdims=True) * self.part_share
        return np.all(visits >= self.flatness * expected, axis=1)

    def settled(self):
        """Whether the visits of every group were flat until its log F had come down to the 1 / t regime."""
        return bool(self.falling.all())
