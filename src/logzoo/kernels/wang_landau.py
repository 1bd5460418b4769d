"""The recursion of Wang & Landau on the rungs of a ladder, of groups of chains; see `logzoo.estimators.wang_landau`."""

from typing import NamedTuple

import numpy as np

from logzoo.kernels.compiled import part

# Parts of the ladder, of neighbouring rungs, whose visits must be flat.
_PARTS = 10


class HalvedFactor(NamedTuple):
    """Where the recursion stands in every group."""

    prior: np.ndarray  # (G, K) r
    chains: np.ndarray  # (G,)
    flatness: np.ndarray  # (G,) the least visits of a part, relative to the mean, that count as flat
    log_factor: np.ndarray  # (G,) log F
    falling: np.ndarray  # (G,) whether it falls as K / (n t)
    visits: np.ndarray  # (G, K) since it was halved


@part
def _is_flat(prior, flatness, visits):
    """Whether no part of the ladder had less than `flatness` of its share of the visits (K,)."""
    rungs, total = visits.size, 0.0
    for k in range(rungs):
        total += visits[k]
    parts = min(_PARTS, rungs)
    for number in range(parts):
        share, own = 0.0, 0.0
        for k in range(number * rungs // parts, (number + 1) * rungs // parts):
            share += prior[k]
            own += visits[k]
        if own < flatness * total * share:
            return False
    return True


@part
def step_halved_factor(state, group, t, visits, log_z_hat):
    """Move log Zhat (K,) of a group by the visits (K,) of sweep t = 1, 2, ..."""
    prior, seen = state.prior[group], state.visits[group]
    rungs = log_z_hat.size
    target = rungs / state.chains[group] / t
    if state.falling[group]:
        state.log_factor[group] = target
    for k in range(rungs):
        log_z_hat[k] += state.log_factor[group] / (rungs * prior[k]) * visits[k]
        seen[k] += visits[k]
    if not state.falling[group] and _is_flat(prior, state.flatness[group], seen):
        state.log_factor[group] *= 0.5
        for k in range(rungs):
            seen[k] = 0.0
        state.falling[group] = state.log_factor[group] <= target
