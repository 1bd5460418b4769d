"""CD-k: contrastive divergence, k sweeps from the mini-batch itself (Hinton 2002).

PCD-k: the chains persist between updates (Younes 1999; Tieleman 2008).
"""

import numpy as np

from logzoo.checks import whole_number
from logzoo.trainers.loop import train
from logzoo.trainers.negative import KINDS, WeightedChains


class Particles:
    """Chains, an object of `logzoo.trainers.negative`, that make k sweeps an update and are the negative particles.

    They start from the mini-batch (examples, visible), at every update unless they are persistent; of these, binary
    ones start from the visible bias, and grey ones repeat the first mini-batch.
    """

    def __init__(self, key, k, chains, persistent):
        self.key = key
        self.k = k
        self.chains = chains
        self.persistent = persistent
        self.spent = 0  # sweeps so far, summed over the chains

    def __call__(self, parameters, update, positive, rate):
        if self.persistent and update == 0 and isinstance(self.chains, WeightedChains):
            self.chains.start(parameters, self.key)
        elif not self.persistent or update == 0:
            self.chains.v[...] = np.resize(positive, self.chains.v.shape)
        first = 1 + update * self.k
        self.chains.sweep(parameters, self.key, first, first + self.k)
        self.spent += self.k * len(self.chains.v)
        return self.chains

    @property
    def state(self):
        """What a checkpoint holds."""
        return {"v": self.chains.v, "spent": np.array(self.spent)}

    def restore(self, state):
        """Go on from a `state`."""
        self.chains.v[...] = state["v"]
        self.spent = int(state["spent"])


def run(data, *, stream, batch, hidden, k=1, values="binary", **settings):
    """Train by CD-k; settings as in `logzoo.trainers.loop.train`. Returns TrainingRun.

    values: binary; or grey, for data of grey levels, with means in the place of draws of the visible units.
    """
    chains = KINDS[values].new(batch, data.shape[1], hidden)
    phase = Particles(stream.child("sweeps").key, whole_number("k", k), chains, persistent=False)
    return train(phase, data, stream=stream, batch=batch, hidden=hidden, **settings)


def pcd(data, *, stream, batch, hidden, k=1, particles=None, values="binary", **settings):
    """Train by PCD-k with `particles` chains (the mini-batch size by default); values: as in `run`."""
    count = whole_number("particles", batch if particles is None else particles)
    chains = KINDS[values].new(count, data.shape[1], hidden)
    phase = Particles(stream.child("sweeps").key, whole_number("k", k), chains, persistent=True)
    return train(phase, data, stream=stream, batch=batch, hidden=hidden, **settings)
