"""Figures of Carlson et al. (2016): contents of figures 2, 3 and 6."""

import numpy as np
import pytest
from nulls_rts import TRUTH as KNOWN
from nulls_rts import runs

from logzoo.streams import root_stream
from replication.papers.rts import mixture, rts_f3
from replication.papers.rts.rts_mixture import draw_estimators, draw_steps
from replication.reporting.style import TRUTH

SETTINGS = {"chains": 4, "rungs": 12, "ladder": "geometric", "initial_draws": 50, "initial_iterations": 4}
SETTINGS |= {"tuning": {"adaptation_draws": 50, "pilot_draws": 50, "pilot_iterations": 4}, "stream": root_stream(9)}


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


def test_figure_3_joins_runs_of_more_sweeps():
    truth = KNOWN.assign_attrs(truth_method="known")
    estimates = {"one": {"rts": runs(np.full((2, 6), 1.0), [10, 20])}}
    longer = {"one": {"rts": runs(np.full((1, 3), 2.0), [40])}}
    words = {"titles": {"one": "One"}, "names": {"rts": "RTS"}, "published": {"one": None}}
    for more, expected in (({"longer": longer}, [1.0, 1.0, 2.0]), ({}, [1.0, 1.0])):
        axes = rts_f3.draw({"estimates": estimates, "truths": {"one": truth}, **more}, **words).axes
        for axis in axes[:2]:
            drawn = [line.get_ydata() for line in axis.get_lines() if line.get_label() == "RTS"]
            (values,) = [one for one in drawn if len(one) == len(expected)]
            np.testing.assert_allclose(values, expected)
