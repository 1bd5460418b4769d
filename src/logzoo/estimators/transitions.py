"""SD and RSD: occupancies from the stationary distribution of the moves between rungs.

Carlson et al. (2016), supplement G: the transition matrix P_jk is proportional to the number of moves from rung j to
rung k. Draws and cost are as in RTS.
"""

import numpy as np

from logzoo.estimators.estimator import Draws
from logzoo.estimators.intervals import jackknife_error, sums_left_out
from logzoo.estimators.result import Estimate
from logzoo.estimators.tempering_estimates import end_ratio, estimate_of_draws
from logzoo.samplers.observers import GroupedMoves
from logzoo.samplers.tempering_chains import COUNT_FLOOR
from logzoo.types import ArrayLike, Floats

# Largest number of groups of chains with a stored matrix of moves, for the jackknife error. A matrix takes 8 bytes
# times rungs squared.
_MOST_GROUPS = 20
# Number added to every entry of the row-stochastic matrix. It is far below rounding, and far above the smallest float.
_FLOOR = 1e-100


def counted_moves() -> GroupedMoves:
    """Observer that counts the moves of groups of chains."""
    return GroupedMoves(_MOST_GROUPS)


def shared_moves() -> GroupedMoves:
    """Observer that divides every move among the rungs by q(beta_k | x). Cost: q is computed again for every draw."""
    return GroupedMoves(_MOST_GROUPS, rao_blackwell=True)


def sd(draws: Draws) -> Estimate:
    """The Estimate of `Draws` of simulated tempering by SD, from counted moves."""
    return _from_stationary(draws, draws.observed[counted_moves].sums)


def rsd(draws: Draws) -> Estimate:
    """The Estimate of `Draws` by RSD, with P_jk from q(beta_k | x) summed over the draws x made at rung j."""
    return _from_stationary(draws, draws.observed[shared_moves].sums)


def _from_stationary(draws, sums):
    """Estimate by eq 12, with the stationary distribution of moves (group, rung, rung) as occupancies."""

    def log_z_of(total):
        return float(end_ratio(draws.sample, stationary(smoothed(total))[[0, -1]]))

    left_out = np.array([log_z_of(total) for total in sums_left_out(sums)])
    return estimate_of_draws(draws, log_z_of(sums.sum(axis=0)), jackknife_error(left_out), left_out.size)


def smoothed(moves: Floats) -> Floats:
    """Moves (rung, rung) with 0.1 of a move added from every rung, half of it to each neighbour.

    The occupancy of a rung without moves then follows from its neighbours. At an end, the half without a neighbour
    stays at the rung. The added moves are symmetric and have equal row sums, so no rung is favoured.
    """
    total = moves.copy()
    rungs, half = np.arange(len(moves) - 1), 0.5 * COUNT_FLOOR
    total[rungs, rungs + 1] += half
    total[rungs + 1, rungs] += half
    total[[0, -1], [0, -1]] += half
    return total


def stationary(matrix: ArrayLike) -> Floats:
    """Compute the stationary distribution of a Markov chain by elimination without subtractions.

    Parameters
    ----------
    matrix : array, shape (state, state)
        Transition weights, finite and not negative. Rows may have any sum; a row of zeros counts as uniform.

    Returns
    -------
    ndarray, shape (state,)
        Small probabilities have the same relative accuracy as large probabilities. A floor far below rounding joins
        states that do not communicate.

    References
    ----------
    Grassmann, Taksar & Heyman (1985).
    """
    weights = np.array(matrix, np.float64)
    total = weights.sum(axis=1, keepdims=True)
    weights = np.divide(weights, total, out=np.zeros(weights.shape), where=total > 0.0) + _FLOOR
    n = len(weights)
    for last in range(n - 1, 0, -1):
        weights[:last, last] /= weights[last, :last].sum()
        weights[:last, :last] += np.multiply.outer(weights[:last, last], weights[last, :last])
    share = np.ones(n)
    for k in range(1, n):
        share[k] = np.sum(share[:k] * weights[:k, k])
    return share / share.sum()
