"""SAMS: self-adjusted mixture sampling.

Tan (2016, 2017); Carlson et al. (2016), eq 19: log Zhat_k grows by gamma_t q(beta_k | x) / r_k after every sweep, the
mean over the chains of a group. Cost: one sweep and log f at a few interpolation nodes a sweep.
"""

from logzoo.checks import positive_number, share
from logzoo.estimators.simulated_tempering import from_groups
from logzoo.samplers import tempering_runs


def run(rbm, ledger, stream, observers, *, exponent=0.8, flatness=0.2, first_stage=0.2, **options):
    """Draws of SAMS as by `logzoo.samplers.tempering_runs.run_in_groups`.

    Options: those of `logzoo.samplers.tempering_runs.run_in_groups`; exponent in (0.5, 1) of the first gains; flatness,
    the largest |c_k / r_k - 1| of an evenly filled ladder; first_stage, the share of the sweeps after which the second
    stage begins in any case. Raises ValueError for others.
    """
    exponent, flatness = positive_number("exponent", exponent), positive_number("flatness", flatness)
    if not 0.5 < exponent < 1.0:
        raise ValueError(f"exponent: expected a number between 0.5 and 1, found {exponent!r}")
    recursion = tempering_runs.sams(exponent, flatness, share("first_stage", first_stage))
    return tempering_runs.run_in_groups(rbm, ledger, stream, recursion, observers, **options)


def read(draws):
    """The Estimate of `Draws` of SAMS: the mean of log Zhat over independent groups of chains."""
    return from_groups(draws)
