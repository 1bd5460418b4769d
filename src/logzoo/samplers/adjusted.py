"""Simulated tempering whose log Zhat moves after every sweep, in independent groups of chains.

The chains of a group share one log Zhat and nothing else: what the groups find differs as independent runs do, but for
the initial iterations, which all chains make together.
"""

from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from logzoo.checks import one_of, whole_number
from logzoo.paths import inverse_temperatures, kernel_parameters, log_z_base, prior_weights
from logzoo.samplers.base import resolve_base
from logzoo.samplers.initial import initial_phase, iteration_lengths
from logzoo.samplers.observers import Transitions
from logzoo.samplers.simulated_tempering import SimulatedTempering

# A group has this many chains at least, if that leaves two groups.
_CHAINS_PER_GROUP = 2


class AdjustedDraws(NamedTuple):
    """What self-adjusting tempering leaves: log Zhat of every group, and sums over sweeps."""

    betas: np.ndarray  # (rung,) inverse temperatures
    prior: np.ndarray  # (rung,) r, sums to one
    log_z_hats: np.ndarray  # (group, rung) log Zhat at the end, relative to the base (0 at the first rung)
    log_z_base: float  # nats
    occupancy: np.ndarray  # (1, chain, rung) sums of q(beta_k | x)
    visits: np.ndarray  # (1, chain, rung) counts of beta_k
    round_trips: np.ndarray  # (chain,)
    transitions: np.ndarray  # (rung, rung) counts of moves
    initial_log_z: np.ndarray  # (iteration, rung) log Zhat after each initial iteration
    rule_met: bool  # the stopping rule of the initial iterations held
    interpolation_error: float  # nats, largest seen on the final states
    form: str  # of the densities: hidden units summed out ("marginal") or not ("joint")


def run(
    rbm,
    ledger,
    stream,
    recursion,
    *,
    base=None,
    rungs=100,
    ladder="linear",
    prior=None,
    form="marginal",
    groups=20,
    initial_sweeps=50,
    initial_iterations=10,
    threads=1,
    progress=False,
):
    """Initial iterations of all chains together, then one step of the recursion a sweep until the ledger is empty.

    recursion has start(log_z_hat (group, rung), prior (rung,), sizes (group,), sweeps) and step(occupancy, visits),
    both (group, rung) sums over the chains of a group in one sweep, and changes log_z_hat in place. initial_iterations
    may be 0: log Zhat starts at 0. The other options are those of
    `samplers.simulated_tempering.run`. Returns AdjustedDraws.
    Raises ValueError for impossible options and for a single chain, which makes no two groups.
    """
    one_of("form", form, ("marginal", "joint"))
    for name, value in (("initial_sweeps", initial_sweeps), ("threads", threads)):
        whole_number(name, value)
    whole_number("initial_iterations", initial_iterations, minimum=0)
    starts = group_starts(ledger.chains, groups)
    adapt = isinstance(ladder, str) and ladder == "adapted"
    betas = inverse_temperatures("linear" if adapt else ladder, rungs)
    prior_weights(prior, betas)  # refuses bad ones before any sweep
    base = resolve_base(rbm, base, ledger, stream)
    sampler = SimulatedTempering(kernel_parameters(rbm, base), betas, stream, ledger.chains, form, threads)
    lengths = iteration_lengths(ledger, initial_sweeps, initial_iterations) if initial_iterations else []
    with tqdm(total=ledger.remaining, desc="tempering", unit="sweep", disable=None if progress else True) as bar:
        initial = initial_phase(sampler, ledger, lengths, prior, adapt, bar=bar)
        sums, log_z_hats, transitions = _adjust(sampler, ledger, initial, recursion, starts, bar)
    return AdjustedDraws(
        betas=sampler.betas,
        prior=initial.prior,
        log_z_hats=log_z_hats,
        log_z_base=log_z_base(base, rbm.hidden),
        occupancy=sums.occupancy[None],
        visits=sums.visits[None],
        round_trips=sums.round_trips,
        transitions=transitions,
        initial_log_z=np.array([entry[0] for entry in initial.history]).reshape(-1, betas.size),
        rule_met=initial.rule_met,
        interpolation_error=sampler.interpolation_error(),
        form=form,
    )


def group_starts(chains, groups):
    """First chain of each group (group,): as many groups as asked for, but two chains in each and at least two groups.

    Raises ValueError for a single chain.
    """
    whole_number("groups", groups, minimum=2)
    if chains < 2:
        raise ValueError("chains: expected at least 2, the spread over groups of chains needs two groups")
    count = min(groups, max(2, chains // _CHAINS_PER_GROUP))
    return np.arange(count) * chains // count


def _adjust(sampler, ledger, initial, recursion, starts, bar):
    """Sums over the adjusting sweeps, log Zhat (group, rung) after them, and counts of moves (rung, rung)."""
    chains, rungs = ledger.chains, sampler.betas.size
    sizes = np.diff(np.append(starts, chains))
    sampler.group = np.repeat(np.arange(starts.size), sizes)
    sweeps = ledger.spend(ledger.remaining, "sampling")
    log_z_hats = np.tile(initial.log_z_hat, (starts.size, 1))
    log_r = np.log(initial.prior)
    transitions = Transitions()
    transitions.start(chains, rungs, sweeps)
    recursion.start(log_z_hats, initial.prior, sizes, sweeps)
    total = None
    for _ in range(sweeps):
        sums = sampler.advance(log_r - log_z_hats, 1, bar, (transitions,))
        total = sums if total is None else type(sums)(*(a + b for a, b in zip(total, sums, strict=True)))
        recursion.step(np.add.reduceat(sums.occupancy, starts), np.add.reduceat(sums.visits, starts))
        log_z_hats -= log_z_hats[:, :1].copy()
    return total, log_z_hats, transitions.counts
