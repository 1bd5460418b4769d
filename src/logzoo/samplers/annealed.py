"""Annealing from the base to the RBM, and back (Neal 2001; Burda, Grosse & Salakhutdinov 2015).

Resampling in islands follows Del Moral, Doucet & Jasra (2006) and Hukushima & Iba (2003); waste-free resampling follows
Dau & Chopin (2022).

An adapted ladder is placed in rounds (Syed, Bouchard-Côté, Chern & Doucet 2024). Each round anneals along
a ladder and measures the spread of the log-weight increments in each step. The rungs of the next ladder are placed so
that these spreads become about equal. The last ladder is fixed before the final annealing, so the weights are unbiased.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from logzoo.budgets import SweepLedger
from logzoo.checks import binary_matrix, share, whole_number
from logzoo.kernels.annealing import run_annealing, run_reverse_annealing
from logzoo.kernels.fixed_point import new_chains
from logzoo.kernels.gibbs import Chains, Parameters, forget_hidden, start_chains
from logzoo.kernels.resampling import run_resampled, run_waste_free
from logzoo.models.rbm import RBM
from logzoo.paths import at_equal_steps, inverse_temperatures, kernel_parameters, log_z_base
from logzoo.printing import bar
from logzoo.samplers.base import resolve_base
from logzoo.samplers.threads import edges, over_chains, over_parts, parts_between, started_chains, strides
from logzoo.streams import Stream

# The rounds take _SHARE of the sweeps; the first round has at least _FEWEST sweeps.
_SHARE, _FEWEST = 0.2, 4


class AnnealedDraws(NamedTuple):
    """Importance weights of independent annealing runs, relative to the base."""

    log_weight: np.ndarray  # (chain,) nats
    log_z_base: float  # nats


class ResampledDraws(NamedTuple):
    """Weights of chains that were resampled within islands, relative to the base."""

    log_weight: np.ndarray  # (chain,) nats; the mean weight of an island is unbiased
    island: np.ndarray  # (chain,)
    family: np.ndarray  # (chain,) the initial chain that a state descends from, or the chain itself if kept > 1
    log_z_base: float  # nats


def run(
    rbm: RBM,
    ledger: SweepLedger,
    stream: Stream,
    sweeps: int | None = None,
    *,
    base: Any = None,
    ladder: Any = "linear",
    threads: int = 1,
    progress: bool = False,
) -> AnnealedDraws:
    """Anneal every chain of the ledger from the base to the RBM.

    Parameters
    ----------
    rbm : RBM
    ledger : SweepLedger
        The budget; its chains are annealed.
    stream : Stream
    sweeps : int, optional
        Sweeps of each chain, by default all that are left in the ledger.
    base : array, shape (visible,), or str, optional
        Log-odds of the base, or a name as for `resolve_base`.
    ladder : str or array, shape (rung,)
        As for `annealing_ladder`.
    threads : int
    progress : bool

    Returns
    -------
    AnnealedDraws
        Log importance weights in nats, with the hidden units summed out.

    Raises
    ------
    ValueError
        For impossible options, and for more sweeps than are left.

    Notes
    -----
    S sweeps need S + 2 rungs: one sweep at each rung between the ends. The base is drawn directly, and the weights do
    not need a state at beta = 1.

    References
    ----------
    Neal (2001); Salakhutdinov & Murray (2008), eqs 10 to 12.
    """
    base, parameters, ladder_of = _path(rbm, ledger, stream, base, ladder, threads)
    sweeps = ledger.spend(ledger.remaining if sweeps is None else sweeps, "annealing")
    betas, key = ladder_of(sweeps + 2), stream.child("sweeps").key
    chains = started_chains(parameters, key, ledger.chains)
    return _annealed(partial(run_annealing, parameters, betas, key), sweeps + 1, threads, chains, base, progress)


def run_reverse(
    rbm: RBM,
    ledger: SweepLedger,
    stream: Stream,
    starts: np.ndarray,
    *,
    base: Any = None,
    ladder: Any = "linear",
    threads: int = 1,
    progress: bool = False,
) -> AnnealedDraws:
    """Anneal each chain from its row of `starts` (chain, visible) down to the base, in all sweeps left in the ledger.

    S sweeps need S + 1 rungs: one sweep at each rung except the base, starting at beta = 1. Returns AnnealedDraws whose
    log_weight is w = sum_k [log f_{k+1}(x_k) - log f_k(x_k)], with x_k the state after the sweep at rung k + 1. For a
    start at v, exp(-w) f(v) / Z_1 has the mean p_ann(v), with Z_1 the base's Z (Burda, Grosse & Salakhutdinov 2015,
    section 3). p_ann(v) is the probability that forward annealing along these rungs, with a last sweep at beta = 1,
    ends at v. Raises ValueError unless starts is a 0/1 matrix of this shape, and for impossible options.
    """
    starts = binary_matrix("starts", starts, visible=rbm.visible, chains=ledger.chains)
    base, parameters, ladder_of = _path(rbm, ledger, stream, base, ladder, threads)
    sweeps = ledger.spend(ledger.remaining, "reverse annealing")
    kernel = partial(run_reverse_annealing, parameters, ladder_of(sweeps + 1), stream.child("sweeps").key)
    chains = new_chains(ledger.chains, rbm.visible, rbm.hidden)
    chains.v[...] = starts
    forget_hidden(parameters, chains)
    return _annealed(kernel, sweeps, threads, chains, base, progress)


def run_in_islands(
    rbm: RBM,
    ledger: SweepLedger,
    stream: Stream,
    *,
    base: Any = None,
    ladder: Any = "linear",
    islands: int = 10,
    resample: float = 0.5,
    kept: int = 1,
    threads: int = 1,
    progress: bool = False,
) -> ResampledDraws:
    """Anneal every chain in the sweeps left in the ledger, and resample within islands whose weights are unequal.

    islands: number of independent groups of chains, limited to half of the number of chains, but at least 2. resample:
    an island is resampled when its effective number of chains falls below this share of its chains; with 0 none
    is resampled. kept: states of each chain that are kept at a rung, one sweep apart. If kept > 1, all islands are
    resampled at every rung between the ends, before kept - 1 sweeps (Dau & Chopin 2022). `resample` is then not used.
    Raises ValueError for impossible options.
    """
    islands = min(whole_number("islands", islands, minimum=2), max(ledger.chains // 2, 2))
    least_share, states = share("resample", resample), whole_number("kept", kept)
    base, parameters, ladder_of = _path(rbm, ledger, stream, base, ladder, threads)
    sweeps = ledger.remaining
    if states > sweeps + 1:
        raise ValueError(f"kept: expected at most {sweeps + 1} states for {sweeps} sweeps, found {states}")
    sweeps_per_rung = max(states - 1, 1)
    rungs = sweeps // sweeps_per_rung + 2
    ledger.spend((rungs - 2) * sweeps_per_rung, "annealing")
    if ledger.remaining:
        ledger.spend(ledger.remaining, "left over")
    betas, key = ladder_of(rungs), stream.child("sweeps").key
    log_weight, family = np.zeros(ledger.chains), np.arange(ledger.chains)
    ends = np.linspace(0, ledger.chains, islands + 1).astype(int)
    island = np.repeat(np.arange(islands), np.diff(ends))
    cuts = ends[edges(ledger.chains, threads, islands)]
    if states == 1:
        chains = started_chains(parameters, key, ledger.chains)
        kernel = partial(run_resampled, parameters, betas, key, least_share)
        parts = parts_between(cuts, chains, log_weight, family, island)
    else:
        kernel = partial(run_waste_free, parameters, betas, key)
        parts = parts_between(cuts, family, log_weight, island)
        parts = [(_started(rbm, parameters, key, part[0], states, ledger.chains), *part[1:]) for part in parts]
    in_strides(rungs - 1, progress, lambda *steps: over_parts(partial(kernel, *steps), threads, parts))
    return ResampledDraws(log_weight, island, family, log_z_base(base, rbm.hidden))


def annealing_ladder(
    ladder: Any, parameters: Parameters, ledger: SweepLedger, stream: Stream, threads: int
) -> Callable[[int], np.ndarray]:
    """Return a function that gives inverse temperatures (rungs,) from 0 to 1 for a number of rungs.

    ladder: as in `logzoo.paths.inverse_temperatures`, or "adapted", whose rounds spend a fifth of the sweeps left in
    the ledger. The returned function raises ValueError for unknown ladders.
    """
    if not (isinstance(ladder, str) and ladder == "adapted"):
        return lambda rungs: inverse_temperatures(ladder, rungs)
    betas, spreads = np.array([0.0, 1.0]), np.ones(1)
    for number, sweeps in enumerate(lengths_of_rounds(int(_SHARE * ledger.remaining))):
        ledger.spend(sweeps, "adapting")
        betas = at_equal_steps(betas, spreads, sweeps + 2)
        spreads = _spreads(parameters, betas, stream.child("round", number).key, ledger.chains, threads)
    return lambda rungs: at_equal_steps(betas, spreads, rungs)


def lengths_of_rounds(sweeps: int) -> list[int]:
    """Numbers of sweeps of the rounds, which add up to `sweeps`.

    The last round takes half of the sweeps, the round before it a quarter, and so on. When fewer than 12 sweeps are
    left, the first round takes all of them. The list is empty if `sweeps` is below 4.
    """
    lengths = []
    while sweeps >= _FEWEST:
        last = sweeps if sweeps < 3 * _FEWEST else (sweeps + 1) // 2
        lengths.append(last)
        sweeps -= last
    return lengths[::-1]


def in_strides(steps: int, progress: bool, make: Callable[[int, int], None]) -> None:
    """Call make(first, last) for steps `first` to `last - 1`, 50 at a time, up to step `steps`, and show progress."""
    with bar(steps, "annealing", "step", progress) as progress_bar:
        for first, last in strides(1, steps + 1):
            make(first, last)
            progress_bar.update(last - first)


def _path(rbm: RBM, ledger: SweepLedger, stream: Stream, base: Any, ladder: Any, threads: int) -> tuple:
    """Base log-odds (visible,), kernel parameters, and the function that places rungs."""
    whole_number("threads", threads)
    base = resolve_base(rbm, base, ledger, stream)
    parameters = kernel_parameters(rbm, base)
    return base, parameters, annealing_ladder(ladder, parameters, ledger, stream, threads)


def _annealed(
    kernel: Callable, steps: int, threads: int, chains: Chains, base: np.ndarray, progress: bool
) -> AnnealedDraws:
    """AnnealedDraws of all chains after steps 1 to `steps` of an annealing kernel."""
    log_weight = np.zeros(len(chains.v))
    in_strides(steps, progress, lambda *ends: over_chains(partial(kernel, *ends), threads, chains, log_weight))
    return AnnealedDraws(log_weight, log_z_base(base, chains.h.shape[1]))


def _spreads(parameters: Parameters, betas: np.ndarray, key: np.uint64, count: int, threads: int) -> np.ndarray:
    """Standard deviation (step,) over new chains, in nats, of the log-weight increment in each step along betas."""
    chains, log_weight = started_chains(parameters, key, count), np.zeros(count)
    spreads = np.empty(betas.size - 1)
    for step in range(1, betas.size):
        before = log_weight.copy()
        over_chains(partial(run_annealing, parameters, betas, key, step, step + 1), threads, chains, log_weight)
        spreads[step - 1] = np.std(log_weight - before)
    return spreads


def _started(rbm: RBM, parameters: Parameters, key: np.uint64, numbers: np.ndarray, states: int, count: int) -> Chains:
    """`states` blocks of n chains at the base; the chains of block s are numbered s * count + numbers (n,)."""
    chains = new_chains(states * numbers.size, rbm.visible, rbm.hidden)
    chains.number[:] = np.add.outer(count * np.arange(states), numbers).ravel()
    start_chains(parameters, key, parameters.base, chains)
    return chains
