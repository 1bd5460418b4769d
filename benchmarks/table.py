"""A Markdown table of ratios with their bounds."""

import argparse
import time
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from logzoo import RBM

REPEATS = 9


class Row(NamedTuple):
    """One line of the table: a ratio, and the bound it should keep."""

    what: str
    ratio: float
    bound: str  # "<=" or ">="
    target: float

    @property
    def met(self):
        return self.ratio <= self.target if self.bound == "<=" else self.ratio >= self.target


def seconds_of(*functions, repeats=REPEATS):
    """Seconds (functions, repeats) of each function, called in turn after one warm-up."""
    seconds = np.empty((len(functions), repeats + 1))
    for repeat in range(repeats + 1):
        for function, taken in zip(functions, seconds, strict=True):
            start = time.perf_counter()
            function()
            taken[repeat] = time.perf_counter() - start
    return seconds[:, 1:]


def ratio(times, others):
    """Median over repeats of times / others; both times of a repeat are taken in turn, under similar load."""
    return float(np.median(times / others))


def print_row(*cells):
    print("|", " | ".join(map(str, cells)), "|", flush=True)


def print_heads(*heads):
    print_row(*heads)
    print("|---" * len(heads) + "|")


def run(rows_of):
    """Print the table of `rows_of(rbm)`; returns the exit code: with --check, 1 when a row misses its target."""
    parser = argparse.ArgumentParser(description="Ratios of times taken in turn, as a Markdown table.")
    parser.add_argument("--model", default="data/quick/models/mnist-cd25-500.nc", help="784 x 500 RBM")
    parser.add_argument("--check", action="store_true", help="exit code 1 when a row misses its target")
    arguments = parser.parse_args()
    rbm = RBM.load(arguments.model)
    print_heads("what", "ratio", "target", "met")
    table = []
    # With two threads BLAS is many times slower if another process uses one of the cores.
    with threadpool_limits(1, "blas"):
        for row in rows_of(rbm):
            table.append(row)
            bound = "at most" if row.bound == "<=" else "at least"
            print_row(row.what, f"{row.ratio:.2f}", f"{bound} {row.target:g}", "yes" if row.met else "NO")
    return int(arguments.check and not all(row.met for row in table))
