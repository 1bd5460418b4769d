"""How the package draws units, for whole arrays: by the exact rule, and by leading halves alone."""

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from logzoo.kernels.bernoulli import draw_unit, emit_decision


@njit
def _draw_all(logits, words, state):
    for unit in range(state.size):
        state[unit] = draw_unit(logits[unit], words[unit])


def draw_each(logits, words):
    """State (units,) uint8 of units of these logits (float32), each drawn by the exact rule with its word (uint32)."""
    state = np.full(len(logits), 7, np.uint8)
    _draw_all(logits, words, state)
    return state


@intrinsic
def _decide_eight(typing_context, x, halves):
    """Drawn ones in the low byte, open units in the next byte; x and halves are addresses of float32 and uint32."""

    def generate(context, builder, signature, arguments):
        lanes = [ir.VectorType(part, 8) for part in (ir.FloatType(), ir.IntType(32))]
        loaded = [
            builder.load(builder.inttoptr(address, vector.as_pointer()), align=4)
            for address, vector in zip(arguments, lanes, strict=True)
        ]
        drawn, undecided = (
            builder.zext(builder.bitcast(mask, ir.IntType(8)), ir.IntType(32))
            for mask in emit_decision(builder, *loaded)
        )
        return builder.or_(drawn, builder.shl(undecided, ir.Constant(undecided.type, 8)))

    return types.uint32(types.intp, types.intp), generate


@njit
def _decide_all(logits, halves, bits):
    for group in range(bits.size):
        bits[group] = _decide_eight(logits.ctypes.data + 32 * group, halves.ctypes.data + 32 * group)


def decide_each(logits, halves):
    """(drawn, open), bool arrays, of units of these logits (float32) and leading halves (uint32), a multiple of 8."""
    bits = np.zeros(len(logits) // 8, np.uint32)
    _decide_all(logits, halves, bits)
    units = (bits[:, None] >> np.arange(16) & 1).astype(bool)
    return units[:, :8].ravel(), units[:, 8:].ravel()
