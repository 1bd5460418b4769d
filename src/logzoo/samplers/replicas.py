"""Ladders of replicas, one at each temperature, whose temperatures are exchanged or reassigned after each sweep.

Parallel tempering: Swendsen & Wang (1986); Geyer (1991); Desjardins et al. (2010) for RBMs. Exchanges alternate between
even and odd pairs (Okabe et al. 2001). They move inverse temperatures between replicas, while states stay in place.

Infinite swapping: Hult et al. (2019). INS-Gibbs reassigns the temperatures of all replicas of a ladder at once, by the
probabilities of all assignments. PINS reassigns them within groups of neighbouring temperatures. The parallel tempering
of Hult et al., "in-turn", makes Metropolis exchanges of neighbours from the lowest temperature upwards.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from logzoo.budgets import SweepLedger
from logzoo.checks import finite_array, one_of, whole_number
from logzoo.kernels.assignments import LARGEST
from logzoo.kernels.energies import log_f_tempered, log_z_of_base
from logzoo.kernels.exchanges import Exchanges, Replicas, run_parallel_tempering
from logzoo.kernels.fixed_point import new_chains
from logzoo.kernels.gibbs import Chains, Parameters, forget_hidden
from logzoo.kernels.swapping import run_infinite_swapping
from logzoo.samplers.threads import over_chains, part_of, reshaped, started_chains

TEMPERATURES = (1.0, 2.0, 3.0, 4.0, 5.0)
DENSITIES = ("marginal", "joint")
IN_TURN = "in-turn"


class _Ladders:
    """Parameters, chains and ledger of `count` ladders; the replicas of a ladder are contiguous."""

    key: np.uint64
    count: int
    ledger: SweepLedger  # counts every sweep
    parameters: Any = None  # Parameters, from the first `_load` on
    chains: Any = None  # Chains, from the first `_load` or `restore` on
    _arrays: tuple[str, ...]  # attributes that are part of a checkpoint

    def _load(self, parameters: Parameters, replicas: int, log_odds: np.ndarray) -> None:
        """Continue with these parameters; draws v of every chain from independent units if there are no chains yet."""
        self.parameters = parameters
        if self.chains is None:
            self.chains = started_chains(parameters, self.key, replicas, log_odds)
        else:
            forget_hidden(parameters, self.chains)

    @property
    def state(self) -> dict[str, np.ndarray]:
        """The arrays of a checkpoint, by name."""
        arrays = {name: getattr(self, name) for name in self._arrays}
        return {"v": self.chains.v, "h": self.chains.h, "spent": np.array(self.ledger.chain_sweeps), **arrays}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Continue from a `state`."""
        self.ledger.by_purpose = {"training": int(state["spent"])}
        self.chains = new_chains(len(state["v"]), state["v"].shape[1], state["h"].shape[1])
        self.chains.v[...] = state["v"]
        for name in self._arrays:
            setattr(self, name, state[name])


class ParallelTempering(_Ladders):
    """`count` ladders with one replica at each inverse temperature (rung,).

    attempted, accepted (ladder, pair): numbers of exchanges of rungs i and i + 1. ledger: counts every sweep; by
    default it has no limit.
    """

    _arrays = "betas", "attempted", "accepted"

    def __init__(
        self, key: np.uint64, count: int, betas: np.ndarray, threads: int = 1, ledger: SweepLedger | None = None
    ) -> None:
        self.key = key
        self.count = count
        self.threads = threads
        self.move_rungs(betas)
        rung = np.tile(np.arange(self.betas.size), count)
        self.ledger = SweepLedger(None, rung.size) if ledger is None else ledger
        self.replicas = Replicas(rung, np.zeros_like(rung), np.zeros_like(rung))
        self.attempted, self.accepted = np.zeros((2, count, self.betas.size - 1), np.int64)

    def move_rungs(self, betas: np.ndarray) -> None:
        """Continue at these inverse temperatures (rung,)."""
        # Rounding to float32 makes densities use exactly the inverse temperatures of the sweeps.
        self.betas = np.asarray(betas, np.float32)

    @property
    def round_trips(self) -> np.ndarray:
        """Round trips (ladder, replica)."""
        return self.replicas.round_trips.reshape(self.count, -1)

    def load(self, parameters: Parameters) -> None:
        """Continue with these parameters; draws v of every chain from the base if there are no chains yet."""
        self._load(parameters, self.replicas.rung.size, parameters.base)

    def forget_counts(self) -> None:
        """Reset the counts of exchanges and round trips."""
        for counts in (self.attempted, self.accepted, self.replicas.round_trips):
            counts[...] = 0

    def move(
        self, first: int, last: int, purpose: str = "training", *, all_pairs: bool = False, all_rungs: bool = False
    ) -> Exchanges:
        """Make sweeps `first` to `last - 1`, numbered from 1, with exchanges after each sweep.

        Returns the Exchanges, with NaN where log f was not computed: see `run_parallel_tempering`. With `all_rungs`,
        log f of the last states is computed at every rung.
        """
        rungs, sweeps = self.betas.size, last - first
        self.ledger.spend(sweeps, purpose, chains=self.replicas.rung.size)
        up, down = (np.full((self.count, sweeps, rungs - 1), np.nan) for _ in range(2))
        exchanges = Exchanges(self.attempted, self.accepted, up, down, np.empty((self.count, rungs, rungs)))
        settings = self.parameters, self.betas, self.key, first, last
        # Views (ladder, replica, ...), so that each thread gets whole ladders.
        by_ladder = (reshaped(arrays, 1, self.count, -1) for arrays in (self.chains, self.replicas))
        over_chains(partial(_on_ladders, settings, all_pairs, all_rungs), self.threads, *by_ladder, exchanges)
        return exchanges

    def weights_at(self, rung: int) -> np.ndarray:
        """Weights (chain,) that sum to 1: equal for the chains that are at `rung` now, zero for all others."""
        return (self.replicas.rung == rung) / self.count

    def log_z_base(self) -> float:
        """log Z at the first rung in nats."""
        return log_z_of_base(self.parameters, self.chains.v.shape[1], self.chains.h.shape[1])

    def log_f(self) -> np.ndarray:
        """log f (rung, ladder) in nats of every chain at its own rung, with the hidden units summed out."""
        values = np.empty(self.replicas.rung.size)
        log_f_tempered(self.parameters, self.betas[self.replicas.rung], self.chains, values)
        return self._by_rung(values)

    def own_log_f(self, exchanges: Exchanges) -> np.ndarray:
        """The values of `log_f` from the Exchanges of a `move` with all pairs or all rungs."""
        log_f = exchanges.log_f.reshape(-1, self.betas.size)
        return self._by_rung(log_f[np.arange(self.replicas.rung.size), self.replicas.rung])

    def log_f_at_rungs(self, exchanges: Exchanges) -> np.ndarray:
        """log f_k (ladder, i, k) in nats of the state at rung i. The Exchanges come from a `move` with all rungs."""
        order = np.argsort(self.replicas.rung.reshape(self.count, -1), axis=1)
        return exchanges.log_f[np.arange(self.count)[:, None], order]

    def _by_rung(self, values: np.ndarray) -> np.ndarray:
        """Rearrange numbers (chain,) into an array (rung, ladder)."""
        by_rung = np.empty((self.betas.size, self.count))
        by_rung[self.replicas.rung, np.repeat(np.arange(self.count), self.betas.size)] = values
        return by_rung

    def insert_rung(self, rung: int, betas: np.ndarray) -> None:
        """Insert a rung below rung number `rung`; the new chains start as copies of the chains at rung number `rung`.

        betas (rungs + 1,): the inverse temperatures from now on.
        """
        rungs = self.betas.size
        copied = np.flatnonzero(self.replicas.rung == rung)
        moved = np.where(self.replicas.rung >= rung, self.replicas.rung + 1, self.replicas.rung)
        source = np.append(np.arange(rungs * self.count).reshape(self.count, rungs), copied[:, None], axis=1).ravel()
        old = self.chains
        self.move_rungs(betas)
        self.chains = new_chains(source.size, old.v.shape[1], old.h.shape[1])
        for name in ("v", "h", "hidden_input", "visible_input"):
            getattr(self.chains, name)[...] = getattr(old, name)[source]
        self.replicas = part_of(self.replicas._replace(rung=moved), source)
        fresh = np.arange(rungs, source.size, rungs + 1)
        for array, value in zip(self.replicas, (rung, 0, 0), strict=True):
            array[fresh] = value
        self.attempted, self.accepted = np.zeros((2, self.count, rungs), np.int64)

    @property
    def state(self) -> dict[str, np.ndarray]:
        """The arrays of a checkpoint, by name."""
        return super().state | self.replicas._asdict()

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Continue from a `state`."""
        super().restore(state)
        self.replicas = Replicas(*(state[name] for name in Replicas._fields))


def _on_ladders(settings: tuple, all_pairs: bool, all_rungs: bool, chains: Any, replicas: Any, exchanges: Any) -> None:
    chains, replicas = (reshaped(arrays, 2, -1) for arrays in (chains, replicas))
    run_parallel_tempering(*settings, chains, replicas, exchanges, all_pairs, all_rungs)


class InfiniteSwapping(_Ladders):
    """`count` ladders with one replica at each temperature; the path tempers all parameters if the base is uniform.

    temperatures (K,): rising from 1. group: number of temperatures that swap among themselves, None for all
    temperatures, or "in-turn" for exchanges of neighbours. density: "marginal" weights assignments by f(v), "joint" by
    f(v, h). Rungs are numbered by rising inverse temperature; the last rung is the model. Raises ValueError for
    impossible settings.
    """

    _arrays = "rung", "occupancy"

    def __init__(
        self,
        key: np.uint64,
        count: int,
        temperatures: Any = TEMPERATURES,
        group: int | str | None = None,
        density: str = "marginal",
    ) -> None:
        temperatures = finite_array("temperatures", temperatures, dimensions=1)
        if temperatures[0] != 1.0 or np.any(np.diff(temperatures) <= 0.0):
            raise ValueError(f"temperatures: expected numbers that increase from 1, found {temperatures.tolist()}")
        self.key = key
        self.count = count
        # Rounded as in `ParallelTempering.move_rungs`.
        self.betas = np.sort(1.0 / temperatures).astype(np.float32)
        self.partitions = partitions_of(temperatures.size, group)
        self.largest = max((int(np.bincount(groups).max()) for groups in self.partitions), default=1)
        self.joint = one_of("density", density, DENSITIES) == "joint"
        self.rung = np.tile(np.arange(temperatures.size), count)
        self.shares = np.zeros(self.rung.size)
        self.occupancy = np.zeros((self.rung.size, temperatures.size), np.int64)
        self.ledger = SweepLedger(None, self.rung.size)

    def load(self, parameters: Parameters, log_odds: np.ndarray | None = None) -> None:
        """Continue with these parameters; draws v of every chain from independent units if there are no chains yet.

        log_odds: as in `logzoo.kernels.gibbs.start_chains`; by default the visible bias.
        """
        self._load(parameters, self.rung.size, parameters.visible_bias if log_odds is None else log_odds)

    def move(self, first: int, last: int) -> Chains:
        """Make sweeps `first` to `last - 1`, numbered from 1, and count them in the ledger; returns the Chains."""
        self.move_and_sum(first, last, np.zeros((0, 0)))
        return self.chains

    def move_and_sum(self, first: int, last: int, sums: np.ndarray) -> None:
        """Make sweeps as `move` does; each sweep adds (v p(h | v)', v, p(h | v)), weighted by eq 8, to `sums`.

        sums (groups, V H + V + H) float64 is changed in place, with a row for each group of ladders. All groups have
        the same number of ladders.
        """
        self.ledger.spend(last - first, "training")
        replicas = self.partitions, self.largest, self.joint, self.chains, self.rung, self.shares, self.occupancy
        run_infinite_swapping(self.parameters, self.betas, self.key, first, last, *replicas, sums)

    @property
    def spent(self) -> int:
        """Gibbs sweeps so far, summed over the chains."""
        return self.ledger.chain_sweeps

    @property
    def weights(self) -> np.ndarray:
        """Weights (chain,), with sum 1, of the states for expectations under the model (eq 8)."""
        return self.shares / self.count


def partitions_of(rungs: int, group: int | str | None) -> np.ndarray:
    """Group number (partition, rung) of each rung for the kernel; sweeps use the partitions in turn.

    group: number of temperatures in a group, None for all temperatures, or "in-turn" for no groups. If there are
    several groups, a second partition is shifted by half a group. Raises ValueError for groups of fewer than 2 or more
    than 20 temperatures.
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
