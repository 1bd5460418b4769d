"""What moves log Zhat in `logzoo.samplers.adjusted` after every sweep: the recursions of SAMS and of Wang-Landau.

Each begins with begin(prior (rung,), sizes (group,), sweeps), which returns the states of its groups.
"""

from typing import NamedTuple

import numpy as np

from logzoo.kernels.occupancy import HalvedFactor, TwoStages


class States(NamedTuple):
    """The state of the recursion that is made, which changes it in place; that of the other has no groups."""

    sams: TwoStages
    wang_landau: HalvedFactor


def sams(exponent, flatness, first_stage):
    """The recursion of SAMS: gain t^-exponent until the rungs are evenly filled, then 1 / t (Tan 2017).

    In the second stage the gain is 1 / (t - t0 + t0^exponent), t0 the sweep the first ended with. To first order an
    error e of log Zhat shrinks by 1 - gain a sweep, so over the second stage by t0^exponent / (t - t0 + t0^exponent):
    that is how the start is forgotten. No gain is so large that the largest step seen so far would exceed one nat.
    """

    def begin(prior, sizes, sweeps):
        return States(
            _two_stages(prior, sizes, exponent, flatness, first_stage * sweeps), _halved_factor(prior, sizes[:0], 0.0)
        )

    return begin


def wang_landau(flatness):
    """That of Wang-Landau: log F starts at 1, is halved whenever the visits are flat, then falls as K / (n t).

    n is the number of chains of a group, t counts sweeps: from the first halving at which log F is below it, log F is
    K / (n t), which moves the K rungs by 1 / t of their mean a sweep. With a prior r, a visit adds log F / (K r_k).
    """

    def begin(prior, sizes, sweeps):
        return States(_two_stages(prior, sizes[:0], 0.0, 0.0, 0.0), _halved_factor(prior, sizes, flatness))

    return begin


def _two_stages(prior, sizes, exponent, flatness, latest):
    """Groups of these sizes before their first sweep."""
    groups, shape = len(sizes), (len(sizes), prior.size)
    return TwoStages(
        per_chain=1.0 / (sizes[:, None] * prior),
        exponent=np.full(groups, exponent),
        flatness=np.full(groups, flatness),
        latest=np.full(groups, latest),
        second=np.zeros(groups, bool),
        inverse_gain=np.zeros(groups),
        filled=np.zeros(shape),
        # A rung's c_k / r_k is 1 / r_k at most: the bound of Tan (2017) until smaller ones are all that is seen.
        largest=np.full(groups, 1.0 / prior.min()),
    )


def _halved_factor(prior, sizes, flatness):
    """Groups of these sizes before their first sweep."""
    groups = len(sizes)
    return HalvedFactor(
        prior=np.tile(prior, (groups, 1)),
        chains=sizes.astype(float),
        flatness=np.full(groups, flatness),
        log_factor=np.ones(groups),
        falling=np.zeros(groups, bool),
        visits=np.zeros((groups, prior.size)),
    )
