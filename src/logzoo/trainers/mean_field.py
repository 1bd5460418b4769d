"""Chains of a negative phase whose visible units take their means E[v | h], as Savarese et al. (2018) train.

Only the hidden units are drawn. This is no Gibbs sampling of the model: its stationary distribution is another one.
"""

import numpy as np

from logzoo.kernels.gibbs import draw_hidden, layer_scratch, update_visible_inputs
from logzoo.kernels.grey import probabilities, update_hidden_inputs_of_values
from logzoo.trainers.negative import GreyChains


class MeanFieldParticles:
    """`count` chains that make k sweeps x -> h -> E[v | h] an update, at parameters that change between updates."""

    def __init__(self, key, k, count):
        self.key = key
        self.k = k
        self.count = count
        self.beta = np.ones(count, np.float32)
        self.grey = None
        self.spent = 0  # sweeps so far, summed over the chains

    def place(self, parameters, x):
        """Put the chains at the visible values x (count, visible)."""
        if self.grey is None:
            self.grey = GreyChains.new(self.count, x.shape[1], parameters.weights_transposed.shape[1])
        self.grey.v[...] = x

    def move(self, parameters, update):
        """Make the sweeps of one update; returns GreyChains, hidden inputs up to date."""
        chains, x = self.grey.chains, self.grey.v
        scratch = layer_scratch(chains.h.shape[1])
        self.grey.forget_hidden(parameters)
        for sweep in range(1 + update * self.k, 1 + (update + 1) * self.k):
            draw_hidden(parameters, self.key, sweep, self.beta, chains, scratch)
            update_visible_inputs(parameters, chains)
            probabilities(chains.visible_input, parameters.unit, x)
            update_hidden_inputs_of_values(parameters, x, chains)
        self.spent += self.k * self.count
        return self.grey

    @property
    def state(self):
        """What a checkpoint holds."""
        return {"v": self.grey.v, "h": self.grey.chains.h, "spent": np.array(self.spent)}

    def restore(self, state):
        """Go on from a `state`."""
        self.grey = GreyChains.new(self.count, state["v"].shape[1], state["h"].shape[1])
        self.grey.v[...] = state["v"]
        self.spent = int(state["spent"])
