"""Simulated tempering with Hamiltonian Monte Carlo, for continuous densities.

Carlson et al. (2016), supplement E: a chain draws x | beta_k by one trajectory of a fixed number of leapfrog steps. It
draws beta_k | x from q(beta_k | x), proportional to r_k exp(beta_k Delta) / Zhat_k. Here r is the prior, Zhat_k is an
estimate of Z_k, and Delta = log f(x) - log p_1(x), with base p_1. Step sizes vary a little (Neal 2011, section
5.4.2.2), because some trajectories of a fixed length would return to their starting points. The unit of the ledger is
one leapfrog step of one chain, of any step size.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, minimize
from scipy.sparse import block_array, diags_array, eye_array
from scipy.special import expit, logit

from logzoo.budgets import SweepLedger
from logzoo.kernels.tempering import RungSums
from logzoo.samplers.tempering_chains import RULE, mean_occupancy, updated_log_z, zero_sums
from logzoo.streams import Stream
from replication.papers.rts.gaussian_mixture import GaussianMixture
from replication.papers.rts.leapfrog import Moves, Walkers, run_at, run_tempered

STEPS = 5
# Share by which a step size varies in either direction.
JITTER = 0.2
# Optimal acceptance rate of Hamiltonian Monte Carlo in many dimensions (Beskos et al. 2013).
TARGET_ACCEPTANCE = 0.651
_FIRST_STEP = 1.0
# The log step size is adapted with gains 1 / t^0.6 (Robbins & Monro 1951). It is averaged over the second half of the
# draws (Polyak & Juditsky 1992).
_GAIN_EXPONENT = 0.6
# Bound of the absolute logits. Without it, no finite logits maximise the likelihood at rungs where every proposal was
# accepted.
_LARGEST_LOGIT = 10.0


class HamiltonianDraws(NamedTuple):
    """Single draws of simulated tempering in continuous space; log Zhat is relative to the base."""

    betas: np.ndarray  # (rung,) inverse temperatures
    prior: np.ndarray  # (rung,) r, sums to one
    log_z_hat: np.ndarray  # (rung,) log Zhat that the initial iterations found, nats
    log_z_base: float  # nats
    delta: np.ndarray  # (chain, draw) log f(x) - log p_1(x), nats
    rungs: np.ndarray  # (chain, draw + 1): x of draw i is drawn at rungs[:, i]; rungs[:, i + 1] is drawn given x
    accepted: np.ndarray  # (chain, draw) 0 or 1
    occupancy: np.ndarray  # (chain, rung) sums of q(beta_k | x)
    round_trips: np.ndarray  # (chain,)
    rule_met: bool  # the stopping rule of the initial iterations held


class HamiltonianTempering:
    """The chains of a ledger, their rungs and their position in the stream."""

    def __init__(
        self,
        target: GaussianMixture,
        base: GaussianMixture,
        betas: np.ndarray,
        ledger: SweepLedger,
        stream: Stream,
    ) -> None:
        self.ends = (target.parameters, base.parameters)
        self.betas = betas
        self.ledger = ledger
        self.key = stream.child("moves").key
        self.generator = stream.child("rungs").generator()
        start = base.draw(stream.child("start").generator(), ledger.chains)
        self.walkers = Walkers(start, np.arange(ledger.chains, dtype=np.uint64))
        self.draw = 1
        self.restart()

    def restart(self) -> None:
        """Redraw the rungs uniformly and keep the states (section 2.4)."""
        count = len(self.walkers.x)
        self.rung = self.generator.integers(self.betas.size, size=count)
        self.heading = np.zeros(count, np.int64)

    def advance(self, offset: np.ndarray, low: Any, high: Any, draws: int, purpose: str) -> tuple[RungSums, Moves]:
        """Make draws with step sizes uniform in [low, high] (rung,); the ledger counts their leapfrog steps."""
        self.ledger.spend(draws * STEPS, purpose)
        count, rungs = len(self.walkers.x), self.betas.size
        shape, sums = (count, draws), zero_sums(count, rungs)
        walked = np.zeros((count, draws + 1), np.int64)
        moves = Moves(np.zeros(shape), walked, np.zeros(shape), np.zeros(shape, np.uint8))
        last = self.draw + draws
        settings = (*self.ends, self.betas, low, high, STEPS, offset, self.key, self.draw, last)
        run_tempered(*settings, self.walkers, self.rung, self.heading, sums, moves)
        self.draw = last
        return sums, moves


def run(
    target: GaussianMixture,
    base: GaussianMixture,
    ledger: SweepLedger,
    stream: Stream,
    step_sizes: np.ndarray,
    *,
    draws: int,
    betas: np.ndarray,
    initial_draws: int,
    initial_iterations: int,
) -> HamiltonianDraws:
    """Make the initial iterations, then record `draws` draws of each chain of the ledger at the resulting log Zhat.

    step_sizes (rung,): centres of the step sizes, which vary by a fifth. betas (rung,): the ladder from 0 to 1. The
    prior r is uniform. Each initial iteration makes `initial_draws` draws and updates log Zhat by eq 12. The iterations
    end when max_k |r_k - c_k| < 0.1 / K, with occupancies c of K rungs, or after `initial_iterations`. A draw costs 5
    leapfrog steps. Raises BudgetExceeded if too few steps are left in the ledger.
    """
    prior = np.full(betas.size, 1.0 / betas.size)
    low, high = (1.0 - JITTER) * step_sizes, (1.0 + JITTER) * step_sizes
    sampler = HamiltonianTempering(target, base, betas, ledger, stream)
    log_z_hat, _, rule_met = iterate(sampler, prior, low, high, initial_draws, initial_iterations)
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
        rule_met=rule_met,
    )


def iterate(
    sampler: HamiltonianTempering,
    prior: np.ndarray,
    low: Any,
    high: Any,
    draws: int,
    iterations: int,
    *,
    stop_early: bool = True,
) -> tuple[np.ndarray, list, bool]:
    """Make the initial iterations.

    Returns the last log Zhat, Moves of each iteration, and whether the last iteration met the stopping rule.
    """
    log_z_hat, moves, rule_met = np.zeros(prior.size), [], False
    for _ in range(iterations):
        sums, stretch = sampler.advance(np.log(prior) - log_z_hat, low, high, draws, "initial iterations")
        occupancy = mean_occupancy(sums, rao_blackwell=True)
        log_z_hat = updated_log_z(log_z_hat, prior, occupancy)
        moves.append(stretch)
        sampler.restart()
        rule_met = bool(np.max(np.abs(prior - occupancy)) < RULE / prior.size)
        if rule_met and stop_early:
            break
    return log_z_hat, moves, rule_met


class StepSizes(NamedTuple):
    """Step sizes of a ladder."""

    adaptive: np.ndarray  # (rung,)
    fixed: float  # the mean of `adaptive`
    low: float  # eps_min: the smaller of the step sizes adapted at beta = 0 and at beta = 1
    high: float  # eps_max: the larger of them


def tune(
    target: GaussianMixture,
    base: GaussianMixture,
    ledger: SweepLedger,
    stream: Stream,
    *,
    betas: np.ndarray,
    adaptation_draws: int,
    pilot_draws: int,
    pilot_iterations: int,
) -> StepSizes:
    """Tune a step size for each rung of the ladder `betas` (rung,).

    Every chain of the ledger makes 2 x adaptation_draws + pilot_iterations x pilot_draws draws of 5 leapfrog steps.
    Raises BudgetExceeded if too few steps are left in the ledger.
    """
    ends = [adapted_step(target, base, beta, ledger, stream.child("end", beta), adaptation_draws) for beta in (1, 0)]
    # The ends are sorted, because a base narrower than the target reverses the interval. The constraints then make all
    # steps equal.
    low, high = min(ends), max(ends)
    sampler = HamiltonianTempering(target, base, betas, ledger, stream.child("pilot"))
    prior, lows, highs = (np.full(betas.size, value) for value in (1.0 / betas.size, low, high))
    _, moves, _ = iterate(sampler, prior, lows, highs, pilot_draws, pilot_iterations, stop_early=False)
    rung = np.concatenate([stretch.rungs[:, :-1].ravel() for stretch in moves])
    step = np.concatenate([stretch.step.ravel() for stretch in moves])
    accepted = np.concatenate([stretch.accepted.ravel() for stretch in moves])
    weights = fit_acceptance(rung, step, accepted, betas.size, low, high)
    adaptive = steps_at(weights, TARGET_ACCEPTANCE, low, high)
    return StepSizes(adaptive, float(adaptive.mean()), low, high)


def adapted_step(
    target: GaussianMixture, base: GaussianMixture, beta: float, ledger: SweepLedger, stream: Stream, draws: int
) -> float:
    """Step size at which chains at a fixed beta accept at the target rate, by stochastic approximation of its log."""
    count = ledger.chains
    walkers = Walkers(base.draw(stream.child("start").generator(), count), np.arange(count, dtype=np.uint64))
    ledger.spend(draws * STEPS, "adaptation")
    key = stream.child("moves").key
    log_step, path = np.log(_FIRST_STEP), []
    for draw in range(1, draws + 1):
        low, high = (1.0 - JITTER) * np.exp(log_step), (1.0 + JITTER) * np.exp(log_step)
        probability = np.zeros(count)
        settings = (target.parameters, base.parameters, STEPS, key, draw, draw + 1, float(beta))
        run_at(*settings, low, high, walkers, probability)
        log_step += (probability.mean() - TARGET_ACCEPTANCE) / draw**_GAIN_EXPONENT
        path.append(log_step)
    return float(np.exp(np.mean(path[draws // 2 :])))


def fit_acceptance(
    rung: np.ndarray, step: np.ndarray, accepted: np.ndarray, rungs: int, low: Any, high: Any
) -> np.ndarray:
    """Weights (rung, 2), w0 and w1 of eq 35, that maximise the likelihood of eq 36 under its constraints.

    rung, step, accepted (draw,): the rung, the step size within [low, high], and whether the proposal was accepted.
    The parameters are the logits at `low` and at `high`. The logits in between and all constraints are linear in these
    parameters, and the log-likelihood is concave. An interior-point method approaches the maximum from
    within the constraints.
    """
    share = (step - low) / (high - low)
    sign = np.where(accepted, 1.0, -1.0)
    shares = (1.0 - share, share)

    def margins(logits: np.ndarray) -> np.ndarray:
        return sign * (shares[0] * logits[:rungs][rung] + shares[1] * logits[rungs:][rung])

    def cost_and_gradient(logits: np.ndarray) -> tuple:
        margin = margins(logits)
        slope = -sign * expit(-margin)
        gradient = [np.bincount(rung, slope * part, rungs) for part in shares]
        return np.logaddexp(0.0, -margin).mean(), np.concatenate(gradient) / rung.size

    def hessian(logits: np.ndarray) -> Any:
        margin = margins(logits)
        bend = expit(margin) * expit(-margin) / rung.size
        parts = [[diags_array(np.bincount(rung, bend * a * b, rungs)) for a in shares] for b in shares]
        return block_array(parts).tocsr()

    # Products of these rows with the logits must not be negative: acceptance falls with beta and with the step size.
    falling = diags_array([np.ones(rungs - 1), -np.ones(rungs - 1)], offsets=[0, 1], shape=(rungs - 1, rungs))
    orders = block_array([[falling, None], [None, falling], [eye_array(rungs), -eye_array(rungs)]]).tocsr()
    solution = minimize(
        cost_and_gradient,
        np.concatenate([np.linspace(4.0, 1.0, rungs), np.linspace(-1.0, -4.0, rungs)]),
        jac=True,
        hess=hessian,
        method="trust-constr",
        bounds=Bounds(-_LARGEST_LOGIT, _LARGEST_LOGIT),
        constraints=LinearConstraint(orders, 0.0, np.inf),
        options={"maxiter": 1000, "gtol": 1e-9, "xtol": 1e-16, "barrier_tol": 1e-9},
    )
    at_low, at_high = solution.x[:rungs], solution.x[rungs:]
    slope = (at_high - at_low) / (high - low)
    return np.column_stack([at_low - slope * low, slope])


def steps_at(weights: np.ndarray, acceptance: float, low: Any, high: Any) -> np.ndarray:
    """Step sizes (rung,) at which the model gives this acceptance, clipped to [low, high]."""
    at_low, at_high = (weights[:, 0] + weights[:, 1] * end for end in (low, high))
    wanted = logit(acceptance)
    fall = at_low - at_high
    share = np.where(at_low > wanted, 1.0, 0.0)
    np.divide(at_low - wanted, fall, out=share, where=fall > 0.0)
    return low + (high - low) * np.clip(share, 0.0, 1.0)
