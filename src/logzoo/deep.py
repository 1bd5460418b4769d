"""Likelihoods of deep Boltzmann machines, from log partition functions of RBMs."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from logzoo.api import estimate_log_z
from logzoo.checks import binary_matrix, real_array, shown
from logzoo.models.rbm import RBM
from logzoo.scoring import MeanLogLikelihood, mean_log_likelihood

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logzoo.types import ArrayLike


def dbm_log_likelihood(
    layers: Sequence[ArrayLike], data: ArrayLike, method: str = "auto", *, seed: int | str = 0, **settings: Any
) -> MeanLogLikelihood:
    """Mean log-likelihood of examples under a deep Boltzmann machine.

    Parameters
    ----------
    layers : sequence of arrays
        Biases and weights in turn from the visible layer up, as in `RBM.from_dbm`.
    data : array of 0 and 1, shape (examples, layers[0].size)
        With two or more hidden layers, each example needs an estimate of log Z of these layers.
    method : str
    seed : int or str
    **settings
        Other settings of `estimate_log_z`, for each log Z.

    Returns
    -------
    MeanLogLikelihood
        ``value`` in nats. ``interval`` (95%) follows from the intervals of all log Zs; the errors of the examples'
        log Zs are treated as fully correlated. ``std_error`` covers the choice of examples.

    Raises
    ------
    ValueError
        For layers and data that do not fit, and as for `estimate_log_z`. With two or more hidden layers, a checkpoint
        and an array ``base`` are errors, too.

    Warns
    -----
    RuntimeWarning
        If a log Z did not converge.

    References
    ----------
    Salakhutdinov and Hinton, Deep Boltzmann Machines, AISTATS 2009.

    Examples
    --------
    >>> from logzoo import dbm_log_likelihood
    >>> layers = [[0.1, -0.2], [[1.0], [0.5]], [0.0], [[-2.0, 1.0]], [0.3, 0.0]]
    >>> round(dbm_log_likelihood(layers, [[0, 1], [1, 1]]).value, 4)
    -1.396
    """
    whole_rbm = RBM.from_dbm(layers)
    bias, weights, hidden_bias = (real_array("layers", array).astype(np.float64) for array in layers[:3])
    data = binary_matrix("data", data, visible=len(bias))
    if len(layers) > 3:
        _check_settings(len(data) + 1, **settings)
    estimates = [estimate_log_z(whole_rbm, method, seed=seed, **settings)]
    # An example fixes the visible layer, whose input adds to the first hidden bias. The hidden layers form a DBM.
    for i, inputs in enumerate(data @ weights + hidden_bias if len(layers) > 3 else ()):
        estimates.append(estimate_log_z(RBM.from_dbm([inputs, *layers[3:]]), method, seed=f"{seed}/{i}", **settings))
    wrong = sum(not estimate.converged for estimate in estimates)
    if wrong:
        message = f"{estimates[0].method}: {wrong} of {len(estimates)} estimates of log Z did not converge"
        warnings.warn(message, RuntimeWarning, stacklevel=2)
    if len(layers) == 3:
        return mean_log_likelihood(whole_rbm, data, estimates[0])
    whole, *clamped = estimates
    log_p = data @ bias + np.array([estimate.log_z for estimate in clamped]) - whole.log_z
    halves = [
        max(estimate.log_z - estimate.interval[0], estimate.interval[1] - estimate.log_z) for estimate in estimates
    ]
    mean, half = float(log_p.mean()), math.hypot(halves[0], math.fsum(halves[1:]) / len(data))
    std_error = float(log_p.std(ddof=1)) / math.sqrt(len(data)) if len(data) > 1 else math.nan
    return MeanLogLikelihood(mean, (mean - half, mean + half), std_error)


def _check_settings(estimates, /, *, base=None, checkpoint=None, **_):
    """Raise ValueError for settings that fit a single estimate only; called before several estimates are made."""
    if checkpoint is not None:
        raise ValueError(f"checkpoint: expected none for {estimates} estimates of log Z, found {shown(checkpoint)}")
    if not isinstance(base, str | None):
        raise ValueError(f"base: expected a name such as 'uniform' for {estimates} different RBMs, found {shown(base)}")
