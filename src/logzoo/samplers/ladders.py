"""Ladders whose neighbouring rungs are equally far apart: in the length that fluctuations measure, or in rejections.

Thermodynamic length of a stretch of the path: the integral of sqrt(d^2 log Z / d beta^2) over it (Gelman & Meng 1998,
section 3; Crooks 2007). With D = d log f_beta(x) / d beta, the second derivative is Var_beta[D] + E_beta[dD / d beta].
Barrier of a stretch: the rejection rates of exchanges between its neighbours, summed (Syed et al. 2019, section 5).
"""

import numpy as np

# Share of the length that counts beta itself: no gap is wider than this many times fewer rungs would make it.
LINEAR_SHARE = 0.1
# Draws in effect at a rung below which its curvature is taken from its neighbours.
_FEWEST_DRAWS = 5.0
# One sweep in so many is read: neighbours hardly differ, and the sums cost as much as the sweeps.
_EVERY = 5
# What earlier stretches count for when a new phase begins.
_MEMORY = 0.5


class Curvature:
    """Observer of single draws: Rao-Blackwellised second derivative of log Z in beta at every rung."""

    reads_values = True

    def __init__(self):
        self.sums = None

    def start(self, chains, rungs, sweeps):
        """Begin a phase; what was seen in phases before counts half."""
        self.sums = np.zeros((4, rungs)) if self.sums is None else _MEMORY * self.sums

    def add(self, stretch):
        """Add the draws of a stretch of sweeps, each weighted by q(beta_k | x)."""
        values = stretch.values[:, ::_EVERY].reshape(-1, stretch.values.shape[-1])
        # einsum, not a matrix product: the rungs that come of it must not depend on a library's order of additions.
        log_q = np.einsum("nm,mk->nk", values, stretch.readout) + stretch.offset
        q = np.exp(log_q - log_q.max(axis=1, keepdims=True))
        q /= q.sum(axis=1, keepdims=True)
        slope = np.einsum("nm,mk->nk", values, stretch.slopes)
        bend = np.einsum("nm,mk->nk", values, stretch.curvatures)
        self.sums += [term.sum(axis=0) for term in (q, q * slope, q * slope**2, q * bend)]

    def values(self):
        """d^2 log Z / d beta^2 (rung,) in nats; rungs with too few draws repeat or interpolate their neighbours."""
        weight, slope, square, bend = self.sums
        known = weight >= _FEWEST_DRAWS
        if not known.any():
            return np.ones(weight.size)
        weight = np.where(known, weight, 1.0)
        curvature = np.maximum((square + bend) / weight - (slope / weight) ** 2, 0.0)
        rungs = np.arange(weight.size)
        return np.interp(rungs, rungs[known], curvature[known])


def equal_length(betas, curvature, *, linear_share=LINEAR_SHARE):
    """Inverse temperatures (rung,) from 0 to 1, as many as given, at equal steps of thermodynamic length.

    curvature (rung,): d^2 log Z / d beta^2 at `betas`. A share of the length is beta itself, so that the widest gap is
    at most 1 / linear_share times that of the linear ladder.
    """
    speed = np.sqrt(curvature)
    steps = 0.5 * (speed[1:] + speed[:-1]) * np.diff(betas)
    return at_equal_steps(betas, steps, betas.size, linear_share=linear_share)


def at_equal_steps(betas, steps, rungs, *, linear_share=LINEAR_SHARE):
    """Inverse temperatures (rungs,) from 0 to 1 at equal steps of a length, whose steps between `betas` are given."""
    share = _shares(betas, steps, linear_share)
    placed = np.interp(np.linspace(0.0, 1.0, rungs), share, betas)
    placed[[0, -1]] = 0.0, 1.0
    return placed


def equal_barrier(betas, attempted, accepted, *, linear_share=LINEAR_SHARE):
    """Inverse temperatures (rung,) from 0 to 1, as many as given, at equal steps of the barrier.

    attempted, accepted (pair,): exchanges of neighbours at `betas`, tried and made. A share of the barrier is beta
    itself, as in `equal_length`.
    """
    # As if one more had been tried and half of it made: no rate is 0 or 1 for want of tries.
    rejected = (attempted - accepted + 0.5) / (attempted + 1.0)
    placed = carried(betas, _shares(betas, rejected, linear_share), np.linspace(0.0, 1.0, betas.size))
    placed[[0, -1]] = 0.0, 1.0
    return placed


def _shares(betas, steps, linear_share):
    """How far up the ladder each rung (rung,) is, from 0 to 1, by the size of the steps (rung - 1,) between them."""
    length = np.append(0.0, np.cumsum(steps))
    share = length / length[-1] if length[-1] > 0.0 else betas
    return (1.0 - linear_share) * share + linear_share * betas


def carried(values, before, after):
    """Values (rung,) at the rungs `after` from those at `before`: cubic, without new extremes."""
    # Imported where it is used, as it takes long: every job of the workflow would wait for it.
    from scipy.interpolate import PchipInterpolator

    return PchipInterpolator(before, values)(after)
