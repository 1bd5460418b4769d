"""Trainers whose chains exchange temperatures: SML-PT, SML-APT, PT, INS, PINS.

SML-PT: persistent chains whose neighbours exchange temperatures (Desjardins et al. 2010, 2011). SML-APT: SML-PT with
inverse temperatures that move until the flow of replicas is uniform (Desjardins et al. 2010b). INS, PINS and PT:
temperatures are reassigned after each sweep (Hult et al. 2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from logzoo.checks import one_of, whole_number
from logzoo.paths import inverse_temperatures, log_odds
from logzoo.samplers.replicas import IN_TURN, TEMPERATURES, InfiniteSwapping, ParallelTempering
from logzoo.training.flow import FlowLadder
from logzoo.training.loop import train
from logzoo.training.negative import WeightedChains

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from logzoo.kernels.gibbs import Parameters
    from logzoo.streams import Stream
    from logzoo.training.loop import TrainingRun

BASES = ("visible-bias", "data")


@dataclass(eq=False)
class ParallelTemperingPhase:
    """A negative phase of parallel tempering; a tracker may follow its log Z, and a FlowLadder may move its rungs."""

    particles: ParallelTempering
    k: int
    keep_bias: bool
    tracker: Any
    flow: FlowLadder | None

    @property
    def spent(self) -> int:
        """Gibbs sweeps so far, summed over the chains."""
        return self.particles.ledger.chain_sweeps

    def __call__(self, parameters: Parameters, update: int, positive: np.ndarray, rate: float) -> WeightedChains:
        """Make the sweeps and exchanges of an update, and return the replicas, with weight 0 below the last rung."""
        if self.keep_bias:
            parameters = parameters._replace(base=parameters.visible_bias)
        self.particles.load(parameters)
        if self.tracker is not None:
            self.tracker.parameters_changed(self.particles, rate)
        first = 1 + update * self.k
        # log f at rungs that no exchange uses is computed only on demand, because it costs as much as the exchanges.
        all_pairs = self.flow is not None or getattr(self.tracker, "all_pairs", False)
        all_rungs = getattr(self.tracker, "all_rungs", False)
        exchanges = self.particles.move(first, first + self.k, all_pairs=all_pairs, all_rungs=all_rungs)
        if self.tracker is not None:
            self.tracker.particles_moved(self.particles, exchanges)
        negative = WeightedChains(self.particles.chains, self.particles.weights_at(self.particles.betas.size - 1))
        if self.flow is not None:
            self._adapt(self.flow, np.exp(np.minimum(exchanges.up - exchanges.down, 0.0)).mean(axis=(0, 1)))
        return negative

    def _adapt(self, flow: FlowLadder, exchanged: np.ndarray) -> None:
        replicas = self.particles.replicas
        flow.update(replicas.rung, replicas.heading, replicas.round_trips, exchanged)
        self.particles.move_rungs(flow.betas)
        new = flow.spawn()
        if new is not None:
            self.particles.insert_rung(new, flow.betas)
            if self.tracker is not None:
                self.tracker.rung_inserted(new, self.particles)

    @property
    def profiles(self) -> dict[str, np.ndarray]:
        """Numbers that go into the trace: by rung, by pair of neighbouring rungs, or in total."""
        particles = self.particles
        profiles = {
            "inverse_temperature": particles.betas,
            "exchanges_tried": particles.attempted.sum(axis=0),
            "exchanges_made": particles.accepted.sum(axis=0),
            "round_trips": particles.replicas.round_trips.sum(keepdims=True),
        }
        return profiles if self.flow is None else profiles | {"share_up": self.flow.f_up}

    @property
    def state(self) -> dict[str, np.ndarray]:
        """The state for a checkpoint, by name, with the inverse temperatures of `flow` in float64."""
        return self.particles.state if self.flow is None else self.particles.state | self.flow.state

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Continue from a `state`."""
        self.particles.restore(state)
        if self.flow is not None:
            self.flow.restore(state)
            self.particles.move_rungs(self.flow.betas)


def train_parallel_tempering(
    data: np.ndarray,
    flow_of: Callable[..., FlowLadder] | None = None,
    *,
    stream: Stream,
    batch: int,
    k: int = 1,
    particles: int | None = None,
    rungs: int = 10,
    ladder: Any = "linear",
    base: str = "visible-bias",
    tracker: Any = None,
    **settings: Any,
) -> TrainingRun:
    """Train by SML-PT: `particles` chains (the mini-batch size by default) at each of `rungs` temperatures.

    An update makes k sweeps of all chains. The chains at beta = 1 are the negative particles. ladder: as in
    `logzoo.paths.inverse_temperatures`. base: with "visible-bias" the path tempers only weights and hidden bias
    (Desjardins et al. 2011). With "data" it is the geometric path from independent units with the marginals of the
    data. tracker: an object of `logzoo.training.trackers` that follows log Z for the trace. flow_of(betas, k=k) returns
    a FlowLadder, which moves the rungs. Raises ValueError for a tracker with both `start` and `patience`.
    """
    if None not in (tracker, settings.get("start"), settings.get("patience")):
        # The tracked log Z begins at that of the base, so the first likelihood would seem to be the best.
        raise ValueError("patience: expected walkers in place of a tracker, because the training has a start")
    betas = inverse_temperatures(ladder, whole_number("rungs", rungs, minimum=2))
    fewest = getattr(tracker, "fewest_particles", 1)
    count = whole_number("particles", batch if particles is None else particles, minimum=fewest)
    chains = ParallelTempering(stream.child("sweeps").key, count, betas)
    keep_bias = one_of("base", base, BASES) == "visible-bias"
    flow = None if flow_of is None else flow_of(betas, k=k)
    negative_phase = ParallelTemperingPhase(chains, whole_number("k", k), keep_bias, tracker, flow)
    fixed = None if keep_bias else log_odds(data)
    return train(negative_phase, data, fixed, tracker, stream=stream, batch=batch, **settings)


def sml_apt(
    data: np.ndarray, *, ladder_rate: float = 1e-3, spawn_below: float | None = None, **settings: Any
) -> TrainingRun:
    """Train by SML-APT: SML-PT whose ladder moves. Options are as in `FlowLadder`, where `ladder_rate` is `rate`."""
    flow_of = partial(FlowLadder, rate=ladder_rate, spawn_below=spawn_below)
    return train_parallel_tempering(data, flow_of, **settings)


class InfiniteSwappingPhase(InfiniteSwapping):
    """InfiniteSwapping with k sweeps per update; replicas are weighted by their share of the last rung."""

    def __init__(self, k: int, *settings: Any) -> None:
        super().__init__(*settings)
        self.k = k

    def __call__(self, parameters: Parameters, update: int, positive: np.ndarray, rate: float) -> WeightedChains:
        """Make the sweeps of an update, and return all replicas with their weights."""
        self.load(parameters)
        chains = self.move(1 + update * self.k, 1 + (update + 1) * self.k)
        return WeightedChains(chains, self.weights)  # pyright: ignore[reportArgumentType]


def train_infinite_swapping(
    data: np.ndarray,
    group: int | str | None = None,
    *,
    stream: Stream,
    batch: int,
    k: int = 1,
    particles: int | None = None,
    temperatures: Sequence[float] = TEMPERATURES,
    density: str = "marginal",
    **settings: Any,
) -> TrainingRun:
    """Train with `particles` replicas (the mini-batch size by default) at each temperature, k sweeps per update.

    temperatures: rising from 1; the path tempers all parameters. density: the density by which temperatures are
    reassigned. "joint" is f(v, h), as published, and "marginal" is f(v), whose logarithm varies less. group: as in
    `InfiniteSwapping`; by default all temperatures are in one group, which is INS.
    """
    count = whole_number("particles", batch if particles is None else particles)
    ladders = stream.child("sweeps").key, count, temperatures, group, density
    negative_phase = InfiniteSwappingPhase(whole_number("k", k), *ladders)
    return train(negative_phase, data, stream=stream, batch=batch, **settings)


def pins(data: np.ndarray, *, group: int = 3, **settings: Any) -> TrainingRun:
    """Train by PINS: groups of `group` neighbouring temperatures, which shift by half a group in every second sweep."""
    return train_infinite_swapping(data, whole_number("group", group, minimum=2), **settings)


def pt(data: np.ndarray, **settings: Any) -> TrainingRun:
    """Train by PT, where pairs of neighbours exchange in turn (Hult et al. 2019)."""
    return train_infinite_swapping(data, IN_TURN, **settings)
