"""Steps along a direction, in place."""

import numpy as np

from logzoo.kernels.compiled import kernel

# Of a float32: all but the sign.
_SIZE = np.int32(0x7FFFFFFF)
# Numbers moved before their sizes are looked at: they are still in the level-1 cache.
_TOGETHER = 2048


@kernel
def add_multiple(values, rate, direction):
    """values += rate * direction, all float32 and one-dimensional; returns the largest size, NaN if any is NaN.

    As integers, the bits of sizes have the order of the sizes, those of NaN behind infinity: maxima of integers are
    taken in whole vectors, those of floats, because of NaN, are not.
    """
    bits = values.view(np.int32)
    largest = np.zeros(1, np.int32)
    for first in range(0, values.size, _TOGETHER):
        part, step = values[first : first + _TOGETHER], direction[first : first + _TOGETHER]
        for i in range(part.size):
            part[i] += rate * step[i]
        most = largest[0]
        sizes = bits[first : first + _TOGETHER]
        for i in range(sizes.size):
            most = max(most, np.int32(sizes[i] & _SIZE))
        largest[0] = most
    return largest.view(np.float32)[0]
