"""A stand-in for tensors of PyTorch, which need not be installed."""

import numpy as np


class Tensor:
    """Like a PyTorch tensor on another device, with a gradient: only a detached copy has numbers."""

    def __init__(self, array):
        self.array, self.shape, self.itemsize = array, array.shape, array.itemsize

    def detach(self):
        return self

    cpu = detach

    def is_floating_point(self):
        return True

    def float(self):
        return Tensor(self.array.astype(np.float32))

    def numpy(self):
        return self.array

    def __array__(self, *_, **__):
        raise RuntimeError("call detach")
