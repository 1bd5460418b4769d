"""Sums of rows of an integer table, selected by lists of indices: the inner loop of every Gibbs sweep.

A table holds one block of `WIDTH` columns of the weights, all rows, contiguous. Sums are int32, so the order of
additions does not matter: adding the units that are on and adding or subtracting the units that flipped give the same
bits.
"""

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from logzoo.kernels.emitting import load, pointer

# Columns of a block: four 256-bit registers of int32. A block of 784 rows is 100 kB and stays in the level-2 cache
# while every chain passes over it.
WIDTH = 32
_LANES = 8
_BYTES = 4
_VECTOR = ir.VectorType(ir.IntType(32), _LANES)


def _strips(builder, address):
    """Pointers to the vectors of one row of WIDTH integers."""
    return (pointer(builder, address, _VECTOR, strip * _LANES * _BYTES) for strip in range(WIDTH // _LANES))


def _accumulate(builder, combine, table, indices, count, totals):
    """Combine the rows table[indices[m]], m < count, with the running `totals` (vectors in registers)."""
    with cgutils.for_range(builder, count) as loop:
        address = builder.add(indices, builder.mul(loop.index, ir.Constant(indices.type, _BYTES)))
        index = load(builder, address, ir.IntType(32), _BYTES)
        row = builder.mul(builder.zext(index, table.type), ir.Constant(table.type, WIDTH * _BYTES))
        for strip, total in zip(_strips(builder, builder.add(table, row)), totals, strict=True):
            builder.store(combine(builder.load(total), builder.load(strip, align=_BYTES)), total)


@intrinsic
def _update(typing_context, table, plus, rises, minus, falls, start, sums):
    """The body of `update_sums`; all but the two counts are addresses."""

    def generate(context, builder, signature, arguments):
        table, plus, rises, minus, falls, start, sums = arguments
        totals = [cgutils.alloca_once(builder, _VECTOR) for _ in range(WIDTH // _LANES)]
        for strip, total in zip(_strips(builder, start), totals, strict=True):
            builder.store(builder.load(strip, align=_BYTES), total)
        _accumulate(builder, builder.add, table, plus, rises, totals)
        _accumulate(builder, builder.sub, table, minus, falls, totals)
        for strip, total in zip(_strips(builder, sums), totals, strict=True):
            builder.store(builder.load(total), strip, align=_BYTES)
        return context.get_dummy_value()

    return types.void(*[types.intp] * 7), generate


@njit(inline="always")
def update_sums(table, plus, rises, minus, falls, start, sums, column):
    """sums[column : column + WIDTH] = the same columns of `start`, plus and minus the listed rows of `table`.

    table (rows, WIDTH); plus and minus list `rises` and `falls` rows; start and sums are vectors.
    All are contiguous int32.
    """
    _update(
        table.ctypes.data,
        plus.ctypes.data,
        rises,
        minus.ctypes.data,
        falls,
        start.ctypes.data + column * _BYTES,
        sums.ctypes.data + column * _BYTES,
    )
