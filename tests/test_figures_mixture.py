"""Figures 2 and 6 of the mixture: what they show, and that the exact value is on them."""

import numpy as np
import pytest
from pictures import assert_drawn_alike

from logzoo.streams import root_stream
from replication.papers.rts import mixture
from replication.papers.rts.rts_mixture import draw_estimators, draw_steps
from replication.reporting.style import TRUTH

SETTINGS = {
    "chains": 4,
    "rungs": 12,
    "ladder": "geometric",
    "initial_draws": 50,
    "initial_iterations": 4,
    "stream": root_stream(9),
    "tuning": {"adaptation_draws": 50, "pilot_draws": 50, "pilot_iterations": 4},
}
NAMES = {name: f"name of {name}" for name in mixture.ESTIMATORS}


@pytest.fixture(scope="module")
def estimators():
    return mixture.estimators({}, samples=[200, 400], replicates=3, **SETTINGS)


@pytest.fixture(scope="module")
def steps():
    return mixture.steps({}, draws=300, replicates=4, **SETTINGS)


def exact_lines(axis):
    return [line for line in axis.get_lines() if line.get_color() == TRUTH and line.get_linestyle() == "--"]


def test_figure_2_shows_every_estimator_and_the_exact_value(estimators):
    figure = draw_estimators({"mixture": estimators}, names=NAMES)
    left, right = figure.axes
    by_label = {line.get_label(): line for line in left.get_lines()}
    assert set(by_label) == set(NAMES.values())
    error = estimators["log_z"] - estimators["exact_log_z"]
    for name in mixture.ESTIMATORS:
        expected = np.sqrt((error.sel(estimator=name) ** 2).mean("replicate"))
        np.testing.assert_allclose(by_label[NAMES[name]].get_ydata(), expected)
    (exact,) = exact_lines(right)
    assert exact.get_ydata()[0] == pytest.approx(5 * np.log(np.pi))
    assert [axis.get_xlabel() for axis in figure.axes] == ["samples"] * 2
    assert "[nat]" in left.get_ylabel() and "[nat]" in right.get_ylabel()
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert [label for label in labels if not label.endswith(", limit")] == [*NAMES.values(), "exact"]
    limits = {line.get_label(): line.get_ydata()[0] for line in right.get_lines() if "limit" in line.get_label()}
    assert set(limits) == {label for label in labels if label.endswith(", limit")}
    assert limits[f"{NAMES['ti-riemann']}, limit"] == float(estimators["limit"].sel(estimator="ti-riemann"))


def test_figure_6_shows_traces_estimates_steps_and_acceptance(steps):
    figure = draw_steps({"mixture": steps})
    fixed, adaptive, estimates, sizes, acceptance = figure.axes
    for axis, rule in ((fixed, "fixed"), (adaptive, "adaptive")):
        np.testing.assert_array_equal(axis.get_lines()[0].get_ydata(), steps["trace"].sel(step_rule=rule))
        assert f"{rule} step: autocorrelation time" in axis.get_title(loc="right")
    (exact,) = exact_lines(estimates)
    assert exact.get_ydata()[0] == pytest.approx(5 * np.log(np.pi))
    assert "1,200 samples [nat]" in estimates.get_ylabel()
    for axis, name in ((sizes, "step_size"), (acceptance, "acceptance")):
        for line, rule in zip(axis.get_lines(), mixture.STEP_RULES, strict=True):
            np.testing.assert_array_equal(line.get_ydata(), steps[name].sel(step_rule=rule))
    assert all(axis.get_xlabel() for axis in (fixed, adaptive, sizes, acceptance))
    assert all(axis.get_ylabel() for axis in (fixed, estimates, sizes, acceptance))


def test_the_figures_are_the_same_each_time(estimators, steps):
    assert_drawn_alike(lambda: draw_estimators({"mixture": estimators}, names=NAMES))
    assert_drawn_alike(lambda: draw_steps({"mixture": steps}))
