"""RMSspectral and RMSprop, with simulated tempering that tracks log Z (Carlson et al. 2016, section 4.4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from logzoo.budgets import SweepLedger
from logzoo.checks import share, whole_number
from logzoo.paths import inverse_temperatures, log_odds, log_z_base, prior_weights
from logzoo.samplers.tempering_chains import SimulatedTempering
from logzoo.training.loop import train
from logzoo.training.negative import WeightedChains
from logzoo.training.steps import RMSprop, RMSspectral
from logzoo.training.trackers import RtsTracker

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from logzoo.kernels.gibbs import Parameters
    from logzoo.streams import Stream
    from logzoo.training.loop import TrainingRun

# Number of initial iterations of log Zhat before the first update, and number of sweeps in each.
_INITIAL_ITERATIONS = 10
_INITIAL_SWEEPS = 50
# Updates between two checks of the interpolation of log f over the rungs: larger weights need more nodes.
_NODES_EVERY = 50
_DECAY, _EPSILON = 0.99, 1e-3  # of RMSprop


@dataclass(eq=False)
class SimulatedTemperingPhase:
    """Chains of simulated tempering that make k sweeps per update; final states have the weights q(beta = 1 | x)."""

    stream: Stream
    k: int
    ledger: SweepLedger
    betas: np.ndarray
    prior: np.ndarray
    base: np.ndarray
    tracker: RtsTracker
    sampler: Any = None  # SimulatedTempering, from the first call on, which supplies the parameters
    stored: Mapping[str, np.ndarray] | None = None  # the state of a checkpoint, for the first call

    @property
    def spent(self) -> int:
        """Gibbs sweeps so far, summed over the chains."""
        return self.ledger.chain_sweeps

    def __call__(self, parameters: Parameters, update: int, positive: np.ndarray, rate: float) -> WeightedChains:
        """Make the sweeps of an update, and return the chains with their weights."""
        sampler = self.sampler or self._start(parameters)
        sampler.load(parameters)
        if update % _NODES_EVERY == 0:
            sampler.fit_nodes()
        last = _LastWeights()
        occupancy = self._advance(self.k - 1) + self._advance(1, (last,))
        self._follow(occupancy / self.k)
        return WeightedChains(sampler.chains, last.weights)

    def _start(self, parameters: Parameters) -> SimulatedTempering:
        self.sampler = sampler = SimulatedTempering(parameters, self.betas, self.ledger, self.stream, "marginal", 1)
        if self.stored is not None:
            sampler.rung, sampler.heading = self.stored["rung"], self.stored["heading"]
            sampler.chains.v[...] = self.stored["v"]
            sampler.sweep = int(self.stored["sweep"])
            sampler.set_nodes(int(self.stored["nodes"]))
            return sampler
        self.tracker.log_z_hat = np.zeros(self.betas.size)
        smoothing, self.tracker.alpha = self.tracker.alpha, 1.0
        for _ in range(_INITIAL_ITERATIONS):
            self._follow(self._advance(_INITIAL_SWEEPS) / _INITIAL_SWEEPS)
            sampler.restart()
        self.tracker.alpha = smoothing
        return sampler

    def _advance(self, sweeps: int, observers: tuple[Any, ...] = ()) -> np.ndarray:
        """Make `sweeps` sweeps at the tracked log Zhat; returns their sums (chain, rung) of q(beta_k | x)."""
        offset = np.log(self.prior) - self.tracker.log_z_hat
        return self.sampler.advance(offset, sweeps, "training", observers).occupancy

    def _follow(self, occupancy: np.ndarray) -> None:
        self.tracker.follow(occupancy, self.prior, log_z_base(self.base, self.sampler.chains.h.shape[1]))

    @property
    def state(self) -> dict[str, Any]:
        """The state for a checkpoint, by name."""
        sampler = self.sampler
        numbers = {"spent": self.spent, "sweep": sampler.sweep, "nodes": sampler.ladder.nodes.size}
        return {"v": sampler.chains.v, "rung": sampler.rung, "heading": sampler.heading, **numbers}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Continue from a `state` at the next call, which supplies the parameters."""
        self.stored = state
        self.ledger.by_purpose = {"training": int(state["spent"])}


class _LastWeights:
    """An observer that keeps q(beta = 1 | x) of the last draws, as weights (chain,) that sum to one."""

    reads_values = True

    def add(self, stretch: Any) -> None:
        """Read the last draws of a `Stretch`."""
        # einsum, unlike a BLAS product, adds in the same order everywhere.
        log_q = np.einsum("cv,vk->ck", stretch.values[:, -1], stretch.readout) + stretch.offset
        log_weights = log_q[:, -1] - np.logaddexp.reduce(log_q, axis=1)
        weights = np.exp(log_weights - log_weights.max())
        self.weights = weights / weights.sum()


def train_simulated_tempering(
    data: np.ndarray,
    step: Any,
    *,
    stream: Stream,
    batch: int,
    k: int = 25,
    particles: int = 2000,
    rungs: int = 100,
    prior: Any = 2.0,
    smoothing: float = 0.2,
    **settings: Any,
) -> TrainingRun:
    """Train with SimulatedTemperingPhase and a class of steps; RTS tracks log Z.

    An update makes k sweeps of `particles` chains over `rungs` equally spaced inverse temperatures. The base has the
    marginals of the data. prior: as in `paths.prior_weights`. smoothing: fraction of a full step of
    log Zhat that an update makes.
    """
    betas = inverse_temperatures("linear", whole_number("rungs", rungs, minimum=2))
    base, tracker = log_odds(data), RtsTracker(share("smoothing", smoothing, or_one=True))
    sizes = whole_number("k", k), SweepLedger(None, whole_number("particles", particles, minimum=2))
    path = betas, prior_weights(prior, betas), base
    negative_phase = SimulatedTemperingPhase(stream.child("negative"), *sizes, *path, tracker)
    return train(negative_phase, data, base, tracker, step, stream=stream, batch=batch, **settings)


def rms_spectral(
    data: np.ndarray, *, decay: float = _DECAY, epsilon: float = _EPSILON, rank: int | None = None, **settings: Any
) -> TrainingRun:
    """Train by RMSspectral (Carlson et al. 2015, 2016)."""
    return train_simulated_tempering(data, partial(RMSspectral, decay, epsilon, rank), **settings)


def rmsprop(data: np.ndarray, *, decay: float = _DECAY, epsilon: float = _EPSILON, **settings: Any) -> TrainingRun:
    """Train by RMSprop, the baseline of RMSspectral."""
    return train_simulated_tempering(data, partial(RMSprop, decay, epsilon), **settings)
