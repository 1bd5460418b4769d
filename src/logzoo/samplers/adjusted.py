"""Simulated tempering whose log Zhat moves after every sweep, in independent groups of chains.

The chains of a group share one log Zhat and nothing else: what the groups find differs as independent runs do, but for
the initial iterations, which all chains make together.
"""

from functools import partial

import numpy as np

from logzoo.checks import whole_number
from logzoo.kernels.occupancy import run_adjusted
from logzoo.samplers.simulated_tempering import begin
from logzoo.samplers.threads import over_groups

# A group has this many chains at least, if that leaves two groups.
_CHAINS_PER_GROUP = 2


def run(rbm, ledger, stream, recursion, observers=(), *, groups=20, **options):
    """Initial iterations of all chains together, then one step of the recursion a sweep until the ledger is empty.

    recursion: begin of one in `logzoo.samplers.recursions`. Observers see the rungs alone. The other options are those
    of `samplers.simulated_tempering.begin`; initial_iterations may be 0: log Zhat starts at 0. Returns
    SimulatedTemperingDraws of one block, with log Zhat of every group at the end, and the recursion's States.
    Raises ValueError for impossible options and for a single chain, which makes no two groups.
    """
    first_chains = np.append(group_starts(ledger.chains, groups), ledger.chains)
    start = begin(rbm, ledger, stream, fewest_iterations=0, **options)
    sampler, prior, sweeps = start.sampler, start.initial.prior, ledger.remaining
    states = recursion(prior, np.diff(first_chains), sweeps)
    log_z_hats = np.tile(start.initial.log_z_hat, (first_chains.size - 1, 1))
    log_prior, begun = np.log(prior), sampler.sweep

    def move(first, _, sums, record):
        settings = (sampler.parameters, sampler.ladder, sampler.marginal, sampler.key, first, first - begun, log_prior)
        per_chain = sampler.chains, sampler.rung, sampler.heading, sums, record
        kernel = partial(run_adjusted, *settings)
        over_groups(kernel, sampler.threads, first_chains, per_chain, (log_z_hats, *states))

    with sampler.bar:
        for observer in observers:
            observer.start(ledger.chains, prior.size, sweeps)
        total = sampler.follow(move, log_prior, sweeps, "sampling", observers)
    return start.draws(log_z_hats, total.occupancy[None], total.visits[None], total.round_trips), states


def group_starts(chains, groups):
    """First chain of each group (group,): as many groups as asked for, but two chains in each and at least two groups.

    Raises ValueError for a single chain.
    """
    whole_number("groups", groups, minimum=2)
    if chains < 2:
        raise ValueError("chains: expected at least 2, the spread over groups of chains needs two groups")
    count = min(groups, max(2, chains // _CHAINS_PER_GROUP))
    return np.arange(count) * chains // count
