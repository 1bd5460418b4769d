"""One contract for every estimator, and their accuracy on models whose log Z is known."""

import math
import sys
from functools import partial
from io import StringIO
from types import SimpleNamespace

import numpy as np
import pytest
from drills import intervals
from twins import normal_rbm, two_modes

from logzoo import RBM, estimate_log_z, exact_log_z, train_rbm
from logzoo.budgets import BudgetExceeded, SweepLedger
from logzoo.estimators import evidence
from logzoo.estimators.estimator_registry import ESTIMATORS, estimator, takes
from logzoo.estimators.result import DIAGNOSTICS, Estimate
from logzoo.streams import root_stream

NAMES = sorted(ESTIMATORS)


def random_rbm(seed):
    """At most 20 visible and 12 hidden units, weights and biases up to +-3."""
    generator = np.random.default_rng([2024, seed])
    visible, hidden = generator.integers(2, 21), generator.integers(1, 13)
    return RBM(*(generator.uniform(-3.0, 3.0, shape) for shape in ((visible, hidden), visible, hidden)))


# Options that leave enough independent parts for Student's quantiles to be near those of a normal.
ROWS = {"vectors": 40, "data": np.tile(np.eye(random_rbm(1).visible, dtype=np.uint8), (40, 1))[:40]}
MANY_PARTS = {"bar": {"rungs": 8}, "pt-mbar": {"rungs": 8}, "raise": ROWS, "smc": {"islands": 50}}
MANY_PARTS |= {"trajectory": {"rungs": 8}, "trajectory-raise": ROWS}


def estimated(method, seed=0, *, sweeps=400, chains=20, rbm=None, **options):
    """An estimate and the ledger that paid for it."""
    ledger = SweepLedger(sweeps, chains)
    rbm = random_rbm(1) if rbm is None else rbm
    data = {"data": np.eye(2, rbm.visible, dtype=np.uint8)} if takes(method, "data") else {}
    return estimator(method)(rbm, ledger, root_stream(seed).child("test"), data | options), ledger


@pytest.mark.parametrize("method", NAMES)
@pytest.mark.parametrize("sweeps", [1, 3, 400])
def test_every_estimator_keeps_the_contract(method, sweeps):
    result, ledger = estimated(method, sweeps=sweeps)
    assert isinstance(result, Estimate) and result.method == method and isinstance(result.converged, bool)
    numbers = result.log_z, result.std_error, *result.diagnostics.values()
    assert all(math.isfinite(value) and type(value) in (int, float) for value in numbers) and result.std_error >= 0.0
    low, high = result.interval
    assert math.isfinite(low) and math.isfinite(high) and low <= high
    assert result.sweeps == ledger.spent == sweeps and result.chains == 20
    assert set(result.diagnostics) <= set(DIAGNOSTICS)


@pytest.mark.parametrize("method", NAMES)
def test_intervals_contain_the_estimate_and_are_as_wide_as_the_standard_error_says(method):
    result, _ = estimated(method, chains=200, **MANY_PARTS.get(method, {}))
    low, high = result.interval
    assert low < result.log_z < high
    assert (high - low) / result.std_error == pytest.approx(2 * 1.96, rel=0.15)


HALVES, PRIORS = np.full((3, 8), 0.5), (np.inf, 1e6, True, "steep", [1.0, 2.0], [1.0, 2.0, 0.0, 1.0])
PRIORS += [1e-200, 1.0, 1.0, 1e200], [1e308] * 4
IMPOSSIBLE = [
    ("rts", {"wrung": 3}, "rts: unknown option 'wrung'.*expected one of .*base"),
    ("ais", {"stream": 3}, "ais: unknown option 'stream'; expected a seed"),
    *(("ais", {"base": [0.0]}, "base"), ("ais-moments", {"knots": 1}, "knots")),
    ("ais-moments", {"moments": 0.5, "fitting": 0.5}, "moments, fitting"),
    *(("bar", {"rungs": 1}, "rungs"), ("bar", {"rungs": 11}, "rungs: .* 10"), ("bar", {"ladder": "steep"}, "ladder")),
    *(("bar", {"ladder": [0.0, 1.0], "rungs": 3}, "ladder"), ("bar", {"base": [0.0]}, "base")),
    *(("bar", {"burn_in": 1.0}, "burn_in"), ("bar", {"burn_in": "long"}, "burn_in")),
    *(("las-vegas", {"cap": 0}, "cap"), ("las-vegas", {"data": None}, "data: .*0/1 matrix")),
    ("las-vegas", {"rounds": 150_000}, "rounds: .*200,000.* 150,?000"),
    *(("mbar", {"draws": 0}, "draws"), ("mbar", {"rungs": 3 * 10**6}, "rungs: .*20,000,000")),
    *(("raise", {"data": None}, "data: .*0/1 matrix"), ("raise", {"data": HALVES}, "data: .*zeros and ones")),
    ("raise", {"vectors": 11}, "vectors: .*at most 10"),
    *(("rts", {"form": "both"}, "form"), ("rts", {"rungs": 1}, "rungs"), ("rts", {"ladder": "steep"}, "ladder")),
    *(("rts", {"base": "flat"}, "base"), ("rts", {"initial_sweeps": 0}, "initial_sweeps")),
    *(("rts", {"initial_iterations": 0}, "initial_iterations"), ("rts", {"settling": 1.0}, "settling")),
    *(("rts", {"rungs": 4, "prior": prior}, "prior") for prior in PRIORS),
    *(("sams", {"groups": 1}, "groups"), ("sams", {"flatness": 0}, "flatness")),
    *(("smc", {"islands": 1}, "islands"), ("smc", {"resample": 1.0}, "resample"), ("smc", {"kept": 0}, "kept")),
    *(("wang-landau", {"flatness": 1.0}, "flatness"), ("wang-landau", {"prior": 2.0}, "wang-.*'prior'")),
]
# These are refused only when the run begins.
LATE = [
    *(("ais", {"ladder": [0.0, 1.0]}, "ladder"), ("raise", {"ladder": "steep"}, "ladder")),
    *(("las-vegas", {"tours": 0}, "tours"), ("las-vegas", {"tours": 190_000}, "tours: expected at most 1[0-9]{2},")),
    ("smc", {"kept": 30_000}, "kept: expected at most 1.* 30,?000"),
]


@pytest.mark.parametrize("method", ["rts", "bar", "ti-riemann", "trajectory"])
def test_a_budget_that_the_search_for_the_base_spends_is_refused(method):
    with pytest.raises(BudgetExceeded, match="^sweeps: .*raise sweeps"):
        estimator(method)(normal_rbm(1, 8, 5), SweepLedger(1, 500), root_stream(0), {})


@pytest.mark.parametrize(("method", "options", "match"), IMPOSSIBLE + LATE)
def test_impossible_options_are_refused_in_one_line_before_any_sweep(method, options, match):
    ledger = SweepLedger(20_000, 10)
    options = {"data": np.eye(2, 8)} | options if method in ("las-vegas", "raise") else options
    with pytest.raises(ValueError, match=f"^{match}") as caught:
        estimator(method)(normal_rbm(1, 8, 5), ledger, root_stream(0), options)
    assert "\n" not in str(caught.value)
    assert ledger.spent == 0 or match in [row[2] for row in LATE]


def test_one_chain_has_no_spread_and_is_refused():
    with pytest.raises(ValueError, match="chains: expected at least 2"):
        estimated("rts", chains=1)


def test_unknown_methods_are_refused_with_the_choices():
    with pytest.raises(ValueError, match="unknown value 'magic'.*ais.*rts"):
        estimate_log_z(random_rbm(1), "magic")
    for name, value in (("sweeps", 0), ("chains", 2.5), ("base", [0.0])):
        with pytest.raises(ValueError, match=f"^{name}: "):
            estimate_log_z(random_rbm(1), "ais", **{name: value})


def test_undeclared_diagnostics_and_infinite_results_are_refused():
    good = {"method": "x", "log_z": 1.0, "std_error": 0.1, "interval": (0.9, 1.1), "sweeps": 1, "chains": 2}
    assert Estimate(**good, reasons=()).diagnostics == {}
    with pytest.raises(ValueError, match="undeclared diagnostics.*: speed"):
        Estimate(**good, reasons=(), diagnostics={"speed": 1.0})
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match="log Z"):
            Estimate(**{**good, "log_z": bad}, reasons=())
    for bad in ({"std_error": -0.1}, {"interval": (1.1, 0.9)}):
        with pytest.raises(ValueError, match="expected a standard error of at least 0 and an interval"):
            Estimate(**good | bad, reasons=())
    assert hash(Estimate(**good, reasons=(), diagnostics={"drift": 1.0})) == hash(Estimate(**good, reasons=()))


@pytest.mark.parametrize(("high", "wide"), [(11.0, False), (11.1, True), (np.inf, True), (np.nan, True)])
def test_an_interval_that_reaches_far_or_nowhere_is_refused(high, wide):
    def mine(rbm, ledger, stream, **options):
        return Estimate(log_z=1.0, std_error=0.1, interval=(0.9, high), reasons=())

    estimate = estimate_log_z(random_rbm(1), mine, check=False)
    assert estimate.reasons == (("wide-interval",) if wide else ())


def test_errors_are_sane_and_intervals_hold_log_z_on_models_of_every_kind(monkeypatch):
    # Few sweeps: bounds and masses hold after any number.
    monkeypatch.setattr(evidence, "sweeps_of", lambda *_: 100)
    monkeypatch.setattr(evidence, "_BRIDGED_SWEEPS", 200)
    rows = [row for number in range(5000, 5006) for row in intervals.rows_of(number, chains=(20,))]
    assert [(row["method"], row["model"], intervals.faults(row)) for row in rows if intervals.faults(row)] == []
    converged = [row for row in rows if not row["reasons"]]
    # There are 150 runs; runs of one model are alike.
    assert len(converged) > 75 and np.mean([intervals.holds(row) for row in converged]) > 0.85


@pytest.mark.parametrize("method", ["ais", "rts", "ts"])
def test_both_modes_are_found_from_the_uniform_base(method):
    rbm = two_modes(coupling=0.6)
    estimate = estimate_log_z(rbm, method, sweeps=1500, chains=50, check=False, base="uniform")
    error = estimate.log_z - exact_log_z(rbm)
    # An estimate of one mode alone would be too low by log 2.
    assert abs(error) < 4 * estimate.std_error < 0.4


@pytest.mark.parametrize("method", ["rts", "ts", "ti-rb"])
def test_a_hopeless_budget_is_flagged(method):
    settings = {"chains": 20, "check": False, "base": "uniform"}
    assert not estimate_log_z(two_modes(), method, sweeps=40, **settings).converged
    assert estimate_log_z(two_modes(), method, sweeps=3000, rungs=30, **settings).converged


def test_few_visits_of_an_end_rung_are_flagged():
    # The visits of four chains agree by chance, so their spread is far below the error.
    rbm = normal_rbm(30, 30, 10, 1.0)
    estimate = estimate_log_z(rbm, "ts", sweeps=300, chains=4, check=False, rungs=100)
    assert "few-effective" in estimate.reasons
    assert "few-effective" not in estimate_log_z(rbm, "ts", sweeps=3000, check=False).reasons


def test_annealing_that_rests_on_one_weight_is_flagged():
    generator = np.random.default_rng(0)
    rbm = RBM(generator.normal(0, 4, (30, 30)), generator.normal(0, 2, 30), generator.normal(0, 2, 30))
    estimate = estimate_log_z(rbm, "ais", sweeps=1, chains=10, check=False, base="uniform")
    assert "few-effective" in estimate.reasons


@pytest.mark.parametrize("method", NAMES)
def test_thousands_of_hidden_units_do_not_overflow(method):
    rbm = RBM(np.zeros((3, 2100)), np.array([1.0, -1.0, 0.0]), np.zeros(2100))
    result, _ = estimated(method, rbm=rbm, sweeps=20, chains=4, base="visible-bias")
    exact = 2100 * math.log(2) + np.logaddexp(0.0, rbm.visible_bias).sum()
    assert result.log_z == pytest.approx(exact, abs=max(1e-3, 6 * result.std_error))


def test_a_function_of_a_users_own_is_run_and_checked_as_the_listed_ones_are():
    from logzoo.estimators.weights import from_weights
    from logzoo.samplers import annealed

    def my_ais(rbm, ledger, stream, **options):
        return from_weights(rbm, annealed.run(rbm, ledger, stream, **options), ledger, stream)

    def overspent(rbm, ledger, stream, *, base):
        ledger.spend(ledger.sweeps + 1, "too much")

    rbm = RBM(np.ones((6, 4)), np.zeros(6), np.zeros(4))
    estimate = estimate_log_z(rbm, my_ais, sweeps=500, chains=50)
    listed = estimate_log_z(rbm, "ais", sweeps=500, chains=50)
    assert (estimate.method, estimate.sweeps, estimate.chains) == ("my_ais", listed.sweeps, listed.chains)
    assert estimate.converged and np.isfinite(estimate.bounds).all()
    assert abs(estimate.log_z - exact_log_z(rbm)) < 5.0 * estimate.std_error
    with pytest.raises(ValueError, match="too much: .* exceed .* budget"):
        estimate_log_z(rbm, overspent, sweeps=500, chains=50)
    with pytest.raises(ValueError, match="overspent: unknown option 'threads'; expected one of base"):
        estimate_log_z(rbm, overspent, threads=2)


class Constant:
    """A callable without a name."""

    def __call__(self, rbm, ledger, stream):
        return Estimate(log_z=1.0, std_error=0.1, interval=(0.8, 1.2), reasons=())


def test_any_callable_is_a_method_and_gets_only_options_that_it_takes():
    rbm, eye = RBM(np.ones((6, 4)), np.zeros(6), np.zeros(4)), np.eye(6, dtype=np.uint8)
    for method, name in ((Constant(), "Constant"), (partial(Constant()), "partial")):
        assert estimate_log_z(rbm, method, data=eye, check=False).method == name
        with pytest.raises(ValueError, match=f"{name}: unknown option 'base'"):
            estimate_log_z(rbm, method, base="uniform")
    with pytest.raises(ValueError, match="^result of <lambda>: expected an object of type Estimate, found 3.0"):
        estimate_log_z(rbm, lambda rbm, ledger, stream: 3.0)


@pytest.mark.parametrize("terminal", [False, True])
def test_progress_shows_on_a_terminal_and_elsewhere_only_if_it_is_asked_for(terminal, monkeypatch):
    monkeypatch.setattr("logzoo.printing._DELAY", 0.0)
    rbm, eye = RBM(np.ones((6, 4)), np.zeros(6), np.zeros(4)), np.eye(6, dtype=np.uint8)
    calls = [
        lambda **more: estimate_log_z(rbm, "ais", sweeps=50, chains=4, check=False, **more),
        lambda **more: estimate_log_z(rbm, lambda rbm, *how, base: estimated("ais", rbm=rbm)[0], check=False, **more),
        lambda **more: exact_log_z(rbm, **more),
        lambda **more: train_rbm(eye, hidden=2, updates=3, batch=2, **more),
    ]
    for call in calls:
        for progress in (None, True, False):
            stderr = StringIO()
            stderr.isatty = lambda: terminal
            monkeypatch.setattr(sys, "stderr", stderr)
            call(progress=progress)
            assert bool(stderr.getvalue()) == (terminal if progress is None else progress)
        with pytest.raises(ValueError, match="progress: expected true or false, found 'often'"):
            call(progress="often")
    log_z = exact_log_z(rbm)
    for stderr in (None, SimpleNamespace(write=print)):  # a program may leave stderr out, or replace it by a logger
        monkeypatch.setattr(sys, "stderr", stderr)
        assert exact_log_z(rbm) == log_z
    monkeypatch.setattr(sys, "stderr", None)
    assert exact_log_z(rbm, progress=True) == log_z
