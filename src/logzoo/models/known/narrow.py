"""Spins on a narrow graph, a strip of a lattice: log Z and exact draws by a transfer matrix, couplings of any sign.

Sites are taken up one after the other, and dropped when all their neighbours are. Those in between are the front; a
table holds, for each of its 2^width states, the log of the sum over all that was dropped.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from logzoo.models.known.spins import neighbours_of

# Sites of a front, at most: tables of 2 MB, and some ten milliseconds for each site.
LARGEST_WIDTH = 18


class Step(NamedTuple):
    """A site that is taken up, at the end of the front, and places in the front of what is dropped then, in turn."""

    site: int
    field: float
    bonds: list  # (place in the front, coupling)
    dropped: list


def steps_of(spins):
    """The steps through all sites, and how many are in the front at most.

    The order of Cuthill & McKee (1969): on a strip its front is little wider than the strip, whatever the sites are
    called.
    """
    neighbours = neighbours_of(spins)
    order = _order_of(spins)
    number = np.argsort(order)
    last = [max([number[site], *(number[other] for other, _ in bonds)]) for site, bonds in enumerate(neighbours)]
    steps, front, width = [], [], 0
    for now, site in enumerate(order):
        place_of = {one: place for place, one in enumerate(front)}
        bonds = [(place_of[other], spins.couplings[bond]) for other, bond in neighbours[site] if other in place_of]
        front.append(site)
        width, dropped = max(width, len(front)), []
        for done in [one for one in front if last[one] <= now]:
            dropped.append(front.index(done))
            front.remove(done)
        steps.append(Step(site, spins.fields[site], bonds, dropped))
    return steps, width


def _order_of(spins):
    # Imported where they are used, as they take long.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    ends = np.concatenate([spins.first, spins.second]), np.concatenate([spins.second, spins.first])
    graph = coo_array((np.ones(ends[0].size), ends), (spins.fields.size,) * 2).tocsr()
    return reverse_cuthill_mckee(graph, symmetric_mode=True).tolist()


def log_z_narrow(steps):
    """log Z in nats of the spins of these steps, 2^width numbers at each."""
    table = np.zeros(1)
    for step in steps:
        *_, table = _tables(table, step)
    return float(table[0])


def narrow_draws(steps, count, generator):
    """Independent exact draws of all spins, bool (count, site): whether they are +1.

    Going back through the steps, a site that was dropped is drawn given the front: its two terms are in the table. Not
    all tables are kept, but so few that making those in between again takes as long as the first time.
    """
    stride = math.isqrt(len(steps)) + 1
    table, kept = np.zeros(1), []
    for number, step in enumerate(steps):
        if number % stride == 0:
            kept.append(table)
        *_, table = _tables(table, step)
    draws, codes = np.empty((count, len(steps)), bool), np.zeros(count, np.int64)
    for start in reversed(range(0, len(steps), stride)):
        segment, before = steps[start : start + stride], []
        table = kept.pop()
        for step in segment:
            *tables, table = _tables(table, step)
            before.append(tables)
        for step, tables in zip(reversed(segment), reversed(before), strict=True):
            for place, whole in zip(reversed(step.dropped), reversed(tables), strict=True):
                parts = whole.reshape(1 << place, 2, -1)
                high, low = np.divmod(codes, parts.shape[2])
                up = generator.random(count) < expit(parts[high, 1, low] - parts[high, 0, low])
                codes = (2 * high + up) * parts.shape[2] + low
            draws[:, step.site] = codes & 1
            codes >>= 1
    return draws


def _tables(table, step):
    """The table before each drop of a step, and the one after the last; the first site of the front counts most."""
    tilt = np.full(table.size, step.field)
    for place, coupling in step.bonds:
        parts = tilt.reshape(1 << place, 2, -1)
        parts[:, 0] -= coupling
        parts[:, 1] += coupling
    tables = [np.stack([table - tilt, table + tilt], axis=-1).ravel()]
    for place in step.dropped:
        parts = tables[-1].reshape(1 << place, 2, -1)
        tables.append(np.logaddexp(parts[:, 0], parts[:, 1]).ravel())
    return tables
