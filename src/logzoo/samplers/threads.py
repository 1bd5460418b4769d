"""Chains shared out among threads. Every draw is a function of its chain and sweep, so the bits stay the same."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np


def over_chains(kernel, threads, *per_chain):
    """Call kernel(*parts) on up to `threads` contiguous parts of the chains at once.

    per_chain: arrays, or NamedTuples of arrays, whose first axis is the chains; parts are views, changed in place.
    The kernel must release the GIL.
    """
    count = len(_first_array(per_chain[0]))
    threads = min(threads, count)
    if threads == 1:
        kernel(*per_chain)
        return
    edges = np.linspace(0, count, threads + 1).astype(int)
    parts = [[_part(value, slice(*ends)) for value in per_chain] for ends in zip(edges, edges[1:], strict=False)]
    with ThreadPoolExecutor(threads) as pool:
        for future in [pool.submit(kernel, *part) for part in parts]:
            future.result()


def _first_array(value):
    return value[0] if isinstance(value, tuple) else value


def _part(value, chosen):
    if isinstance(value, tuple):
        return type(value)(*(array[chosen] for array in value))
    return value[chosen]
