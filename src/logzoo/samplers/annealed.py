"""Annealing from the base to the RBM, one sweep a rung (Neal 2001; Salakhutdinov & Murray 2008)."""

from functools import partial
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from logzoo.checks import whole_number
from logzoo.kernels.annealing import run_annealing
from logzoo.kernels.gibbs import start_chains
from logzoo.kernels.layout import new_chains
from logzoo.paths import inverse_temperatures, kernel_parameters, log_z_base
from logzoo.samplers.base import resolve_base
from logzoo.samplers.threads import over_chains

_STRIDE = 50


class AnnealedDraws(NamedTuple):
    """Importance weights of independent annealing runs, relative to the base."""

    log_weight: np.ndarray  # (chain,) nats
    log_z_base: float  # nats


def run(rbm, ledger, stream, *, base=None, ladder="linear", threads=1, progress=False):
    """Anneal every chain of the ledger over all its sweeps.

    S sweeps make S + 2 rungs: one sweep at each between the ends; the base is drawn directly and the state at
    beta = 1 is not needed. Weights sum the hidden units out. Returns AnnealedDraws.
    """
    whole_number("threads", threads)
    base = resolve_base(rbm, base, ledger, stream)
    sweeps = ledger.spend(ledger.remaining, "annealing")
    betas = inverse_temperatures(ladder, sweeps + 2)
    parameters = kernel_parameters(rbm, base)
    chains = new_chains(ledger.chains, rbm.visible, rbm.hidden)
    key = stream.child("sweeps").key
    start_chains(parameters, key, parameters.base, chains)
    log_weight = np.zeros(ledger.chains)
    with tqdm(total=sweeps, desc="annealing", unit="sweep", disable=None if progress else True) as bar:
        for first in range(1, sweeps + 2, _STRIDE):
            last = min(first + _STRIDE, sweeps + 2)
            over_chains(partial(run_annealing, parameters, betas, key, first, last), threads, chains, log_weight)
            bar.update(min(last, sweeps + 1) - first)
    return AnnealedDraws(log_weight, log_z_base(base, rbm.hidden))
