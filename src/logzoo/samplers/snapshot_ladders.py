"""Ladders of RBMs along a path, such as snapshots of a training, whose neighbours exchange visible states.

Béreux, Decelle, Furtlehner, Rosset & Seoane (2024). The path starts at independent units, so every sweep there draws an
independent state. The path goes through some of the RBMs in straight lines and ends at the RBM whose log Z is
estimated. The rungs move along the path towards equal exchange rates (`logzoo.paths.equal_barrier`).

A path through many snapshots follows every turn of the training and is long. On a path through few snapshots, a mode
may gain its mass abruptly. Pilot runs therefore try 12, 6, 3, 1 and 0 snapshots. The first number that reaches the
target acceptance of neighbours is used.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from logzoo.budgets import SweepLedger
from logzoo.checks import binary_matrix, share, whole_number
from logzoo.kernels.exchanges import Crossings, Travellers, parameters_at, run_trajectory, settle_inputs
from logzoo.kernels.fixed_point import new_chains, stacked_parameters
from logzoo.kernels.gibbs import Chains, start_chains
from logzoo.models.rbm import RBM, snapshots_of
from logzoo.paths import log_z_base
from logzoo.samplers.annealed import AnnealedDraws
from logzoo.samplers.averaged import Terms, anneal_along
from logzoo.samplers.base import resolve_base
from logzoo.samplers.replica_exchange import ParallelTemperingDraws, Steps, first_ladder, follow
from logzoo.samplers.threads import over_parts, reshaped
from logzoo.streams import Stream

# Default number of rungs, if there are enough chains.
_RUNGS = 12
# Numbers of snapshots that pilot runs try in turn, before they try 0.
_KEPT = (12, 6, 3, 1)
# Share of the rounds that each pilot run takes, and the smallest number of rounds of a pilot run.
_PILOT, _FEWEST_ROUNDS = 0.04, 10
# Target for the mean acceptance of neighbours.
_TARGET = 0.25


def run(
    rbm: RBM,
    ledger: SweepLedger,
    stream: Stream,
    observers: Sequence[Any] = (),
    *,
    snapshots: Any,
    kept: int | None = None,
    base: Any = None,
    rungs: int | None = None,
    ladder: Any = "adapted",
    each: int = 1,
    burn_in: float = 0.1,
    threads: int = 1,
    progress: bool = False,
) -> tuple[ParallelTemperingDraws, float]:
    """Run independent ladders of RBMs until the ledger is spent.

    snapshots: as for `path_of`. kept: number of equally spaced snapshots on the path; by default pilot runs choose it,
    or 12 in fewer than 250 rounds. rungs, ladder, burn_in, observers: as for `logzoo.samplers.replica_exchange.run`,
    but with 12 rungs by default and without `every`. The entries of a ladder are positions on the path, where the steps
    between snapshots are equal. each: sweeps between two exchanges. Returns ParallelTemperingDraws, and the share of
    states that have not been at the base since the burn-in. Raises ValueError for impossible options.
    """
    whole_number("threads", threads)
    places, adapt = first_ladder(rungs, ladder, ledger.chains, _RUNGS)
    interval, burn_in = whole_number("each", each), share("burn_in", burn_in)
    number_kept = None if kept is None else whole_number("kept", kept, minimum=0)
    base = resolve_base(rbm, base, ledger, stream)
    path = path_of(rbm, base, snapshots)
    ladders = ledger.chains // places.size
    sweeps = ledger.left // (ladders * places.size)
    interval = max(min(interval, sweeps), 1)

    def sampler_through(number: int) -> Any:
        key = stream.child("sweeps", number).key
        return Trajectory(thinned(path, number), key, ladders, places, interval, threads, ledger)

    most = min(len(path) - 2, _KEPT[0] if number_kept is None else number_kept)
    rounds, pilot = sweeps // interval, int(_PILOT * (sweeps // interval))
    if number_kept is not None or pilot < _FEWEST_ROUNDS or not most:
        sampler = sampler_through(most)
    else:
        sampler, tried = _short_enough(
            sampler_through, most, partial(follow, sweeps=pilot, adapt=adapt, burn_in=burn_in)
        )
        rounds -= tried * pilot
    if sweeps % interval:
        sampler.move(0, 1, "settling", interval=sweeps % interval)
    # Hidden units that only snapshots have are left out, because they add log 2 at both ends of the path.
    draws = follow(sampler, sampler.betas, rounds, adapt, burn_in, observers, log_z_base(base, rbm.hidden), progress)
    return draws, sampler.old_share


def _short_enough(sampler_through: Callable[[int], Any], most: int, pilot: Callable) -> tuple[Any, int]:
    """The Trajectory through the most snapshots with the target acceptance, and the number of pilot runs.

    If no number of snapshots reaches the target, the Trajectory goes through none.
    """
    numbers = [most, *(number for number in _KEPT if number < most), 0]
    for number in numbers:
        sampler, length = sampler_through(number), Length()
        pilot(sampler, sampler.betas, observers=(length,), log_z_first=0.0, progress=False)
        if length.barrier() <= (1.0 - _TARGET) * (sampler.betas.size - 1):
            break
    return sampler, numbers.index(number) + 1


def anneal(
    rbm: RBM,
    ledger: SweepLedger,
    stream: Stream,
    starts: np.ndarray | None = None,
    *,
    snapshots: Any,
    kept: int = _KEPT[0],
    base: Any = None,
    threads: int = 1,
    progress: bool = False,
) -> AnnealedDraws:
    """Anneal every chain of the ledger from the base up the path, in equal steps over the sweeps left in the ledger.

    starts (chain, visible): a 0/1 matrix, or None. If it is given, each chain anneals down from its row, and the
    weights are as in `logzoo.samplers.annealed.run_reverse`. snapshots, kept: as for `run`, but 12 are kept by default.
    Raises ValueError for impossible options and starts.
    """
    if starts is not None:
        starts = binary_matrix("starts", starts, visible=rbm.visible, chains=ledger.chains)
    whole_number("threads", threads)
    base = resolve_base(rbm, base, ledger, stream)
    path = thinned(path_of(rbm, base, snapshots), whole_number("kept", kept, minimum=0))
    path, sign = (path, 1.0) if starts is None else (path[::-1], -1.0)
    sweeps = ledger.spend(ledger.remaining, "annealing")
    knots, key = np.linspace(0.0, 1.0, len(path)), stream.child("sweeps").key
    log_weight = anneal_along(path, knots, key, ledger.chains, sweeps, threads, progress, starts)
    return AnnealedDraws(sign * log_weight, log_z_base(base, rbm.hidden))


class Length:
    """Observer that estimates the communication barrier of the ladder from the divergences of neighbours."""

    def start(self, ladders: int, rungs: int, sweeps: int) -> None:
        """Begin a phase."""
        self._divergence, self._rounds = np.zeros(rungs - 1), 0

    def add(self, steps: Steps) -> None:
        """Add the Steps, except in the burn-in."""
        if not steps.burn_in:
            self._divergence += (steps.down - steps.up).mean(axis=0).sum(axis=0)
            self._rounds += steps.up.shape[1]

    def barrier(self) -> float:
        """Sum over pairs of sqrt(J / pi), with J the symmetrised Kullback-Leibler divergence of neighbours.

        If log f_{i+1} - log f_i is normal, the mean acceptance is erfc(sqrt(J) / 2). For small J a term is therefore
        about the rejection rate. Unlike the rejection rate, J does not saturate.
        """
        return float(np.sum(np.sqrt(np.maximum(self._divergence / max(self._rounds, 1), 0.0) / np.pi)))


def of_tempering(options: Any) -> dict[str, Any]:
    """The options of a run without snapshots, which follows the tempering path.

    Raises ValueError for options that apply only to snapshots.
    """
    for name in ("kept", "each"):
        if name in options:
            raise ValueError(f"{name}: expected snapshots with this option, found none")
    return options


def thinned(path: list, number: int) -> list:
    """The path with `number` of the RBMs between its ends, equally spaced, or with all if it has fewer."""
    places = np.linspace(0, len(path) - 1, min(number, len(path) - 2) + 2)
    return [path[int(index)] for index in np.rint(places)]


def path_of(rbm: RBM, base: np.ndarray, snapshots: Any) -> list[Terms]:
    """The path to an RBM: a list of Terms that starts at independent units with log-odds `base` (visible,).

    snapshots: RBMs in between, or the Dataset `TrainingRun.snapshots`. Hidden units without weights and biases are
    added to RBMs with fewer hidden units than others. Raises ValueError for other types, and for other numbers of
    visible units.
    """
    if isinstance(snapshots, xr.Dataset):
        snapshots = snapshots_of(snapshots)
    if not isinstance(snapshots, list | tuple):
        raise ValueError(f"snapshots: expected RBMs, or the Dataset of a training, found {type(snapshots).__name__}")
    rbms = [*snapshots, rbm]
    for snapshot in rbms:
        if not isinstance(snapshot, RBM) or snapshot.visible != rbm.visible:
            kind = f"an RBM of {snapshot.visible}" if isinstance(snapshot, RBM) else type(snapshot).__name__
            raise ValueError(f"snapshots: expected RBMs of {rbm.visible} visible units, found {kind}")
    hidden = max(snapshot.hidden for snapshot in rbms)
    first = Terms(np.zeros((rbm.visible, hidden), np.float32), base, np.zeros(hidden))
    return [first, *(_padded(snapshot, hidden) for snapshot in rbms)]


def _padded(rbm: RBM, hidden: int) -> Terms:
    missing = 0, hidden - rbm.hidden
    return Terms(np.pad(rbm.weights, ((0, 0), missing)), rbm.visible_bias, np.pad(rbm.hidden_bias, missing))


def terms_at(path: list[Terms], position: float) -> Terms:
    """Terms at a position from 0 to 1 on a path (list of Terms), interpolated linearly between its RBMs."""
    steps = position * (len(path) - 1)
    number = min(int(steps), len(path) - 2)
    return path[number].towards(path[number + 1], steps - number)


class Trajectory:
    """A sampler for `follow`: `count` ladders with a state at each of the positions `betas` (rung,) on a path of RBMs.

    Each thread has whole ladders.
    """

    def __init__(
        self,
        path: list[Terms],
        key: np.uint64,
        count: int,
        betas: np.ndarray,
        interval: int,
        threads: int,
        ledger: SweepLedger,
    ) -> None:
        self.key = key
        self.count = count
        self.threads = threads
        self.ledger = ledger
        self._path, self._each, self._sweep = path, interval, 1
        sizes = path[0].pairs.shape
        self._parts = [
            _part(ladders, len(betas), *sizes) for ladders in np.array_split(np.arange(count), min(threads, count))
        ]
        self.move_rungs(betas)
        first = parameters_at(self._stack, 0)
        # numba returns the unit as a Python float, for which it would compile all kernels again.
        first = first._replace(unit=np.float32(first.unit))
        for chains, *_ in self._parts:
            start_chains(first, key, first.visible_bias, reshaped(chains, 2, -1))
            settle_inputs(self._stack, chains)
        self.forget_counts()

    def move_rungs(self, betas: np.ndarray) -> None:
        """Continue at these positions (rung,)."""
        self.betas = np.asarray(betas, np.float64)
        self._stack = stacked_parameters([terms_at(self._path, position) for position in self.betas])
        for chains, *_ in self._parts:
            settle_inputs(self._stack, chains)

    def move(self, first: int, last: int, purpose: str, *, interval: int | None = None, **_: Any) -> Steps:
        """Make rounds `first` to `last - 1` and count their sweeps in the ledger; returns the Steps of the rounds.

        interval: sweeps of a round, by default as many as in the constructor.
        """
        rounds, interval = last - first, self._each if interval is None else interval
        self.ledger.spend(rounds * interval, purpose, chains=self.count * self.betas.size)
        steps = [np.empty((2, rounds, self.betas.size - 1, part[1].old.shape[1])) for part in self._parts]
        kernel = partial(run_trajectory, self._stack, self.key, self._sweep, interval)
        over_parts(kernel, self.threads, [(*part, *arrays) for part, arrays in zip(self._parts, steps, strict=True)])
        self._sweep += rounds * interval
        return Steps(False, *np.concatenate(steps, axis=3).transpose(0, 3, 1, 2))

    def forget_counts(self) -> None:
        """Reset the counts of exchanges and round trips, and mark every state as old."""
        for _, travellers, crossings in self._parts:
            for counts in (crossings.attempted, crossings.accepted, travellers.round_trips):
                counts[...] = 0
            travellers.old[...] = 1

    def _all(self, part: int, name: str) -> np.ndarray:
        return np.concatenate([getattr(arrays[part], name) for arrays in self._parts], axis=1).T

    @property
    def attempted(self) -> np.ndarray:
        """Numbers of attempted exchanges (ladder, pair)."""
        return self._all(2, "attempted")

    @property
    def accepted(self) -> np.ndarray:
        """Numbers of accepted exchanges (ladder, pair)."""
        return self._all(2, "accepted")

    @property
    def round_trips(self) -> np.ndarray:
        """Round trips (ladder, rung) of the states that are at each rung."""
        return self._all(1, "round_trips")

    @property
    def old_share(self) -> float:
        """Share of the states that have not been at the base since the counts began."""
        return float(self._all(1, "old").mean())


def _part(ladders: np.ndarray, rungs: int, visible: int, hidden: int) -> tuple[Chains, Travellers, Crossings]:
    """Chains, Travellers and Crossings of the ladders with these numbers (n,)."""
    shape = rungs, ladders.size
    chains = reshaped(new_chains(rungs * ladders.size, visible, hidden), 1, *shape)
    chains.number[...] = ladders * rungs + np.arange(rungs)[:, None]
    travellers = Travellers(np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape, np.uint8))
    pairs = rungs - 1, ladders.size
    inputs = [np.zeros((*pairs, chains.hidden_input.shape[-1]), np.int32) for _ in range(2)]
    return chains, travellers, Crossings(np.zeros(pairs, np.int64), np.zeros(pairs, np.int64), *inputs)
