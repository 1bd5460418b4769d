"""RTS while training: log Zhat at all rungs follows the occupancy of the trainer's own chains (Carlson et al. 2016).

log Zhat_k += alpha log(r_1 c_k / (r_k c_1)) (section 3.3): a part of the step that `rts` makes, because an update's
draws are few and the parameters move on.
"""

import numpy as np

from logzoo.checks import as_float, share
from logzoo.io.resumed import Resumed
from logzoo.kernels.filtering import mean_by_ladder, step_by_occupancy
from logzoo.samplers.tempering_chains import OCCUPANCY_FLOOR


class RtsTracker(Resumed):
    """Follows log Z of an RBM from the Rao-Blackwellised occupancy of tempering."""

    columns = {
        "log_z": ("tracked log partition function", "nat"),
        "log_z_std_dev": ("standard error over the chains of what was averaged, lag left aside", "nat"),
        "occupancy_error": ("largest |r - c| of this update, times the number of rungs", "1"),
    }
    # What it reads: log f at all rungs.
    all_pairs, all_rungs = False, True
    _kept = ("log_z_hat", "log_z_base", "influence", "occupancy_error")

    def __init__(self, alpha=0.2):
        self.alpha = 1.0 if as_float(alpha) == 1.0 else share("alpha", alpha)
        self.log_z_hat = np.empty(0)  # (rung,) relative to the first rung
        self.log_z_base = 0.0
        self.influence = np.empty(0)  # (chain,) of each independent chain on log Z, averaged over updates as log Zhat
        self.occupancy_error = 1.0

    def parameters_changed(self, particles, learning_rate):
        """Nothing to do: the draws that come next tell how log Z has changed."""

    def particles_moved(self, particles, exchanges):
        """Learn from log f of all chains at all rungs, as many chains at one rung as at any other."""
        rungs = exchanges.log_f.shape[-1]
        if not self.log_z_hat.size:
            self.log_z_hat = np.zeros(rungs)
        # One ladder's chains make one draw: they are stratified over the rungs.
        occupancy = np.empty((len(exchanges.log_f), rungs))
        mean_by_ladder(exchanges.log_f, self.log_z_hat, occupancy)
        self.follow(occupancy, np.full(rungs, 1.0 / rungs), particles.log_z_base())

    def follow(self, occupancy, prior, log_z_base):
        """Take the step for the occupancy (chain, rung) of independent chains and the prior r (rung,)."""
        if not self.log_z_hat.size:
            self.log_z_hat = np.zeros(prior.size)
        if not self.influence.size:
            self.influence = np.zeros(len(occupancy))
        self.log_z_base = log_z_base
        # Samplers may still draw by the last one.
        self.log_z_hat = self.log_z_hat.copy()
        step = self.alpha, OCCUPANCY_FLOOR, self.log_z_hat, self.influence
        self.occupancy_error = prior.size * step_by_occupancy(occupancy, prior, *step)

    def rung_inserted(self, rung, particles):
        """Make room for a rung that the ladder has gained."""
        guess = 0.5 * (self.log_z_hat[rung - 1] + self.log_z_hat[rung])
        self.log_z_hat = np.insert(self.log_z_hat, rung, guess)

    @property
    def log_z(self):
        """log Z and its standard error, in nats: NaN from a single chain."""
        count = len(self.influence)
        error = self.influence.std(ddof=1) / np.sqrt(count) if count > 1 else np.nan
        return self.log_z_base + float(self.log_z_hat[-1]), float(error)

    @property
    def reading(self):
        """The numbers that go into a trace, by column."""
        return dict(zip(self.columns, (*self.log_z, self.occupancy_error), strict=True))
