"""Sufficient statistics of an RBM's likelihood gradient, without BLAS so that every machine gives the same bits.

Legend: v (n, V) uint8; p = sigmoid(b + v W) (n, H) float32.
"""

import numpy as np

from logzoo.kernels.compaction import list_set, pack
from logzoo.kernels.compiled import kernel, part
from logzoo.kernels.elementary import LOG2_E, exp2_nonpositive
from logzoo.kernels.gibbs import layer_scratch

_ONE = np.float32(1.0)
_ZERO = np.float32(0.0)
# Chains whose p are kept at once: with 500 hidden units they stay in the level-2 cache.
_TOGETHER = 64


# A division that could raise an error is not vectorised; this one cannot.
@part(error_model="numpy")
def hidden_probabilities(hidden_input, unit, p):
    """p (H,) = sigmoid of the integer hidden inputs of one chain, without overflow."""
    for j in range(p.size):
        x = np.float32(hidden_input[j]) * unit
        decay = exp2_nonpositive(-abs(x) * LOG2_E)
        p[j] = (_ONE if x > _ZERO else decay) / (_ONE + decay)


@kernel
def add_statistics(parameters, chains, factors, weights, visible_bias, hidden_bias):
    """Add sum_n factors_n (v_n p_n, v_n, p_n) to the three parts of a gradient: (V, H), (V,), (H,) float32.

    factors (n,) float32; rows whose factor is zero are skipped. Hidden inputs must be up to date.
    """
    listed = _new_list(visible_bias.size, hidden_bias.size, factors.size)
    _, fresh = _add_chains(parameters, chains, factors, weights, visible_bias, hidden_bias, listed, 0, False)
    _add_rows(*listed, weights, fresh)


@kernel
def put_statistics(parameters, near, factors, far, far_factors, weights, visible_bias, hidden_bias):
    """Set a gradient to the statistics of some chains and those of others, in one pass over it.

    The same bits as those of `add_statistics` for the one and the other, added to zeros.
    """
    visible_bias[:] = _ZERO
    hidden_bias[:] = _ZERO
    listed = _new_list(visible_bias.size, hidden_bias.size, factors.size + far_factors.size)
    filled, fresh = _add_chains(parameters, near, factors, weights, visible_bias, hidden_bias, listed, 0, True)
    _, fresh = _add_chains(parameters, far, far_factors, weights, visible_bias, hidden_bias, listed, filled, fresh)
    _add_rows(*listed, weights, fresh)


@part
def _new_list(visible, hidden, chains):
    """Room for factor_n p_n of some chains, and which of them each visible unit is on in (V, n), how many (V,)."""
    p = np.empty((min(_TOGETHER, chains), hidden), np.float32)
    return p, np.empty((visible, p.shape[0]), np.int32), np.zeros(visible, np.int64)


@part
def _add_chains(parameters, chains, factors, weights, visible_bias, hidden_bias, listed, filled, fresh):
    """Add chains to the biases' sums and to the list of `filled` chains, which goes to the weights when it is full.

    Returns how many the list holds now, and whether the weights still hold what is to be forgotten.
    """
    p, members, counts = listed
    scratch = layer_scratch(visible_bias.size)
    ones = chains.plus[0]
    for row in range(factors.size):
        factor = factors[row]
        if factor == _ZERO:
            continue
        if filled == p.shape[0]:
            _add_rows(p, members, counts, weights, fresh)
            filled, fresh = 0, False
        q = p[filled]
        hidden_probabilities(chains.hidden_input[row], parameters.unit, q)
        for j in range(q.size):
            q[j] *= factor
            hidden_bias[j] += q[j]
        for word in range(scratch.drawn.size):
            scratch.drawn[word] = pack(chains.v[row], word)
        for m in range(list_set(scratch.drawn, ones)):
            i = ones[m]
            visible_bias[i] += factor
            members[i, counts[i]] = filled
            counts[i] += 1
        filled += 1
    return filled, fresh


@part
def _add_rows(p, members, counts, weights, fresh):
    """Add the rows of p (n, H) that each visible unit lists (V, n) to its row of the weights, and empty the lists."""
    # Unit by unit, so that its row of the weights stays in the level-1 cache.
    for i in range(counts.size):
        target = weights[i]
        if fresh:
            target[:] = _ZERO
        for m in range(counts[i]):
            q = p[members[i, m]]
            for j in range(q.size):
                target[j] += q[j]
        counts[i] = 0
