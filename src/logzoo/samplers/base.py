"""The base distribution an estimator starts its path from."""

from functools import partial

import numpy as np

from logzoo.kernels.annealing import run_annealing
from logzoo.kernels.gibbs import run_sweeps, start_chains
from logzoo.kernels.layout import new_chains
from logzoo.paths import base_of, kernel_parameters, log_odds
from logzoo.samplers.threads import over_chains

# Share of the budget that finding the marginals may cost, and the most sweeps that are of use.
_SHARE = 50
_MOST_SWEEPS = 200
# Sweeps at beta = 1 whose states are averaged: the last of the run.
_AVERAGED = 10


def resolve_base(rbm, base, ledger, stream):
    """Base log-odds (visible,): those given, by name, or for None matched to the model's own marginals.

    Matching anneals the chains to the RBM in a fiftieth of the budget (at most 200 sweeps, entered in the ledger) and
    takes the smoothed log-odds of their mean. It starts from uniform units, which favour no mode; the visible bias can
    lie inside one. A budget too small for that leaves the visible bias.
    """
    if base is not None:
        return base_of(rbm, base)
    sweeps = min(ledger.sweeps // _SHARE, _MOST_SWEEPS)
    if sweeps <= _AVERAGED:
        return rbm.visible_bias
    ledger.spend(sweeps, "matching the base")
    parameters = kernel_parameters(rbm, np.zeros(rbm.visible))
    chains = new_chains(ledger.chains, rbm.visible, rbm.hidden)
    total = np.zeros(rbm.visible)
    for _ in annealed_sweeps(parameters, stream.child("base").key, chains, sweeps, _AVERAGED):
        total += chains.v.mean(axis=0)
    return log_odds(total[None, :] / _AVERAGED)


def annealed_sweeps(parameters, key, chains, sweeps, last, threads=1):
    """Anneal chains from the base to beta = 1; yield after each of the `last` of the sweeps, which are made there."""
    count, annealed = len(chains.v), sweeps - last
    start_chains(parameters, key, parameters.base, chains)
    # The last rung lies beyond the last step, so that every step here ends in a sweep.
    betas = np.append(np.linspace(0.0, 1.0, annealed + 1), np.inf)
    kernel = partial(run_annealing, parameters, betas, key, 1, annealed + 1)
    over_chains(kernel, threads, chains, np.zeros(count))
    ones = np.ones(count, np.float32)
    for sweep in range(annealed + 1, sweeps + 1):
        over_chains(partial(run_sweeps, parameters, key, sweep, sweep + 1), threads, ones, chains)
        yield
