"""Figure 3 of Carlson et al. (2016): what its limits show."""

import numpy as np
import xarray as xr

from replication.papers.rts import rts_f3

BUDGETS = [100, 1000, 10_000]


def figure_of(errors):
    """Axes of the means of log Z, of estimators with these mean errors {name: at each budget}."""
    spread = np.linspace(-0.01, 0.01, 4)
    estimates = {
        name: xr.Dataset(
            {"log_z": (("budget", "replicate"), 5.0 + np.array(means)[:, None] + spread)}, {"budget": BUDGETS}
        )
        for name, means in errors.items()
    }
    truth = xr.Dataset({"log_z": 5.0, "std_error": 0.001}, attrs={"truth_method": "exact"})
    names = {name: name.upper() for name in errors}
    artifacts = {"estimates": {"model": estimates}, "truths": {"model": truth}}
    return rts_f3.draw(artifacts, titles={"model": "a model"}, names=names, published={"model": None}).axes[0]


def test_limits_show_all_but_the_worst_of_the_first_budget():
    shown = figure_of({"rts": [0.2, 0.05, 0.01], "ais": [-0.3, -0.08, 0.02], "raise": [40.0, 0.1, 0.03]})
    low, high = shown.get_ylim()
    assert low < 5.0 - 0.3 and 5.0 + 0.3 < high < 7.0
    # Errors at later budgets are shown whatever they are.
    low, high = figure_of({"rts": [0.2, 0.05, 0.01], "ais": [0.3, 9.0, 0.02]}).get_ylim()
    assert high > 14.0


def test_estimators_may_have_budgets_of_their_own():
    one = xr.Dataset({"log_z": (("budget", "replicate"), np.full((1, 4), 5.5))}, {"budget": BUDGETS[:1]})
    artifacts = {
        "estimates": {"model": {"rts": one}},
        "truths": {"model": xr.Dataset({"log_z": 5.0, "std_error": 0.001}, attrs={"truth_method": "exact"})},
    }
    axis = rts_f3.draw(artifacts, titles={"model": "a"}, names={"rts": "RTS"}, published={"model": 4.0}).axes[0]
    assert axis.get_ylim()[1] > 5.5
