"""Figures of swapped temperatures: every line is a mean of what was measured, over the axis that its label names."""

import numpy as np
import pytest
import xarray as xr

from logzoo.models.rbm import RBM
from logzoo.streams import root_stream
from logzoo.training.trainers import train_rbm
from replication.papers.infinite_swapping import (
    ins_association,
    ins_distances,
    ins_runs,
    ins_seconds,
    ins_settings,
    ins_trainings,
)
from replication.papers.infinite_swapping.ins_runs import repeated_training

f2 = ins_distances.FIGURES["ins-f2"]
f3 = ins_trainings.FIGURES["ins-f3"]
equal, many = ins_seconds.FIGURES.values()

SAMPLERS = {
    "pcd": {"temperatures": [1]},
    "pt": {"temperatures": [1, 2, 4], "group": "in-turn", "density": "joint"},
    "ins": {"temperatures": [1, 2, 4]},
}
NAMES = {name: f"name of {name}" for name in SAMPLERS}


@pytest.fixture(scope="module")
def gradients():
    generator = np.random.default_rng(3)

    def state(scale):
        return RBM(*(scale * generator.standard_normal(shape) for shape in ((6, 3), 6, 3))).to_dataset()

    names = "one", "two", "three"
    artifacts = {
        "models": {name: state(1.5) for name in names},
        "snapshots": {name: state(0.1).expand_dims("update") for name in names},
    }
    sizes = {"ladders": 3, "steps": 60, "repeats": 2, "points": 6, "stream": root_stream(1)}
    return ins_runs.gradients(artifacts, states=["early", "late"], samplers=SAMPLERS, **sizes)


@pytest.fixture(scope="module")
def runs():
    examples = np.hstack([np.random.default_rng(0).integers(0, 2, (60, 5)), np.eye(2, dtype=int)[np.arange(60) % 2]])
    settings = {"hidden": 3, "updates": 30, "batch": 10, "learning_rate": 0.1, "every": 5, "snapshots": 6}
    return {
        name: repeated_training(
            lambda repeat, name=name: train_rbm(examples, name, seed=f"{name}/{repeat}", **settings),
            examples.astype(np.uint8),
            2,
            repeats=3,
            subset=20,
            stream=root_stream(2),
        )
        for name in SAMPLERS
    }


@pytest.fixture
def timings():
    seconds = {"pcd": 1e-4, "pt": 3e-4, "ins": 4e-4}
    return xr.Dataset(
        {
            "step_seconds": (("sampler", "repeat"), [[one, one] for one in seconds.values()]),
            "update_seconds": (("trainer", "repeat"), [[one, one] for one in (1e-3, 2e-3, 3e-3)]),
        },
        coords={"sampler": list(seconds), "trainer": list(seconds)},
    )


def lines(axis):
    return {line.get_label(): line for line in axis.get_lines()}


def trainings(runs):
    return f3.draw({"runs": {"toy": runs}}, titles={"toy": "some data"}, names=NAMES)


def equally(gradients, runs, timings):
    artifacts = {"gradients": gradients, "runs": runs, "timings": timings}
    return equal.draw(artifacts, title="some data", names=NAMES)


def test_distances_early_and_late_over_steps(gradients):
    figure = f2.draw({"gradients": gradients}, title="some model", names=NAMES)
    for axis, state in zip(figure.axes, ("early", "late"), strict=True):
        drawn = lines(axis)
        assert set(drawn) == set(NAMES.values())
        for sampler, name in NAMES.items():
            expected = gradients["distance"].sel(state=state, sampler=sampler).mean(["training", "repeat"])
            np.testing.assert_allclose(drawn[name].get_ydata(), expected)
            np.testing.assert_array_equal(drawn[name].get_xdata(), gradients["step"])
        assert axis.get_xscale() == axis.get_yscale() == "log"
        assert "sweeps" in axis.get_xlabel() and "some model" in axis.get_title("right")


def test_associations_beside_those_of_independent_draws(gradients):
    names = {name: NAMES[name] for name in ("pt", "ins")}
    figure = ins_association.draw({"gradients": gradients}, title="some model", names=names)
    drawn = lines(figure.axes[1])
    for sampler, name in names.items():
        expected = gradients["unevenness"].sel(state="late", sampler=sampler).mean(["training", "repeat"])
        np.testing.assert_allclose(drawn[name].get_ydata(), expected)
    draws = drawn["independent draws"].get_ydata()
    generator = np.random.default_rng(0)
    last = int(gradients["step"][-1])
    counts = generator.multinomial(last, [1 / 3] * 3, 5000) / last
    assert draws[-1] == pytest.approx(0.5 * np.abs(counts - 1 / 3).sum(axis=1).mean(), rel=0.05)
    assert draws[0] == pytest.approx(2 / 3)


def test_trainings_show_mean_and_variance_over_repeats(runs):
    figure = trainings(runs)
    assert len(figure.axes) == 4
    for row, variable in enumerate(("log_likelihood", "accuracy")):
        left, right = (lines(axis) for axis in figure.axes[2 * row : 2 * row + 2])
        for trainer, name in NAMES.items():
            values = runs[trainer][variable].astype(float)
            np.testing.assert_allclose(left[name].get_ydata(), values.mean("repeat"))
            np.testing.assert_allclose(right[name].get_ydata(), values.var("repeat", ddof=1)[1:])
        assert "[nat" in figure.axes[2 * row].get_ylabel() and "nat²" in figure.axes[2 * row + 1].get_ylabel()
        assert "3 repeats" in figure.axes[2 * row + 1].get_title("right")


def test_other_settings_are_drawn_beside_those_of_the_paper(runs):
    artifacts = {"runs": {**runs, "initial": runs["ins"]}}
    figure = ins_settings.draw(artifacts, title="some data", names={**NAMES, "initial": "INS from elsewhere"})
    drawn = lines(figure.axes[0])
    assert set(drawn) == {*NAMES.values(), "INS from elsewhere"}
    np.testing.assert_allclose(drawn["INS from elsewhere"].get_ydata(), drawn[NAMES["ins"]].get_ydata())
    assert "some data" in figure.axes[1].get_title("right")


def test_equal_sweeps_and_seconds_scale_the_same_curves(gradients, runs, timings):
    figure = equally(gradients, runs, timings)
    axes = [lines(axis) for axis in figure.axes]
    for name, label in NAMES.items():
        steps, chains = gradients["step"].values, float(gradients["chains"].sel(sampler=name))
        seconds = (
            float(timings["step_seconds"].sel(sampler=name)[0]),
            float(timings["update_seconds"].sel(trainer=name)[0]),
        )
        np.testing.assert_allclose(axes[0][label].get_xdata(), steps * chains)
        np.testing.assert_allclose(axes[1][label].get_xdata(), steps * seconds[0])
        np.testing.assert_allclose(axes[2][label].get_xdata(), runs[name]["chain_sweeps"])
        np.testing.assert_allclose(axes[3][label].get_xdata(), runs[name]["update"] * seconds[1])
        for place in (2, 3):
            np.testing.assert_allclose(axes[place][label].get_ydata(), runs[name]["log_likelihood"].mean("repeat"))
    assert [float(gradients["chains"].sel(sampler=name)) for name in NAMES] == [3, 9, 9]


def test_stand_in_data_are_marked(gradients, runs, timings):
    notice = {"stand_in_for": "toy", "stand_in_reason": "none"}
    marked = {name: run.assign_attrs(notice) for name, run in runs.items()}
    for figure in (
        f2.draw({"gradients": gradients.assign_attrs(notice)}, title="some model", names=NAMES),
        trainings({name: run.drop_vars("log_likelihood") for name, run in marked.items()}),
        equally(gradients, marked, timings),
    ):
        assert "STAND-IN" in figure.get_suptitle()
    assert not f2.draw({"gradients": gradients}, title="some model", names=NAMES).get_suptitle()
