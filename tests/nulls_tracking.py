"""Made-up artifacts of the tracking paper, and those whose truth lies exactly on the bounds of its claims."""

from functools import cache
from itertools import product

import numpy as np
import xarray as xr

from replication.papers.tracking import trk_cost, trk_f3, trk_f4a, trk_f4b, trk_t1
from replication.reporting.statistics import Statistic

FIGURES = {"trk-f3": trk_f3, "trk-f4a": trk_f4a, "trk-f4b": trk_f4b, "trk-cost": trk_cost, "trk-t1": trk_t1}
SPLITS = ["train", "validation", "test"]
KINDS = [f"{speed}-{decay}" for speed in ("slow", "fast") for decay in ("low", "mid", "high")]
# Spread of the logarithm of a number between trainings.
SPREAD = 0.2


def check_of(tracked_error, *, std_dev=0.1, std_error=0.0, likelihoods=None, last_update=9000):
    """A check whose tracked log Z has these errors (update,); likelihoods {split: (update,)} by its log Z."""
    size = len(tracked_error)
    log_z = np.linspace(450.0, 500.0, size)
    variables = {"log_z": log_z, "std_error": np.broadcast_to(np.asarray(std_error, float), size).copy()}
    variables |= {"tracked_log_z": log_z + tracked_error, "tracked_std_dev": np.full(size, std_dev)}
    log_f = np.stack([(likelihoods or {}).get(split, np.zeros(size)) for split in SPLITS], axis=1) + log_z[:, None]
    return _check_like(size, last_update).copy(data={**variables, "mean_log_f": log_f})


@cache
def _check_like(size, last_update):
    """An empty check; a copy of it is faster than another Dataset."""
    names = ("log_z", "std_error", "tracked_log_z", "tracked_std_dev")
    variables = {name: ("update", np.zeros(size)) for name in names}
    variables["mean_log_f"] = (("update", "split"), np.zeros((size, 3)))
    return xr.Dataset(variables, {"update": np.linspace(0, last_update, size).round().astype(int), "split": SPLITS})


def alone_of(check, bridged, summed):
    """The trace of a check: log Z by either observation alone, with these errors (update,)."""
    log_z = check["log_z"].values
    columns = {"log_z": log_z + bridged, "std_error": log_z + summed}
    return check[[*columns]].copy(data=columns).rename_vars(log_z="bridged_log_z", std_error="summed_log_z")


def trace_of(bias, bridged, change, rates=(0.5, 0.5)):
    """A trace of a filter (row,), whose pairs of temperatures exchange at these rates."""
    rows, pairs = len(bias), len(rates)
    columns = {"bias": bias, "bridged_log_z_std_dev": bridged, "observed_change_std_dev": change}
    variables = {name: ("update", np.asarray(column, float)) for name, column in columns.items()}
    tried = np.repeat(100.0 * np.arange(1, rows + 1)[:, None], pairs, axis=1)
    for name, values in {"exchanges_tried": tried, "exchanges_made": tried * rates}.items():
        variables[name] = (("update", "pair"), values)
    variables["inverse_temperature"] = ("update", "rung"), np.tile(np.linspace(0.0, 1.0, pairs + 1), (rows, 1))
    return xr.Dataset(variables, {"update": 30 * np.arange(rows)})


def followed(train, validation, best):
    """A trace of tracked likelihoods (row,), the best after this share of the updates."""
    columns = {"log_likelihood_train": ("update", train), "log_likelihood_validation": ("update", validation)}
    update = 100 * np.arange(len(train))
    return xr.Dataset(columns, {"update": update}, {"best_update": best * update[-1]})


def dataset_of(data):
    """A data set of {split: examples}."""
    split = np.repeat(range(3), [len(data[split]) for split in SPLITS])
    content = {"data": (("example", "visible"), np.concatenate([data[split] for split in SPLITS]))}
    return xr.Dataset(content | {"split": ("example", split)}, attrs={"title": "patterns"})


def numbered(items):
    """{"1": item, ...}, as trainings are named."""
    return {str(number): item for number, item in enumerate(items, start=1)}


def best_model(tracked, ais, error=0.1, std_dev=0.1, spread=1.0, further=1.0, **attributes):
    """The best model of a data set: likelihoods, their errors, and the spreads of AIS weights by two lengths."""
    numbers = {"test_log_likelihood_tracked": tracked, "test_log_likelihood_ais": ais, "ais_std_error": error}
    spreads = {"tracked_std_dev": std_dev, "ais_weight_spread": spread, "ais_weight_spread_long": further}
    return xr.Dataset(numbers | spreads, attrs=attributes)


def costs_of(generator, kalman=1.5, rts=1.02, point=0.001, repeats=5):
    """Seconds of an update without a tracker, and `kalman` and `rts` times these; AIS takes 1/point of the filter."""
    levels = 0.01 * np.array([[1.0], [kalman], [rts]])
    seconds = levels * np.exp(0.05 * generator.standard_normal((3, repeats)))
    by_ais = 0.01 * kalman / point / 21_000 * np.array([[100.0, 300.0]])
    return {
        "timings": xr.Dataset({"seconds": (("tracker", "repeat"), seconds)}, {"tracker": ["none", "kalman", "rts"]}),
        "ais": xr.Dataset({"seconds": (("estimator", "budget"), by_ais)}, {"estimator": ["ais"], "budget": [100, 300]}),
    }


def null_statistics(generator: np.random.Generator) -> dict[str, Statistic]:
    """{id: Statistic} of all claims with bounds, of artifacts whose truth lies on a bound."""
    artifacts = {
        "trk-f3": _null_figure_3(generator),
        "trk-f4a": _null_figure_4a(generator),
        "trk-f4b": {"traces": numbered(_null_training(generator) for _ in range(5)), "checks": {}},
        "trk-cost": costs_of(generator, point=1.0),
        "trk-t1": {"best": numbered(_null_best(generator) for _ in range(8))},
    }
    return {
        f"{name}-{key}": statistic
        for name, figure in FIGURES.items()
        for key, statistic in figure.statistics(artifacts[name]).items()
        if figure.CLAIMS[key].bounds
    }


def _level(generator, *shape):
    """A factor of mean 1 between trainings."""
    return np.exp(SPREAD * generator.standard_normal(shape) - 0.5 * SPREAD**2)


def _null_figure_3(generator):
    """Errors of one size in all settings and at all times, by bridge sampling as by the tracker."""
    exact, traces = {kind: {} for kind in KINDS}, {kind: {} for kind in KINDS}
    for kind, number in product(KINDS, "01234"):
        errors = _level(generator, 1) * generator.standard_normal((2, 31))
        test = {"test": _level(generator, 1) * generator.standard_normal(31)}
        exact[kind][number] = check_of(errors[0], likelihoods=test, last_update=300_000)
        traces[kind][number] = alone_of(exact[kind][number], errors[1], 10.0)
    return {"exact": exact, "traces": traces, "particles": {}}


def _null_figure_4a(generator):
    """Traces and checks in which nothing grows, falls, or differs between ladders."""

    def trace():
        drawn = _level(generator, 3, 1) * np.exp(0.1 * generator.standard_normal((3, 101)))
        return trace_of(*drawn, rates=0.5 * _level(generator, 1) * np.array([1.0, 1.5]))

    def check():
        test = {"test": 3.0 * generator.standard_normal(1) + generator.standard_normal(17)}
        return check_of(_level(generator, 1) * generator.standard_normal(17), likelihoods=test)

    ladders = {"fixed": 6, "adaptive": 6, "growing": 0}
    return {
        name: {ladder: numbered(make() for _ in range(count)) for ladder, count in ladders.items()}
        for name, make in (("traces", trace), ("checks", check))
    }


def _null_training(generator):
    """A trace whose likelihoods are as high at the end as half way, apart from the drift of a training."""
    drift = np.linspace(-1.0, 1.0, 101) * generator.standard_normal((2, 1))
    return followed(*(drift + 0.5 * generator.standard_normal((2, 101))), 0.5)


def _null_best(generator):
    apart = 1.56 * np.exp(0.8 * generator.standard_normal() - 0.5 * 0.8**2)
    return best_model(-90.0 + apart, -90.0, further=np.exp(0.4 * generator.standard_normal()), published_ais=-90.0)
