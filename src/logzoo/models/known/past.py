"""Exact draws of ferromagnets without field: coupling from the past of their random-cluster model."""

import numpy as np

from logzoo.kernels.random_cluster import Graph, clusters_of, draw_bonds

# Sweeps of the first attempt, each further one goes twice as far into the past.
_FIRST = 8
# Numbers that one draw may take: half a gigabyte.
LARGEST_PAST = 1 << 26


def drawn_from_the_past(spins, signs, count, generator):
    """Independent exact draws of all spins, bool (count, site): whether they are +1.

    spins: without field; signs (site,): those that make all couplings positive (`aligned`). The upper chain starts with
    all bonds open, the lower with none, ever further back with the same numbers for the same sweeps, until they are one
    at time 0; then every cluster takes a sign by chance (Propp & Wilson 1996; Edwards & Sokal 1988).
    Raises ValueError if they have not met within 2**26 numbers.
    """
    graph = graph_of(spins)
    draws = np.empty((count, signs.size), bool)
    for draw in draws:
        state = _bonds_from_the_past(graph, generator)
        draw[:] = (generator.random(signs.size) < 0.5)[clusters_of(graph, state)]
    return draws ^ (signs < 0.0)


def _bonds_from_the_past(graph, generator):
    """One exact draw of the bonds, bool (bond,)."""
    bonds, sweeps, past = graph.connected.size, _FIRST, []
    while sweeps * bonds <= LARGEST_PAST:
        past.insert(0, generator.random((sweeps - sum(map(len, past)), bonds)))
        upper, lower = np.ones(bonds, bool), np.zeros(bonds, bool)
        for numbers in past:
            differing = draw_bonds(graph, numbers, upper, lower)
        if not differing:
            return upper
        sweeps *= 2
    raise ValueError(f"couplings: two chains from {sweeps:,} sweeps in the past did not meet; too many strong ones")


def graph_of(spins):
    """The `Graph` of the kernels, of couplings of any sign by their size."""
    bonds, sites = np.arange(spins.couplings.size), spins.fields.size
    ends, others = np.concatenate([spins.first, spins.second]), np.concatenate([spins.second, spins.first])
    order = np.argsort(ends, kind="stable")
    offsets = np.append(0, np.cumsum(np.bincount(ends, minlength=sites)))
    p = -np.expm1(-2.0 * np.abs(spins.couplings))
    return Graph(
        spins.first.astype(np.int64),
        spins.second.astype(np.int64),
        offsets.astype(np.int64),
        np.tile(bonds, 2)[order].astype(np.int64),
        others[order].astype(np.int64),
        p,
        p / (2.0 - p),
    )
