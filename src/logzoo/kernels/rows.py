"""Sums of rows of an integer table, selected by a list of indices: the inner loop of every Gibbs sweep.

A table holds one block of `WIDTH` columns of the weights, all rows, contiguous. Sums are int32, so the order of
additions does not matter: adding the units that are on and adding or subtracting the units that flipped give the same
bits.
"""

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

# Columns of a block: four 256-bit registers of int32. A block of 784 rows is 100 kB and stays in the level-2 cache
# while every chain passes over it.
WIDTH = 32
_LANES = 8
_BYTES = 4


def _vector_pointer(builder, address, byte_offset):
    vector = ir.VectorType(ir.IntType(32), _LANES)
    return builder.inttoptr(builder.add(address, ir.Constant(address.type, byte_offset)), vector.as_pointer())


@intrinsic
def _accumulate(typing_context, table, indices, count, sums, subtract):
    """sums[:WIDTH] += or -= table[indices[m], :WIDTH] for m < count; the first, second and fourth are addresses."""
    if not isinstance(subtract, types.BooleanLiteral | types.Literal):
        return None
    negative = bool(subtract.literal_value)

    def generate(context, builder, signature, arguments):
        table, indices, count, sums, _ = arguments
        vector = ir.VectorType(ir.IntType(32), _LANES)
        strips = range(WIDTH // _LANES)
        totals = [cgutils.alloca_once(builder, vector) for _ in strips]
        for strip, total in zip(strips, totals, strict=True):
            pointer = _vector_pointer(builder, sums, strip * _LANES * _BYTES)
            builder.store(builder.load(pointer, align=_BYTES), total)
        with cgutils.for_range(builder, count) as loop:
            entry = builder.inttoptr(
                builder.add(indices, builder.mul(loop.index, ir.Constant(indices.type, _BYTES))),
                ir.IntType(32).as_pointer(),
            )
            row = builder.zext(builder.load(entry, align=_BYTES), table.type)
            start = builder.add(table, builder.mul(row, ir.Constant(table.type, WIDTH * _BYTES)))
            for strip, total in zip(strips, totals, strict=True):
                pointer = _vector_pointer(builder, start, strip * _LANES * _BYTES)
                values = builder.load(pointer, align=_BYTES)
                before = builder.load(total)
                builder.store(builder.sub(before, values) if negative else builder.add(before, values), total)
        for strip, total in zip(strips, totals, strict=True):
            pointer = _vector_pointer(builder, sums, strip * _LANES * _BYTES)
            builder.store(builder.load(total), pointer, align=_BYTES)
        return context.get_dummy_value()

    intp = types.intp
    return types.void(intp, intp, intp, intp, subtract), generate


@njit(inline="always")
def add_rows(table, indices, count, sums):
    """sums (WIDTH,) += the rows of `table` (rows, WIDTH) listed by the first `count` of `indices`; all int32."""
    _accumulate(table.ctypes.data, indices.ctypes.data, count, sums.ctypes.data, False)


@njit(inline="always")
def subtract_rows(table, indices, count, sums):
    """sums (WIDTH,) -= the rows of `table` (rows, WIDTH) listed by the first `count` of `indices`; all int32."""
    _accumulate(table.ctypes.data, indices.ctypes.data, count, sums.ctypes.data, True)
