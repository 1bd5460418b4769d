"""Distances of running gradients and repeats of trainings at toy size, against the same taken by hand."""

import numpy as np
import pytest
import twins
import xarray as xr

from logzoo.io.checkpoints import Checkpoint
from logzoo.models.rbm import RBM
from logzoo.paths import kernel_parameters
from logzoo.samplers.replicas import IN_TURN, InfiniteSwapping
from logzoo.streams import root_stream
from logzoo.training.trainers import train_rbm
from replication.papers.infinite_swapping.ins_runs import gradient_distances, gradients, repeated_training, trainings

STREAM = root_stream(5).child("gradients")
SAMPLERS = {
    "pcd": {"temperatures": [1.0]},
    "ins": {"temperatures": [1.0, 2.0, 4.0]},
    "more": {"temperatures": [1.0, 2.0, 4.0], "group": IN_TURN, "density": "joint", "ladders": 5},
}
SIZE = {"ladders": 2, "steps": 30, "repeats": 3, "points": 6}


def rbms():
    generator = np.random.default_rng(6)
    return {
        name: RBM(*(scale * generator.standard_normal(shape) for shape in ((4, 3), 4, 3)))
        for name, scale in (("early", 0.1), ("late", 1.0))
    }


def test_states_are_the_first_snapshots_and_the_models_of_all_trainings():
    early, late = (rbm.to_dataset() for rbm in rbms().values())
    snapshots = xr.concat([early.expand_dims("update"), late.expand_dims("update") * np.nan], "update")
    both = dict.fromkeys(("one", "two"), snapshots.assign_coords(update=[0, 9]))
    artifacts = {"models": {"one": late, "two": early}, "snapshots": both}
    result = gradients(artifacts, states=["early", "late"], samplers=SAMPLERS, stream=STREAM, **SIZE)
    assert list(result["training"].values) == ["one", "two"] and result["chains"].dims == ("sampler",)
    expected = gradient_distances(rbms(), SAMPLERS, stream=STREAM.child("one"), **SIZE)
    assert result.sel(training="one", drop=True).identical(expected)
    apart = np.abs(result["distance"].sel(training="two", state="late") - expected["distance"].sel(state="late"))
    assert np.all(apart.isel(step=-1) > 0.0)


@pytest.mark.parametrize("sampler", ["ins", "more"])
def test_distances_equal_those_by_hand(sampler):
    rbm = rbms()["late"]
    settings = {name: value for name, value in SAMPLERS[sampler].items() if name != "ladders"}
    count = SAMPLERS[sampler].get("ladders", 2)
    ladders = InfiniteSwapping(STREAM.child("late", sampler).key, count * 3, **settings)
    # All chains start at uniform units.
    parameters = kernel_parameters(rbm, np.zeros(4))
    ladders.load(parameters, np.zeros_like(parameters.base))
    sums, held, expected = np.zeros((3, 4 * 3 + 4 + 3)), np.zeros((len(ladders.rung), ladders.betas.size)), {}
    target = np.concatenate([means.ravel() for means in twins.expectations(rbm)])
    for step in range(1, 31):
        v = ladders.move(step, step + 1).v.astype(float)
        p = 1 / (1 + np.exp(-(v @ rbm.weights + rbm.hidden_bias)))
        rows = np.concatenate([(v[:, :, None] * p[:, None, :]).reshape(len(v), -1), v, p], axis=1)
        sums += (ladders.shares[:, None] * rows).reshape(3, -1, rows.shape[1]).sum(axis=1)
        held[np.arange(len(held)), ladders.rung] += 1
        uneven = 0.5 * np.abs(held / step - 1 / ladders.betas.size).sum(axis=1).reshape(3, -1).mean(axis=1)
        expected[step] = np.linalg.norm(sums / (count * step) - target, axis=1), uneven
    result = gradient_distances(rbms(), SAMPLERS, stream=STREAM, **SIZE).sel(state="late", sampler=sampler)
    for step in result["step"].values:
        np.testing.assert_allclose(result["distance"].sel(step=step), expected[step][0], rtol=1e-5)
        np.testing.assert_allclose(result["unevenness"].sel(step=step), expected[step][1], atol=1e-12)


def trained(repeat, data):
    settings = {"hidden": 3, "updates": 20, "batch": 5, "learning_rate": 0.1, "snapshots": 4, "every": 5}
    return train_rbm(data, "ins", seed=repeat, **settings)


# A unit in the last place of a number in single precision.
_SINGLE = 2.0**-23


def examples():
    """30 examples of 3 units and a one-hot label of 2, many of them alike."""
    generator = np.random.default_rng(9)
    label = generator.integers(0, 2, 30)
    return np.column_stack([generator.integers(0, 2, (30, 3)), label, 1 - label]).astype(np.uint8)


def test_repeats_of_a_training_are_judged_as_by_hand():
    data = examples()
    settings = {"repeats": 2, "subset": 1000, "stream": STREAM.child("judged")}
    result = repeated_training(lambda repeat: trained(repeat, data), data, 2, **settings)
    assert result["accuracy"].dims == result["log_likelihood"].dims == result["right"].dims == ("repeat", "update")
    assert list(result["update"].values) == [0, 5, 10, 15, 19]
    np.testing.assert_array_equal(result["chain_sweeps"], (result["update"] + 1) * 5 * 5)
    assert (result.attrs["subset"], result.attrs["examples"]) == (30, 30)
    other = np.column_stack([data[:, :3], data[:, :2:-1]])
    for repeat in range(2):
        snapshots = trained(repeat, data).snapshots
        for update in result["update"].values:
            rbm = RBM.from_dataset(snapshots.sel(update=update))
            right, wrong = (twins.log_f_marginal(rbm, np.zeros(5), v.astype(float)) for v in (data, other))
            judged = result.sel(repeat=repeat, update=update)
            assert float(judged["accuracy"]) == pytest.approx(-np.logaddexp(0.0, wrong - right).mean(), rel=_SINGLE)
            assert float(judged["right"]) == pytest.approx((right > wrong).mean())
            assert float(judged["log_likelihood"]) == pytest.approx(right.mean() - twins.brute_log_z(rbm), rel=_SINGLE)
    assert all(result[name].dtype == np.float32 for name in ("accuracy", "right", "log_likelihood"))
    assert float(np.ptp(result["accuracy"].values[:, -1])) > 0.0


def test_an_interrupted_comparison_keeps_its_finished_repeats(tmp_path, monkeypatch):
    monkeypatch.setattr("logzoo.io.checkpoints._SECONDS", 0.0)
    data, calls = examples(), []
    settings = {"repeats": 4, "subset": 10, "stream": STREAM.child("judged")}
    expected = repeated_training(lambda repeat: trained(repeat, data), data, 2, **settings)

    def interrupted(repeat):
        calls.append(repeat)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return trained(repeat, data)

    def run():
        return repeated_training(interrupted, data, 2, checkpoint=Checkpoint(tmp_path / "a.npz", "work"), **settings)

    with pytest.raises(KeyboardInterrupt):
        run()
    assert run().identical(expected) and calls == [0, 1, 2, 2, 3]


def judged(trainer, method, *, updates=20, initial=None, **settings):
    """A trainer of a comparison on the examples."""
    splits = {"split": ("example", np.zeros(30, np.int8))}
    dataset = xr.Dataset({"data": (("example", "visible"), examples()), **splits}, attrs={"label_units": 2})
    train = {"method": method, "hidden": 3, "updates": updates, "batch": 5, "learning_rate": 0.1}
    train |= {"initial": initial} if initial else {}
    return trainings({"dataset": dataset}, checkpoint=lambda name: None, trainer=trainer, train=train, **settings)


def test_a_trainer_of_a_comparison_trains_from_streams_of_its_own():
    settings = {"repeats": 2, "subset": 7, "stream": root_stream(5).child("comparisons", "toy")}

    def by_hand(repeat):
        return trained(f"5/comparisons/toy/swapping/{repeat}", examples())

    expected = repeated_training(by_hand, examples(), 2, **settings)
    assert judged("swapping", "ins", points=4, **settings).identical(expected)


def test_another_initial_scale_is_that_of_all_first_parameters():
    settings = {"updates": 4, "initial": "small", "points": 2, "repeats": 3, "subset": 30, "stream": STREAM}
    small, large = (judged("one", "pcd", initial_scale=scale, **settings)["accuracy"][:, 0] for scale in (0.001, 0.5))
    uniform = -np.log(2.0)
    assert np.abs(small - uniform).mean() < 0.01 < np.abs(large - uniform).mean()
    assert np.unique(large).size == 3


def test_paired_trainers_share_start_and_mini_batches():
    settings = {"points": 4, "repeats": 3, "subset": 7, "stream": STREAM.child("comparisons")}

    names = (("one", "pcd"), ("two", "pcd"), ("swapping", "ins"))
    first, same, other = (judged(*name, paired=True, **settings) for name in names)
    alone = [judged(*name, paired=False, **settings) for name in names[:2]]
    assert first.identical(same) and not alone[0].identical(alone[1])
    # Two trainers with the same initial weights differ later. Each repeat has a separate stream.
    one, two = first["accuracy"].values, other["accuracy"].values
    np.testing.assert_array_equal(one[:, 0], two[:, 0])
    assert np.all(one[:, -1] != two[:, -1]) and np.unique(one[:, -1]).size == 3
