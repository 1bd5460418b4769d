"""What jobs cost: work counted from their settings, and rates of work fitted to measured times.

Work of a kind ("train pcd", "estimate rts", "enumerate", ...) is a pair (steps, visits): steps are rounds of a loop, an
update or a sweep each; visits are weights looked at, V H of them in a chain-sweep of a V x H RBM. The work of a job is
{kind: Work}, and a rate the seconds of a step and of a visit.
"""

import os
import platform
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from logzoo.reporting.printing import columns

# Settings of trainers that nobody gave.
_TEMPERATURES = 5
_TEMPERED = {"sml-pt", "sml-apt"}
_SWAPPED = {"pt", "ins", "pins"}
_SIMULATED = {"rms-spectral", "rmsprop"}
# Sweeps by which the trainers of simulated tempering settle log Zhat before the first update.
_SETTLING = 500
# How many times as many visits a step the one job must have as the other, if times are to tell visits from steps.
_TOLD_APART = 3.0
# Every job has one step of this kind, by itself: Python starts, artifacts are read and written.
START = "start"
# So has every job that draws a picture.
DRAW = "draw"


class Work(NamedTuple):
    """Rounds of a loop, and weights looked at."""

    steps: float = 0.0
    visits: float = 0.0


def total(*works, times=1):
    """The sum of works {kind: Work}, several times over."""
    steps, visits = Counter(), Counter()
    for kind, work in (item for one in works for item in one.items()):
        steps[kind] += work.steps * times
        visits[kind] += work.visits * times
    return {kind: Work(steps[kind], visits[kind]) for kind in steps}


def training(train, visible):
    """Work of one training; train: settings of an entry of the configuration, its options beside or inside them."""
    settings = {**train, **train.get("options", {})}
    method, hidden, batch = settings["method"], settings["hidden"], settings["batch"]
    if method == "exact":
        return {"train exact": Work(settings["updates"], settings["updates"] * 2.0 ** min(visible, hidden))}
    k = settings.get("k", 25 if method in _SIMULATED else 1)
    chains = settings.get("particles", 2000 if method in _SIMULATED else batch)
    if method in _TEMPERED:
        chains *= settings.get("rungs", 10)
    elif method in _SWAPPED:
        chains *= len(settings.get("temperatures", range(_TEMPERATURES)))
    settling = _SETTLING * chains if method in _SIMULATED else 0
    visits = (settings["updates"] * (batch + chains * k) + settling) * visible * hidden
    return {f"train {method}": Work(settings["updates"], visits)}


def estimates(settings, visible, hidden):
    """Work of estimates; settings: {name: {method, budgets, replicates, chains}}."""
    works = []
    for one in settings.values():
        sweeps = sum(one["budgets"]) * one["replicates"]
        works.append({f"estimate {one['method']}": sampling(sweeps, one["chains"], visible, hidden)})
    return total(*works)


def sampling(sweeps, chains, visible, hidden):
    """Work of so many sweeps of so many chains."""
    return Work(float(sweeps), float(sweeps) * chains * visible * hidden)


def enumeration(visible, hidden):
    """Work of an exact log Z: every state of the smaller layer."""
    return {"enumerate": Work(0.0, 2.0 ** min(visible, hidden) * max(visible, hidden))}


def seconds(work, rates):
    """Core-seconds of work at rates {kind: {step, visit}}; ValueError for a kind that was never measured."""
    unknown = sorted(set(work) - set(rates))
    if unknown:
        raise ValueError(
            f"no measured rate of {', '.join(unknown)}: run the quick scale, then `snakemake measure_rates`"
        )
    return sum(one.steps * rates[kind]["step"] + one.visits * rates[kind]["visit"] for kind, one in work.items())


def fitted(measured):
    """Rates {kind: {step, visit}} from [(work, seconds)], by least squares of relative errors, none negative.

    Where all work of a kind has about as many visits a step, times do not tell the two apart: they are put down to the
    visits, which grow with the model.
    """
    kinds = sorted({kind for work, _ in measured for kind in work})
    matrix = np.zeros((len(measured), 2 * len(kinds)))
    for row, (work, taken) in enumerate(measured):
        for kind, one in work.items():
            column = 2 * kinds.index(kind)
            matrix[row, column : column + 2] = one.steps / taken, one.visits / taken
    for column in range(0, matrix.shape[1], 2):
        steps, visits = matrix[:, column], matrix[:, column + 1]
        ratios = visits[steps > 0] / steps[steps > 0]
        if ratios.size and 0 < ratios.max() < _TOLD_APART * ratios.min():
            matrix[:, column] = 0.0
    # Columns of one size: seconds of a step and of a visit are ten powers of ten apart.
    scale = np.maximum(matrix.max(axis=0), np.finfo(float).tiny)
    found = (nnls(matrix / scale, np.ones(len(measured)))[0] / scale).tolist()
    return {
        kind: {"step": step, "visit": visit} for kind, step, visit in zip(kinds, found[::2], found[1::2], strict=True)
    }


def table(rows):
    """Lines with jobs, core-hours, longest job and most memory of rows (paper, name, core-seconds of its jobs, MB)."""
    heads = ("", "paper", "jobs", "core-hours", "longest job [h]", "largest job [MB]")
    cells = [
        (name, paper, f"{len(jobs):,}", f"{sum(jobs) / 3600:,.2f}", f"{max(jobs) / 3600:,.2f}", f"{largest:,}")
        for paper, name, jobs, largest in rows
    ]
    return columns(heads, cells)


def processor():
    """Name of the processor and the number of its cores that are ours."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.processor() or 'an unknown processor'}, {os.cpu_count()} cores"
