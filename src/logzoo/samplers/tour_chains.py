"""Tours: Gibbs chains that start in a stopping set drawn from data and end on their return (Savarese et al. 2018).

A tour starts at a hidden state h of the set with probability f(h) / Z_S, with Z_S the sum of f over the set. The mean
length of a tour is Z / Z_S (Kac; Savarese et al., corollary 2).
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp

from logzoo.budgets import SweepLedger
from logzoo.checks import whole_number
from logzoo.kernels.bitsets import LONG_WORD
from logzoo.kernels.fixed_point import new_chains
from logzoo.kernels.gibbs import Chains, Parameters
from logzoo.kernels.hidden_energies import log_f_hidden
from logzoo.kernels.tour_sweeps import TourStates, run_tours
from logzoo.models.rbm import RBM
from logzoo.paths import kernel_parameters
from logzoo.printing import bar
from logzoo.samplers.stopping_sets import StoppingSet, stopping_set
from logzoo.samplers.threads import TILE, over_parts
from logzoo.streams import Stream

# The number of a tour has 32 bits in the random stream's counter.
MOST_TOURS = 2**32
# Without `rounds`, the stopping set takes one sweep in _SHARE of the budget. The limit is one draw per example, or
# _MOST_DRAWS draws if that is more.
_SHARE = 5
_MOST_DRAWS = 100_000
# Probes are chains from uniform hidden states. They search for modes that the stopping set misses, and take at most one
# sweep in _PROBE_SHARE of the budget.
_PROBES = 20
_PROBE_SHARE = 10
# Largest numbers of tours in the first generation and in a later generation.
_FIRST = 100
_MOST_TOGETHER = 100_000
# Reserve of sweeps, in lengths of the longest tour so far, so that the end of the budget rarely cuts a tour.
_KEPT_BACK = 5
# Path of tours whose states are not kept.
_NO_PATH = np.empty((0, 0, 0), np.uint64)


class Tours(NamedTuple):
    """Tours in the order of their numbers."""

    start: np.ndarray  # (tour,) int64: the row of the stopping set that the tour started from
    length: np.ndarray  # (tour,) int64: sweeps made
    finished: np.ndarray  # (tour,) bool: back in the stopping set; the other tours were cut
    visited: np.ndarray | None = None  # (states, words) uint64: states before each sweep of finished tours, if kept


class Probes(NamedTuple):
    """Results of chains from uniform hidden states."""

    sweeps: int  # made by all probes
    lost: int  # number of probes that did not reach the stopping set
    log_mass: float  # log of the sum of f(h) over the region of lost probes, nats; -inf if none is lost, inf if unknown


class TourDraws(NamedTuple):
    """Stopping set, tours and probes of one run."""

    stopping: StoppingSet
    tours: Tours
    probes: Probes


def run(
    rbm: RBM,
    ledger: SweepLedger,
    stream: Stream,
    data: np.ndarray,
    *,
    rounds: int | None = None,
    tours: Any = None,
    cap: int | None = None,
    threads: int = 1,
    progress: bool = False,
) -> TourDraws:
    """Draw a stopping set from data, run probes, and make tours with the remaining sweeps of the ledger.

    data: 0/1 matrix (examples, visible). rounds: hidden states drawn for each example; by default the draws take at
    most a fifth of the sweeps, or one sweep. tours: number of tours; by default it follows from the budget. cap:
    largest length of a tour; by default there is no limit. Sweeps that no tour uses are left over. Raises ValueError
    for impossible options and too small a budget.
    """
    cap = None if cap is None else whole_number("cap", cap)
    threads = min(whole_number("threads", threads), ledger.chains)
    budget = ledger.left
    if budget < 2:
        raise ValueError(f"sweeps: expected at least 2, for a draw of the stopping set and for a tour, found {budget}")
    draws = max(1, min(budget // _SHARE, max(len(data), _MOST_DRAWS)))
    if rounds is not None:
        draws = whole_number("rounds", rounds) * len(data)
        if 2 * draws > budget:
            raise ValueError(
                f"rounds: expected a stopping set of at most half of the budget of {budget:,} sweeps, found "
                f"{rounds} rounds of {len(data):,} examples"
            )
    parameters = kernel_parameters(rbm, np.zeros(rbm.visible))
    stopping = stopping_set(parameters, data, ledger.spend(draws, "stopping set", chains=1), stream.child("stopping"))
    sampler = TourSampler(parameters, stopping, stream.child("tours"), threads=threads)
    probes = sampler.probe(min(_PROBES, budget // _PROBE_SHARE), budget // _PROBE_SHARE)
    ledger.spend(probes.sweeps, "probes", chains=1)
    all_tours = tours_within(sampler, tours, ledger.left, cap, progress)
    ledger.spend(int(all_tours.length.sum()), "tours", chains=1)
    ledger.spend(ledger.left, "left over", chains=1)
    return TourDraws(stopping, all_tours, probes)


def tours_within(sampler: "TourSampler", count: int | None, budget: int, cap: int | None, progress: bool) -> Tours:
    """Make `count` tours. If `count` is None, make generations of tours until few of the `budget` sweeps are left.

    The size of a generation depends on the lengths of earlier tours, but not on the lengths of its own tours.
    Otherwise the mean length would be biased.
    """
    if count is not None:
        count = whole_number("tours", count)
        if count > budget:
            raise ValueError(f"tours: expected at most {budget:,} (sweeps left for them), found {count:,}")
        return sampler.run(count, budget, cap)
    generations = []
    count = max(1, min(budget // _PROBE_SHARE, _FIRST))
    with bar(budget, "tours", "sweep", progress) as progress_bar:
        while count:
            generations.append(sampler.run(count, budget, cap))
            spent = int(generations[-1].length.sum())
            budget -= spent
            progress_bar.update(spent)
            lengths = np.concatenate([tours.length for tours in generations])
            spare = budget - _KEPT_BACK * int(lengths.max())
            count = int(min(max(spare, 0) / (2.0 * lengths.mean()), _MOST_TOGETHER))
    return Tours(*(np.concatenate([tours[field] for tours in generations]) for field in range(3)))


class TourSampler:
    """Tours from one stopping set, numbered from 0: the draws of a tour depend only on its number and the stream."""

    def __init__(
        self,
        parameters: Parameters,
        stopping: StoppingSet,
        stream: Stream,
        *,
        threads: int = 1,
        flight: int = TILE,
        mean_field: bool = False,
    ) -> None:
        self.parameters = parameters
        self.stopping = stopping
        self.key = stream.child("sweeps").key
        self.uniforms = stream.child("starts").generator()
        self.elsewhere = stream.child("probes").generator()
        self.next_number = 0
        visible, hidden = parameters.weights.shape[1], parameters.weights_transposed.shape[1]
        self.chains = [new_chains(whole_number("flight", flight), visible, hidden) for _ in range(threads)]
        # Mean-field tours use E[v | h] in place of draws of v. This is not Gibbs sampling.
        self.means = [np.empty((flight if mean_field else 0, visible), np.float32) for _ in range(threads)]

    def run(self, count: int, budget: int, cap: int | None = None, *, keep: bool = False) -> Tours:
        """Start `count` tours, which end in the stopping set, at `cap` sweeps, or when their common budget is spent.

        Unfinished tours have equal lengths, unless the last sweeps of the budget are too few for all of them. Then the
        tours with the lowest numbers make one more sweep. keep: whether to return the states visited. Raises ValueError
        beyond 2^32 tours.
        """
        start = self.stopping.starts(self.uniforms.random(count))
        paths = [] if keep else None
        tours = self.run_from(self.stopping.members.rows[start], budget, cap, paths)
        return Tours(start, tours.length, tours.finished, None if paths is None else _visited(tours, paths))

    def probe(self, count: int, budget: int) -> Probes:
        """Run `count` chains from uniform hidden states until they reach the stopping set or spend half of the budget.

        Chains that have not reached it spend the other half. The states of chains that never reach it give `log_mass`.
        """
        words = self.stopping.members.rows.shape[1]
        rows = self.elsewhere.integers(0, 2**64, (count, words), dtype=np.uint64)
        beyond = words * LONG_WORD - self.parameters.weights_transposed.shape[1]
        rows[:, -1] &= np.uint64(2**64 - 1) >> np.uint64(beyond)
        outward = self.run_from(rows, budget // 2)
        rows = outward.rows[~outward.finished]
        steps = (budget - budget // 2) // max(len(rows), 1)
        around = self.run_from(rows, steps * len(rows), steps, paths := [])
        lost = ~around.finished
        seen = [path[lost[queue]].reshape(-1, words) for queue, _, path in paths]
        seen = np.concatenate(seen) if seen else rows
        mass = self._log_mass(seen) if lost.any() else -np.inf
        return Probes(int(outward.length.sum() + around.length.sum()), int(lost.sum()), mass)

    def _log_mass(self, rows: np.ndarray) -> float:
        """Estimate log of the sum of f, in nats, over the region of the chains that visited the states of `rows`.

        The sum over the distinct states is divided by their share of the region. The estimate of this share is the
        share of visits to states seen at least twice (Good 1953).
        """
        states, visits = np.unique(rows, axis=0, return_counts=True)
        share = 1.0 - np.count_nonzero(visits == 1) / max(len(rows), 1)
        if share == 0.0:
            return np.inf
        log_f = np.empty(len(states))
        log_f_hidden(self.parameters, states, log_f, False)
        return float(logsumexp(log_f)) - float(np.log(share))

    def run_from(self, rows: np.ndarray, budget: int, cap: int | None = None, paths: list | None = None) -> TourStates:
        """Run tours as in `run`, but from hidden states `rows` (tours, words) uint64; returns TourStates at the end.

        Unfinished tours make a stretch of sweeps at a time. paths: list that receives a tuple for each stretch: indices
        of its tours, number of earlier sweeps, and states (tour, sweep, words) before each sweep.
        """
        count = len(rows)
        if self.next_number + count > MOST_TOURS:
            raise ValueError(f"tours: expected at most {MOST_TOURS:,}, found {self.next_number + count:,}")
        number = np.arange(self.next_number, self.next_number + count, dtype=np.uint64)
        self.next_number += count
        tours = TourStates(number, rows, np.zeros(count, np.int64), np.zeros(count, bool))
        longest = 0
        queue = np.arange(count)
        while queue.size and budget and longest != cap:
            # The first stretch is one sweep. A later stretch is at most as long as all earlier stretches together.
            step = min(max(1, longest), budget // queue.size, budget if cap is None else cap - longest)
            if step == 0:
                queue, step = queue[:budget], 1
            budget -= self._advance(tours, queue, longest + step, step, paths)
            longest += step
            queue = queue[~tours.finished[queue]]
        return tours

    def _advance(self, tours: TourStates, queue: np.ndarray, limit: int, step: int, paths: list | None) -> int:
        """Run the tours of a queue up to length `limit` or to their end; returns the sweeps made."""
        before = int(tours.length[queue].sum())
        path = _NO_PATH
        if paths is not None:
            path = np.empty((queue.size, step, tours.rows.shape[1]), np.uint64)
            paths.append((queue, limit - step, path))
        parts = (np.array_split(array, len(self.chains)) for array in (queue, path))
        jobs = list(zip(*parts, self.chains, self.means, strict=True))

        def run_part(part: np.ndarray, path: np.ndarray, chains: Chains, means: np.ndarray) -> None:
            run_tours(self.parameters, self.key, self.stopping.members, tours, part, limit, chains, means, path)

        over_parts(run_part, len(jobs), jobs)
        return int(tours.length[queue].sum()) - before


def _visited(tours: TourStates, paths: list) -> np.ndarray:
    """The states (states, words) before each sweep of the finished tours, from the paths of all stretches."""
    visited = []
    for queue, first, path in paths:
        steps = np.where(tours.finished[queue], tours.length[queue] - first, 0)
        visited.append(path[np.arange(path.shape[1]) < steps[:, None]])
    return np.concatenate(visited) if visited else tours.rows[:0]
