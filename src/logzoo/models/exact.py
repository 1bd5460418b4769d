"""Exact log Z by enumerating the smaller layer, in the log domain."""

import numpy as np
from tqdm import tqdm

from logzoo.kernels.enumeration import log_sum_states

# States a kernel call visits: long enough to hide the call, short enough for a live progress bar.
_CHUNK = 1 << 16
LARGEST_LAYER = 36
_STATES_PER_SECOND = 4e8  # times units of the other layer; measured, for the message only


def exact_log_z(rbm, *, progress=False):
    """log Z of an RBM in nats, by enumeration of the smaller layer.

    Cost: 2**min(visible, hidden) states, each visiting the other layer once; memory does not grow.
    Raises ValueError, stating the cost, above 36 units in the smaller layer.
    """
    if rbm.visible < rbm.hidden:
        rbm = rbm.transposed
    states = 1 << rbm.hidden
    if rbm.hidden > LARGEST_LAYER:
        years = 2.0**rbm.hidden * rbm.visible / _STATES_PER_SECOND / 3.15e7
        raise ValueError(
            f"exact log Z: the smaller layer has {rbm.hidden} units, so 2**{rbm.hidden} states of {rbm.visible} "
            f"units (about {years:.1g} years); at most {LARGEST_LAYER} units are enumerated"
        )
    weights_by_unit = np.ascontiguousarray(rbm.weights.T)
    scratch = np.empty(rbm.visible)
    log_z = -np.inf
    steps = range(0, states, _CHUNK)
    for first in tqdm(steps, desc="enumeration", unit_scale=_CHUNK, disable=None if progress else True):
        last = min(first + _CHUNK, states)
        largest, total = log_sum_states(weights_by_unit, rbm.visible_bias, rbm.hidden_bias, first, last, scratch)
        log_z = np.logaddexp(log_z, largest + np.log(total))
    if not np.isfinite(log_z):
        raise ValueError("exact log Z: the parameters are too large, log Z overflows float64")
    return float(log_z)
