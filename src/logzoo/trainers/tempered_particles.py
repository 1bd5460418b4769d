"""The chains of a negative phase at many temperatures: parallel tempering whose parameters change between updates."""

import numpy as np

from logzoo.kernels.gibbs import Chains, refresh_inputs, start_chains
from logzoo.kernels.layout import new_chains
from logzoo.kernels.swapping import Exchanges, Replicas, run_swapping


class TemperedParticles:
    """`count` ladders of one chain at each inverse temperature beta (rung,), which make k sweeps an update."""

    def __init__(self, key, k, count, betas):
        self.key = key
        self.k = k
        self.count = count
        # Sweeps and densities must agree on the inverse temperatures, to the last bit.
        self.betas = np.asarray(betas, np.float32)
        chains = count * self.betas.size
        self.chains = None
        rung = np.tile(np.arange(self.betas.size), count)
        self.replicas = Replicas(rung, np.zeros(chains, np.int64), np.zeros(chains, np.int64))
        pairs = (count, self.betas.size - 1)
        self.attempted, self.accepted = np.zeros(pairs, np.int64), np.zeros(pairs, np.int64)

    @property
    def chain_sweeps(self):
        """Gibbs sweeps an update, summed over the chains."""
        return self.k * self.count * self.betas.size

    def start(self, parameters):
        """Draw v of every chain from the base."""
        visible, hidden = parameters.weights.shape[1], parameters.weights_transposed.shape[1]
        self.chains = new_chains(self.count * self.betas.size, visible, hidden)
        start_chains(parameters, self.key, parameters.base, self.chains)

    def move(self, parameters, update):
        """Make the sweeps and exchanges of one update; returns the Chains (count of them) at the last rung, a copy."""
        first = 1 + update * self.k
        steps = (np.zeros((self.count, self.k, self.betas.size - 1)) for _ in range(2))
        exchanges = Exchanges(self.attempted, self.accepted, *steps)
        refresh_inputs(parameters, self.chains)
        run_swapping(parameters, self.betas, self.key, first, first + self.k, self.chains, self.replicas, exchanges)
        return self.at_rung(self.betas.size - 1)

    def at_rung(self, rung):
        """The Chains (count of them) that are at one rung now, a copy in the order of the ladders."""
        places = np.flatnonzero(self.replicas.rung == rung)
        return Chains(*(array[places] for array in self.chains))

    @property
    def exchange_rates(self):
        """Share (pair,) of the exchanges tried so far that were made, over all ladders; 0 for a pair never tried."""
        return self.accepted.sum(axis=0) / np.maximum(self.attempted.sum(axis=0), 1)
