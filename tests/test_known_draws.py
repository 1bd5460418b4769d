"""Exact draws of models whose log Z is known: against enumeration and the derivative of log Z, under any gauge."""

import numpy as np
import pytest
import twins
from scipy.special import expit

from logzoo import RBM, exact_log_z
from logzoo.datasets.known import read_known
from logzoo.models.known import exact_draws as exact_draws_of
from logzoo.models.known.exact_draws import aligned, exact_draws, groups, narrow_draws, spins_of, steps_of
from logzoo.models.known.families import known
from logzoo.models.known.grouped import grouped
from logzoo.models.known.ising import log_z_planar, log_z_torus, planar

SMALL = {
    "twins": {"visible": 7, "hidden": 5, "odds": 3.0},
    "wide-narrow": {"visible": 7, "hidden": 6},
    "hopfield": {"visible": 7, "hidden": 7},
    "random-small": {"visible": 7, "hidden": 4},
}
DRAWS = 20_000


def p_value(v, rbm):
    """P-value of draws v over the states of an RBM."""
    p = twins.visible_probabilities(rbm)
    return twins.p_value(np.bincount(twins.state_numbers(v), minlength=p.size), p)


@pytest.mark.parametrize("family", SMALL)
def test_draws_have_the_probabilities_of_enumeration(family):
    rbm = known(family, 0, **SMALL[family]).rbm
    assert p_value(exact_draws(rbm, DRAWS, np.random.default_rng(1)), rbm) > 1e-4


@pytest.mark.parametrize("family", ["twins", "wide-narrow", "hopfield"])
def test_groups_are_found_behind_the_gauge(family):
    rbm, log_z, _ = known(family, 5)
    columns, sizes, visible_bias, group_bias = groups(rbm)
    assert sorted(sizes) == ([250, 250] if family == "hopfield" else [500])
    ungauged, other = grouped(columns, sizes, visible_bias, group_bias)
    # Flipped hidden units change free energies by a constant only: the difference between the two log Z.
    v = np.random.default_rng(0).integers(0, 2, (20, 784))
    np.testing.assert_allclose(ungauged.log_f(v) - other, rbm.log_f(v) - log_z, atol=1e-9)


def test_units_without_weights_and_models_of_many_groups():
    rbm = RBM(np.zeros((3, 4)), np.array([-1.0, 0.0, 2.0]), np.zeros(4))
    v = exact_draws(rbm, DRAWS, np.random.default_rng(0))
    np.testing.assert_allclose(v.mean(axis=0), expit(rbm.visible_bias), atol=4 * 0.5 / np.sqrt(DRAWS))
    with pytest.raises(ValueError, match="count: expected a whole number of at least 1, found 0"):
        exact_draws(rbm, 0, np.random.default_rng(0))


def test_a_data_set_is_drawn_from_the_model_of_its_seed():
    sizes, samples = {"visible": 40, "hidden": 12}, {"train": 300, "validation": 20, "test": 20}
    options = {"family": "twins", "seed": 3, "options": sizes, "samples": samples}
    splits = read_known({}, options)
    assert {name: data.shape for name, data in splits.data.items()} == {name: (n, 40) for name, n in samples.items()}
    assert set(splits.labels.values()) == {None}
    train, models = splits.data["train"], (known("twins", seed, **sizes) for seed in (3, 4))
    right, other = (model.rbm.log_likelihood(train, model.log_z).mean() for model in models)
    assert right > other + 1.0
    assert not np.array_equal(splits.data["validation"], splits.data["test"])
    for same in (samples, {**samples, "validation": 40}):
        np.testing.assert_array_equal(train, read_known({}, {**options, "samples": same}).data["train"])


CRITICAL = 0.4406867935097715


def log_z_narrow(steps):
    """log Z in nats of the spins of these steps."""
    table = np.zeros(1)
    for step in steps:
        *_, table = exact_draws_of._tables(table, step)
    return float(table[0])


def from_steps(rbm):
    return narrow_draws(steps_of(spins_of(rbm))[0], DRAWS, np.random.default_rng(1))[:, : rbm.visible]


@pytest.mark.parametrize(("coupling", "plain"), [(CRITICAL, False), (-0.5, True)])
def test_both_ways_to_draw_a_small_torus_have_the_probabilities_of_enumeration(coupling, plain):
    rbm = known("ising-torus", 2, plain=plain, side=4, coupling=coupling).rbm
    spins = spins_of(rbm)
    up = exact_draws_of.drawn_from_the_past(spins, aligned(spins), DRAWS, np.random.default_rng(1))
    assert p_value(up[:, : rbm.visible].astype(np.uint8), rbm) > 1e-4
    assert p_value(from_steps(rbm), rbm) > 1e-4


@pytest.mark.parametrize(("couplings", "plain"), [("gaussian", False), ("signs", True)])
def test_a_small_glass_has_the_probabilities_of_enumeration(couplings, plain):
    rbm = known("planar-glass", 2, plain=plain, rows=4, columns=5, couplings=couplings).rbm
    assert p_value(from_steps(rbm), rbm) > 1e-4


def test_steps_take_fields_couplings_of_any_graph_and_sites_by_themselves():
    generator = np.random.default_rng(5)
    weights = np.where(generator.random((7, 6)) < 0.5, generator.normal(0.0, 2.0, (7, 6)), 0.0)
    weights[2] = weights[:, 4] = 0.0
    rbm = RBM(weights, generator.normal(0.0, 1.0, 7), generator.normal(0.0, 1.0, 6))
    constant = 0.25 * weights.sum() + 0.5 * (rbm.visible_bias.sum() + rbm.hidden_bias.sum())
    assert log_z_narrow(steps_of(spins_of(rbm))[0]) + constant == pytest.approx(exact_log_z(rbm), abs=1e-11)
    assert p_value(from_steps(rbm), rbm) > 1e-4


def mean_energy(rbm, v):
    """Mean of sum K s s' given the visible units, and its standard error, of a model without fields."""
    local = 0.5 * (v @ rbm.weights + rbm.hidden_bias)
    energies = (local * np.tanh(local)).sum(axis=1)
    return energies.mean(), energies.std() / np.sqrt(len(v))


def test_large_tori_have_the_energy_that_is_the_derivative_of_log_z():
    rbm, step = known("ising-torus", 0, side=28, coupling=0.5).rbm, 1e-4
    result, error = mean_energy(rbm, exact_draws(rbm, 500, np.random.default_rng(0)))

    def energy(coupling):
        return 0.5 * (log_z_torus(28, coupling + step) - log_z_torus(28, coupling - step)) / (2.0 * step)

    # The energy at a coupling three percent away would not pass.
    assert abs(result - energy(0.5)) < 4.0 * error < abs(result - energy(0.515))


def test_large_glasses_have_the_log_z_and_the_energy_of_the_determinant():
    generator = np.random.default_rng(3)
    bonds = generator.standard_normal((12, 59)), generator.standard_normal((11, 60))
    rbm, log_z = planar(*bonds)
    assert log_z_narrow(steps_of(spins_of(rbm))[0]) == pytest.approx(log_z_planar(*bonds), abs=1e-9)
    result, error = mean_energy(rbm, exact_draws(rbm, 2000, np.random.default_rng(0)))
    up, down = (log_z_planar(*(factor * part for part in bonds)) for factor in (1.0001, 0.9999))
    assert abs(result - (up - down) / 2e-4) < 4.0 * error


def test_draws_are_those_of_their_generator():
    for family, options in (("ising-torus", {"side": 20}), ("planar-glass", {"rows": 8, "columns": 40})):
        rbm = known(family, 0, **options).rbm
        first, same, other = (exact_draws(rbm, 5, np.random.default_rng(seed)) for seed in (0, 0, 1))
        assert first.dtype == np.uint8 and first.shape == (5, rbm.visible)
        assert np.array_equal(first, same) and not np.array_equal(first, other)


def test_what_has_no_way_to_exact_draws_is_refused(monkeypatch):
    with pytest.raises(ValueError, match="exact draws need one of: .* counts .* a front of at most 18 units .found "):
        exact_draws(known("planar-glass").rbm, 10, np.random.default_rng(0))
    torus = known("ising-torus").rbm
    with pytest.raises(ValueError, match="without field or frustration"):
        exact_draws(RBM(torus.weights, torus.visible_bias + 0.1, torus.hidden_bias), 10, np.random.default_rng(0))
    monkeypatch.setattr("logzoo.models.known.exact_draws.LARGEST_PAST", 13_000)
    with pytest.raises(ValueError, match="did not meet"):
        exact_draws(torus, 10, np.random.default_rng(0))
