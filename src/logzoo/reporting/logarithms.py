"""Exponentials and logarithms for what is read off artifacts.

NumPy's own of double precision differ in the last digit with the vector width of the processor. Those of extended
precision have no vectors, and hardly anything is left to round.
"""

import numpy as np


def exp(x):
    """exp(x), double precision, elementwise."""
    return np.exp(x, dtype=np.longdouble).astype(float)


def log(x):
    """log(x), double precision, elementwise."""
    return np.log(x, dtype=np.longdouble).astype(float)
