"""Estimators, and step sizes of Hamiltonian Monte Carlo, on a mixture of two Gaussians with known log Z.

The Gaussians have ten coordinates and the covariance 0.5 I. Their means are five apart along the first coordinate. The
base is N(0, 30 I), and the prior over the rungs is uniform (Carlson et al. 2016, section 4.1 and supplement E.1). The
paper states neither the number nor the spacing of the rungs, so the ladder is an argument.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from logzoo.budgets import SweepLedger
from logzoo.estimators.mbar import log_ratios
from logzoo.estimators.ti import log_ratio
from logzoo.io.schema import coordinate, labelled
from logzoo.paths import inverse_temperatures
from logzoo.samplers.tempering_chains import updated_log_z
from logzoo.types import Array
from replication.papers.rts import hamiltonian_chains
from replication.papers.rts.gaussian_mixture import GaussianMixture, path_moments
from replication.papers.rts.hamiltonian_chains import HamiltonianDraws, tune
from replication.types import Stream

ESTIMATORS = ("rts", "mbar", "ti-riemann", "ti-trapezoid", "ti-corrected", "ti-rb")
STEP_RULES = ("fixed", "adaptive")
_TUNING = {"adaptation_draws": 400, "pilot_draws": 100, "pilot_iterations": 10}
_TUNING_CHAINS = 20
_MIXING = {
    "log_z": ("estimate of log Z by RTS", "nat"),
    "autocorrelation_time": ("integrated autocorrelation time of the rung in draws", "1"),
    "round_trip_rate": ("round trips between the ends of the ladder per 1000 draws", "1"),
}
# Window of lags in multiples of the autocorrelation time (Sokal 1997, section 3).
_WINDOW = 5.0


def target_and_base() -> tuple[GaussianMixture, GaussianMixture]:
    """The published mixture of two Gaussians and its base."""
    return GaussianMixture.pair(10, separation=5.0, variance=0.5), GaussianMixture.centred(10, variance=30.0)


class _Sampler:
    """Simulated tempering of the mixture by Hamiltonian Monte Carlo: its ladder, and step sizes tuned once."""

    def __init__(self, stream, *, chains, rungs, ladder, initial_draws, initial_iterations, tuning=None):
        self.target, self.base = target_and_base()
        self.betas = ladder_of(ladder, rungs, self.target, self.base)
        self.chains, self.attrs = chains, {"chains": chains, "ladder": str(ladder), "steps": hamiltonian_chains.STEPS}
        self.initial = {"initial_draws": initial_draws, "initial_iterations": initial_iterations}
        tuning = _TUNING | (tuning or {})
        draws = 2 * tuning["adaptation_draws"] + tuning["pilot_draws"] * tuning["pilot_iterations"]
        ledger = SweepLedger(draws * hamiltonian_chains.STEPS, _TUNING_CHAINS)
        self.sizes = tune(self.target, self.base, ledger, stream.child("tuning"), betas=self.betas, **tuning)

    def run(self, stream, step_sizes, draws):
        """Run one replicate. Returns the draws, and the number of leapfrog steps of each chain."""
        initial_draws = self.initial["initial_draws"] * self.initial["initial_iterations"]
        ledger = SweepLedger((draws + initial_draws) * hamiltonian_chains.STEPS, self.chains)
        settings = {"draws": draws, "betas": self.betas, **self.initial}
        return hamiltonian_chains.run(self.target, self.base, ledger, stream, step_sizes, **settings), ledger.spent


def ladder_of(name: str, rungs: int, target: GaussianMixture, base: GaussianMixture) -> Array:
    """Inverse temperatures (rung,) of a ladder by name.

    `paths.inverse_temperatures` makes all ladders but "geometric". Along the geometric ladder, the precision of a
    coordinate grows by equal ratios, so neighbouring rungs overlap about equally.
    """
    if name != "geometric":
        return inverse_temperatures(name, rungs)
    precision = np.geomspace(1.0 / base.variance, 1.0 / target.variance, rungs)
    return (precision - precision[0]) / (precision[-1] - precision[0])


def estimators(_: object, *, samples: Sequence[int], replicates: int, stream: Stream, **settings: Any) -> xr.Dataset:
    """log Z (estimator, samples, replicate) by every estimator from the same draws, with adaptive step sizes.

    samples: increasing numbers of draws, summed over the chains of a replicate. Each estimate reads the first draws of
    its run. settings: arguments of `_Sampler`, with `tuning` for `hamiltonian_chains.tune`. Raises ValueError unless
    the numbers of samples are increasing multiples of the number of chains, with at least two draws per chain.
    """
    chains = settings["chains"]
    uneven = [count for count in samples if count % chains or count < 2 * chains]
    if uneven or list(samples) != sorted(set(samples)):
        raise ValueError(
            f"samples: expected rising multiples of {chains} (chains), at least two per chain, found {list(samples)}"
        )
    sampler = _Sampler(stream, **settings)
    log_z = np.empty((len(ESTIMATORS), len(samples), replicates))
    rule_met = np.empty(replicates, np.int8)
    for replicate in range(replicates):
        draws, _ = sampler.run(stream.child("replicate", replicate), sampler.sizes.adaptive, samples[-1] // chains)
        rule_met[replicate] = draws.rule_met
        for position, count in enumerate(samples):
            by_estimator = estimates(draws, count // chains)
            log_z[:, position, replicate] = [by_estimator[name] for name in ESTIMATORS]
    cells, limits = ("estimator", "samples", "replicate"), _limits(sampler)
    return xr.Dataset(
        {
            "log_z": labelled(cells, log_z, "estimate of log Z", "nat"),
            "limit": labelled("estimator", limits, "limit of log Z for infinitely many draws at these rungs", "nat"),
            "rule_met": labelled("replicate", rule_met, "1 if the initial iterations met their stopping rule", "1"),
            "exact_log_z": labelled((), sampler.target.log_z, "exact log Z", "nat"),
            "inverse_temperature": labelled("rung", sampler.betas, "inverse temperature", "1"),
        },
        coords={
            "estimator": coordinate("estimator", ESTIMATORS, "estimator of log Z"),
            "samples": coordinate("samples", samples, "draws of all chains of a replicate"),
            "replicate": coordinate("replicate", range(replicates), "independent run"),
        },
        attrs=sampler.attrs,
    )


def _limits(sampler):
    """Limits (estimator,) of log Z for infinitely many draws at the rungs."""
    moments = path_moments(sampler.target, sampler.base, sampler.betas)
    rules = {
        f"ti-{rule}": sampler.base.log_z + log_ratio(sampler.betas, moments.mean, moments.variance, rule=rule)
        for rule in ("riemann", "trapezoid", "corrected")
    }
    rules["ti-rb"] = rules["ti-trapezoid"]
    return np.array([rules.get(name, sampler.target.log_z) for name in ESTIMATORS])


def estimates(draws: HamiltonianDraws, count: int) -> dict[str, float]:
    """log Z in nats by every estimator, {name: log Z}, from the first `count` draws of every chain.

    RTS and TI-RB weight a draw x by q(beta_k | x) at every rung. The other estimators assign x to the rung that was
    drawn given x. Sources: Carlson et al. (2016), eqs 9, 12, 18 (MBAR) and 21; Friel, Hurn & Wyse (2014).
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
        "mbar": log_ratios(betas * delta[order, None], visits, curve)[-1],
        "ti-riemann": log_ratio(betas, mean, rule="riemann"),
        "ti-trapezoid": log_ratio(betas, mean, rule="trapezoid"),
        "ti-corrected": log_ratio(betas, mean, variance, rule="corrected"),
        "ti-rb": log_ratio(betas, weighted, rule="trapezoid"),
    }
    return {name: draws.log_z_base + float(ratio) for name, ratio in ratios.items()}


def steps(_: object, *, draws: int, replicates: int, stream: Stream, **settings: Any) -> xr.Dataset:
    """Compare fixed with adaptive step sizes: mixing along the ladder and log Z by RTS (step rule, replicate).

    draws: recorded draws of every chain of a replicate; settings as in `estimators`. The fixed step is the average of
    the adaptive steps. Mixing is measured on the index of the rung, which is linear in beta only on a linear ladder.
    """
    sampler = _Sampler(stream, **settings)
    rungs = sampler.betas.size
    step_sizes = np.stack([np.full(rungs, sampler.sizes.fixed), sampler.sizes.adaptive])
    mixing = {name: np.empty((len(STEP_RULES), replicates)) for name in _MIXING}
    leapfrog_steps = np.empty((len(STEP_RULES), replicates), np.int64)
    trace, acceptance = np.empty((len(STEP_RULES), draws), np.int64), np.empty((len(STEP_RULES), rungs))
    for row, rule in enumerate(STEP_RULES):
        moves = np.zeros((2, rungs))
        for replicate in range(replicates):
            path = stream.child(rule, "replicate", replicate)
            run, leapfrog_steps[row, replicate] = sampler.run(path, step_sizes[row], draws)
            for name, value in _mixing(run).items():
                mixing[name][row, replicate] = value
            before = run.rungs[:, :-1].ravel()
            moves += [np.bincount(before, weights, rungs) for weights in (run.accepted.ravel(), None)]
            if replicate == 0:
                trace[row] = run.rungs[0, 1:] + 1
        acceptance[row] = np.divide(moves[0], moves[1], out=np.full(rungs, np.nan), where=moves[1] > 0)
    cells, by_rung = ("step_rule", "replicate"), ("step_rule", "rung")
    steps_text = "leapfrog steps of a chain, including the initial iterations"
    return xr.Dataset(
        {
            **{name: labelled(cells, mixing[name], *text) for name, text in _MIXING.items()},
            "leapfrog_steps": labelled(cells, leapfrog_steps, steps_text, "1"),
            "trace": labelled(("step_rule", "draw"), trace, "rung of one chain", "1"),
            "acceptance": labelled(by_rung, acceptance, "share of proposals accepted", "1"),
            "step_size": labelled(by_rung, step_sizes, "leapfrog step size", "1"),
            "inverse_temperature": labelled("rung", sampler.betas, "inverse temperature", "1"),
            "exact_log_z": labelled((), sampler.target.log_z, "exact log Z", "nat"),
        },
        coords={
            "step_rule": coordinate("step_rule", STEP_RULES, "how steps are chosen"),
            "draw": coordinate("draw", range(1, draws + 1), "recorded draw"),
            "replicate": coordinate("replicate", range(replicates), "independent run"),
        },
        attrs={"chains": sampler.chains, "draws": draws, **sampler.attrs},
    )


def _mixing(run):
    """log Z by RTS, autocorrelation time, and round trips per 1,000 draws, of one replicate."""
    occupancy, visited = run.occupancy.sum(axis=0), run.rungs[:, 1:]
    curve = updated_log_z(run.log_z_hat, run.prior, occupancy / occupancy.sum())
    return {
        "log_z": run.log_z_base + curve[-1],
        "autocorrelation_time": autocorrelation_time(visited),
        "round_trip_rate": run.round_trips.sum() * 1000.0 / visited.size,
    }


def autocorrelation_time(values: Array) -> float:
    """Integrated autocorrelation time in draws, at least 1, of chains (chain, draw) of one process (Sokal 1997).

    Deviations are from the mean of all chains. For chains that never move, the time is the number of draws.
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
