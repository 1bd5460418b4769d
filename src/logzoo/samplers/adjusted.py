"""Simulated tempering whose log Zhat moves after every sweep, in independent groups of chains.

The chains of a group share one log Zhat and nothing else: what the groups find differs as independent runs do, but for
the initial iterations, which all chains make together.
"""

import numpy as np

from logzoo.checks import whole_number
from logzoo.samplers.simulated_tempering import begin

# A group has this many chains at least, if that leaves two groups.
_CHAINS_PER_GROUP = 2


def run(rbm, ledger, stream, recursion, observers=(), *, groups=20, **options):
    """Initial iterations of all chains together, then one step of the recursion a sweep until the ledger is empty.

    recursion has start(log_z_hat (group, rung), prior (rung,), sizes (group,), sweeps) and step(occupancy, visits),
    both (group, rung) sums over the chains of a group in one sweep, and changes log_z_hat in place. The other options
    are those of `samplers.simulated_tempering.begin`; initial_iterations may be 0: log Zhat starts at 0. Returns
    SimulatedTemperingDraws of one block, with log Zhat of every group at the end.
    Raises ValueError for impossible options and for a single chain, which makes no two groups.
    """
    chains, starts = ledger.chains, group_starts(ledger.chains, groups)
    sizes = np.diff(np.append(starts, chains))
    start = begin(rbm, ledger, stream, fewest_iterations=0, **options)
    sampler, prior = start.sampler, start.initial.prior
    with sampler.bar:
        sampler.group = np.repeat(np.arange(starts.size), sizes)
        sweeps = ledger.remaining
        log_z_hats = np.tile(start.initial.log_z_hat, (starts.size, 1))
        for observer in observers:
            observer.start(chains, prior.size, sweeps)
        recursion.start(log_z_hats, prior, sizes, sweeps)
        total = None
        for _ in range(sweeps):
            sums = sampler.advance(np.log(prior) - log_z_hats, 1, "sampling", observers)
            total = sums if total is None else type(sums)(*(a + b for a, b in zip(total, sums, strict=True)))
            recursion.step(np.add.reduceat(sums.occupancy, starts), np.add.reduceat(sums.visits, starts))
            log_z_hats -= log_z_hats[:, :1].copy()
    return start.draws(log_z_hats, total.occupancy[None], total.visits[None], total.round_trips)


def group_starts(chains, groups):
    """First chain of each group (group,): as many groups as asked for, but two chains in each and at least two groups.

    Raises ValueError for a single chain.
    """
    whole_number("groups", groups, minimum=2)
    if chains < 2:
        raise ValueError("chains: expected at least 2, the spread over groups of chains needs two groups")
    count = min(groups, max(2, chains // _CHAINS_PER_GROUP))
    return np.arange(count) * chains // count
