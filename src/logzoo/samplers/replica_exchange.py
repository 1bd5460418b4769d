"""Parallel tempering: ladders of replicas, one at each inverse temperature, whose neighbours exchange temperatures.

The rungs of an adapted ladder move towards equal exchange rates (Syed, Bouchard-Côté, Deligiannidis & Doucet 2019).
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from logzoo.budgets import SweepLedger
from logzoo.checks import finite_array, share, whole_number
from logzoo.models.rbm import RBM
from logzoo.paths import equal_barrier, first_rungs, kernel_parameters, log_z_base
from logzoo.printing import bar
from logzoo.samplers.base import resolve_base
from logzoo.samplers.replicas import ParallelTempering
from logzoo.samplers.threads import strides
from logzoo.streams import Stream

# Default number of rungs, if there are enough chains.
_RUNGS = 20
# Share of the sweeps in which an adapted ladder moves, and the number of rounds. Each round is twice as long as the
# round before.
_ADAPTING, _ADAPTING_ROUNDS = 0.2, 3


class ParallelTemperingDraws(NamedTuple):
    """Counts of exchanges and round trips in the sampling phase; observers receive the `Steps`."""

    betas: np.ndarray  # (rung,) inverse temperatures, or positions on another path
    log_z_base: float  # nats
    attempted: np.ndarray  # (ladder, pair) attempted exchanges of rungs i and i + 1
    accepted: np.ndarray  # (ladder, pair) accepted exchanges
    round_trips: np.ndarray  # (ladder, replica) from the base to the model and back
    rounds: int  # number of rounds of exchanges

    @property
    def exchange_rates(self) -> np.ndarray:
        """Share (pair,) of the attempted exchanges that were accepted, over all ladders; 0 without attempts."""
        return self.accepted.sum(axis=0) / np.maximum(self.attempted.sum(axis=0), 1)

    @property
    def round_trip_share(self) -> float:
        """Round trips relative to the number expected at these exchange rates if sweeps were independent draws.

        For a round and a ladder this number is 1 / (2 + 2 sum_i r_i / (1 - r_i)), with rejection rates r (Syed et al.
        2019, corollary 2). The share is 0 if all exchanges of a pair were rejected.
        """
        accepted = self.exchange_rates
        if not accepted.all():
            return 0.0
        expected = self.round_trips.shape[0] * self.rounds / (2.0 + 2.0 * np.sum((1.0 - accepted) / accepted))
        return float(self.round_trips.sum() / expected) if self.rounds else 0.0


class Steps(NamedTuple):
    """Differences of log f between neighbouring rungs, in nats, for consecutive sweeps or rounds of a `Trajectory`."""

    burn_in: bool
    up: np.ndarray  # (ladder, sweep, pair): log f_{i+1} - log f_i at the state of rung i
    down: np.ndarray  # (ladder, sweep, pair): the same at the state of rung i + 1
    # (ladder, reading, i, k): log f_k at the state of rung i; for observers with `every`
    log_f: np.ndarray | None = None


def run(
    rbm: RBM,
    ledger: SweepLedger,
    stream: Stream,
    observers: Sequence[Any] = (),
    *,
    base: Any = None,
    rungs: int | None = None,
    ladder: Any = "adapted",
    burn_in: float = 0.1,
    threads: int = 1,
    progress: bool = False,
) -> ParallelTemperingDraws:
    """Run independent ladders of `rungs` replicas each until the ledger is spent.

    rungs: by default the length of an array `ladder`; otherwise 20, but at most half of the chains, and at least 2. The
    chains are divided into as many whole ladders as possible. These ladders also make the sweeps of the leftover
    chains. ladder: as in `paths.inverse_temperatures`, or "adapted". An adapted ladder moves in the first fifth of the
    sweeps (`paths.equal_barrier`). burn_in: share of the other sweeps before the counts start. observers: objects with
    two methods. start(ladders, rungs, sweeps) is called once, with the length of the sampling phase. add(steps) is
    called with the `Steps` of the burn-in and of the sampling phase, at most 50 sweeps at a time. An observer with an
    attribute `every` gets log f at all rungs at least once in `every` sweeps. Raises ValueError for impossible options.
    """
    whole_number("threads", threads)
    betas, adapt = first_ladder(rungs, ladder, ledger.chains, _RUNGS)
    burn_in = share("burn_in", burn_in)
    base = resolve_base(rbm, base, ledger, stream)
    ladders = ledger.chains // betas.size
    sweeps = ledger.left // (ladders * betas.size)
    sampler = ParallelTempering(stream.child("sweeps").key, ladders, betas, threads, ledger)
    sampler.load(kernel_parameters(rbm, base))
    return follow(sampler, betas, sweeps, adapt, burn_in, observers, log_z_base(base, rbm.hidden), progress)


def first_ladder(rungs: int | None, ladder: Any, chains: int, most: int) -> tuple[np.ndarray, bool]:
    """Initial inverse temperatures (rung,), and whether they adapt; options as in `run`.

    most: default number of rungs, if there are at least twice as many chains.
    """
    if rungs is None:
        listed = None if isinstance(ladder, str) else finite_array("ladder", ladder, dimensions=1).size
        rungs = listed or min(most, max(chains // 2, 2))
    rungs = whole_number("rungs", rungs, minimum=2)
    if rungs > chains:
        raise ValueError(f"rungs: expected at most {chains} (chains; each rung takes one chain), found {rungs}")
    return first_rungs(ladder, rungs)


def follow(
    sampler: Any,
    betas: np.ndarray,
    sweeps: int,
    adapt: bool,
    burn_in: float,
    observers: Sequence[Any],
    log_z_first: float,
    progress: bool,
) -> ParallelTemperingDraws:
    """ParallelTemperingDraws from `sweeps` sweeps of a `ParallelTempering`, or as many rounds of a `Trajectory`.

    betas (rung,): the initial rungs. adapt: whether they move. burn_in: as in `run`.
    """
    adapting = int(_ADAPTING * sweeps) if adapt else 0
    settled = 1 + adapting + int(burn_in * (sweeps - adapting))
    for observer in observers:
        observer.start(sampler.count, sampler.betas.size, 1 + sweeps - settled)
    with bar(sweeps, "exchanging", "round", progress) as progress_bar:
        betas = _adapted(sampler, betas, adapting, progress_bar)
        _advance(sampler, 1 + adapting, settled, "burn-in", observers, progress_bar)
        sampler.forget_counts()
        _advance(sampler, settled, 1 + sweeps, "sampling", observers, progress_bar)
    counts = sampler.attempted, sampler.accepted, sampler.round_trips
    return ParallelTemperingDraws(betas, log_z_first, *counts, 1 + sweeps - settled)


def _adapted(sampler: Any, betas: np.ndarray, sweeps: int, progress_bar: tqdm) -> np.ndarray:
    """Inverse temperatures (rung,) after `sweeps` sweeps; each round moves them by `equal_barrier`."""
    edges = 1 + sweeps * (2 ** np.arange(_ADAPTING_ROUNDS + 1) - 1) // (2**_ADAPTING_ROUNDS - 1)
    for first, last in pairwise(edges.tolist()):
        if first < last:
            sampler.forget_counts()
            _advance(sampler, first, last, "adapting", (), progress_bar)
            betas = equal_barrier(betas, sampler.attempted.sum(axis=0), sampler.accepted.sum(axis=0))
            sampler.move_rungs(betas)
    return betas


def _advance(sampler: Any, first: int, last: int, purpose: str, observers: Sequence[Any], progress_bar: tqdm) -> None:
    """Make sweeps `first` to `last - 1`, at most 50 at a time, and pass their `Steps` to the observers."""
    burn_in = purpose == "burn-in"
    every = next((observer.every for observer in observers if getattr(observer, "every", None)), None)
    for start, stop in strides(first, last):
        up, down, log_f = [], [], []
        for begin, end in strides(start, stop, every or stop - start):
            exchanges = sampler.move(begin, end, purpose, all_pairs=bool(observers), all_rungs=every is not None)
            up.append(exchanges.up)
            down.append(exchanges.down)
            if every:
                log_f.append(sampler.log_f_at_rungs(exchanges))
        readings = np.stack(log_f, axis=1) if every else None
        steps = Steps(burn_in, np.concatenate(up, axis=1), np.concatenate(down, axis=1), readings)
        for observer in observers:
            observer.add(steps)
        progress_bar.update(stop - start)
