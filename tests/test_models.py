"""RBMs: validation, energies, files, and the exact partition function."""

import copy
import itertools
import pickle

import numpy as np
import pytest
import twins
from sklearn.neural_network import BernoulliRBM

from logzoo.estimators.result import Estimate
from logzoo.models.exact_sums import exact_log_z
from logzoo.models.rbm import RBM


def random_rbm(visible, hidden, largest=3.0, seed=0):
    """Weights and biases uniform up to +-`largest`."""
    generator = np.random.default_rng([seed, visible, hidden])
    return RBM(*(generator.uniform(-largest, largest, shape) for shape in ((visible, hidden), visible, hidden)))


def parts():
    """Valid weights and biases of a 3 x 2 model."""
    return {"weights": np.ones((3, 2)), "visible_bias": np.zeros(3), "hidden_bias": np.zeros(2)}


@pytest.mark.parametrize(("name", "bad"), [*zip(parts(), (np.nan, np.inf, -np.inf), strict=True)])
def test_values_that_are_not_finite_are_refused_by_name(name, bad):
    arrays = parts()
    arrays[name].flat[-1] = bad
    with pytest.raises(ValueError, match=f"{name}.*finite"):
        RBM(**arrays)


@pytest.mark.parametrize(
    ("name", "value"), [("weights", np.ones(3)), ("weights", [["a", "b"]]), ("visible_bias", np.zeros(2))]
)
def test_wrong_shapes_and_kinds_are_refused_by_name_in_one_line(name, value):
    with pytest.raises(ValueError, match=f"^{name}: ") as caught:
        RBM(**{**parts(), name: value})
    assert "\n" not in str(caught.value)


def test_an_rbm_owns_its_parameters():
    arrays = parts()
    rbm = RBM(**arrays)
    arrays["weights"][:] = 7.0
    assert (rbm.visible, rbm.hidden) == (3, 2) and rbm.weights.max() == 1.0
    with pytest.raises(ValueError, match="read-only"):
        rbm.weights[0, 0] = 2.0


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda rbm: pickle.loads(pickle.dumps(rbm))])
def test_copies_and_pickles_are_read_only_and_have_no_caches(copied):
    rbm = random_rbm(3, 2)
    assert rbm.transposed.visible == 2  # is cached
    found = copied(rbm)
    assert all(np.array_equal(getattr(found, name), getattr(rbm, name)) for name in parts())
    assert not found.weights.flags.writeable and vars(found).keys() == parts().keys()


def test_datasets_are_read_by_the_names_of_their_dimensions():
    rbm = random_rbm(3, 3)
    assert np.array_equal(RBM.from_dataset(rbm.to_dataset().transpose("hidden", "visible")).weights, rbm.weights)
    with pytest.raises(ValueError, match="visible"):
        RBM.from_dataset(rbm.to_dataset().rename(visible="v"))
    with pytest.raises(ValueError, match="one snapshot"):
        RBM.from_dataset(rbm.to_dataset().expand_dims("update"))


def test_energies_equal_sums_over_units():
    rbm = random_rbm(3, 4)
    for state in itertools.product((0, 1), repeat=7):
        v, h = state[:3], state[3:]
        expected = -sum(c * x for c, x in zip(rbm.visible_bias, v, strict=True))
        expected -= sum(b * y for b, y in zip(rbm.hidden_bias, h, strict=True))
        expected -= sum(rbm.weights[i, j] * v[i] * h[j] for i in range(3) for j in range(4))
        assert rbm.energy([v], [h])[0] == pytest.approx(expected, abs=1e-12)


def test_free_energy_of_thousands_of_units_neither_overflows_nor_loses_digits():
    generator = np.random.default_rng(5)
    rbm = RBM(generator.normal(0.0, 1.0, (3, 5000)), np.zeros(3), generator.normal(0.0, 5.0, 5000))
    v = twins.all_states(3)
    expected = np.logaddexp(0.0, v @ rbm.weights + rbm.hidden_bias).sum(axis=1)
    np.testing.assert_allclose(-rbm.free_energy(v), expected, rtol=1e-13)


@pytest.mark.parametrize(("visible", "hidden"), [(1, 1), (5, 3)])
def test_free_energy_and_likelihood_equal_brute_force(visible, hidden):
    rbm = random_rbm(visible, hidden)
    v = twins.all_states(visible)
    joint = twins.log_f_joint(rbm, v, twins.all_states(hidden))
    expected = np.log(np.exp(joint).sum(axis=1))
    np.testing.assert_allclose(rbm.free_energy(v), -expected, atol=1e-12)
    likelihood = rbm.log_likelihood(v, exact_log_z(rbm))
    np.testing.assert_allclose(likelihood, expected - exact_log_z(rbm), atol=1e-12)
    assert np.exp(likelihood).sum() == pytest.approx(1.0, abs=1e-12)


def test_free_energies_of_many_rows_equal_those_of_single_rows():
    rbm, v = random_rbm(6, 4), np.random.default_rng(0).integers(0, 2, (10_000, 6))
    expected = rbm.free_energy(twins.all_states(6))[twins.state_numbers(v)]
    np.testing.assert_allclose(rbm.free_energy(v), expected, rtol=1e-13)


def test_a_sum_that_overflows_does_not_switch_off_the_check_of_rounding():
    # The first hidden unit is certainly off, although the sum of its weights overflows. The second loses its digits.
    rbm = RBM([[-1e308, 1e17], [-1e308, 3.0]], [0.0, 0.0], [0.0, -1e17])
    with np.errstate(over="ignore"):
        with pytest.raises(ValueError, match="rounding could change log f"):
            rbm.log_f([[1, 1]])
        off = RBM(rbm.weights[:, :1], [0.0, 0.0], [0.0])
        np.testing.assert_array_equal(off.log_f([[1, 1]]), 0.0)


def test_states_that_do_not_fit_are_refused():
    rbm = random_rbm(3, 2)
    for bad, match in (([[0, 1]], "3 columns"), ([[0, 1, 2]], "zeros and ones"), ([0, 1, 1], "matrix")):
        with pytest.raises(ValueError, match=match):
            rbm.free_energy(bad)
    with pytest.raises(ValueError, match="h: expected 2 columns"):
        rbm.energy([[0, 1, 1]], [[0, 1, 1]])
    with pytest.raises(ValueError, match="^h: expected as many rows as v has, 2, found 3$"):
        rbm.energy(np.ones((2, 3)), np.ones((3, 2)))


def test_saved_models_come_back_bit_for_bit(tmp_path):
    rbm = random_rbm(7, 5)
    rbm.save(tmp_path / "model.nc")
    loaded = RBM.load(tmp_path / "model.nc")
    assert all(np.array_equal(getattr(loaded, name), getattr(rbm, name)) for name in parts())


def test_a_fitted_scikit_learn_model_keeps_its_free_energies():
    data = np.random.default_rng(0).integers(0, 2, (40, 6))
    model = BernoulliRBM(n_components=4, n_iter=3, random_state=0)
    with pytest.raises(ValueError, match="fitted"):
        RBM.from_sklearn(model)
    rbm = RBM.from_sklearn(model.fit(data))
    assert (rbm.visible, rbm.hidden) == (6, 4)
    np.testing.assert_allclose(rbm.free_energy(data), model._free_energy(data), rtol=1e-12)


@pytest.mark.parametrize(("visible", "hidden"), [(1, 1), (1, 12), (16, 4), (9, 11), (10, 10)])
def test_exact_log_z_equals_a_sum_over_both_layers(visible, hidden):
    rbm = random_rbm(visible, hidden)
    assert exact_log_z(rbm) == pytest.approx(twins.brute_log_z(rbm), rel=1e-9)
    assert exact_log_z(rbm.transposed) == pytest.approx(exact_log_z(rbm), rel=1e-12)


def test_exact_log_z_of_enumerations_longer_than_a_chunk_does_not_drift():
    # 2**20 states in four chunks; with disconnected layers log Z is a sum over units.
    generator = np.random.default_rng(0)
    c, b = generator.normal(0, 3, 20), generator.normal(0, 3, 20)
    alone = np.logaddexp(0, c).sum() + np.logaddexp(0, b).sum()
    assert exact_log_z(RBM(np.zeros((20, 20)), c, b)) == pytest.approx(alone, rel=1e-12)
    # Pairs: each visible unit is joined to one hidden unit, so log Z is a sum over pairs.
    w = generator.normal(0, 3, 20)
    pairs = np.log(1 + np.exp(c) + np.exp(b) + np.exp(c + b + w)).sum()
    assert exact_log_z(RBM(np.diag(w), c, b)) == pytest.approx(pairs, rel=1e-12)


@pytest.mark.parametrize(("weight", "bias"), [(50.0, -100.0), (-50.0, 100.0)])
def test_exact_log_z_of_large_weights_neither_overflows_nor_vanishes(weight, bias):
    generator = np.random.default_rng(5)
    for signs, hidden_bias in ((generator.choice([-1.0, 1.0], (9, 6)), -bias), (np.ones((9, 6)), bias)):
        rbm = RBM(weight * signs, np.full(9, bias), np.full(6, hidden_bias))
        assert exact_log_z(rbm) == pytest.approx(twins.brute_log_z(rbm), rel=1e-9)


def test_enumerations_that_cannot_finish_are_refused_with_their_cost():
    with pytest.raises(ValueError, match=r"smaller layer has 40 units.*2\*\*40 states.*years.*at most 36") as caught:
        exact_log_z(RBM(np.zeros((784, 40)), np.zeros(784), np.zeros(40)))
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="smaller layer has 37 units"):
        exact_log_z(RBM(np.zeros((37, 100)), np.zeros(37), np.zeros(100)))


def test_objects_are_shown_in_a_line():
    rbm = RBM(np.zeros((4, 3)), np.zeros(4), np.zeros(3))
    assert repr(rbm) == "RBM(4 visible x 3 hidden)"
    settings = {"log_z": 1.5, "std_error": 0.1, "interval": (1.3, 1.7)}
    converged, doubtful = Estimate(**settings, reasons=()), Estimate(**settings, reasons=("drift",), method="<b>")
    assert "log Z = 1.5000 nat" in repr(converged) and "1.3000 to 1.7000" in repr(converged)
    assert repr(converged).endswith(", converged)") and "drift" in repr(doubtful) and "\n" not in repr(doubtful)
    # The table is escaped.
    table = doubtful._repr_html_()
    assert "1.5000 nat" in table and "no: drift" in table and "&lt;b&gt;" in table and "<b>" not in table
