"""Annealing from the base to the RBM with resampling in islands (Del Moral, Doucet & Jasra 2006; Hukushima & Iba 2003)."""

from functools import partial
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from logzoo.checks import share, whole_number
from logzoo.kernels.gibbs import start_chains
from logzoo.kernels.layout import new_chains
from logzoo.kernels.resampling import run_resampled
from logzoo.paths import inverse_temperatures, kernel_parameters, log_z_base
from logzoo.samplers.base import resolve_base
from logzoo.samplers.threads import over_parts, parts_between

_STRIDE = 50
# Chains that make all sweeps of a kernel call together, as whole islands.
_TILE = 128


class ResampledDraws(NamedTuple):
    """Weights of chains that were resampled within islands, relative to the base."""

    log_weight: np.ndarray  # (chain,) nats: their mean over an island is without bias
    island: np.ndarray  # (chain,)
    family: np.ndarray  # (chain,): the first chain that a state descends from
    log_z_base: float  # nats


def run(
    rbm, ledger, stream, *, base=None, ladder="linear", islands=10, resample=0.5, threads=1, progress=False
):
    """Anneal every chain of the ledger over all its sweeps, chains of an island resampled as their weights grow unequal.

    islands: parts of the chains that know nothing of one another, at most half as many as chains. resample: share of
    an island's chains below which its effective number must fall; 0 never resamples. Returns ResampledDraws. Raises
    ValueError for impossible options.
    """
    whole_number("threads", threads)
    islands = min(whole_number("islands", islands, minimum=2), max(ledger.chains // 2, 2))
    fewest = share("resample", resample)
    base = resolve_base(rbm, base, ledger, stream)
    sweeps = ledger.spend(ledger.remaining, "annealing")
    betas = inverse_temperatures(ladder, sweeps + 2)
    parameters = kernel_parameters(rbm, base)
    chains = new_chains(ledger.chains, rbm.visible, rbm.hidden)
    key = stream.child("sweeps").key
    start_chains(parameters, key, parameters.base, chains)
    log_weight, family = np.zeros(ledger.chains), np.arange(ledger.chains)
    ends = np.linspace(0, ledger.chains, islands + 1).astype(int)
    island = np.repeat(np.arange(islands), np.diff(ends))
    parts = parts_between(_tiles(ends, threads), chains, log_weight, family, island)
    kernel = partial(run_resampled, parameters, betas, key, fewest)
    with tqdm(total=sweeps + 1, desc="annealing", unit="step", disable=None if progress else True) as bar:
        for first in range(1, sweeps + 2, _STRIDE):
            last = min(first + _STRIDE, sweeps + 2)
            over_parts(partial(kernel, first, last), threads, parts)
            bar.update(last - first)
    return ResampledDraws(log_weight, island, family, log_z_base(base, rbm.hidden))


def _tiles(ends, threads):
    """Those of the ends of islands at which the chains are cut: for all threads, and of some 128 chains at most."""
    islands, chains = ends.size - 1, ends[-1]
    tiles = min(max(-(-chains // _TILE), threads), islands)
    return ends[np.linspace(0, islands, tiles + 1).astype(int)]
