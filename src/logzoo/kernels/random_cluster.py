"""Sweeps of the random-cluster model of a ferromagnet: two states of its bonds are drawn with the same numbers.

Legend: a graph of sites and bonds. The bonds of site i are `bonds[offsets[i] : offsets[i + 1]]`. The same slice of
`others` has the sites that these bonds connect to site i. A bond is open or closed. A sweep draws a number u for each
bond. The bond is open if u < p and other open bonds connect its ends, or if u < p / (2 - p). Here p = 1 - exp(-2 K),
with coupling K (Fortuin & Kasteleyn 1972).

Further open bonds never disconnect sites. Suppose that every bond that is open in the lower state is open in the upper
state. This remains true while both states are drawn with the same numbers. A search is needed only for u between the
two thresholds: a sixth of all u near the critical coupling of a square lattice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from logzoo.kernels.cache import kernel, part

if TYPE_CHECKING:
    from logzoo.types import Array


class Graph(NamedTuple):
    """Sites and bonds, and two thresholds of u for each bond."""

    first: np.ndarray  # (bond,) int64: sites that a bond joins
    second: np.ndarray
    offsets: np.ndarray  # (site + 1,) int64
    bonds: np.ndarray  # (2 bond,) int64
    others: np.ndarray  # (2 bond,) int64
    connected: np.ndarray  # (bond,) float64: p
    apart: np.ndarray  # (bond,) float64: p / (2 - p)


@kernel
def draw_bonds(graph: Graph, numbers: Array, upper: Array, lower: Array) -> int:
    """Draw all bonds in turn in both states (bond,), with one sweep for each row of `numbers` (sweep, bond) in [0, 1).

    Bonds that are open in the lower state must be open in the upper state. Returns the number of differing bonds.
    """
    sites = graph.offsets.size - 1
    marks, queue, ends = np.zeros(sites, np.int64), np.empty((2, sites), np.int64), np.empty((2, 2), np.int64)
    differing, stamp = 0, 0
    for bond in range(upper.size):
        differing += upper[bond] != lower[bond]
    for sweep in range(numbers.shape[0]):
        for bond in range(upper.size):
            u = numbers[sweep, bond]
            above = below = u < graph.apart[bond]
            if not above and u < graph.connected[bond]:
                stamp += 2
                above = below = _joined(graph, lower, bond, marks, queue, ends, stamp)
                # If the states are equal, one search is enough.
                if not below and differing:
                    stamp += 2
                    above = _joined(graph, upper, bond, marks, queue, ends, stamp)
            differing += int(above != below) - int(upper[bond] != lower[bond])
            upper[bond], lower[bond] = above, below
    return differing


@part
def _joined(graph: Graph, state: Array, bond: int, marks: Array, queue: Array, ends: Array, stamp: int) -> bool:
    """Whether other open bonds connect the ends of a bond, by a search from both ends in turn.

    The search visits at most 2 n + 1 sites if the smaller cluster has n sites. Scratch: marks (site,), with entries
    below `stamp`; queue (2, site); ends (2, 2).
    """
    queue[0, 0], queue[1, 0] = graph.first[bond], graph.second[bond]
    marks[queue[0, 0]], marks[queue[1, 0]] = stamp, stamp + 1
    # Numbers of sites visited and of sites reached from each end.
    ends[:, 0], ends[:, 1] = 0, 1
    while True:
        for side in range(2):
            looked, known = ends[side]
            if looked == known:
                return False
            site = queue[side, looked]
            for end in range(graph.offsets[site], graph.offsets[site + 1]):
                other = graph.others[end]
                if not state[graph.bonds[end]] or graph.bonds[end] == bond or marks[other] == stamp + side:
                    continue
                if marks[other] == stamp + 1 - side:
                    return True
                marks[other] = stamp + side
                queue[side, known] = other
                known += 1
            ends[side, 0], ends[side, 1] = looked + 1, known


@kernel
def clusters_of(graph: Graph, state: Array) -> Array:
    """For every site, the number of the first site in its cluster of open bonds (site,)."""
    sites = graph.offsets.size - 1
    clusters, queue = np.full(sites, -1, np.int64), np.empty(sites, np.int64)
    for root in range(sites):
        if clusters[root] >= 0:
            continue
        clusters[root], queue[0], looked, known = root, root, 0, 1
        while looked < known:
            site = queue[looked]
            looked += 1
            for end in range(graph.offsets[site], graph.offsets[site + 1]):
                other = graph.others[end]
                if state[graph.bonds[end]] and clusters[other] < 0:
                    clusters[other] = root
                    queue[known] = other
                    known += 1
    return clusters
