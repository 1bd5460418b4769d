"""One contract for every trainer, the exact gradient, and training on a small data set."""

import itertools
import math
import warnings

import numpy as np
import pytest
import twins

from logzoo.budgets import SweepLedger
from logzoo.kernels import gradients as grey
from logzoo.kernels.fixed_point import new_chains
from logzoo.kernels.gradients import add_statistics, put_statistics
from logzoo.models.exact_sums import exact_expectations, exact_log_z
from logzoo.models.rbm import RBM
from logzoo.paths import kernel_parameters, prior_weights
from logzoo.samplers.replicas import ParallelTempering
from logzoo.streams import root_stream
from logzoo.training.loop import TrainingRun, rate_at
from logzoo.training.spectral import SimulatedTemperingPhase
from logzoo.training.trackers import RtsTracker
from logzoo.training.trainers import TRAINERS, train_rbm, trainer_module

NAMES = sorted(TRAINERS)
SWAPPED = ("pt", "ins", "pins")
SIMULATED = ("rms-spectral", "rmsprop")
# Options that keep trainings small, and numbers of chains, with ten or five temperatures and a mini-batch of 7.
SIZES = {name: {"particles": 20, "rungs": 5} for name in SIMULATED} | {"lvs": {"warm_up": 2}}
CHAINS = {"sml-pt": 7 * 10, "sml-apt": 7 * 10, **dict.fromkeys(SWAPPED, 7 * 5), **dict.fromkeys(SIMULATED, 20)}
CHAINS["exact"] = 0
INITIAL_SWEEPS = dict.fromkeys(SIMULATED, 10 * 50)
TRACED = {"learning_rate", "log_f_data", "chain_sweeps"}
PARTS = ("weights", "visible_bias", "hidden_bias")


def bars():
    """The 14 patterns of rows or columns of 3 x 3 pixels."""
    patterns = list(itertools.product((0, 1), repeat=3))
    return np.unique([np.repeat(p, 3) for p in patterns] + [np.tile(p, 3) for p in patterns], axis=0)


def trained(method, *, data=None, **settings):
    """A short training run on the bars; `exact` makes no sweeps, so it takes no `k`."""
    settings = {"hidden": 4, "updates": 30, "batch": 7, **SIZES.get(method, {}), **settings}
    if method == "exact":
        settings.pop("k", None)
    return train_rbm(bars() if data is None else data, method, **settings)


@pytest.mark.parametrize("method", NAMES)
def test_every_trainer_keeps_the_contract(method):
    assert trainer_module(method).startswith("logzoo.training.")
    run = trained(method, updates=250, k=2, learning_rate=0.1)
    assert isinstance(run, TrainingRun) and isinstance(run.rbm, RBM)
    assert (run.rbm.visible, run.rbm.hidden) == (9, 4)
    assert set(run.trace.data_vars) >= TRACED
    assert ("log_f_particles" in run.trace) == (method != "exact")
    assert all({"long_name", "units"} <= set(variable.attrs) for variable in run.trace.variables.values())
    known = run.trace.drop_vars("log_f_particles") if method == "lvs" else run.trace
    assert all(np.isfinite(variable).all() for variable in known.data_vars.values())
    update = run.trace["update"].values
    assert (update[0], update[-1]) == (0, 249) and np.all(np.diff(update) > 0) and update.size >= 100
    sweeps = INITIAL_SWEEPS.get(method, 0) + (update + 1) * 2
    if method == "lvs":
        # Lengths of tours are random. A stopping set costs as many sweeps as there are examples.
        tours = update >= 2 * 2
        np.testing.assert_array_equal(np.isnan(run.trace["log_f_particles"]), tours)
        spent = run.trace["chain_sweeps"].values
        np.testing.assert_array_equal(spent[~tours], sweeps[~tours] * 7)
        assert np.all((np.diff(spent[tours]) >= 7) & (np.diff(spent[tours]) <= 7 * 2 * 2 + 14 * 2))
    else:
        np.testing.assert_array_equal(run.trace["chain_sweeps"], sweeps * CHAINS.get(method, 7))
    np.testing.assert_array_equal(run.trace["learning_rate"], 0.1)


def test_another_seed_gives_another_training():
    first, other = (trained("pcd", seed=seed).rbm for seed in (3, 4))
    assert not np.array_equal(first.weights, other.weights)


@pytest.mark.parametrize("method", NAMES)
def test_a_training_that_diverges_is_one_line_and_names_the_learning_rate(method):
    with warnings.catch_warnings(action="error"), pytest.raises(ValueError, match="learning_rate.*diverged") as caught:
        trained(method, learning_rate=1e300)
    assert "\n" not in str(caught.value)


def test_schedules_are_constant_inverse_linear_or_by_epochs():
    assert [rate_at(update, 4, 0.2, "constant", 3.0) for update in range(4)] == [0.2] * 4
    inverse = [rate_at(update, 9, 0.2, "inverse", 3.0) for update in (0, 2, 3, 8)]
    assert inverse == pytest.approx([0.2, 0.2, 0.15, 0.2 / 3])
    linear = [rate_at(update, 4, 0.2, "linear", 3.0) for update in range(4)]
    assert linear == pytest.approx([0.2, 0.15, 0.1, 0.05])
    epochs = [rate_at(update, 99, 0.6, "epochs", 3.0, per_epoch=5) for update in (0, 4, 49, 50, 99, 100, 495, 499, 500)]
    assert epochs == pytest.approx([0.6, 0.6, 0.6, 0.3, 0.3, 0.2, 0.06, 0.06, 0.6 / 11])


def test_the_trace_records_the_schedule():
    inverse, linear = [0.2, *(0.4 / np.arange(2, 11))], 0.2 * (1 - np.arange(10) / 10)
    for expected, settings in ((linear, {"schedule": "linear"}), (inverse, {"schedule": "inverse", "alpha": 2.0})):
        run = trained("pcd", updates=10, learning_rate=0.2, **settings)
        np.testing.assert_allclose(run.trace["learning_rate"], expected)


def test_visible_biases_start_at_the_log_odds_of_the_data_and_weights_small():
    data = np.zeros((1000, 5), int)
    data[:700, 1] = data[:, 2] = data[::2, 3] = 1
    rbm = trained("cd", data=data, hidden=400, updates=1, learning_rate=1e-12).rbm
    # Pseudo-counts of a hundredth keep the log-odds of constant units finite.
    log_odds = [-math.log(101), math.log(0.71 / 0.31), math.log(101), 0.0, -math.log(101)]
    np.testing.assert_allclose(rbm.visible_bias, log_odds, atol=1e-5)
    assert rbm.weights.std() == pytest.approx(0.01, rel=4 / math.sqrt(2 * 2000))
    np.testing.assert_allclose(rbm.hidden_bias, 0.0, atol=1e-6)


def test_all_parameters_start_small_if_asked_to():
    data = np.repeat([[0, 1]], 50, axis=0)
    rbm = trained("cd", data=np.tile(data, 200), hidden=400, updates=1, learning_rate=1e-12, initial="small").rbm
    for values in (rbm.weights, rbm.visible_bias, rbm.hidden_bias):
        assert values.std() == pytest.approx(0.01, rel=4 / math.sqrt(2 * values.size))


def small_rbm():
    return twins.normal_rbm(12, 4, 3)


def parameters_of(rbm):
    """Kernel parameters, the base uniform."""
    return kernel_parameters(rbm, np.zeros(rbm.visible))


def probabilities(chains, parameters):
    """p(h | v) of every chain (chains, H)."""
    p = np.empty(chains.h.shape, np.float32)
    grey.probabilities(chains.hidden_input, parameters.unit, p)
    return p


def test_statistics_equal_numpy():
    rbm, generator = small_rbm(), np.random.default_rng(0)
    chains = new_chains(50, 4, 3)
    chains.v[...] = generator.integers(0, 2, (50, 4))
    twins.refresh_inputs(parameters_of(rbm), chains)
    exact = 1 / (1 + np.exp(-(chains.v @ rbm.weights + rbm.hidden_bias)))
    np.testing.assert_allclose(probabilities(chains, parameters_of(rbm)), exact, rtol=1e-6)
    gradient = [np.ones(shape, np.float32) for shape in ((4, 3), 4, 3)]
    add_statistics(parameters_of(rbm), chains, np.full(50, -0.02, np.float32), *gradient)
    expected = (chains.v.T @ exact, chains.v.sum(axis=0), exact.sum(axis=0))
    for result, sums in zip(gradient, expected, strict=True):
        np.testing.assert_allclose(result, 1 - 0.02 * sums, atol=2e-6)


@pytest.mark.parametrize(("near", "far"), [(1, 1), (50, 150), (64, 30)])
def test_statistics_of_two_phases_at_once_are_those_of_one_after_the_other(near, far):
    rbm, generator = small_rbm(), np.random.default_rng(3)
    phases = []
    for count in (near, far):
        chains = new_chains(count, 4, 3)
        chains.v[...] = generator.integers(0, 2, (count, 4))
        twins.refresh_inputs(parameters_of(rbm), chains)
        factors = generator.standard_normal(count).astype(np.float32)
        phases.append((chains, np.where(generator.random(count) < 0.2, np.float32(0.0), factors)))
    # NaN would stay in a sum that is added to instead of overwritten.
    result, expected = ([np.full(shape, value, np.float32) for shape in ((4, 3), 4, 3)] for value in (np.nan, 0.0))
    put_statistics(parameters_of(rbm), *phases[0], *phases[1], *result)
    add_statistics(parameters_of(rbm), *phases[0], *expected)
    add_statistics(parameters_of(rbm), *phases[1], *expected)
    for first, other in zip(result, expected, strict=True):
        np.testing.assert_array_equal(first, other)
        assert near == 1 or np.all(first != 0.0)


@pytest.mark.parametrize("logit", [0.0, 5.0, -50.0, 1e4, -1e4])
def test_hidden_probabilities_do_not_overflow(logit):
    rbm = RBM(np.zeros((1, 1)), np.zeros(1), np.full(1, logit))
    chains = new_chains(1, 1, 1)
    twins.refresh_inputs(parameters_of(rbm), chains)
    p = probabilities(chains, parameters_of(rbm))
    # 2**-24 |logit| is the rounding of logit / log(2); below 2**-125 the probability stays at that.
    precision = 3e-7 + 2.0**-24 * abs(logit)
    assert p[0, 0] == pytest.approx(1 / (1 + math.exp(min(-logit, 700))), rel=precision, abs=3e-38)


def z_scores(v, p, rbm):
    """Distance of the particles' statistics from the exact expectations, in standard errors, all in one array."""
    columns = np.concatenate([(v[:, :, None] * p[:, None, :]).reshape(len(v), -1), v, p], axis=1)
    exact = np.concatenate([target.ravel() for target in twins.expectations(rbm)])
    return (columns.mean(axis=0) - exact) / (columns.std(axis=0) / math.sqrt(len(v)))


STILL = RBM(np.zeros((9, 4)), np.zeros(9), np.zeros(4))
LOOKS = {"pairs": {"all_pairs": True}, "rungs": {"all_rungs": True}, "both": {"all_pairs": True, "all_rungs": True}}


@pytest.mark.parametrize("rungs", [2, 6])
@pytest.mark.parametrize("look", [{}, *LOOKS.values()], ids=["exchanges", *LOOKS])
def test_log_f_is_handed_over_where_it_was_looked_at_and_changes_nothing(look, rungs):
    rbm = small_rbm()
    parameters, log_odds = parameters_of(rbm), rbm.visible_bias
    parameters = parameters._replace(base=parameters.visible_bias)
    plain, looking = (ParallelTempering(np.uint64(94), 50, np.linspace(0.0, 1.0, rungs)) for _ in range(2))
    for update in range(3):
        for particles in (plain, looking):
            particles.load(parameters)
        at_rung = looking.replicas.rung.copy()
        sweeps = 1 + 2 * update, 3 + 2 * update
        plain.move(*sweeps)
        exchanges = looking.move(*sweeps, **look)
    np.testing.assert_array_equal(plain.chains.v, looking.chains.v)
    for first, other in zip(plain.replicas, looking.replicas, strict=True):
        np.testing.assert_array_equal(first, other)
    np.testing.assert_array_equal(plain.accepted, looking.accepted)
    assert not np.array_equal(at_rung, looking.replicas.rung)
    result = exchanges.log_f.reshape(-1, rungs)
    seen, v = np.isfinite(result), looking.chains.v.astype(float)
    exact = np.array([twins.log_f_marginal(rbm, log_odds, v, beta) for beta in looking.betas.astype(float)]).T
    np.testing.assert_allclose(result[seen], exact[seen], atol=1e-4)
    if look:
        np.testing.assert_array_equal(looking.own_log_f(exchanges), looking.log_f())
        assert np.isfinite(exchanges.up[:, -1]).all() or "all_pairs" not in look
        assert seen.all() or "all_rungs" not in look
    else:
        # After sweep 6 pairs 1, 3, ... exchange; log f is not computed for a rung without a partner.
        tried = (rungs - 1) // 2
        assert (seen.sum(), np.isfinite(exchanges.up[:, -1]).sum()) == (50 * 2 * 2 * tried, 50 * tried)


def test_simulated_particles_weigh_as_the_model_and_know_its_log_z():
    first, second = small_rbm(), RBM(-small_rbm().weights, small_rbm().visible_bias, small_rbm().hidden_bias)
    betas, tracker = np.linspace(0.0, 1.0, 10), RtsTracker(0.5)
    prior = prior_weights(2.0, betas)
    phase = SimulatedTemperingPhase(root_stream(7), 5, SweepLedger(None, 2000), betas, prior, np.zeros(4), tracker)
    phase(parameters_of(first), 0, None, 0.1)
    for update in range(1, 8):
        chains, weights = phase(parameters_of(second), update, None, 0.1)
    assert phase.spent == (10 * 50 + 8 * 5) * 2000
    assert weights.sum() == pytest.approx(1.0)
    assert tracker.reading["log_z"] == pytest.approx(exact_log_z(second), abs=0.05)
    v, p = chains.v.astype(float), probabilities(chains, parameters_of(second)).astype(float)
    chosen = np.random.default_rng(0).choice(len(v), 1000, p=weights)
    assert np.abs(z_scores(v[chosen], p[chosen], second)).max() < 4
    # Without the weights they are those of all inverse temperatures together.
    assert np.abs(z_scores(v, p, second)).max() > 8


@pytest.mark.parametrize(
    ("method", "settings", "match"),
    [
        ("pcd", {"wrung": 1}, "pcd: unknown option 'wrung'.*expected one of .*schedule"),
        ("cd", {"batch": 10**12}, "batch: expected at most 14"),
        ("pcd", {"updates": 0}, "updates"),
        ("rms-spectral", {"learning_rate": math.nan}, "learning_rate"),
        ("pcd", {"schedule": "steep"}, "schedule"),
        ("pcd", {"schedule": "inverse", "alpha": -1.0}, "alpha"),
        ("rms-spectral", {"data": np.full((20, 9), 0.5)}, "data: .*zeros and ones"),
        ("ins", {"temperatures": [2.0, 1.0]}, "temperatures: expected numbers that increase from 1"),
        ("pt", {"temperatures": []}, "temperatures"),
        ("ins", {"temperatures": list(range(1, 22))}, "group: expected at most 20"),
        ("pins", {"group": 1}, "group"),
        ("ins", {"density": "conditional"}, "density: .*joint, marginal"),
        ("sml-pt", {"rungs": 1}, "rungs"),
        ("sml-pt", {"particles": 0}, "particles"),
        ("sml-pt", {"ladder": [0.0, 0.5, 0.9]}, "ladder"),
        ("sml-pt", {"base": "somewhere"}, "base: .*data, visible-bias"),
        ("cd", {"initial": "large"}, "initial: .*marginals"),
        ("exact", {"data": np.eye(21, dtype=int), "hidden": 30}, "hidden: .* at most 20 .*smaller layer, found 21"),
        ("exact", {"particles": 3}, "exact: unknown option 'particles'"),
        ("magic", {}, "method: .*'magic'.*cd.*pcd"),
        *((method, {"k": 0}, "k: ") for method in ("pcd", "rms-spectral")),
        ("pcd", {"walkers": 7}, "walkers: .*at least 8, found 7"),
        ("sml-pt", {"walkers": 10, "tracker": "rts"}, "walkers: expected 0 .*found 10"),
        ("exact", {"walkers": 10}, "walkers: expected 0"),
        ("sml-pt", {"tracker": "magic"}, "tracker: "),
        ("pcd", {"tracker": "kalman"}, "pcd: .*'tracker'"),
        ("sml-pt", {"tracker": "kalman", "patience": 10}, "patience: expected validation"),
        ("sml-pt", {"validation": bars()}, "validation: expected a tracker"),
        ("sml-pt", {"tracker": "kalman", "validation": bars()[:, :5]}, "validation: expected 9 columns"),
        ("sml-pt", {"tracker": "kalman", "validation": bars(), "patience": 0}, "patience"),
        (
            "sml-pt",
            {"tracker": "rts", "validation": bars(), "patience": 9, "start": STILL},
            "patience: expected walkers",
        ),
        ("rmsprop", {"smoothing": 2}, "smoothing"),
        ("sml-apt", {"ladder_rate": 1.0}, "ladder_rate"),
        ("sml-pt", {"every": 0}, "every"),
        ("sml-pt", {"weight_decay": -0.1}, "weight_decay"),
        ("sml-pt", {"start": "model.nc"}, "start: expected an RBM, found str"),
        ("sml-pt", {"start": RBM(np.zeros((9, 3)), np.zeros(9), np.zeros(3))}, "start: .*9 visible and 4"),
        ("lvs", {"warm_up": -1}, "warm_up"),
        ("lvs", {"values": "colour"}, "values: .*'colour'.*binary, grey"),
        ("cd", {"values": "grey", "data": np.full((20, 6), 1.5)}, "data: .*from 0 to 1"),
    ],
)
def test_impossible_settings_are_refused_in_one_line(method, settings, match):
    with pytest.raises(ValueError, match=f"^{match}") as caught:
        trained(method, **settings)
    assert "\n" not in str(caught.value)


def test_exact_gradients_know_log_z():
    run = trained("exact", hidden=9, updates=40, learning_rate=0.2, snapshots=2)
    for update in run.snapshots["update"].values:
        exact = exact_log_z(RBM.from_dataset(run.snapshots.sel(update=update)))
        assert float(run.trace["log_z"].sel(update=update)) == pytest.approx(exact, abs=1e-5)


@pytest.mark.parametrize(("visible", "hidden"), [(4, 3), (3, 5), (1, 1)])
@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_exact_expectations_equal_those_over_all_pairs(visible, hidden, scale):
    generator = np.random.default_rng([visible, hidden])
    rbm = RBM(*(scale * generator.standard_normal(shape) for shape in ((visible, hidden), visible, hidden)))
    result = exact_expectations(rbm.weights, rbm.visible_bias, rbm.hidden_bias)
    assert result.log_z == pytest.approx(twins.brute_log_z(rbm), rel=1e-12)
    for first, other in zip(result[1:], twins.expectations(rbm), strict=True):
        np.testing.assert_allclose(first, other, atol=1e-10)


@pytest.mark.parametrize("method", ["pcd", "pins"])
def test_an_update_with_persistent_particles_moves_along_the_exact_gradient(method):
    data = np.repeat([[1, 1, 1, 1], [0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 0, 1]], 10, axis=0)
    settings = {"data": data, "hidden": 3, "batch": 40, "particles": 8000, "k": 5, "seed": 5, "learning_rate": 4.0}
    settings |= {"temperatures": [1.0, 3.0]} if method == "pins" else {}
    # The last of 24 updates, made when the hidden units have just learned to differ; the first 20 are exact.
    exact = {name: settings[name] for name in ("data", "hidden", "batch", "learning_rate")}
    start = trained("exact", **exact, updates=20).rbm
    snapshots = trained(method, **settings, start=start, updates=5, snapshots=5).snapshots
    before, after = (RBM.from_dataset(snapshots.sel(update=update)) for update in (3, 4))
    p = 1 / (1 + np.exp(-(data @ before.weights + before.hidden_bias)))
    positive = (data.T @ p / 40, data.mean(axis=0), p.mean(axis=0))
    # Four standard errors of a mean of numbers between 0 and 1, and particles that lag a little.
    tolerance = 4 * 0.5 / math.sqrt(8000) + 0.005
    for name, data_part, model_part in zip(PARTS, positive, twins.expectations(before), strict=True):
        step = (getattr(after, name) - getattr(before, name)) / 4.0
        assert np.max(np.abs(step - (data_part - model_part))) < tolerance
        assert name != "weights" or np.max(np.abs(step)) > 2 * tolerance


@pytest.mark.parametrize("method", ["lvs", "rms-spectral"])
def test_training_learns_the_bars(method):
    data = np.tile(bars(), (10, 1))
    # The length of a step of these two is their rate, for any gradient.
    rate = 0.02 if method in SIMULATED else 0.25
    run = trained(method, data=data, hidden=10, updates=1500, batch=70, learning_rate=rate)
    # The best possible is -log 14 = -2.64, independent units reach -9 log 2 = -6.24.
    assert -4.4 < run.rbm.log_likelihood(bars(), exact_log_z(run.rbm)).mean() < -math.log(14)
    start = trained(method, data=data, hidden=10, updates=1, batch=70, learning_rate=1e-12).rbm
    assert start.log_likelihood(bars(), exact_log_z(start)).mean() == pytest.approx(-9 * math.log(2), abs=0.05)
