"""What the estimators on simulated tempering share: options, the spread over chains, diagnostics."""

import numpy as np

from logzoo.estimators.bootstrap import error_and_interval, resampled_sums
from logzoo.estimators.result import Estimate
from logzoo.samplers import tempered
from logzoo.samplers.observers import Transitions

DEFAULTS = {
    "base": None,
    "rungs": 100,
    "ladder": "linear",
    "prior": None,
    "form": "marginal",
    "initial_sweeps": 50,
    "initial_iterations": 10,
    "threads": 1,
    "progress": False,
}
# Mean round trips of a chain below which the ends of the ladder were hardly compared.
_FEWEST_ROUND_TRIPS = 1.0
# Nats by which interpolated log-densities may be off before they bias log Z visibly.
_LARGEST_INTERPOLATION_ERROR = 0.01
# Parts of the ladder in a stored transition matrix.
_PARTS = 50
# Stands for "nothing left" when a resample misses every draw that counts.
FLOOR = np.finfo(float).tiny


def run(rbm, ledger, stream, options, *, observers=(), **settings):
    """Draws of simulated tempering for an estimator, and the transitions between rungs (rung, rung)."""
    transitions = Transitions()
    draws = tempered.run(rbm, ledger, stream, observers=(transitions, *observers), **options, **settings)
    return draws, transitions.counts


def end_ratio(draws, ends):
    """log Z (...,) by eq 12 from the sums (..., 2) over draws of what the first and the last rung got."""
    ends = np.maximum(ends, FLOOR)
    shift = draws.log_z_base + draws.log_z_hat[-1] + np.log(draws.prior[0] / draws.prior[-1])
    return shift + np.log(ends[..., 1]) - np.log(ends[..., 0])


def from_sums(method, draws, transitions, sums, log_z_of, ledger, stream, form):
    """Estimate from sums (chain, ...) over the draws of each chain: log_z_of their total, spread by resampling chains.

    log_z_of maps totals (..., *shape) to log Z (...,). `converged` says that the chains travelled the ladder: at least
    one round trip each on average.
    """
    total = sums.sum(axis=0)
    resampled = resampled_sums(sums, stream.child("bootstrap").generator()).reshape(-1, *total.shape)
    std_error, interval = error_and_interval(log_z_of(resampled))
    round_trips = float(draws.round_trips.mean())
    return Estimate(
        method=method,
        log_z=float(log_z_of(total)),
        std_error=std_error,
        interval=interval,
        sweeps=ledger.spent,
        chains=ledger.chains,
        converged=round_trips >= _FEWEST_ROUND_TRIPS and draws.interpolation_error < _LARGEST_INTERPOLATION_ERROR,
        form=form,
        diagnostics=diagnostics(draws),
        profiles={"transition_matrix": transition_matrix(transitions)},
    )


def diagnostics(draws):
    """The scalar diagnostics of a run of simulated tempering."""
    occupancy = draws.occupancy.sum(axis=(0, 1))
    visits = draws.visits.sum(axis=0)
    sweeps = int(visits[0].sum())
    autocorrelation = autocorrelation_time(visits, draws.betas)
    round_trips = float(draws.round_trips.mean())
    return {
        "occupancy_error": float(draws.betas.size * np.max(np.abs(draws.prior - occupancy / occupancy.sum()))),
        "round_trips": round_trips,
        "round_trip_rate": 1000.0 * round_trips / sweeps,
        "autocorrelation_time": autocorrelation,
        "effective_sample_size": sweeps * len(visits) / autocorrelation,
        "initial_iterations": len(draws.initial_log_z),
        "initial_rule_met": int(draws.rule_met),
        "interpolation_error": draws.interpolation_error,
    }


def autocorrelation_time(visits, betas):
    """Integrated autocorrelation time of beta in sweeps, at least 1, from visits (chain, rung).

    The variance of the means of n draws over independent chains is Var(beta) tau / n; tau is at most n.
    """
    draws = visits.sum(axis=1)
    share = visits.sum(axis=0) / visits.sum()
    mean = share @ betas
    variance = share @ (betas - mean) ** 2
    spread = np.mean((visits @ betas / draws - mean) ** 2)
    n = float(draws.mean())
    return float(np.clip(n * spread / variance, 1.0, n)) if variance > 0.0 else n


def transition_matrix(counts):
    """Row-stochastic matrix (part, part) of moves between parts of neighbouring rungs; rows never left are zero."""
    starts = np.unique(np.linspace(0, len(counts), min(_PARTS, len(counts)), endpoint=False).astype(int))
    parts = np.add.reduceat(np.add.reduceat(counts, starts, axis=0), starts, axis=1)
    leaving = parts.sum(axis=1, keepdims=True)
    return np.divide(parts, leaving, out=np.zeros(parts.shape), where=leaving > 0)
