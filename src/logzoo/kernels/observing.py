"""What estimators sum over the single draws of simulated tempering, one draw at a time.

Legend: a draw has values (M,) of which log f at the K rungs is the product with readout (M, K), and its derivatives in
beta the products with slopes and curvatures; x of sweep i is drawn at rungs[i], then rungs[i + 1] given x.
"""

import numpy as np

from logzoo.kernels.compiled import kernel, part
from logzoo.kernels.elementary import exp_wide
from logzoo.kernels.simulated_tempering import carry


@kernel(nogil=True)
def add_rung_sums(slopes, curvatures, values, rungs, sums):
    """Add 1, D, D^2 and D' at the rung drawn given x to `sums` (chains, 4, K); D = d log f / d beta."""
    for chain in range(len(values)):
        for sweep in range(values.shape[1]):
            k = rungs[chain, sweep + 1]
            first, second = 0.0, 0.0
            for m in range(values.shape[2]):
                first += values[chain, sweep, m] * slopes[m, k]
                second += values[chain, sweep, m] * curvatures[m, k]
            sums[chain, 0, k] += 1.0
            sums[chain, 1, k] += first
            sums[chain, 2, k] += first * first
            sums[chain, 3, k] += second


@kernel(nogil=True)
def add_weighted_slopes(readout, slopes, offset, values, sums):
    """Add q(beta_k | x) and q(beta_k | x) D_k at all rungs to `sums` (chains, 2, K)."""
    rungs = offset.size
    q, derivative = np.empty(rungs), np.empty(rungs)
    for chain in range(len(values)):
        for sweep in range(values.shape[1]):
            _normalise(readout, offset, values[chain, sweep], q)
            carry(values[chain, sweep], slopes, derivative)
            for k in range(rungs):
                sums[chain, 0, k] += q[k]
                sums[chain, 1, k] += q[k] * derivative[k]


@kernel(nogil=True)
def add_moves(readout, offset, values, rungs, group, sums):
    """Add q(beta_k | x) to row rungs[i] of `sums` (groups, K, K) of the chain's group."""
    q = np.empty(offset.size)
    for chain in range(len(values)):
        for sweep in range(values.shape[1]):
            _normalise(readout, offset, values[chain, sweep], q)
            row = sums[group[chain], rungs[chain, sweep]]
            for k in range(q.size):
                row[k] += q[k]


@part
def _normalise(readout, offset, values, q):
    """q(beta_k | x) of one draw into `q` (K,)."""
    carry(values, readout, q)
    largest = -np.inf
    for k in range(q.size):
        q[k] += offset[k]
        largest = max(largest, q[k])
    total = 0.0
    for k in range(q.size):
        q[k] = exp_wide(q[k] - largest)
        total += q[k]
    share = 1.0 / total
    for k in range(q.size):
        q[k] *= share
