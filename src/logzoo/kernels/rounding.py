"""Weights to fixed point, eight by eight: sizes summed, rounded, laid out by columns and by rows.

LLVM does not transpose in registers by itself, nor keep the lanes of a sum there.
"""

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from logzoo.kernels.emitting import everywhere, load, pointer
from logzoo.kernels.rows import WIDTH

LANES = 8
_BYTES = 4
_INTEGERS = ir.VectorType(ir.IntType(32), LANES)
# Which lanes of two vectors go together, to transpose: neighbours, pairs of them, halves.
_INTERLEAVED = ([0, 8, 1, 9, 4, 12, 5, 13], [2, 10, 3, 11, 6, 14, 7, 15])
_PAIRED = ([0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15])
_HALVED = ([0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15])


def _floats_of(item):
    return ir.FloatType() if item == types.float32 else ir.DoubleType()


def _unary(builder, name, item):
    """The function of LLVM that does this to a vector of floats."""
    vector, size = ir.VectorType(item, LANES), 32 if item == ir.FloatType() else 64
    return cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(vector, [vector]), f"llvm.{name}.v{LANES}f{size}"
    )


def _transposed(builder, vectors):
    """The eight columns of eight vectors of integers."""

    def join(first, second, lanes):
        return builder.shuffle_vector(first, second, ir.Constant(_INTEGERS, lanes))

    near = [join(vectors[k], vectors[k + 1], lanes) for k in range(0, LANES, 2) for lanes in _INTERLEAVED]
    pairs = [join(near[k + m], near[k + m + 2], lanes) for k in (0, 4) for m in (0, 1) for lanes in _PAIRED]
    return [join(pairs[k], pairs[k + 4], lanes) for lanes in _HALVED for k in range(4)]


@intrinsic
def _round_tile(typing_context, source, stride, scale, columns, rows):
    """The body of `round_tile`: addresses, and the stride of the source in bytes."""

    def generate(context, builder, signature, arguments):
        source, stride, scale, columns, rows = arguments
        item = _floats_of(signature.args[2])
        vector = ir.VectorType(item, LANES)
        scales = everywhere(builder, scale, LANES)
        nearest = _unary(builder, "rint", item)
        tile = []
        for row in range(LANES):
            values = load(builder, source, vector, _BYTES)
            scaled = builder.call(nearest, [builder.fmul(values, scales)])
            tile.append(builder.fptosi(scaled, _INTEGERS))
            builder.store(tile[-1], pointer(builder, columns, _INTEGERS, row * WIDTH * _BYTES), align=_BYTES)
            source = builder.add(source, stride)
        for column, values in enumerate(_transposed(builder, tile)):
            builder.store(values, pointer(builder, rows, _INTEGERS, column * WIDTH * _BYTES), align=_BYTES)
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, scale, types.intp, types.intp), generate


@njit(inline="always")
def round_tile(weights, i, j, scale, columns, rows):
    """Round scale * weights[i : i + 8, j : j + 8], half to even, into a block of columns and a block of rows.

    weights (V, H) contiguous; scale of their type, a power of two; columns (V, WIDTH) and rows (H, WIDTH) int32, the
    blocks in which these columns and these rows are.
    """
    item = weights.itemsize
    _round_tile(
        weights.ctypes.data + (i * weights.shape[1] + j) * item,
        weights.shape[1] * item,
        scale,
        columns.ctypes.data + (i * WIDTH + j % WIDTH) * _BYTES,
        rows.ctypes.data + (j * WIDTH + i % WIDTH) * _BYTES,
    )


@intrinsic
def _add_sizes(typing_context, weights, source, vectors, lanes, columns):
    """The body of `add_sizes`: addresses, and the array of weights for its type."""

    def generate(context, builder, signature, arguments):
        _, source, vectors, lanes, columns = arguments
        item, double = _floats_of(signature.args[0].dtype), ir.DoubleType()
        vector, wide = ir.VectorType(item, LANES), ir.VectorType(double, LANES)
        size_of = _unary(builder, "fabs", double)
        total = cgutils.alloca_once_value(builder, ir.Constant(wide, [0.0] * LANES))
        bytes_ = 4 if item == ir.FloatType() else 8
        with cgutils.for_range(builder, vectors) as loop:
            addresses = (
                builder.add(start, builder.mul(loop.index, ir.Constant(source.type, LANES * width)))
                for start, width in ((source, bytes_), (columns, 8))
            )
            values, sums = (
                pointer(builder, address, kind) for address, kind in zip(addresses, (vector, wide), strict=True)
            )
            values = builder.load(values, align=_BYTES)
            sizes = builder.call(size_of, [values if item == double else builder.fpext(values, wide)])
            builder.store(builder.fadd(builder.load(total), sizes), total)
            builder.store(builder.fadd(builder.load(sums, align=8), sizes), sums, align=8)
        builder.store(builder.load(total), pointer(builder, lanes, wide), align=8)
        return context.get_dummy_value()

    return types.void(weights, *[types.intp] * 4), generate


@njit(cache=True)
def add_sizes(weights, rows, columns):
    """Add the sizes of weights (V, H), contiguous, to their float64 sums over each row (V,) and each column (H,)."""
    lanes = np.empty(LANES)
    visible, hidden = weights.shape
    whole = hidden // LANES * LANES
    for i in range(visible):
        row = weights[i]
        _add_sizes(row, row.ctypes.data, whole // LANES, lanes.ctypes.data, columns.ctypes.data)
        total = lanes.sum()
        for j in range(whole, hidden):
            size = abs(np.float64(row[j]))
            total += size
            columns[j] += size
        rows[i] += total
