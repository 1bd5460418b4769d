"""What estimators take from the single draws of simulated tempering while it runs: running sums, never all draws.

An observer has start(chains, rungs, sweeps), called once before the sampling phase, add(stretch), called for every
`Stretch` of sweeps, and reads_values, which says whether it needs the values of the states or the rungs alone.
"""

import numpy as np


class Transitions:
    """Counts of moves between rungs, (rung, rung): from the rung x was drawn at to the one drawn given x."""

    reads_values = False

    def start(self, chains, rungs, sweeps):
        """Begin a sampling phase."""
        self.counts = np.zeros((rungs, rungs), np.int64)

    def add(self, stretch):
        """Count the moves of a stretch of sweeps."""
        np.add.at(self.counts, (stretch.rungs[:, :-1], stretch.rungs[:, 1:]), 1)
