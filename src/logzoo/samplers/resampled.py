"""Annealing from the base to the RBM with resampling in islands.

Del Moral, Doucet & Jasra (2006); Hukushima & Iba (2003); without waste Dau & Chopin (2022).
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from logzoo import checks
from logzoo.kernels.fixed_point import new_chains
from logzoo.kernels.gibbs import start_chains
from logzoo.kernels.resampling import run_resampled, run_waste_free
from logzoo.paths import kernel_parameters, log_z_base
from logzoo.samplers.annealed import in_strides
from logzoo.samplers.base import resolve_base
from logzoo.samplers.rounds import annealing_ladder
from logzoo.samplers.threads import TILE, over_parts, parts_between


class ResampledDraws(NamedTuple):
    """Weights of chains that were resampled within islands, relative to the base."""

    log_weight: np.ndarray  # (chain,) nats: their mean over an island is without bias
    island: np.ndarray  # (chain,)
    family: np.ndarray  # (chain,): the first chain that a state descends from; its own where families are not followed
    log_z_base: float  # nats


def run(
    rbm,
    ledger,
    stream,
    *,
    base=None,
    ladder="linear",
    islands=10,
    resample=0.5,
    kept=1,
    threads=1,
    progress=False,
):
    """Anneal every chain of the ledger over all its sweeps, those of an island resampled as their weights grow unequal.

    islands: parts of the chains that know nothing of one another, at most half as many as chains. resample: share of
    an island's chains below which its effective number must fall; 0 never resamples. kept: 1, or how many states of
    each chain are kept at a rung, one sweep apart but for the first; then there are so many fewer rungs, and resampling
    at each (Dau & Chopin 2022). Returns ResampledDraws. Raises ValueError for impossible options.
    """
    checks.whole_number("threads", threads)
    islands = min(checks.whole_number("islands", islands, minimum=2), max(ledger.chains // 2, 2))
    share, kept = checks.share("resample", resample), checks.whole_number("kept", kept)
    base = resolve_base(rbm, base, ledger, stream)
    parameters = kernel_parameters(rbm, base)
    place = annealing_ladder(ladder, parameters, rbm.weights.shape, ledger, stream, threads)
    sweeps = ledger.remaining
    if kept > sweeps + 1:
        raise ValueError(f"kept: expected at most {sweeps + 1} states of so many sweeps, found {kept}")
    each = max(kept - 1, 1)  # sweeps of a chain at a rung
    rungs = sweeps // each + 2
    ledger.spend((rungs - 2) * each, "annealing")
    if ledger.remaining:
        ledger.spend(ledger.remaining, "left over")
    betas, key = place(rungs), stream.child("sweeps").key
    log_weight, family = np.zeros(ledger.chains), np.arange(ledger.chains)
    ends = np.linspace(0, ledger.chains, islands + 1).astype(int)
    island = np.repeat(np.arange(islands), np.diff(ends))
    cuts = _cuts(ends, threads)
    if kept == 1:
        chains = new_chains(ledger.chains, rbm.visible, rbm.hidden)
        start_chains(parameters, key, parameters.base, chains)
        kernel = partial(run_resampled, parameters, betas, key, share)
        parts = parts_between(cuts, chains, log_weight, family, island)
    else:
        kernel = partial(run_waste_free, parameters, betas, key)
        parts = parts_between(cuts, family, log_weight, island)
        parts = [(_started(rbm, parameters, key, own, kept, ledger.chains), *rest) for own, *rest in parts]
    in_strides(rungs - 1, progress, lambda *ends: over_parts(partial(kernel, *ends), threads, parts))
    return ResampledDraws(log_weight, island, family, log_z_base(base, rbm.hidden))


def _started(rbm, parameters, key, numbers, kept, count):
    """Chains at the base: those of the numbers (n,), then as many for each further state that is kept of them."""
    chains = new_chains(kept * numbers.size, rbm.visible, rbm.hidden)
    chains.number[:] = np.add.outer(count * np.arange(kept), numbers).ravel()
    start_chains(parameters, key, parameters.base, chains)
    return chains


def _cuts(ends, threads):
    """Those of the ends of islands at which the chains are cut: for all threads, as whole islands in tiles."""
    islands, chains = ends.size - 1, ends[-1]
    tiles = min(max(-(-chains // TILE), threads), islands)
    return ends[np.linspace(0, islands, tiles + 1).astype(int)]
