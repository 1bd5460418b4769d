"""Claims of Carlson et al. (2016)."""

import numpy as np
import xarray as xr


def rms(errors):
    return np.sqrt(np.mean(np.square(errors), axis=0))


def geometric(ratios):
    return np.exp(np.log(ratios).mean())


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

    def levels(e):
        return np.exp(0.5 * np.log((e**2).mean(axis=0)).mean(axis=1))

    yield "rts-f2-same", lambda e: levels(e).max() / levels(e).min(), [errors], True


def rts_f6(data):
    pairs = [data.sel(step_rule=rule) for rule in ("fixed", "adaptive")]
    times, errors = (
        [pair.autocorrelation_time.values for pair in pairs],
        [pair.log_z - pair.exact_log_z for pair in pairs],
    )
    yield "rts-f6-mixing", lambda a, b: a.mean() / b.mean(), times, False
    yield "rts-f6-error", lambda a, b: rms(a.ravel()) / rms(b.ravel()), [error.values for error in errors], False


def rts_f8(data, truth, hidden):
    errors = (data.log_z - truth.log_z).transpose("estimator", "replicate", "budget")
    for name, estimator in {"small": "rsd", "counted": "sd"}.items() if hidden == 10 else [("large", "rsd")]:
        pair = [errors.sel(estimator=key).values for key in (estimator, "rts")]
        yield f"rts-f8-{name}", lambda a, b: geometric(rms(a) / rms(b)), pair, True


def rts_text(data, runs, truth):
    """Claims of Carlson et al., sections 2.4 and 5; the estimators have independent runs."""

    def ratio(a, b):
        return geometric(rms(a) / rms(b))

    mixed, rising, falling, plain = (
        (runs[name].log_z - truth.log_z).transpose("replicate", "budget").values
        for name in ("rts-mixed", "rts-rising", "rts-falling", "rts")
    )
    yield "rts-text-mixed", ratio, [mixed, plain], False
    yield "rts-text-prior", lambda a, b, c: min(ratio(a, c), ratio(b, c)), [rising, falling, plain], False
    yield "rts-text-rising", ratio, [rising, plain], False
    data = data.transpose("estimator", "replicate", "budget")
    errors = (data.log_z.sel(estimator="rts") - truth.log_z).values
    bias, variance = data.bias.values, data.variance.values
    yield "rts-text-bias", lambda b, e: (b - e)[:, 0].mean(), [bias, errors], True
    noise = [variance, errors]
    yield "rts-text-variance", lambda v, e: geometric(v.mean(axis=0) / e.var(axis=0, ddof=1)), noise, True
    yield "rts-text-subtracted", lambda b, e: ratio(e - b, e), [bias, errors], True


def claims(files):
    """The claims of all figures whose data are among the files {path in the folder of data: path}."""

    def load(path):
        return xr.load_dataset(files[path])

    for figure, function in {"rts-f1": rts_f1, "rts-f2": rts_f2, "rts-f6": rts_f6}.items():
        if f"figures/{figure}.nc" in files:
            yield from function(load(f"figures/{figure}.nc"))
    if "verdicts/rts-f8.nc" in files:
        for hidden in (10, 200):
            yield from rts_f8(load(f"figures/rts-f8.mnist-{hidden}.nc"), load(f"truths/mnist-{hidden}.nc"), hidden)
    if "verdicts/rts-text.nc" in files:
        names = ("rts", "rts-mixed", "rts-rising", "rts-falling")
        runs = {name: load(f"runs/mnist-10.{name}.nc") for name in names}
        yield from rts_text(load("figures/rts-f8.mnist-10.nc"), runs, load("truths/mnist-10.nc"))
