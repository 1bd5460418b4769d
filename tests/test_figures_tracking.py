"""Figures of tracked log Z: what they show of traces and checks, and the drawn model of the tracker."""

import numpy as np
import pytest
import xarray as xr

from logzoo.models.exact_sums import exact_log_z
from logzoo.models.rbm import snapshots_of
from logzoo.training.trainers import train_rbm
from replication.papers.rts import rts_f5 as f5
from replication.papers.tracking import trk_f3, trk_f4a, trk_f4b

SPLITS = ("train", "validation", "test")
TITLE = "some model"


def examples(count, seed):
    return (np.random.default_rng(seed).random((count, 12)) < 0.3).astype(np.uint8)


def checked(run, method, error):
    """A check of every snapshot of a run: the exact log Z, or off by `error` nats with an interval of unequal ends."""
    rbms, update = list(snapshots_of(run.snapshots)), run.snapshots["update"].values
    exact, tracked = np.array([exact_log_z(rbm) for rbm in rbms]), run.trace.sel(update=update)
    log_f = np.array([[-rbm.free_energy(examples(30, seed)).mean() for seed in range(3)] for rbm in rbms])
    variables = {"log_z": exact + error, "log_z_low": exact - error, "log_z_high": exact + 2.5 * error}
    variables |= {"tracked_log_z": tracked["log_z"].values, "tracked_std_dev": tracked["log_z_std_dev"].values}
    variables = {name: ("update", values) for name, values in variables.items()}
    variables |= {"std_error": ("update", np.full(exact.size, error)), "mean_log_f": (("update", "split"), log_f)}
    coordinates = {"update": update, "split": np.array(SPLITS, dtype=object)}
    return xr.Dataset(variables, coordinates, {"check_method": method, "sweeps": 100, "chains": 10})


@pytest.fixture(scope="module")
def kalman():
    settings = {"hidden": 4, "updates": 300, "batch": 10, "learning_rate": 0.05, "every": 10, "snapshots": 6}
    settings |= {"schedule": "inverse", "alpha": 50, "particles": 5, "rungs": 4, "validation": examples(30, 1)}
    run = train_rbm(examples(30, 0), "sml-apt", tracker="kalman", patience=1000, **settings)
    return run.trace, checked(run, "enumeration", 0.0), checked(run, "ais", 0.2)


@pytest.fixture(scope="module")
def rts():
    settings = {"hidden": 4, "updates": 60, "batch": 10, "learning_rate": 1e-3, "snapshots": 4}
    settings |= {"k": 2, "particles": 10, "rungs": 5, "validation": examples(30, 1)}
    run = train_rbm(examples(30, 0), "rms-spectral", **settings)
    return run.trace, checked(run, "ais", 0.2)


def log_likelihood(check, split):
    return (check["mean_log_f"].sel(split=split) - check["log_z"]).values


def has_band(axis, update, middle, std_dev):
    """Whether a band of three standard deviations is drawn around `middle`."""
    ends = [*zip(update, middle - 3.0 * std_dev, strict=True), *zip(update, middle + 3.0 * std_dev, strict=True)]
    expected = {tuple(end) for end in np.round(ends, 9)}
    bands = [np.round(band.get_paths()[0].vertices, 9) for band in axis.collections]
    return any(expected <= {tuple(corner) for corner in band} for band in bands)


def bars_of(container):
    """Lower and upper ends (update,) of the bars of an errorbar."""
    return np.array([segment[:, 1] for segment in container.lines[2][0].get_segments()]).T


def assert_points(container, check, split):
    """The points of an errorbar are the log-likelihoods of a check, its bars their intervals."""
    log_f = check["mean_log_f"].sel(split=split).values
    np.testing.assert_allclose(container.lines[0].get_ydata(), log_likelihood(check, split))
    np.testing.assert_allclose(bars_of(container), [log_f - check["log_z_high"], log_f - check["log_z_low"]])


def by_label(axis):
    return {line.get_label(): line for line in axis.get_lines()}


def draw_followed(figure, trace, check):
    """A figure of one training."""
    return figure.draw({"trace": trace, "check": check}, title=TITLE)


def draw_runs(panels, datasets):
    """Figure 3 of panels {title: {model: label}}; trace, exact and AIS check are the same for all models."""
    models = [model for runs in panels.values() for model in runs]
    traces, exact, ais = (dict.fromkeys(models, part) for part in datasets)
    return trk_f3.draw({"traces": {"slow-low": traces}, "exact": {"slow-low": exact}, "ais": ais}, panels=panels)


def test_figure_3_shows_exact_sampled_and_tracked_values_of_every_run(kalman):
    trace, exact, ais = kalman
    panels = {"slow": {"a": "one", "b": "two"}, "fast": {"c": "two"}}
    figure = draw_runs(panels, kalman)
    for axis, title in zip(figure.axes, panels, strict=True):
        assert (axis.get_title(loc="right"), axis.get_xlabel()) == (title, "updates")
        assert len(axis.containers) == len(panels[title])
    axis = figure.axes[1]
    assert "[nat]" in figure.axes[0].get_ylabel()
    solid, dashed = (line for line in axis.get_lines() if line.get_linestyle() != "None")
    at_snapshots, log_f = trace.sel(update=exact["update"]), exact["mean_log_f"].sel(split="test").values
    np.testing.assert_allclose(solid.get_ydata(), log_likelihood(exact, "test"))
    tracked = log_f - at_snapshots["log_z"].values
    np.testing.assert_allclose(dashed.get_ydata(), tracked)
    assert (solid.get_linestyle(), solid.get_marker(), dashed.get_linestyle()) == ("-", "o", "--")
    (container,) = axis.containers
    assert_points(container, ais, "test")
    assert has_band(axis, exact["update"].values, tracked, at_snapshots["log_z_std_dev"].values)
    # A label has the same colour in all panels.
    assert {line.get_color() for line in (solid, dashed)} == {figure.axes[0].get_lines()[-1].get_color()}
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == ["one", "two", "exact", "AIS, 95%", "Kalman filter, ±3 s.d."]


def test_figure_4a_shows_the_filter_at_work(kalman):
    trace, _, ais = kalman
    figure = draw_followed(trk_f4a, trace, ais)
    log_z, change, bias, error, exchange, ladder, rate = figure.axes
    lines = by_label(log_z)
    np.testing.assert_array_equal(lines["Kalman, ±3 s.d."].get_ydata(), trace["log_z"])
    np.testing.assert_array_equal(lines["bridge sampling at one update"].get_ydata(), trace["bridged_log_z"])
    assert has_band(log_z, *(trace[name].values for name in ("update", "log_z", "log_z_std_dev")))
    (points,) = log_z.containers
    np.testing.assert_allclose(points.lines[0].get_ydata(), ais["log_z"])
    np.testing.assert_allclose(bars_of(points), [ais["log_z_low"], ais["log_z_high"]])
    assert (points.get_label(), log_z.get_legend().get_title().get_text()) == ("AIS, 95% interval", TITLE)
    # The first row of a trace has no observed change.
    (changes,) = change.containers
    np.testing.assert_array_equal(changes.lines[0].get_ydata(), trace["observed_change"][1:])
    half = trace["observed_change_std_dev"].values[1:]
    np.testing.assert_allclose(np.diff(bars_of(changes), axis=0)[0], 2.0 * half)
    np.testing.assert_array_equal(by_label(bias)["bias (left)"].get_ydata(), trace["bias"])
    np.testing.assert_array_equal(by_label(rate)["learning rate (right)"].get_ydata(), trace["learning_rate"])
    assert error.get_yscale() == "log"
    drawn = [line.get_ydata()[1:] for line in error.get_lines()]
    names = ("bridged_log_z_std_dev", "observed_change_std_dev", "log_z_std_dev")
    np.testing.assert_array_equal(drawn, [trace[name][1:] for name in names])
    for stairs, last in zip(exchange.patches, (False, True), strict=True):
        result, betas = trk_f4a.exchange_rates(trace, last)
        np.testing.assert_array_equal(stairs.get_data().values, result)
        np.testing.assert_array_equal(stairs.get_data().edges, betas)
    np.testing.assert_array_equal([line.get_ydata() for line in ladder.get_lines()], trace["inverse_temperature"].T)


def grown_ladder():
    """A trace of eleven rows whose ladder has a third pair from the row of update 50 on, where its counts begin."""
    tried = np.full((11, 3), np.nan)
    tried[:5, :2] = 10.0 * np.arange(1, 6)[:, None]
    tried[5:] = 10.0 * np.arange(6)[:, None]
    successes = tried * [0.5, 0.8, 0.9]
    successes[10] = successes[9] + [1.0, 2.0, 3.0]
    betas = np.full((11, 4), np.nan)
    betas[:5, :3] = 0.0, 0.5, 1.0
    betas[5:] = 0.0, 0.3, 0.6, 1.0
    pair, rung = ("update", "pair"), ("update", "rung")
    exchanges = {"exchanges_tried": (pair, tried), "exchanges_made": (pair, successes)}
    return xr.Dataset({**exchanges, "inverse_temperature": (rung, betas)}, {"update": 10 * np.arange(11)})


def test_exchange_rates_are_of_one_tenth_and_one_ladder():
    trace, ladder = grown_ladder(), [0.0, 0.3, 0.6, 1.0]
    for part, last, rates, betas in (
        (trace, False, [0.5, 0.8], [0.0, 0.5, 1.0]),
        (trace, True, [0.1, 0.2, 0.3], ladder),  # from the row of update 90 to that of update 100
        (trace.isel(update=slice(None, 7)), True, [0.5, 0.8, 0.9], ladder),  # since a rung was gained
    ):
        result = trk_f4a.exchange_rates(part, last=last)
        np.testing.assert_allclose(result[0], rates)
        np.testing.assert_array_equal(result[1], betas)


def test_figures_4b_and_5_show_tracked_and_checked_log_likelihoods(kalman, rts):
    splits = ("train", "validation")
    for followed, tracker, (trace, check) in ((trk_f4b, "Kalman", kalman[::2]), (f5, "RTS", rts)):
        (axis,) = draw_followed(followed, trace, check).axes
        lines = by_label(axis)
        for split in splits:
            line, tracked = lines[f"{split}, {tracker}, ±3 s.d."], trace[f"log_likelihood_{split}"].values
            np.testing.assert_array_equal(line.get_ydata(), tracked)
            assert has_band(axis, trace["update"].values, tracked, trace["log_z_std_dev"].values)
        points = {container.get_label(): container for container in axis.containers}
        assert set(points) == {f"{split}, AIS, 95% interval" for split in splits}
        for split in splits:
            assert_points(points[f"{split}, AIS, 95% interval"], check, split)
        assert axis.get_title(loc="right") == TITLE


def test_stand_ins_are_marked(kalman, rts):
    trace, exact, ais = (dataset.assign_attrs(stand_in_for="Letters") for dataset in kalman)
    figures = [draw_runs({"slow": {"a": "one"}}, (trace, exact, ais))]
    figures += [draw_followed(part, trace, ais) for part in (trk_f4a, trk_f4b)]
    figures.append(draw_followed(f5, rts[0].assign_attrs(stand_in_for="Letters"), rts[1]))
    for figure in figures:
        assert "STAND-IN: replaced data sets or models: Letters" in figure.get_suptitle()
    assert figures[1].axes[0].get_legend().get_title().get_text() == f"stand-in for {TITLE}"
    assert not draw_followed(trk_f4a, *kalman[:2]).get_suptitle()
