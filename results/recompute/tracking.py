"""Claims of Desjardins et al. (2011)."""

import re

import numpy as np
import xarray as xr


def trk_f3(checks, traces):
    """Claims of Desjardins et al., figure 3, from {setting: datasets of its trainings}; trainings are independent."""

    def rows(name, quantity):
        """A quantity (training, check point) after the first tenth of the trainings of a setting."""
        pairs = zip(checks[name], traces.get(name, checks[name]), strict=True)
        values = [(data["update"], quantity(data, trace)) for data, trace in pairs]
        return np.array([row.values[(update > 0.1 * update[-1]).values] for update, row in values])

    def error(data, trace):
        return np.abs(data.tracked_log_z - data.log_z)

    def change(name):
        return np.diff(rows(name, lambda data, _: data.mean_log_f.sel(split="test") - data.log_z)).std(axis=1)

    def covered(data, trace):
        return np.abs(data.tracked_log_z - data.log_z) <= 3.0 * data.tracked_std_dev

    def average(*arrays):
        return np.mean([array.mean() for array in arrays])

    def fails(worst, *fitting):
        return worst.mean() / average(*fitting)

    def alone(*settings):
        tracked, *others = np.mean([setting.mean(axis=(0, 2)) for setting in settings], axis=0)
        return min(others) / tracked

    (share,) = rows("fast-low", lambda data, _: data["update"] / data["update"][-1])[:1]
    dip = (share >= 40 / 300) & (share <= 60 / 300)
    fitting = ["slow-low", "slow-mid", "slow-high", "fast-low", "fast-mid"]
    *slow, low, middle = (rows(name, error) for name in fitting)
    yield "trk-f3-fit-slow", average, slow, False
    yield "trk-f3-fit-fast", average, [low, middle], False
    yield "trk-f3-particles", average, [rows("twenty-fast-mid", error)], False
    dips = [low, middle]
    yield "trk-f3-dip", lambda *e: sum(a[:, dip].mean() for a in e) / sum(a[:, ~dip].mean() for a in e), dips, False
    yield "trk-f3-oscillates", fails, [rows("fast-high", error), low, middle], False
    yield "trk-f3-unstable", fails, [change(name) for name in ("fast-high", *fitting[3:])], False
    bridge, total = (
        lambda data, trace, key=key: np.abs(trace[key] - data.log_z) for key in ("bridged_log_z", "summed_log_z")
    )
    kinds = [np.stack([rows(name, kind) for kind in (error, bridge, total)], axis=1) for name in fitting]
    yield "trk-f3-alone", alone, kinds, False
    yield "trk-f3-cover", average, [rows(name, covered) for name in fitting], False


def trk_t1(best, table):
    """Claims of Desjardins et al., table 1; the data sets are the independent unit."""
    likelihoods = [f"test_log_likelihood_{name}" for name in ("tracked", "ais")]
    names = (*likelihoods, "ais_std_error", "ais_weight_spread", "ais_weight_spread_long")
    tracked, ais, errors, spread, longer = (np.array([float(data[name]) for data in best]) for name in names)
    known = errors <= 0.5
    yield "trk-t1-close", lambda a, b: np.abs(a - b).mean(), [tracked[known], ais[known]], True
    yield "trk-t1-level", lambda a, b: (a - b).mean(), [ais[known], table.published_ais.values[known]], True
    yield "trk-t1-rungs", lambda a, b: np.exp(np.log(a / b).mean()), [longer, spread], True


def claims(files):
    """The claims of all figures whose data are among the files {path in the folder of data: path}."""

    def matching(pattern):
        return [xr.load_dataset(files[path]) for path in sorted(files) if re.fullmatch(pattern, path)]

    if "verdicts/trk-f3.nc" in files:
        names = [f"{rate}-{alpha}" for rate in ("slow", "fast") for alpha in ("low", "mid", "high")]
        checks = {name: matching(rf"checks/trk-f3-{name}(-\d+)?\.exact\.nc") for name in (*names, "twenty-fast-mid")}
        yield from trk_f3(checks, {name: matching(rf"models/trk-f3-{name}(-\d+)?\.trace\.nc") for name in names})
    if "verdicts/trk-t1.nc" in files:
        yield from trk_t1(matching(r"best/trk-t1\..*\.nc"), xr.load_dataset(files["tables/trk-t1.nc"]))
