"""Trainers whose chains run at the temperature of the model (CD, PCD, LVS), and exact SGD, which enumerates states.

CD-k: contrastive divergence, with k sweeps from the mini-batch itself (Hinton 2002). PCD-k: the chains persist between
updates (Younes 1999; Tieleman 2008).

LVS-k: the Las Vegas slope, from tours that return to a stopping set (Savarese et al. 2018). The estimate of E[v h'] is
the mean of E[v | h] h' over the hidden states before each sweep of finished tours (corollary 3). If the length of tours
is not capped, the sum over a tour has the mean E[v h'] E[length] (corollary 4). Using E[v | h] in place of a draw of v
keeps this mean and reduces the noise. Division by the length of the same tours adds a bias that falls as 1 / particles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from logzoo.checks import whole_number
from logzoo.io.checkpoints import Resumed
from logzoo.kernels.gibbs import start_chains
from logzoo.kernels.tour_sweeps import add_means_of_states
from logzoo.models.exact_sums import LARGEST_EXPECTED, exact_expectations
from logzoo.samplers.stopping_sets import StoppingSet, stopping_set
from logzoo.samplers.tour_chains import TourSampler
from logzoo.training.loop import train
from logzoo.training.negative import KINDS, ExactMeans, GreyChains, WeightedChains

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from logzoo.kernels.gibbs import Parameters
    from logzoo.streams import Stream
    from logzoo.training.loop import TrainingRun, Values


@dataclass(eq=False)
class Particles(Resumed):
    """The negative particles: chains that make k sweeps per update.

    chains: an object of `logzoo.training.negative`. Chains that are not persistent start from the mini-batch (examples,
    visible) at every update. Persistent chains start only once: binary chains from the visible bias, grey chains from
    copies of the examples in the first mini-batch.
    """

    key: np.uint64
    k: int
    chains: WeightedChains | GreyChains
    persistent: bool
    spent: int = 0  # sweeps so far, summed over the chains
    _kept = ("chains.v", "spent")

    def __call__(self, parameters: Parameters, update: int, positive: np.ndarray, rate: float) -> Any:
        """Make the sweeps of an update, and return the chains."""
        if self.persistent and update == 0 and isinstance(self.chains, WeightedChains):
            start_chains(parameters, self.key, parameters.visible_bias, self.chains.chains)
        elif not self.persistent or update == 0:
            self.chains.v[...] = np.resize(positive, self.chains.v.shape)
        first = 1 + update * self.k
        self.chains.sweep(parameters, self.key, first, first + self.k)
        self.spent += self.k * len(self.chains.v)
        return self.chains


def cd(
    data: np.ndarray, *, stream: Stream, batch: int, hidden: int, k: int = 1, values: str = "binary", **settings: Any
) -> TrainingRun:
    """Train by CD-k. values: "binary", or "grey" for grey levels, where visible units take means in place of draws."""
    chains = KINDS[values].new(batch, data.shape[1], hidden)
    phase = Particles(stream.child("sweeps").key, whole_number("k", k), chains, persistent=False)
    return train(phase, data, stream=stream, batch=batch, hidden=hidden, **settings)


def pcd(
    data: np.ndarray,
    *,
    stream: Stream,
    batch: int,
    hidden: int,
    k: int = 1,
    particles: int | None = None,
    values: str = "binary",
    **settings: Any,
) -> TrainingRun:
    """Train by PCD-k with `particles` chains (the mini-batch size by default); values: as in `cd`."""
    count = whole_number("particles", batch if particles is None else particles)
    chains = KINDS[values].new(count, data.shape[1], hidden)
    phase = Particles(stream.child("sweeps").key, whole_number("k", k), chains, persistent=True)
    return train(phase, data, stream=stream, batch=batch, hidden=hidden, **settings)


class ExactPhase(Resumed):
    """Exact expectations and log Z, by enumeration; the phase is therefore its own tracker."""

    columns = {"log_z": ("log partition function, exact", "nat"), "log_z_std_dev": ("its standard deviation", "nat")}
    spent = 0  # it makes no Gibbs sweeps
    log_z = np.nan
    _kept = ("log_z",)

    def __call__(self, parameters: Parameters, update: int, positive: np.ndarray, rate: float) -> ExactMeans:
        """Compute log Z and the expectations at the parameters of an update."""
        unit = np.float64(parameters.unit)
        visible, hidden = parameters.weights.shape[1], parameters.weights_transposed.shape[1]
        weights = parameters.weights.transpose(1, 0, 2).reshape(visible, -1)[:, :hidden] * unit
        biases = parameters.visible_bias[:visible] * unit, parameters.hidden_bias[:hidden] * unit
        self.log_z, *means = exact_expectations(weights, *biases)
        return ExactMeans(*means)

    @property
    def reading(self) -> dict[str, Any]:
        """log Z at the parameters of the last update, in nats."""
        return {"log_z": self.log_z, "log_z_std_dev": 0.0}


def exact_sgd(data: np.ndarray, *, stream: Stream, batch: int, hidden: int, **settings: Any) -> TrainingRun:
    """Train by exact gradients; the trace has log Z. Raises ValueError if both layers are too large."""
    smaller = min(data.shape[1], hidden)
    if smaller > LARGEST_EXPECTED:
        raise ValueError(f"hidden: expected at most {LARGEST_EXPECTED} units in the smaller layer, found {smaller}")
    phase = ExactPhase()
    return train(phase, data, None, phase, stream=stream, batch=batch, hidden=hidden, **settings)


# Without a cap, the tours of an update are cut when they have made this many sweeps on average.
MOST_SWEEPS = 10_000


class VisitedStates(NamedTuple):
    """Hidden states (states, words) before each sweep of finished tours."""

    visited: np.ndarray
    grey: GreyChains  # working memory

    @property
    def usable(self) -> bool:
        """Whether any tour returned."""
        return len(self.visited) > 0

    def add_to(self, parameters: Parameters, sign: float, gradient: Values) -> None:
        """Add sign times the mean of (E[v | h] h', E[v | h], h) to the arrays of a gradient."""
        factor = np.float32(sign / len(self.visited))
        add_means_of_states(parameters, self.visited, factor, *self.grey, *gradient)

    def mean_log_f(self, parameters: Parameters) -> float:
        """NaN, because the states have no visible units."""
        return np.nan


@dataclass(eq=False)
class LasVegasPhase(Resumed):
    """Tours from a stopping set that is redrawn every epoch, and after an update in which no tour returned.

    The first `warm_up` epochs use CD. Every update recomputes log f of the set's states, from which the probabilities
    of the starting states follow.
    """

    data: np.ndarray
    hidden: int
    stream: Stream
    count: int
    k: int | None
    warm_up: int
    epoch: int  # updates in an epoch
    warm_phase: Particles
    stopping: StoppingSet | None = None
    stale: bool = False
    touring: int = 0  # sweeps and draws of stopping sets so far, summed over tours
    _kept = ("warm_phase.spent", "touring", "stale")

    def __post_init__(self) -> None:
        """Make working memory, and the numbers that the trace shows before the first tours."""
        self.grey = GreyChains.new(self.count, self.data.shape[1], self.hidden)
        self.numbers = {"tours_finished": 0.0, "tour_length": 0.0, "stopping_states": 0}

    def __call__(self, parameters: Parameters, update: int, positive: np.ndarray, rate: float) -> Any:
        """Run the tours of an update and return the states that they visited; in the warm-up, return chains of CD."""
        if update < self.warm_up * self.epoch:
            return self.warm_phase(parameters, update, positive, rate)
        if self.stopping is None or self.stale or update % self.epoch == 0:
            draws = len(self.data)
            self.stopping = stopping_set(parameters, self.data, draws, self.stream.child("stopping", update))
            self.touring += draws
        else:
            self.stopping.refreshed(parameters, single=True)
        stream, mean_field = self.stream.child("tours", update), self.data.dtype != np.uint8
        sampler = TourSampler(parameters, self.stopping, stream, flight=self.count, mean_field=mean_field)
        tours = sampler.run(self.count, self.count * (self.k or MOST_SWEEPS), self.k, keep=True)
        self.stale = not np.any(tours.finished)
        self.touring += int(tours.length.sum())
        self.numbers = {
            "tours_finished": float(tours.finished.mean()),
            "tour_length": float(tours.length.mean()),
            "stopping_states": self.stopping.size,
        }
        assert tours.visited is not None
        return VisitedStates(tours.visited, self.grey)

    @property
    def spent(self) -> int:
        """Sweeps so far, summed over chains and tours; a hidden state drawn for a stopping set counts as one sweep."""
        return self.warm_phase.spent + self.touring

    @property
    def state(self) -> dict[str, np.ndarray]:
        """The state for a checkpoint, by name."""
        if self.stopping is None:
            return super().state
        return super().state | {"rows": self.stopping.members.rows, "example": self.stopping.example}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Continue from a `state`."""
        super().restore(state)
        if "rows" in state:
            self.stopping = StoppingSet.of(state["rows"], state["example"])


def lvs(
    data: np.ndarray,
    *,
    stream: Stream,
    batch: int,
    hidden: int,
    k: int | None = 1,
    particles: int | None = None,
    warm_up: int = 15,
    values: str = "binary",
    **settings: Any,
) -> TrainingRun:
    """Train by LVS-k with `particles` tours per update (the mini-batch size by default).

    k: largest length of a tour. If k is None, there is no cap, and the warm-up uses CD-1. warm_up: number of epochs
    that use CD-k before the first tours. values: as in `cd`. The gradient of an update in which no tour returned is 0.
    """
    count = whole_number("particles", batch if particles is None else particles)
    k = None if k is None else whole_number("k", k)
    chains = KINDS[values].new(batch, data.shape[1], hidden)
    warm_phase = Particles(stream.child("sweeps").key, k or 1, chains, persistent=False)
    sizes = count, k, whole_number("warm_up", warm_up, minimum=0), max(1, len(data) // batch)
    phase = LasVegasPhase(data, hidden, stream, *sizes, warm_phase)
    return train(phase, data, stream=stream, batch=batch, hidden=hidden, **settings)
