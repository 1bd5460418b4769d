"""What the estimators on simulated tempering share: options, eq 12 over chains, diagnostics."""

import numpy as np

from logzoo.estimators.bootstrap import error_and_interval, resampled_sums
from logzoo.estimators.result import Estimate
from logzoo.samplers.tempered import updated_log_z

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


def from_rung_sums(method, draws, sums, ledger, stream):
    """Estimate from rung sums (chain, rung) by eq 12; spread by resampling chains.

    `converged` says that the chains travelled the ladder: at least one round trip each on average.
    """
    occupancy = sums.sum(axis=0) / sums.sum()
    log_z = draws.log_z_base + updated_log_z(draws.log_z_hat, draws.prior, occupancy)[-1]
    ends = resampled_sums(sums[:, [0, -1]], stream.child("bootstrap").generator())
    shift = draws.log_z_base + draws.log_z_hat[-1] + np.log(draws.prior[0] / draws.prior[-1])
    floor = np.finfo(float).tiny
    resampled = shift + np.log(np.maximum(ends[:, 1], floor)) - np.log(np.maximum(ends[:, 0], floor))
    std_error, interval = error_and_interval(resampled)
    occupancy_error = float(draws.betas.size * np.max(np.abs(draws.prior - occupancy)))
    round_trips = float(draws.round_trips.mean())
    return Estimate(
        method=method,
        log_z=float(log_z),
        std_error=std_error,
        interval=interval,
        sweeps=ledger.spent,
        chains=ledger.chains,
        converged=round_trips >= _FEWEST_ROUND_TRIPS and draws.interpolation_error < _LARGEST_INTERPOLATION_ERROR,
        diagnostics={
            "occupancy_error": occupancy_error,
            "round_trips": round_trips,
            "initial_iterations": len(draws.initial_log_z),
            "initial_rule_met": int(draws.rule_met),
            "interpolation_error": draws.interpolation_error,
        },
    )
