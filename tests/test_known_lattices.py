"""Exact draws of lattices: against enumeration and the derivative of log Z, under any gauge; wrong ones show."""

import numpy as np
import pytest
import twins
from scipy.stats import chi2

from logzoo.kernels.random_cluster import clusters_of, draw_bonds
from logzoo.models.exact_sums import exact_log_z
from logzoo.models.known.exact_draws import (
    aligned,
    drawn_from_the_past,
    exact_draws,
    graph_of,
    log_z_narrow,
    narrow_draws,
    spins_of,
    steps_of,
)
from logzoo.models.known.families import known
from logzoo.models.known.ising import log_z_planar, log_z_torus, planar
from logzoo.models.rbm import RBM

DRAWS = 20_000
CRITICAL = 0.4406867935097715


def p_value(v, rbm):
    """Pearson's chi-square of draws v over the states of that RBM, rare ones together."""
    p = twins.visible_probabilities(rbm)
    counts = np.bincount(twins.state_numbers(v), minlength=p.size)
    common = p * len(v) >= 5.0
    expected = np.append(p[common], p[~common].sum()) * len(v)
    found = np.append(counts[common], counts[~common].sum())
    kept = expected > 0.0
    return chi2.sf(float(((found - expected)[kept] ** 2 / expected[kept]).sum()), kept.sum() - 1)


def from_the_past(rbm, count, seed=1):
    spins = spins_of(rbm)
    up = drawn_from_the_past(spins, aligned(spins), count, np.random.default_rng(seed))
    return up[:, : rbm.visible].astype(np.uint8)


def from_steps(rbm, count, seed=1):
    return narrow_draws(steps_of(spins_of(rbm))[0], count, np.random.default_rng(seed))[:, : rbm.visible]


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("coupling", [0.2, CRITICAL, 0.7, -0.5])
def test_both_ways_to_draw_a_small_torus_have_the_probabilities_of_enumeration(coupling, plain):
    rbm = known("ising-torus", 2, plain=plain, side=4, coupling=coupling).rbm
    assert p_value(from_the_past(rbm, DRAWS), rbm) > 1e-4
    assert p_value(from_steps(rbm, DRAWS), rbm) > 1e-4


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("couplings", ["gaussian", "signs"])
def test_a_small_glass_has_the_probabilities_of_enumeration(couplings, plain):
    rbm = known("planar-glass", 2, plain=plain, rows=4, columns=5, couplings=couplings).rbm
    assert p_value(from_steps(rbm, DRAWS), rbm) > 1e-4


def test_steps_take_fields_couplings_of_any_graph_and_sites_by_themselves():
    generator = np.random.default_rng(5)
    weights = np.where(generator.random((7, 6)) < 0.5, generator.normal(0.0, 2.0, (7, 6)), 0.0)
    weights[2] = weights[:, 4] = 0.0
    rbm = RBM(weights, generator.normal(0.0, 1.0, 7), generator.normal(0.0, 1.0, 6))
    constant = 0.25 * weights.sum() + 0.5 * (rbm.visible_bias.sum() + rbm.hidden_bias.sum())
    assert log_z_narrow(steps_of(spins_of(rbm))[0]) + constant == pytest.approx(exact_log_z(rbm), abs=1e-11)
    assert p_value(from_steps(rbm, DRAWS), rbm) > 1e-4


def test_chains_stopped_before_they_meet_are_found_wrong():
    """So few sweeps from all bonds open, or closed, are not enough, whether the two have met or not."""
    rbm = known("ising-torus", 2, side=4, coupling=CRITICAL).rbm
    spins = spins_of(rbm)
    graph, signs, generator = graph_of(spins), aligned(spins), np.random.default_rng(1)
    for stopped in (0, 1):
        draws = []
        for _ in range(DRAWS):
            states = np.ones(32, bool), np.zeros(32, bool)
            draw_bonds(graph, generator.random((1, 32)), *states)
            up = generator.integers(2, size=16)[clusters_of(graph, states[stopped])]
            draws.append((up ^ (signs < 0.0))[:8])
        assert p_value(np.array(draws), rbm) < 1e-12


def test_a_glass_of_other_couplings_is_found_wrong():
    glass, other = (known("planar-glass", seed, rows=4, columns=5).rbm for seed in (2, 3))
    assert p_value(from_steps(other, DRAWS), glass) < 1e-12


def mean_energy(rbm, v):
    """Mean of sum K s s' given the visible units, and its standard error, of a model without fields."""
    local = 0.5 * (v @ rbm.weights + rbm.hidden_bias)
    energies = (local * np.tanh(local)).sum(axis=1)
    return energies.mean(), energies.std() / np.sqrt(len(v))


@pytest.mark.parametrize(("side", "coupling"), [(28, CRITICAL), (28, 0.5), (40, 0.5)])
def test_large_tori_have_the_energy_that_is_the_derivative_of_log_z(side, coupling):
    rbm = known("ising-torus", 0, side=side, coupling=coupling).rbm
    found, error = mean_energy(rbm, exact_draws(rbm, 500, np.random.default_rng(0)))
    step = 1e-4
    slope = (log_z_torus(side, coupling + step) - log_z_torus(side, coupling - step)) / (2.0 * step)
    assert abs(found - coupling * slope) < 4.0 * error
    # An energy of the coupling three percent away would show.
    far = coupling * (log_z_torus(side, 1.03 * coupling + step) - log_z_torus(side, 1.03 * coupling - step)) / step / 2
    assert abs(found - far) > 4.0 * error


@pytest.mark.parametrize("shape", [(12, 60), (16, 45)])
def test_large_glasses_have_the_log_z_and_the_energy_of_the_determinant(shape):
    generator = np.random.default_rng(3)
    rows, columns = shape
    bonds = generator.standard_normal((rows, columns - 1)), generator.standard_normal((rows - 1, columns))
    rbm, log_z = planar(*bonds)
    assert log_z_narrow(steps_of(spins_of(rbm))[0]) == pytest.approx(log_z_planar(*bonds), abs=1e-9)
    found, error = mean_energy(rbm, exact_draws(rbm, 2000, np.random.default_rng(0)))
    up, down = (log_z_planar(*(factor * part for part in bonds)) for factor in (1.0001, 0.9999))
    assert abs(found - (up - down) / 2e-4) < 4.0 * error


def test_draws_of_both_phases_are_as_frequent_and_independent():
    rbm = known("ising-torus", 0, plain=True, coupling=0.5).rbm
    magnetisation = exact_draws(rbm, 400, np.random.default_rng(0)).mean(axis=1) - 0.5
    assert abs((magnetisation > 0).mean() - 0.5) < 4.0 * 0.5 / np.sqrt(400)
    # Onsager's: (1 - sinh(2 K)^-4)^(1/8), of both signs.
    size = (1.0 - np.sinh(1.0) ** -4.0) ** 0.125
    assert np.abs(2.0 * magnetisation).mean() == pytest.approx(size, abs=0.02)
    again = np.corrcoef(magnetisation[:-1], magnetisation[1:])[0, 1]
    assert abs(again) < 4.0 / np.sqrt(400)


def test_draws_are_those_of_their_generator():
    for family, options in (("ising-torus", {"side": 20}), ("planar-glass", {"rows": 8, "columns": 40})):
        rbm = known(family, 0, **options).rbm
        one, same, other = (exact_draws(rbm, 5, np.random.default_rng(seed)) for seed in (0, 0, 1))
        assert one.dtype == np.uint8 and one.shape == (5, rbm.visible)
        assert np.array_equal(one, same) and not np.array_equal(one, other)


def test_what_has_no_way_to_exact_draws_is_refused(monkeypatch):
    with pytest.raises(ValueError, match="no exact draws.* a front of at most 18 units, found"):
        exact_draws(known("planar-glass").rbm, 10, np.random.default_rng(0))
    torus = known("ising-torus").rbm
    with pytest.raises(ValueError, match="neither field nor frustration"):
        exact_draws(RBM(torus.weights, torus.visible_bias + 0.1, torus.hidden_bias), 10, np.random.default_rng(0))
    monkeypatch.setattr("logzoo.models.known.exact_draws.LARGEST_PAST", 13_000)
    with pytest.raises(ValueError, match="did not meet"):
        exact_draws(torus, 10, np.random.default_rng(0))
