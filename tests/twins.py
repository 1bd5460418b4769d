"""Slow, obvious twins of the kernels: plain Python integers and float64 NumPy, nothing shared with the package.

Only `refresh_inputs` calls its kernels: it brings both layers' inputs up to date from given states. The models that
several tests use are also here.
"""

import numpy as np
from scipy.special import logsumexp
from scipy.stats import chisquare

from logzoo import RBM
from logzoo.kernels.gibbs import layer_scratch, list_ones, update_hidden_inputs, update_visible_inputs

_MASK = 0xFFFFFFFF


def normal_rbm(seed, visible, hidden, scale=1.0):
    """An RBM whose weights and biases are drawn from N(0, scale^2)."""
    generator = np.random.default_rng(seed)
    return RBM(*(generator.normal(0.0, scale, shape) for shape in ((visible, hidden), visible, hidden)))


def shaped_rbm(visible, hidden, scale=1.0, seed=0):
    """An RBM of normal_rbm, other parameters for every seed and shape."""
    return normal_rbm([seed, visible, hidden], visible, hidden, scale)


def log_f_of_hidden(rbm, h):
    """log f(h) of every row of h, visible units summed out."""
    return h @ rbm.hidden_bias + np.logaddexp(0.0, h @ rbm.weights.T + rbm.visible_bias).sum(axis=1)


def two_modes(visible=20, hidden=12, coupling=1.0):
    """An RBM with as much mass near all ones as near all zeros."""
    half = -0.5 * coupling
    return RBM(np.full((visible, hidden), coupling), np.full(visible, half * hidden), np.full(hidden, half * visible))


def philox(counter, key):
    """Philox 4x32-10 on Python integers: four words from a counter of four and a key of two."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        high_0, low_0 = divmod(0xD2511F53 * c0, 1 << 32)
        high_1, low_1 = divmod(0xCD9E8D57 * c2, 1 << 32)
        c0, c1, c2, c3 = high_1 ^ c1 ^ k0, low_1, high_0 ^ c3 ^ k1, low_0
        k0, k1 = (k0 + 0x9E3779B9) & _MASK, (k1 + 0xBB67AE85) & _MASK
    return c0, c1, c2, c3


def block_words(key, chain, sweep, layer, blocks):
    """The words of the first blocks of a stream, four a block."""
    return [word for block in range(blocks) for word in philox((block, *_place(chain, sweep, layer)), _split(key))]


def layer_words(key, chain, sweep, layer, units):
    """The 32-bit draws of a layer's units: leading and trailing halves, in the order of `word_of_unit`."""
    draws = np.zeros(units, np.uint32)
    for first in range(0, units, 32):
        four = [philox((first // 8 + lane, *_place(chain, sweep, layer)), _split(key)) for lane in range(4)]
        pairs = [[answer[word] for answer in four for word in two] for two in ((0, 1), (2, 3))]
        leading = [half for eight in pairs for part in (0, 16) for half in ((word >> part) & 0xFFFF for word in eight)]
        for unit, half in zip(range(first, units), leading, strict=False):
            trailing = philox((unit, *_place(chain, sweep, layer | 128)), _split(key))[0] & 0xFFFF
            draws[unit] = half << 16 | trailing
    return draws


def _place(chain, sweep, layer):
    return chain, sweep & _MASK, layer | (sweep >> 32) << 8


def _split(key):
    return int(key) & _MASK, int(key) >> 32


def all_states(units):
    """Every 0/1 state (2**units, units), float64."""
    return (np.arange(1 << units)[:, None] >> np.arange(units)[::-1] & 1).astype(np.float64)


def log_f_joint(rbm, v, h):
    """log f of every pair of rows of v and h: (len(v), len(h))."""
    return (v @ rbm.visible_bias)[:, None] + v @ rbm.weights @ h.T + (h @ rbm.hidden_bias)[None, :]


def log_f_marginal(rbm, base, v, beta=1.0):
    """log f_beta(v) of every row of v, hidden units summed out."""
    inputs = v @ rbm.weights + rbm.hidden_bias
    linear = beta * (v @ rbm.visible_bias) + (1.0 - beta) * (v @ base)
    return linear + np.logaddexp(0.0, beta * inputs).sum(axis=1)


def brute_log_z(rbm):
    """log Z by visiting every pair (v, h)."""
    return logsumexp(log_f_joint(rbm, all_states(rbm.visible), all_states(rbm.hidden)))


def visible_probabilities(rbm, beta=1.0):
    """p(v) of every visible state, in the order of `all_states`, all parameters scaled by beta."""
    joint = beta * log_f_joint(rbm, all_states(rbm.visible), all_states(rbm.hidden))
    return np.exp(joint - logsumexp(joint)).sum(axis=1)


def expectations(rbm):
    """Exact model expectations (E[v h'], E[v], E[h])."""
    v, h = all_states(rbm.visible), all_states(rbm.hidden)
    joint = log_f_joint(rbm, v, h)
    p = np.exp(joint - logsumexp(joint))
    return v.T @ p @ h, v.T @ p.sum(axis=1), h.T @ p.sum(axis=0)


def state_numbers(v):
    """Row number in `all_states` of every row of v."""
    return v.astype(np.int64) @ (1 << np.arange(v.shape[1])[::-1])


def p_value(counts, p):
    """P-value of counts of states of probabilities p by Pearson's test; rare states are taken together."""
    expected = counts.sum() * p
    rare = expected < 8
    counts, expected = (np.append(values[~rare], values[rare].sum()) for values in (counts, expected))
    return chisquare(counts[expected > 0], expected[expected > 0]).pvalue


class FixedPointRBM:
    """Gibbs sweeps with inputs recomputed from scratch from integers at every half-step.

    Draws follow the package's rule for one unit, `draw_unit`, which is tested by itself: `draw(logits, words)` applies
    it to a layer.
    """

    def __init__(self, rbm, base, unit, draw):
        self.unit = np.float32(unit)
        self.draw = draw
        self.weights, self.visible_bias, self.hidden_bias, self.base = (
            np.array([round(x / float(unit)) for x in np.ravel(array)], np.int64).reshape(np.shape(array))
            for array in (rbm.weights, rbm.visible_bias, rbm.hidden_bias, base)
        )

    def hidden_input(self, v):
        """b + v W in units."""
        return self.hidden_bias + v.astype(np.int64) @ self.weights

    def visible_input(self, h):
        """c + W h in units."""
        return self.visible_bias + h.astype(np.int64) @ self.weights.T

    def sweep(self, v, beta, key, chain, number, hidden_layer, visible_layer):
        """One sweep of one chain from v (V,): the new (v, h)."""
        beta = np.float32(beta)
        scale, cold = beta * self.unit, (np.float32(1.0) - beta) * self.unit
        logit = scale * self.hidden_input(v).astype(np.float32)
        h = self.draw(logit, layer_words(key, chain, number, hidden_layer, logit.size))
        logit = scale * self.visible_input(h).astype(np.float32) + cold * self.base.astype(np.float32)
        return self.draw(logit, layer_words(key, chain, number, visible_layer, logit.size)), h


def refresh_inputs(parameters, chains):
    """Compute both layers' inputs from their states, for any states."""
    list_ones(chains.h, layer_scratch(chains.h.shape[1]), chains)
    update_visible_inputs(parameters, chains)
    list_ones(chains.v, layer_scratch(chains.v.shape[1]), chains)
    update_hidden_inputs(parameters, chains)
