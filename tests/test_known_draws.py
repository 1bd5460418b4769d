"""Exact draws of models whose log Z is known: against enumeration, under any gauge, and as a data set."""

import numpy as np
import pytest
import twins
from scipy.special import expit
from scipy.stats import chi2

from logzoo.datasets.known import read_known
from logzoo.models.known.exact_draws import exact_draws, groups
from logzoo.models.known.families import known
from logzoo.models.known.grouped import grouped
from logzoo.models.rbm import RBM

SMALL = {
    "twins": {"visible": 7, "hidden": 5, "odds": 3.0},
    "wide-narrow": {"visible": 7, "hidden": 6},
    "hopfield": {"visible": 7, "hidden": 7},
    "random-small": {"visible": 7, "hidden": 4},
}
DRAWS = 20_000
OPTIONS = {
    "family": "twins",
    "seed": 3,
    "options": {"visible": 40, "hidden": 12},
    "samples": {"train": 300, "validation": 20, "test": 20},
}


def refused(v, rbm):
    """Whether draws v are not of that RBM: Pearson's chi-square over its states, rare ones together, at 1e-4."""
    p = twins.visible_probabilities(rbm)
    counts = np.bincount(twins.state_numbers(v), minlength=p.size)
    common = p * len(v) >= 5.0
    expected = np.append(p[common], p[~common].sum()) * len(v)
    found = np.append(counts[common], counts[~common].sum())
    kept = expected > 0.0
    return float(((found - expected)[kept] ** 2 / expected[kept]).sum()) > chi2.isf(1e-4, kept.sum() - 1)


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("family", SMALL)
def test_draws_have_the_probabilities_of_enumeration(family, plain):
    rbm = known(family, 0, plain=plain, **SMALL[family]).rbm
    assert not refused(exact_draws(rbm, DRAWS, np.random.default_rng(1)), rbm)


@pytest.mark.parametrize("family", SMALL)
def test_draws_of_a_model_like_it_are_told_apart(family):
    rbm, other = (known(family, seed, **SMALL[family]).rbm for seed in (0, 1))
    assert refused(exact_draws(other, DRAWS, np.random.default_rng(1)), rbm)
    # The same model but for the gauge, and one whose biases are off by a tenth of a nat.
    plain = known(family, 0, plain=True, **SMALL[family]).rbm
    assert refused(exact_draws(plain, DRAWS, np.random.default_rng(1)), rbm)
    moved = RBM(rbm.weights, rbm.visible_bias + 0.1, rbm.hidden_bias)
    assert refused(exact_draws(moved, DRAWS, np.random.default_rng(1)), rbm)


@pytest.mark.parametrize("family", ["twins", "wide-narrow", "hopfield"])
def test_groups_are_found_behind_the_gauge(family):
    rbm, log_z, _ = known(family, 5)
    columns, sizes, visible_bias, group_bias = groups(rbm)
    assert sorted(sizes) == ([250, 250] if family == "hopfield" else [500])
    ungauged, other = grouped(columns, sizes, visible_bias, group_bias)
    # Hidden units flipped: the same free energies but for a constant, that between the two log Z.
    v = np.random.default_rng(0).integers(0, 2, (20, 784))
    np.testing.assert_allclose(ungauged.log_f(v) - other, rbm.log_f(v) - log_z, atol=1e-9)


@pytest.mark.parametrize("odds", [1.0, 9.0])
def test_large_draws_are_in_both_modes_by_their_odds(odds):
    rbm = known("twins", 0, odds=odds).rbm
    column = groups(rbm)[0][:, 0]
    v = exact_draws(rbm, 2000, np.random.default_rng(2))
    along = (v - 0.5) @ column
    # 77 nats lie between the modes.
    assert np.abs(along).min() > 0.3 * np.abs(column).sum() / 2
    share = (along > 0).mean()
    most = odds / (1.0 + odds)
    # Which of the modes has the odds is up to the gauge.
    assert min(abs(share - most), abs(share - 1.0 + most)) < 4.0 * np.sqrt(most * (1.0 - most) / 2000)


def test_units_without_weights_and_models_of_many_groups():
    rbm = RBM(np.zeros((3, 4)), np.array([-1.0, 0.0, 2.0]), np.zeros(4))
    v = exact_draws(rbm, DRAWS, np.random.default_rng(0))
    np.testing.assert_allclose(v.mean(axis=0), expit(rbm.visible_bias), atol=4 * 0.5 / np.sqrt(DRAWS))
    with pytest.raises(ValueError, match="no exact draws.*combinations of counts"):
        exact_draws(known("planar-glass").rbm, 10, np.random.default_rng(0))
    with pytest.raises(ValueError, match="count: expected a whole number of at least 1, found 0"):
        exact_draws(rbm, 0, np.random.default_rng(0))


def test_a_data_set_is_drawn_from_the_model_of_its_seed():
    splits = read_known({}, OPTIONS)
    assert {name: data.shape for name, data in splits.data.items()} == {
        name: (count, 40) for name, count in OPTIONS["samples"].items()
    }
    assert set(splits.labels.values()) == {None}
    train = splits.data["train"]
    own, other = (known("twins", seed, **OPTIONS["options"]) for seed in (3, 4))
    assert own.rbm.log_likelihood(train, own.log_z).mean() > other.rbm.log_likelihood(train, other.log_z).mean() + 1.0
    np.testing.assert_array_equal(train, read_known({}, OPTIONS).data["train"])
    assert not np.array_equal(splits.data["validation"], splits.data["test"])
    longer = {**OPTIONS, "samples": {**OPTIONS["samples"], "validation": 40}}
    np.testing.assert_array_equal(train, read_known({}, longer).data["train"])
