"""Arrays that the kernels work on: fixed-point parameters in blocks of columns, and chains."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from llvmlite import ir
from numba import types

from logzoo.kernels import llvm
from logzoo.kernels.bitsets import GROUP
from logzoo.kernels.cache import kernel
from logzoo.kernels.gibbs import WIDTH, Chains, Parameters

if TYPE_CHECKING:
    from logzoo.types import Array


# Inputs are at most about 2**30, so that partial sums during an update cannot overflow an int32.
_LARGEST_SUM_BITS = 30


def fixed_point_unit(weights: np.ndarray, visible_bias: np.ndarray, hidden_bias: np.ndarray, base: np.ndarray) -> float:
    """Return the unit: all parameters are rounded to multiples of this power of two.

    No base log-odds, and no sum of absolute parameters in b + v W or c + W h, exceeds 2**30 units. The unit is the
    smallest such power, but at least 2**-30. Rounding moves each parameter by at most half a unit. Raises ValueError if
    a log-odds or sum is not finite.
    """
    vectors = (np.array(vector, np.float64) for vector in (visible_bias, hidden_bias, base))
    largest = _largest_size(_contiguous(weights), *vectors)
    if largest == np.inf:
        raise ValueError("weights, biases: a sum of their absolute values overflows; expected finite sums")
    exponent = math.ceil(math.log2(largest)) if largest > 0 else 0
    # Small models need no unit below 2**-30, and with this limit float32 scaling is exact.
    return 2.0 ** max(exponent - _LARGEST_SUM_BITS, -_LARGEST_SUM_BITS)


def fixed_point_parameters(
    weights: np.ndarray,
    visible_bias: np.ndarray,
    hidden_bias: np.ndarray,
    base: np.ndarray,
    into: Parameters | None = None,
) -> Parameters:
    """Kernel parameters from weights (V, H), biases and base log-odds (V,).

    into: Parameters of the same shapes whose arrays of weights are overwritten. Raises ValueError as
    `fixed_point_unit` does.
    """
    unit = fixed_point_unit(weights, visible_bias, hidden_bias, base)
    return _rounded(weights, visible_bias, hidden_bias, base, unit, into)


def fixed_point_rows(rows: np.ndarray, unit: float | np.float32) -> np.ndarray:
    """Rows (n, units) in fixed point, padded with zeros to whole blocks: (n, units rounded up to blocks) int32."""
    return np.stack([_padded(row, float(unit)) for row in np.array(rows, np.float64)])


def paired_parameters(near: Sequence[np.ndarray], far: Sequence[np.ndarray], unit: float) -> Parameters:
    """Kernel parameters of two RBMs (weights, visible bias, hidden bias), side by side, as multiples of one unit.

    Columns of the near RBM come first in weights and biases. The base is not used, because the annealing path starts at
    the near RBM.
    """
    sides = [_rounded(*rbm, base=np.zeros(len(rbm[1])), unit=unit) for rbm in (near, far)]
    names = ("weights", "weights_transposed", "visible_bias", "hidden_bias")
    return sides[0]._replace(**{name: np.concatenate([getattr(side, name) for side in sides]) for name in names})


def stacked_parameters(models: Sequence[Sequence[np.ndarray]]) -> Parameters:
    """Kernel parameters of RBMs of equal size (weights, visible bias, hidden bias), stacked in each array.

    Each RBM has a separate unit: `unit` is an array (model,) of float32.
    """
    first = fixed_point_parameters(*models[0], base=models[0][1])
    stack = {name: _aligned_zeros((len(models), *array.shape)) for name, array in first._asdict().items() if array.ndim}
    unit = np.empty(len(models), np.float32)
    for number, (weights, *biases) in enumerate(models):
        parameters = fixed_point_parameters(weights, *biases, base=biases[0], into=first)
        for name, arrays in stack.items():
            arrays[number] = getattr(parameters, name)
        unit[number] = parameters.unit
    return first._replace(**stack, unit=unit)


def paired_chains(count: int, visible: int, hidden: int) -> Chains:
    """`count` chains of zeros, numbered from 0, with the inputs of two RBMs side by side."""
    chains = new_chains(count, visible, hidden)
    inputs = {name: np.tile(getattr(chains, name), 2) for name in ("hidden_input", "visible_input")}
    return chains._replace(**inputs)


def new_chains(count: int, visible: int, hidden: int) -> Chains:
    """`count` chains of zeros, numbered from 0."""
    room = max(visible, hidden) + 2 * GROUP
    return Chains(
        number=np.arange(count, dtype=np.uint64),
        v=np.zeros((count, visible), np.uint8),
        h=np.zeros((count, hidden), np.uint8),
        hidden_input=_aligned_zeros((count, _blocks(hidden) * WIDTH)),
        visible_input=_aligned_zeros((count, _blocks(visible) * WIDTH)),
        plus=np.zeros((count, room), np.int32),
        minus=np.zeros((count, room), np.int32),
        counts=np.zeros((count, 3), np.int64),
    )


def _rounded(weights, visible_bias, hidden_bias, base, unit, into=None):
    """Kernel parameters as multiples of `unit`."""
    if into is None:
        visible, hidden = weights.shape
        blocks = _aligned_zeros((_blocks(hidden), visible, WIDTH)), _aligned_zeros((_blocks(visible), hidden, WIDTH))
    else:
        blocks = into.weights, into.weights_transposed
    weights = _contiguous(weights)
    # The product with a power of two is exact in float32 as well.
    _fill_layouts(weights, weights.dtype.type(1.0 / unit), *blocks)
    vectors = (_padded(np.array(vector, np.float64), float(unit)) for vector in (visible_bias, hidden_bias, base))
    return Parameters(*blocks, *vectors, unit=np.float32(unit))


def _blocks(columns):
    return -(-columns // WIDTH)


# This function is compiled, because NumPy calls for biases of a small model would take longer than a training update.
@kernel
def _padded(vector: Array, unit: float | np.float32) -> Array:
    """A vector in fixed point, padded with zeros to whole blocks."""
    padded = np.empty(-(-vector.size // WIDTH) * WIDTH, np.int32)
    for i in range(padded.size):
        padded[i] = np.int32(np.rint(vector[i] / unit)) if i < vector.size else 0
    return padded


@kernel
def _largest_size(weights: Array, visible_bias: Array, hidden_bias: Array, base: Array) -> float:
    """The largest sum of absolute parameters in b + v W or c + W h, or absolute log-odds; infinity if not finite.

    Four sums over a row run in parallel. Their order is fixed, because the largest sum may be near a power of two.
    """
    (visible, hidden), whole = weights.shape, weights.shape[1] // 4 * 4
    columns, sizes = np.empty(hidden), np.empty(visible + hidden + base.size)
    columns[:] = 0.0
    for i in range(visible):
        row = weights[i]
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for j in range(0, whole, 4):
            a, b = a + abs(np.float64(row[j])), b + abs(np.float64(row[j + 1]))
            c, d = c + abs(np.float64(row[j + 2])), d + abs(np.float64(row[j + 3]))
        for j in range(whole, hidden):
            a += abs(np.float64(row[j]))
        for j in range(hidden):
            columns[j] += abs(np.float64(row[j]))
        sizes[i] = abs(visible_bias[i]) + ((a + b) + (c + d))
    for j in range(hidden):
        sizes[visible + j] = abs(hidden_bias[j]) + columns[j]
    for i in range(base.size):
        sizes[visible + hidden + i] = abs(base[i])
    largest = 0.0
    for k in range(sizes.size):
        # NaN is not below infinity.
        if not sizes[k] < np.inf:
            return np.inf
        largest = max(largest, sizes[k])
    return largest


def _contiguous(weights):
    """Weights as a contiguous array, in the common NumPy type of float32 and the weights.

    The array is read-only, because numba compiles kernels once for read-only and once for other arrays.
    """
    weights = np.ascontiguousarray(weights, np.result_type(weights, np.float32)).view()
    weights.flags.writeable = False
    return weights


@kernel
def _fill_layouts(weights: Array, scale: float | np.float32, blocks: Array, transposed: Array) -> None:
    """Round scale * weights (V, H) into both layouts, in tiles from top to bottom, so that cache lines are reused."""
    visible, hidden = weights.shape
    whole_rows, whole_columns = visible // LANES * LANES, hidden // LANES * LANES
    stride = hidden * weights.itemsize
    for first in range(0, whole_rows, WIDTH):
        for j in range(0, whole_columns, LANES):
            source = weights.ctypes.data + j * weights.itemsize
            columns = blocks[j // WIDTH].ctypes.data + j % WIDTH * llvm.BYTES
            rows = transposed[first // WIDTH].ctypes.data + j * WIDTH * llvm.BYTES
            for i in range(first, min(first + WIDTH, whole_rows), LANES):
                target = columns + i * WIDTH * llvm.BYTES
                round_tile(source + i * stride, stride, scale, target, rows + i % WIDTH * llvm.BYTES)
    for i in range(visible):
        for j in range(whole_columns if i < whole_rows else 0, hidden):
            rounded = np.int32(np.rint(weights[i, j] * scale))
            blocks[j // WIDTH, i, j % WIDTH] = rounded
            transposed[i // WIDTH, j, i % WIDTH] = rounded


def _aligned_zeros(shape):
    """Zeros (int32) that start on a cache line.

    NumPy aligns arrays to 16 bytes only, and large arrays start 16 bytes after a cache line. Every other load of a
    vector would then straddle two lines, and sums of rows would take a third longer.
    """
    size = int(np.prod(shape))
    room = np.zeros(size + llvm.LINE_BYTES // 4, np.int32)
    first = -room.ctypes.data % llvm.LINE_BYTES // 4
    return room[first : first + size].reshape(shape)


# Rows and columns of a tile.
LANES = 8
# Lanes of two vectors to combine in the three steps of a transposition: single lanes, pairs, halves.
_INTERLEAVED = ([0, 8, 1, 9, 4, 12, 5, 13], [2, 10, 3, 11, 6, 14, 7, 15])
_PAIRED = ([0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15])
_HALVED = ([0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15])


def _transposed(builder: ir.IRBuilder, vectors: list[ir.Value]) -> list[ir.Value]:
    """Transpose eight vectors of eight integers."""

    def join(first, second, lanes):
        return llvm.lanes_of(builder, first, second, lanes)

    near = [join(vectors[k], vectors[k + 1], lanes) for k in range(0, LANES, 2) for lanes in _INTERLEAVED]
    pairs = [join(near[k + m], near[k + m + 2], lanes) for k in (0, 4) for m in (0, 1) for lanes in _PAIRED]
    return [join(pairs[k], pairs[k + 4], lanes) for lanes in _HALVED for k in range(4)]


@llvm.emitted(types.void, types.intp, types.intp, None, types.intp, types.intp)
def round_tile(
    builder: ir.IRBuilder, source: ir.Value, stride: ir.Value, scale: ir.Value, columns: ir.Value, rows: ir.Value
) -> None:
    """Round 8 x 8 entries of scale * weights, half to even, into a block of columns and a block of rows, int32.

    `source`, `columns` and `rows` are the addresses of the first entries. `stride` is the number of bytes of a row of
    weights, and `scale` has the type of the weights.
    """
    scales = llvm.everywhere(builder, scale, LANES)
    tile = []
    for row in range(LANES):
        scaled = llvm.call(builder, "rint", builder.fmul(llvm.load(builder, source, scales.type), scales))
        tile.append(builder.fptosi(scaled, llvm.INTEGERS))
        llvm.store(builder, tile[-1], llvm.after(builder, columns, row, WIDTH * llvm.BYTES))
        source = builder.add(source, stride)
    for column, values in enumerate(_transposed(builder, tile)):
        llvm.store(builder, values, llvm.after(builder, rows, column, WIDTH * llvm.BYTES))
