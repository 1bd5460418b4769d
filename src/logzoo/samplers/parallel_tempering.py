"""Parallel tempering: ladders of replicas, one at each inverse temperature, whose neighbours exchange temperatures.

Swendsen & Wang (1986); Geyer (1991); Desjardins et al. (2010) for RBMs. Deterministic even-odd exchanges (Okabe et al.
2001). The inverse temperatures move from replica to replica, the states stay.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from logzoo.checks import finite_array, share, whole_number
from logzoo.kernels.gibbs import start_chains
from logzoo.kernels.layout import new_chains
from logzoo.kernels.parallel_tempering import Exchanges, Replicas, run_parallel_tempering
from logzoo.paths import inverse_temperatures, kernel_parameters, log_z_base
from logzoo.samplers.base import resolve_base
from logzoo.samplers.threads import over_chains

# Rungs of a ladder when nobody says otherwise and there are chains enough.
_RUNGS = 20
_STRIDE = 50


class ParallelTemperingDraws(NamedTuple):
    """What parallel tempering leaves: counts over the sampling phase; observers see the single steps."""

    betas: np.ndarray  # (rung,) inverse temperatures
    log_z_base: float  # nats
    attempted: np.ndarray  # (ladder, pair) exchanges of rungs i and i + 1 tried
    accepted: np.ndarray  # (ladder, pair) exchanges made
    round_trips: np.ndarray  # (ladder, replica) from the base to the model and back

    @property
    def exchange_rates(self):
        """Share (pair,) of the exchanges tried that were made, over all ladders; 0 for a pair never tried."""
        return self.accepted.sum(axis=0) / np.maximum(self.attempted.sum(axis=0), 1)


class Steps(NamedTuple):
    """Single draws of some sweeps, as observers see them: steps in log f between neighbouring rungs, in nats."""

    burn_in: bool
    up: np.ndarray  # (ladder, sweep, pair): log f_{i+1} - log f_i at the state of rung i
    down: np.ndarray  # (ladder, sweep, pair): the same at the state of rung i + 1


def run(
    rbm,
    ledger,
    stream,
    observers=(),
    *,
    base=None,
    rungs=None,
    ladder="linear",
    burn_in=0.1,
    threads=1,
    progress=False,
):
    """Run independent ladders of `rungs` replicas each until the ledger is spent.

    rungs: None for 20, or half of the chains if these are fewer, or the length of the ladder where one is listed. The
    chains make as many whole ladders as they can; if some are left over, the sweeps that they would have made are
    made by the others. burn_in: share of the sweeps before the counts begin. observers: objects with
    start(ladders, rungs, sweeps), called once with the length of the sampling phase, and add(steps), called for every
    stretch of sweeps, those of the burn-in included. Returns ParallelTemperingDraws. Raises ValueError for impossible
    options.
    """
    whole_number("threads", threads)
    rungs = _rung_count(rungs, ladder, ledger.chains)
    betas = inverse_temperatures(ladder, rungs)
    burn_in = share("burn_in", burn_in)
    base = resolve_base(rbm, base, ledger, stream)
    ladders = ledger.chains // rungs
    active = ladders * rungs
    sweeps = (ledger.sweeps * ledger.chains - sum(ledger.by_purpose.values())) // active
    burning = int(burn_in * sweeps)
    sampler = ParallelTempering(rbm, base, betas, stream, ladders, threads)
    for observer in observers:
        observer.start(ladders, rungs, sweeps - burning)
    with tqdm(total=sweeps, desc="parallel tempering", unit="sweep", disable=None if progress else True) as bar:
        sampler.advance(ledger.spend(burning, "burn-in", chains=active), observers, bar, burn_in=True)
        sampler.replicas.round_trips[:] = 0
        counts = sampler.advance(ledger.spend(sweeps - burning, "sampling", chains=active), observers, bar)
    round_trips = sampler.replicas.round_trips.reshape(ladders, rungs)
    return ParallelTemperingDraws(betas, log_z_base(base, rbm.hidden), *counts, round_trips)


class ParallelTempering:
    """The replicas of one run: states `chains`, places on the ladder `replicas` (replicas of a ladder lie together)."""

    def __init__(self, rbm, base, betas, stream, ladders, threads=1):
        self.parameters = kernel_parameters(rbm, base)
        # Sweeps and densities must agree on the inverse temperatures, to the last bit.
        self.betas = np.asarray(betas, np.float32)
        self.ladders = ladders
        self.threads = threads
        self.key = stream.child("sweeps").key
        self.sweep = 1
        count = ladders * self.betas.size
        self.chains = new_chains(count, rbm.visible, rbm.hidden)
        start_chains(self.parameters, self.key, self.parameters.base, self.chains)
        rung = np.tile(np.arange(self.betas.size), ladders)
        self.replicas = Replicas(rung, np.zeros(count, np.int64), np.zeros(count, np.int64))

    def advance(self, sweeps, observers=(), bar=None, *, burn_in=False):
        """Sweep all replicas, exchanging neighbours after each sweep; returns counts (attempted, accepted)."""
        pairs = self.betas.size - 1
        counts = [np.zeros((self.ladders, pairs), np.int64) for _ in range(2)]
        last = self.sweep + sweeps
        for first in range(self.sweep, last, _STRIDE):
            stop = min(first + _STRIDE, last)
            steps = (np.full((self.ladders, stop - first, pairs), np.nan) for _ in range(2))
            exchanges = Exchanges(*counts, *steps, np.empty((self.ladders, pairs + 1, pairs + 1)))
            kernel = partial(_on_ladders, self.parameters, self.betas, self.key, first, stop, bool(observers))
            over_chains(kernel, self.threads, self._grouped(self.chains), self._grouped(self.replicas), exchanges)
            for observer in observers:
                observer.add(Steps(burn_in, exchanges.up, exchanges.down))
            if bar is not None:
                bar.update(stop - first)
        self.sweep = last
        return counts

    def _grouped(self, arrays):
        """Views (ladder, replica, ...) of arrays over all replicas, so that threads share out whole ladders."""
        return type(arrays)(*(array.reshape(self.ladders, -1, *array.shape[1:]) for array in arrays))


def _on_ladders(parameters, betas, key, first, last, all_pairs, chains, replicas, exchanges):
    chains, replicas = (
        type(arrays)(*(array.reshape(-1, *array.shape[2:]) for array in arrays)) for arrays in (chains, replicas)
    )
    run_parallel_tempering(parameters, betas, key, first, last, chains, replicas, exchanges, all_pairs, False)


def _rung_count(rungs, ladder, chains):
    if rungs is None:
        listed = None if isinstance(ladder, str) else finite_array("ladder", ladder, dimensions=1).size
        rungs = listed or min(_RUNGS, max(chains // 2, 2))
    rungs = whole_number("rungs", rungs, minimum=2)
    if rungs > chains:
        raise ValueError(f"rungs: expected at most {chains} (chains; each rung takes one), found {rungs}")
    return rungs
