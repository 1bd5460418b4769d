"""RBMs whose log Z is known: every formula against enumeration, published values and transfer matrices."""

import inspect
import re
from pathlib import Path
from pkgutil import resolve_name

import numpy as np
import pytest
import twins
from scipy.special import logsumexp

from logzoo import exact_log_z
from logzoo.models.equivalent import flip, gauged
from logzoo.models.known import ising
from logzoo.models.known.families import FAMILIES, known
from logzoo.models.known.grouped import bias_for_odds, blocks, grouped, hopfield, log_terms, wide_narrow
from logzoo.models.known.grouped import twins as twin_modes
from logzoo.models.known.ising import ising_torus, log_z_planar, log_z_torus

PAGE = Path(__file__).parents[1] / "docs" / "known.md"
CRITICAL = 0.5 * np.arcsinh(1.0)
# Options that make models small enough to enumerate.
SMALL = {
    "ising-torus": {"side": 4, "coupling": 0.5},
    "planar-glass": {"rows": 4, "columns": 5},
    "twins": {"visible": 30, "hidden": 12, "odds": 3.0},
    "wide-narrow": {"visible": 30, "hidden": 11},
    "hopfield": {"visible": 30, "hidden": 11, "patterns": 3},
    "blocks": {"count": 3, "visible": 5, "hidden": 4},
    "random-small": {"visible": 30, "hidden": 9},
}


def generator(*names):
    return np.random.default_rng([*names])


def normal_rbm(visible, hidden, seed=0):
    return twins.normal_rbm([seed, visible, hidden], visible, hidden, 1.5)


def strip_log_z(horizontal, vertical):
    """log Z of spins on a free lattice, spin by spin over all states of a column."""
    rows, columns = len(horizontal), vertical.shape[1]
    spins = 2.0 * twins.all_states(rows) - 1.0
    log_f = np.zeros(len(spins))
    for column in range(columns):
        for row in range(rows if column else 0):
            before = log_f.reshape(1 << row, 2, -1)
            coupling = horizontal[row, column - 1]
            log_f = np.logaddexp(before + coupling, before[:, ::-1] - coupling).ravel()
        log_f = log_f + (spins[:, :-1] * spins[:, 1:]) @ vertical[:, column]
    return logsumexp(log_f)


def random_bonds(rows, columns, kind, scale):
    draws = generator(0, rows, columns)
    draw = draws.standard_normal if kind == "gaussian" else lambda shape: draws.choice([-1.0, 1.0], shape)
    return [scale * draw(shape) for shape in ((rows, columns - 1), (rows - 1, columns))]


def test_tori_have_the_values_of_long_arithmetic():
    # Kaufman's formula in arithmetic of 60 digits.
    critical = 0.4406868
    tori = (40, critical, 1488.152615075426), (28, 0.50, 804.914713510), (20, critical, 372.518280355)
    for side, coupling, log_z in tori:
        assert log_z_torus(side, coupling) == pytest.approx(log_z, abs=1e-9 if side < 40 else 2e-11)
    # RBMs have these less the constant of their bonds.
    rbm, result = ising_torus(40, critical)
    assert (rbm.visible, rbm.hidden) == (800, 800)
    assert set(np.unique(rbm.weights)) == {0.0, 4.0 * critical} and np.count_nonzero(rbm.weights) == 3200
    np.testing.assert_allclose([rbm.visible_bias, rbm.hidden_bias], -8.0 * critical, rtol=1e-14)
    assert result == pytest.approx(77.954855075426, abs=2e-11)


@pytest.mark.parametrize("side", [2, 4, 6])
@pytest.mark.parametrize("coupling", [1e-5, 0.4, CRITICAL, 1.5, -0.3])
def test_tori_equal_enumeration(side, coupling):
    rbm, log_z = ising_torus(side, coupling)
    assert log_z == pytest.approx(exact_log_z(rbm), abs=1e-11)


def test_tori_at_the_ends_of_couplings():
    spins = 28 * 28
    assert log_z_torus(28, 0.0) == pytest.approx(spins * np.log(2.0), rel=1e-15)
    # No loop of fewer than four bonds: up to K^4 bonds are as good as free.
    for coupling in (1e-300, 1e-10, 2e-9, 1e-5):
        free = spins * np.log(2.0) + 2.0 * spins * np.log(np.cosh(coupling))
        assert log_z_torus(28, coupling) == pytest.approx(free, rel=1e-13)
    # Two ground states.
    for coupling in (20.0, 300.0, -300.0):
        assert log_z_torus(28, coupling) == pytest.approx(2.0 * spins * abs(coupling) + np.log(2.0), rel=1e-14)


@pytest.mark.parametrize("kind", ["gaussian", "signs"])
@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (4, 5), (5, 4)])
def test_planar_glasses_equal_enumeration(rows, columns, kind):
    rbm, log_z = ising.planar(*random_bonds(rows, columns, kind, 2.0))
    assert rbm.visible + rbm.hidden == rows * columns
    assert log_z == pytest.approx(exact_log_z(rbm), abs=1e-10)


@pytest.mark.parametrize("kind", ["gaussian", "signs"])
def test_planar_glasses_equal_transfer_matrices(kind):
    bonds = random_bonds(10, 25, kind, 1.0)
    assert log_z_planar(*bonds) == pytest.approx(strip_log_z(*bonds), abs=1e-9)


def test_couplings_so_strong_that_rounding_shows_are_refused():
    refused = []
    for scale in (1.0, 2.0, 4.0, 8.0, 16.0, 32.0):
        bonds = random_bonds(10, 12, "gaussian", scale)
        try:
            log_z = log_z_planar(*bonds)
        except ValueError as error:
            assert "too strong" in str(error)
            refused.append(scale)
        else:
            assert log_z == pytest.approx(strip_log_z(*bonds), abs=1e-7)
    assert 2.0 not in refused and 32.0 in refused


@pytest.mark.parametrize("scale", [5.0, 8.0, 12.0, 30.0])
def test_strong_couplings_of_two_values_are_refused_or_right(scale):
    # At 12 and 30 rounding moves the determinants of the matrix and of its transpose equally.
    try:
        model = known("planar-glass", 19, rows=2, columns=4, couplings="signs", scale=scale)
    except ValueError as error:
        assert "too strong" in str(error) and scale > 5.0
    else:
        assert model.log_z == pytest.approx(exact_log_z(model.rbm), abs=1e-7)


@pytest.mark.parametrize("sizes", [(1,), (5, 2, 3)])
def test_grouped_units_equal_enumeration(sizes):
    for seed in range(3):
        draws = generator(seed, *sizes)
        columns, visible_bias = draws.normal(0.0, 1.0, (13, len(sizes))), draws.normal(0.0, 1.0, 13)
        # Some units alike.
        columns[4:7], visible_bias[4:7] = columns[4], visible_bias[4]
        rbm, log_z = grouped(columns, sizes, visible_bias, draws.normal(0.0, 1.0, len(sizes)))
        assert (rbm.visible, rbm.hidden) == (13, sum(sizes))
        assert log_z == pytest.approx(exact_log_z(rbm), abs=1e-11)


def test_sums_over_counts_do_not_depend_on_where_they_are_cut(monkeypatch):
    draws = generator(1)
    arguments = draws.normal(0.0, 1.0, (13, 2)), (6, 9), draws.normal(0.0, 1.0, 13), draws.normal(0.0, 1.0, 2)
    whole = log_terms(*arguments)
    monkeypatch.setattr("logzoo.models.known.grouped._TOGETHER", 50)
    np.testing.assert_allclose(log_terms(*arguments), whole, rtol=1e-14)
    assert whole.shape == (7, 10)


def half_odds(rbm):
    """Odds that at least half of the hidden units are on, from all hidden states."""
    states = twins.all_states(rbm.hidden)
    log_f, most = rbm.transposed.log_f(states), 2 * states.sum(axis=1) >= rbm.hidden
    return np.exp(logsumexp(log_f[most]) - logsumexp(log_f[~most]))


@pytest.mark.parametrize("odds", [1e-6, 40.0])
@pytest.mark.parametrize("hidden", [11, 12])
def test_modes_have_the_odds_that_were_asked_for(odds, hidden):
    options = {"visible": 30, "hidden": hidden, "odds": odds}
    assert half_odds(twin_modes(generator(2), **options)[0]) == pytest.approx(odds, rel=1e-9)
    assert half_odds(wide_narrow(generator(2), **options)[0]) == pytest.approx(1.0 / odds, rel=1e-9)
    terms = generator(3).normal(0.0, 400.0, 50)
    tilted = terms + bias_for_odds(terms, odds) * np.arange(50)
    assert logsumexp(tilted[25:]) - logsumexp(tilted[:25]) == pytest.approx(np.log(odds), abs=1e-9)


@pytest.mark.parametrize("patterns", [1, 3])
def test_patterns_and_their_reverses_are_equally_probable(patterns):
    rbm, log_z = hopfield(generator(5), visible=9, hidden=7, patterns=patterns)
    assert log_z == pytest.approx(exact_log_z(rbm), abs=1e-11)
    p = twins.visible_probabilities(rbm)
    np.testing.assert_allclose(p, p[::-1], rtol=1e-10)
    assert p.max() > 4.0 / 512


def test_blocks_add():
    parts = [normal_rbm(4, 3), normal_rbm(2, 5), normal_rbm(5, 4)]
    rbm, log_z = blocks((part, exact_log_z(part)) for part in parts)
    assert (rbm.visible, rbm.hidden) == (11, 12)
    assert log_z == pytest.approx(exact_log_z(rbm), abs=1e-11)
    with pytest.raises(ValueError, match="parts"):
        blocks([])


@pytest.mark.parametrize("seed", range(2))
def test_permuted_and_flipped_units_keep_the_distribution(seed):
    rbm = normal_rbm(7, 5, seed)
    log_z = exact_log_z(rbm)
    other, other_log_z = gauged(rbm, log_z, generator(seed))
    assert other_log_z == pytest.approx(exact_log_z(other), abs=1e-11)
    assert abs(other_log_z - log_z) > 1e-3 and (other.visible, other.hidden) == (7, 5)
    for pair in ((rbm, other), (rbm.transposed, other.transposed)):
        np.testing.assert_allclose(*(np.sort(twins.visible_probabilities(each)) for each in pair), rtol=1e-9)
    np.testing.assert_allclose(np.sort(np.abs(other.weights), axis=None), np.sort(np.abs(rbm.weights), axis=None))


def test_flipped_units_are_the_same_states_under_other_names():
    rbm, flipped, v = normal_rbm(6, 4), np.array([True, False, False, True, True, False]), twins.all_states(6)
    other, log_z = flip(rbm, 1.5, flipped)
    np.testing.assert_allclose(other.log_f(np.where(flipped, 1.0 - v, v)) - log_z, rbm.log_f(v) - 1.5, atol=1e-12)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_has_the_log_z_that_it_states(name):
    for plain in (False, True):
        model = known(name, 1, plain=plain, **SMALL[name])
        assert model.log_z == pytest.approx(exact_log_z(model.rbm), abs=1e-10)
        assert model.source == FAMILIES[name].source


@pytest.mark.parametrize("name", FAMILIES)
def test_families_are_drawn_from_their_seed_and_hidden_by_the_gauge(name):
    rbm, again, other = (known(name, seed, **SMALL[name]).rbm for seed in (0, 0, 1))
    plain = known(name, 0, plain=True, **SMALL[name]).rbm
    assert np.array_equal(rbm.weights, again.weights) and np.array_equal(rbm.visible_bias, again.visible_bias)
    assert not any(np.array_equal(rbm.weights, one.weights) for one in (other, plain))
    np.testing.assert_allclose(np.sort(np.abs(rbm.weights), axis=None), np.sort(np.abs(plain.weights), axis=None))


@pytest.mark.parametrize(
    ("name", "options", "match"),
    [
        ("ising", {}, "family: unknown value 'ising'.*ising-torus"),
        ("ising-torus", {"odds": 1.0}, "ising-torus: unknown option 'odds'; expected one of coupling, side"),
        ("ising-torus", {"side": 5}, "side: expected an even number, found 5"),
        ("ising-torus", {"coupling": 301.0}, "coupling.*300"),
        ("planar-glass", {"couplings": "uniform"}, "couplings"),
        ("wide-narrow", {"spread": np.inf}, "spread"),
        ("hopfield", {"patterns": 3, "hidden": 900}, "combinations of counts"),
        ("twins", {"strength": 1e9}, "^twins: the parameters are too large: rounding"),
        ("wide-narrow", {"strength": 1e14}, "^wide-narrow: the parameters are too large: rounding"),
        ("random-small", {"hidden": 30}, "smaller layer: expected at most 20 units.*found 30"),
    ],
)
def test_impossible_options_are_refused_by_name_in_one_line(name, options, match):
    with pytest.raises(ValueError, match=match) as caught:
        known(name, **options)
    assert "\n" not in str(caught.value)


def test_the_page_runs_and_names_every_family_with_its_options():
    text = PAGE.read_text()
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(compile(program, str(PAGE), "exec"), {})
    for name, family in FAMILIES.items():
        assert f"`{name}`" in text
        make = resolve_name(f"{family.module}:{family.function}")
        for option in inspect.signature(make).parameters.keys() - {"generator"}:
            assert f"`{option}`" in text, f"{name}: {option}"
