"""The chains of a negative phase at many temperatures: parallel tempering whose parameters change between updates."""

import numpy as np

from logzoo.kernels.energies import log_f_tempered
from logzoo.kernels.gibbs import Chains, refresh_inputs, start_chains
from logzoo.kernels.layout import new_chains
from logzoo.kernels.swapping import Exchanges, Replicas, run_swapping
from logzoo.paths import log_z_base


class TemperedParticles:
    """`count` ladders of one chain at each inverse temperature beta (rung,), which make k sweeps an update."""

    def __init__(self, key, k, count, betas):
        self.key = key
        self.k = k
        self.count = count
        # Sweeps and densities must agree on the inverse temperatures, to the last bit.
        self.betas = np.asarray(betas, np.float32)
        chains = count * self.betas.size
        self.chains = self.parameters = None
        rung = np.tile(np.arange(self.betas.size), count)
        self.replicas = Replicas(rung, np.zeros(chains, np.int64), np.zeros(chains, np.int64))
        pairs = (count, self.betas.size - 1)
        self.attempted, self.accepted = np.zeros(pairs, np.int64), np.zeros(pairs, np.int64)

    @property
    def chain_sweeps(self):
        """Gibbs sweeps an update, summed over the chains."""
        return self.k * self.count * self.betas.size

    def load(self, parameters):
        """Go on with these parameters; at first, draw v of every chain from the base."""
        self.parameters = parameters
        if self.chains is None:
            visible, hidden = parameters.weights.shape[1], parameters.weights_transposed.shape[1]
            self.chains = new_chains(self.count * self.betas.size, visible, hidden)
            start_chains(parameters, self.key, parameters.base, self.chains)
        refresh_inputs(parameters, self.chains)

    def move(self, update):
        """Make the sweeps and exchanges of one update.

        Returns the steps in log f between neighbouring rungs, up and down (ladder, sweep, pair) in nats, that the
        exchanges were made from; see `logzoo.kernels.swapping.Exchanges`.
        """
        first = 1 + update * self.k
        up, down = (np.zeros((self.count, self.k, self.betas.size - 1)) for _ in range(2))
        exchanges = Exchanges(self.attempted, self.accepted, up, down)
        ends = first, first + self.k
        run_swapping(self.parameters, self.betas, self.key, *ends, self.chains, self.replicas, exchanges)
        return up, down

    def log_z_base(self):
        """log Z at the first rung in nats."""
        visible, hidden = self.chains.v.shape[1], self.chains.h.shape[1]
        return log_z_base(self.parameters.base[:visible] * np.float64(self.parameters.unit), hidden)

    def log_f(self):
        """log f at its own rung of every chain, (rung, ladder) in nats, hidden units summed out."""
        values = np.empty(self.replicas.rung.size)
        log_f_tempered(self.parameters, self.betas[self.replicas.rung], self.chains, values)
        found = np.empty((self.betas.size, self.count))
        found[self.replicas.rung, np.repeat(np.arange(self.count), self.betas.size)] = values
        return found

    def at_rung(self, rung):
        """The Chains (count of them) that are at one rung now, a copy in the order of the ladders."""
        places = np.flatnonzero(self.replicas.rung == rung)
        return Chains(*(array[places] for array in self.chains))

    @property
    def exchange_rates(self):
        """Share (pair,) of the exchanges tried so far that were made, over all ladders; 0 for a pair never tried."""
        return self.accepted.sum(axis=0) / np.maximum(self.attempted.sum(axis=0), 1)
