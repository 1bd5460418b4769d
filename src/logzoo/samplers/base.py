"""The base distribution where the path of an estimator starts, and the search for mean-field modes."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from logzoo.budgets import BudgetExceeded, SweepLedger
from logzoo.checks import finite_array, one_of
from logzoo.kernels.annealing import run_annealing
from logzoo.kernels.gibbs import Chains, Parameters
from logzoo.models.modes import Modes, find_modes
from logzoo.models.rbm import RBM
from logzoo.paths import kernel_parameters, log_odds
from logzoo.samplers.threads import over_chains, started_chains, sweep_chains
from logzoo.streams import Stream

# One in _SHARE sweeps of the budget goes to the matched base, up to _MOST_SWEEPS. More sweeps hardly improve the base.
_SHARE = 50
_MOST_SWEEPS = 200
# About one in _MODES_SHARE sweeps of the budget may go to the search for modes. A mean-field step of one start counts
# as a sweep of one chain. Starts are assumed to need _STEPS_OF_A_START steps. Each of at most _MOST_STARTS starts has
# three phases of at most _MOST_STEPS steps.
_MODES_SHARE = 10
_STEPS_OF_A_START, _MOST_STARTS, _MOST_STEPS = 40, 500, 400
# Modes that are more than _NATS_BELOW nats below the best mode hold a negligible share of Z.
_NATS_BELOW = 30.0
_MOST_MODES = 64
# Units whose mean is nearer to 0 or 1 than this count as certain.
_CERTAIN = 1e-6
# Number of last sweeps, at beta = 1, whose states are averaged.
_AVERAGED = 10


def resolve_base(rbm: RBM, base: Any, ledger: SweepLedger, stream: Stream) -> np.ndarray:
    """Find or check the log-odds of the base distribution.

    Parameters
    ----------
    rbm : RBM
    base : array, shape (visible,), or str or None
        Log-odds, or the name of a way to find them. ``"modes"`` (also None) takes the mean of the modes of mean field,
        and usually costs a tenth of the budget or less. ``"matched"`` takes the mean of chains annealed from uniform
        units. ``"visible-bias"`` takes the visible bias of the RBM, and ``"uniform"`` takes 0.
    ledger : SweepLedger
        The budget; the sweeps spent on the base are entered in it.
    stream : Stream

    Returns
    -------
    ndarray, shape (visible,)
        Log-odds in nats.

    Raises
    ------
    ValueError
        For other names, other shapes, values that are not finite, and a search that leaves no sweep.
    """
    base = checked_base(rbm, base)
    if not isinstance(base, str):
        return base
    log_odds_of_base = BASES[base](rbm, ledger, stream.child("base"))
    if ledger.remaining < 1:
        raise BudgetExceeded("sweeps: the search for the base took the whole budget; raise sweeps or name another base")
    return log_odds_of_base


def checked_base(rbm: RBM, base: Any) -> str | np.ndarray:
    """Return a known name ("modes" for None), or base log-odds (visible,) as an array; otherwise raise ValueError."""
    base = "modes" if base is None else base
    if isinstance(base, str):
        return one_of("base", base, BASES)
    array = finite_array("base", base, dimensions=1)
    if array.size != rbm.visible:
        raise ValueError(f"base: expected {rbm.visible} log-odds (visible units), found {array.size}")
    return array


def affordable_modes(
    rbm: RBM, ledger: SweepLedger, stream: Stream, *, data: np.ndarray | None = None, threads: int = 1
) -> Modes:
    """Find modes, usually in a tenth of the budget or less, and enter the cost in the ledger.

    The search takes at most about three tenths.
    """
    steps = ledger.sweeps * ledger.chains // _MODES_SHARE
    starts = int(np.clip(steps // _STEPS_OF_A_START, 1, _MOST_STARTS))
    steps = int(np.clip(steps // starts, 1, _MOST_STEPS))
    modes = find_modes(rbm, stream.child("modes"), starts=starts, steps=steps, data=data, threads=threads)
    ledger.spend(min(modes.steps, ledger.left), "finding modes", chains=1)
    return modes


def solutions(rbm: RBM, ledger: SweepLedger, stream: Stream, *, threads: int = 1) -> Modes:
    """Solutions of mean field, for estimators without draws; the remaining sweeps are entered as left over."""
    modes = affordable_modes(rbm, ledger, stream, threads=threads)
    ledger.spend(ledger.left, "left over", chains=1)
    return modes


def _of_modes(rbm: RBM, ledger: SweepLedger, stream: Stream) -> np.ndarray:
    """Base log-odds of the modes, or the visible bias if the budget is too small for a single start."""
    if ledger.sweeps * ledger.chains < _MODES_SHARE * _STEPS_OF_A_START:
        return rbm.visible_bias
    return base_of_modes(affordable_modes(rbm, ledger, stream))


def base_of_modes(modes: Modes) -> np.ndarray:
    """Smoothed log-odds (visible,) of the mean of the best modes, at most 64 and at most 30 nats below the best.

    Half of the total weight is divided equally, and half in proportion to exp(F1), with F1 a mode's lower bound of
    log Z. With exp(F1) alone, one mode would get almost all weight, because F1 hardly depends on the width of a mode.
    """
    counted = modes.bounds[:_MOST_MODES] >= modes.bounds[0] - _NATS_BELOW
    relative = np.exp(modes.bounds[:_MOST_MODES] - modes.bounds[0]) * counted
    shares = 0.5 * counted / counted.sum() + 0.5 * relative / relative.sum()
    # einsum adds in the same order on every machine.
    means = np.einsum("k,ki->i", shares, modes.visible[: shares.size])
    limit = np.log1p(-_CERTAIN) - np.log(_CERTAIN)
    # A unit with one value in all modes needs no smoothing, because base draws with the other value have negligible
    # weight.
    certain = np.where(means < _CERTAIN, -limit, np.where(means > 1.0 - _CERTAIN, limit, 0.0))
    return np.where(certain != 0.0, certain, log_odds(means[None, :]))


def _matched(rbm: RBM, ledger: SweepLedger, stream: Stream) -> np.ndarray:
    """Base log-odds (visible,) from the states of chains annealed from uniform units, which favour no mode."""
    sweeps = min(ledger.sweeps // _SHARE, _MOST_SWEEPS)
    if sweeps <= _AVERAGED:
        return rbm.visible_bias
    ledger.spend(sweeps, "matching the base")
    parameters = kernel_parameters(rbm, np.zeros(rbm.visible))
    total = np.zeros(rbm.visible)
    for chains in annealed_sweeps(parameters, stream.key, ledger.chains, sweeps, _AVERAGED):
        total += chains.v.mean(axis=0)
    return log_odds(total[None, :] / _AVERAGED)


# Functions of (rbm, ledger, stream), by name.
BASES = {
    "modes": _of_modes,
    "matched": _matched,
    "visible-bias": lambda rbm, *_: rbm.visible_bias,
    "uniform": lambda rbm, *_: np.zeros(rbm.visible),
}


def annealed_sweeps(
    parameters: Parameters, key: np.uint64, count: int, sweeps: int, last: int, threads: int = 1
) -> Iterator[Chains]:
    """Anneal chains from the base to beta = 1, and yield the chains after each of `last` more sweeps there."""
    chains, annealed = started_chains(parameters, key, count), sweeps - last
    # The step to the last rung makes no sweep, so an unused rung follows beta = 1.
    betas = np.append(np.linspace(0.0, 1.0, annealed + 1), np.inf)
    kernel = partial(run_annealing, parameters, betas, key, 1, annealed + 1)
    over_chains(kernel, threads, chains, np.zeros(count))
    for sweep in range(annealed + 1, sweeps + 1):
        sweep_chains(parameters, key, sweep, sweep + 1, chains, threads)
        yield chains
