"""Exact independent draws of RBMs of special structure, without burn-in.

If the hidden units form few groups of equal units, the number of units that are on is drawn for each group. Any other
RBM is read as Ising spins on a graph: visible and hidden units are sites, and weights are bonds. On a narrow graph,
such as a strip of a lattice, a transfer matrix gives draws for any signs of the couplings. Sites enter a set, the
front, one by one, and are dropped from it when all their neighbours have entered. For each state of the front, a table
holds the log of the sum of f over all dropped sites.
On other graphs, spins without field or frustration are drawn by coupling from the past of their random-cluster model.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from logzoo.checks import whole_number
from logzoo.kernels.random_cluster import Graph, clusters_of, draw_bonds
from logzoo.models.equivalent import flip
from logzoo.models.known.grouped import LARGEST_SUM, log_terms
from logzoo.models.rbm import RBM
from logzoo.types import Array, Bits, Floats, Generator

# Fields below this fraction of their summed absolute terms are rounding errors and count as 0.
_ROUNDING = 1e-9


class Spins(NamedTuple):
    """Spins s = 2 x - 1 with log f = sum K s s' over bonds + sum F s over sites. The first sites are visible units."""

    first: np.ndarray  # (bond,) visible site
    second: np.ndarray  # (bond,) hidden site
    couplings: np.ndarray  # (bond,) K
    fields: np.ndarray  # (site,) F; rounding errors are replaced by 0


def spins_of(rbm: RBM) -> Spins:
    """The `Spins` of an RBM, with a bond for each non-zero weight: K = W / 4, F = bias / 2 + sum W / 4."""

    def fields_of(weights, *biases):
        return np.concatenate([0.5 * bias + 0.25 * weights.sum(axis=1 - layer) for layer, bias in enumerate(biases)])

    first, second = np.nonzero(rbm.weights)
    parameters = rbm.weights, rbm.visible_bias, rbm.hidden_bias
    fields, sizes = fields_of(*parameters), fields_of(*map(np.abs, parameters))
    fields = np.where(np.abs(fields) <= _ROUNDING * sizes, 0.0, fields)
    return Spins(first, second + rbm.visible, 0.25 * rbm.weights[first, second], fields)


def aligned(spins: Spins) -> Floats | None:
    """Signs (site,) that make all couplings positive if spins are multiplied by them; None if this is impossible."""
    # These imports take long.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    # The graph has each site twice, as + and as -. A bond joins equal signs if its coupling is positive, and opposite
    # signs if it is negative.
    sites, opposite = spins.fields.size, spins.fields.size * (spins.couplings < 0.0)
    first = np.concatenate([spins.first, spins.first + sites])
    second = np.concatenate([spins.second + opposite, spins.second + sites - opposite])
    graph = coo_array((np.ones(first.size), (first, second)), (2 * sites, 2 * sites))
    plus, minus = connected_components(graph, directed=False)[1].reshape(2, sites)
    return None if (plus == minus).any() else np.where(plus < minus, 1.0, -1.0)


# Largest number of sites in a front. At this number a table takes 2 MB, and a site takes about ten milliseconds.
LARGEST_WIDTH = 18


class Step(NamedTuple):
    """A site that enters at the end of the front, and the positions of the sites that are then dropped, in turn."""

    site: int
    field: float
    bonds: list  # (position in the front, coupling)
    dropped: list


def steps_of(spins: Spins) -> tuple[list[Step], int]:
    """The steps through all sites, and the largest number of sites in the front.

    Sites enter in the reversed order of Cuthill & McKee (1969). On a strip the front is then little wider than the
    strip, for any numbering of the sites.
    """
    # These imports take long.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    # For every site a list of its bonds: (site at the other end, coupling).
    neighbours = [[] for _ in spins.fields]
    for unit, other, coupling in zip(spins.first.tolist(), spins.second.tolist(), spins.couplings, strict=True):
        neighbours[unit].append((other, coupling))
        neighbours[other].append((unit, coupling))
    ends = np.concatenate([spins.first, spins.second]), np.concatenate([spins.second, spins.first])
    graph = coo_array((np.ones(ends[0].size), ends), (spins.fields.size,) * 2).tocsr()
    order = reverse_cuthill_mckee(graph, symmetric_mode=True).tolist()
    number = np.argsort(order)
    last = [max([number[site], *(number[other] for other, _ in bonds)]) for site, bonds in enumerate(neighbours)]
    steps, front, width = [], [], 0
    for now, site in enumerate(order):
        position_of = {unit: position for position, unit in enumerate(front)}
        bonds = [(position_of[other], coupling) for other, coupling in neighbours[site] if other in position_of]
        front.append(site)
        width, dropped = max(width, len(front)), []
        for done in [unit for unit in front if last[unit] <= now]:
            dropped.append(front.index(done))
            front.remove(done)
        steps.append(Step(site, float(spins.fields[site]), bonds, dropped))
    return steps, width


def narrow_draws(steps: list[Step], count: int, generator: Generator) -> Array:
    """Independent exact draws of all spins, bool (count, site): whether each spin is +1.

    The steps are reversed: each dropped site is drawn given the front, from its two terms in the table. Only some
    tables are stored; the others are computed a second time.
    """
    stride = math.isqrt(len(steps)) + 1
    table, stored = np.zeros(1), []
    for number, step in enumerate(steps):
        if number % stride == 0:
            stored.append(table)
        *_, table = _tables(table, step)
    draws, codes = np.empty((count, len(steps)), bool), np.zeros(count, np.int64)
    for start in reversed(range(0, len(steps), stride)):
        segment, before = steps[start : start + stride], []
        table = stored.pop()
        for step in segment:
            *tables, table = _tables(table, step)
            before.append(tables)
        for step, tables in zip(reversed(segment), reversed(before), strict=True):
            for position, whole in zip(reversed(step.dropped), reversed(tables), strict=True):
                parts = whole.reshape(1 << position, 2, -1)
                high, low = np.divmod(codes, parts.shape[2])
                up = generator.random(count) < expit(parts[high, 1, low] - parts[high, 0, low])
                codes = (2 * high + up) * parts.shape[2] + low
            draws[:, step.site] = codes & 1
            codes >>= 1
    return draws


def _tables(table, step):
    """The tables before each drop of a step and after its last drop. The first site in the front is the highest bit."""
    tilt = np.full(table.size, step.field)
    for position, coupling in step.bonds:
        parts = tilt.reshape(1 << position, 2, -1)
        parts[:, 0] -= coupling
        parts[:, 1] += coupling
    tables = [np.stack([table - tilt, table + tilt], axis=-1).ravel()]
    for position in step.dropped:
        parts = tables[-1].reshape(1 << position, 2, -1)
        tables.append(np.logaddexp(parts[:, 0], parts[:, 1]).ravel())
    return tables


# Sweeps of the first attempt; each further attempt starts twice as far in the past.
_FIRST = 8
# Largest number of random numbers for one draw. They take half a gigabyte.
LARGEST_PAST = 1 << 26


def drawn_from_the_past(spins: Spins, signs: Floats, count: int, generator: Generator) -> Array:
    """Independent exact draws of all spins, bool (count, site): whether each spin is +1.

    spins: Spins without a field. signs (site,): the signs from `aligned`. The upper chain starts with all bonds open,
    and the lower chain with all bonds closed. Both chains start further and further back, with the same random numbers
    for the same sweeps, until they agree at time 0. Then every cluster takes a random sign (Propp & Wilson 1996;
    Edwards & Sokal 1988). Raises ValueError if the chains have not met within 2**26 random numbers.
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
    raise ValueError(
        f"couplings: too strong, two chains did not meet in {sweeps // 2:,} sweeps; scale the couplings down"
    )


def graph_of(spins: Spins) -> Graph:
    """The `Graph` for the kernels; the signs of the couplings are ignored."""
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


def exact_draws(rbm: RBM, count: int, generator: Generator) -> Bits:
    """Draw independent visible states of an RBM whose structure allows exact draws.

    Parameters
    ----------
    rbm : RBM
    count : int
    generator : numpy.random.Generator

    Returns
    -------
    ndarray of uint8, shape (count, visible)

    Raises
    ------
    ValueError
        For a bad count, if no method applies, and if the couplings are too strong for the third method.

    Notes
    -----
    Three methods are tried in turn. The first needs few groups of equal hidden units (at most 2**23 combinations of
    counts). The second needs a narrow graph of weights (at most 18 units in the front, see the module). The third needs
    spins without field or frustration. Permutations and flips of units do not matter.
    """
    count = whole_number("count", count)
    columns, sizes, visible_bias, group_bias = groups(rbm)
    if np.prod(sizes + 1.0) <= LARGEST_SUM:
        return _draws_of_groups(columns, sizes, visible_bias, group_bias, count, generator)
    spins = spins_of(rbm)
    steps, width = steps_of(spins)
    signs = None if spins.fields.any() else aligned(spins)
    if width <= LARGEST_WIDTH:
        up = narrow_draws(steps, count, generator)
    elif signs is not None:
        up = drawn_from_the_past(spins, signs, count, generator)
    else:
        raise ValueError(
            f"rbm: exact draws need one of: at most {LARGEST_SUM:,} combinations of counts of equal hidden units; "
            f"a front of at most {LARGEST_WIDTH} units (found {width}); spins without field or frustration"
        )
    return up[:, : rbm.visible].astype(np.uint8)


def _draws_of_groups(columns, sizes, visible_bias, group_bias, count, generator):
    """Draw the number of units that are on in each group from `log_terms`, then the visible units."""
    terms = log_terms(columns, sizes, visible_bias, group_bias)
    cumulated = np.cumsum(np.exp(terms - terms.max()))
    chosen = np.searchsorted(cumulated, cumulated[-1] * generator.random(count), side="right")
    counts = np.column_stack(np.unravel_index(np.minimum(chosen, terms.size - 1), terms.shape))
    on = expit(counts @ columns.T + visible_bias)
    return (generator.random(on.shape) < on).astype(np.uint8)


def groups(rbm: RBM) -> tuple[Floats, Array, Floats, Floats]:
    """The arguments of `grouped` for an RBM: columns (visible, group), sizes (group,), visible_bias, group_bias.

    Hidden units are flipped so that the first non-zero weight of each unit is positive. Flips leave the distribution of
    the visible units unchanged. Hidden units with the same weights and bias then form a group.
    """
    weights = rbm.weights
    first = np.take_along_axis(weights, (weights != 0.0).argmax(axis=0)[None], axis=0)[0]
    other, _ = flip(rbm.transposed, 0.0, first < 0.0)
    units, sizes = np.unique(np.column_stack([other.weights, other.visible_bias]), axis=0, return_counts=True)
    return np.ascontiguousarray(units[:, :-1].T), sizes, other.hidden_bias, units[:, -1]
