"""Parallel tempering: ladders of replicas, one at each inverse temperature, whose neighbours exchange temperatures.

Swendsen & Wang (1986); Geyer (1991); Desjardins et al. (2010) for RBMs. Deterministic even-odd exchanges (Okabe et al.
2001). The inverse temperatures move from replica to replica, the states stay.
"""

from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from logzoo.budgets import SweepLedger
from logzoo.checks import finite_array, share, whole_number
from logzoo.kernels.energies import log_f_tempered, log_z_of_base
from logzoo.kernels.exchanges import Exchanges, Replicas, run_parallel_tempering
from logzoo.kernels.fixed_point import new_chains
from logzoo.kernels.gibbs import forget_hidden, start_chains
from logzoo.paths import inverse_temperatures, kernel_parameters, log_z_base
from logzoo.progress import bar
from logzoo.samplers.base import resolve_base
from logzoo.samplers.ladders import equal_barrier
from logzoo.samplers.threads import over_chains

# Rungs of a ladder by default, if there are chains enough.
_RUNGS = 20
_STRIDE = 50
# Share of the sweeps in which an adapted ladder moves, and its rounds: each is twice as long as the one before.
_ADAPTING, _ADAPTING_ROUNDS = 0.2, 3


class ParallelTemperingDraws(NamedTuple):
    """What ladders that exchange leave: counts over the sampling phase; observers see the single steps."""

    betas: np.ndarray  # (rung,) inverse temperatures, or places on another path
    log_z_base: float  # nats
    attempted: np.ndarray  # (ladder, pair) exchanges of rungs i and i + 1 tried
    accepted: np.ndarray  # (ladder, pair) exchanges made
    round_trips: np.ndarray  # (ladder, replica) from the base to the model and back
    rounds: int  # of exchanges

    @property
    def exchange_rates(self):
        """Share (pair,) of the exchanges tried that were made, over all ladders; 0 for a pair never tried."""
        return self.accepted.sum(axis=0) / np.maximum(self.attempted.sum(axis=0), 1)

    @property
    def round_trip_share(self):
        """Round trips made, as a share of those that these exchange rates make if every sweep forgets the state.

        The latter, a round and ladder: 1 / (2 + 2 sum_i r_i / (1 - r_i)), r the rejection rates (Syed et al. 2019,
        corollary 2). 0 where a pair made no exchange.
        """
        accepted = self.exchange_rates
        if not accepted.all():
            return 0.0
        expected = self.round_trips.shape[0] * self.rounds / (2.0 + 2.0 * np.sum((1.0 - accepted) / accepted))
        return float(self.round_trips.sum() / expected) if self.rounds else 0.0


class Steps(NamedTuple):
    """Single draws of some sweeps, as observers see them: steps in log f between neighbouring rungs, in nats."""

    burn_in: bool
    up: np.ndarray  # (ladder, sweep, pair): log f_{i+1} - log f_i at the state of rung i
    down: np.ndarray  # (ladder, sweep, pair): the same at the state of rung i + 1
    log_f: np.ndarray | None = (
        None  # (ladder, reading, rung, rung): at the state of each rung log f at all, if asked for
    )


def run(
    rbm,
    ledger,
    stream,
    observers=(),
    *,
    base=None,
    rungs=None,
    ladder="adapted",
    burn_in=0.1,
    threads=1,
    progress=False,
):
    """Run independent ladders of `rungs` replicas each until the ledger is spent.

    rungs: None for 20, or half of the chains if these are fewer, or the length of the ladder where one is listed. The
    chains make as many whole ladders as they can; if some are left over, the sweeps that they would have made are
    made by the others. ladder: as in `paths.inverse_temperatures`, or "adapted": in the first fifth of the sweeps the
    rungs move to equal steps of the barrier (`logzoo.samplers.ladders`). burn_in: share of the sweeps after that and
    before the counts begin. observers: objects with start(ladders, rungs, sweeps), called once with the length of the
    sampling phase, and add(steps), called for every stretch of sweeps from the burn-in on; one that has `every` sees
    log f at all rungs after so many sweeps each. Returns ParallelTemperingDraws. Raises ValueError for impossible
    options.
    """
    whole_number("threads", threads)
    betas, adapt = first_ladder(rungs, ladder, ledger.chains, _RUNGS)
    burn_in = share("burn_in", burn_in)
    base = resolve_base(rbm, base, ledger, stream)
    ladders = ledger.chains // betas.size
    sweeps = (ledger.sweeps * ledger.chains - ledger.chain_sweeps) // (ladders * betas.size)
    sampler = ParallelTempering(stream.child("sweeps").key, ladders, betas, threads, ledger)
    sampler.load(kernel_parameters(rbm, base))
    return follow(sampler, betas, sweeps, adapt, burn_in, observers, log_z_base(base, rbm.hidden), progress)


def first_ladder(rungs, ladder, chains, most):
    """Inverse temperatures (rung,) to begin with, and whether they are to adapt; options as of `run`.

    most: rungs by default, if there are twice as many chains.
    """
    if rungs is None:
        listed = None if isinstance(ladder, str) else finite_array("ladder", ladder, dimensions=1).size
        rungs = listed or min(most, max(chains // 2, 2))
    rungs = whole_number("rungs", rungs, minimum=2)
    if rungs > chains:
        raise ValueError(f"rungs: expected at most {chains} (chains; each rung takes one), found {rungs}")
    adapt = isinstance(ladder, str) and ladder == "adapted"
    return inverse_temperatures("linear" if adapt else ladder, rungs), adapt


def follow(sampler, betas, sweeps, adapt, burn_in, observers, log_z_first, progress):
    """ParallelTemperingDraws of a sampler like `ParallelTempering`, at `betas`, over so many sweeps or rounds of them.

    Its rungs move in the first of them if they adapt; a share `burn_in` of the others comes before the counts.
    """
    adapting = int(_ADAPTING * sweeps) if adapt else 0
    settled = 1 + adapting + int(burn_in * (sweeps - adapting))
    for observer in observers:
        observer.start(sampler.count, sampler.betas.size, 1 + sweeps - settled)
    with bar(sweeps, "exchanging", "round", progress) as shown:
        betas = _adapted(sampler, betas, adapting, shown)
        _advance(sampler, 1 + adapting, settled, "burn-in", observers, shown)
        sampler.forget_counts()
        _advance(sampler, settled, 1 + sweeps, "sampling", observers, shown)
    counts = sampler.attempted, sampler.accepted, sampler.round_trips
    return ParallelTemperingDraws(betas, log_z_first, *counts, 1 + sweeps - settled)


def _adapted(sampler, betas, sweeps, shown):
    """Inverse temperatures (rung,) after the first sweeps: rounds, each of which moves them to equal steps of the
    barrier that it found.
    """
    edges = 1 + sweeps * (2 ** np.arange(_ADAPTING_ROUNDS + 1) - 1) // (2**_ADAPTING_ROUNDS - 1)
    for first, last in pairwise(edges.tolist()):
        if first == last:
            continue
        sampler.forget_counts()
        _advance(sampler, first, last, "adapting", (), shown)
        betas = equal_barrier(betas, sampler.attempted.sum(axis=0), sampler.accepted.sum(axis=0))
        sampler.place(betas)
    return betas


def _advance(sampler, first, last, purpose, observers, shown):
    """Make the sweeps first, ..., last - 1, some at a time."""
    burn_in = purpose == "burn-in"
    every = next((observer.every for observer in observers if getattr(observer, "every", None)), None)
    for start in range(first, last, _STRIDE):
        stop = min(start + _STRIDE, last)
        up, down, log_f = [], [], []
        for ends in pairwise([*range(start, stop, every or _STRIDE), stop]):
            exchanges = sampler.move(*ends, purpose, all_pairs=bool(observers), all_rungs=every is not None)
            up.append(exchanges.up)
            down.append(exchanges.down)
            if every:
                log_f.append(sampler.log_f_at_rungs(exchanges))
        steps = [np.concatenate(parts, axis=1) for parts in (up, down)]
        for observer in observers:
            observer.add(Steps(burn_in, *steps, np.stack(log_f, axis=1) if every else None))
        shown.update(stop - start)


class ParallelTempering:
    """`count` ladders of one replica at each inverse temperature (rung,); the replicas of a ladder lie together.

    attempted, accepted (ladder, pair): exchanges of rungs i and i + 1 tried and made. ledger: what pays for every
    sweep; one without a limit unless given.
    """

    def __init__(self, key, count, betas, threads=1, ledger=None):
        self.key = key
        self.count = count
        self.threads = threads
        self.place(betas)
        self.chains = self.parameters = None
        rung = np.tile(np.arange(self.betas.size), count)
        self.ledger = SweepLedger(None, rung.size) if ledger is None else ledger
        self.replicas = Replicas(rung, np.zeros_like(rung), np.zeros_like(rung))
        self.attempted, self.accepted = np.zeros((2, count, self.betas.size - 1), np.int64)

    def place(self, betas):
        """Go on at these inverse temperatures (rung,)."""
        # Sweeps and densities must agree on them, to the last bit.
        self.betas = np.asarray(betas, np.float32)

    @property
    def round_trips(self):
        """Round trips (ladder, replica)."""
        return self.replicas.round_trips.reshape(self.count, -1)

    def load(self, parameters):
        """Go on with these parameters; at first, draw v of every chain from the base."""
        self.parameters = parameters
        if self.chains is None:
            visible, hidden = parameters.weights.shape[1], parameters.weights_transposed.shape[1]
            self.chains = new_chains(self.replicas.rung.size, visible, hidden)
            start_chains(parameters, self.key, parameters.base, self.chains)
        else:
            forget_hidden(parameters, self.chains)

    def forget_counts(self):
        """Count exchanges and round trips from here on."""
        for counts in (self.attempted, self.accepted, self.replicas.round_trips):
            counts[...] = 0

    def move(self, first, last, purpose="training", *, all_pairs=False, all_rungs=False):
        """Pay for and make the sweeps first, ..., last - 1, numbered from 1, and exchanges after each.

        Returns the Exchanges, NaN where log f was not looked at: see `run_parallel_tempering`.
        """
        rungs, sweeps = self.betas.size, last - first
        self.ledger.spend(sweeps, purpose, chains=self.replicas.rung.size)
        up, down = (np.full((self.count, sweeps, rungs - 1), np.nan) for _ in range(2))
        exchanges = Exchanges(self.attempted, self.accepted, up, down, np.empty((self.count, rungs, rungs)))
        kernel = partial(_on_ladders, self.parameters, self.betas, self.key, first, last, all_pairs, all_rungs)
        over_chains(kernel, self.threads, self._by_ladder(self.chains), self._by_ladder(self.replicas), exchanges)
        return exchanges

    def _by_ladder(self, arrays):
        """Views (ladder, replica, ...) of arrays over all replicas, so that threads share out whole ladders."""
        return type(arrays)(*(array.reshape(self.count, -1, *array.shape[1:]) for array in arrays))

    def weights_at(self, rung):
        """Weights (chain,) that sum to 1: equal ones of the chains that are at one rung now, zero of all others."""
        return (self.replicas.rung == rung) / self.count

    def log_z_base(self):
        """log Z at the first rung in nats."""
        return log_z_of_base(self.parameters, self.chains.v.shape[1], self.chains.h.shape[1])

    def log_f(self):
        """log f at its own rung of every chain, (rung, ladder) in nats, hidden units summed out."""
        values = np.empty(self.replicas.rung.size)
        log_f_tempered(self.parameters, self.betas[self.replicas.rung], self.chains, values)
        return self._by_rung(values)

    def own_log_f(self, exchanges):
        """The same after `move`, with all pairs or (but for rounding) all rungs, from the Exchanges."""
        log_f = exchanges.log_f.reshape(-1, self.betas.size)
        return self._by_rung(log_f[np.arange(self.replicas.rung.size), self.replicas.rung])

    def log_f_at_rungs(self, exchanges):
        """log f (ladder, rung, rung) in nats at all rungs, of the state that is at each rung; after `move`."""
        order = np.argsort(self.replicas.rung.reshape(self.count, -1), axis=1)
        return np.take_along_axis(exchanges.log_f, order[:, :, None], axis=1)

    def _by_rung(self, values):
        """Numbers (chain,) as an array (rung, ladder)."""
        by_rung = np.empty((self.betas.size, self.count))
        by_rung[self.replicas.rung, np.repeat(np.arange(self.count), self.betas.size)] = values
        return by_rung

    def insert_rung(self, rung, betas):
        """Add a rung below the present one of that number; its chains start as copies of those there.

        betas (rungs + 1,): the inverse temperatures from now on.
        """
        rungs = self.betas.size
        copied = np.flatnonzero(self.replicas.rung == rung)
        moved = np.where(self.replicas.rung >= rung, self.replicas.rung + 1, self.replicas.rung)
        source = np.append(np.arange(rungs * self.count).reshape(self.count, rungs), copied[:, None], axis=1).ravel()
        old, self.betas = self.chains, np.asarray(betas, np.float32)
        self.chains = new_chains(source.size, old.v.shape[1], old.h.shape[1])
        for name in ("v", "h", "hidden_input", "visible_input"):
            getattr(self.chains, name)[...] = getattr(old, name)[source]
        replicas = Replicas(moved, self.replicas.heading, self.replicas.round_trips)
        self.replicas = Replicas(*(array[source] for array in replicas))
        fresh = np.arange(rungs, source.size, rungs + 1)
        self.replicas.rung[fresh] = rung
        self.replicas.heading[fresh] = 0
        self.replicas.round_trips[fresh] = 0
        self.attempted, self.accepted = np.zeros((2, self.count, rungs), np.int64)

    @property
    def state(self):
        """What a checkpoint holds."""
        counts = {"attempted": self.attempted, "accepted": self.accepted, "spent": np.array(self.ledger.chain_sweeps)}
        return {"v": self.chains.v, "h": self.chains.h, "betas": self.betas, **self.replicas._asdict(), **counts}

    def restore(self, state):
        """Go on from a `state`."""
        self.betas = state["betas"]
        self.replicas = Replicas(*(state[name] for name in Replicas._fields))
        self.attempted, self.accepted = state["attempted"], state["accepted"]
        self.ledger.by_purpose = {"training": int(state["spent"])}
        self.chains = new_chains(len(state["v"]), state["v"].shape[1], state["h"].shape[1])
        self.chains.v[...] = state["v"]


def _on_ladders(parameters, betas, key, first, last, all_pairs, all_rungs, chains, replicas, exchanges):
    chains, replicas = (
        type(arrays)(*(array.reshape(-1, *array.shape[2:]) for array in arrays)) for arrays in (chains, replicas)
    )
    run_parallel_tempering(parameters, betas, key, first, last, chains, replicas, exchanges, all_pairs, all_rungs)
