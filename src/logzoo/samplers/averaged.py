"""Annealing along RBMs whose moments are averages of the moments of the base and of the model.

The moments are E[v], E[h] and E[v h'] (Grosse, Maddison & Salakhutdinov 2013, section 4). The moments of the path at
beta are (1 - beta) times the moments of the base plus beta times the moments of the model. RBMs with such moments are
fitted at a few knots. Between knots the parameters are interpolated linearly. The importance weights are unbiased even
if the fits are poor. The path only affects the variance of the weights.
"""

from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from logzoo.budgets import SweepLedger
from logzoo.checks import positive_number, whole_number
from logzoo.kernels.annealing import run_between
from logzoo.kernels.fixed_point import fixed_point_parameters, fixed_point_unit, paired_chains, paired_parameters
from logzoo.kernels.gibbs import Chains, Parameters, forget_hidden, start_chains
from logzoo.kernels.gradients import add_statistics
from logzoo.models.rbm import RBM
from logzoo.paths import check_rounding, kernel_parameters, log_z_base
from logzoo.printing import bar
from logzoo.samplers.annealed import AnnealedDraws
from logzoo.samplers.base import annealed_sweeps, resolve_base
from logzoo.samplers.threads import over_chains, sweep_chains
from logzoo.streams import Stream

# Largest number of sweeps at beta = 1 over which the model's moments are averaged.
_AVERAGED = 20
# With fewer sweeps for the moments or fewer updates of a knot, the path stays straight.
_FEWEST_MOMENT_SWEEPS = 10
_FEWEST_UPDATES = 5
# Largest numbers of sweeps for the moments and of updates of a knot. Further sweeps are better spent on annealing. An
# update takes as long as several sweeps.
_MOST_MOMENT_SWEEPS = 1000
_MOST_UPDATES = 300
# Share of the annealing sweeps that is divided equally among the segments of the path, independent of their lengths.
_EVEN_SHARE = 0.1


class Terms(NamedTuple):
    """Parameters or moments of an RBM: the arrays for v h', v and h."""

    pairs: np.ndarray  # (visible, hidden)
    visible: np.ndarray  # (visible,)
    hidden: np.ndarray  # (hidden,)

    def towards(self, other: "Terms", share: float) -> "Terms":
        """Interpolate linearly: these terms at share 0, the other terms at share 1."""
        return Terms(*((1.0 - share) * a + share * b for a, b in zip(self, other, strict=True)))


def run(
    rbm: RBM,
    ledger: SweepLedger,
    stream: Stream,
    *,
    base: Any = None,
    knots: int = 5,
    moments: float = 0.1,
    fitting: float = 0.4,
    learning_rate: float = 0.05,
    threads: int = 1,
    progress: bool = False,
) -> AnnealedDraws:
    """Estimate the model's moments, fit the knots, and anneal fresh chains along the path with the remaining sweeps.

    base: as for `resolve_base`. knots: number of RBMs on the path, including its ends. moments, fitting: largest shares
    of the sweeps for these phases. If the budget is too small for them, the path is straight. Raises ValueError for
    impossible options.
    """
    whole_number("threads", threads)
    whole_number("knots", knots, minimum=2)
    positive_number("learning_rate", learning_rate)
    if positive_number("moments", moments) + positive_number("fitting", fitting) >= 1.0:
        raise ValueError(
            "moments, fitting: expected shares whose sum is below 1, because annealing needs the other sweeps; "
            f"found {moments} and {fitting}"
        )
    base = resolve_base(rbm, base, ledger, stream)
    averaging, updates, annealing = shares_of(ledger.remaining, knots, moments, fitting)
    ends = (
        Terms(np.zeros(rbm.weights.shape), base, np.zeros(rbm.hidden)),
        Terms(rbm.weights, rbm.visible_bias, rbm.hidden_bias),
    )
    path, shares = list(ends), np.array([0.0, 1.0])
    if updates:
        ledger.spend(averaging, "moments")
        cold = base_moments(base, rbm.hidden)
        warm, chains = model_moments(rbm, base, stream.child("moments").key, ledger.chains, averaging, threads)
        ledger.spend(updates * (knots - 2), "fitting")
        fit = stream.child("fitting").key, updates, learning_rate, threads
        path = fitted_path(ends, cold, warm, chains, knots, *fit)
        shares = sweep_shares(path, cold, warm)
    ledger.spend(ledger.remaining, "annealing")
    key = stream.child("sweeps").key
    log_weight = anneal_along(path, shares, key, ledger.chains, annealing, threads, progress)
    return AnnealedDraws(log_weight, log_z_base(base, rbm.hidden))


def shares_of(sweeps: int, knots: int, moments: float, fitting: float) -> tuple[int, int, int]:
    """Sweeps for the moments, for each inner knot, and for annealing.

    Annealing takes all sweeps if there is no inner knot, or too few sweeps for the moments or for an inner knot.
    """
    spent = min(int(moments * sweeps), _MOST_MOMENT_SWEEPS)
    updates = min(int(fitting * sweeps) // (knots - 2), _MOST_UPDATES) if knots > 2 else 0
    if spent < _FEWEST_MOMENT_SWEEPS or updates < _FEWEST_UPDATES:
        return 0, 0, sweeps
    return spent, updates, sweeps - spent - updates * (knots - 2)


def base_moments(base: np.ndarray, hidden: int) -> Terms:
    """Moments (Terms) of independent visible units with log-odds `base` and uniform hidden units."""
    p, half = 0.5 * (1.0 + np.tanh(0.5 * base)), np.full(hidden, 0.5)
    return Terms(np.outer(p, half), p, half)


def model_moments(
    rbm: RBM, base: np.ndarray, key: np.uint64, count: int, sweeps: int, threads: int
) -> tuple[Terms, Chains]:
    """Return moments (Terms) of the model, averaged over the last sweeps of annealed chains, and these chains."""
    parameters, averaged = kernel_parameters(rbm, base), min(_AVERAGED, sweeps // 3)
    total = _zeros(rbm.weights.shape, np.float64)
    for chains in annealed_sweeps(parameters, key, count, sweeps, averaged, threads):
        for sums, moments in zip(total, _statistics(parameters, chains), strict=True):
            sums += moments
    return Terms(*(sums / averaged for sums in total)), chains


def fitted_path(
    ends: tuple[Terms, Terms],
    cold: Terms,
    warm: Terms,
    chains: Chains,
    knots: int,
    key: np.uint64,
    updates: int,
    learning_rate: float,
    threads: int,
) -> list[Terms]:
    """Fit the knots by stochastic gradient steps; returns their parameters, a list of Terms with the base first.

    The gradient of the mean log-likelihood is the target moments minus the moments of the RBM (Grosse et al. 2013,
    section 4). Chains that continue from knot to knot, from the model down, estimate the moments of the RBM. The
    fit of a knot starts from the parameters of the knot above, which are shrunk towards the base in proportion to beta.
    The result is the mean of the second half of the iterates.
    """
    base, model = ends
    path, current, sweep = [model], model, 1
    no_base = np.zeros(base.visible.size)
    for knot in range(knots - 2, 0, -1):
        wanted = cold.towards(warm, knot / (knots - 1))
        current = base.towards(current, knot / (knot + 1))
        mean = _zeros(base.pairs.shape, np.float64)
        for update in range(updates):
            parameters = fixed_point_parameters(*current, no_base)
            forget_hidden(parameters, chains)
            sweep_chains(parameters, key, sweep, sweep + 1, chains, threads)
            sweep += 1
            for term, target, moments in zip(current, wanted, _statistics(parameters, chains), strict=True):
                term += learning_rate * (target - moments)
            if update >= updates // 2:
                for sums, term in zip(mean, current, strict=True):
                    sums += term
        current = Terms(*(sums / (updates - updates // 2) for sums in mean))
        path.append(current)
    return [*path, base][::-1]


def sweep_shares(path: list[Terms], cold: Terms, warm: Terms) -> np.ndarray:
    """Positions (knot,) of the knots from 0 to 1. The length of a segment is its share of the sweeps.

    Nine tenths of the sweeps are divided in proportion to the distances of neighbouring knots, and a tenth equally. The
    squared distance of two knots is the inner product of their differences in parameters and in moments, up to a common
    factor. The product is the symmetrised Kullback-Leibler divergence of the knots, with target moments in place of
    fitted moments.
    """
    change = [b - a for a, b in zip(cold, warm, strict=True)]
    squares = [
        sum(np.sum((b - a) * c) for a, b, c in zip(near, far, change, strict=True)) for near, far in pairwise(path)
    ]
    lengths = np.sqrt(np.maximum(squares, 0.0))
    total = lengths.sum()
    even = np.full(lengths.size, 1.0 / lengths.size)
    shares = (1.0 - _EVEN_SHARE) * lengths / total + _EVEN_SHARE * even if total > 0.0 else even
    positions = np.append(0.0, np.cumsum(shares))
    positions[-1] = 1.0
    return positions


def anneal_along(
    path: list[Terms],
    shares: np.ndarray,
    key: np.uint64,
    count: int,
    sweeps: int,
    threads: int,
    progress: bool = False,
    starts: np.ndarray | None = None,
) -> np.ndarray:
    """Return log weights (chain,), relative to the first RBM, of `count` chains that anneal along the path.

    path: list of Terms; shares (knot,): positions as in `sweep_shares`. Without starts, the chains start at draws of
    the first RBM, whose units must be independent. starts (chain, visible): states to start from instead; the first
    sweep is then made at the first RBM.
    """
    segments = len(path) - 1
    unit = max(fixed_point_unit(*knot, np.zeros(1)) for knot in path)
    if unit > fixed_point_unit(*path[-1], np.zeros(1)):
        # A knot of larger parameters makes the rounding of the last RBM coarser than its standard error assumes.
        check_rounding(RBM(*path[-1]), rule="at the unit of the largest parameters on the path", unit=unit)
    steps = np.arange(1, sweeps + 1) / (sweeps + 1) if starts is None else np.arange(sweeps) / sweeps
    positions = np.interp(steps, shares, np.arange(segments + 1))
    chains = paired_chains(count, *path[0].pairs.shape)
    if starts is not None:
        chains.v[...] = starts
    log_weight = np.zeros(count)
    sweep = 1
    with bar(sweeps, "annealing", "sweep", progress) as progress_bar:
        for segment in range(segments):
            parameters = paired_parameters(path[segment], path[segment + 1], unit)
            if segment == 0 and starts is None:
                start_chains(parameters, key, parameters.visible_bias, chains)
            forget_hidden(parameters, chains)
            inside = positions[(positions >= segment) & (positions < segment + 1)] - segment
            steps = np.concatenate([[0.0], inside, [1.0]])
            over_chains(partial(run_between, parameters, steps, key, sweep), threads, chains, log_weight)
            sweep += inside.size
            progress_bar.update(inside.size)
    return log_weight


def _statistics(parameters: Parameters, chains: Chains) -> Terms:
    """Mean over chains of (v p', v, p) (Terms of float32), where p is the probability of each hidden unit given v."""
    count, visible = chains.v.shape
    sums = _zeros((visible, chains.h.shape[1]), np.float32)
    add_statistics(parameters, chains, np.full(count, 1.0 / count, np.float32), *sums)
    return sums


def _zeros(shape: tuple[int, ...], kind: type) -> Terms:
    return Terms(np.zeros(shape, kind), np.zeros(shape[0], kind), np.zeros(shape[1], kind))
