"""Sums of rows of an integer table, selected by lists of indices: the inner loop of every Gibbs sweep.

A table holds one block of `WIDTH` columns of the weights, all rows, contiguous. Sums are int32, so the order of
additions does not matter: adding the units that are on and adding or subtracting the units that flipped give the same
bits.
"""

from numba import types
from numba.core import cgutils

from logzoo.kernels.llvm import INT32, WIDE_INTEGERS, after, emitted, load, load_row, store_row, update, variables

# Columns of a block: four registers of 256 bits, or two of 512. A block of 784 rows is 100 kB and stays in the level-2
# cache while every chain passes over it.
WIDTH = 32
_STRIPS = WIDTH // WIDE_INTEGERS.count
BYTES = 4


@emitted(types.void, *[types.intp] * 7)
def update_sums(builder, table, plus, rises, minus, falls, start, sums):
    """sums[:WIDTH] = start[:WIDTH], plus and minus the listed rows of `table` (rows, WIDTH).

    All are addresses of int32 but for how many rows are listed to add, `rises`, and to subtract, `falls`.
    """
    totals = variables(builder, load_row(builder, start, WIDE_INTEGERS, _STRIPS))
    for combine, indices, count in ((builder.add, plus, rises), (builder.sub, minus, falls)):
        with cgutils.for_range(builder, count) as loop:
            index = load(builder, after(builder, indices, loop.index, BYTES), INT32)
            place = after(builder, table, builder.zext(index, table.type), WIDTH * BYTES)
            for total, row in zip(totals, load_row(builder, place, WIDE_INTEGERS, _STRIPS), strict=True):
                update(builder, combine, total, row)
    store_row(builder, totals, sums)
