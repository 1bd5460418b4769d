"""Stopping sets drawn from data, and tours: Gibbs chains from such a set back to it (Savarese et al. 2018).

The stopping set S holds every (v, h) whose h is in H, the distinct states drawn from p(h | v_i) for data v_i. Known
with it: Z_S = sum_{h in H} f(h). A tour starts at h of H with probability f(h) / Z_S and ends when it is back in H.
Its mean length is Z / Z_S (Kac; corollary 2 of the paper).
"""

from typing import NamedTuple

import numpy as np

from logzoo.checks import whole_number
from logzoo.kernels.bitsets import LONG_WORD, HashSet, insert_all, new_hash_set
from logzoo.kernels.fixed_point import new_chains
from logzoo.kernels.gibbs import forget_hidden
from logzoo.kernels.gradients import update_hidden_inputs_of_values
from logzoo.kernels.hidden_energies import log_f_hidden
from logzoo.kernels.tour_sweeps import TourStates, add_hidden_draws, run_tours
from logzoo.paths import kernel_parameters
from logzoo.progress import bar
from logzoo.samplers.threads import over_parts

# Examples whose hidden units are drawn together.
TOGETHER = 512
# Chains of a thread: those of all tours that a processor's cache holds.
_FLIGHT = 128
# Tours are numbered by 32 bits of the random stream's counter.
MOST_TOURS = 2**32
# Without `rounds`, the stopping set takes this share of the budget; but no more draws than one round, or this many.
_SHARE = 5
_MOST_DRAWS = 100_000
# Chains sent from elsewhere to look for modes that the stopping set misses, and their share of the budget.
_PROBES = 20
_PROBE_SHARE = 10
# Tours of the first generation, and of a later one at most.
_FIRST = 100
_MOST_TOGETHER = 100_000
# Sweeps kept back so that no tour is cut when the budget ends, in lengths of the longest tour so far.
_KEPT_BACK = 5
# States that the paths of no tours lead through.
_NO_PATH = np.empty((0, 0, 0), np.uint64)


class StoppingSet(NamedTuple):
    """Distinct hidden states drawn from data, and their log f(h)."""

    members: HashSet
    example: np.ndarray  # (states,) int64: the row of the data that first drew each
    log_f: np.ndarray  # (states,) nats, visible units summed out

    @classmethod
    def of(cls, rows, example):
        """The set of distinct states, rows (states, words); `refreshed` sets log f."""
        members = HashSet(rows, new_hash_set(len(rows), 1).slots)
        insert_all(members, rows)
        return cls(members, example, np.empty(len(rows)))

    @property
    def log_z(self):
        """log Z_S in nats."""
        return _log_sum_exp(self.log_f)

    @property
    def size(self):
        """Number of distinct states."""
        return len(self.log_f)

    def refreshed(self, parameters, *, single=False):
        """Set log f to that of other parameters; returns the set. single: in single precision, in half the time."""
        log_f_hidden(parameters, self.members.rows, self.log_f, single)
        return self

    def starts(self, uniforms):
        """Rows (tours,) drawn with probability f(h) / Z_S, one for each uniform number in [0, 1)."""
        cumulative = np.cumsum(np.exp(self.log_f - self.log_f.max()))
        rows = np.searchsorted(cumulative, uniforms * cumulative[-1], side="right")
        return np.minimum(rows, self.size - 1)


class Tours(NamedTuple):
    """Tours in the order of their numbers."""

    start: np.ndarray  # (tour,) int64: the row of the stopping set that it started from
    length: np.ndarray  # (tour,) int64: sweeps made
    finished: np.ndarray  # (tour,) bool: back in the stopping set; the others were cut
    visited: np.ndarray | None = None  # (states, words) uint64: all that finished tours left by a sweep, if asked for


class Probes(NamedTuple):
    """What chains from uniform hidden states came upon."""

    sweeps: int  # made by all of them
    lost: int  # how many did not arrive at the stopping set
    log_mass: float  # log of the sum of f(h) over the states that the lost ones move among, nats; infinite if unknown


class TourDraws(NamedTuple):
    """What a run within a budget leaves."""

    stopping: StoppingSet
    tours: Tours
    probes: Probes


def run(rbm, ledger, stream, data, *, rounds=None, tours=None, cap=None, threads=1, progress=False):
    """Draw a stopping set from data, send probes from elsewhere, make tours, until the ledger is spent.

    data: 0/1 matrix (examples, visible). rounds: hidden states drawn for each example (None: a fifth of the sweeps);
    tours: how many are made (None: as the budget allows); cap: their largest length (None: none). Sweeps that no tour
    should begin with are left over. Returns TourDraws. Raises ValueError for what the budget cannot pay.
    """
    cap = None if cap is None else whole_number("cap", cap)
    threads = min(whole_number("threads", threads), ledger.chains)
    budget = ledger.sweeps * ledger.chains
    if rounds is None:
        draws = max(1, min(budget // _SHARE, max(len(data), _MOST_DRAWS)))
    else:
        draws = whole_number("rounds", rounds) * len(data)
    if rounds is not None and 2 * draws > budget:
        raise ValueError(
            f"rounds: expected a stopping set of at most half of the budget of {budget:,} sweeps, found "
            f"{rounds} rounds of {len(data):,} examples"
        )
    parameters = kernel_parameters(rbm, np.zeros(rbm.visible))
    stopping = stopping_set(parameters, data, ledger.spend(draws, "stopping set", chains=1), stream.child("stopping"))
    sampler = TourSampler(parameters, stopping, stream.child("tours"), threads=threads)
    probes = sampler.probe(min(_PROBES, budget // _PROBE_SHARE), budget // _PROBE_SHARE)
    left = budget - draws - ledger.spend(probes.sweeps, "probes", chains=1)
    tours_made = tours_within(sampler, tours, left, cap, progress)
    left -= ledger.spend(int(tours_made.length.sum()), "tours", chains=1)
    ledger.spend(left, "left over", chains=1)
    return TourDraws(stopping, tours_made, probes)


def tours_within(sampler, count, budget, cap, progress):
    """`count` Tours, or as many as the budget of sweeps allows: then in generations, each sized by those before.

    How many tours are started never depends on the lengths of these tours: the ratio of sums has no bias from it.
    """
    if count is not None:
        count = whole_number("tours", count)
        if count > budget:
            raise ValueError(f"tours: expected at most {budget:,} (sweeps left for them), found {count:,}")
        return sampler.run(count, budget, cap)
    generations = []
    count = max(1, min(budget // _PROBE_SHARE, _FIRST))
    with bar(budget, "tours", "sweep", progress) as shown:
        while count:
            generations.append(sampler.run(count, budget, cap))
            spent = int(generations[-1].length.sum())
            budget -= spent
            shown.update(spent)
            lengths = np.concatenate([tours.length for tours in generations])
            spare = budget - _KEPT_BACK * int(lengths.max())
            count = int(min(max(spare, 0) / (2.0 * lengths.mean()), _MOST_TOGETHER))
    return Tours(*(np.concatenate([tours[field] for tours in generations]) for field in range(3)))


def stopping_set(parameters, data, draws, stream):
    """Draw a StoppingSet of that many hidden states, one for each example in turn, the examples in random order.

    data (examples, visible) uint8 of 0/1, or float32 grey levels. Whole rounds take each example equally often.
    """
    draws = whole_number("draws", draws)
    order = stream.child("order").generator().permutation(len(data))[:draws]
    key = stream.child("hidden").key
    members = new_hash_set(draws, parameters.weights_transposed.shape[1])
    example = np.empty(draws, np.int64)
    count = 0
    rounds, more = divmod(draws, len(data))
    for first in range(0, len(order), TOGETHER):
        rows = order[first : first + TOGETHER]
        chains = example_chains(parameters, data, rows)
        for turn in range(rounds):
            count = add_hidden_draws(parameters, key, turn, chains, members, count, example)
        last = type(chains)(*(array[: max(0, more - first)] for array in chains))
        if len(last.number):
            count = add_hidden_draws(parameters, key, rounds, last, members, count, example)
    members = HashSet(members.rows[:count].copy(), members.slots)
    return StoppingSet(members, example[:count].copy(), np.empty(count)).refreshed(parameters)


class TourSampler:
    """Tours from one stopping set, numbered from 0: what a tour does depends on the stream and its number only."""

    def __init__(self, parameters, stopping, stream, *, threads=1, flight=_FLIGHT, mean_field=False):
        self.parameters = parameters
        self.stopping = stopping
        self.key = stream.child("sweeps").key
        self.uniforms = stream.child("starts").generator()
        self.elsewhere = stream.child("probes").generator()
        self.next_number = 0
        visible, hidden = parameters.weights.shape[1], parameters.weights_transposed.shape[1]
        self.chains = [new_chains(whole_number("flight", flight), visible, hidden) for _ in range(threads)]
        # For mean-field tours: E[v | h] in the place of v, which is no longer Gibbs sampling.
        self.means = [np.empty((flight if mean_field else 0, visible), np.float32) for _ in range(threads)]

    def run(self, count, budget, cap=None, *, keep=False):
        """Start `count` tours, which end at home, at `cap` sweeps or when all together have made `budget` sweeps.

        All unfinished tours are always equally long, but for the last sweeps of a budget: those go to the tours of the
        lowest numbers. keep: also give the states visited. Returns Tours. Raises ValueError when the numbers run out.
        """
        start = self.stopping.starts(self.uniforms.random(count))
        paths = [] if keep else None
        tours = self._travel(self.stopping.members.rows[start], budget, cap, paths)
        return Tours(start, tours.length, tours.finished, _visited(tours, paths) if keep else None)

    def run_from(self, states, budget, cap=None):
        """As `run`, from hidden states (tours, words) uint64; returns TourStates, where the tours came to rest."""
        return self._travel(states, budget, cap)

    def probe(self, count, budget):
        """Send `count` chains from uniform hidden states to the stopping set, with half of a budget of sweeps.

        Those that do not arrive look around with the other half. Returns Probes.
        """
        words = self.stopping.members.rows.shape[1]
        rows = self.elsewhere.integers(0, 2**64, (count, words), dtype=np.uint64)
        beyond = words * LONG_WORD - self.parameters.weights_transposed.shape[1]
        rows[:, -1] &= np.uint64(2**64 - 1) >> np.uint64(beyond)
        outward = self._travel(rows, budget // 2)
        rows = outward.rows[~outward.finished]
        steps = (budget - budget // 2) // max(len(rows), 1)
        around = self._travel(rows, steps * len(rows), steps, paths := [])
        lost = ~around.finished
        seen = [path[lost[queue]].reshape(-1, words) for queue, _, path in paths]
        seen = np.concatenate(seen) if seen else rows
        mass = self._log_mass(seen) if lost.any() else -np.inf
        return Probes(int(outward.length.sum() + around.length.sum()), int(lost.sum()), mass)

    def _log_mass(self, rows):
        """log of the sum of f over the states that chains move among which have visited those of `rows`, in nats.

        f of the distinct ones, over their share of the whole by Good (1953): that of the visits to states seen twice.
        """
        states, visits = np.unique(rows, axis=0, return_counts=True)
        share = 1.0 - np.count_nonzero(visits == 1) / max(len(rows), 1)
        if share == 0.0:
            return np.inf
        log_f = np.empty(len(states))
        log_f_hidden(self.parameters, states, log_f, False)
        return _log_sum_exp(log_f) - float(np.log(share))

    def _travel(self, rows, budget, cap=None, paths=None):
        count = len(rows)
        if self.next_number + count > MOST_TOURS:
            raise ValueError(f"tours: expected at most {MOST_TOURS:,}, found {self.next_number + count:,}")
        number = np.arange(self.next_number, self.next_number + count, dtype=np.uint64)
        self.next_number += count
        tours = TourStates(number, rows, np.zeros(count, np.int64), np.zeros(count, bool))
        longest = 0
        queue = np.arange(count)
        while queue.size and budget and longest != cap:
            # Each stretch is as long as all before.
            step = min(max(1, longest), budget // queue.size, budget if cap is None else cap - longest)
            if step == 0:
                queue, step = queue[:budget], 1
            budget -= self._advance(tours, queue, longest + step, step, paths)
            longest += step
            queue = queue[~tours.finished[queue]]
        return tours

    def _advance(self, tours, queue, limit, step, paths):
        """Take the tours of a queue up to a length, or to their end; returns the sweeps made."""
        before = int(tours.length[queue].sum())
        path = _NO_PATH
        if paths is not None:
            path = np.empty((queue.size, step, tours.rows.shape[1]), np.uint64)
            paths.append((queue, limit - step, path))
        parts = (np.array_split(array, len(self.chains)) for array in (queue, path))
        jobs = list(zip(*parts, self.chains, self.means, strict=True))

        def run_part(part, path, chains, means):
            run_tours(self.parameters, self.key, self.stopping.members, tours, part, limit, chains, means, path)

        over_parts(run_part, len(jobs), jobs)
        return int(tours.length[queue].sum()) - before


def example_chains(parameters, data, rows):
    """Chains, of the numbers `rows` (n,), with the hidden inputs of those examples and no hidden units."""
    chains = new_chains(len(rows), parameters.weights.shape[1], parameters.weights_transposed.shape[1])
    chains.number[...] = rows
    if data.dtype == np.uint8:
        chains.v[...] = data[rows]
        forget_hidden(parameters, chains)
    else:
        chains.visible_input[...] = parameters.visible_bias
        update_hidden_inputs_of_values(parameters, data[rows], chains)
    return chains


def _visited(tours, paths):
    """The states (states, words) that the finished tours left by a sweep, from what each stretch has kept."""
    visited = []
    for queue, first, path in paths:
        steps = np.where(tours.finished[queue], tours.length[queue] - first, 0)
        visited.append(path[np.arange(path.shape[1]) < steps[:, None]])
    return np.concatenate(visited) if visited else tours.rows[:0]


def _log_sum_exp(values):
    from scipy.special import logsumexp  # takes long to import, and every training would wait for it

    return float(logsumexp(values))
