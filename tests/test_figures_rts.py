"""Figures of Carlson et al. (2016): limits of figure 3, contents of figures 2 and 6."""

import numpy as np
import pytest
import xarray as xr

from logzoo.streams import root_stream
from replication.papers.rts import mixture, rts_f3
from replication.papers.rts.rts_mixture import draw_estimators, draw_steps
from replication.reporting.style import TRUTH

BUDGETS = [100, 1000, 10_000]
SETTINGS = {
    "chains": 4,
    "rungs": 12,
    "ladder": "geometric",
    "initial_draws": 50,
    "initial_iterations": 4,
    "stream": root_stream(9),
    "tuning": {"adaptation_draws": 50, "pilot_draws": 50, "pilot_iterations": 4},
}


def limits_of(errors, budgets=BUDGETS):
    """Limits of the means of log Z, of estimators with these mean errors {name: at each budget}."""
    spread, cells = np.linspace(-0.01, 0.01, 4), ("budget", "replicate")
    estimates = {
        name: xr.Dataset({"log_z": (cells, 5.0 + np.array(means)[:, None] + spread)}, {"budget": budgets})
        for name, means in errors.items()
    }
    truth = xr.Dataset({"log_z": 5.0, "std_error": 0.001}, attrs={"truth_method": "exact"})
    artifacts = {"estimates": {"model": estimates}, "truths": {"model": truth}}
    names = {name: name.upper() for name in errors}
    figure = rts_f3.draw(artifacts, titles={"model": "a model"}, names=names, published={"model": 4.0})
    return figure.axes[0].get_ylim()


def test_limits_show_all_but_the_worst_of_the_first_budget():
    low, high = limits_of({"rts": [0.2, 0.05, 0.01], "ais": [-0.3, -0.08, 0.02], "raise": [40.0, 0.1, 0.03]})
    assert low < 5.0 - 0.3 and 5.0 + 0.3 < high < 7.0
    # Errors at later budgets are shown whatever they are.
    assert limits_of({"rts": [0.2, 0.05, 0.01], "ais": [0.3, 9.0, 0.02]})[1] > 14.0
    assert limits_of({"rts": [0.5]}, budgets=[100])[1] > 5.5


def exact_value(axis):
    (line,) = [line for line in axis.get_lines() if line.get_color() == TRUTH and line.get_linestyle() == "--"]
    return line.get_ydata()[0]


def test_figure_2_shows_every_estimator_and_the_exact_value():
    estimators = mixture.estimators({}, samples=[200, 400], replicates=3, **SETTINGS)
    names = {name: f"name of {name}" for name in mixture.ESTIMATORS}
    left, right = draw_estimators({"mixture": estimators}, names=names).axes
    by_label = {line.get_label(): line for line in left.get_lines()}
    assert set(by_label) == set(names.values())
    error = estimators["log_z"] - estimators["exact_log_z"]
    for name in mixture.ESTIMATORS:
        expected = np.sqrt((error.sel(estimator=name) ** 2).mean("replicate"))
        np.testing.assert_allclose(by_label[names[name]].get_ydata(), expected)
    assert exact_value(right) == pytest.approx(5 * np.log(np.pi))
    limits = {line.get_label(): line.get_ydata()[0] for line in right.get_lines() if "limit" in line.get_label()}
    assert limits["name of ti-riemann, limit"] == float(estimators["limit"].sel(estimator="ti-riemann"))


def test_figure_6_shows_traces_estimates_steps_and_acceptance():
    steps = mixture.steps({}, draws=300, replicates=4, **SETTINGS)
    fixed, adaptive, estimates, sizes, acceptance = draw_steps({"mixture": steps}).axes
    for axis, rule in ((fixed, "fixed"), (adaptive, "adaptive")):
        np.testing.assert_array_equal(axis.get_lines()[0].get_ydata(), steps["trace"].sel(step_rule=rule))
    assert exact_value(estimates) == pytest.approx(5 * np.log(np.pi))
    for axis, name in ((sizes, "step_size"), (acceptance, "acceptance")):
        for line, rule in zip(axis.get_lines(), mixture.STEP_RULES, strict=True):
            np.testing.assert_array_equal(line.get_ydata(), steps[name].sel(step_rule=rule))
