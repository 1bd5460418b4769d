"""Figures of swapped temperatures: every line is a mean or variance over the axis that its label names."""

import numpy as np
import pytest
import xarray as xr

from logzoo.models.rbm import RBM
from logzoo.streams import root_stream
from logzoo.training.trainers import train_rbm
from replication.papers.infinite_swapping import ins_association, ins_distances, ins_runs, ins_seconds, ins_settings
from replication.papers.infinite_swapping.ins_trainings import FIGURES

f2, f3 = ins_distances.FIGURES["ins-f2"], FIGURES["ins-f3"]
equal, many = ins_seconds.FIGURES.values()
SAMPLERS = {
    "pcd": {"temperatures": [1]},
    "pt": {"temperatures": [1, 2, 4], "group": "in-turn", "density": "joint"},
    "ins": {"temperatures": [1, 2, 4]},
}
NAMES = {name: f"name of {name}" for name in SAMPLERS}
STEP_SECONDS, UPDATE_SECONDS = {"pcd": 1e-4, "pt": 3e-4, "ins": 4e-4}, {"pcd": 1e-3, "pt": 2e-3, "ins": 3e-3}


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
        name: ins_runs.repeated_training(
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
    steps, updates = ([[one, one] for one in seconds.values()] for seconds in (STEP_SECONDS, UPDATE_SECONDS))
    content = {"step_seconds": (("sampler", "repeat"), steps), "update_seconds": (("trainer", "repeat"), updates)}
    return xr.Dataset(content, {"sampler": list(STEP_SECONDS), "trainer": list(UPDATE_SECONDS)})


def lines(axis):
    return {line.get_label(): line for line in axis.get_lines()}


def test_distances_early_and_late_over_steps(gradients):
    figure = f2.draw({"gradients": gradients}, title="some model", names=NAMES)
    assert not figure.get_suptitle()
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
    figure = f3.draw({"runs": {"toy": runs}}, titles={"toy": "some data"}, names=NAMES)
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
    figure = equal.draw({"gradients": gradients, "runs": runs, "timings": timings}, title="some data", names=NAMES)
    axes = [lines(axis) for axis in figure.axes]
    for (name, label), chains in zip(NAMES.items(), (3, 9, 9), strict=True):
        steps, run = gradients["step"].values, runs[name]
        np.testing.assert_allclose(axes[0][label].get_xdata(), steps * chains)
        np.testing.assert_allclose(axes[1][label].get_xdata(), steps * STEP_SECONDS[name])
        np.testing.assert_allclose(axes[2][label].get_xdata(), run["chain_sweeps"])
        np.testing.assert_allclose(axes[3][label].get_xdata(), run["update"] * UPDATE_SECONDS[name])
        for axis in axes[2:]:
            np.testing.assert_allclose(axis[label].get_ydata(), run["log_likelihood"].mean("repeat"))


def test_stand_in_data_are_marked(gradients, runs, timings):
    notice = {"stand_in_for": "toy", "stand_in_reason": "none"}
    marked = {name: run.assign_attrs(notice) for name, run in runs.items()}
    accuracies = {name: run.drop_vars("log_likelihood") for name, run in marked.items()}
    for figure in (
        f2.draw({"gradients": gradients.assign_attrs(notice)}, title="some model", names=NAMES),
        f3.draw({"runs": {"toy": accuracies}}, titles={"toy": "some data"}, names=NAMES),
        equal.draw({"gradients": gradients, "runs": marked, "timings": timings}, title="some data", names=NAMES),
    ):
        assert "STAND-IN" in figure.get_suptitle()
