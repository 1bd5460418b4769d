"""Published statistics with one choice changed, as a Markdown table: python results/recompute/sensitivity.py [RESULTS].

The choices were made after the results were known. No verdict depends on them. Intervals are those of Student's t over
trainings or runs, from jackknife errors; for ratios they are computed for the logarithm.
"""

import sys
from pathlib import Path

import numpy as np
import xarray as xr
from scipy.stats import t

ROOT = Path(__file__).parents[2]
KNOWN = 0.5  # nats


def jackknife(statistic, *arrays, log=True):
    """Value and 95% interval of a statistic of arrays (repeat, ...) whose repeats belong together."""
    count = len(arrays[0])
    left_out = [statistic(*(np.delete(array, i, axis=0) for array in arrays)) for i in range(count)]
    value, left_out = statistic(*arrays), np.array(left_out)
    if log:
        value, left_out = np.log(value), np.log(left_out)
    error = np.sqrt((count - 1) / count * np.sum((left_out - left_out.mean()) ** 2))
    ends = value + np.array([0.0, -1.0, 1.0]) * t.ppf(0.975, count - 1) * error
    return np.exp(ends) if log else ends


def of_means(a, b):
    return a.mean() / b.mean()


def of_rms(a, b):
    """Geometric mean over budgets of ratios of RMSEs, from errors (repeat, budget)."""
    return np.exp(0.5 * np.log(np.mean(a**2, axis=0) / np.mean(b**2, axis=0)).mean())


def trainings(folder, pattern, count):
    """Datasets of a training and its repeats: NAME, NAME-2, NAME-3, ..."""
    names = ["", *(f"-{number}" for number in range(2, count + 1))]
    return [xr.load_dataset(folder / pattern.format(name)) for name in names]


def rts_f8(folder):
    for name, model in (("small", "mnist-10"), ("large", "mnist-200")):
        truth = xr.load_dataset(folder / f"truths/{model}.nc").log_z
        errors = xr.load_dataset(folder / f"figures/rts-f8.{model}.nc").log_z - truth
        rsd, rts = (errors.sel(estimator=key).transpose("replicate", "budget").values for key in ("rsd", "rts"))
        yield f"rts-f8-{name}", "at 1,000 sweeps alone", jackknife(of_rms, rsd[:, :1], rts[:, :1])
        yield f"rts-f8-{name}", "at the other four budgets", jackknife(of_rms, rsd[:, 1:], rts[:, 1:])


def trk_f3(folder):
    checks = {name: trainings(folder, f"checks/trk-f3-fast-{name}{{}}.exact.nc", 5) for name in ("low", "mid", "high")}

    def rows(name, quantity):
        """A quantity (training, check point) after the first tenth, and the share of the training."""
        share = (checks[name][0]["update"] / checks[name][0]["update"][-1]).values
        return np.array([quantity(data).values[share > 0.1] for data in checks[name]]), share[share > 0.1]

    for name in ("low", "mid"):
        errors, share = rows(name, lambda data: np.abs(data.tracked_log_z - data.log_z))
        dip = (share >= 40 / 300) & (share <= 60 / 300)
        ratio = jackknife(of_means, errors[:, dip], errors[:, ~dip])
        yield "trk-f3-dip", f"rate 0.01 decreasing after {'1,000' if name == 'low' else '10,000'} updates alone", ratio
    coarse = rows("high", lambda data: data["update"])[0][0]
    jumps = []
    for name in ("high", "low", "mid"):
        updates = rows(name, lambda data: data["update"])[0][0]
        test = rows(name, lambda data: data.mean_log_f.sel(split="test") - data.log_z)[0]
        nearest = np.abs(updates[:, None] - coarse).argmin(axis=0)
        jumps.append(np.diff(test[:, nearest]).std(axis=1))
    equal = jackknife(lambda worst, low, mid: worst.mean() / np.mean([low.mean(), mid.mean()]), *jumps)
    yield "trk-f3-unstable", "check points equally far apart in all settings", equal


def trk_f4b(folder):
    checks = trainings(folder, "checks/trk-f4b{}.ais.nc", 5)
    ends = [data["update"] / data["update"][-1] for data in checks]
    middles, lates = [(end >= 0.45) & (end <= 0.55) for end in ends], [end >= 0.9 for end in ends]
    for claim, split, sign in (("trk-f4b-turn", "validation", 1.0), ("trk-f4b-train", "train", -1.0)):
        falls = []
        for data, middle, late in zip(checks, middles, lates, strict=True):
            likelihood = data.mean_log_f.sel(split=split) - data.log_z
            falls.append(sign * float(likelihood.where(middle).mean() - likelihood.where(late).mean()))
        yield claim, "by AIS instead of tracked", jackknife(np.mean, np.array(falls), log=False)
    distances, known = [], []
    for data, end in zip(checks, ends, strict=True):
        after = (end > 0.1).values
        distances.append((data.log_z - data.tracked_log_z).values[after])
        known.append(data.std_error.values[after] <= KNOWN)
    above = [distance[~chosen].mean() for distance, chosen in zip(distances, known, strict=True)]
    left_out = np.size(known) - np.sum(known)
    choice = f"AIS minus tracked at the {left_out} of {np.size(known)} check points that the claim leaves out"
    yield "trk-f4b-close", choice, jackknife(np.mean, np.array(above))


def lv_f4(folder):
    for model, name in (("lv-32-cd", "after CD-1 alone"), ("lv-32", "after LVS-1 alone")):
        errors = []
        for number in ("", *(f"-{repeat}" for repeat in range(2, 11))):
            truth = xr.load_dataset(folder / f"truths/{model}{number}.nc")
            if int(truth.attrs.get("converged", 1)) == 1:
                tours = xr.load_dataset(folder / f"figures/lv-f4.{model}{number}.nc").isel(tours=-1)
                errors.append(np.abs(tours.log_z - truth.log_z).values)
        yield "lv-f4-truth", name, jackknife(np.mean, np.array(errors))


def ins_f5(folder):
    """Share of random divisions of the repeats into groups whose interval ends below the bound."""
    names = ("ins", "pcd", "pt")
    runs = [xr.load_dataset(folder / f"comparisons/toy-4-8.{name}.nc").log_likelihood for name in names]
    ours, *others = (run.transpose("repeat", "update").values for run in runs)
    generator, below, count = np.random.default_rng(777002), 0, 200

    def spread(*groups):
        first, *rest = (np.var(np.concatenate(group), axis=0, ddof=1).mean() for group in groups)
        return first / min(rest)

    for _ in range(count):
        order = generator.permutation(len(ours))
        below += jackknife(spread, *(run[order].reshape(15, -1, run.shape[1]) for run in (ours, *others)))[2] <= 1.0
    yield "ins-f5-likelihood-spread", "divisions into 15 groups that end below 1", [below / count, np.nan, np.nan]


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "results/paper") / "data/paper"
    print("| claim | choice | value |\n|---|---|---|")
    for rows in (rts_f8, trk_f3, trk_f4b, lv_f4, ins_f5):
        for claim, choice, (value, low, high) in rows(folder):
            interval = f" [{low:.3g}, {high:.3g}]" if np.isfinite(low) else ""
            print(f"| `{claim}` | {choice} | {value:.3g}{interval} |", flush=True)


if __name__ == "__main__":
    main()
