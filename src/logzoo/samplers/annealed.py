"""Annealing from the base to the RBM, one sweep a rung, and back (Neal 2001; Burda, Grosse & Salakhutdinov 2015)."""

from functools import partial
from typing import NamedTuple

import numpy as np

from logzoo.checks import binary_matrix, whole_number
from logzoo.kernels.annealing import run_annealing, run_reverse_annealing
from logzoo.kernels.fixed_point import new_chains
from logzoo.kernels.gibbs import forget_hidden, start_chains
from logzoo.paths import kernel_parameters, log_z_base
from logzoo.progress import bar
from logzoo.samplers.base import resolve_base
from logzoo.samplers.rounds import annealing_ladder
from logzoo.samplers.threads import over_chains

_STRIDE = 50


class AnnealedDraws(NamedTuple):
    """Importance weights of independent annealing runs, relative to the base."""

    log_weight: np.ndarray  # (chain,) nats
    log_z_base: float  # nats


def run(rbm, ledger, stream, sweeps=None, *, base=None, ladder="linear", threads=1, progress=False):
    """Anneal every chain of the ledger over that many sweeps, all that it has left by default.

    S sweeps make S + 2 rungs: one sweep at each between the ends; the base is drawn directly and the state at
    beta = 1 is not needed. Weights sum the hidden units out. ladder: as in `logzoo.samplers.rounds`. Returns
    AnnealedDraws.
    """
    whole_number("threads", threads)
    base = resolve_base(rbm, base, ledger, stream)
    parameters = kernel_parameters(rbm, base)
    place = annealing_ladder(ladder, parameters, rbm.weights.shape, ledger, stream, threads)
    sweeps = ledger.spend(ledger.remaining if sweeps is None else sweeps, "annealing")
    betas = place(sweeps + 2)
    chains = new_chains(ledger.chains, rbm.visible, rbm.hidden)
    key = stream.child("sweeps").key
    start_chains(parameters, key, parameters.base, chains)
    kernel = partial(run_annealing, parameters, betas, key)
    return _annealed(kernel, sweeps + 1, threads, chains, base, progress)


def run_reverse(rbm, ledger, stream, starts, *, base=None, ladder="linear", threads=1, progress=False):
    """Anneal every chain of the ledger from its row of `starts` (chain, visible) down to the base, over all its sweeps.

    S sweeps make S + 1 rungs: one sweep at each but the base, the first at beta = 1. Returns AnnealedDraws whose
    log_weight is w = sum_k [log f_{k+1}(x_k) - log f_k(x_k)] along the reverse trajectory: exp(-w) f(v) / Z_1 has the
    mean p_ann(v), the probability that annealing forward along these rungs, the sweep at beta = 1 included, ends at v
    (Burda, Grosse & Salakhutdinov 2015, section 3). Raises ValueError for starts that are not such a 0/1 matrix.
    """
    whole_number("threads", threads)
    starts = binary_matrix("starts", starts, visible=rbm.visible)
    if len(starts) != ledger.chains:
        raise ValueError(f"starts: expected {ledger.chains} rows (chains), found {len(starts)}")
    base = resolve_base(rbm, base, ledger, stream)
    parameters = kernel_parameters(rbm, base)
    place = annealing_ladder(ladder, parameters, rbm.weights.shape, ledger, stream, threads)
    sweeps = ledger.spend(ledger.remaining, "reverse annealing")
    betas = place(sweeps + 1)
    chains = new_chains(ledger.chains, rbm.visible, rbm.hidden)
    chains.v[...] = starts
    forget_hidden(parameters, chains)
    kernel = partial(run_reverse_annealing, parameters, betas, stream.child("sweeps").key)
    return _annealed(kernel, sweeps, threads, chains, base, progress)


def _annealed(kernel, steps, threads, chains, base, progress):
    """AnnealedDraws of steps 1, ..., `steps` of an annealing kernel on all chains, some at a time."""
    log_weight = np.zeros(len(chains.v))
    in_strides(steps, progress, lambda *ends: over_chains(partial(kernel, *ends), threads, chains, log_weight))
    return AnnealedDraws(log_weight, log_z_base(base, chains.h.shape[1]))


def in_strides(steps, progress, make):
    """Call make(first, last) for stretches of steps first, ..., last - 1 up to step `steps`, and show progress."""
    with bar(steps, "annealing", "step", progress) as shown:
        for first in range(1, steps + 1, _STRIDE):
            last = min(first + _STRIDE, steps + 1)
            make(first, last)
            shown.update(last - first)
