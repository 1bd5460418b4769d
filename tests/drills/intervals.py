"""Whether intervals hold the exact log Z: every estimator on small RBMs of many kinds, and a table by estimator.

    python tests/drills/intervals.py run rows.jsonl --first 0 --models 200   # 200 models take about half an hour
    python tests/drills/intervals.py table rows.jsonl

Models are numbered: thresholds are chosen on one range of numbers and shown on another.
"""

import argparse
import json
import math
from itertools import chain
from pathlib import Path

import numpy as np

from logzoo import RBM, estimate_log_z, exact_log_z, train_rbm
from logzoo.estimators import evidence
from logzoo.estimators.estimator_registry import ESTIMATORS
from logzoo.models.known.families import known
from logzoo.streams import root_stream

SWEEPS, CHAINS, NEEDS_DATA = 300, (20, 100), {"raise", "trajectory-raise", "las-vegas"}
# Nats: a converged estimate with a larger error is useless.
MOST_ERROR = 10.0


def normal(generator):
    """Weights and biases of any size, in layers of any size."""
    visible, hidden = int(generator.integers(4, 60)), int(generator.integers(2, 11))
    scale = np.exp(generator.uniform(np.log(0.02), np.log(4.0))) / math.sqrt(hidden)
    shapes = (visible, hidden), visible, hidden
    return RBM(*(width * generator.normal(size=shape) for width, shape in zip((scale, 1.0, 1.0), shapes, strict=True)))


def patterns(generator):
    """A few stored patterns, so a few modes."""
    visible, hidden, count = (int(generator.integers(*ends)) for ends in ((20, 100), (4, 11), (1, 5)))
    rows, columns = (generator.choice([-1.0, 1.0], (count, size)) for size in (visible, hidden))
    weights = generator.uniform(0.5, 6.0) * rows.T @ columns / math.sqrt(visible * hidden)
    rbm, _ = RBM.from_spins(weights, np.zeros(visible), 0.05 * generator.normal(size=hidden))
    return rbm


def trained(generator):
    """Trained by CD or PCD on noisy copies of a few pictures, 28 x 28 or smaller, as public models are."""
    side, hidden = int(generator.choice([6, 12, 28])), int(generator.integers(5, 11))
    seed = int(generator.integers(2**31))
    pictures = generator.random((int(generator.integers(2, 11)), side * side)) < generator.uniform(0.05, 0.3)
    examples = pictures[generator.integers(0, len(pictures), 500)] ^ (generator.random((500, side * side)) < 0.03)
    updates, rate = int(generator.choice([30, 300, 1500])), float(generator.choice([0.02, 0.2]))
    settings = {"hidden": hidden, "batch": 50, "updates": updates, "learning_rate": rate, "seed": seed}
    return train_rbm(examples.astype(np.uint8), str(generator.choice(["cd", "pcd"])), **settings).rbm


def bimodal(generator):
    """Two modes, equal or one wide and one narrow."""
    seed, hidden = int(generator.integers(2**31)), int(generator.integers(4, 11))
    name = str(generator.choice(["twins", "wide-narrow"]))
    return known(name, seed, visible=int(generator.integers(8, 40)), hidden=hidden).rbm


KINDS = (normal, patterns, trained, bimodal)


def model(number):
    """(kind, RBM, 200 exact draws of v) of that number."""
    generator = np.random.default_rng([56, number])
    kind = KINDS[number % len(KINDS)]
    rbm = kind(generator)
    states = (np.arange(1 << rbm.hidden)[:, None] >> np.arange(rbm.hidden)) & 1
    log_p = rbm.transposed.log_f(states)
    h = states[generator.choice(len(states), 200, p=np.exp(log_p - np.logaddexp.reduce(log_p)))]
    p = 1.0 / (1.0 + np.exp(-np.clip(h @ rbm.weights.T + rbm.visible_bias, -700.0, 700.0)))
    return kind.__name__, rbm, (generator.random(p.shape) < p).astype(np.uint8)


def rows_of(number, methods=tuple(ESTIMATORS), chains=CHAINS):
    """Yield a row for each run: the estimate of a model and the truth. Evidence is gathered once."""
    kind, rbm, data = model(number)
    truth, gathered = exact_log_z(rbm), evidence.gather(rbm, root_stream(number).child("evidence"))
    for count in chains:
        for method in methods:
            settings = {"sweeps": SWEEPS, "chains": count, "seed": number, "check": False}
            settings |= {"data": data} if method in NEEDS_DATA else {}
            estimate = evidence.cut(evidence.weighed(estimate_log_z(rbm, method, **settings), gathered))
            row = {"model": number, "kind": kind, "size": rbm.weights.shape, "method": method, "chains": count}
            row |= {name: getattr(estimate, name) for name in ("log_z", "std_error", "interval", "bounds", "reasons")}
            yield row | {"truth": truth, "diagnostics": dict(estimate.diagnostics)}


def faults(row):
    """Names of the faults of a run that chance does not explain: not finite, a wrong bound, a too large error."""
    numbers = row["log_z"], row["std_error"], *row["interval"]
    converged, (low, high) = not row["reasons"], row["bounds"]
    signs = {"not finite": not np.isfinite(numbers).all(), "bound": not low - 1e-9 <= row["truth"] <= high + 1e-9}
    signs["error too large"] = converged and not row["interval"][1] - row["interval"][0] < 4.0 * MOST_ERROR
    return [name for name, holds in signs.items() if holds]


def holds(row):
    """Whether the interval holds the truth, but for rounding."""
    low, high = row["interval"]
    slack = 1e-9 * max(1.0, abs(row["truth"]))
    return low - slack <= row["truth"] <= high + slack


def table(rows):
    """By method and chains: converged runs, how many of their intervals hold log Z, and those with faults."""
    counts = sorted({row["chains"] for row in rows})
    heads = (f" converged, {count} chains | coverage | silently wrong | faults |" for count in counts)
    print("| method |" + "".join(heads))
    print("|---|" + "---|---|---|---|" * len(counts))
    for method in dict.fromkeys(row["method"] for row in rows):
        cells = []
        for count in counts:
            runs = [row for row in rows if (row["method"], row["chains"]) == (method, count)]
            good = [row for row in runs if not row["reasons"]]
            wrong = sum(abs(row["log_z"] - row["truth"]) > max(0.5, 4.0 * row["std_error"]) for row in good)
            share = f"{100 * np.mean([holds(row) for row in good]):.0f}%" if good else ""
            cells += [f"{len(good)} of {len(runs)}", share, wrong, sum(bool(faults(row)) for row in runs)]
        print(f"| `{method}` | " + " | ".join(map(str, cells)) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=("run", "table"))
    parser.add_argument("path", type=Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--models", type=int, default=200)
    parser.add_argument("--methods", nargs="+", default=list(ESTIMATORS))
    arguments = parser.parse_args()
    if arguments.command == "run":
        numbers = range(arguments.first, arguments.first + arguments.models)
        with arguments.path.open("a") as lines:
            for row in chain.from_iterable(rows_of(number, arguments.methods) for number in numbers):
                print(json.dumps(row), file=lines, flush=True)
    table(list(map(json.loads, arguments.path.read_text().splitlines())))


if __name__ == "__main__":
    main()
