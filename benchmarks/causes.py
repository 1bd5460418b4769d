"""Tests of causes for six claims that the published run at the paper scale did not reproduce, as Markdown tables.

    python benchmarks/causes.py occupancy MODELS DATASETS               # rts-f8-small: about 8 CPU minutes
    python benchmarks/causes.py strokes MODELS DATASETS results/paper   # lv-f3-thick: seconds
    python benchmarks/causes.py returns MODELS DATASETS results/paper   # lv-f2a-same: seconds
    python benchmarks/causes.py bridging results/paper                  # trk-f4a-variance: seconds
    python benchmarks/causes.py accuracies results/paper                # ins-f6-early and ins-f6-later: seconds

MODELS is the folder of the models of the run (data/paper/models), DATASETS the folder of the data sets (data/datasets).
The tests are exploratory: no claim of the protocol depends on them.
"""

import argparse
import re
from inspect import signature
from itertools import pairwise
from pathlib import Path

import numpy as np
import xarray as xr
from table import print_heads, print_row

from logzoo import RBM, exact_log_z, train_rbm
from logzoo.budgets import SweepLedger
from logzoo.datasets.build import visible_matrix
from logzoo.estimators.tempering_estimates import SETTLING, end_ratio
from logzoo.estimators.transitions import smoothed, stationary
from logzoo.paths import inverse_temperatures, kernel_parameters, log_z_base, tempered_rbm
from logzoo.samplers import tempering_runs
from logzoo.samplers.observers import GroupedMoves
from logzoo.samplers.tempering_chains import SimulatedTempering
from logzoo.streams import Stream
from replication.papers.configured import matched_base
from replication.papers.rts.rts_f8 import times_rmse
from replication.reporting.statistics import over_repeats

SEED = 20261129
UPDATES, BUDGETS, REPEATS, CHAINS, RUNGS = (5_500, 110_000), (1_000, 3_162), 50, 100, 100
# Limits of the groups of images in `returns`: entropy of the hidden units, given the image, in nats.
ENTROPIES = (0.05, 0.2, 0.5, 1.0, 1.5, 2.0)
# Limits of the parts of a training in `bridging`, as shares of its updates.
PARTS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.4, 0.7, 1.0)
# The same for `accuracies`, in updates; repeats of the paper for each trainer.
UPDATE_PARTS, PUBLISHED_REPEATS = ((0, 1000), (0, 3333), (3334, 6666), (6667, 7999), (8000, 10_000)), 20


def occupancy(models, dataset):
    """RMSE of RSD and of RTS on the 784 x 10 RBM of the run and on two others, from two kinds of log Zhat."""
    data, base = visible_matrix(dataset, "train"), matched_base(dataset)
    print_heads("RBM", "sweeps", "log Zhat", "its RMSE", "bias of RTS", "bias of RSD", "RMSE, RSD / RTS")
    rbms = {"of the run": RBM.load(Path(models, "mnist-10.nc"))}
    for updates in UPDATES:
        run = train_rbm(data, "pcd", hidden=10, updates=updates, schedule="linear", seed=SEED)
        rbms[f"{updates:,} updates"] = run.rbm
    for name, rbm in rbms.items():
        betas = inverse_temperatures("linear", RUNGS)
        exact = np.array([exact_log_z(tempered_rbm(rbm, base, beta)) for beta in betas])
        for budget in BUDGETS:
            for kind, draw in (("by initial iterations", _usual), ("exact", _from_exact)):
                stream = Stream((str(SEED),)).child(name, budget)
                runs = [draw(rbm, base, exact, budget, stream.child(repeat)) for repeat in range(REPEATS)]
                rts, rsd, hats = (np.array(part) for part in zip(*runs, strict=True))
                errors = (rts - exact[-1])[None], (rsd - exact[-1])[None]
                ratio = over_repeats(times_rmse, errors[1], errors[0], scale="log")
                off = np.sqrt(np.mean((hats - exact + exact[0]) ** 2))
                biases = [f"{error.mean():.2f}" for error in errors]
                interval = f"{ratio.value:.3f} [{ratio.low:.3f}, {ratio.high:.3f}]"
                print_row(name, f"{budget:,}", kind, f"{off:.2f}", *biases, interval)


def _usual(rbm, base, exact, budget, stream):
    """log Z by RTS and by RSD as in rts-f8, and log Zhat (rung,) by the initial iterations."""
    moves = GroupedMoves(1, rao_blackwell=True)
    settings = {"base": base, "rungs": RUNGS, "settling": SETTLING}
    draws = tempering_runs.run(rbm, SweepLedger(budget, CHAINS), stream, observers=(moves,), **settings)
    shares = draws.occupancy.sum(axis=(0, 1)), stationary(smoothed(moves.sums[0]))
    return *(float(end_ratio(draws, occupancy[[0, -1]])) for occupancy in shares), draws.log_z_hat


def _from_exact(rbm, base, exact, budget, stream):
    """The same with exact log Z_k in place of the initial iterations, and half the budget for settling."""
    moves, ledger = GroupedMoves(1, rao_blackwell=True), SweepLedger(budget, CHAINS)
    parameters, betas = kernel_parameters(rbm, base), inverse_temperatures("linear", RUNGS)
    sampler = SimulatedTempering(parameters, betas, ledger, stream, "marginal", 1)
    hats = exact - exact[0]
    sampler.advance(-hats, budget // 2, "settling")
    moves.start(CHAINS, RUNGS, ledger.remaining)
    sums = sampler.advance(-hats, ledger.remaining, "sampling", (moves,))
    start = log_z_base(base, rbm.hidden) + hats[-1]
    shares = sums.occupancy.sum(axis=0), stationary(smoothed(moves.sums[0]))
    return *(start + np.log(share[-1] / share[0]) for share in shares), hats


def strokes(models, dataset, results):
    """Stroke widths of images: tours of one sweep minus unfinished tours, for all images and within groups."""
    images = visible_matrix(dataset, "train")
    columns = ("all images", "within classes", "within fifths of the entropy of hidden units")
    print_heads("training", *columns, "ten of each at random: long are thicker")
    rows = []
    for name, entropy, tours in _tours(models, images, results, 32):
        short, long = tours["length"] == 1, tours["finished"] == 0
        width, label = tours["stroke"], tours["label"]
        fifths = np.digitize(entropy, np.quantile(entropy[long], (0.2, 0.4, 0.6, 0.8)))
        generator = np.random.default_rng(SEED)
        pairs = [[generator.choice(width[kind], 10).mean() for kind in (short, long)] for _ in range(4000)]
        differences = [_difference(width, short, long, group) for group in (np.zeros_like(label), label, fifths)]
        rows.append([*differences, np.mean([thin < thick for thin, thick in pairs])])
        print_row(name, *map("{:.3f}".format, rows[-1]))
    print_row("mean", *map("{:.3f}".format, np.mean(rows, axis=0)))


def returns(models, dataset, results):
    """Share of the tours of one sweep that end in their first hidden state, by the entropy of the hidden units."""
    images = visible_matrix(dataset, "train")
    columns = [f"below {limit:g}" for limit in ENTROPIES]
    print_heads("hidden units", *columns, "above", "all images", "all, entropies as with 16 units")
    of_fewest = None
    for hidden in (16, 25, 32):
        shares, weights = [], []
        for _, entropy, tours in _tours(models, images, results, hidden):
            short = (tours["length"] == 1) & (tours["finished"] == 1)
            same, group = tours["same"][short], np.digitize(entropy[short], ENTROPIES)
            counts = np.bincount(group, minlength=len(ENTROPIES) + 1)
            shares.append(np.bincount(group, same, minlength=counts.size) / np.where(counts, counts, np.nan))
            weights.append(counts / counts.sum())
        share = np.nanmean(shares, axis=0)
        of_fewest = np.mean(weights, axis=0) if of_fewest is None else of_fewest
        overall = np.mean(np.nansum(np.multiply(shares, weights), axis=1))
        print_row(hidden, *map("{:.4f}".format, (*share, overall, share @ of_fewest)))


def bridging(results):
    """Mean standard deviation of log Z by bridge sampling in parts of a training, over trainings."""
    print_heads("temperatures", *(f"{first:.0%} to {last:.0%}" for first, last in pairwise(PARTS)))
    for name, kind in (("adaptive", ""), ("linear", "-fixed")):
        rows = []
        for path in Path(results, "data/paper/models").iterdir():
            if re.fullmatch(rf"trk-f4a{kind}(-\d+)?\.trace\.nc", path.name):
                with xr.open_dataset(path) as trace:
                    share, error = trace["update"] / trace["update"][-1], trace["bridged_log_z_std_dev"]
                    rows.append([float(error[(share >= a) & (share < b)].mean()) for a, b in pairwise(PARTS)])
        print_row(name, *map("{:.2f}".format, np.mean(rows, axis=0)))


def accuracies(results):
    """Lead of PCD-1 and of INS over the other trainers in parts of a training, and its sign from 20 repeats."""
    runs = {}
    for name in ("pcd", "pt", "ins"):
        with xr.open_dataset(Path(results, f"data/paper/comparisons/toy-large.{name}.nc")) as file:
            runs[name] = file.accuracy.transpose("repeat", "update").values
            updates, repeats = file["update"].values, file.sizes["repeat"]
    generator = np.random.default_rng(SEED)
    few = np.argsort(generator.random((4000, repeats)), axis=1)[:, :PUBLISHED_REPEATS]
    shares = [f"{PUBLISHED_REPEATS} repeats: {name} leads" for name in ("PCD-1", "INS")]
    print_heads("updates", "PCD-1 leads by", "INS leads by", *shares)
    for first, last in UPDATE_PARTS:
        part = (updates >= first) & (updates <= last)
        leads, leading = [], []
        for name in ("pcd", "ins"):
            others = [run[:, part] for other, run in runs.items() if other != name]
            middle = [np.median(run, axis=0).mean() for run in (runs[name][:, part], *others)]
            leads.append(middle[0] - max(middle[1:]))
            means = [run.mean(axis=1)[few].mean(axis=1) for run in (runs[name][:, part], *others)]
            leading.append(np.mean(means[0] > np.max(means[1:], axis=0)))
        print_row(f"{first:,} to {last:,}", *map("{:.3f}".format, leads), *map("{:.2f}".format, leading))


def _tours(models, images, results, hidden):
    """Yield (name, entropy (tour,), {variable: (tour,)}) of each training, for tours with mean visible units."""
    for path in sorted(Path(results, "data/paper/tours").glob(f"lv-{hidden}*.nc")):
        with xr.open_dataset(path) as file:
            tours = file.isel(rounds=0).sel(visible="means").load()
        names = ("length", "finished", "same", "stroke", "label", "example")
        variables = {name: tours[name].values.ravel() for name in names}
        yield path.stem, _entropy(RBM.load(Path(models, path.name)), images[variables["example"]]), variables


def _entropy(rbm, visible):
    """Entropy of the hidden units (image,) in nats, given the visible units."""
    field = visible @ np.asarray(rbm.weights, np.float64) + rbm.hidden_bias
    return np.sum(np.logaddexp(0.0, field) - field / (1.0 + np.exp(-field)), axis=1)


def _difference(width, short, long, group):
    """Mean width of `short` minus that of `long` within groups, weighted by the number of `long`."""
    differences, weights = [], []
    for value in np.unique(group[long]):
        here = group == value
        differences.append(np.nanmean(width[short & here]) - np.nanmean(width[long & here]))
        weights.append(np.sum(long & here))
    return np.average(differences, weights=weights)


def main():
    parser = argparse.ArgumentParser(description="Tests of causes for claims that were not reproduced.")
    commands = parser.add_subparsers(metavar="TEST", required=True)
    for test in (occupancy, strokes, returns, bridging, accuracies):
        command = commands.add_parser(test.__name__)
        command.set_defaults(test=test)
        for name in signature(test).parameters:
            command.add_argument(name, metavar="DATASETS" if name == "dataset" else name.upper(), type=Path)
    arguments = vars(parser.parse_args())
    test = arguments.pop("test")
    if "dataset" in arguments:
        name = "mnist-binary" if test is occupancy else "mnist-grey"
        with xr.open_dataset(arguments["dataset"] / f"{name}.nc") as file:
            arguments["dataset"] = file.load()
    test(**arguments)


if __name__ == "__main__":
    main()
