"""Infinite swapping: ladders of replicas whose temperatures are reassigned after each sweep (Hult et al. 2019).

INS-Gibbs: among all replicas of a ladder at once, by the probabilities of all assignments. PINS: within groups of
neighbouring temperatures. In turn: Metropolis exchanges of neighbours from the lowest temperature upwards, parallel
tempering as the paper has it.
"""

from functools import partial

import numpy as np

from logzoo.budgets import SweepLedger
from logzoo.checks import finite_array, one_of, whole_number
from logzoo.kernels.assignments import LARGEST
from logzoo.kernels.energies import log_f_tempered, log_z_of_base
from logzoo.kernels.gibbs import forget_hidden, start_chains
from logzoo.kernels.infinite_swapping import run_infinite_swapping
from logzoo.kernels.layout import new_chains
from logzoo.kernels.parallel_tempering import Exchanges, Replicas, run_parallel_tempering
from logzoo.samplers.threads import over_chains

TEMPERATURES = (1.0, 2.0, 3.0, 4.0, 5.0)
DENSITIES = ("marginal", "joint")
IN_TURN = "in-turn"


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


class InfiniteSwapping:
    """`count` ladders of one replica at each temperature; the path tempers all parameters.

    temperatures (K,): rising from 1. group: temperatures that swap among themselves, None for all, or "in-turn" for
    exchanges of neighbours. density: what assignments are weighed by, log f(v) or log f(v, h). Rungs are numbered by
    rising inverse temperature, so the last is that of the model. Raises ValueError for impossible settings.
    """

    def __init__(self, key, count, temperatures=TEMPERATURES, group=None, density="marginal"):
        temperatures = finite_array("temperatures", temperatures, dimensions=1)
        if temperatures.size == 0 or temperatures[0] != 1.0 or np.any(np.diff(temperatures) <= 0.0):
            raise ValueError(f"temperatures: expected numbers that increase from 1, found {temperatures.tolist()}")
        self.key = key
        self.count = count
        # Sweeps and densities must agree on the inverse temperatures, to the last bit.
        self.betas = np.sort(1.0 / temperatures).astype(np.float32)
        self.partitions = partitions_of(temperatures.size, group)
        self.joint = one_of("density", density, DENSITIES) == "joint"
        self.rung = np.tile(np.arange(temperatures.size), count)
        self.shares = np.zeros(self.rung.size)
        self.occupancy = np.zeros((self.rung.size, temperatures.size), np.int64)
        self.parameters = self.chains = None
        self.ledger = SweepLedger(None, self.rung.size)  # pays for every sweep

    def load(self, parameters, log_odds=None):
        """Go on with these parameters; at first, draw v of every chain from independent units of these log-odds.

        log_odds: as in `logzoo.kernels.gibbs.start_chains`; the visible bias unless given.
        """
        self.parameters = parameters
        if self.chains is None:
            visible, hidden = parameters.weights.shape[1], parameters.weights_transposed.shape[1]
            self.chains = new_chains(self.rung.size, visible, hidden)
            log_odds = parameters.visible_bias if log_odds is None else log_odds
            start_chains(parameters, self.key, log_odds, self.chains)
        else:
            forget_hidden(parameters, self.chains)

    def move(self, first, last):
        """Pay for and make the sweeps first, ..., last - 1, numbered from 1; returns the Chains, inputs up to date."""
        self.move_and_sum(first, last, np.zeros((0, 0)))
        return self.chains

    def move_and_sum(self, first, last, sums):
        """`move`; after every sweep the sum over each group of ladders of (v p(h | v)', v, p(h | v)), weighted by eq 8.

        sums (groups, V H + V + H) float64, added to: of as many equal groups of ladders.
        """
        self.ledger.spend(last - first, "training")
        replicas = self.partitions, self.joint, self.chains, self.rung, self.shares, self.occupancy
        run_infinite_swapping(self.parameters, self.betas, self.key, first, last, *replicas, sums)

    @property
    def spent(self):
        """Gibbs sweeps so far, summed over the chains."""
        return self.ledger.chain_sweeps

    @property
    def weights(self):
        """Weights (chain,) of the states for expectations under the model, which sum to 1 (eq 8)."""
        return self.shares / self.count

    @property
    def state(self):
        """What a checkpoint holds."""
        counts = {"occupancy": self.occupancy, "spent": np.array(self.ledger.chain_sweeps)}
        return {"v": self.chains.v, "h": self.chains.h, "rung": self.rung, **counts}

    def restore(self, state):
        """Go on from a `state`."""
        self.rung, self.occupancy = state["rung"], state["occupancy"]
        self.ledger.by_purpose = {"training": int(state["spent"])}
        self.chains = new_chains(len(state["v"]), state["v"].shape[1], state["h"].shape[1])
        self.chains.v[...] = state["v"]


def partitions_of(rungs, group):
    """Groups (partition, rung) of neighbouring rungs, one row for each sweep in turn, as the kernel has them.

    group: temperatures in a group, whose second partition is shifted by half; None for all of them; "in-turn" for none.
    Raises ValueError for groups of fewer than 2 and more than can be summed over.
    """
    if group == IN_TURN:
        return np.zeros((0, rungs), np.int64)
    size = rungs if group is None else min(whole_number("group", group, minimum=2), rungs)
    if size > LARGEST:
        raise ValueError(f"group: expected at most {LARGEST} temperatures that swap together, found {size}")
    if size == rungs:
        return np.zeros((1, rungs), np.int64)
    rung = np.arange(rungs)
    return np.stack([rung // size, (rung + size // 2) // size])
