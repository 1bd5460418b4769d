"""The chains of a negative phase, at inverse temperature 1."""

import numpy as np

from logzoo.kernels.gibbs import forget_hidden, run_sweeps, start_chains
from logzoo.kernels.layout import new_chains
from logzoo.samplers.threads import over_chains


class Particles:
    """`count` chains that make k sweeps an update; their inputs follow parameters that change between updates."""

    def __init__(self, key, k, count):
        self.key = key
        self.k = k
        self.count = count
        self.beta = np.ones(count, np.float32)
        self.chains = None
        self.spent = 0  # Gibbs sweeps so far, summed over the chains

    def start(self, parameters):
        """Draw v of every chain from the visible bias."""
        self._allocate(parameters)
        start_chains(parameters, self.key, parameters.visible_bias, self.chains)

    def place(self, parameters, v):
        """Put the chains at v (count, visible)."""
        if self.chains is None:
            self._allocate(parameters)
        self.chains.v[...] = v

    def move(self, parameters, update):
        """Make the sweeps of one update; returns the Chains, inputs up to date."""
        first = 1 + update * self.k

        def kernel(beta, chains):
            forget_hidden(parameters, chains)
            run_sweeps(parameters, self.key, first, first + self.k, beta, chains)

        over_chains(kernel, 1, self.beta, self.chains)
        self.spent += self.k * self.count
        return self.chains

    @property
    def state(self):
        """What a checkpoint holds."""
        return {"v": self.chains.v, "h": self.chains.h, "spent": np.array(self.spent)}

    def restore(self, state):
        """Go on from a `state`."""
        self.chains = new_chains(self.count, state["v"].shape[1], state["h"].shape[1])
        self.chains.v[...] = state["v"]
        self.spent = int(state["spent"])

    def _allocate(self, parameters):
        visible, hidden = parameters.weights.shape[1], parameters.weights_transposed.shape[1]
        self.chains = new_chains(self.count, visible, hidden)
