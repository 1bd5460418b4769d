"""Units whose state is certain, as a bias of -1e9 makes one: taken out of the model before anything is sampled.

Kernels take all parameters as multiples of one unit, which the largest of them sets. A parameter that only forbids or
forces a state would leave the others too few digits.
"""

import numpy as np

from logzoo.models.rbm import RBM

# Nats of its input from 0, at least, that make a unit's state certain: the other state has exp(-50) of it.
_CERTAIN = 50.0


def without_certain(rbm):
    """(RBM, constant): an RBM of the same shape in which units of certain state are free, and log Z less its own.

    A unit whose input is beyond 50 nats whatever the other layer does has no weights and no bias there: it adds log 2
    to log Z. The weights of those that are on are part of the other layer's biases. Exact to exp(-50) for each of them.
    """
    weights = rbm.weights.astype(np.float64)
    biases = [rbm.visible_bias.astype(np.float64), rbm.hidden_bias.astype(np.float64)]
    constant, freed, before = 0.0, 0, -1
    while freed > before:
        before = freed
        # Both are views: what is set here is set in the model.
        for layer, rows in enumerate((weights, weights.T)):
            bias = biases[layer]
            on = bias + np.minimum(rows, 0.0).sum(axis=1) >= _CERTAIN
            certain = on | (bias + np.maximum(rows, 0.0).sum(axis=1) <= -_CERTAIN)
            constant += float(bias[on].sum()) - np.log(2.0) * np.count_nonzero(certain)
            biases[1 - layer] += rows[on].sum(axis=0)
            rows[certain], bias[certain] = 0.0, 0.0
            freed += np.count_nonzero(certain)
    return (RBM(weights, *biases), constant) if freed else (rbm, 0.0)
