"""Start Gibbs chains and distribute them over threads, in tiles that fit the cache of a processor.

Every draw is a function of its chain and sweep, so the bits do not depend on tiles or threads.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from logzoo.kernels.cache import announce_compilation
from logzoo.kernels.fixed_point import new_chains
from logzoo.kernels.gibbs import Chains, Parameters, run_sweeps, start_chains

# Largest number of chains, or of ladders, that make all sweeps of a kernel call before the next start. At 784 x 500
# units the arrays of these chains take 1.7 MB.
TILE = 128
# Default length of a stride: observers and the progress bar are updated after each stride of sweeps.
_STRIDE = 50


def started_chains(parameters: Parameters, key: np.uint64, count: int, log_odds: np.ndarray | None = None) -> Chains:
    """`count` chains, numbered from 0, with v drawn from independent units.

    log_odds: as in `logzoo.kernels.gibbs.start_chains`; by default the log-odds of the base.
    """
    chains = new_chains(count, parameters.weights.shape[1], parameters.weights_transposed.shape[1])
    start_chains(parameters, key, parameters.base if log_odds is None else log_odds, chains)
    return chains


def sweep_chains(parameters: Parameters, key: np.uint64, first: int, last: int, chains: Chains, threads: int) -> None:
    """Make sweeps `first` to `last - 1` of all chains at beta = 1, in place."""
    ones = np.ones(len(chains.v), np.float32)
    over_chains(partial(run_sweeps, parameters, key, first, last), threads, ones, chains)


def strides(first: int, last: int, length: int = _STRIDE) -> Iterable[tuple[int, int]]:
    """Pairs (start, stop) that divide `first` to `last - 1` into strides of at most `length`."""
    return pairwise([*range(first, last, length), last])


def over_chains(kernel: Callable, threads: int, *per_chain: Any) -> None:
    """Call kernel(*parts) on contiguous parts of the chains, up to `threads` of them at once.

    per_chain: arrays, or NamedTuples of arrays, whose first axis is the chains or ladders. Parts are views, changed in
    place.
    The kernel must release the GIL to gain from threads.
    """
    count = len(per_chain[0][0] if isinstance(per_chain[0], tuple) else per_chain[0])
    threads = min(threads, count)
    whole = threads == 1 and count <= TILE
    over_parts(kernel, threads, [per_chain] if whole else parts_between(edges(count, threads, count), *per_chain))


def over_groups(
    kernel: Callable, threads: int, first_chains: np.ndarray, per_chain: Iterable[Any], per_group: Iterable[Any]
) -> None:
    """Call kernel(first_chains, *parts of per_chain, *parts of per_group) on contiguous parts of the groups of chains.

    first_chains (group + 1,): the first chain of each group, then the number of chains. A part of it starts at 0.
    """
    groups = len(first_chains) - 1
    ends = edges(first_chains[-1], min(threads, groups), groups)
    starts = [first_chains[first : last + 1] - first_chains[first] for first, last in pairwise(ends)]
    parts = zip(starts, parts_between(first_chains[ends], *per_chain), parts_between(ends, *per_group), strict=True)
    over_parts(kernel, threads, [(start, *chains, *groups) for start, chains, groups in parts])


def parts_between(ends: np.ndarray, *per_chain: Any) -> list:
    """Views of the chains between neighbouring `ends`; per_chain: as for `over_chains`."""
    return [[part_of(value, slice(*pair)) for value in per_chain] for pair in pairwise(ends)]


def over_parts(kernel: Callable, threads: int, parts: Sequence) -> None:
    """Call kernel(*part) for every part, up to `threads` of them at once."""
    announce_compilation()
    if threads == 1:
        for part in parts:
            kernel(*part)
        return
    with ThreadPoolExecutor(threads) as pool:
        for future in [pool.submit(kernel, *part) for part in parts]:
            future.result()


def edges(chains: int, threads: int, units: int) -> np.ndarray:
    """Edges that divide `units` (chains or groups of chains) into enough parts to fit tiles and to fill all threads."""
    threads = int(threads)  # a small NumPy integer would overflow
    tiles = -(-chains // (TILE * threads)) * threads
    return np.linspace(0, units, min(tiles, units) + 1).astype(int)


def part_of(value: Any, chosen: slice | np.ndarray) -> Any:
    """The chosen rows of an array, or of each array of a NamedTuple."""
    return type(value)(*(array[chosen] for array in value)) if isinstance(value, tuple) else value[chosen]


def reshaped(arrays: Any, axes: int, *shape: int) -> Any:
    """Views of the arrays of a NamedTuple, with their first `axes` axes reshaped."""
    return type(arrays)(*(array.reshape(*shape, *array.shape[axes:]) for array in arrays))
