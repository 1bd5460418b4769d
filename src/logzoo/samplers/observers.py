"""What estimators take from the single draws of simulated tempering while it runs: running sums, never all draws.

An observer has start(chains, rungs, sweeps), called once before the sampling phase, add(stretch), called for every
`Stretch` of sweeps, and reads_values, which says whether it needs the values of the states or the rungs alone.
"""

import numpy as np

from logzoo.kernels.occupancy import add_moves, add_rung_sums, add_weighted_slopes


class RungDerivatives:
    """Sums (chain, 4, rung) of 1, D, D^2 and D' over the draws whose rung, drawn given x, is that one.

    D = d log f_beta(x) / d beta and D' its derivative, at the rung.
    """

    reads_values = True

    def start(self, chains, rungs, sweeps):
        """Begin a sampling phase."""
        self.sums = np.zeros((chains, 4, rungs))

    def add(self, stretch):
        """Add the draws of a stretch of sweeps."""
        add_rung_sums(stretch.slopes, stretch.curvatures, stretch.values, stretch.rungs, self.sums)


class WeightedDerivatives:
    """Sums (chain, 2, rung) over all draws of q(beta_k | x) and q(beta_k | x) d log f_beta(x) / d beta at beta_k."""

    reads_values = True

    def start(self, chains, rungs, sweeps):
        """Begin a sampling phase."""
        self.sums = np.zeros((chains, 2, rungs))

    def add(self, stretch):
        """Add the draws of a stretch of sweeps."""
        add_weighted_slopes(stretch.readout, stretch.slopes, stretch.offset, stretch.values, self.sums)


class GroupedMoves:
    """Moves from the rung x was drawn at to the one drawn given x, summed over groups of chains: (group, rung, rung).

    A move is counted, or (rao_blackwell) shared out among the rungs as q(beta_k | x) says. Memory is 8 bytes times
    groups times rungs squared.
    """

    def __init__(self, groups=1, *, rao_blackwell=False):
        self.groups = groups
        self.reads_values = rao_blackwell

    def start(self, chains, rungs, sweeps):
        """Begin a sampling phase: chains are dealt out to the groups in turn."""
        self.group = np.arange(chains) % self.groups
        self.sums = np.zeros((min(self.groups, chains), rungs, rungs))

    def add(self, stretch):
        """Add the moves of a stretch of sweeps."""
        if self.reads_values:
            add_moves(stretch.readout, stretch.offset, stretch.values, stretch.rungs, self.group, self.sums)
        else:
            np.add.at(self.sums, (self.group[:, None], stretch.rungs[:, :-1], stretch.rungs[:, 1:]), 1.0)


class ThinnedDraws:
    """Draws of every so-many-th sweep, so that at most `draws` are kept in all (but one of each chain at least)."""

    reads_values = True

    def __init__(self, draws):
        self.draws = draws

    def start(self, chains, rungs, sweeps):
        """Begin a sampling phase; kept are the last sweeps of strides of equal length."""
        self.stride = min(max(1, -(-chains * sweeps // self.draws)), sweeps)
        self.kept = sweeps // self.stride
        self.seen = 0
        self.rungs = np.zeros((chains, self.kept), np.int64)
        self.values = None
        self.readout = None

    def add(self, stretch):
        """Keep what is due of a stretch of sweeps."""
        sweeps = stretch.values.shape[1]
        if self.values is None:
            self.values = np.zeros((*self.rungs.shape, stretch.values.shape[2]))
            self.readout = stretch.readout
        due = np.arange(self.stride - 1 - self.seen % self.stride, sweeps, self.stride)
        places = (self.seen + due) // self.stride
        self.values[:, places] = stretch.values[:, due]
        self.rungs[:, places] = stretch.rungs[:, due + 1]
        self.seen += sweeps
