"""Right or refused: evidence from the modes of an unknown RBM, and `auto`, which stops when methods agree."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t
from twins import all_states, normal_rbm

from logzoo import RBM, estimate_log_z, exact_log_z
from logzoo.budgets import BudgetExceeded, SweepLedger
from logzoo.cli.estimating import BASES as NAMED
from logzoo.estimators import auto, evidence, rounds
from logzoo.estimators.basins import from_basins
from logzoo.estimators.estimator_registry import estimator
from logzoo.estimators.result import Estimate
from logzoo.io.netcdf import read_artifact, write_artifact
from logzoo.models.known.families import known
from logzoo.models.modes import Modes
from logzoo.samplers import base
from logzoo.samplers.annealed_from_modes import BasinDraws, kept_laws, run, unseen_share
from logzoo.samplers.base import BASES
from logzoo.streams import root_stream
from replication.evidence_artifact import as_dataset, from_dataset


def random_rbm(seed=0, scale=1.0, visible=12, hidden=9):
    return normal_rbm([19, seed], visible, hidden, scale)


def stated(log_z, std_error=0.05, reasons=(), **more):
    return Estimate(log_z=log_z, std_error=std_error, interval=(log_z - 0.1, log_z + 0.1), reasons=reasons, **more)


def log_z_of_basins(rbm, seed, sweeps=60, chains=60):
    ledger = SweepLedger(sweeps, chains)
    return from_basins(rbm, run(rbm, ledger, root_stream(seed)), ledger)


def test_masses_of_basins_add_up_to_z_without_bias():
    rbm = random_rbm(0)
    ratios = np.exp(np.array([log_z_of_basins(rbm, seed).log_z for seed in range(200)]) - exact_log_z(rbm))
    assert abs(ratios.mean() - 1.0) < 4.0 * ratios.std(ddof=1) / np.sqrt(ratios.size) < 0.01


def test_modes_far_apart_are_all_counted():
    rbm, log_z, _ = known("hopfield", visible=784, hidden=500)
    estimate = log_z_of_basins(rbm, 0, sweeps=300, chains=100)
    # One mode of two, or three of four, would be off by more than 0.2.
    assert estimate.converged and abs(estimate.log_z - log_z) < min(0.2, max(0.05, 4.0 * estimate.std_error))


def test_basins_state_no_error_below_what_their_chains_resolve():
    # Two modes with nothing between them: weights are equal to rounding.
    weights = 8.0 * np.ones((12, 8))
    rbm = RBM(weights, -weights.sum(axis=1) / 2, -weights.sum(axis=0) / 2)
    estimate = log_z_of_basins(rbm, 0)
    # 30 chains of either mode leave 1 / 62 of each half of Z unseen.
    assert estimate.diagnostics["basins"] == 2 and estimate.diagnostics["spread_error"] < 1e-3
    assert estimate.std_error == pytest.approx(np.sqrt(0.5) / 62.0, rel=1e-2)


def test_basins_converge_if_log_z_is_large():
    rbm = RBM(0.3 * random_rbm(0, visible=60).weights, np.repeat([40.0, 0.0], 30), np.zeros(9))
    estimate = log_z_of_basins(rbm, 0)
    assert estimate.converged and abs(estimate.log_z - exact_log_z(rbm)) < 4.0 * estimate.std_error < 0.1


def test_the_interval_of_basins_has_their_degrees_of_freedom():
    # Two basins of five chains, whose relative errors are equal and whose masses are as one to two.
    rbm, ledger = random_rbm(0), SweepLedger(1, 10)
    log_weight = np.add.outer(np.log([1.0, 2.0]), [0.0, 0.1, -0.2, 0.3, 0.1]).ravel()
    basin = np.repeat([0, 1], 5)
    draws = BasinDraws(log_weight, basin, basin, np.zeros((10, 12), np.float32), -100.0, 0.0)
    estimate = from_basins(rbm, draws, ledger)
    reach = np.ptp(estimate.interval) / (2.0 * estimate.std_error)
    assert reach == pytest.approx(t.ppf(0.975, 25.0 / 17.0 * 4.0))


def test_laws_that_chains_leave_for_a_better_one_do_not_stand_for_a_basin():
    start = np.repeat([0, 1, 2], 10)
    np.testing.assert_array_equal(kept_laws(start, start.copy(), 3), [0, 1, 2])
    np.testing.assert_array_equal(kept_laws(start, np.where(start == 2, 0, start), 3), [0, 1])
    # Laws 0 and 1 form a group, which the better law 0 represents.
    np.testing.assert_array_equal(kept_laws(start, np.where(start == 0, 1, start), 3), [0, 2])


def modes_found(*starts, bounds=None):
    bounds = -np.arange(len(starts), dtype=float) if bounds is None else np.array(bounds)
    return Modes(np.zeros((len(starts), 2)), np.zeros((len(starts), 2)), bounds, np.array(starts), 0, bounds[0])


def test_modes_that_were_seen_once_tell_of_those_that_were_not():
    assert unseen_share(modes_found(50, 50), 10) == 0.0
    assert unseen_share(modes_found(1, 50, bounds=[0.0, np.log(0.25)]), 10) == pytest.approx(0.8)
    assert unseen_share(modes_found(1, 1, 1), 10) == 1.0
    # More modes than laws, and modes of negligible mass.
    assert unseen_share(modes_found(50, 30, 20, bounds=[0.0, 0.0, np.log(0.5)]), 2) == pytest.approx(0.2)
    assert unseen_share(modes_found(50, 50, 1, bounds=[0.0, -1.0, -50.0]), 10) < 1e-20


@pytest.mark.parametrize("chains", [2, 3, 4])
def test_a_mode_that_few_chains_start_from_is_not_unseen(chains):
    assert run(random_rbm(0, 0.3), SweepLedger(1000, chains), root_stream(0)).unseen == 0.0


@pytest.fixture(scope="module")
def wide_narrow():
    """An RBM of two modes, one of which is hard to find, its log Z, and the evidence on it."""
    rbm, log_z, _ = known("wide-narrow", visible=300, hidden=200)
    return rbm, log_z, evidence.gather(rbm, root_stream(0))


def test_evidence_bounds_log_z_and_its_masses_lie_below_it_on_average():
    rbm = random_rbm(1, 1.5)
    log_z, gathered = exact_log_z(rbm), evidence.gather(rbm, root_stream(1))
    assert gathered.lower <= log_z <= gathered.upper
    assert all(mass < log_z + 4.0 * max(std_error, 0.01) for mass, std_error in gathered.masses)


def test_evidence_takes_the_sweeps_that_it_says_and_is_the_same_from_its_artifact(tmp_path):
    rbm, ledger = random_rbm(3), SweepLedger(None, 7)
    gathered = evidence.gather(rbm, root_stream(0), ledger)
    assert ledger.chain_sweeps == evidence.chain_sweeps_of(rbm.visible, rbm.hidden)
    origin = {"parameters": {}, "source": "", "inputs": {}, "seed_path": ""}
    write_artifact(as_dataset(gathered), tmp_path / "e.nc", kind="evidence", **origin)
    assert from_dataset(read_artifact(tmp_path / "e.nc", "evidence")) == gathered
    massless = gathered._replace(masses=())
    assert from_dataset(as_dataset(massless)) == massless


def test_parallel_tempering_is_asked_for_mass_only_where_its_replicas_travel(wide_narrow):
    rbm, log_z, _ = known("twins", visible=60, hidden=40)
    (*_, bridged), std_error = zip(*evidence.gather(rbm, root_stream(0)).masses, strict=True)
    assert len(std_error) == 4 and abs(bridged - log_z) < 4.0 * std_error[-1] < 1.0
    # Its rungs on either side of a first-order transition hold unlike modes: BAR is tens of nats too high.
    rbm, log_z, gathered = wide_narrow
    trusting = estimate_log_z(rbm, "bar", check=False, sweeps=300, chains=100)
    assert trusting.log_z > log_z + 10.0 and trusting.diagnostics["round_trips"] < 0.25
    assert all(mass < log_z + 4.0 * max(error, 0.01) for mass, error in gathered.masses)


def test_evidence_is_gathered_once_for_all_estimates_of_an_rbm(monkeypatch):
    gathered = []

    def counted(*_, **options):
        gathered.append(evidence.Evidence(lower=-np.inf, upper=100.0 + len(gathered), masses=()))
        return gathered[-1]

    monkeypatch.setattr(evidence, "gather", counted)
    monkeypatch.setattr(evidence, "_GATHERED", {})
    first, data = random_rbm(seed=71, visible=5, hidden=3), np.eye(3, 5, dtype=np.uint8)
    for method in ("ais", "rts"):
        estimate_log_z(first, method, sweeps=20, chains=4)
    assert len(gathered) == 1
    # Another seed, data, or parameters: not the same evidence.
    estimate_log_z(first, "ais", sweeps=20, chains=4, seed=1)
    estimate_log_z(first, "ais", sweeps=20, chains=4, data=data)
    estimate_log_z(random_rbm(seed=72, visible=5, hidden=3), "ais", sweeps=20, chains=4)
    assert len(gathered) == 4
    assert evidence.gathered_once(first, root_stream(0).child("evidence")) is gathered[0]


def test_an_estimate_that_evidence_refutes_says_why():
    gathered = evidence.Evidence(lower=10.0, upper=30.0, masses=((20.0, 0.1),))
    reasons = [evidence.weighed(stated(log_z), gathered).reasons for log_z in (9.0, 19.0, 19.9, 25.0, 31.0)]
    assert reasons == [("below-bound", "modes-hold-more"), ("modes-hold-more",), (), (), ("above-bound",)]
    # Rounding of the parameters may move an estimate without spread so far.
    assert not evidence.weighed(stated(9.9995, 0.0), gathered._replace(masses=())).reasons
    weighed = evidence.weighed(stated(19.0, reasons=("drift",)), gathered)
    assert (weighed.reasons, weighed.converged) == (("drift", "modes-hold-more"), False)
    assert weighed.bounds == (10.0, 30.0)


def test_a_mass_of_two_chains_is_too_uncertain_to_refute_an_estimate():
    unknown = evidence.Evidence(lower=-np.inf, upper=np.inf, masses=())
    for chains, reasons in ((2, ()), (100, ("modes-hold-more",))):
        annealed = stated(20.0, chains=chains, diagnostics={"spread_error": 0.1})
        assert evidence.weighed(stated(19.0), evidence.with_masses(unknown, [annealed])).reasons == reasons


def test_an_interval_beyond_a_bound_keeps_a_width():
    below, above = stated(9.8, bounds=(10.0, 30.0)), stated(30.2, bounds=(10.0, 30.0))
    assert evidence.cut(below).interval == (10.0, 10.05) and evidence.cut(below).log_z == 10.0
    assert evidence.cut(above).interval == (29.95, 30.0)
    # The interval does not reach beyond the other bound.
    assert evidence.cut(stated(9.8, bounds=(10.0, 10.01))).interval == (10.0, 10.01)


def test_states_that_were_seen_bound_log_z():
    rbm = random_rbm(0, 0.01, visible=6, hidden=3)
    gathered = evidence.gather(rbm, root_stream(0), data=all_states(6).astype(np.uint8))
    assert gathered.lower == pytest.approx(exact_log_z(rbm), abs=1e-9)


@pytest.mark.parametrize("method", ["ais", "bar"])
def test_a_mode_that_a_method_misses_is_found_by_others(method, wide_narrow, monkeypatch):
    rbm, log_z, gathered = wide_narrow
    settings = {"sweeps": 300, "chains": 40, "base": "matched"}
    # The evidence is gathered once, because it takes ten times as long as the checks.
    monkeypatch.setattr(evidence, "gathered_once", lambda *_, **options: gathered)
    trusting = estimate_log_z(rbm, method, check=False, **settings)
    checked = estimate_log_z(rbm, method, **settings)
    # The run is the same, but the silently wrong estimate no longer counts as converged.
    assert checked.log_z == trusting.log_z and abs(checked.log_z - log_z) > 0.5 and not checked.converged


@pytest.mark.parametrize("name", [*NAMED, None])
def test_a_base_by_name_leads_to_log_z(name):
    assert tuple(BASES) == NAMED
    rbm = random_rbm(1, 0.7)
    estimate = estimate_log_z(rbm, "ais", sweeps=500, chains=60, base=name, check=False)
    assert abs(estimate.log_z - exact_log_z(rbm)) < 4.0 * estimate.std_error and estimate.sweeps == 500


@pytest.mark.parametrize(("method", "scale", "cut"), [("rts", 2.0, True), ("tap", 2.0, True), ("tap", 0.3, False)])
def test_intervals_are_cut_at_rigorous_bounds_and_stay_otherwise(method, scale, cut):
    rbm, settings = random_rbm(1, scale, visible=8, hidden=5), {"sweeps": 20, "chains": 2, "seed": 1}
    plain, result = (estimate_log_z(rbm, method, check=check, **settings) for check in (False, True))
    (low, high), (least, most) = result.interval, result.bounds
    assert least - 1e-9 <= low <= result.log_z <= high <= most + 1e-9
    assert least - 1e-9 <= exact_log_z(rbm) <= most + 1e-9
    assert (plain.interval[0] < least or plain.interval[1] > most) == cut
    assert (result.interval != plain.interval) == cut


def auto_of(rbm, **settings):
    return estimate_log_z(rbm, **{"enumerable": 0, "tolerance": 0.2, "sweeps": 30_000, "threads": 1, **settings})


def test_auto_is_right_to_the_tolerance():
    rbm = random_rbm(2, 2.0, visible=30, hidden=10)
    estimate = auto_of(rbm, seed=2)
    assert estimate.converged and np.ptp(estimate.interval) <= 0.4 + 1e-9, estimate
    assert abs(estimate.log_z - exact_log_z(rbm)) < 0.2 and len(estimate.rests_on) >= 2 and estimate.method == "auto"
    assert estimate.bounds[0] <= exact_log_z(rbm) <= estimate.bounds[1]


def run_of(method, sweeps, log_z, half_width, reasons=()):
    budget = {"method": method, "sweeps": sweeps, "chains": 9}
    return replace(stated(log_z, 1.0, reasons, **budget), interval=(log_z - half_width, log_z + half_width))


def test_a_lucky_error_of_one_round_is_steadied_by_those_before():
    # Twice the sweeps, the same spread: an error of 0.1 after 1000 is one of 0.1 / sqrt(2) after 2000.
    before = rounds.round_of([run_of("rts", 1000, 5.0, 0.196)], [])
    assert before.errors["rts"] == pytest.approx(0.1)
    lucky = rounds.round_of([run_of("rts", 2000, 5.0, 0.00196)], [before])
    assert lucky.errors["rts"] == pytest.approx(np.sqrt((0.1**2 * 1000 + 0.001**2 * 2000) / 2 / 2000))
    # The error of a run that is not converged, or of another method, is not used.
    unconverged = rounds.round_of([run_of("rts", 1000, 5.0, 9.8, reasons=("drift",))], [])
    assert rounds.round_of([run_of("rts", 2000, 5.0, 0.00196)], [unconverged]).errors["rts"] == pytest.approx(0.001)
    assert rounds.round_of([run_of("bar", 2000, 5.0, 0.00196)], [before]).errors["bar"] == pytest.approx(0.001)


def test_the_last_rounds_count_by_their_sweeps():
    first = rounds.round_of([run_of("rts", 1000, 5.0, 0.196)], [])
    second = rounds.round_of([run_of("rts", 3000, 6.0, 0.196 / np.sqrt(3.0))], [first])
    log_z, std_error = rounds.together([rounds.round_of([run_of("rts", 500, 99.0, 9.0)], []), first, second])
    assert log_z == pytest.approx(5.75)
    assert std_error == pytest.approx(0.1 / np.sqrt(4.0))
    unconverged = rounds.round_of([run_of("rts", 1000, 5.0, 0.196, reasons=("drift",))], [])
    assert rounds.together([unconverged, second])[0] == pytest.approx(6.0)


def test_a_dropped_method_comes_back_when_fewer_than_two_are_left():
    runs = [run_of("ais", 1000, 5.0, 9.8), run_of("basins", 1000, 5.0, 0.1, reasons=("modes-unseen",))]
    runs += [run_of("rts", 1000, 5.0, 0.1), run_of("bar", 1000, 5.0, 0.15)]
    first = rounds.round_of(runs, [])
    assert rounds.next_methods([first]) == ("rts", "bar")
    failed = [run_of("rts", 2000, 5.0, 0.1), run_of("bar", 2000, 5.0, 0.1, reasons=("few-exchanges",))]
    assert rounds.next_methods([first, rounds.round_of(failed, [first])]) == ("ais", "rts", "bar")
    # The second best method stays, even if its error is large. The best method comes first.
    apart = [run_of("ais", 1000, 5.0, 9.8), run_of("rts", 1000, 5.0, 0.1)]
    assert rounds.next_methods([rounds.round_of(apart, [])]) == ("rts", "ais")


def test_rounds_are_as_long_as_the_error_needs_and_end_when_the_budget_cannot_meet_it():
    runs = [run_of(name, 1000, 5.0, 0.98) for name in ("rts", "bar")]
    history = [rounds.round_of(runs, [])]
    assert rounds.next_sweeps(history, 10.0) == 2000 and rounds.next_sweeps(history, 0.1) == 4000
    for _ in range(2):
        history.append(rounds.round_of(runs, history))
    # Two methods, and three rounds that count.
    assert rounds.predicted_error(history, 1000) == pytest.approx(0.5 / np.sqrt(6.0))
    assert rounds.predicted_error(history, 4000) == pytest.approx(0.5 / np.sqrt(12.0))
    assert rounds.next_sweeps(history, 0.65) == 500 and rounds.next_sweeps(history, 0.4) == 4000
    missed = rounds.unsettled(history, 0.01)
    assert missed == ("tolerance-missed",)
    assert rounds.is_hopeless(history, missed, 0.01, 10_000) and not rounds.is_hopeless(history, missed, 0.4, 10_000)
    assert not rounds.is_hopeless(history, ("methods-disagree", *missed), 0.01, 10_000)


def test_errors_of_annealing_are_those_of_log_normal_weights():
    run = replace(run_of("ais", 1000, 5.0, 0.0), diagnostics={"spread_error": 0.1}, chains=100)
    # Log-weights of variance 2 and 0.5.
    before, after = (np.sqrt(np.expm1(variance) / 100) for variance in (2.0, 0.5))
    assert rounds.error_at(run, before, 4000) == pytest.approx(after)
    assert rounds.error_at(run_of("rts", 1000, 5.0, 0.0), 0.2, 4000) == pytest.approx(0.1)


def test_of_two_bases_the_one_that_finds_more_is_kept():
    def annealed(log_z, spread, half_width):
        return replace(run_of("ais", 1000, log_z, half_width), diagnostics={"spread_error": spread})

    assert auto._better([annealed(5.0, 0.1, 0.2), annealed(7.0, 0.5, 4.0)]) == 1
    assert auto._better([annealed(5.0, 0.1, 0.2), annealed(5.2, 0.5, 4.0)]) == 0


def test_rigorous_bounds_within_the_tolerance_are_an_answer_before_anything_is_sampled():
    generator = np.random.default_rng(0)
    rbm = RBM(-3.0 + 0.3 * generator.standard_normal((100, 64)), np.zeros(100), np.full(64, -6.4))
    estimate = estimate_log_z(rbm, tolerance=1.0)
    assert estimate.converged and estimate.rests_on == ("bounds",) and not estimate.assumes
    assert estimate.interval == estimate.bounds and estimate.sweeps <= 300


def test_auto_enumerates_where_that_is_cheap():
    rbm = random_rbm(0)
    estimate, exact = estimate_log_z(rbm), (exact_log_z(rbm), 0.0, 0, ("enumeration",))
    assert (estimate.log_z, estimate.std_error, estimate.sweeps, estimate.rests_on) == exact


def odd_models():
    """RBMs for which the mean of all methods lies below the rigorous bound: by rounding, or as most methods fail."""
    generator = np.random.default_rng(0)
    still = RBM(np.zeros((30, 22)), 3.0 * generator.standard_normal(30), 3.0 * generator.standard_normal(22))
    generator = np.random.default_rng(0)
    frozen = RBM(500.0 * generator.standard_normal((30, 10)), *map(generator.standard_normal, (30, 10)))
    return {"no weights": still, "frozen": frozen}


@pytest.mark.parametrize(("name", "rbm"), odd_models().items())
def test_auto_says_no_log_z_outside_of_its_interval_and_of_what_is_sure(name, rbm):
    estimate = estimate_log_z(rbm, enumerable=0, sweeps=20_000)
    low, high = estimate.interval
    assert low <= estimate.log_z <= high and min(estimate.bounds) <= low and high <= max(estimate.bounds)
    assert estimate.converged == (name != "frozen")
    assert low <= exact_log_z(rbm) * (1.0 + 1e-9) and exact_log_z(rbm) * (1.0 - 1e-9) <= high


@pytest.mark.parametrize("agreed", [True, False])
def test_a_round_ends_early_only_if_all_methods_agreed_before(agreed, monkeypatch):
    rbm, calls = random_rbm(3, visible=30, hidden=10), []
    half_widths = {"rts": 1.0, "bar": 1.2, "ais": 1.4, "basins": 9.0}

    def fake(method):
        def run(rbm, ledger, stream, options):
            off = 0.0 if agreed or method in calls else {"rts": 1.3, "bar": -1.7}.get(method, 0.0)
            calls.append(method)
            half_width = half_widths[method] * np.sqrt(1000 / ledger.sweeps)
            return run_of(method, ledger.sweeps, exact_log_z(rbm) + off, half_width)

        return run

    monkeypatch.setattr(auto, "estimator", fake)
    estimate = auto_of(rbm, base="visible-bias", tolerance=0.7)
    last = ("rts", "bar") if agreed else ("rts", "bar", "ais")
    assert estimate.converged and estimate.rests_on == last
    assert calls == ["ais", "basins", "rts", "bar", *last]


def test_auto_refuses_when_the_budget_is_spent_and_gives_the_hull():
    rbm, log_z, _ = known("planar-glass", rows=12, columns=12, scale=2.0)
    estimate = auto_of(rbm, sweeps=14_000)
    low, high = estimate.interval
    assert not estimate.converged and "tolerance-missed" in estimate.reasons and high - low > 1.0
    # Basins alone have an error of 1e10 nats here.
    assert estimate.bounds[0] <= low < log_z < high <= estimate.bounds[1]


def test_auto_refuses_when_a_method_has_a_bug(monkeypatch):
    rbm = random_rbm(4, visible=30, hidden=10)
    # Weights two percent off, in one method.
    off = RBM(1.02 * rbm.weights, rbm.visible_bias, rbm.hidden_bias)

    def tampered(method):
        run = estimator(method)
        return (lambda model, *rest: run(off, *rest)) if method == "ais" else run

    monkeypatch.setattr(auto, "estimator", tampered)
    estimate = auto_of(rbm, tolerance=0.05)
    assert not estimate.converged
    assert {"methods-disagree", "modes-hold-more", "one-method-alone"} & {*estimate.reasons}


def test_auto_refuses_when_the_search_misses_a_mode(monkeypatch):
    rbm, log_z, _ = known("twins", visible=100, hidden=60)
    search = base.find_modes

    def blinded(*arguments, **options):
        modes = search(*arguments, **options)
        return type(modes)(*(each[:1] for each in modes[:4]), modes.steps, modes.bounds[0])

    monkeypatch.setattr(base, "find_modes", blinded)
    estimate = auto_of(rbm)
    assert not estimate.converged and "modes-hold-more" in estimate.reasons
    assert estimate.interval[0] < log_z < estimate.interval[1]


def test_auto_goes_on_from_a_checkpoint_to_the_same_bits(tmp_path, monkeypatch):
    rbm, path = random_rbm(3, visible=30, hidden=10), tmp_path / "auto.npz"
    expected = auto_of(rbm)
    monkeypatch.setattr("logzoo.io.checkpoints._SECONDS", 0.0)
    calls = []

    def interrupted(method):
        calls.append(method)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return estimator(method)

    monkeypatch.setattr(auto, "estimator", interrupted)
    with pytest.raises(KeyboardInterrupt):
        auto_of(rbm, checkpoint=path, threads=2)
    assert path.exists() and len(calls) == 6
    assert auto_of(rbm, checkpoint=path, progress=True, threads=2, tolerance=np.float64(0.2)) == expected
    assert len(calls) <= 6 + 4
    with pytest.raises(ValueError, match="checkpoint: expected method auto"):
        estimate_log_z(rbm, "ais", checkpoint=path)


def test_auto_spends_no_more_than_it_may():
    rbm = random_rbm(3, visible=30, hidden=10)
    for chains, least in ((2, 389_300), (100, 12_980)):
        with pytest.raises(BudgetExceeded, match=f"^sweeps: expected at least {least:,} for each of {chains} chains"):
            auto_of(rbm, sweeps=least - 1, chains=chains)
        assert auto.default_sweeps(rbm, chains) > least
    off = {"constant_values": -60.0}
    wide = RBM(np.pad(rbm.weights, ((0, 700), (0, 0))), np.pad(rbm.visible_bias, (0, 700), **off), rbm.hidden_bias)
    assert auto.default_sweeps(wide, 2) == auto.default_sweeps(rbm, 2)
    assert auto_of(rbm, sweeps=12_980).sweeps <= 12_980
    assert auto_of(rbm, sweeps=14_000, tolerance=1e-3).sweeps <= 14_000


def test_the_base_of_modes_has_their_mean_or_is_almost_certain():
    means = np.array([[0.2, 0.9, 0.0], [0.4, 0.7, 0.0]])
    log_odds = base.base_of_modes(Modes(means, np.zeros((2, 1)), np.zeros(2), np.ones(2, int), 1, 0.0))
    np.testing.assert_allclose(1.0 / (1.0 + np.exp(-log_odds)), [0.3, 0.8, 1e-6], rtol=0.1)  # smoothed
