"""Which units of a layer changed, as lists of indices: eight units at a time, without branches."""

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

# Units looked at together.
GROUP = 8
# Rows of eight: the positions of the set bits of each byte, in order; behind them whatever.
_POSITIONS = np.array(
    [sorted(range(GROUP), key=lambda bit, byte=byte: not byte >> bit & 1) for byte in range(256)], np.int32
)
_COUNTS = np.array([byte.bit_count() for byte in range(256)], np.int64)
# Multiplying eight bytes of 0 or 1 by this gathers them, first byte lowest, in the top byte of the product.
_GATHER = np.uint64(0x0102040810204080)
# Multiplying by this sums the eight bytes in the top byte.
_SUM = np.uint64(0x0101010101010101)
_56 = np.uint64(56)


@intrinsic
def _store_positions(typing_context, positions, row, first, target):
    """target[:8] = positions[8 row : 8 row + 8] + first; `positions` and `target` are addresses of int32."""

    def generate(context, builder, signature, arguments):
        positions, row, first, target = arguments
        vector = ir.VectorType(ir.IntType(32), GROUP)
        source = builder.add(positions, builder.mul(row, ir.Constant(row.type, 4 * GROUP)))
        values = builder.load(builder.inttoptr(source, vector.as_pointer()), align=4)
        lane = builder.insert_element(ir.Constant(vector, ir.Undefined), first, ir.Constant(ir.IntType(32), 0))
        mask = ir.Constant(ir.VectorType(ir.IntType(32), GROUP), [0] * GROUP)
        offset = builder.shuffle_vector(lane, ir.Constant(vector, ir.Undefined), mask)
        builder.store(builder.add(values, offset), builder.inttoptr(target, vector.as_pointer()), align=4)
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, types.int32, types.intp), generate


@njit(inline="always")
def list_set(flags, indices):
    """Write the indices of the nonzero entries of `flags` (units rounded up to 8,) uint8, all 0 or 1; their number.

    `indices` int32 must have room for 8 more than it will list.
    """
    words = flags.view(np.uint64)
    positions = _POSITIONS.ctypes.data
    target = indices.ctypes.data
    count = 0
    for word in range(words.size):
        byte = np.int64((words[word] * _GATHER) >> _56)
        _store_positions(positions, byte, np.int32(word * GROUP), target + 4 * count)
        count += _COUNTS[byte]
    return count


@njit(inline="always")
def count_set(flags):
    """How many entries of `flags` (units rounded up to 8,) uint8, all 0 or 1, are 1."""
    words = flags.view(np.uint64)
    count = np.uint64(0)
    for word in range(words.size):
        count += (words[word] * _SUM) >> _56
    return np.int64(count)
