"""Changes of an RBM that keep its distribution, up to names of units and states, and change log Z by a known amount."""

import math

import numpy as np

from logzoo.models.rbm import RBM


def gauged(rbm, log_z, generator):
    """An RBM with its units permuted and half of them flipped, at random in both layers, and its log Z in nats.

    A flipped unit takes 1 - x for x: its weights and bias change sign, its weights are added to the biases of the other
    layer, and log Z loses its bias as it was. So nothing about the layout of the weights tells where a model is from.
    """
    for _ in range(2):
        flipped = generator.random(rbm.visible) < 0.5
        rbm, log_z = flip(rbm, log_z, flipped)
        order = generator.permutation(rbm.visible)
        # Exchanged twice, the layers are where they were.
        rbm = RBM(rbm.weights[order], rbm.visible_bias[order], rbm.hidden_bias).transposed
    return rbm, log_z


def flip(rbm, log_z, flipped):
    """The RBM of the same states with 1 - v_i for v_i where flipped (visible,) is True, and its log Z in nats."""
    signs = np.where(flipped, -1.0, 1.0)
    added = rbm.weights[flipped].sum(axis=0)
    other = RBM(signs[:, None] * rbm.weights, signs * rbm.visible_bias, rbm.hidden_bias + added)
    return other, math.fsum([log_z, *-rbm.visible_bias[flipped]])
