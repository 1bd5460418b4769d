"""Parameters of very different sizes: forbidden and forced units, and models that cannot be rounded well."""

from itertools import product

import numpy as np
import pytest

from logzoo import RBM, estimate_log_z, exact_log_z, sample_gibbs
from logzoo.estimators.estimator_registry import takes
from logzoo.estimators.result import REACH
from logzoo.kernels.fixed_point import fixed_point_unit
from logzoo.models.equivalent import without_certain
from logzoo.paths import rounding_error


def rbm_with(layer, bias):
    """A small RBM, two of whose units have a bias of that size, one forbidden and one forced."""
    generator = np.random.default_rng(0)
    arrays = [generator.normal(0.0, 0.5, shape) for shape in ((9, 6), 9, 6)]
    arrays[layer][:2] = -bias, bias
    return RBM(*arrays)


def test_an_estimate_of_a_larger_log_z_is_larger_in_all_its_numbers_in_nats():
    estimate = estimate_log_z(rbm_with(1, 1.0), "rts", sweeps=300, chains=20)
    shifted = estimate.shifted(3.0)
    for name in ("log_z", "interval", "bounds"):
        np.testing.assert_allclose(np.subtract(getattr(shifted, name), getattr(estimate, name)), 3.0, atol=1e-12)
    assert (shifted.std_error, shifted.reasons) == (estimate.std_error, estimate.reasons)


@pytest.mark.parametrize("layer", [1, 2])
@pytest.mark.parametrize("bias", [60.0, 1e9])
def test_certain_units_are_left_out_and_log_z_stays(layer, bias):
    rbm = rbm_with(layer, bias)
    left, constant, visible, _ = without_certain(rbm)
    assert exact_log_z(left) + constant == pytest.approx(exact_log_z(rbm), abs=1e-6, rel=1e-15)
    assert (left.visible, left.hidden) == ((7, 6) if layer == 1 else (9, 4))
    np.testing.assert_array_equal(visible, np.arange(2, 9) if layer == 1 else np.arange(9))
    assert max(np.abs(array).max() for array in (left.weights, left.visible_bias, left.hidden_bias)) < 5.0


def test_what_a_certain_unit_settles_is_settled_too():
    rbm = RBM([[100.0, 0.1], [0.2, 0.3]], [1e9, 0.0], [-20.0, 0.0])
    left, constant, *_ = without_certain(rbm)
    # The first visible unit is on, so the first hidden unit is.
    np.testing.assert_allclose([*left.weights[0], *left.visible_bias, *left.hidden_bias], [0.3, 0.2, 0.1])
    assert exact_log_z(left) + constant == pytest.approx(exact_log_z(rbm), rel=1e-15)
    # One unit of each layer stays.
    rbm = RBM(np.ones((3, 2)), [100.0, -100.0, 100.0], [1.0, -2.0])
    left, constant, *_ = without_certain(rbm)
    assert (left.visible, left.hidden) == (1, 2)
    assert exact_log_z(left) + constant == pytest.approx(exact_log_z(rbm), rel=1e-15)


@pytest.mark.parametrize("small", [5.0, -5.1])
def test_large_weights_of_removed_units_that_cancel_a_large_bias_lose_no_digits(small):
    rbm = RBM([[1e17], [small]], [60.0, 60.0], [-1e17])
    expected = 120.0 + np.logaddexp(0.0, small)
    for model in (rbm, rbm.transposed):
        assert exact_log_z(model) == pytest.approx(expected, abs=1e-10)
        estimate = estimate_log_z(model, "ais", sweeps=100, chains=20, check=False)
        assert estimate.log_z == pytest.approx(expected, abs=0.1)
    with np.errstate(over="ignore"), pytest.raises(ValueError, match="too large"):
        exact_log_z(RBM([[1e308], [1e308]], [1e308, 1e308], [1e308]))


def test_a_unit_whose_input_rounding_makes_certain_is_not_removed():
    weights = np.zeros((101, 2))
    weights[:, 0] = [1e19, *[60.0] * 100]
    # The input of the first hidden unit is 3952 nats if all visible units are on; a sum of floats gives -2048.
    rbm = RBM(weights, np.full(101, 30.0), [-1e19 - 2048.0, 0.0])
    assert without_certain(rbm)[0].hidden == 2
    with pytest.raises(ValueError, match="too large"):
        exact_log_z(rbm)


def test_drawn_states_have_the_certain_units_that_exact_sums_of_large_weights_give():
    # Visible unit 3 has log-odds -40 + 100, because hidden unit 0 is on: its input is exactly 60.
    rbm = RBM([[1e20, 0.0], [60.0, 0.0], [0.0, 1.0], [100.0, 0.0]], [100.0, 100.0, 0.0, -40.0], [-1e20, 0.0])
    states = sample_gibbs(rbm, chains=100, sweeps=5)
    assert states[:, [0, 1, 3]].all() and 0.0 < states[:, 2].mean() < 1.0


# The units are left out before any method begins. These methods differ in what they take.
@pytest.mark.parametrize("method", ["ais", "basins", "bethe", "las-vegas", "raise", "rts", "trajectory-raise"])
@pytest.mark.parametrize("layer", [1, 2])
def test_estimators_are_right_with_forbidden_and_forced_units(layer, method):
    rbm, data = rbm_with(layer, 1e9), np.random.default_rng(1).integers(0, 2, (5, 9), dtype=np.uint8)
    exact, options = exact_log_z(rbm), {"data": data} if takes(method, "data") else {}
    base = rbm.visible_bias.clip(-5.0, 5.0) if method in ("ais", "rts") else "modes"
    estimate = estimate_log_z(rbm, method, sweeps=2000, chains=20, base=base, check=False, **options)
    # Riemann sums err by more than their standard error.
    assert abs(estimate.log_z - exact) < 5.0 * estimate.std_error + 0.02
    assert estimate.interval[0] < estimate.log_z < estimate.interval[1]
    assert estimate.bounds[0] <= exact + 1e-3


def test_what_cannot_be_rounded_well_is_refused():
    weights = np.random.default_rng(0).normal(0.0, 0.5, (9, 6))
    # These units are not certain, because the large parameters may cancel.
    weights[0, 0], visible_bias = 1e9, np.zeros(9)
    visible_bias[0] = -5e8
    rbm = RBM(weights, visible_bias, np.zeros(6))
    with pytest.raises(ValueError, match="could move log Z by .* nats"):
        estimate_log_z(rbm, "ais", sweeps=100, base="uniform")
    # Enumeration and mean field round nothing.
    assert estimate_log_z(rbm).log_z == exact_log_z(rbm)
    assert np.isfinite(estimate_log_z(rbm, "mean-field", sweeps=10, check=False).log_z)
    with pytest.raises(ValueError, match="^weights: the kernels round"):
        sample_gibbs(RBM([[1e12, -1e12], [-1e12, 1.0]], [0.0, 0.0], [0.0, 0.0]), 4, 10)


def test_units_of_certain_state_that_add_too_much_to_round_are_refused():
    rbm = RBM(np.ones((4, 3)), [1e16, 0.0, 0.0, 0.0], np.zeros(3))
    for method in ("ais", "tap", "auto"):
        with pytest.raises(
            ValueError, match="^weights: units of certain state add 1e.16 nats to log Z, expected at most"
        ):
            estimate_log_z(rbm, method, sweeps=100, check=False)


def test_rounding_is_part_of_the_error_and_is_held_against_the_tolerance():
    # All chains take the same path, so there is no other error.
    rbm = RBM(np.full((12, 8), 3e4 / 7.0), np.full(12, -1.2e5 / 7.0), np.full(8, -1.8e5 / 7.0))
    estimate = estimate_log_z(rbm, "ais", sweeps=10, chains=4, check=False)
    assert estimate.std_error == rounding_error(rbm) > 1e-3
    assert estimate.interval[1] - estimate.log_z == pytest.approx(REACH * estimate.std_error)
    with pytest.raises(ValueError, match="could move log Z by .* expected at most 0.001.* tolerance"):
        estimate_log_z(rbm, enumerable=0, tolerance=0.01)


# The larger RBM has more parameters than the sample that shows which are equal.
@pytest.mark.parametrize("sizes", [1, 3, 100_000])
@pytest.mark.parametrize("visible", [300, 1500])
def test_log_z_moves_by_no_more_than_the_error_of_rounding(sizes, visible):
    generator, biases = np.random.default_rng(5), (np.zeros(visible), np.zeros(10))
    weights = 1000.0 * generator.choice(generator.random(sizes), (visible, 10))
    rbm, unit = RBM(weights, *biases), fixed_point_unit(weights, *biases, biases[0])
    moved = abs(exact_log_z(RBM(unit * np.rint(weights / unit), *biases)) - exact_log_z(rbm))
    assert 0.01 * rounding_error(rbm) < moved < 4.0 * rounding_error(rbm)


@pytest.mark.parametrize(("large", "beta"), [([-1e12, 0.0], 1.0), ([1e12, 0.0], 0.5), ([3e9, 3e9], 1.0)])
def test_states_are_drawn_from_the_model_whatever_is_certain(large, beta):
    generator = np.random.default_rng(3)
    weights, visible_bias, hidden_bias = (generator.normal(size=shape) for shape in ((5, 4), 5, 4))
    visible_bias[0] += large[0]
    hidden_bias[0] += large[1]
    rbm = RBM(weights, visible_bias, hidden_bias)
    states = np.array(list(product((0, 1), repeat=5)))
    log_p = beta * (states @ visible_bias) + np.logaddexp(0.0, beta * (states @ weights + hidden_bias)).sum(axis=1)
    p = np.exp(log_p - log_p.max())
    exact = np.minimum(p @ states / p.sum(), 1.0)
    means = sample_gibbs(rbm, 20_000, 40, beta=beta, seed=1).mean(axis=0)
    # Five standard errors of a mean of zeros and ones; a certain unit has no error.
    assert (np.abs(means - exact) <= 5.0 * np.sqrt(exact * (1.0 - exact) / 20_000) + 1e-9).all()


@pytest.mark.parametrize("unit", [1e-21, 1e45])
def test_weights_in_any_unit_of_energy_give_the_same_states(unit):
    weights = 3.0 * np.random.default_rng(4).normal(size=(6, 4))
    expected = sample_gibbs(RBM(weights, np.zeros(6), np.zeros(4)), 5000, 50, seed=2)
    result = sample_gibbs(RBM(unit * weights, np.zeros(6), np.zeros(4)), 5000, 50, beta=1.0 / unit, seed=2)
    # Parameters that round differently in the last digit change few draws.
    assert np.mean(result != expected) < 1e-3


def test_what_certain_units_settle_in_turn_is_drawn_so():
    # The first hidden unit follows the first visible unit; the second visible unit follows that hidden unit.
    rbm = RBM([[300.0, 0.0], [-100.0, 0.0], [0.0, 1.0]], [1e9, 40.0, 0.2], [-100.0, 0.1])
    drawn = sample_gibbs(rbm, 1000, 10, seed=1)
    assert (drawn[:, 0] == 1).all() and (drawn[:, 1] == 0).all() and 0.3 < drawn[:, 2].mean() < 0.9
    # The last unit of a layer, too.
    assert (sample_gibbs(RBM([[0.0]], [-1e12], [0.0]), 50, 1, seed=1) == 0).all()
    free = sample_gibbs(RBM(np.zeros((3, 2)), [-1e12, 0.0, 0.0], [0.0, 0.0]), 2000, 1, seed=1).mean(axis=0)
    assert free[0] == 0 and (np.abs(free[1:] - 0.5) < 0.06).all()
    start = np.ones((4, 3), np.uint8)
    np.testing.assert_array_equal(sample_gibbs(rbm, 4, 0, start=start), start)
