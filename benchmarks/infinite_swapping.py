"""Cost of reassigning temperatures, relative to the sweeps and to parallel tempering, as a Markdown table."""

import itertools
import sys

import numpy as np
from table import Row, ratio, run, seconds_of

from logzoo.kernels.gibbs import run_sweeps
from logzoo.paths import kernel_parameters
from logzoo.samplers.replicas import DENSITIES, IN_TURN, InfiniteSwapping, ParallelTempering

CHAINS = 120
SWEEPS = 40
BURN_IN = 200


def ladders_of(rbm, rungs, group=None, density="marginal", chains=CHAINS):
    """Ladders of `rungs` temperatures 1, 2, ..., after burn-in."""
    ladders = InfiniteSwapping(np.uint64(1), chains // rungs, np.arange(1.0, rungs + 1.0), group, density)
    ladders.load(kernel_parameters(rbm, np.zeros(rbm.visible)))
    ladders.move(1, BURN_IN)
    return ladders


def onwards(sweeps=SWEEPS):
    """Yield (first sweep, first sweep of the next stretch) for consecutive stretches of sweeps."""
    return itertools.pairwise(itertools.count(BURN_IN, sweeps))


def moving(ladders, sweeps=SWEEPS):
    """A function that makes sweeps of these ladders, and reassigns temperatures after each."""
    ends = onwards(sweeps)
    return lambda: ladders.move(*next(ends))


def even_odd(ladders):
    """Ladders at the same temperatures that exchange even and odd neighbours in turn, after burn-in."""
    parallel = ParallelTempering(ladders.key, ladders.count, ladders.betas)
    parallel.load(ladders.parameters)
    parallel.move(1, BURN_IN)
    return parallel


def bare(ladders):
    """A function that makes sweeps only, with each chain at its present temperature."""
    beta, ends = ladders.betas[ladders.rung], onwards()
    return lambda: run_sweeps(ladders.parameters, ladders.key, *next(ends), beta, ladders.chains)


def rows_of(rbm):
    for density in DENSITIES:
        few = ladders_of(rbm, 5, density=density)
        in_turn = ladders_of(rbm, 5, IN_TURN, density)
        times = seconds_of(moving(few), moving(in_turn), moving(even_odd(few)))
        what = f"sweep of infinite swapping, 784x500, 5 temperatures, {density} density"
        yield Row(f"{what} / exchanges in turn", ratio(times[0], times[1]), "<=", 1.05)
        yield Row("the same / even-odd parallel tempering", ratio(times[0], times[2]), "<=", 1.05)
        many = ladders_of(rbm, 12, density=density)
        times = seconds_of(moving(many), bare(ladders_of(rbm, 12, density=density)))
        yield Row(f"the same, 12 temperatures, {density} density / bare sweeps", ratio(*times), "<=", 2.0)
    groups = ladders_of(rbm, 12, 3)
    times = seconds_of(moving(groups), bare(ladders_of(rbm, 12, 3)))
    yield Row("the same, 12 temperatures in groups of 3 / bare sweeps", ratio(*times), "<=", 1.5)
    few = ladders_of(rbm, 5)
    times = seconds_of(moving(few, 10 * SWEEPS), moving(few))
    yield Row("ten times the sweeps / ten times the time", ratio(times[0], 10 * times[1]), "<=", 1.1)
    times = seconds_of(moving(ladders_of(rbm, 5, chains=4 * CHAINS)), moving(few))
    yield Row("four times the ladders / four times the time", ratio(times[0], 4 * times[1]), "<=", 1.1)


if __name__ == "__main__":
    sys.exit(run(rows_of))
