"""The base distribution an estimator starts its path from."""

from functools import partial

import numpy as np

from logzoo.checks import one_of
from logzoo.kernels.annealing import run_annealing
from logzoo.kernels.fixed_point import new_chains
from logzoo.kernels.gibbs import run_sweeps, start_chains
from logzoo.models.modes import find_modes
from logzoo.paths import base_of, kernel_parameters, log_odds
from logzoo.samplers.threads import over_chains

# Share of the budget that finding the marginals may cost, and the most sweeps that are of use.
_SHARE = 50
_MOST_SWEEPS = 200
# Part of the budget that the search for modes may cost, in steps of one start, each about a sweep of one chain; the
# steps that most starts need, and the most of both that are of use.
_MODES_SHARE = 10
_STEPS_OF_A_START, _MOST_STARTS, _MOST_STEPS = 40, 500, 400
# Modes further below the best hold nothing that counts.
_NATS_BELOW = 30.0
_MOST_MODES = 64
# Means of v nearer to 0 or 1 are taken for certain.
_CERTAIN = 1e-6
# Sweeps at beta = 1 whose states are averaged: the last of the run.
_AVERAGED = 10


def resolve_base(rbm, base, ledger, stream):
    """Base log-odds (visible,): those given, or found by name; None is "modes". Raises ValueError for other names.

    "modes": the smoothed log-odds of the mean of the modes' means (`logzoo.models.modes`), found in about a tenth of
    the budget. "matched": of the mean of chains annealed to the RBM from uniform units. "visible-bias": the RBM's own.
    "uniform": zeros. What is spent on finding a base is entered in the ledger.
    """
    base = checked_base(rbm, base)
    return BASES[base](rbm, ledger, stream.child("base")) if isinstance(base, str) else base


def checked_base(rbm, base):
    """A known name, "modes" for None, or base log-odds (visible,) as an array; ValueError for anything else."""
    return one_of("base", base or "modes", BASES) if base is None or isinstance(base, str) else base_of(rbm, base)


def affordable_modes(rbm, ledger, stream, *, data=None, threads=1):
    """Modes found in about a tenth of the budget, never three, and entered in the ledger."""
    steps = ledger.sweeps * ledger.chains // _MODES_SHARE
    starts = int(np.clip(steps // _STEPS_OF_A_START, 1, _MOST_STARTS))
    steps = int(np.clip(steps // starts, 1, _MOST_STEPS))
    modes = find_modes(rbm, stream.child("modes"), starts=starts, steps=steps, data=data, threads=threads)
    ledger.spend(min(modes.steps, ledger.sweeps * ledger.chains - ledger.chain_sweeps), "finding modes", chains=1)
    return modes


def mode_shares(modes):
    """Weights (mode,) of the modes that count, those within 30 nats of the best: half equal, half as their bounds say.

    Bounds alone would leave one mode, as they hardly know how wide a mode is.
    """
    counted = modes.bounds[:_MOST_MODES] >= modes.bounds[0] - _NATS_BELOW
    relative = np.exp(modes.bounds[:_MOST_MODES] - modes.bounds[0]) * counted
    return 0.5 * counted / counted.sum() + 0.5 * relative / relative.sum()


def _of_modes(rbm, ledger, stream):
    """A budget too small for a single start leaves the visible bias."""
    if ledger.sweeps * ledger.chains < _MODES_SHARE * _STEPS_OF_A_START:
        return rbm.visible_bias
    modes = affordable_modes(rbm, ledger, stream)
    shares = mode_shares(modes)
    # einsum adds in the same order on every machine.
    means = np.einsum("k,ki->i", shares, modes.visible[: shares.size])
    limit = np.log1p(-_CERTAIN) - np.log(_CERTAIN)
    # What is the same in all modes needs no smoothing: draws of the base that no state of weight has are lost.
    certain = np.where(means < _CERTAIN, -limit, np.where(means > 1.0 - _CERTAIN, limit, 0.0))
    return np.where(certain != 0.0, certain, log_odds(means[None, :]))


def _matched(rbm, ledger, stream):
    """Annealing takes a fiftieth of the budget, at most 200 sweeps.

    It starts from uniform units, which favour no mode; the visible bias can lie inside one. A budget too small for that
    leaves the visible bias.
    """
    sweeps = min(ledger.sweeps // _SHARE, _MOST_SWEEPS)
    if sweeps <= _AVERAGED:
        return rbm.visible_bias
    ledger.spend(sweeps, "matching the base")
    parameters = kernel_parameters(rbm, np.zeros(rbm.visible))
    chains = new_chains(ledger.chains, rbm.visible, rbm.hidden)
    total = np.zeros(rbm.visible)
    for _ in annealed_sweeps(parameters, stream.key, chains, sweeps, _AVERAGED):
        total += chains.v.mean(axis=0)
    return log_odds(total[None, :] / _AVERAGED)


# By name: functions of (rbm, ledger, stream).
BASES = {
    "modes": _of_modes,
    "matched": _matched,
    "visible-bias": lambda rbm, *_: rbm.visible_bias,
    "uniform": lambda rbm, *_: np.zeros(rbm.visible),
}


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
