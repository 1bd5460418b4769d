"""TI-RB with Simpson's rule instead of the trapezoidal rule, on the same draws of simulated tempering."""

from dataclasses import replace

import numpy as np
from scipy.integrate import simpson

from logzoo.estimators.estimator_registry import ESTIMATORS
from logzoo.estimators.tempering_estimates import FLOOR, from_sums
from logzoo.samplers.observers import WeightedDerivatives


def read(draws):
    """The Estimate of `Draws`, with the jackknife error over chains."""
    sample = draws.sample

    def log_z_of(totals):
        mean = totals[..., 1, :] / np.maximum(totals[..., 0, :], FLOOR)
        return sample.log_z_base + simpson(mean, x=sample.betas, axis=-1)

    return from_sums(draws, draws.observed[WeightedDerivatives].sums, log_z_of)


# The sampler, its observers and the name of its run stay the same as for TI-RB.
ESTIMATOR = replace(ESTIMATORS["ti-rb"], title="TI-RB (Simpson)", read=read)
