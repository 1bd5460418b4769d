"""Chains in tiles that a processor's cache holds, shared out among threads.

Every draw is a function of its chain and sweep, so the bits do not depend on tiles or threads.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

# Chains that make all sweeps of a kernel call before others have their turn: 1 MB of state and lists at 784 x 500.
TILE = 128


def over_chains(kernel, threads, *per_chain):
    """Call kernel(*parts) on contiguous parts of the chains, up to `threads` of them at once.

    per_chain: arrays, or NamedTuples of arrays, whose first axis is the chains; parts are views, changed in place.
    The kernel must release the GIL to gain from threads.
    """
    count = len(per_chain[0][0] if isinstance(per_chain[0], tuple) else per_chain[0])
    threads = min(int(threads), count)  # numbers of NumPy overflow
    if threads == 1 and count <= TILE:
        kernel(*per_chain)
        return
    over_parts(kernel, threads, parts_between(_edges(count, threads, count), *per_chain))


def over_groups(kernel, threads, first_chains, per_chain, per_group):
    """Call kernel(first_chains, *parts of per_chain, *parts of per_group) on contiguous parts of the groups of chains.

    first_chains (group + 1,): the first chain of each group, and the number of all; that of a part begins at 0.
    """
    groups = len(first_chains) - 1
    edges = _edges(first_chains[-1], min(int(threads), groups), groups)

    def part(first, last):
        chains = slice(first_chains[first], first_chains[last])
        starts = first_chains[first : last + 1] - first_chains[first]
        of_groups = (_part(value, slice(first, last)) for value in per_group)
        return starts, *(_part(value, chains) for value in per_chain), *of_groups

    over_parts(kernel, threads, [part(*ends) for ends in zip(edges, edges[1:], strict=False)])


def parts_between(edges, *per_chain):
    """The views of the chains between each two neighbouring edges, of arrays as for `over_chains`."""
    return [[_part(value, slice(*ends)) for value in per_chain] for ends in zip(edges, edges[1:], strict=False)]


def over_parts(kernel, threads, parts):
    """Call kernel(*part) for every part, up to `threads` of them at once."""
    if threads == 1:
        for part in parts:
            kernel(*part)
        return
    with ThreadPoolExecutor(threads) as pool:
        for future in [pool.submit(kernel, *part) for part in parts]:
            future.result()


def _edges(chains, threads, units):
    """Where parts of `units`, chains or groups of them, begin and end: as many parts as fill tiles and threads."""
    tiles = -(-chains // (TILE * threads)) * threads
    return np.linspace(0, units, min(tiles, units) + 1).astype(int)


def _part(value, chosen):
    if isinstance(value, tuple):
        return type(value)(*(array[chosen] for array in value))
    return value[chosen]
