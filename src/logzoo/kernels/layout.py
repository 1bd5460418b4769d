"""Arrays the kernels work on: fixed-point parameters in blocks of columns, and chains."""

import numpy as np
from numba import njit

from logzoo.kernels.compaction import GROUP
from logzoo.kernels.gibbs import Chains, Parameters
from logzoo.kernels.rows import WIDTH

# Inputs stay below 2**30, so that one more row in transit cannot overflow an int32.
_LARGEST_SUM_BITS = 30
_LINE_BYTES = 64


def fixed_point_unit(weights, visible_bias, hidden_bias, base):
    """The power of two of which all parameters are taken as multiples (float).

    The smallest for which no input b + v W or c + W h can exceed 2**30: each parameter is off by at most half of it.
    Raises ValueError when such an input would overflow float64.
    """
    largest = max(
        np.max(np.abs(hidden_bias) + np.abs(weights).sum(axis=0)),
        np.max(np.abs(visible_bias) + np.abs(weights).sum(axis=1)),
        np.max(np.abs(base)),
    )
    if not np.isfinite(largest):
        raise ValueError("weights: expected parameters whose sums are finite, found sums that overflow")
    exponent = int(np.ceil(np.log2(largest))) if largest > 0 else 0
    # Small models need no finer grid than float32 resolves, and a modest exponent keeps float32 scaling exact.
    return 2.0 ** max(exponent - _LARGEST_SUM_BITS, -_LARGEST_SUM_BITS)


def fixed_point_parameters(weights, visible_bias, hidden_bias, base):
    """Kernel parameters from weights (V, H), biases and base log-odds (V,)."""
    unit = fixed_point_unit(weights, visible_bias, hidden_bias, base)
    blocks, transposed = _both_layouts(weights, unit)
    return Parameters(
        weights=blocks,
        weights_transposed=transposed,
        visible_bias=_padded(np.rint(visible_bias / unit).astype(np.int32)),
        hidden_bias=_padded(np.rint(hidden_bias / unit).astype(np.int32)),
        base=_padded(np.rint(base / unit).astype(np.int32)),
        unit=np.float32(unit),
    )


def paired_parameters(near, far, unit):
    """Kernel parameters of two RBMs (weights, visible bias, hidden bias), side by side, as multiples of one unit.

    Columns of the near RBM come first in every array. There is no base: the path goes from one RBM to the other.
    """
    layouts = [_both_layouts(weights, unit) for weights, _, _ in (near, far)]
    biases = [[_padded(np.rint(bias / unit).astype(np.int32)) for bias in rbm[1:]] for rbm in (near, far)]
    return Parameters(
        weights=np.concatenate([blocks for blocks, _ in layouts]),
        weights_transposed=np.concatenate([transposed for _, transposed in layouts]),
        visible_bias=np.concatenate([visible for visible, _ in biases]),
        hidden_bias=np.concatenate([hidden for _, hidden in biases]),
        base=_padded(np.zeros(len(near[1]), np.int32)),
        unit=np.float32(unit),
    )


def paired_chains(count, visible, hidden):
    """`count` chains of zeros, numbered from 0, with the inputs of two RBMs side by side."""
    chains = new_chains(count, visible, hidden)
    inputs = {name: np.tile(getattr(chains, name), 2) for name in ("hidden_input", "visible_input")}
    return chains._replace(**inputs)


def new_chains(count, visible, hidden):
    """`count` chains of zeros, numbered from 0."""
    room = max(visible, hidden) + 2 * GROUP
    return Chains(
        number=np.arange(count, dtype=np.uint64),
        v=np.zeros((count, visible), np.uint8),
        h=np.zeros((count, hidden), np.uint8),
        hidden_input=_aligned_zeros((count, _round_up(hidden))),
        visible_input=_aligned_zeros((count, _round_up(visible))),
        plus=np.zeros((count, room), np.int32),
        minus=np.zeros((count, room), np.int32),
        counts=np.zeros((count, 3), np.int64),
    )


def _round_up(columns):
    return -(-columns // WIDTH) * WIDTH


def _padded(vector):
    return np.pad(vector, (0, _round_up(vector.size) - vector.size))


def _both_layouts(weights, unit):
    """Blocks of columns (blocks of H, V, WIDTH) and of rows (blocks of V, H, WIDTH) of weights in fixed point."""
    visible, hidden = weights.shape
    blocks = _aligned_zeros((_round_up(hidden) // WIDTH, visible, WIDTH))
    transposed = _aligned_zeros((_round_up(visible) // WIDTH, hidden, WIDTH))
    weights = np.ascontiguousarray(weights)
    _fill_layouts(weights, weights.dtype.type(1.0 / unit), blocks, transposed)
    return blocks, transposed


@njit(cache=True)
def _fill_layouts(weights, scale, blocks, transposed):
    """Round scale * weights (V, H) into both layouts, a tile of WIDTH x WIDTH at a time, whose lines stay in cache."""
    visible, hidden = weights.shape
    for first_row in range(0, visible, WIDTH):
        height = min(WIDTH, visible - first_row)
        rows = transposed[first_row // WIDTH]
        for first_column in range(0, hidden, WIDTH):
            width = min(WIDTH, hidden - first_column)
            columns = blocks[first_column // WIDTH]
            for i in range(height):
                for j in range(width):
                    columns[first_row + i, j] = np.int32(np.rint(weights[first_row + i, first_column + j] * scale))
            for j in range(width):
                for i in range(height):
                    rows[first_column + j, i] = columns[first_row + i, j]


def _aligned_zeros(shape):
    """Zeros (int32) that start on a cache line.

    NumPy promises 16 bytes only, and large arrays lie 16 bytes behind a line: then every other load of a vector
    straddles two lines, and sums of rows take a third longer.
    """
    size = int(np.prod(shape))
    room = np.zeros(size + _LINE_BYTES // 4, np.int32)
    first = -room.ctypes.data % _LINE_BYTES // 4
    return room[first : first + size].reshape(shape)
