"""Gibbs sweeps of many chains, each at its own inverse temperature.

Legend: v (chains, V) and h (chains, H) uint8 states; W (V, H) weights, c (V,) visible and b (H,) hidden bias, c0 (V,)
base log-odds; a = b + v W; beta (chains,) inverse temperatures.

    h | v : sigmoid(beta a)        v | h : sigmoid(beta (c + W h) + (1 - beta) c0)

Parameters are fixed-point int32, multiples of `unit`, a power of two (see `fixed_point`). Integer sums have no
rounding. So each layer's input is updated from the flipped units without drift, and any order of additions gives the
same bits. The weights are stored in blocks of `WIDTH` columns; the table of a block holds all its rows contiguously.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit, types
from numba.core import cgutils

from logzoo.kernels import llvm
from logzoo.kernels.bernoulli import draw_layer
from logzoo.kernels.bitsets import WORD, count_bits, list_set, pack, unpack, words_of
from logzoo.kernels.cache import kernel, part
from logzoo.kernels.elementary import INTEGER_ZERO, ONE, ZERO, copy_into
from logzoo.kernels.random import HIDDEN, START, VISIBLE

if TYPE_CHECKING:
    from llvmlite import ir

    from logzoo.types import Array


# Columns of a block: four registers of 256 bits, or two of 512 bits. A block of 784 rows is 100 kB and stays in the
# level-2 cache while every chain passes over it.
WIDTH = 32
_STRIPS = WIDTH // llvm.WIDE_INTEGERS.count
# From this number of chains on, nearly every row of a block is read in each sweep.
_MANY = 32


@llvm.emitted(types.void, *[types.intp] * 7)
def update_sums(
    builder: ir.IRBuilder,
    table: ir.Value,
    plus: ir.Value,
    rises: ir.Value,
    minus: ir.Value,
    falls: ir.Value,
    start: ir.Value,
    sums: ir.Value,
) -> None:
    """sums[:WIDTH] = start[:WIDTH] + the rows of `table` (rows, WIDTH) listed in `plus` - the rows listed in `minus`.

    All arguments are addresses of int32, except `rises` and `falls`: the numbers of rows to add and to subtract.
    """
    totals = llvm.variables(builder, llvm.load_row(builder, start, llvm.WIDE_INTEGERS, _STRIPS))
    for combine, indices, count in ((builder.add, plus, rises), (builder.sub, minus, falls)):
        with cgutils.for_range(builder, count) as loop:
            index = llvm.load(builder, llvm.after(builder, indices, loop.index, llvm.BYTES), llvm.INT32)
            address = llvm.after(builder, table, builder.zext(index, table.type), WIDTH * llvm.BYTES)
            for total, row in zip(totals, llvm.load_row(builder, address, llvm.WIDE_INTEGERS, _STRIPS), strict=True):
                llvm.update(builder, combine, total, row)
    llvm.store_row(builder, totals, sums)


_BIT = np.uint32(1)


class Parameters(NamedTuple):
    """Fixed-point parameters of one RBM, and its base distribution."""

    weights: np.ndarray  # (blocks of H, V, WIDTH) int32
    weights_transposed: np.ndarray  # (blocks of V, H, WIDTH) int32
    visible_bias: np.ndarray  # (V rounded up to blocks,) int32
    hidden_bias: np.ndarray  # (H rounded up to blocks,) int32
    base: np.ndarray  # (V rounded up to blocks,) int32: base log-odds
    unit: np.float32  # value of the integer 1


class Chains(NamedTuple):
    """Markov chains and their scratch. Between sweeps, both inputs are up to date with v and h."""

    number: np.ndarray  # (chains,) uint64: selects the chain's random stream
    v: np.ndarray  # (chains, V) uint8
    h: np.ndarray  # (chains, H) uint8
    hidden_input: np.ndarray  # (chains, H rounded up to blocks) int32: b + v W
    visible_input: np.ndarray  # (chains, V rounded up to blocks) int32: c + W h
    plus: np.ndarray  # (chains, max(V, H) + 16) int32: rows to add
    minus: np.ndarray  # like `plus`: rows to subtract
    counts: np.ndarray  # (chains, 3) int64: numbers of rows to add and to subtract; 1 to start from the bias, else 0


@kernel(inline="always")
def layer_scratch(units: int) -> Array:
    """Scratch for a layer of `units` units: three sets of units, stored as in `bitsets`, (3, words) uint32."""
    return np.empty((3, words_of(units)), np.uint32)


@njit(inline="always")
def sweep_scratch(chains: Chains) -> tuple[Array, Array]:
    """Scratch for the hidden and for the visible layer."""
    return layer_scratch(chains.h.shape[1]), layer_scratch(chains.v.shape[1])


@njit(inline="always")
def chains_at(chains: Chains, index: int | slice) -> Chains:
    """The Chains at an index or slice of the first axis of all arrays, as views."""
    inputs = chains.hidden_input[index], chains.visible_input[index]
    rows = chains.plus[index], chains.minus[index], chains.counts[index]
    return Chains(chains.number[index], chains.v[index], chains.h[index], *inputs, *rows)


@part
def copy_chain(chains: Chains, source: int, target: int) -> None:
    """Copy state and inputs from one chain to another; the target keeps its random stream."""
    for states in (chains.v, chains.h):
        copy_into(states[target], states[source])
    for inputs in (chains.hidden_input, chains.visible_input):
        copy_into(inputs[target], inputs[source])


@part
def list_all(members: Array, chain: int, chains: Chains) -> None:
    """List the members of a set of units as one chain's rows of weights to add to the bias."""
    chains.counts[chain, 0] = list_set(members, chains.plus[chain])
    chains.counts[chain, 1] = 0
    chains.counts[chain, 2] = 1


@kernel(inline="always")
def list_ones(state: Array, scratch: Array, chains: Chains) -> None:
    """List the ones of `state` (chains, units) as the rows to add to the bias."""
    ones = scratch[0]
    for chain in range(state.shape[0]):
        for word in range(ones.size):
            ones[word] = pack(state[chain], word)
        list_all(ones, chain, chains)


@part
def redraw(
    inputs: Array,
    base: Array,
    scale: np.float32,
    cold: np.float32,
    key: np.uint64,
    number: np.uint64,
    sweep: int,
    layer: np.uint64,
    state: Array,
    scratch: Array,
    chain: int,
    chains: Chains,
) -> None:
    """Draw one chain's `state` (units,) of one layer as in `draw_layer`; list the rows to add and subtract.

    The rows are the flipped units, or all ones of the new state if it has fewer ones than flipped units. number: the
    random stream; chain: whose rows are listed.
    """
    # The ones of the new state, and the units that change to 1 and to 0.
    drawn, rise, fall = scratch[0], scratch[1], scratch[2]
    draw_layer(inputs, base, scale, cold, key, number, sweep, layer, drawn)
    ones = 0
    flips = 0
    for word in range(drawn.size):
        left = state.size - word * WORD
        now = drawn[word] if left >= WORD else drawn[word] & ((_BIT << np.uint32(left)) - _BIT)
        was = pack(state, word)
        unpack(now, word, state)
        drawn[word] = now
        rise[word] = now & ~was
        fall[word] = was & ~now
        ones += count_bits(now)
        flips += count_bits(now ^ was)
    if flips > ones:
        list_all(drawn, chain, chains)
    else:
        chains.counts[chain, 0] = list_set(rise, chains.plus[chain])
        chains.counts[chain, 1] = list_set(fall, chains.minus[chain])
        chains.counts[chain, 2] = 0


@part
def apply_changes(table: Array, bias: Array, chains: Chains, inputs: Array) -> None:
    """Bring `inputs` (chains, columns) up to date with the listed changes, one block of columns at a time."""
    count, size = inputs.shape[0], table.shape[1] * WIDTH * llvm.BYTES
    # While many chains pass over a block, each loads a share of the next block into the cache. With 100 chains of
    # 784 x 500 units, sweeps become 5 to 10% faster.
    lines = size // llvm.LINE_BYTES // count + 1 if count >= _MANY else 0
    for block in range(table.shape[0]):
        rows, first = table.ctypes.data + block * size, block * WIDTH * llvm.BYTES
        for chain in range(count):
            if block < table.shape[0] - 1:
                llvm.prefetch(rows + size + chain * lines * llvm.LINE_BYTES, lines)
            rises, falls, afresh = chains.counts[chain]
            plus, minus = chains.plus[chain].ctypes.data, chains.minus[chain].ctypes.data
            sums = inputs[chain].ctypes.data + first
            update_sums(rows, plus, rises, minus, falls, bias.ctypes.data + first if afresh else sums, sums)


@kernel(inline="always")
def draw_hidden(
    parameters: Parameters, key: np.uint64, sweep: int, beta: Array, chains: Chains, scratch: Array
) -> None:
    """Draw h of every chain given v, each at its beta (chains,); list the changes."""
    for chain in range(beta.size):
        a = chains.hidden_input[chain]
        scale, number, h = beta[chain] * parameters.unit, chains.number[chain], chains.h[chain]
        redraw(a, a, scale, ZERO, key, number, sweep, HIDDEN, h, scratch, chain, chains)


@kernel(inline="always")
def draw_visible(
    parameters: Parameters, key: np.uint64, sweep: int, beta: Array, chains: Chains, scratch: Array
) -> None:
    """Draw v of every chain given h, each at its beta (chains,); list the changes."""
    for chain in range(beta.size):
        x, number, v = chains.visible_input[chain], chains.number[chain], chains.v[chain]
        scale, cold = beta[chain] * parameters.unit, (ONE - beta[chain]) * parameters.unit
        redraw(x, parameters.base, scale, cold, key, number, sweep, VISIBLE, v, scratch, chain, chains)


@kernel(inline="always")
def update_hidden_inputs(parameters: Parameters, chains: Chains) -> None:
    """Bring b + v W up to date with the listed changes of v."""
    apply_changes(parameters.weights, parameters.hidden_bias, chains, chains.hidden_input)


@kernel(inline="always")
def update_visible_inputs(parameters: Parameters, chains: Chains) -> None:
    """Bring c + W h up to date with the listed changes of h."""
    apply_changes(parameters.weights_transposed, parameters.visible_bias, chains, chains.visible_input)


@kernel
def forget_hidden(parameters: Parameters, chains: Chains) -> None:
    """Set h to zero and compute all inputs. A sweep draws h first, so any h is valid; h = 0 halves the work."""
    chains.h[:] = 0
    for chain in range(chains.h.shape[0]):
        copy_into(chains.visible_input[chain], parameters.visible_bias)
    list_ones(chains.v, layer_scratch(chains.v.shape[1]), chains)
    update_hidden_inputs(parameters, chains)


@kernel
def start_from_rows(parameters: Parameters, key: np.uint64, rows: Array, row: Array, chains: Chains) -> None:
    """Draw v of every chain from independent units with log-odds rows[row[chain]], and set h to zero.

    rows (n, V rounded up to blocks) int32: in fixed point, like the base.
    """
    drawn = layer_scratch(chains.v.shape[1])[0]
    for chain in range(row.size):
        log_odds, number = rows[row[chain]], chains.number[chain]
        draw_layer(log_odds, log_odds, parameters.unit, ZERO, key, number, INTEGER_ZERO, START, drawn)
        for word in range(drawn.size):
            unpack(drawn[word], word, chains.v[chain])
    forget_hidden(parameters, chains)


def start_chains(parameters: Parameters, key: np.uint64, log_odds: Array, chains: Chains) -> None:
    """Draw v of every chain from independent units with the same log_odds; set h to zero. See `start_from_rows`."""
    start_from_rows(parameters, key, log_odds[None], np.zeros(chains.number.size, np.int64), chains)


@part
def sweep_once(
    parameters: Parameters,
    key: np.uint64,
    sweep: int,
    beta: Array,
    chains: Chains,
    scratch: tuple[Array, Array],
) -> None:
    """One sweep of every chain, each at its beta (chains,); updates all inputs."""
    draw_hidden(parameters, key, sweep, beta, chains, scratch[0])
    update_visible_inputs(parameters, chains)
    draw_visible(parameters, key, sweep, beta, chains, scratch[1])
    update_hidden_inputs(parameters, chains)


@kernel
def run_sweeps(parameters: Parameters, key: np.uint64, first: int, last: int, beta: Array, chains: Chains) -> None:
    """Run sweeps `first` to `last - 1` of every chain at fixed beta (chains,), in place."""
    scratch = sweep_scratch(chains)
    for sweep in range(first, last):
        sweep_once(parameters, key, sweep, beta, chains, scratch)
