"""Simulated tempering with Hamiltonian Monte Carlo, for continuous densities.

Carlson et al. (2016), supplement E: x | beta_k by one trajectory of a stated number of leapfrog steps, beta_k | x from
q(beta_k | x) proportional to r_k exp(beta_k Delta) / Zhat_k with Delta = log f - log p_1. Step sizes vary a little
from draw to draw (Neal 2011, section 5.4.2.2): with a fixed length some trajectories would end where they began.
The unit of the ledger is one leapfrog step of one chain, whatever the step size.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from logzoo.checks import finite_array, whole_number
from logzoo.kernels.leapfrog import Moves, Walkers, run_tempered
from logzoo.kernels.tempering import RungSums
from logzoo.paths import inverse_temperatures, prior_weights
from logzoo.samplers.initial import mean_occupancy, updated_log_z
from logzoo.samplers.threads import over_chains

STEPS = 5
# Share by which a step size varies either way.
JITTER = 0.2


class HamiltonianDraws(NamedTuple):
    """Single draws of simulated tempering in continuous space; log Zhat is relative to the base."""

    betas: np.ndarray  # (rung,) inverse temperatures
    prior: np.ndarray  # (rung,) r, sums to one
    log_z_hat: np.ndarray  # (rung,) log Zhat that the initial iterations found, nats
    log_z_base: float  # nats
    delta: np.ndarray  # (chain, draw) log f(x) - log p_1(x), nats
    rungs: np.ndarray  # (chain, draw + 1): x of draw i is drawn at rungs[i], then rungs[i + 1] given x
    accepted: np.ndarray  # (chain, draw) 0 or 1
    occupancy: np.ndarray  # (chain, rung) sums of q(beta_k | x)
    round_trips: np.ndarray  # (chain,)
    initial_log_z: np.ndarray  # (iteration, rung) log Zhat after each initial iteration
    rule_met: bool  # the stopping rule of the initial iterations held


class SimulatedTempering:
    """The chains of a ledger, their rungs and their place in the stream."""

    def __init__(self, target, base, betas, ledger, stream, *, steps=STEPS, threads=1):
        if target.dimension != base.dimension:
            raise ValueError(f"base: expected {target.dimension} coordinates, found {base.dimension}")
        self.ends = (target.parameters, base.parameters)
        self.betas = betas
        self.steps = whole_number("steps", steps)
        self.threads = whole_number("threads", threads)
        self.ledger = ledger  # pays for every leapfrog step
        self.key = stream.child("moves").key
        self.generator = stream.child("rungs").generator()
        start = base.draw(stream.child("start").generator(), ledger.chains)
        self.walkers = Walkers(start, np.arange(ledger.chains, dtype=np.uint64))
        self.draw = 1
        self.restart()

    def restart(self):
        """Redraw the rungs uniformly and keep the states (section 2.4)."""
        count = len(self.walkers.x)
        self.rung = self.generator.integers(self.betas.size, size=count)
        self.heading = np.zeros(count, np.int64)

    def advance(self, offset, low, high, draws, purpose):
        """Pay for draws and make them, step sizes uniform in [low, high] (rung,); returns (RungSums, Moves)."""
        self.ledger.spend(draws * self.steps, purpose)
        count, rungs = len(self.walkers.x), self.betas.size
        shape = (count, draws)
        sums = RungSums(np.zeros((count, rungs)), np.zeros((count, rungs), np.int64), np.zeros(count, np.int64))
        walked = np.zeros((count, draws + 1), np.int64)
        moves = Moves(np.zeros(shape), walked, np.zeros(shape), np.zeros(shape, np.uint8))
        last = self.draw + draws
        settings = (*self.ends, self.betas, low, high, self.steps, offset, self.key, self.draw, last)
        over_chains(partial(run_tempered, *settings), self.threads, self.walkers, self.rung, self.heading, sums, moves)
        self.draw = last
        return sums, moves


def run(
    target,
    base,
    ledger,
    stream,
    step_sizes,
    *,
    draws,
    betas,
    prior=None,
    steps=STEPS,
    jitter=JITTER,
    initial_draws=50,
    initial_iterations=10,
    threads=1,
):
    """Initial iterations, then `draws` recorded draws of each of the ledger's chains at the log Zhat they found.

    target, base: densities such as `GaussianMixture`, the base with draws of its own; step_sizes (rung,); betas: the
    ladder (rung,) from 0 to 1. Initial iterations, of `initial_draws` draws each, update log Zhat by eq 12 until
    max_k |r_k - c_k| < 0.1 / K or `initial_iterations` are made. Costs `steps` leapfrog steps a draw. Returns
    HamiltonianDraws. Raises ValueError for impossible options, BudgetExceeded where the ledger has too little.
    """
    draws = whole_number("draws", draws)
    betas = inverse_temperatures(betas, len(betas))
    sizes = finite_array("step_sizes", step_sizes, dimensions=1)
    if sizes.size != betas.size or np.any(sizes <= 0.0):
        raise ValueError(f"step_sizes: expected {betas.size} positive numbers, one a rung")
    prior = prior_weights(prior, betas)
    low, high = jittered(sizes, jitter)
    sampler = SimulatedTempering(target, base, betas, ledger, stream, steps=steps, threads=threads)
    history, _, rule_met = iterate(sampler, prior, low, high, initial_draws, initial_iterations)
    log_z_hat = history[-1]
    sums, moves = sampler.advance(np.log(prior) - log_z_hat, low, high, draws, "sampling")
    return HamiltonianDraws(
        betas=betas,
        prior=prior,
        log_z_hat=log_z_hat,
        log_z_base=base.log_z,
        delta=moves.delta,
        rungs=moves.rungs,
        accepted=moves.accepted,
        occupancy=sums.occupancy,
        round_trips=sums.round_trips,
        initial_log_z=np.array(history),
        rule_met=rule_met,
    )


def iterate(sampler, prior, low, high, draws, iterations, *, stop_early=True):
    """The initial iterations: log Zhat and Moves of each, and whether the stopping rule held at the end."""
    draws = whole_number("initial_draws", draws)
    log_z_hat, history, moves, rule_met = np.zeros(prior.size), [], [], False
    for _ in range(whole_number("initial_iterations", iterations)):
        sums, stretch = sampler.advance(np.log(prior) - log_z_hat, low, high, draws, "initial iterations")
        occupancy = mean_occupancy(sums, rao_blackwell=True)
        log_z_hat = updated_log_z(log_z_hat, prior, occupancy)
        history.append(log_z_hat)
        moves.append(stretch)
        sampler.restart()
        rule_met = bool(np.max(np.abs(prior - occupancy)) < 0.1 / prior.size)
        if rule_met and stop_early:
            break
    return history, moves, rule_met


def jittered(sizes, jitter):
    """Bounds (low, high) between which steps of these sizes vary; ValueError unless 0 <= jitter < 1."""
    if not 0.0 <= jitter < 1.0:
        raise ValueError(f"jitter: expected a share of at least 0 and below 1, found {jitter!r}")
    return (1.0 - jitter) * sizes, (1.0 + jitter) * sizes
