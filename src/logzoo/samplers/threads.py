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
    tiles = -(-count // (TILE * threads)) * threads
    edges = np.linspace(0, count, min(tiles, count) + 1).astype(int)
    over_parts(kernel, threads, parts_between(edges, *per_chain))


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


def _part(value, chosen):
    if isinstance(value, tuple):
        return type(value)(*(array[chosen] for array in value))
    return value[chosen]
