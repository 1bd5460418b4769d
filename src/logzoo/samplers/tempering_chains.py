"""Chains of simulated tempering, and the initial iterations that find log Zhat (Carlson et al. 2016, section 2).

A chain draws its state and its inverse temperature in turn (section 2.1): x | beta_k by one Gibbs sweep, and beta_k | x
from q(beta_k | x). q is proportional to r_k f_k(x) / Zhat_k, with prior r and estimates Zhat_k. x is v with the hidden
units summed out (`marginal`) or (v, h) (`joint`).
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from logzoo.budgets import SweepLedger
from logzoo.kernels.energies import smooth_parts_of_chains
from logzoo.kernels.gibbs import Parameters, forget_hidden
from logzoo.kernels.tempering import Ladder, Record, RungSums, run_simulated_tempering
from logzoo.paths import (
    carried,
    chebyshev_nodes,
    differentiation_matrix,
    equal_length,
    interpolation_matrix,
    prior_weights,
)
from logzoo.printing import bar
from logzoo.samplers.observers import Curvature, Stretch
from logzoo.samplers.threads import over_chains, started_chains, strides
from logzoo.streams import Stream

# Largest accepted error of interpolated log f_k on the current states, in nats.
_INTERPOLATION_TOLERANCE = 5e-4
_NODE_COUNTS = (12, 16, 20, 24, 32, 48, 64, 96, 128)
# This number is added to every bin of plain counts (Carlson et al. 2016, section 4.3), so that logarithms are finite.
COUNT_FLOOR = 0.1
# Smallest occupancy in an update of log Zhat. The update is therefore at most about log(1e300) = 690 nats.
OCCUPANCY_FLOOR = 1e-300
# Bounds of K max_k |r_k - c_k|, see `tempering_runs.begin`. Above _FAR_OFF, sampling gives almost no information.
RULE = 0.1
_FAR_OFF = 0.5


class SimulatedTempering:
    """The chains of a ledger, their rungs, their position in the stream, and the interpolation of log f."""

    def __init__(
        self,
        parameters: Parameters,
        betas: np.ndarray,
        ledger: SweepLedger,
        stream: Stream,
        form: str,
        threads: int,
        progress: bool = False,
    ) -> None:
        self.ledger = ledger
        self.parameters = parameters
        self.betas = betas
        self.marginal = form == "marginal"
        self.threads = threads
        self.key = stream.child("sweeps").key
        self.generator = stream.child("rungs").generator()
        self.sweep = 1
        self.chains = started_chains(parameters, self.key, ledger.chains)
        self.bar = bar(ledger.remaining, "tempering", "sweep", progress)
        self.set_nodes(_NODE_COUNTS[0])
        self.restart()

    def restart(self) -> None:
        """Redraw the rungs uniformly, keep the states (section 2.4), and add interpolation nodes if needed."""
        count = len(self.chains.v)
        self.rung = self.generator.integers(self.betas.size, size=count)
        self.heading = np.zeros(count, np.int64)
        self.fit_nodes()

    def fit_nodes(self) -> None:
        """Add interpolation nodes, up to 128, until interpolation is accurate on the present states."""
        for nodes in _NODE_COUNTS:
            if nodes >= self.ladder.nodes.size:
                self.set_nodes(nodes)
                if self.interpolation_error() < _INTERPOLATION_TOLERANCE:
                    return

    def load(self, parameters: Parameters) -> None:
        """Continue with other parameters, from the same states."""
        self.parameters = parameters
        forget_hidden(parameters, self.chains)

    def move_rungs(self, betas: np.ndarray) -> None:
        """Move the rungs to other inverse temperatures (rung,), and restart."""
        self.betas = betas
        self.set_nodes(self.ladder.nodes.size)
        self.restart()

    def set_nodes(self, count: int) -> None:
        """Interpolate log f from `count` nodes."""
        nodes = chebyshev_nodes(count if self.marginal else 0).astype(np.float32)
        readout, self.slopes, self.curvatures = _tables(nodes.astype(np.float64), self.betas)
        self.ladder = Ladder(self.betas, nodes, readout)

    def advance(self, offset: np.ndarray, sweeps: int, purpose: str, observers: Sequence[Any] = ()) -> RungSums:
        """Make sweeps with offset log r - log Zhat (rung,), and count them in the ledger; returns RungSums.

        Observers receive every draw.
        """
        group = np.zeros(len(self.rung), np.int64)

        def move(first: int, stop: int, sums: RungSums, record: Record) -> None:
            settings = (self.parameters, self.ladder, offset[None], self.marginal, self.key, first, stop)
            kernel = partial(run_simulated_tempering, *settings)
            over_chains(kernel, self.threads, self.chains, self.rung, self.heading, group, sums, record)

        return self.follow(move, offset, sweeps, purpose, observers)

    def follow(
        self, move: Callable, offset: np.ndarray, sweeps: int, purpose: str, observers: Sequence[Any]
    ) -> RungSums:
        """Make sweeps by calls of move(first, stop, sums, record), at most 50 sweeps each.

        The ledger counts the sweeps. Observers get `offset`.
        """
        self.ledger.spend(sweeps, purpose)
        count, sums = len(self.rung), zero_sums(len(self.rung), self.betas.size)
        last = self.sweep + sweeps
        for first, stop in strides(self.sweep, last):
            stretch = stop - first
            recorded = stretch if any(observer.reads_values for observer in observers) else 0
            values = np.zeros((count, recorded, len(self.ladder.readout)))
            record = Record(values, np.zeros((count, stretch + 1), np.int64))
            move(first, stop, sums, record)
            for observer in observers:
                tables = (self.ladder.readout, self.slopes, self.curvatures)
                observer.add(Stretch(record.values, record.rungs, *tables, offset))
            self.bar.update(stretch)
        self.sweep = last
        return sums

    def interpolation_error(self) -> float:
        """Largest interpolation error of log f_k over chains and rungs, in nats."""
        if not self.marginal:
            return 0.0
        nodes = self.ladder.nodes
        direct = np.empty((len(self.chains.v), self.betas.size))
        at_nodes = np.empty((len(self.chains.v), nodes.size))
        smooth_parts_of_chains(self.parameters, self.chains, self.betas.astype(np.float32), direct)
        smooth_parts_of_chains(self.parameters, self.chains, nodes, at_nodes)
        return float(np.max(np.abs(at_nodes @ self.ladder.readout[: nodes.size] - direct)))


def zero_sums(chains: int, rungs: int) -> RungSums:
    """RungSums before the first sweep."""
    shape = chains, rungs
    return RungSums(np.zeros(shape), np.zeros(shape, np.int64), np.zeros(chains, np.int64))


def _tables(nodes: np.ndarray, betas: np.ndarray) -> list:
    """Tables (value, rung) that give log f at the rungs, and its first two derivatives, from the values of a state."""
    ones = np.ones_like(betas)
    # The last two values of a state are multiplied by beta and 1 - beta.
    tables = [[betas, 1.0 - betas], [ones, -ones], [0.0 * ones, 0.0 * ones]]
    if nodes.size:
        smooth, derivative = interpolation_matrix(nodes, betas), differentiation_matrix(nodes)
        for table in tables:
            table[:0] = smooth
            smooth = derivative @ smooth
    return [np.stack(table) for table in tables]


class Initial(NamedTuple):
    """Results of the initial iterations. log Zhat and r are at the final rungs."""

    log_z_hat: np.ndarray  # (rung,) nats, relative to the base
    prior: np.ndarray  # (rung,) r
    history: list  # (log Zhat, occupancy) after each iteration, at the rungs of that iteration
    rule_met: bool


def initial_phase(
    sampler: SimulatedTempering, lengths: list[int], prior: Any, adapt: bool, rao_blackwell: bool, stop_early: bool
) -> Initial:
    """Make initial iterations of the given lengths in sweeps, from log Zhat = 0.

    prior: as in `paths.prior_weights`. adapt: whether the first half of the iterations is a pilot. After a pilot the
    rungs move to equal steps of thermodynamic length, and log Zhat is interpolated there.
    """
    iterate = partial(_iterate, sampler, rao_blackwell, stop_early)
    r, log_z_hat, history = prior_weights(prior, sampler.betas), np.zeros(sampler.betas.size), []
    if adapt and lengths:
        half, curvature = -(-len(lengths) // 2), Curvature()
        history, _ = iterate(lengths[:half], r, log_z_hat, (curvature,))
        lengths = lengths[half:]
        before = sampler.betas
        sampler.move_rungs(equal_length(before, curvature.values()))
        r, log_z_hat = prior_weights(prior, sampler.betas), carried(history[-1][0], before, sampler.betas)
    later, rule_met = iterate(lengths, r, log_z_hat)
    return Initial(later[-1][0] if later else log_z_hat, r, history + later, rule_met)


def _iterate(
    sampler: SimulatedTempering,
    rao_blackwell: bool,
    stop_early: bool,
    lengths: list[int],
    prior: np.ndarray,
    log_z_hat: np.ndarray,
    observers: Sequence[Any] = (),
) -> tuple[list, bool]:
    """Make iterations of eq 12; returns (log Zhat, occupancy) of each, and whether the last met the stopping rule."""
    history, rule_met, ledger = [], False, sampler.ledger
    queue = list(lengths)
    while queue:
        sweeps = queue.pop(0)
        for observer in observers:
            observer.start(ledger.chains, prior.size, sweeps)
        sums = sampler.advance(np.log(prior) - log_z_hat, sweeps, "initial iterations", observers)
        occupancy = mean_occupancy(sums, rao_blackwell)
        log_z_hat = updated_log_z(log_z_hat, prior, occupancy)
        history.append((log_z_hat, occupancy))
        sampler.restart()
        error = prior.size * float(np.max(np.abs(prior - occupancy)))
        rule_met = error < RULE
        if rule_met and stop_early:
            break
        if stop_early and not queue and error > _FAR_OFF and ledger.spent + lengths[0] <= ledger.sweeps // 2:
            queue.append(lengths[0])
    return history, rule_met


def updated_log_z(log_z_hat: np.ndarray, prior: np.ndarray, occupancy: np.ndarray) -> np.ndarray:
    """log Zhat_k + log(r_1 / r_k) + log(c_k / c_1) (rung,) in nats relative to the base, with occupancy c (eq 12)."""
    log_c = np.log(np.maximum(occupancy, OCCUPANCY_FLOOR))
    return log_z_hat + np.log(prior[0] / prior) + log_c - log_c[0]


def mean_occupancy(sums: RungSums, rao_blackwell: bool) -> np.ndarray:
    """Occupancy (rung,), with sum 1: the mean of q(beta_k | x) if `rao_blackwell`, else the shares of visits.

    Each number of visits is first increased by 0.1.
    """
    total = sums.occupancy.sum(axis=0) if rao_blackwell else sums.visits.sum(axis=0) + COUNT_FLOOR
    return total / total.sum()


def iteration_lengths(ledger: SweepLedger, sweeps: int, iterations: int) -> list[int]:
    """Sweeps of each initial iteration, see `tempering_runs.begin`; the last iteration takes the sweeps that are left.

    Short iterations find log Zhat roughly, but their noise exceeds an occupancy error of 0.1 / K, with K rungs.
    """
    left = min(max(iterations * sweeps, ledger.sweeps // 10), ledger.sweeps // 2, ledger.remaining - 1)
    lengths = []
    while left >= sweeps:
        doubled = sweeps * 2 ** max(0, len(lengths) + 1 - iterations)
        lengths.append(doubled if left >= 2 * doubled else left)
        left -= lengths[-1]
    return lengths
