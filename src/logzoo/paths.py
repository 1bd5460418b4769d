"""Base distributions and tempered paths from them to an RBM.

The geometric path at inverse temperature beta: log f_beta(v, h) = beta [c.v + v W h + b.h] + (1 - beta) c0.v.
In the base p_1 (beta = 0), all units are independent: visible units have log-odds c0, and the H hidden units are
uniform. Densities along the path are unnormalised, so log Z_1 = sum_i softplus(c0_i) + H log 2.

The rungs of an adapted ladder are equally spaced in a measure of length. The thermodynamic length of a part of the
path is the integral of sqrt(d^2 log Z / d beta^2) over it (Gelman & Meng 1998, section 3; Crooks 2007). The barrier of
a part is the sum of the rejection rates of exchanges between its rungs (Syed et al. 2019, section 5).

numba takes long to import, and every plan of the workflow imports this module. Kernels are therefore imported inside
functions.
"""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING

import numpy as np

from logzoo.checks import as_float, finite_array, positive_number, shown, whole_number
from logzoo.models.rbm import RBM

if TYPE_CHECKING:
    from logzoo.kernels.gibbs import Parameters
    from logzoo.types import Array, Floats

# Share of the examples added to a unit's counts of 0 and of 1, so that no log-odds is infinite.
PSEUDO_SHARE = 0.05
# Weight of beta in the length that rungs divide. No gap between rungs is much larger than 1 / _LINEAR_SHARE times the
# gap of the linear ladder.
_LINEAR_SHARE = 0.1
# Salakhutdinov & Murray (2008): 500 steps to 0.5, 4000 to 0.9 and 10,000 to 1, as shares of all steps.
_DENSE_NEAR_ONE = ((0.0, 0.0), (0.5, 500 / 14500), (0.9, 4500 / 14500), (1.0, 1.0))


def log_odds(data: Array, *, pseudo_share: float = PSEUDO_SHARE) -> Floats:
    """Log-odds (visible,) of p = (mean + s) / (1 + 2 s) for data (examples, visible) from 0 to 1; s: `pseudo_share`."""
    positive_number("pseudo_share", pseudo_share)
    # Without dtype, NumPy would add grey levels in float32.
    mean = np.mean(data, axis=0, dtype=np.float64)
    p = (mean + pseudo_share) / (1.0 + 2.0 * pseudo_share)
    return np.log(p) - np.log1p(-p)


def log_z_base(base: Floats, hidden: int) -> float:
    """log Z_1 of the unnormalised base in nats."""
    return float(np.logaddexp(0.0, base).sum() + hidden * np.log(2.0))


@np.errstate(over="ignore")  # infinite parameters are refused
def tempered_rbm(rbm: RBM, base: Floats, beta: float) -> RBM:
    """The RBM with the unnormalised density f_beta. Its log Z is log Z of the path at `beta`."""
    return RBM(beta * rbm.weights, beta * rbm.visible_bias + (1.0 - beta) * base, beta * rbm.hidden_bias)


def kernel_parameters(rbm: RBM, base: Floats) -> Parameters:
    """Parameters and base log-odds for the sampling kernels, in fixed point and in blocks of columns."""
    from logzoo.kernels.fixed_point import fixed_point_parameters

    return fixed_point_parameters(rbm.weights, rbm.visible_bias, rbm.hidden_bias, base)


# Most nats by which rounding may move log Z. The first limit is for draws of states and for `LogZTracker`. The second
# limit is for estimates, because their standard errors include the rounding error.
_MOST_MOVED, MOST_ESTIMATED = 1e-3, 1.0
# Number of parameters in the sample of `rounding_error`.
_SAMPLE = 4096
# The largest rounding error of log Z is taken as this many standard deviations.
_DEVIATIONS = 4.0


@np.errstate(over="ignore")  # the error of huge parameters may be infinite
def rounding_error(rbm: RBM, unit: float | None = None) -> float:
    """Upper bound in nats of the standard deviation of log Z due to the rounding of parameters for the kernels.

    unit: the parameters are rounded to multiples of it, by default of the unit of the RBM alone.
    Parameters of equal size have the same error, so their errors add up; other errors count as independent.
    For large RBMs the bound is estimated from a sample, because sorting all 784 x 500 weights takes 30 ms.
    """
    from logzoo.kernels.fixed_point import fixed_point_unit

    if unit is None:
        unit = fixed_point_unit(rbm.weights, rbm.visible_bias, rbm.hidden_bias, np.zeros(rbm.visible))
    parameters = np.concatenate([rbm.weights.ravel(), rbm.visible_bias, rbm.hidden_bias])
    times = max(1.0, parameters.size / _SAMPLE)
    if times > 1.0:
        parameters = np.random.Generator(np.random.Philox(key=0)).choice(parameters, _SAMPLE, replace=False)
    sizes, counts = np.unique(np.abs(parameters), return_counts=True)
    errors = sizes - unit * np.rint(sizes / unit)
    return float(np.sqrt(np.sum(errors**2 * times * counts * (1.0 + times * (counts - 1)))))


def check_rounding(rbm: RBM, most: float = _MOST_MOVED, rule: str = "", unit: float | None = None) -> None:
    """Raise ValueError if rounding in the kernels could move log Z by over `most` nats; the message states `rule`.

    unit: as in `rounding_error`.
    """
    moved = _DEVIATIONS * rounding_error(rbm, unit)
    if moved > most:
        raise ValueError(
            f"weights: the kernels round parameters to 31 bits of the largest input of a unit; this could move log Z "
            f"by {moved:.2g} nats, expected at most {most:.2g}{rule and f' ({rule})'}; exact_log_z does not round"
        )


def inverse_temperatures(ladder: object, rungs: int) -> Floats:
    """Inverse temperatures (rungs,) from 0 to 1.

    ladder: "linear", "dense-near-one" (spacing of Salakhutdinov & Murray 2008), or values that increase from 0 to 1.
    Raises ValueError for anything else.
    """
    rungs = whole_number("rungs", rungs, minimum=2)
    if isinstance(ladder, str):
        steps = np.linspace(0.0, 1.0, rungs)
        if ladder == "linear":
            return steps
        if ladder == "dense-near-one":
            betas, shares = zip(*_DENSE_NEAR_ONE, strict=True)
            return np.interp(steps, shares, betas)
        known = "linear, dense-near-one, a list of values or (in estimators other than basins) adapted"
        raise ValueError(f"ladder: unknown value {shown(ladder)}; expected {known}")
    betas = finite_array("ladder", ladder, dimensions=1)
    if betas.size != rungs:
        raise ValueError(f"ladder: expected {rungs} inverse temperatures, found {betas.size}")
    if betas[0] != 0.0 or betas[-1] != 1.0 or np.any(np.diff(betas) <= 0.0):
        raise ValueError("ladder: expected inverse temperatures that increase from 0 to 1")
    return betas


def first_rungs(ladder: object, rungs: int) -> tuple[Floats, bool]:
    """`inverse_temperatures` and False, or the linear ladder and True if `ladder` is "adapted"."""
    adapt = isinstance(ladder, str) and ladder == "adapted"
    return inverse_temperatures("linear" if adapt else ladder, rungs), adapt


def prior_weights(prior: object, betas: Floats) -> Floats:
    """Prior r (rung,) of the rungs, which sums to one.

    prior: weights (rung,), a number s for r_k proportional to exp(s beta_k), or None for equal weights. Raises
    ValueError for anything else, and for weights that are not all positive.
    """
    if prior is None:
        return np.full(betas.size, 1.0 / betas.size)
    if isinstance(prior, numbers.Number):
        slope = as_float(prior)
        r = np.exp(slope * betas - max(slope, 0.0)) if np.isfinite(slope) else np.zeros(0)
    else:
        r = finite_array("prior", prior, dimensions=1)
    with np.errstate(all="ignore"):
        shares = r / r.sum()  # may be zero or NaN for weights of very different or large sizes
    if r.size != betas.size or np.any(r <= 0.0) or not np.all(shares > 0.0):
        expected = f"{betas.size} positive weights, one per rung, or a number s for exp(s beta)"
        raise ValueError(f"prior: expected {expected}, found {shown(prior)}")
    return shares


def equal_length(betas: Floats, curvature: Floats) -> Floats:
    """Inverse temperatures (rung,) from 0 to 1 at equal steps of a length: nine tenths thermodynamic, a tenth beta.

    betas (rung,): the present inverse temperatures. curvature (rung,): d^2 log Z / d beta^2 at `betas`.
    """
    speed = np.sqrt(curvature)
    return at_equal_steps(betas, 0.5 * (speed[1:] + speed[:-1]) * np.diff(betas), betas.size)


def at_equal_steps(betas: Floats, steps: Floats, rungs: int) -> Floats:
    """Inverse temperatures (rungs,) from 0 to 1, equally spaced in `_shares`; `steps`: lengths between `betas`."""
    moved = np.interp(np.linspace(0.0, 1.0, rungs), _shares(betas, steps), betas)
    moved[[0, -1]] = 0.0, 1.0
    return moved


def equal_barrier(betas: Floats, attempted: Floats, accepted: Floats) -> Floats:
    """Inverse temperatures (rung,) from 0 to 1 at equal steps of a length: nine tenths the barrier, a tenth beta.

    betas (rung,): the present inverse temperatures. attempted, accepted (pair,): exchanges between neighbours.
    """
    # Half a rejection and one attempt are added, so that few attempts do not give a rate of 0 or 1.
    rejected = (attempted - accepted + 0.5) / (attempted + 1.0)
    moved = carried(betas, _shares(betas, rejected), np.linspace(0.0, 1.0, betas.size))
    moved[[0, -1]] = 0.0, 1.0
    return moved


def _shares(betas: Floats, steps: Floats) -> Floats:
    """Position (rung,) of each rung from 0 to 1, from the sizes (rung - 1,) of the steps between rungs."""
    length = np.append(0.0, np.cumsum(steps))
    share = length / length[-1] if length[-1] > 0.0 else betas
    return (1.0 - _LINEAR_SHARE) * share + _LINEAR_SHARE * betas


def carried(values: Floats, before: Floats, after: Floats) -> Floats:
    """Interpolate values (rung,) from the rungs `before` to the rungs `after` by cubics without new extremes."""
    from scipy.interpolate import PchipInterpolator  # takes long to import

    return PchipInterpolator(before, values)(after)


def chebyshev_nodes(count: int) -> Floats:
    """`count` Chebyshev points of the second kind, from exactly 0 to exactly 1 (Trefethen 2013, ch. 2)."""
    return 0.5 * (1.0 - np.cos(np.pi * np.arange(count) / (count - 1)))


def interpolation_matrix(nodes: Floats, targets: Floats) -> Floats:
    """Matrix (nodes, targets) that interpolates from Chebyshev nodes (Berrut & Trefethen 2004, eqs 4.2 and 5.4)."""
    weights = _barycentric_weights(nodes.size)
    distance = targets[:, None] - nodes[None, :]
    at_node = distance == 0.0
    terms = weights / np.where(at_node, 1.0, distance)
    matrix = terms / terms.sum(axis=1, keepdims=True)
    hit = at_node.any(axis=1)
    matrix[hit] = at_node[hit]
    return np.ascontiguousarray(matrix.T)


def differentiation_matrix(nodes: Floats) -> Floats:
    """Matrix (nodes, nodes) from values at Chebyshev nodes to derivatives of their interpolant at the nodes.

    Berrut & Trefethen (2004), section 9.3, transposed: entry (j, i) off the diagonal is (w_j / w_i) / (x_i - x_j), and
    columns sum to zero.
    """
    weights = _barycentric_weights(nodes.size)
    distance = nodes[:, None] - nodes[None, :]
    np.fill_diagonal(distance, 1.0)
    matrix = weights[None, :] / weights[:, None] / distance
    np.fill_diagonal(matrix, 0.0)
    np.fill_diagonal(matrix, -matrix.sum(axis=1))
    return np.ascontiguousarray(matrix.T)


def _barycentric_weights(count: int) -> np.ndarray:
    weights = (-1.0) ** np.arange(count)
    weights[[0, -1]] *= 0.5
    return weights
