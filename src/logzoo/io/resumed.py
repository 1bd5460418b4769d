"""Objects that a checkpoint can hold: a `state` of arrays by name, and `restore`."""

import numpy as np


class Resumed:
    """An object of which numbers and arrays alone change, the attributes that `_kept` names."""

    _kept = ()

    @property
    def state(self):
        """Copies of the attributes by name."""
        return {name: np.array(getattr(self, name)) for name in self._kept}

    def restore(self, state):
        """Go on from a `state`, to the same bits."""
        for name in self._kept:
            setattr(self, name, state[name].copy() if state[name].ndim else state[name].item())
