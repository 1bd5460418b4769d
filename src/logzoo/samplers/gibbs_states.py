"""Visible states of an RBM by plain Gibbs sampling."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from logzoo.checks import binary_matrix, is_a, positive_number, whole_number
from logzoo.kernels.gibbs import forget_hidden
from logzoo.models.equivalent import without_certain
from logzoo.models.rbm import RBM
from logzoo.paths import check_rounding, kernel_parameters, tempered_rbm
from logzoo.samplers.threads import started_chains, sweep_chains
from logzoo.streams import root_stream

if TYPE_CHECKING:
    from logzoo.types import ArrayLike, Bits, Seed


def sample_gibbs(
    rbm: RBM,
    chains: int,
    sweeps: int,
    *,
    beta: float = 1.0,
    start: ArrayLike | None = None,
    seed: Seed = 0,
    threads: int = 1,
) -> Bits:
    """Draw visible states by Gibbs sampling.

    Parameters
    ----------
    rbm : RBM
    chains : int
        Number of independent chains.
    sweeps : int
        Number of Gibbs sweeps of each chain. A sweep updates all hidden and all visible units once.
    beta : float
        Inverse temperature; it scales weights and both biases.
    start : array of 0 and 1, shape (chains, visible), optional
        States to start from. By default visible units are drawn independently from their biases, scaled by beta.
    seed : int or str
        The same seed gives the same states for any number of threads.
    threads : int

    Returns
    -------
    ndarray of uint8, shape (chains, visible)

    Raises
    ------
    ValueError
        For impossible sizes, beta and starts, and for parameters that the kernels would round too much.

    Examples
    --------
    >>> from logzoo import RBM, sample_gibbs
    >>> rbm = RBM([[2.0, -1.0], [0.5, 1.0]], [0.0, 0.1], [0.2, -0.3])
    >>> sample_gibbs(rbm, chains=3, sweeps=100).shape
    (3, 2)
    """
    is_a("rbm", rbm, RBM)
    chains, sweeps = whole_number("chains", chains), whole_number("sweeps", sweeps, minimum=0)
    beta = positive_number("beta", beta, or_zero=True)
    threads = whole_number("threads", threads)
    if start is not None:
        start = binary_matrix("start", start, visible=rbm.visible, chains=chains)
    scaled = tempered_rbm(rbm, np.zeros(rbm.visible), beta)
    left, _, visible, known = without_certain(scaled)
    check_rounding(left)
    if left is not scaled and (sweeps or start is None):
        start = None if start is None else start[:, visible]
        drawn = sample_gibbs(left, chains, sweeps, start=start, seed=seed, threads=threads)
        state = np.tile(known.astype(np.uint8), (chains, 1))
        state[:, known < 0] = drawn[:, known[visible] < 0]
        return state
    key = root_stream(seed).child("gibbs").key
    # Parameters are scaled before they are rounded, because the scaled parameters set the unit of rounding.
    parameters = kernel_parameters(scaled, np.zeros(rbm.visible))
    state = started_chains(parameters, key, chains, parameters.visible_bias)
    if start is not None:
        state.v[...] = start
        forget_hidden(parameters, state)
    sweep_chains(parameters, key, 1, sweeps + 1, state, threads)
    return state.v
