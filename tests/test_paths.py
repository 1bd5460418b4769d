"""Base distributions, tempered paths, ladders and the interpolation along them."""

import numpy as np
import pytest
import twins

from logzoo.models.exact_sums import exact_log_z
from logzoo.models.rbm import RBM
from logzoo.paths import (
    base_of,
    chebyshev_nodes,
    interpolation_matrix,
    inverse_temperatures,
    log_odds,
    log_z_base,
    tempered_rbm,
)


def random_rbm(visible=6, hidden=4):
    """Normal weights and biases."""
    generator = np.random.default_rng(3)
    return RBM(*(generator.standard_normal(shape) for shape in ((visible, hidden), visible, hidden)))


BASE = np.array([0.0, 1.0, -2.0, 0.5, 30.0, -30.0])


def test_log_z_of_the_base_counts_its_states():
    # Visible units weighted by exp(base), hidden units all alike.
    states = twins.all_states(6) @ BASE
    assert log_z_base(BASE, 4) == pytest.approx(twins.log_sum_exp(states) + np.log(16), rel=1e-13)
    assert log_z_base(np.zeros(6), 4) == pytest.approx(10 * np.log(2), rel=1e-13)
    assert log_z_base(np.array([1e4]), 1) == pytest.approx(1e4 + np.log(2))


def test_the_path_goes_from_the_base_to_the_model():
    rbm = random_rbm()
    assert exact_log_z(tempered_rbm(rbm, BASE, 0.0)) == pytest.approx(log_z_base(BASE, 4), rel=1e-12)
    assert exact_log_z(tempered_rbm(rbm, BASE, 1.0)) == pytest.approx(exact_log_z(rbm), rel=1e-12)
    v = twins.all_states(6)
    for beta in (0.0, 0.3, 1.0):
        np.testing.assert_allclose(
            -tempered_rbm(rbm, BASE, beta).free_energy(v),
            twins.log_f_marginal(rbm, BASE, v, beta),
            rtol=1e-12,
        )


def test_bases_are_the_visible_bias_zeros_or_given():
    rbm = random_rbm()
    np.testing.assert_array_equal(base_of(rbm, list(BASE)), BASE)
    for bad in (BASE[:5], "other", [np.nan] * 6, [BASE]):
        with pytest.raises(ValueError, match="base"):
            base_of(rbm, bad)


def test_log_odds_of_data_are_finite_and_smoothed():
    data = np.array([[0, 1, 1], [0, 1, 0]])
    np.testing.assert_allclose(
        log_odds(data, pseudo_share=0.25), [np.log(0.25 / 1.25), np.log(1.25 / 0.25), 0.0], atol=1e-15
    )
    assert np.all(np.isfinite(log_odds(data)))
    with pytest.raises(ValueError, match="pseudo_share"):
        log_odds(data, pseudo_share=0.0)


@pytest.mark.parametrize("rungs", [2, 3, 100, 14_501])
def test_ladders_increase_from_zero_to_one(rungs):
    for ladder in ("linear", "dense-near-one"):
        betas = inverse_temperatures(ladder, rungs)
        assert betas.size == rungs
        assert betas[0] == 0.0 and betas[-1] == 1.0
        assert np.all(np.diff(betas) > 0.0)
    np.testing.assert_allclose(np.diff(inverse_temperatures("linear", rungs)), 1 / (rungs - 1))


def test_the_dense_ladder_has_the_published_spacing():
    betas = inverse_temperatures("dense-near-one", 14_501)
    np.testing.assert_allclose(betas[:501], np.arange(501) / 1000, atol=1e-12)
    np.testing.assert_allclose(betas[500:4501], 0.5 + np.arange(4001) / 10_000, atol=1e-12)
    np.testing.assert_allclose(betas[4500:], 0.9 + np.arange(10_001) / 100_000, atol=1e-12)


def test_ladders_of_values_are_taken_as_they_are():
    np.testing.assert_array_equal(inverse_temperatures([0, 0.9, 1], 3), [0.0, 0.9, 1.0])


@pytest.mark.parametrize(
    ("ladder", "rungs", "match"),
    [
        ("steep", 5, "unknown 'steep'"),
        ("linear", 1, "rungs"),
        ("linear", 2.5, "rungs"),
        ([0.0, 0.5, 1.0], 4, "expected 4"),
        ([0.1, 0.5, 1.0], 3, "from 0 to 1"),
        ([0.0, 0.5, 0.9], 3, "from 0 to 1"),
        ([0.0, 0.5, 0.5, 1.0], 4, "increase"),
        ([0.0, 0.6, 0.5, 1.0], 4, "increase"),
        ([0.0, np.nan, 1.0], 3, "finite"),
        (["a", "b"], 2, "numbers"),
        (None, 2, "ladder"),
    ],
)
def test_impossible_ladders_are_refused(ladder, rungs, match):
    with pytest.raises(ValueError, match=match):
        inverse_temperatures(ladder, rungs)


def test_interpolation_is_exact_at_nodes_and_for_polynomials():
    nodes = chebyshev_nodes(24)
    assert nodes[0] == 0.0 and nodes[-1] == 1.0
    np.testing.assert_array_equal(interpolation_matrix(nodes, nodes), np.eye(24))
    targets = np.linspace(0, 1, 101)
    matrix = interpolation_matrix(nodes, targets)
    np.testing.assert_allclose(matrix.sum(axis=0), 1.0, atol=1e-13)
    for degree in (1, 7, 23):
        np.testing.assert_allclose(nodes**degree @ matrix, targets**degree, atol=1e-12)
    assert np.max(np.abs(nodes**40 @ matrix - targets**40)) > 1e-9


def worst_interpolation_error(magnitudes, count):
    """Largest error over 100 rungs of sums (case,) of softplus parts, each row of `magnitudes` a case."""
    nodes, betas = chebyshev_nodes(count), inverse_temperatures("linear", 100)

    def smooth(points):
        return np.log1p(np.exp(-points * magnitudes[..., None])).sum(axis=1)

    return np.max(np.abs(smooth(nodes) @ interpolation_matrix(nodes, betas) - smooth(betas)))


@pytest.mark.parametrize(
    ("count", "one_unit", "many_units"), [(16, 5e-3, 1.0), (24, 3e-4, 2e-2), (32, 2e-5, 6e-4), (48, 1e-7, 4e-6)]
)
def test_interpolated_softplus_sums_are_accurate_at_every_rung(count, one_unit, many_units):
    single = np.linspace(0, 60, 601)[:, None]
    assert worst_interpolation_error(single, count) < one_unit
    generator = np.random.default_rng(0)
    sums = np.concatenate([generator.uniform(0, 60, (20, 500)), np.linspace(0, 60, 500)[None, :]])
    assert worst_interpolation_error(sums, count) < many_units
    # Eight nodes are too few for the same bounds.
    assert worst_interpolation_error(single, 8) > one_unit


def test_nodes_rounded_to_single_precision_interpolate_as_well():
    nodes = chebyshev_nodes(32).astype(np.float32).astype(np.float64)
    betas, magnitudes = inverse_temperatures("linear", 100), np.linspace(0, 10, 500)[:, None]
    smooth = [np.log1p(np.exp(-points * magnitudes)).sum(axis=0) for points in (nodes, betas)]
    assert np.max(np.abs(smooth[0] @ interpolation_matrix(nodes, betas) - smooth[1])) < 1e-4
