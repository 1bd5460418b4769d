"""Statistics behind the claims on infinite swapping, on data made to order: right, wrong, and too little to say."""

import numpy as np
import pytest
import xarray as xr

from replication.papers.infinite_swapping import ins_distances, ins_seconds, ins_trainings
from replication.reporting.verdicts import judge

f2, equal, many = ins_distances.FIGURES["ins-f2"], *ins_seconds.FIGURES.values()
f3, _, f6 = ins_trainings.FIGURES.values()

AT_MOST_ONE = {"at_most": 1.0}
AT_LEAST_ZERO = {"at_least": 0.0}


def noise(shape, seed):
    return np.random.default_rng(seed).standard_normal(shape)


def gradients_of(late, early=None, repeats=20):
    """Distances {sampler: size} late and early in training that fall as steps grow, 10% noise."""
    steps = np.array([1, 10, 100, 1000, 5000])
    states = {"early": early or late, "late": late}
    samplers = list(late)
    values = np.empty((2, len(samplers), repeats, steps.size))
    for row, sizes in enumerate(states.values()):
        for column, name in enumerate(samplers):
            factor = np.exp(0.1 * noise((repeats, steps.size), [row, column]))
            values[row, column] = sizes[name] / np.sqrt(steps) * factor
    # Before a tenth of the steps nobody is judged.
    values[..., :2] = noise(values[..., :2].shape, 9) ** 2
    dimensions = ("state", "sampler", "repeat", "step")
    return xr.Dataset(
        {"distance": (dimensions, values)}, coords={"state": list(states), "sampler": samplers, "step": steps}
    )


def test_distances_are_compared_late_and_early():
    statistics = f2.statistics({"gradients": gradients_of({"pcd": 4.0, "pt": 1.0, "ins": 0.8})})
    assert statistics["late"].value == pytest.approx(0.8, rel=0.1)
    assert statistics["pcd"].value == pytest.approx(0.25, rel=0.1)
    assert [judge(AT_MOST_ONE, statistics[name]) for name in ("late", "pcd", "early")] == ["reproduced"] * 3
    early = {"pcd": 1.0, "pt": 1.0, "ins": 2.0}
    statistics = f2.statistics({"gradients": gradients_of({"pcd": 0.5, "pt": 1.0, "ins": 1.3}, early)})
    assert [judge(AT_MOST_ONE, statistics[name]) for name in ("late", "pcd", "early")] == ["not reproduced"] * 3
    statistics = f2.statistics({"gradients": gradients_of({"pcd": 1.0, "pt": 1.0, "ins": 1.0})})
    assert judge(AT_MOST_ONE, statistics["late"]) == "undecided at this scale"


def test_more_temperatures_and_time_are_judged_on_both_sides():
    for ratio, outcome in ((1.0, "reproduced"), (0.5, "not reproduced"), (2.0, "not reproduced")):
        gradients = gradients_of({"ins-5": 1.0, "ins-12": ratio})
        assert judge(many.claims["more"].bounds, many.statistics({"gradients": gradients})["more"]) == outcome
        seconds = np.array([[1.0], [ratio]]) * np.exp(0.02 * noise((2, 6), 3))
        timings = xr.Dataset({"step_seconds": (("sampler", "repeat"), seconds)}, coords={"sampler": ["pt", "ins"]})
        assert judge(equal.claims["time"].bounds, equal.statistics({"timings": timings})["time"]) == outcome


def run_of(level, spread, *, falls=0.0, repeats=30, seed=0):
    """A run whose likelihood and accuracy rise to `level`, then fall; repeats differ by that standard deviation."""
    update = np.linspace(0, 1000, 51).round().astype(int)
    mean = level - 3.0 * np.exp(-update / 50.0) - falls * np.maximum(update - 300, 0) / 700
    values = mean + spread * noise((repeats, update.size), seed)
    return xr.Dataset(
        {name: (("repeat", "update"), values) for name in ("log_likelihood", "accuracy")}, coords={"update": update}
    )


def test_trainings_are_compared_by_mean_and_variance():
    runs = {
        "exact": run_of(-5.0, 0.001, seed=1),
        "pcd": run_of(-5.0, 0.2, falls=2.0, seed=2),
        "pt": run_of(-5.5, 0.1, seed=3),
        "ins": run_of(-5.4, 0.05, seed=4),
    }
    statistics = f3.statistics({"runs": {"toy": runs}})
    for quantity in ("likelihood", "accuracy"):
        assert statistics[quantity].value == pytest.approx(0.1, abs=0.02)
        assert judge(AT_LEAST_ZERO, statistics[quantity]) == "reproduced"
        assert statistics[f"{quantity}-spread"].value == pytest.approx(0.25, rel=0.3)
        assert judge(AT_MOST_ONE, statistics[f"{quantity}-spread"]) == "reproduced"
    assert statistics["pcd"].value == pytest.approx(1.3, abs=0.15)
    assert judge(AT_LEAST_ZERO, statistics["pcd"]) == "reproduced"
    # On average over the last fifth the fall is at nine tenths.
    assert statistics["degenerate"].value == pytest.approx(1.77, abs=0.15)
    worse = f3.statistics({"runs": {"toy": {**runs, "ins": run_of(-5.8, 0.3, seed=5)}}})
    assert judge(AT_LEAST_ZERO, worse["likelihood"]) == "not reproduced"
    assert judge(AT_MOST_ONE, worse["likelihood-spread"]) == "not reproduced"
    above = f3.statistics({"runs": {"toy": {**runs, "pcd": run_of(-5.0, 0.1, seed=6)}}})
    assert judge(AT_LEAST_ZERO, above["pcd"]) == "not reproduced"


def test_larger_data_are_compared_by_how_far_the_trainers_are_apart():
    levels = (("pcd", -0.50, 0.2), ("pt", -0.45, 0.2), ("ins", -0.40, 0.1))
    runs = {
        data: {
            name: run_of(level, spread, seed=[number, len(data)]) for number, (name, level, spread) in enumerate(levels)
        }
        for data in ("mnist", "toy")
    }
    statistics = f6.statistics({"runs": runs})
    for data in ("spread", "toy-spread"):
        assert statistics[data].value == pytest.approx(0.25, rel=0.4)
    assert statistics["mnist"].value == pytest.approx(0.1, abs=0.05)
    assert statistics["later"].value == pytest.approx(0.05, abs=0.05)
    assert statistics["early"].value == pytest.approx(-0.1, abs=0.05)
    assert judge(f6.claims["early"].bounds, statistics["early"]) == "not reproduced"
    for falls, outcome in ((0.0, "reproduced"), (1.0, "not reproduced")):
        steady = {**runs["toy"], "pcd": run_of(-0.5, 0.05, falls=falls, seed=8)}
        result = f6.statistics({"runs": {**runs, "toy": steady}})["degenerate"]
        assert judge(f6.claims["degenerate"].bounds, result) == outcome
    far = f6.statistics({"runs": {**runs, "toy": {**runs["toy"], "pcd": run_of(-2.0, 0.1, seed=7)}}})
    assert judge({"at_most": 0.2}, statistics["toy"]) == "reproduced"
    assert judge({"at_most": 0.2}, far["toy"]) == "not reproduced"
