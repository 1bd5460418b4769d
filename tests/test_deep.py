"""Deep Boltzmann machines and bipartite Ising models as RBMs, by enumeration."""

import numpy as np
import pytest
from twins import all_states

from logzoo import RBM, dbm_log_likelihood, exact_log_z

SIZES = (3, 4, 2, 3)


def random_layers(sizes=SIZES, seed=0):
    generator = np.random.default_rng([seed, *sizes])
    layers = [generator.normal(size=sizes[0])]
    for low, high in zip(sizes[:-1], sizes[1:], strict=True):
        layers += [generator.normal(size=(low, high)), generator.normal(size=high)]
    return layers


def log_f_of_all(layers):
    """Every state of all units, and its log f, in the order of `all_states` of the visible units first."""
    biases, weights = layers[::2], layers[1::2]
    states = all_states(sum(bias.size for bias in biases)).astype(float)
    parts = np.split(states, np.cumsum([bias.size for bias in biases])[:-1], axis=1)
    log_f = sum(part @ bias for part, bias in zip(parts, biases, strict=True))
    return states, log_f + sum(((parts[i] @ matrix) * parts[i + 1]).sum(axis=1) for i, matrix in enumerate(weights))


@pytest.mark.parametrize("sizes", [(3, 4), (3, 4, 2), SIZES, (2, 3, 2, 2, 3)])
def test_a_deep_machine_has_the_log_z_and_likelihoods_of_enumeration(sizes):
    layers = random_layers(sizes)
    states, log_f = log_f_of_all(layers)
    log_z = np.logaddexp.reduce(log_f)
    assert exact_log_z(RBM.from_dbm(layers)) == pytest.approx(log_z, abs=1e-10)
    v = all_states(sizes[0])
    log_p = [np.logaddexp.reduce(log_f[(states[:, : sizes[0]] == row).all(axis=1)]) - log_z for row in v]
    likelihood = dbm_log_likelihood(layers, v)
    assert likelihood.value == pytest.approx(np.mean(log_p), abs=1e-10)
    assert likelihood.std_error == pytest.approx(np.std(log_p, ddof=1) / np.sqrt(len(v)), abs=1e-10)
    assert likelihood.interval == pytest.approx((likelihood.value,) * 2, abs=1e-10)


def test_layers_of_small_integers_are_not_summed_as_such():
    layers = [np.full(300, 1), np.full((300, 2), 1), np.zeros(2), np.full((2, 2), 1), np.zeros(2)]
    v = np.ones((1, 300), np.uint8)
    small = dbm_log_likelihood([array.astype(np.uint8) for array in layers], v)
    assert small.value == dbm_log_likelihood(layers, v).value


def test_settings_of_one_log_z_are_refused_for_several(tmp_path):
    v = all_states(SIZES[0])
    with pytest.raises(ValueError, match="^checkpoint: .* 9 .*'x.npz'"):
        dbm_log_likelihood(random_layers(), v, checkpoint="x.npz")
    with pytest.raises(ValueError, match="^base: expected a name .* 9 .*found array"):
        dbm_log_likelihood(random_layers(), v, base=np.zeros(5))
    assert dbm_log_likelihood(random_layers((3, 4)), v, checkpoint=tmp_path / "x.npz", base=np.zeros(3)).value < 0.0


@pytest.mark.filterwarnings("ignore:ais. .* did not converge")
def test_the_interval_of_a_deep_likelihood_has_the_errors_of_all_log_zs():
    layers, v = random_layers(), all_states(SIZES[0])[::3]
    right = dbm_log_likelihood(layers, v).value
    settings = {"sweeps": 60, "chains": 40, "check": False}
    runs = [dbm_log_likelihood(layers, v, "ais", seed=seed, **settings) for seed in range(12)]
    covered = sum(run.interval[0] <= right <= run.interval[1] for run in runs)
    # The intervals assume fully correlated errors of the examples; here they are independent: coverage is above 95%.
    assert covered >= 10 and all(0.0 < run.interval[1] - run.interval[0] < 0.5 for run in runs)
    assert np.std([run.value for run in runs]) > 0.0


@pytest.mark.parametrize(
    ("layers", "complaint"),
    [
        ([[0.0], [[1.0]]], r"^layers: expected biases and weights in turn .*, found 2 arrays"),
        ([[0.0], [[1.0]], [0.0, 1.0]], r"^layers\[1\]: expected shape \(1, 2\) of the biases .*, found \(1, 1\)"),
        (iter([[0.0], [[1.0]], [0.0]]), r"^layers: expected a list of arrays"),
        ([[0.0], [1.0], [0.0]], r"^layers\[1\]: expected a non-empty array of 2 dimension"),
    ],
)
def test_layers_that_do_not_fit_are_refused(layers, complaint):
    with pytest.raises(ValueError, match=complaint):
        RBM.from_dbm(layers)


def bipartite(n, seed):
    """Couplings between two layers of spins in random order, with one spin alone, and a field."""
    generator = np.random.default_rng(seed)
    layer = generator.permutation(np.arange(n) % 2)
    couplings = generator.normal(size=(n, n)) * (layer[:, None] != layer) * (generator.random((n, n)) < 0.5)
    couplings[-1] = couplings[:, -1] = 0.0
    return np.triu(couplings), generator.normal(size=n)


@pytest.mark.parametrize("seed", range(3))
def test_a_bipartite_ising_model_has_the_log_z_and_probabilities_of_enumeration(seed):
    couplings, field = bipartite(9, seed)
    spins = 2.0 * all_states(9) - 1.0
    log_f = np.einsum("ni,ij,nj->n", spins, couplings, spins) + spins @ field
    log_z = np.logaddexp.reduce(log_f)
    for matrix in (couplings, couplings + couplings.T, couplings.T):
        rbm, constant, visible = RBM.from_ising(matrix, field)
        assert exact_log_z(rbm) + constant == pytest.approx(log_z, abs=1e-10)
    bits = (spins[:, visible] + 1) / 2
    log_p = np.logaddexp.reduce(log_f[(bits == bits[37]).all(axis=1)]) - log_z
    assert rbm.log_likelihood(bits[37:38], exact_log_z(rbm))[0] == pytest.approx(log_p, abs=1e-10)


@pytest.mark.parametrize(
    ("couplings", "complaint"),
    [
        (np.triu(np.ones((3, 3)), 1), "expected a bipartite model, .* close a loop of odd length"),
        (np.eye(3), "expected zeros on the diagonal"),
        ([[0, 1, 0], [2, 0, 0], [0, 0, 0]], r"expected a symmetric matrix .* pass \(J \+ J.T\) / 2"),
        (np.zeros((2, 3)), r"expected a square matrix .*, found \(2, 3\)"),
    ],
)
def test_other_couplings_are_refused(couplings, complaint):
    with pytest.raises(ValueError, match=f"^couplings: {complaint}"):
        RBM.from_ising(couplings, np.zeros(3))


def test_spins_without_couplings_are_independent():
    rbm, constant, _ = RBM.from_ising(np.zeros((3, 3)), [1.0, 2.0, 0.0])
    assert exact_log_z(rbm) + constant == pytest.approx(np.log(2 * np.cosh([1.0, 2.0, 0.0])).sum(), abs=1e-10)
