"""The recursion of SAMS, of groups of chains (Tan 2016, 2017); see `logzoo.estimators.sams`."""

from typing import NamedTuple

import numpy as np

from logzoo.kernels.compiled import part


class TwoStages(NamedTuple):
    """Where the recursion stands in every group."""

    per_chain: np.ndarray  # (G, K) 1 / (chains r_k)
    exponent: np.ndarray  # (G,) of the gain t^-exponent of the first stage
    flatness: np.ndarray  # (G,) largest |c_k / r_k - 1| of an evenly filled ladder
    latest: np.ndarray  # (G,) sweeps after which the first stage ends in any case
    second: np.ndarray  # (G,) whether it has
    inverse_gain: np.ndarray  # (G,) of the second stage, by what 1 / gain exceeds t
    filled: np.ndarray  # (G, K) c_k / r_k summed since t was last a power of two
    largest: np.ndarray  # (G,) the largest c_k / r_k of a sweep


@part
def step_two_stages(state, group, t, occupancy, log_z_hat):
    """Move log Zhat (K,) of a group by the occupancy (K,) of sweep t = 1, 2, ..."""
    filled, per_chain = state.filled[group], state.per_chain[group]
    # The bound uses earlier sweeps only: a gain that knew its own step would bias the steps.
    inverse_gain = t + state.inverse_gain[group] if state.second[group] else t ** state.exponent[group]
    gain = 1.0 / max(inverse_gain, state.largest[group])
    power = 1
    while 2 * power <= t:
        power *= 2
    peak, uneven = 0.0, 0.0
    for k in range(log_z_hat.size):
        ratio = occupancy[k] * per_chain[k]
        log_z_hat[k] += gain * ratio
        peak = max(peak, ratio)
        filled[k] = ratio if t == power else filled[k] + ratio
        uneven = max(uneven, abs(filled[k] / (t - power + 1) - 1.0))
    state.largest[group] = peak if t == 1 else max(state.largest[group], peak)
    if not state.second[group] and (uneven < state.flatness[group] or t >= state.latest[group]):
        state.second[group] = True
        state.inverse_gain[group] = t ** state.exponent[group] - t
