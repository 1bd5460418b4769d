"""Published statistics with one choice changed, as a Markdown table: python results/recompute/sensitivity.py [RESULTS].

The choices were made after the results were known. No verdict depends on them. Intervals use Student's t and jackknife
errors over trainings or runs. Intervals of ratios and errors are computed for the logarithm.
"""

import re
import sys
from pathlib import Path

import numpy as np
import xarray as xr
from scipy.stats import t
from shared import matching, of_means, of_rms

ROOT = Path(__file__).parents[2]
KNOWN = 0.5  # largest standard error of AIS in nats


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


def trainings(folder, stem, end=".nc"):
    """Datasets of all trainings of a model, whose files differ in their number: STEM.nc, STEM-2.nc, ..."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.glob(f"{stem}*{end}")}
    return matching(files, rf"{re.escape(stem)}(-\d+)?{re.escape(end)}")


def rts_f1(folder):
    data = xr.load_dataset(folder / "figures/rts-f1.nc")
    errors = (data.log_z - data.exact_log_z).transpose("variant", "iteration", "replicate", "rung")
    stochastic, smooth = (errors.sel(variant=name).values for name in ("stochastic", "rao-blackwell"))
    for iteration in (1, 3, 4):
        pair = stochastic[iteration - 1], smooth[iteration - 1]
        yield "rts-f1-stochastic", f"after iteration {iteration} instead of 8", jackknife(over_all, *pair)
    yield "rts-f1-stochastic", "at the top rung alone", jackknife(over_all, stochastic[-1, :, -1:], smooth[-1, :, -1:])


def over_all(a, b):
    return np.sqrt(np.mean(a**2) / np.mean(b**2))


def rts_f4(folder):
    errors = (
        xr.load_dataset(folder / "figures/rts-f4.nc").log_z - xr.load_dataset(folder / "truths/mnist-cd25-500.nc").log_z
    )
    ti, rts = (errors.sel(estimator=name).transpose("run", "estimate", "rungs") for name in ("ti-trapezoid", "rts"))
    for few in (50, 100):
        pairs = [part.sel(rungs=rungs).values for part, rungs in ((ti, few), (ti, 1000), (rts, 1000), (rts, few))]
        yield "rts-f4-ti", f"from {few} rungs on", jackknife(lambda a, b, c, d: over_all(a, b) * over_all(c, d), *pairs)


def rts_f8(folder):
    for name, model in (("small", "mnist-10"), ("large", "mnist-200")):
        truth = xr.load_dataset(folder / f"truths/{model}.nc").log_z
        errors = xr.load_dataset(folder / f"figures/rts-f8.{model}.nc").log_z - truth
        rsd, rts = (errors.sel(estimator=key).transpose("replicate", "budget").values for key in ("rsd", "rts"))
        yield f"rts-f8-{name}", "at 1,000 sweeps alone", jackknife(of_rms, rsd[:, :1], rts[:, :1])
        yield f"rts-f8-{name}", "at the other four budgets", jackknife(of_rms, rsd[:, 1:], rts[:, 1:])


def trk_f3(folder):
    checks = {name: trainings(folder, f"checks/trk-f3-fast-{name}", ".exact.nc") for name in ("high", "low", "mid")}
    shares = {name: (data[0]["update"] / data[0]["update"][-1]).values for name, data in checks.items()}

    def rows(name, quantity):
        """A quantity (training, check point) after the first tenth of the trainings."""
        return np.array([quantity(data).values[shares[name] > 0.1] for data in checks[name]])

    for name, updates in (("low", "1,000"), ("mid", "10,000")):
        errors, share = rows(name, lambda data: np.abs(data.tracked_log_z - data.log_z)), shares[name]
        dip = ((share >= 40 / 300) & (share <= 60 / 300))[share > 0.1]
        ratio = jackknife(of_means, errors[:, dip], errors[:, ~dip])
        yield "trk-f3-dip", f"rate 0.01 decreasing after {updates} updates alone", ratio
    updates = {name: rows(name, lambda data: data["update"])[0] for name in checks}
    jumps = []
    for name in checks:
        test = rows(name, lambda data: data.mean_log_f.sel(split="test") - data.log_z)
        nearest = np.abs(updates[name][:, None] - updates["high"]).argmin(axis=0)
        jumps.append(np.diff(test[:, nearest]).std(axis=1))
    equal = jackknife(lambda worst, low, mid: worst.mean() / np.mean([low.mean(), mid.mean()]), *jumps)
    yield "trk-f3-unstable", "check points equally far apart in all settings", equal


def trk_f4b(folder):
    checks = trainings(folder, "checks/trk-f4b", ".ais.nc")

    def fall(data, split):
        likelihood, share = data.mean_log_f.sel(split=split) - data.log_z, data["update"] / data["update"][-1]
        middle, late = (share >= 0.45) & (share <= 0.55), share >= 0.9
        return float(likelihood.where(middle).mean() - likelihood.where(late).mean())

    for claim, split, sign in (("trk-f4b-turn", "validation", 1.0), ("trk-f4b-train", "train", -1.0)):
        falls = np.array([sign * fall(data, split) for data in checks])
        yield claim, "by AIS instead of tracked", jackknife(np.mean, falls, log=False)
    choice, above = at_uncertain_points(checks)
    yield "trk-f4b-close", choice, jackknife(np.mean, above)


def trk_f4a(folder):
    checks = [trainings(folder, f"checks/trk-f4a{kind}", ".ais.nc") for kind in ("", "-fixed")]
    for name, some in zip(("adaptive", "linear"), checks, strict=True):
        choice, above = at_uncertain_points(some)
        yield "trk-f4a-adaptive", f"{choice}, {name} temperatures", jackknife(np.mean, above)
    apart = [
        np.array([float(np.abs(data.log_z - data.tracked_log_z).mean()) for data in map(settled, some)])
        for some in checks
    ]
    yield "trk-f4a-adaptive", "at all check points", jackknife(of_means, apart[1], apart[0])
    traces = trainings(folder, "models/trk-f4a", ".trace.nc")
    parts = [np.array_split(trace.bridged_log_z_std_dev.values, 3) for trace in traces]
    first, _, last = np.array([[part.mean() for part in training] for training in parts]).T
    yield "trk-f4a-variance", "from the first update on", jackknife(of_means, last, first)


def settled(check):
    """The check points after the first tenth of a training."""
    return check.isel(update=(check["update"] / check["update"][-1] > 0.1).values)


def at_uncertain_points(checks):
    """Text on the check points where the error of AIS is too large, and AIS minus tracked there (training,)."""
    after = list(map(settled, checks))
    uncertain = [data.isel(update=~(data.std_error <= KNOWN).values) for data in after]
    count, total = (sum(data.sizes["update"] for data in some) for some in (uncertain, after))
    above = np.array([float((data.log_z - data.tracked_log_z).mean()) for data in uncertain])
    return f"AIS minus tracked at the {count} of {total} check points that the claim leaves out", above


def lv_f2c(folder):
    tours = [data.sel(visible="means").isel(rounds=0) for data in trainings(folder, "tours/lv-32")]
    logs = [np.log(data.length).groupby(data.label).mean(...).values for data in tours]  # (training, digit)
    for digit in (1, 6, 4, 8):
        apart = [means[digit] - np.delete(means, digit).mean() for means in logs]
        yield "lv-f2c-digits", f"digit {digit} less the other nine", jackknife(np.mean, np.array(apart), log=False)


def lv_f4(folder):
    for model, name in (("lv-32-cd", "after CD-1 alone"), ("lv-32", "after LVS-1 alone")):
        truths, tours = (trainings(folder, f"{stem}{model}") for stem in ("truths/", "figures/lv-f4."))
        errors = [
            (data.log_z - truth.log_z).transpose("replicate", "tours").values
            for data, truth in zip(tours, truths, strict=True)
            if int(truth.attrs.get("converged", 1)) == 1
        ]
        ends, starts = (np.array([error[:, place] for error in errors]) for place in (-1, 0))
        yield "lv-f4-converges", name, jackknife(over_all, ends, starts)
        yield "lv-f4-truth", name, jackknife(np.mean, np.abs(ends))


def ins_f5(folder):
    """Share of random divisions of the repeats into 15 groups whose interval ends below the bound."""
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
    choice = "share of random divisions into 15 groups whose interval ends below 1"
    yield "ins-f5-likelihood-spread", choice, [below / count, np.nan, np.nan]


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "results/paper") / "data/paper"
    print("| claim | choice | value |\n|---|---|---|")
    for rows in (rts_f1, rts_f4, rts_f8, trk_f3, trk_f4a, trk_f4b, lv_f2c, lv_f4, ins_f5):
        for claim, choice, (value, low, high) in rows(folder):
            interval = f" [{low:.3g}, {high:.3g}]" if np.isfinite(low) else ""
            print(f"| `{claim}` | {choice} | {value:.3g}{interval} |", flush=True)


if __name__ == "__main__":
    main()
