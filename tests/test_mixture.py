"""The mixture of Gaussians, its tempered path, the experiments on it, and their figures."""

import numpy as np
import pytest
import xarray as xr
from scipy import integrate

from logzoo.io import schema
from logzoo.streams import root_stream
from replication.papers.rts import mixture
from replication.papers.rts.gaussian_mixture import GaussianMixture, path_moments
from replication.papers.rts.hamiltonian_chains import HamiltonianDraws
from replication.papers.rts.rts_mixture import draw_estimators, draw_steps, estimator_statistics, step_statistics
from replication.reporting.style import TRUTH

STREAM = root_stream(8).child("mixture")
UNEVEN = GaussianMixture((0.3, 1.9, 0.6), [[-1.0, 0.5, 0.0], [2.0, 0.0, -1.0], [0.0, 3.0, 1.0]], 0.7)


def test_log_z_is_that_of_quadrature():
    # Components apart along the first coordinate: the others are Gaussian integrals.
    pair = GaussianMixture((0.3, 1.9), [[-1.5, 0, 0], [2.5, 0, 0]], 0.7)

    def f(x):
        return float(np.exp(pair.log_f(np.array([[x, 0.0, 0.0]])))[0])

    along, _ = integrate.quad(f, -20, 20, points=[-1.5, 2.5], epsabs=1e-13)
    assert pair.log_z == pytest.approx(np.log(along) + np.log(2 * np.pi * 0.7), abs=1e-10)
    # Any means: the sum over a grid, exact to rounding for such smooth functions.
    grid = np.linspace(-6, 8, 141)
    points = np.stack(np.meshgrid(grid, grid, grid), axis=-1).reshape(-1, 3)
    assert np.log(np.exp(UNEVEN.log_f(points)).sum() * 0.1**3) == pytest.approx(UNEVEN.log_z, abs=1e-6)
    published, base = mixture.target_and_base()
    assert (published.dimension, published.log_z) == (10, pytest.approx(5 * np.log(np.pi)))
    assert base.log_z == pytest.approx(5 * np.log(60 * np.pi))
    assert np.ptp(published.means[:, 0]) == 5.0 and not published.means[:, 1:].any()


def test_the_gradient_is_that_of_finite_differences():
    points = np.random.default_rng(0).normal(0, 2, (40, 3))
    for i, step in enumerate(1e-5 * np.eye(3)):
        slope = (UNEVEN.log_f(points + step) - UNEVEN.log_f(points - step)) / 2e-5
        np.testing.assert_allclose(UNEVEN.gradient(points)[:, i], slope, atol=1e-7)
    # Far from all means log f is finite.
    far = np.array([[1e5, 0.0, 0.0]])
    assert np.isfinite(UNEVEN.log_f(far)).all() and np.isfinite(UNEVEN.gradient(far)).all()
    assert UNEVEN.log_f(far)[0] == pytest.approx(np.log(1.9) - (1e5 - 2.0) ** 2 / 1.4 - 1.0 / 1.4, rel=1e-12)


def test_draws_have_the_moments_of_the_mixture():
    draws = UNEVEN.draw(np.random.default_rng(1), 200_000)
    share = UNEVEN.weights / UNEVEN.weights.sum()
    mean = share @ UNEVEN.means
    covariance = 0.7 * np.eye(3) + (UNEVEN.means - mean).T @ np.diag(share) @ (UNEVEN.means - mean)
    error = np.sqrt(np.diag(covariance) / len(draws))
    assert np.all(np.abs(draws.mean(axis=0) - mean) < 4 * error)
    np.testing.assert_allclose(np.cov(draws.T), covariance, atol=0.05)


def test_moments_along_the_path_are_derivatives_of_log_z_that_end_at_the_known_values():
    target, base = mixture.target_and_base()
    betas, step = np.array([0.0, 0.1, 0.5, 1.0]), 1e-5
    around = [path_moments(target, base, betas + shift) for shift in (-step, 0.0, step)]
    np.testing.assert_allclose((around[2].log_z - around[0].log_z) / (2 * step), around[1].mean, rtol=1e-5)
    np.testing.assert_allclose((around[2].mean - around[0].mean) / (2 * step), around[1].variance, rtol=1e-5)
    assert around[1].log_z[[0, -1]] == pytest.approx([base.log_z, target.log_z], abs=1e-10)


def test_the_geometric_ladder_has_equal_ratios_of_precision():
    target, base = mixture.target_and_base()
    betas = mixture.ladder_of("geometric", 30, target, base)
    precision = betas / 0.5 + (1 - betas) / 30.0
    assert (betas[0], betas[-1]) == (0.0, 1.0)
    np.testing.assert_allclose(precision[1:] / precision[:-1], 60 ** (1 / 29))
    np.testing.assert_array_equal(mixture.ladder_of("linear", 5, target, base), np.linspace(0, 1, 5))


def independent_draws(betas, count, generator):
    """Draws of a path from N(0, 4 I) to N(0, I) that is Gaussian at every rung: exact, independent, at exact log Z."""
    target, base = GaussianMixture.centred(3, 1.0), GaussianMixture.centred(3, 4.0)
    precision = betas + (1 - betas) / 4.0
    rungs = generator.integers(betas.size, size=(2, count + 1))
    x = generator.standard_normal((2, count, 3)) / np.sqrt(precision[rungs[:, 1:]])[..., None]
    points = x.reshape(-1, 3)
    delta = (target.log_f(points) - base.log_f(points)).reshape(2, count)
    log_z = 1.5 * np.log(2 * np.pi / precision)
    prior, unread = np.full(betas.size, 1 / betas.size), [np.empty(0)] * 3
    draws = HamiltonianDraws(betas, prior, log_z - log_z[0], base.log_z, delta, rungs, *unread, True)
    return draws, target.log_z


def test_every_estimator_of_exact_draws_tends_to_its_limit():
    betas, replicates = np.linspace(0.0, 1.0, 6), 60
    generator = np.random.default_rng(2)
    result = {name: [] for name in mixture.ESTIMATORS}
    for _ in range(replicates):
        draws, exact = independent_draws(betas, 1000, generator)
        for name, value in mixture.estimates(draws, 1000).items():
            result[name].append(value)
    slope = -1.5 * 0.75 / (betas + (1 - betas) / 4.0)
    bend = 1.5 * (0.75 / (betas + (1 - betas) / 4.0)) ** 2
    start, widths = exact + 1.5 * np.log(4.0), np.diff(betas)
    trapezoid = start + 0.5 * (slope[1:] + slope[:-1]) @ widths
    limits = {"rts": exact, "mbar": exact, "ti-trapezoid": trapezoid, "ti-rb": trapezoid}
    limits |= {"ti-riemann": start + slope[1:] @ widths, "ti-corrected": trapezoid - np.diff(bend) @ widths**2 / 12}
    for name, values in result.items():
        error = np.std(values, ddof=1) / np.sqrt(replicates)
        assert abs(np.mean(values) - limits[name]) < 4 * error, name


TINY = {"chains": 4, "rungs": 12, "ladder": "geometric", "initial_draws": 50, "initial_iterations": 4}
TINY |= {"tuning": {"adaptation_draws": 50, "pilot_draws": 50, "pilot_iterations": 4}, "stream": STREAM}


@pytest.fixture(scope="module")
def estimators():
    return mixture.estimators({}, samples=[200, 400], replicates=3, **TINY)


@pytest.fixture(scope="module")
def steps():
    return mixture.steps({}, draws=300, replicates=4, **TINY)


def test_the_experiments_are_labelled_and_finite(estimators, steps):
    schema.check(estimators, "trace")
    schema.check(steps, "trace")
    assert estimators["log_z"].dims == ("estimator", "samples", "replicate")
    assert estimators["log_z"].shape == (6, 2, 3)
    assert steps["log_z"].dims == ("step_rule", "replicate")
    for name in ("log_z", "autocorrelation_time", "round_trip_rate"):
        assert np.isfinite(steps[name]).all()
    assert np.isfinite(estimators["log_z"]).all()
    assert float(estimators["exact_log_z"]) == pytest.approx(5 * np.log(np.pi))
    assert (estimators.attrs["ladder"], steps.attrs["draws"]) == ("geometric", 300)
    assert np.all((steps["trace"] >= 1) & (steps["trace"] <= 12))


def exact_value(axis):
    (line,) = [line for line in axis.get_lines() if line.get_color() == TRUTH and line.get_linestyle() == "--"]
    return line.get_ydata()[0]


def test_figure_2_shows_every_estimator_and_the_exact_value(estimators):
    names = {name: f"name of {name}" for name in mixture.ESTIMATORS}
    left, right = draw_estimators({"mixture": estimators}, names=names).axes
    by_label = {line.get_label(): line for line in left.get_lines()}
    assert set(by_label) == set(names.values())
    error = estimators["log_z"] - estimators["exact_log_z"]
    for name in mixture.ESTIMATORS:
        expected = np.sqrt((error.sel(estimator=name) ** 2).mean("replicate"))
        np.testing.assert_allclose(by_label[names[name]].get_ydata(), expected)
    assert exact_value(right) == pytest.approx(5 * np.log(np.pi))
    limits = {line.get_label(): line.get_ydata()[0] for line in right.get_lines() if "limit" in line.get_label()}
    assert limits["name of ti-riemann, limit"] == float(estimators["limit"].sel(estimator="ti-riemann"))


def test_figure_6_shows_traces_estimates_steps_and_acceptance(steps):
    fixed, adaptive, estimates, sizes, acceptance = draw_steps({"mixture": steps}).axes
    for axis, rule in ((fixed, "fixed"), (adaptive, "adaptive")):
        np.testing.assert_array_equal(axis.get_lines()[0].get_ydata(), steps["trace"].sel(step_rule=rule))
    assert exact_value(estimates) == pytest.approx(5 * np.log(np.pi))
    for axis, name in ((sizes, "step_size"), (acceptance, "acceptance")):
        for line, rule in zip(axis.get_lines(), mixture.STEP_RULES, strict=True):
            np.testing.assert_array_equal(line.get_ydata(), steps[name].sel(step_rule=rule))


def test_the_autocorrelation_time_is_that_of_a_known_process():
    generator = np.random.default_rng(4)
    values = np.zeros((50, 4000))
    for draw in range(1, 4000):
        values[:, draw] = 0.9 * values[:, draw - 1] + generator.standard_normal(50)
    assert mixture.autocorrelation_time(values) == pytest.approx(19.0, rel=0.05)
    assert mixture.autocorrelation_time(generator.standard_normal((50, 4000))) == pytest.approx(1.0, abs=0.05)
    assert mixture.autocorrelation_time(np.ones((2, 100))) == 100.0
    # Chains that stay apart never forget where they began.
    assert mixture.autocorrelation_time(np.repeat([[0.0], [1.0]], 100, axis=1)) > 30.0


def planted(scale):
    """Experiments in which one estimator, and the fixed step, are `scale` times as far off."""
    generator = np.random.default_rng(5)
    error = np.repeat(generator.standard_normal((1, 3, 400)), 4, axis=0)
    error[2] *= scale
    estimators = xr.Dataset({"log_z": (("estimator", "samples", "replicate"), 2.0 + error), "exact_log_z": 2.0})
    errors, times = generator.standard_normal((2, 400)), generator.uniform(9, 11, (2, 400))
    errors[0] *= scale
    times[0] *= scale
    cells = ("step_rule", "replicate")
    numbers = {"log_z": (cells, 2.0 + errors), "autocorrelation_time": (cells, times), "exact_log_z": 2.0}
    return estimators, xr.Dataset(numbers, coords={"step_rule": ["fixed", "adaptive"]})


@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_the_statistics_find_a_planted_ratio(scale):
    estimators, steps = planted(scale)
    same = estimator_statistics({"mixture": estimators})["same"]
    assert same.value == pytest.approx(scale)
    # Equal in all repeats up to rounding, which leaves no interval.
    assert np.isnan(same.low)
    for name, tolerance in (("mixing", 0.02), ("error", 0.15)):
        result = step_statistics({"mixture": steps})[name]
        assert result.value == pytest.approx(scale, rel=tolerance)
        assert result.low < result.value < result.high < 1.5 * scale and result.low > 0.7 * scale
