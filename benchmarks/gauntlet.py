"""Count right, refused and wrong estimates of RBMs of known log Z, by `auto` and by estimators without data.

    python benchmarks/gauntlet.py models gauntlet        # makes the models gauntlet/*.nc; needs a quick run
    python benchmarks/gauntlet.py run gauntlet out.json  # every method on every model; continues after an interruption
    python benchmarks/gauntlet.py table out.json         # the outcomes as a Markdown table

`run` uses only the public interface, so that other versions of the package can be tested, too.
"""

import argparse
import json
import os
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

import numpy as np
from table import print_heads, print_row

from logzoo import RBM, estimate_log_z, exact_log_z, train_rbm

# A run is wrong if its error exceeds this many nats and this many of its standard errors. If it also reports
# convergence, it is silently wrong.
NATS, ERRORS = 0.5, 4.0
SWEEPS, CHAINS = 1000, 100
# Methods that need no data.
METHODS = (
    *("ais", "smc", "basins", "ais-moments", "rts", "ts", "ti-riemann", "ti-trapezoid", "ti-corrected", "ti-rb"),
    *("mbar", "bar", "pt-mbar", "trajectory", "sams", "wang-landau", "sd", "rsd"),
    *("mean-field", "tap", "bethe"),
)
TOLERANCE, MOST_SWEEPS = 0.2, 60_000
# Trainings that give bad and good models: data set, method, hidden units, updates, learning rate.
TRAININGS = [
    ("mnist-binary", "cd", 15, 500, 0.1),
    ("mnist-binary", "cd", 20, 8000, 0.3),
    ("mnist-binary", "cd", 25, 4000, 0.05),
    ("mnist-binary", "pcd", 18, 8000, 0.2),
    ("mnist-binary", "rmsprop", 20, 400, 0.05),
    ("mnist-binary", "rmsprop", 15, 800, 0.02),
    ("mnist-binary", "pcd", 10, 2000, 0.05),
    ("caltech", "cd", 20, 4000, 0.1),
    ("caltech", "pcd", 20, 4000, 0.1),
    ("caltech", "rmsprop", 15, 400, 0.03),
    ("caltech", "cd", 25, 1000, 0.3),
    ("dna", "cd", 20, 4000, 0.3),
    ("dna", "pcd", 25, 4000, 0.1),
    ("dna", "rmsprop", 20, 400, 0.05),
    ("dna", "cd", 10, 8000, 0.1),
]
SIDES, COUPLINGS = (20, 28, 40), (0.35, 0.4406868, 0.5)


def families():
    """Yield (name, family, RBM, log Z) of models whose log Z is known."""
    from logzoo.models.known.families import known

    def model(name, family, seed=0, **options):
        return name, family, *known(family, seed=seed, **options)[:2]

    for side, coupling in product(SIDES, COUPLINGS):
        yield model(f"ising-{side}-{coupling:.2f}", "ising-torus", side=side, coupling=coupling)
    for scale, kind in product((0.5, 1.0, 2.0), ("gaussian", "signs")):
        yield model(f"glass-20-{kind}-{scale}", "planar-glass", rows=20, columns=20, scale=scale, couplings=kind)
    for seed in range(2):
        for family in ("twins", "wide-narrow", "hopfield", "blocks"):
            yield model(f"{family}-{seed}", family, seed)
    for scale in (0.3, 1.0, 2.0):
        yield model(f"random-{scale}", "random-small", scale=scale)
    for weight, share in product((30.0, 100.0, 1000.0), (0.5, 1.0)):
        name = f"cancelling-{weight:g}-{share:g}"
        yield name, "cancelling", *cancelling(weight, -share * weight, -(1.0 - share) * weight)


def cancelling(weight, visible_bias, hidden_bias, pairs=8):
    """(RBM, log Z) of independent pairs of units with huge weights that the biases cancel."""
    rbm = RBM(weight * np.eye(pairs), np.full(pairs, visible_bias), np.full(pairs, hidden_bias))
    states = [0.0, visible_bias, hidden_bias, visible_bias + hidden_bias + weight]
    return rbm, pairs * float(np.logaddexp.reduce(states))


def make(folder, data, zoo):
    """Write the models and their log Z to `folder`: models of known families, trained models, models of the zoo."""
    import xarray as xr

    from logzoo.datasets.build import visible_matrix
    from logzoo.io.netcdf import read_artifact

    folder.mkdir(parents=True, exist_ok=True)
    truths = {}

    def add(name, kind, rbm, log_z):
        rbm.save(folder / f"{name}.nc")
        truths[name] = float(log_z)
        print(f"{name}: {rbm.visible} x {rbm.hidden}, log Z {truths[name]:.4f} ({kind})", flush=True)

    for model in families():
        add(*model)
    for number, (dataset, method, hidden, updates, rate) in enumerate(TRAININGS):
        examples = visible_matrix(read_artifact(data / f"{dataset}.nc", "dataset"), "train")
        options = {"particles": 100, "k": 3, "rungs": 50} if method == "rmsprop" else {}
        settings = {"hidden": hidden, "updates": updates, "learning_rate": rate, "seed": number, **options}
        rbm = train_rbm(examples, method, **settings).rbm
        name = f"{dataset.partition('-')[0]}-{hidden}-{method}-{number}"
        add(name, "trained", rbm, exact_log_z(rbm, threads=os.cpu_count()))
    estimates = xr.open_dataset(zoo)
    for name in estimates["model"].values[estimates["truth_std_error"].values == 0.0]:
        rbm = RBM.load(zoo.parent / "models" / f"{name}.nc")
        add(f"zoo-{name}", "of the zoo", rbm, estimates["truth"].sel(model=name))
    (folder / "truths.json").write_text(json.dumps(truths, indent=1))


def attempt(path, truth, method, seed):
    """One run of one method on one model, as a row."""
    rbm, start = RBM.load(path), time.perf_counter()
    row = {"model": path.stem, "method": method, "seed": seed, "truth": truth}
    try:
        if method == "auto":
            options = {"tolerance": TOLERANCE, "enumerable": 0, "sweeps": MOST_SWEEPS, "threads": 1}
            estimate = estimate_log_z(rbm, "auto", chains=CHAINS, seed=seed, **options)
        else:
            estimate = estimate_log_z(rbm, method, sweeps=SWEEPS, chains=CHAINS, seed=seed)
    except ValueError as error:
        return row | {"refused": str(error), "seconds": time.perf_counter() - start}
    row |= {name: getattr(estimate, name) for name in ("log_z", "std_error", "interval", "sweeps")}
    row |= {name: getattr(estimate, name, ()) for name in ("reasons", "bounds")}
    row |= {"converged": bool(estimate.converged), "seconds": time.perf_counter() - start}
    return row | {"diagnostics": {name: float(value) for name, value in estimate.diagnostics.items()}}


def run(folder, output, methods, seeds, workers, models):
    """Run every method on every model, except for rows already in `output`, and write each row at once."""
    truths = json.loads((folder / "truths.json").read_text())
    rows = json.loads(output.read_text()) if output.exists() else []
    finished = {(row["model"], row["method"], row["seed"]) for row in rows}
    names = [name for name in truths if name.startswith(tuple(models) or "")]
    cells = [cell for cell in product(names, methods, range(seeds)) if cell not in finished]
    with ProcessPoolExecutor(workers) as pool:
        jobs = [pool.submit(attempt, folder / f"{name}.nc", truths[name], *rest) for name, *rest in cells]
        for job in jobs:
            rows.append(job.result())
            print(line(rows[-1]), flush=True)
            output.write_text(json.dumps(rows))


def outcome(row):
    """The outcome of a run against the truth: right, refused or wrong."""
    if not row.get("converged"):
        return "refused"
    error = abs(row["log_z"] - row["truth"])
    return "wrong" if error > NATS and error > ERRORS * row["std_error"] else "right"


def holds(row):
    """Whether the interval holds the truth, up to rounding."""
    low, high = row["interval"]
    slack = 1e-9 * max(1.0, abs(row["truth"]))
    return low - slack <= row["truth"] <= high + slack


def line(row):
    """One row as text."""
    if "log_z" not in row:
        return f"{row['model']:22} {row['method']:14} {row['refused']}"
    result = f"{row['log_z'] - row['truth']:+9.3f} +- {row['std_error']:.3f} {row['seconds']:6.1f} s {outcome(row)}"
    return f"{row['model']:22} {row['method']:14} {result} {' '.join(row['reasons'])}"


def table(paths):
    """Print the outcomes by method, with columns for each file of rows."""
    files = [json.loads(path.read_text()) for path in paths]
    print_heads("method", *("runs", "right", "refused", "silently wrong", "coverage of converged") * len(files))
    for method in (*METHODS, "auto"):
        if not any(row["method"] == method for rows in files for row in rows):
            continue
        cells = []
        for rows in files:
            chosen = [row for row in rows if row["method"] == method]
            outcomes = [outcome(row) for row in chosen]
            converged = [row for row in chosen if row.get("converged")]
            covered = [holds(row) for row in converged]
            coverage = f"{100 * np.mean(covered):.0f}% of {len(covered)}" if covered else ""
            cells += [len(chosen), *map(outcomes.count, ("right", "refused", "wrong")), coverage]
        print_row(f"`{method}`", *cells)


def main():
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    models = commands.add_parser("models")
    models.set_defaults(command=make)
    models.add_argument("folder", type=Path)
    models.add_argument("--data", type=Path, default=Path("data/datasets"), help="data sets of the workflow")
    models.add_argument("--zoo", type=Path, default=Path("data/quick/zoo.nc"), help="zoo of the workflow")
    runs = commands.add_parser("run")
    runs.set_defaults(command=run)
    runs.add_argument("folder", type=Path)
    runs.add_argument("output", type=Path)
    runs.add_argument("--methods", nargs="+", default=[*METHODS, "auto"])
    runs.add_argument("--models", nargs="+", default=[], help="starts of the names of the models to run (default: all)")
    runs.add_argument("--seeds", type=int, default=1)
    runs.add_argument("--workers", type=int, default=2)
    tables = commands.add_parser("table")
    tables.set_defaults(command=table)
    tables.add_argument("paths", metavar="files", type=Path, nargs="+")
    arguments = vars(parser.parse_args())
    arguments.pop("command")(**arguments)


if __name__ == "__main__":
    main()
