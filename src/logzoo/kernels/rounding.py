"""Weights to fixed point, eight by eight: sizes summed, rounded, laid out by columns and by rows.

LLVM does not transpose in registers by itself, nor keep the lanes of a sum there.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from logzoo.kernels import llvm
from logzoo.kernels.compiled import part
from logzoo.kernels.rows import WIDTH

LANES = 8
_BYTES = 4
# Which lanes of two vectors go together, to transpose: neighbours, pairs of them, halves.
_INTERLEAVED = ([0, 8, 1, 9, 4, 12, 5, 13], [2, 10, 3, 11, 6, 14, 7, 15])
_PAIRED = ([0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15])
_HALVED = ([0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15])


def _transposed(builder, vectors):
    """The eight columns of eight vectors of integers."""

    def join(first, second, lanes):
        return builder.shuffle_vector(first, second, ir.Constant(llvm.INTEGERS, lanes))

    near = [join(vectors[k], vectors[k + 1], lanes) for k in range(0, LANES, 2) for lanes in _INTERLEAVED]
    pairs = [join(near[k + m], near[k + m + 2], lanes) for k in (0, 4) for m in (0, 1) for lanes in _PAIRED]
    return [join(pairs[k], pairs[k + 4], lanes) for lanes in _HALVED for k in range(4)]


@llvm.emitted(types.void, types.intp, types.intp, None, types.intp, types.intp)
def round_tile(builder, source, stride, scale, columns, rows):
    """Round scale * weights, eight by eight, half to even, into a block of columns and a block of rows, int32.

    Addresses of the first of them in each, and the bytes from one row of the weights to the next; scale of their type.
    """
    scales = llvm.everywhere(builder, scale, LANES)
    tile = []
    for row in range(LANES):
        scaled = llvm.call(builder, "rint", builder.fmul(llvm.load(builder, source, scales.type), scales))
        tile.append(builder.fptosi(scaled, llvm.INTEGERS))
        llvm.store(builder, tile[-1], llvm.after(builder, columns, row, WIDTH * _BYTES))
        source = builder.add(source, stride)
    for column, values in enumerate(_transposed(builder, tile)):
        llvm.store(builder, values, llvm.after(builder, rows, column, WIDTH * _BYTES))


@llvm.emitted(types.void, None, *[types.intp] * 4)
def _add_sizes(builder, weight, source, vectors, lanes, columns):
    """The body of `add_sizes`: addresses, and one of the weights for its type."""
    vector, wide = (ir.VectorType(kind, LANES) for kind in (weight.type, llvm.DOUBLE))
    size = 4 if weight.type == llvm.FLOAT else 8
    total, *_ = llvm.variables(builder, [llvm.constant(wide, 0.0)])
    with cgutils.for_range(builder, vectors) as loop:
        values = llvm.load(builder, llvm.after(builder, source, loop.index, LANES * size), vector)
        sizes = llvm.call(builder, "fabs", values if vector == wide else builder.fpext(values, wide))
        place = llvm.after(builder, columns, loop.index, LANES * 8)
        llvm.update(builder, builder.fadd, total, sizes)
        llvm.store(builder, builder.fadd(llvm.load(builder, place, wide), sizes), place)
    llvm.store(builder, builder.load(total), lanes)


@part
def add_sizes(weights, rows, columns):
    """Add the sizes of weights (V, H), contiguous, to their float64 sums over each row (V,) and each column (H,)."""
    lanes = np.empty(LANES)
    visible, hidden = weights.shape
    whole = hidden // LANES * LANES
    for i in range(visible):
        row = weights[i]
        _add_sizes(weights.dtype.type(0.0), row.ctypes.data, whole // LANES, lanes.ctypes.data, columns.ctypes.data)
        total = lanes.sum()
        for j in range(whole, hidden):
            size = abs(np.float64(row[j]))
            total += size
            columns[j] += size
        rows[i] += total
