"""Claims of Carlson et al. (2016).

In rts-f4-mbar the RMSE of RTS covers all estimates, including estimates without MBAR. In rts-f5 the error of AIS is its
standard error, and the last check point is the end of a training. rts-f5-smoothing takes blocks of two check points,
without the points where AIS is uncertain in either training. It takes the first training of alpha = 0.2. The distance
of a ratio from 1 is measured by the logarithm.
"""

import re

import numpy as np
import xarray as xr
from shared import datasets, geometric, matching, of_means, of_rms, rms

LARGE, SMALL = "mnist-cd25-500", "mnist-spectral-100"
SIX = [name + base for name in ("rts", "ais", "raise") for base in ("-uniform", "")]


def in_pairs(statistic, arrays):
    return [statistic(a, b) for a, b in zip(arrays[::2], arrays[1::2], strict=True)]


def rts_f1(data):
    errors = {name: (data.log_z - data.exact_log_z).sel(variant=name)[:, -1].values for name in data.variant.values}
    plain, smooth, stochastic = (errors[name] for name in ("counts", "rao-blackwell", "stochastic"))
    shares = data.occupancy.sel(variant="rao-blackwell")[:, -1].values
    yield "rts-f1-exact", lambda e: np.abs(e).max(axis=1).mean(), [smooth], True
    yield "rts-f1-flat", lambda c: np.abs(1.0 - c.shape[1] * c).max(axis=1).mean(), [shares], True
    yield "rts-f1-noise", lambda a, b: rms(np.diff(a).ravel()) / rms(np.diff(b).ravel()), [plain, smooth], False
    yield "rts-f1-stochastic", lambda a, b: rms(a.ravel()) / rms(b.ravel()), [stochastic, smooth], False


def rts_f2(data):
    errors = (data.log_z - data.exact_log_z).transpose("replicate", "estimator", "samples").values
    yield "rts-f2-same", lambda e: np.exp(np.ptp(np.log(rms(e)).mean(axis=1))), [errors], True


def left(errors):
    """|Bias| at the second number of sweeps / |bias| at the first, from errors (repeat, sweeps)."""
    return np.abs(errors[:, 1].mean() / errors[:, 0].mean())


def rts_f3(errors):
    """Claims of Carlson et al., figure 3, from {(model, estimator): {sweeps: errors}}; all runs are independent."""
    short = {key: np.stack([runs[n] for n in (1000, 3162, 10000)], axis=1) for key, runs in errors.items()}
    for model, suffix in ((LARGE, ""), (SMALL, "-small")):
        three = [short[model, estimator] for estimator in ("rts", "ais", "raise")]
        yield f"rts-f3-bias{suffix}", lambda a, b, c: left(a) / min(left(b), left(c)), three, False
        yield f"rts-f3-tenfold{suffix}", lambda a, b: rms(b[:, 2]) / rms(a[:, 0]), three[:2], False
    sweeps = [(model, n) for model in (LARGE, SMALL) for n in errors[model, "rts"].keys() & errors[model, "ais"].keys()]
    pairs = [errors[model, name][n] for model, n in sorted(sweeps) for name in ("ais", "rts")]
    if len(pairs) == 24:  # five and seven numbers of sweeps
        yield "rts-f3-accurate", lambda *a: geometric(in_pairs(of_rms, a)), pairs, False
    for claim, sign, name in (("below", -1.0, "ais"), ("above", 1.0, "raise")):
        biases = [sign * short[model, name] for model in (LARGE, SMALL)]
        yield f"rts-f3-{claim}", lambda *a: min(e.mean(axis=0).min() for e in a), biases, False


def rts_f4(data, truth):
    """Claims of Carlson et al., figure 4, from errors (run, estimate) of the same runs."""
    errors, travelled = (data.log_z - truth.log_z).transpose(..., "run", "estimate"), data.converged.all("run")
    ran = travelled & errors.sel(estimator="mbar").notnull().any(("run", "estimate"))
    few, most, last = *data.rungs.values[travelled][[0, -1]], data.rungs.values[ran][-1]

    def at(name, *ladders):
        return [errors.sel(estimator=name, rungs=rungs).values for rungs in ladders]

    def ratio(a, b):
        return np.sqrt(np.nanmean(a**2) / np.nanmean(b**2))

    (ti_many, ti_few), (many, fewer) = (at(name, most, few) for name in ("ti-rb", "rts"))
    yield "rts-f4-flat", ratio, [many, fewer], True
    yield "rts-f4-ti", lambda a, b, c, d: ratio(a, b) / ratio(c, d), [*at("ti-trapezoid", few, most), fewer, many], True
    yield "rts-f4-ti-rb", ratio, [ti_many - many, ti_few - fewer], True
    yield "rts-f4-ts", ratio, at("ts", most, few), True
    yield "rts-f4-mbar", ratio, [*at("rts", last), *at("mbar", last)], True


def rts_f4_cost(data):
    parts = [data.seconds.sel(rungs=data.rungs.max(), step=step).values for step in ("mbar", "sampling")]
    yield "rts-f4-cost-mbar", of_means, parts, True


def rts_f5(smoother, rougher, *own):
    """Claims of Carlson et al., figure 5, from check points of the trainings; each alpha but 0.2 has one training."""

    def gap(data):
        return np.abs(data.tracked_log_z - data.log_z).where(data.std_error <= 0.5)

    def fall(data):
        values = data.mean_log_f.sel(split="validation")
        best = (values - data.log_z).where(data.std_error <= 0.5).argmax("update")
        return float((values - data.tracked_log_z)[best] - (values - data.tracked_log_z)[-1])

    def blocks(data):
        """Sums (block, [this alpha, alpha = 0.2]) of gaps in blocks of two check points; unknown gaps count as 0."""
        pairs = np.stack(xr.align(gap(data), gap(own[0])), axis=1)
        pairs[~np.isfinite(pairs).all(axis=1)] = 0.0
        return np.array([part.sum(axis=0) for part in np.array_split(pairs, len(pairs) // 2)])

    yield "rts-f5-close", np.mean, [np.array([float(gap(data).mean()) for data in own])], True
    yield "rts-f5-overfit", np.mean, [np.array([fall(data) for data in own])], True
    others, distance = [blocks(smoother), blocks(rougher)], lambda ratio: abs(np.log(ratio))
    yield "rts-f5-smoothing", lambda *a: max((of_means(*sums.T) for sums in a), key=distance), others, True


def rts_f6(data):
    pairs = [data.sel(step_rule=rule) for rule in ("fixed", "adaptive")]
    errors = [(pair.log_z - pair.exact_log_z).values for pair in pairs]
    yield "rts-f6-mixing", of_means, [pair.autocorrelation_time.values for pair in pairs], False
    yield "rts-f6-error", lambda a, b: rms(a.ravel()) / rms(b.ravel()), errors, False


def rts_f7(flux, truth, *six):
    """Claims of Carlson et al., figure 7; the runs of all estimators are independent."""
    runs = dict(zip(SIX, six, strict=True))
    errors = {name: (data.log_z - truth.log_z).transpose("replicate", "budget") for name, data in runs.items()}

    def at_most(arrays, *names):
        """Arrays of estimators at the largest budget that all of them have."""
        budget = max(set.intersection(*(set(runs[name].budget.values) for name in names)))
        return [arrays[name].sel(budget=budget).dropna("replicate").values for name in names]

    def ratio(a, b):
        return geometric(np.abs(a)) / geometric(np.abs(b))

    pair = [errors[name].sel(budget=[1000, 3162]).values for name in ("rts-uniform", "ais-uniform")]
    initial = at_most({name: runs[name].initial_iterations for name in ("rts-uniform", "rts")}, "rts-uniform", "rts")
    yield "rts-f7-worse", lambda *a: min(in_pairs(ratio, a)), at_most(errors, *SIX), False
    yield "rts-f7-knot", of_means, [flux.uniform.values, flux.matched.values], False
    yield "rts-f7-first", lambda a, b: left(a) / left(b), pair, False
    yield "rts-f7-alike", ratio, at_most(errors, "rts-uniform", "ais-uniform"), False
    yield "rts-f7-longer", lambda a, b: (a > b.mean()).mean(), initial, False


def rts_f8(small, small_truth, large, large_truth):
    errors = {"small": small.log_z - small_truth.log_z, "large": large.log_z - large_truth.log_z}
    for name, model, estimator in (("small", "small", "rsd"), ("counted", "small", "sd"), ("large", "large", "rsd")):
        pair = [errors[model].sel(estimator=key).transpose("replicate", "budget") for key in (estimator, "rts")]
        yield f"rts-f8-{name}", of_rms, [array.values for array in pair], True


def rts_text(data, truth, *runs):
    """Claims of Carlson et al., sections 2.4 and 5; the estimators have independent runs."""
    mixed, rising, falling, plain = ((run.log_z - truth.log_z).transpose("replicate", "budget").values for run in runs)
    yield "rts-text-mixed", of_rms, [mixed, plain], False
    yield "rts-text-prior", lambda a, b, c: min(of_rms(a, c), of_rms(b, c)), [rising, falling, plain], False
    yield "rts-text-rising", of_rms, [rising, plain], False
    errors = data.log_z.sel(estimator="rts") - truth.log_z
    bias, variance, errors = (a.transpose("replicate", "budget").values for a in (data.bias, data.variance, errors))
    yield "rts-text-bias", lambda b, e: (b - e)[:, 0].mean(), [bias, errors], True
    yield "rts-text-variance", lambda v, e: geometric(v.mean(axis=0) / e.var(axis=0, ddof=1)), [variance, errors], True
    yield "rts-text-subtracted", lambda b, e: of_rms(e - b, e), [bias, errors], True


def claims(files):
    """The claims of all figures whose data are among the files {path in the folder of data: path}."""

    def errors(model, estimator):
        """Errors {sweeps: repeats} of all runs of an estimator; longer runs may have a file of their own."""
        runs = matching(files, rf"runs/{model}\.{estimator}([.-](longer|\d+))?\.nc")
        (truth,) = datasets(files, [f"truths/{model}.nc"])
        data = [run.log_z - truth.log_z for run in runs]
        return {int(n): part.sel(budget=n).dropna("replicate").values for part in data for n in part.budget.values}

    truth, small = f"truths/{LARGE}.nc", ["figures/rts-f8.mnist-10.nc", "truths/mnist-10.nc"]
    three = [(model, name) for model in (LARGE, SMALL) for name in ("rts", "ais", "raise")]
    checks = [path for path in sorted(files) if re.fullmatch(r"checks/rts-f5(-\d+)?\.ais\.nc", path)] or [""]
    inputs = {
        rts_f1: ["figures/rts-f1.nc"],
        rts_f2: ["figures/rts-f2.nc"],
        rts_f4: ["figures/rts-f4.nc", truth],
        rts_f4_cost: ["timings/rts-f4-cost.nc"],
        rts_f5: ["checks/rts-f5-smoother.ais.nc", "checks/rts-f5-rougher.ais.nc", *checks],
        rts_f6: ["figures/rts-f6.nc"],
        rts_f7: ["figures/rts-f7.nc", truth, *(f"runs/{LARGE}.{name}.nc" for name in SIX)],
        rts_f8: [*small, "figures/rts-f8.mnist-200.nc", "truths/mnist-200.nc"],
        rts_text: [*small, *(f"runs/mnist-10.rts{name}.nc" for name in ("-mixed", "-rising", "-falling", ""))],
    }
    for function, paths in inputs.items():
        if data := datasets(files, paths):
            yield from function(*data)
    if files.keys() >= {truth, f"truths/{SMALL}.nc", *(f"runs/{model}.{name}.nc" for model, name in three)}:
        yield from rts_f3({key: errors(*key) for key in three})
