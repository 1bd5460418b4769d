"""Experiments on tours: walks against tours, lengths of nested sets, likelihoods against enumeration."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr
from scipy.special import expit
from twins import shaped_rbm

from logzoo.io.checkpoints import Checkpoint
from logzoo.models.exact_sums import exact_log_z
from logzoo.paths import kernel_parameters
from logzoo.samplers.stopping_sets import stopping_set
from logzoo.samplers.tour_chains import TourSampler
from logzoo.streams import root_stream
from logzoo.training.trainers import train_rbm
from replication.papers.las_vegas.lv_estimates import tour_estimates, trained_likelihoods
from replication.papers.las_vegas.lv_tours import Images, broken_chains, inspected, stroke_widths, tour_lengths
from replication.papers.las_vegas.lv_walks import first_draws, unpacked_states, walk


def images_of(visible, count=40, grey=False, seed=0):
    generator = np.random.default_rng(seed)
    data = generator.random((count, visible))
    data = data.astype(np.float32) if grey else (data < 0.5).astype(np.uint8)
    return Images(data, np.arange(count) % 3)


@pytest.mark.parametrize("grey", [False, True])
def test_first_draws_are_those_that_the_stopping_set_is_made_of(grey):
    images, stream = images_of(9, 600, grey), root_stream(5)
    parameters = kernel_parameters(shaped_rbm(9, 30), np.zeros(9))
    stopping = stopping_set(parameters, images.data, len(images.data), stream)
    drawn = first_draws(parameters, images.data, np.arange(600), stream)
    assert {tuple(row) for row in drawn} == {tuple(row) for row in stopping.members.rows}
    np.testing.assert_array_equal(drawn[stopping.example], stopping.members.rows)


def test_a_walk_goes_where_the_tours_of_its_numbers_go():
    rbm, images, stream = shaped_rbm(8, 4, 1.2), images_of(8, 3), root_stream(7)
    parameters = kernel_parameters(rbm, np.zeros(8))
    stopping = stopping_set(parameters, images.data, 3, stream)
    states = first_draws(parameters, images.data, np.arange(50) % 3, stream)
    tours = TourSampler(parameters, stopping, stream).run_from(states.copy(), 50 * 30, 30)
    seen, reached = walk(parameters, states, np.arange(50), 30, stream)
    members = {tuple(row) for row in stopping.members.rows}
    for tour in range(50):
        home = [tuple(row) in members for row in reached[:, tour]]
        length = home.index(True) + 1 if any(home) else 30
        assert (length, any(home)) == (tours.length[tour], tours.finished[tour])
        np.testing.assert_array_equal(reached[length - 1, tour], tours.rows[tour])
    assert set(np.unique(tours.length)) > {1, 2, 3}
    # v is drawn given the state before: its mean is the exact one.
    many = np.repeat(states[:1], 20_000, axis=0)
    seen, _ = walk(parameters, many, np.arange(20_000), 1, stream)
    exact = expit(rbm.visible_bias + rbm.weights @ unpacked_states(states[:1], 4)[0])
    assert (np.abs(seen[0].mean(axis=0) - exact) < 4 * np.sqrt(exact * (1 - exact) / 20_000)).all()


def test_lengths_of_nested_sets_start_from_the_same_states():
    rbm, images = shaped_rbm(10, 7, 0.8), images_of(10, 30)
    settings = {"visible": ["draws", "means"], "batches": 5, "batch": 20, "cap": 6, "shown": 3}
    result = tour_lengths(rbm, images, rounds=[1, 3], stream=root_stream(1), **settings)
    assert dict(result["length"].sizes) == {"visible": 2, "rounds": 2, "batch": 5, "tour": 20}
    lengths = result["length"].sel(visible="draws").values
    # A larger set that holds the smaller ends no tour later, and some earlier.
    assert (lengths[1] <= lengths[0]).all() and (lengths[1] < lengths[0]).any()
    assert (np.diff(result["stopping_states"]) > 0).all()
    cut = result["finished"].values == 0
    assert cut.any() and (result["length"].values[cut] == 6).all() and result["length"].max() == 6
    np.testing.assert_array_equal(result["label"], images.labels[result["example"].values])
    np.testing.assert_allclose(result["stroke"], stroke_widths(images.data)[result["example"].values])
    shown = result.isel(shown=0)
    means = result["length"].sel(visible="means", rounds=1)
    assert shown["shown_length"].values.tolist() == [means.min(), means.max()]
    assert result["same"].values[cut].sum() == 0 and 0 < result["same"].values.sum() < result["same"].size
    again = tour_lengths(rbm, images, rounds=[1], stream=root_stream(1), **settings | {"visible": ["draws"]})
    np.testing.assert_array_equal(again["length"].values[0, 0], lengths[0])


def test_chains_are_broken_where_their_first_hidden_state_comes_again():
    rbm, images = shaped_rbm(6, 3), images_of(6, 60)
    result = broken_chains(rbm, images, digits=[2, 0], sweeps=15, candidates=10, stream=root_stream(4))
    assert list(result["chain"]) == [2, 0] and result["v"].shape == (2, 15, 6)
    for digit in (2, 0):
        one = result.sel(chain=digit)
        home = one["home"].values.astype(bool)
        # The chain leaves its first state and returns.
        assert (home[1:] & ~home[:-1]).any()
        candidates = images.data[images.labels == digit][:10]
        assert (candidates == one["start"].values).all(axis=1).any()
    with pytest.raises(ValueError, match="digits: expected labels of training images, found 9"):
        broken_chains(rbm, images, digits=[9], sweeps=3, candidates=10, stream=root_stream(4))


def test_first_tours_and_those_that_cd_ends_in_are_of_the_same_chains():
    rbm, images = shaped_rbm(9, 4, 1.2), images_of(9, 40)
    variables = {"data": (("example", "visible"), images.data), "split": ("example", [0] * 40)}
    artifacts = {"model": rbm.to_dataset(), "dataset": xr.Dataset(variables)}
    settings = {"sweeps": 30, "inspected": 300, "stream": root_stream(3)}
    result = inspected(artifacts, k=5, **settings)
    assert (result["first"] <= 30).all() and (result["held"] >= 1).all()
    # A chain that is still on its first tour at sweep 5 is on the same.
    waiting = result["first"].values >= 5
    assert waiting.any() and (result["first"].values == result["held"].values)[waiting].all()
    assert result["held"].mean() > result["first"].mean()
    at_once = inspected(artifacts, k=1, **settings)
    np.testing.assert_array_equal(at_once["first"], at_once["held"])
    np.testing.assert_array_equal(at_once["first"], result["first"])


def test_the_width_of_strokes_is_that_of_bars_and_blots():
    images = np.zeros((4, 28, 28), np.float32)
    images[0, 4:24, 10:12] = 0.9
    images[1, 4:24, 10:15] = 0.9
    images[2, 5:15, 5:15] = 1.0
    # A bar of width w and length l: 2 l w / (2 l + 2 w); at the edge of the image as anywhere.
    expected = [2 * 40 / 44, 2 * 100 / 50, 2 * 100 / 40, np.nan]
    np.testing.assert_allclose(stroke_widths(images.reshape(4, -1)), expected)
    np.testing.assert_allclose(stroke_widths(np.roll(images[:1], 4, axis=1).reshape(1, -1)), expected[:1])
    assert np.isnan(stroke_widths(np.ones((2, 10)))).all()


def test_log_z_by_tours_ends_at_the_exact_one():
    rbm, images = shaped_rbm(10, 6, 0.7), images_of(10, 25)
    others = {"ais": ("ais", {"ladder": "linear"})}
    settings = {"cap": 10_000, "sweeps": 10**6, "points": 5, "replicates": 12, "chains": 10, "shares": [0.5, 1.0]}
    result = tour_estimates(rbm, images.data, np.zeros(10), others, tours=3000, stream=root_stream(2), **settings)
    exact = exact_log_z(rbm)
    error = (result["log_z"] - exact).isel(tours=-1).values
    # Student's interval for the mean of 12, at 3.7 sigma of a normal.
    assert abs(error.mean()) < 5.5 * error.std(ddof=1) / np.sqrt(12) and error.std() > 0
    assert error.std() < 0.3 * result["log_z"].isel(tours=0).values.std()
    last = result.isel(tours=-1)
    assert ((last["low"] <= exact) & (exact <= last["high"])).mean() > 0.8
    assert list(result["tours"].values[[0, -1]]) == [10, 3000]
    spent = result["chain_sweeps"]
    assert (spent.diff("tours") > 0).all() and (spent >= 25 + result["tours"]).all()
    for share in (0.5, 1.0):
        expected = share * float(last["chain_sweeps"].mean())
        np.testing.assert_allclose(result["other_chain_sweeps"].sel(share=share), expected, atol=10)
    assert abs(float((result["other_log_z"] - exact).mean())) < 0.05


DATA = (np.random.default_rng(0).random((40, 6)) < 0.3).astype(np.uint8)


def trained(rate, run, method="cd", **options):
    return train_rbm(DATA, method, learning_rate=rate, seed=run, hidden=3, updates=20, batch=10, **options)


def test_likelihoods_over_rates_and_runs_are_exact_and_divergence_is_no_number():
    def train(rate, run):
        if rate > 1.0:
            raise ValueError("learning_rate: the training diverged at update 3; expected less than 5")
        return trained(rate, run)

    splits = {"train": DATA, "test": DATA[:7]}
    result = trained_likelihoods(train, splits, rates=[0.1, 0.5, 5.0], runs=2)
    for rate, run in product((0.1, 0.5), range(2)):
        rbm = trained(rate, run).rbm
        expected = rbm.log_likelihood(DATA[:7], exact_log_z(rbm)).mean()
        one = result.sel(rate=rate, run=run)
        assert float(one["log_likelihood"].sel(split="test")) == pytest.approx(expected, abs=1e-9)
        assert int(one["chain_sweeps"]) == 200
    assert result["log_likelihood"].sel(rate=5.0).isnull().all() and result["log_z"].sel(rate=0.1).notnull().all()
    with pytest.raises(ValueError, match="^batch: "):
        trained_likelihoods(lambda rate, run: train_rbm(DATA, "cd", hidden=3, updates=1), splits, rates=[0.1], runs=1)


def test_the_share_of_finished_tours_is_that_after_the_warm_up():
    def share_of(method, **options):
        def train(rate, run):
            return trained(rate, run, method, every=1, **options)

        return trained_likelihoods(train, {"train": DATA}, rates=[0.1], runs=1)["tours_finished"]

    finished = trained(0.1, 0, "lvs", every=1, warm_up=2).trace["tours_finished"]
    assert (finished[:8] == 0.0).all()
    assert float(share_of("lvs", warm_up=2)[0, 0]) == pytest.approx(float(finished[8:].mean()))
    assert share_of("cd").isnull().all()


@pytest.mark.parametrize("off, estimated", [(0.0, 2), (0.5, 0)])
def test_an_estimate_stands_for_enumeration_where_it_agrees_with_it_once(off, estimated):
    def estimate(rbm, rate, run):
        # The estimate of the second run is not converged.
        return SimpleNamespace(log_z=exact_log_z(rbm) + off, std_error=0.1, converged=run != 1)

    result = trained_likelihoods(trained, {"train": DATA}, rates=[0.1], runs=4, estimate=estimate)
    assert float(result["disagreement"]) == pytest.approx(off)
    by_estimate = result["log_z_std_error"].values[0] == 0.1
    assert by_estimate.sum() == estimated and not by_estimate[:2].any()
    exact = [exact_log_z(trained(0.1, run).rbm) for run in range(4)]
    np.testing.assert_allclose(result["log_z"].values[0], np.where(by_estimate, np.add(exact, off), exact))


def test_an_interrupted_table_keeps_its_finished_trainings(tmp_path, monkeypatch):
    monkeypatch.setattr("logzoo.io.checkpoints._SECONDS", 0.0)
    calls = []

    def train(rate, run):
        calls.append((rate, run))
        if len(calls) == 4:
            raise KeyboardInterrupt
        return trained(rate, run)

    def estimate(rbm, rate, run):
        return SimpleNamespace(log_z=exact_log_z(rbm) + 0.5, std_error=0.1, converged=True)

    settings = {"rates": [0.1, 0.5], "runs": 3, "estimate": estimate}
    expected = trained_likelihoods(trained, {"train": DATA}, **settings)
    settings["checkpoint"] = Checkpoint(tmp_path / "a.npz", "work")
    with pytest.raises(KeyboardInterrupt):
        trained_likelihoods(train, {"train": DATA}, **settings)
    assert trained_likelihoods(train, {"train": DATA}, **settings).identical(expected)
    assert calls == [(0.1, 0), (0.1, 1), (0.1, 2), (0.5, 0), (0.5, 0), (0.5, 1), (0.5, 2)]
