"""Step sizes of Hamiltonian Monte Carlo along a ladder, from a logistic model of acceptance.

Carlson et al. (2016), supplement E. Chains at beta = 0 and at beta = 1 adapt their step to the target acceptance:
eps_max and eps_min. A pilot run of simulated tempering with steps drawn from [eps_min, eps_max] gives the data of
logit p(accept | beta_k, eps) = w0_k + w1_k eps, fitted to all rungs at once with w1_k <= 0 and acceptance that does
not rise with beta. The step of a rung is where the model gives the target, projected into the interval.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, minimize
from scipy.sparse import block_array, diags_array, eye_array
from scipy.special import expit, logit

from logzoo.checks import whole_number
from logzoo.kernels.leapfrog import Walkers, run_at
from logzoo.paths import inverse_temperatures
from logzoo.samplers.hamiltonian import JITTER, STEPS, SimulatedTempering, iterate, jittered

# Optimal for Hamiltonian Monte Carlo in many dimensions (Beskos et al. 2013).
TARGET_ACCEPTANCE = 0.651
_FIRST_STEP = 1.0
# Robbins & Monro (1951) on log eps: gains 1 / t^0.6, the second half of the path averaged (Polyak & Juditsky 1992).
_GAIN_EXPONENT = 0.6
# Logits are kept within this: rungs where every proposal was accepted have no finite maximum.
_LARGEST_LOGIT = 10.0


class StepSizes(NamedTuple):
    """Step sizes of a ladder, and the model behind them."""

    adaptive: np.ndarray  # (rung,)
    fixed: float  # the average of the adaptive ones
    low: float  # eps_min, adapted at beta = 1
    high: float  # eps_max, adapted at beta = 0
    weights: np.ndarray  # (rung, 2) w0, w1


def tune(
    target,
    base,
    ledger,
    stream,
    *,
    betas,
    steps=STEPS,
    target_acceptance=TARGET_ACCEPTANCE,
    adaptation_draws=400,
    pilot_draws=100,
    pilot_iterations=10,
    threads=1,
):
    """Step size for each rung of the ladder `betas` (rung,); returns StepSizes.

    Costs `steps` leapfrog steps of every chain of the ledger for each of 2 x adaptation_draws + pilot_iterations x
    pilot_draws draws. Raises ValueError for impossible options, BudgetExceeded where the ledger has too little.
    """
    if not 0.0 < target_acceptance < 1.0:
        raise ValueError(f"target_acceptance: expected a number between 0 and 1, found {target_acceptance!r}")
    betas = inverse_temperatures(betas, len(betas))
    settings = {"draws": adaptation_draws, "steps": steps, "target_acceptance": target_acceptance}
    ends = [adapted_step(target, base, beta, ledger, stream.child("end", beta), **settings) for beta in (1, 0)]
    # A base narrower than the target turns the interval round; the constraints then even the steps out.
    low, high = min(ends), max(ends)
    stream = stream.child("pilot")
    sampler = SimulatedTempering(target, base, betas, ledger, stream, steps=steps, threads=threads)
    prior, lows, highs = (np.full(betas.size, value) for value in (1.0 / betas.size, low, high))
    _, moves, _ = iterate(sampler, prior, lows, highs, pilot_draws, pilot_iterations, stop_early=False)
    rung = np.concatenate([stretch.rungs[:, :-1].ravel() for stretch in moves])
    step = np.concatenate([stretch.step.ravel() for stretch in moves])
    accepted = np.concatenate([stretch.accepted.ravel() for stretch in moves])
    weights = fit_acceptance(rung, step, accepted, betas.size, low, high)
    adaptive = steps_at(weights, target_acceptance, low, high)
    return StepSizes(adaptive, float(adaptive.mean()), low, high, weights)


def adapted_step(target, base, beta, ledger, stream, *, draws, steps=STEPS, target_acceptance=TARGET_ACCEPTANCE):
    """Step size at which chains at one fixed beta accept at the target rate: stochastic approximation on log eps.

    Costs `steps` leapfrog steps of every chain of the ledger for each of `draws` draws.
    """
    whole_number("adaptation_draws", draws, minimum=2)
    count = ledger.chains
    walkers = Walkers(base.draw(stream.child("start").generator(), count), np.arange(count, dtype=np.uint64))
    ledger.spend(draws * steps, "adaptation")
    key = stream.child("moves").key
    log_step, path = np.log(_FIRST_STEP), []
    for draw in range(1, draws + 1):
        low, high = jittered(np.exp(log_step), JITTER)
        probability = np.zeros(count)
        settings = (target.parameters, base.parameters, steps, key, draw, draw + 1, float(beta))
        run_at(*settings, low, high, walkers, probability)
        log_step += (probability.mean() - target_acceptance) / draw**_GAIN_EXPONENT
        path.append(log_step)
    return float(np.exp(np.mean(path[draws // 2 :])))


def fit_acceptance(rung, step, accepted, rungs, low, high):
    """Weights (rung, 2), w0 and w1 of eq 35, that maximise the likelihood of eq 36 under its constraints.

    rung, step, accepted (draw,): the rung, the step size within [low, high], and whether the proposal was accepted.
    The model is linear in the logits at `low` and at `high`, on which every constraint is linear, and the likelihood is
    concave in them: an interior-point method finds the one maximum and keeps every constraint strictly.
    """
    share = (step - low) / (high - low)
    sign = np.where(accepted, 1.0, -1.0)
    shares = (1.0 - share, share)

    def margins(logits):
        return sign * (shares[0] * logits[:rungs][rung] + shares[1] * logits[rungs:][rung])

    def cost_and_gradient(logits):
        margin = margins(logits)
        slope = -sign * expit(-margin)
        gradient = [np.bincount(rung, slope * part, rungs) for part in shares]
        return np.logaddexp(0.0, -margin).mean(), np.concatenate(gradient) / rung.size

    def hessian(logits):
        margin = margins(logits)
        bend = expit(margin) * expit(-margin) / rung.size
        parts = [[diags_array(np.bincount(rung, bend * a * b, rungs)) for a in shares] for b in shares]
        return block_array(parts).tocsr()

    # Rows of 1 and -1 whose products with the logits must not be negative: falling with beta and with the step.
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


def steps_at(weights, acceptance, low, high):
    """Step sizes (rung,) where the model gives that acceptance, projected into [low, high]."""
    at_low, at_high = (weights[:, 0] + weights[:, 1] * end for end in (low, high))
    wanted = logit(acceptance)
    fall = at_low - at_high
    share = np.where(at_low > wanted, 1.0, 0.0)
    np.divide(at_low - wanted, fall, out=share, where=fall > 0.0)
    return low + (high - low) * np.clip(share, 0.0, 1.0)
