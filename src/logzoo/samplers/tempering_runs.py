"""Runs of simulated tempering within a budget (Carlson et al. 2016): initial iterations, then sampling.

Either log Zhat is fixed in each block of the sampling phase, or a recursion of SAMS or Wang-Landau updates log Zhat
after every sweep. The recursion runs in groups of chains that share log Zhat. Different groups share only the initial
iterations.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from logzoo.budgets import SweepLedger
from logzoo.checks import one_of, share, whole_number
from logzoo.kernels.occupancy import Recursion, run_adjusted
from logzoo.kernels.tempering import Record, RungSums
from logzoo.models.rbm import RBM
from logzoo.paths import first_rungs, kernel_parameters, log_z_base, prior_weights
from logzoo.samplers.base import resolve_base
from logzoo.samplers.tempering_chains import (
    Initial,
    SimulatedTempering,
    initial_phase,
    iteration_lengths,
    mean_occupancy,
    updated_log_z,
)
from logzoo.samplers.threads import over_groups
from logzoo.streams import Stream

RUNGS = 100
# Smallest number of chains in a group, if that leaves two groups.
_CHAINS_PER_GROUP = 2


class SimulatedTemperingDraws(NamedTuple):
    """Draws of simulated tempering as sums over sweeps; observers receive the single draws.

    log Zhat is relative to the base (0 at the first rung).
    """

    betas: np.ndarray  # (rung,) inverse temperatures
    prior: np.ndarray  # (rung,) r, sums to one
    log_z_hat: np.ndarray  # (rung,) log Zhat that the initial iterations found
    log_z_hats: np.ndarray  # (block, rung) log Zhat in each block of the sampling phase, or (group, rung) at its end
    log_z_base: float  # nats
    occupancy: np.ndarray  # (block, chain, rung) sums of q(beta_k | x)
    visits: np.ndarray  # (block, chain, rung) counts of beta_k
    round_trips: np.ndarray  # (chain,)
    initial_log_z: np.ndarray  # (iteration, rung) log Zhat after each initial iteration
    initial_occupancy: np.ndarray  # (iteration, rung) the occupancy that updated log Zhat
    rule_met: bool  # the stopping rule of the initial iterations held
    interpolation_error: float  # nats, the largest on the final states
    form: str  # "marginal" if the hidden units are summed out of the densities, else "joint"


class Start(NamedTuple):
    """A run after its initial iterations; the caller closes the progress bar of the sampler."""

    sampler: SimulatedTempering
    initial: Initial
    log_z_base: float  # nats

    def draws(
        self, log_z_hats: np.ndarray, occupancy: np.ndarray, visits: np.ndarray, round_trips: np.ndarray
    ) -> SimulatedTemperingDraws:
        """SimulatedTemperingDraws with the sums of the sampling phase."""
        log_z, shares = ([entry[part] for entry in self.initial.history] for part in (0, 1))
        rungs = self.sampler.betas.size
        return SimulatedTemperingDraws(
            betas=self.sampler.betas,
            prior=self.initial.prior,
            log_z_hat=self.initial.log_z_hat,
            log_z_hats=log_z_hats,
            log_z_base=self.log_z_base,
            occupancy=occupancy,
            visits=visits,
            round_trips=round_trips,
            initial_log_z=np.reshape(log_z, (-1, rungs)),
            initial_occupancy=np.reshape(shares, (-1, rungs)),
            rule_met=self.initial.rule_met,
            interpolation_error=self.sampler.interpolation_error(),
            form="marginal" if self.sampler.marginal else "joint",
        )


def begin(
    rbm: RBM,
    ledger: SweepLedger,
    stream: Stream,
    rao_blackwell: bool = True,
    stop_early: bool = True,
    fewest_iterations: int = 1,
    prior: Any = None,
    *,
    base: Any = None,
    rungs: int = RUNGS,
    ladder: Any = "linear",
    form: str = "marginal",
    initial_sweeps: int = 50,
    initial_iterations: int = 10,
    threads: int = 1,
    progress: bool = False,
) -> Start:
    """Make the initial iterations of all chains.

    Initial iterations of `initial_sweeps` sweeps update log Zhat by eq 12. They end when max_k |r_k - c_k| < 0.1 / K,
    with c_k the occupancy of rung k. At most `initial_iterations` are made, or more if they fit a tenth of the budget.
    On fixed rungs all iterations take at most half of the budget. After the first `initial_iterations`, each iteration
    is twice as long as the iteration before. The last iteration takes the sweeps left for iterations. While
    K max_k |r_k - c_k| is above 0.5, short iterations follow, up to half the budget. rao_blackwell=False updates from
    plain visit counts. stop_early=False makes exactly `initial_iterations` iterations of `initial_sweeps` sweeps,
    without these limits. prior: as in `paths.prior_weights`. form: "marginal" or "joint", see `tempering_chains`.
    ladder: as in `paths.inverse_temperatures`, or "adapted". For an adapted ladder, the first half of the initial
    iterations is a pilot on linear rungs. The rungs then move to equal steps of thermodynamic length
    (`paths.equal_length`). Raises ValueError for impossible options.
    """
    one_of("form", form, ("marginal", "joint"))
    whole_number("initial_sweeps", initial_sweeps)
    whole_number("initial_iterations", initial_iterations, minimum=fewest_iterations)
    whole_number("threads", threads)
    betas, adapt = first_rungs(ladder, rungs)
    prior_weights(prior, betas)  # raises ValueError for a bad prior before any sweep
    base = resolve_base(rbm, base, ledger, stream)
    sampler = SimulatedTempering(kernel_parameters(rbm, base), betas, ledger, stream, form, threads, progress)
    if stop_early and initial_iterations:
        lengths = iteration_lengths(ledger, initial_sweeps, initial_iterations)
    else:
        lengths = [initial_sweeps] * initial_iterations
    initial = initial_phase(sampler, lengths, prior, adapt, rao_blackwell, stop_early)
    return Start(sampler, initial, log_z_base(base, rbm.hidden))


def run(
    rbm: RBM,
    ledger: SweepLedger,
    stream: Stream,
    observers: Sequence[Any] = (),
    rao_blackwell: bool = True,
    final: bool = True,
    blocks: int = 8,
    mixed: bool = False,
    *,
    settling: float = 0.0,
    prior: Any = None,
    **options: Any,
) -> SimulatedTemperingDraws:
    """Find log Zhat by the initial iterations, then sample at this log Zhat with the remaining sweeps.

    settling: share of the remaining sweeps, in [0, 1), whose draws are discarded, because the last initial iteration
    redrew the rungs. final=False stops after exactly `initial_iterations` iterations. blocks: number of equal blocks of
    the sampling phase; mixed=True updates log Zhat by eq 12 between them, too (supplement A). observers: objects as in
    `logzoo.samplers.observers`, which receive every draw of the sampling phase. prior and the other options are as for
    `begin`. Raises ValueError for impossible options.
    """
    settling = share("settling", settling)
    start = begin(rbm, ledger, stream, rao_blackwell, final, prior=prior, **options)
    sampler, prior, log_z_hat = start.sampler, start.initial.prior, start.initial.log_z_hat
    log_r, chains = np.log(prior), ledger.chains
    with sampler.bar:
        if final and settling:
            sampler.advance(log_r - log_z_hat, int(settling * ledger.remaining), "settling")
        edges = np.linspace(0, ledger.remaining if final else 0, blocks + 1).astype(int)
        sizes = [int(size) for size in np.diff(edges) if size]
        for observer in observers:
            observer.start(chains, prior.size, sum(sizes))
        log_z_hats, round_trips = np.empty((len(sizes), prior.size)), np.zeros(chains, np.int64)
        occupancy = np.empty((len(sizes), chains, prior.size))
        visits = np.empty(occupancy.shape, np.int64)
        for block, sweeps in enumerate(sizes):
            log_z_hats[block] = log_z_hat
            sums = sampler.advance(log_r - log_z_hat, sweeps, "sampling", observers)
            occupancy[block], visits[block] = sums.occupancy, sums.visits
            round_trips += sums.round_trips
            if mixed:
                log_z_hat = updated_log_z(log_z_hat, prior, mean_occupancy(sums, rao_blackwell))
    return start.draws(log_z_hats, occupancy, visits, round_trips)


def run_in_groups(
    rbm: RBM,
    ledger: SweepLedger,
    stream: Stream,
    recursion: Callable[..., Recursion],
    observers: Sequence[Any] = (),
    prior: Any = None,
    *,
    groups: int = 20,
    **options: Any,
) -> tuple[SimulatedTemperingDraws, Recursion]:
    """Make the initial iterations of all chains together, then a step of the recursion after each remaining sweep.

    recursion: as returned by `sams` or `wang_landau`. The offset that observers receive is log r. prior and the other
    options are as for `begin`; with initial_iterations=0, log Zhat starts at 0. Returns SimulatedTemperingDraws of one
    block, with log Zhat of every group at the end, and the Recursion. Raises ValueError for impossible options and for
    a single chain, because two groups are needed.
    """
    first_chains = np.append(group_starts(ledger.chains, groups), ledger.chains)
    start = begin(rbm, ledger, stream, fewest_iterations=0, prior=prior, **options)
    sampler, prior, sweeps = start.sampler, start.initial.prior, ledger.remaining
    state = recursion(prior, np.diff(first_chains), sweeps)
    log_z_hats = np.tile(start.initial.log_z_hat, (first_chains.size - 1, 1))
    log_prior, begun = np.log(prior), sampler.sweep

    def move(first: int, _: Any, sums: RungSums, record: Record) -> None:
        settings = (sampler.parameters, sampler.ladder, sampler.marginal, sampler.key, first, first - begun, log_prior)
        per_chain = sampler.chains, sampler.rung, sampler.heading, sums, record
        kernel = partial(run_adjusted, *settings)
        over_groups(kernel, sampler.threads, first_chains, per_chain, (log_z_hats, state))

    with sampler.bar:
        for observer in observers:
            observer.start(ledger.chains, prior.size, sweeps)
        total = sampler.follow(move, log_prior, sweeps, "sampling", observers)
    return start.draws(log_z_hats, total.occupancy[None], total.visits[None], total.round_trips), state


def group_starts(chains: int, groups: int) -> np.ndarray:
    """First chain of each group (group,).

    There are `groups` groups, or fewer if a group would have fewer than two chains, but at least two groups. Raises
    ValueError for fewer than two groups or chains.
    """
    whole_number("groups", groups, minimum=2)
    if chains < 2:
        raise ValueError(f"chains: expected at least 2, because the spread needs two groups of chains, found {chains}")
    count = min(groups, max(2, chains // _CHAINS_PER_GROUP))
    return np.arange(count) * chains // count


def sams(exponent: float, flatness: float, first_stage: float) -> Callable[..., Recursion]:
    """The recursion of SAMS: gain t^-exponent at sweep t until the occupancy is flat, then about 1 / t (Tan 2017).

    The first stage takes at most the share `first_stage` of the sweeps. In the second stage the gain is
    1 / (t - t0 + t0^exponent), with t0 the last sweep of the first stage. To first order an error of log Zhat
    shrinks by the factor 1 - gain in each sweep. Over the second stage the factor is
    t0^exponent / (t - t0 + t0^exponent). The gain is at most the inverse of the largest ratio c_k / r_k of occupancy
    and prior in earlier sweeps. With this ratio, a step would be at most one nat.
    """
    return lambda prior, sizes, sweeps: _recursion(prior, sizes, flatness, 0.0, exponent, first_stage * sweeps)


def wang_landau(flatness: float) -> Callable[..., Recursion]:
    """The recursion of Wang-Landau: log F starts at 1, is halved whenever the visits are flat, then falls as K / (n t).

    K is the number of rungs, n is the number of chains of a group, and t counts sweeps. After a halving that takes
    log F to K / (n t) or below, log F is K / (n t). With a prior r, a visit of rung k adds log F / (K r_k) to
    log Zhat_k. With equal weights, a sweep then adds 1 / t to the mean of log Zhat.
    """
    return lambda prior, sizes, _: _recursion(prior, sizes, flatness, 1.0)


def _recursion(
    prior: np.ndarray, sizes: np.ndarray, flatness: float, gain: float, exponent: float = 0.0, latest: float = 0.0
) -> Recursion:
    """The Recursion for groups of these sizes, before their first sweep."""
    groups = len(sizes)
    return Recursion(
        prior=np.tile(prior, (groups, 1)),
        chains=sizes.astype(float),
        flatness=np.full(groups, flatness),
        exponent=np.full(groups, exponent),
        latest=np.full(groups, latest),
        settled=np.zeros(groups, bool),
        gain=np.full(groups, gain),
        filled=np.zeros((groups, prior.size)),
        # Before the first sweep, the only bound of c_k / r_k is 1 / r_k (Tan 2017).
        largest=np.full(groups, 1.0 / prior.min()),
    )
