"""Estimators, and step sizes of Hamiltonian Monte Carlo, on a mixture of two Gaussians with known log Z.

Carlson et al. (2016), section 4.1 and supplement E.1: ten coordinates, covariance 0.5 I, five apart along the first,
base N(0, 30 I), uniform prior over the rungs. They do not say how many rungs, nor how spaced: a ladder is an argument.
"""

import numpy as np
import xarray as xr

from logzoo.artifacts.labels import labelled
from logzoo.budgets import SweepLedger
from logzoo.checks import whole_number
from logzoo.estimators.mbar import log_ratios
from logzoo.estimators.ti import log_ratio
from logzoo.models.gaussian_mixture import GaussianMixture, path_moments
from logzoo.paths import inverse_temperatures
from logzoo.samplers import hamiltonian
from logzoo.samplers.initial import updated_log_z
from logzoo.samplers.step_sizes import tune

ESTIMATORS = ("rts", "mbar", "ti-riemann", "ti-trapezoid", "ti-corrected", "ti-rb")
STEP_RULES = ("fixed", "adaptive")
# The window of an autocorrelation time is this many times as long as it (Sokal 1997, section 3).
_WINDOW = 5.0


def estimators(_, **settings):
    """`estimators_experiment` as an experiment without artifacts."""
    return estimators_experiment(**settings)


def steps(_, **settings):
    """`steps_experiment` as an experiment without artifacts."""
    return steps_experiment(**settings)


def target_and_base(*, dimension=10, separation=5.0, variance=0.5, base_variance=30.0):
    """The mixture of two Gaussians and its base; as published unless told otherwise."""
    return GaussianMixture.pair(dimension, separation, variance), GaussianMixture.centred(dimension, base_variance)


def ladder_of(name, rungs, target, base):
    """Inverse temperatures (rung,): as in `paths.inverse_temperatures`, or "geometric" for equal ratios of precision.

    Along the path the precision of a coordinate goes from that of the base to that of the target's components; equal
    ratios of it are about equally far apart for the sampler.
    """
    if isinstance(name, str) and name == "geometric":
        precision = np.geomspace(1.0 / base.variance, 1.0 / target.variance, whole_number("rungs", rungs, minimum=2))
        betas = (precision - precision[0]) / (precision[-1] - precision[0])
        return inverse_temperatures(betas, rungs)
    return inverse_temperatures(name, rungs)


def estimators_experiment(
    *,
    samples,
    replicates,
    chains,
    rungs,
    ladder,
    initial_draws,
    initial_iterations,
    stream,
    steps=hamiltonian.STEPS,
    tuning=None,
    threads=1,
):
    """log Z (estimator, samples, replicate) by every estimator from the same draws, steps adaptive.

    samples: numbers of draws, of all chains of a replicate together, increasing; each estimate reads the first so many
    of one run. steps: leapfrog steps a draw. Step sizes are tuned once, with options `tuning` of
    `samplers.step_sizes.tune`. Returns a Dataset with exact log Z and what each rule of TI would give at exact means.
    Raises ValueError where samples do not divide among the chains.
    """
    uneven = [count for count in samples if count % chains or count < 2 * chains]
    if uneven or list(samples) != sorted(set(samples)):
        raise ValueError(f"samples: expected increasing multiples of {chains} (chains), found {list(samples)}")
    target, base = target_and_base()
    betas = ladder_of(ladder, rungs, target, base)
    sizes = _tuned(target, base, betas, steps, stream, tuning)
    log_z = np.empty((len(ESTIMATORS), len(samples), replicates))
    rule_met = np.empty(replicates, np.int8)
    for replicate in range(replicates):
        path = stream.child("replicate", replicate)
        settings = (samples[-1] // chains, initial_draws, initial_iterations, steps, threads)
        draws, _ = _run(target, base, betas, sizes.adaptive, chains, path, *settings)
        rule_met[replicate] = draws.rule_met
        for position, count in enumerate(samples):
            found = estimates(draws, count // chains)
            log_z[:, position, replicate] = [found[name] for name in ESTIMATORS]
    return _estimators_dataset(log_z, rule_met, samples, betas, target, base).assign_attrs(
        chains=chains, ladder=str(ladder), steps=steps
    )


def estimates(draws, count):
    """log Z in nats by every estimator, {name: log Z}, from the first `count` draws of every chain.

    A draw counts at the rung drawn given it (eqs 9, 12, 21; Friel, Hurn & Wyse 2014; MBAR by eq 18).
    """
    betas, delta, rungs = draws.betas, draws.delta[:, :count].ravel(), draws.rungs[:, 1 : count + 1].ravel()
    log_q = np.log(draws.prior) - draws.log_z_hat + betas * delta[:, None]
    q = np.exp(log_q - log_q.max(axis=1, keepdims=True))
    q /= q.sum(axis=1, keepdims=True)
    curve = updated_log_z(draws.log_z_hat, draws.prior, q.mean(axis=0))
    visits = np.bincount(rungs, minlength=betas.size)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(rungs, delta, betas.size) / visits
        variance = np.bincount(rungs, (delta - mean[rungs]) ** 2, betas.size) / (visits - 1.0)
        weighted = (q * delta[:, None]).sum(axis=0) / q.sum(axis=0)
    variance[visits < 2] = np.nan
    order = np.argsort(rungs, kind="stable")
    ratios = {
        "rts": curve[-1],
        "mbar": log_ratios(betas * delta[order, None], visits, curve)[0][-1],
        "ti-riemann": log_ratio(betas, mean, rule="riemann"),
        "ti-trapezoid": log_ratio(betas, mean, rule="trapezoid"),
        "ti-corrected": log_ratio(betas, mean, variance, rule="corrected"),
        "ti-rb": log_ratio(betas, weighted, rule="trapezoid"),
    }
    return {name: draws.log_z_base + float(ratio) for name, ratio in ratios.items()}


def steps_experiment(
    *,
    draws,
    replicates,
    chains,
    rungs,
    ladder,
    initial_draws,
    initial_iterations,
    stream,
    steps=hamiltonian.STEPS,
    tuning=None,
    threads=1,
):
    """Fixed against adaptive step sizes: mixing along the ladder and log Z by RTS (step rule, replicate).

    draws: recorded draws of every chain of a replicate. The fixed step is the average of the adaptive ones, so both
    rules owe the tuning, and both pay the same leapfrog steps a draw. Mixing is that of the rung's number, which is
    beta itself on a linear ladder. Returns a Dataset, with the trace of the first chain of the first replicate.
    """
    target, base = target_and_base()
    betas = ladder_of(ladder, rungs, target, base)
    sizes = _tuned(target, base, betas, steps, stream, tuning)
    by_rule = {"fixed": np.full(betas.size, sizes.fixed), "adaptive": sizes.adaptive}
    cells = (len(STEP_RULES), replicates)
    found = {name: np.empty(cells) for name in ("log_z", "autocorrelation_time", "round_trips", "leapfrog_steps")}
    trace, acceptance = np.empty((len(STEP_RULES), draws), np.int64), np.empty((len(STEP_RULES), betas.size))
    for row, rule in enumerate(STEP_RULES):
        moves = np.zeros((2, betas.size))
        for replicate in range(replicates):
            path = stream.child(rule, "replicate", replicate)
            settings = (draws, initial_draws, initial_iterations, steps, threads)
            made, ledger = _run(target, base, betas, by_rule[rule], chains, path, *settings)
            for name, value in (*_mixing(made).items(), ("leapfrog_steps", ledger.spent)):
                found[name][row, replicate] = value
            before = made.rungs[:, :-1].ravel()
            moves += [np.bincount(before, weights, betas.size) for weights in (made.accepted.ravel(), None)]
            if replicate == 0:
                trace[row] = made.rungs[0, 1:] + 1
        acceptance[row] = np.divide(moves[0], moves[1], out=np.full(betas.size, np.nan), where=moves[1] > 0)
    step_sizes = np.stack([by_rule[rule] for rule in STEP_RULES])
    dataset = _steps_dataset(found, trace, acceptance, step_sizes, betas, target)
    return dataset.assign_attrs(chains=chains, draws=draws, ladder=str(ladder), steps=steps)


def _mixing(made):
    """log Z by RTS, and how the chains of one replicate travelled the ladder."""
    occupancy, visited = made.occupancy.sum(axis=0), made.rungs[:, 1:]
    curve = updated_log_z(made.log_z_hat, made.prior, occupancy / occupancy.sum())
    return {
        "log_z": made.log_z_base + curve[-1],
        "autocorrelation_time": autocorrelation_time(visited),
        "round_trips": made.round_trips.sum() * 1000.0 / visited.size,
    }


def autocorrelation_time(values):
    """Integrated autocorrelation time in draws, at least 1, of chains (chain, draw) of one process.

    1 + 2 sum of the autocorrelations up to the first window of five times the sum (Sokal 1997); deviations are from
    the mean of all chains. Chains that never move are given their whole length.
    """
    draws = values.shape[1]
    deviations = values - values.mean()
    transformed = np.fft.rfft(deviations, 2 * draws, axis=1)
    covariance = np.fft.irfft(np.abs(transformed) ** 2, axis=1)[:, :draws].mean(axis=0) / draws
    if covariance[0] <= 0.0:
        return float(draws)
    times = 2.0 * np.cumsum(covariance / covariance[0]) - 1.0
    enough = np.flatnonzero(np.arange(draws) >= _WINDOW * times)
    return float(np.clip(times[enough[0] if enough.size else -1], 1.0, draws))


def _tuned(target, base, betas, steps, stream, tuning):
    """Step sizes, tuned by 20 chains unless told otherwise."""
    tuning = {"chains": 20, "adaptation_draws": 400, "pilot_draws": 100, "pilot_iterations": 10, **(tuning or {})}
    chains = tuning.pop("chains")
    draws = 2 * tuning["adaptation_draws"] + tuning["pilot_draws"] * tuning["pilot_iterations"]
    ledger = SweepLedger(draws * steps, chains)
    return tune(target, base, ledger, stream.child("tuning"), betas=betas, steps=steps, **tuning)


def _run(target, base, betas, sizes, chains, stream, draws, initial_draws, initial_iterations, steps, threads):
    """One replicate: its draws and the ledger that paid for them, in leapfrog steps."""
    ledger = SweepLedger((draws + initial_draws * initial_iterations) * steps, chains)
    made = hamiltonian.run(
        target,
        base,
        ledger,
        stream,
        sizes,
        draws=draws,
        betas=betas,
        steps=steps,
        initial_draws=initial_draws,
        initial_iterations=initial_iterations,
        threads=threads,
    )
    return made, ledger


def _estimators_dataset(log_z, rule_met, samples, betas, target, base):
    moments = path_moments(target, base, betas)
    rules = {
        f"ti-{rule}": base.log_z + log_ratio(betas, moments.mean, moments.variance, rule=rule)
        for rule in ("riemann", "trapezoid", "corrected")
    }
    rules["ti-rb"] = rules["ti-trapezoid"]
    limits = np.array([rules.get(name, target.log_z) for name in ESTIMATORS])
    cells = ("estimator", "samples", "replicate")
    return xr.Dataset(
        {
            "log_z": labelled(cells, log_z, "estimate of log Z", "nat"),
            "limit": labelled(("estimator",), limits, "log Z that endless sampling of these rungs would give", "nat"),
            "rule_met": labelled(("replicate",), rule_met, "1 when the initial iterations met their rule", "1"),
            "exact_log_z": labelled((), target.log_z, "exact log Z", "nat"),
            "inverse_temperature": labelled(("rung",), betas, "inverse temperature", "1"),
        },
        coords={
            "estimator": labelled(("estimator",), np.array(ESTIMATORS, dtype=object), "estimator of log Z", "1"),
            "samples": labelled(("samples",), np.array(samples), "draws of all chains of a replicate", "1"),
            "replicate": labelled(("replicate",), np.arange(log_z.shape[-1]), "independent run", "1"),
        },
    )


def _steps_dataset(found, trace, acceptance, step_sizes, betas, target):
    cells, by_rung = ("step_rule", "replicate"), ("step_rule", "rung")
    return xr.Dataset(
        {
            "log_z": labelled(cells, found["log_z"], "estimate of log Z by RTS", "nat"),
            "autocorrelation_time": labelled(
                cells, found["autocorrelation_time"], "integrated autocorrelation time of the rung in draws", "1"
            ),
            "round_trip_rate": labelled(
                cells, found["round_trips"], "round trips between the ends of the ladder per 1000 draws", "1"
            ),
            "leapfrog_steps": labelled(
                cells, found["leapfrog_steps"].astype(np.int64), "leapfrog steps of a chain, initial ones included", "1"
            ),
            "trace": labelled(("step_rule", "draw"), trace, "rung of one chain", "1"),
            "acceptance": labelled(by_rung, acceptance, "share of proposals accepted", "1"),
            "step_size": labelled(by_rung, step_sizes, "leapfrog step size", "1"),
            "inverse_temperature": labelled(("rung",), betas, "inverse temperature", "1"),
            "exact_log_z": labelled((), target.log_z, "exact log Z", "nat"),
        },
        coords={
            "step_rule": labelled(("step_rule",), np.array(STEP_RULES, dtype=object), "how steps are chosen", "1"),
            "draw": labelled(("draw",), np.arange(1, trace.shape[1] + 1), "recorded draw", "1"),
            "replicate": labelled(("replicate",), np.arange(found["log_z"].shape[1]), "independent run", "1"),
        },
    )
