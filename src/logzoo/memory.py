"""What jobs hold in memory: peaks fitted to those measured, by the kind of job and what it reads.

Memory in MB. `read`: the data sets that a job reads, and what else it is known to hold. A peak is
{base, read}: MB of the job itself, and MB for every MB that it reads.
"""

import math

import numpy as np
from scipy.optimize import nnls

# What is declared over what is fitted, and the most that it may be over what was measured.
MARGIN = 1.1
WITHIN = 1.5
# How many times as much one job must read as another, if peaks are to tell what is read from the rest.
_TOLD_APART = 2.0
_STEP = 10


def fitted(measured):
    """Peaks {kind: {base, read}} that no measured one is over, from [(kind, read, peak)]; none negative."""
    kinds = sorted({kind for kind, _, _ in measured})
    return {kind: _envelope([(read, peak) for one, read, peak in measured if one == kind]) for kind in kinds}


def declared(kind, read, peaks):
    """MB to ask for, a multiple of ten; of a kind that was never measured, those of the dearest of its family.

    Kinds whose first words are the same are a family; where nobody of it was measured, all are.
    """
    family = [peak for name, peak in peaks.items() if name.split()[0] == kind.split()[0]]
    known = [peaks[kind]] if kind in peaks else family or peaks.values()
    most = max(one["base"] + one["read"] * read for one in known)
    return _STEP * math.ceil(round(MARGIN * most / _STEP, 6))


def _envelope(points):
    """{base, read} of one kind: least squares of relative errors, lifted over every point."""
    read, peaks = np.array(points, float).T
    slope = 0.0
    if read.max() >= _TOLD_APART * max(read.min(), 1.0):
        matrix = np.column_stack([1.0 / peaks, read / peaks])
        scale = matrix.max(axis=0)
        slope = (nnls(matrix / scale, np.ones(len(peaks)))[0] / scale)[1]
    return {"base": float((peaks - slope * read).max()), "read": float(slope)}
