"""Estimators that read the same run share it, and no estimate depends on the other readers."""

from functools import wraps

import numpy as np
import pytest

from logzoo import RBM, Estimator, draw_samples, estimate_log_z, exact_log_z, read_log_z
from logzoo.estimators.estimator_registry import ESTIMATORS, estimate_together, find
from logzoo.estimators.result import Estimate
from logzoo.samplers import replica_exchange, tempering_runs
from logzoo.streams import root_stream

STREAM = root_stream(0).child("shared")
READERS = {name: method.shares for name, method in ESTIMATORS.items() if method.shares}
SAMPLED = [name for name, method in ESTIMATORS.items() if method.sampler is not None]


@pytest.fixture(scope="module")
def rbm():
    draws = np.random.default_rng(5)
    return RBM(draws.normal(0.0, 0.5, (9, 5)), draws.normal(0.0, 0.5, 9), draws.normal(0.0, 0.5, 5))


def together(rbm, asked, stream=STREAM):
    methods = {name: (method, {"base": "uniform", **options}) for name, (method, options) in asked.items()}
    return estimate_together(rbm, methods, 300, 12, stream)


def counted(monkeypatch, module):
    """A list that has one more item for each call of the `run` of a sampler."""
    calls, run = [], module.run

    @wraps(run)
    def counting(*arguments, **settings):
        calls.append(arguments)
        return run(*arguments, **settings)

    monkeypatch.setattr(module, "run", counting)
    return calls


def test_estimators_of_one_run_have_one_sampler_and_the_name_of_its_stream():
    """The names are part of the random streams, so other names would change every shared draw."""
    assert {(run, ESTIMATORS[name].sampler) for name, run in READERS.items()} == {
        ("simulated_tempering.run", "logzoo.estimators.tempered_sampling:run"),
        ("simulated_tempering.run", "logzoo.estimators.tempering_estimates:run"),
        ("ts.run_by_counts", "logzoo.estimators.tempered_sampling:run_by_counts"),
        ("parallel_tempering.run", "logzoo.samplers.replica_exchange:run"),
    }
    options = {"base": "uniform", "threads": 2, "progress": True}
    assert find("rts").run_of(options)[1] == f"rungs={tempering_runs.RUNGS}"
    assert find("rts").run_of({"mixed": True, "form": "joint"})[1] == "form=joint mixed=True rungs=100"
    assert find("rts").run_of({"mixed": False}) == find("mbar").run_of({"draws": 7}) == find("sd").run_of({})
    assert find("ts").run_of(options)[1] == find("bar").run_of(options)[1] == ""


def test_what_reads_the_same_run_shares_it_and_answers_as_it_does_alone(rbm, monkeypatch):
    tempered, exchanged = (counted(monkeypatch, module) for module in (tempering_runs, replica_exchange))
    asked = {name: (name, {}) for name in (*READERS, "ais")}
    result = together(rbm, asked)
    assert len(tempered) == 2 and len(exchanged) == 1
    for name in asked:
        alone = together(rbm, {name: asked[name]})[name]
        assert alone == result[name] and alone.sweeps == 300 and alone.method == name
        for profile in alone.profiles:
            np.testing.assert_array_equal(alone.profiles[profile], result[name].profiles[profile])
    assert result != together(rbm, asked, STREAM.child("another"))


def test_other_settings_are_another_run_and_another_stream(rbm, monkeypatch):
    calls = counted(monkeypatch, tempering_runs)
    asked = {"rts": ("rts", {}), "few": ("rts", {"rungs": 7}), "mixed": ("rts", {"mixed": True}), "rb": ("ti-rb", {})}
    result = together(rbm, asked)
    assert len(calls) == 3
    assert len({result[name].log_z for name in ("rts", "few", "mixed")}) == 3
    # Estimators whose options do not change the draws still share a run.
    again = together(rbm, {"rts": ("rts", {"threads": 2}), "rb": ("ti-rb", {})})
    assert len(calls) == 4 and again == {name: result[name] for name in again}


def test_observers_of_all_readers_see_the_run_and_each_is_charged_for_it(rbm):
    seen = []

    def sampler(rbm, ledger, stream, observers, *, base, size=1):
        ledger.spend(ledger.sweeps, "all")
        seen.append((observers, str(stream)))
        return 2.0 * size

    def first():
        return "first"

    def second(*, letter="x"):
        return letter

    def read(draws, *, shift=0.0):
        log_z = draws.sample + shift + sum(map(len, draws.observed.values()))
        return Estimate(log_z=log_z, std_error=1.0, interval=(log_z, log_z), reasons=())

    alone = Estimator("alone", sampler, (first,), read, shares="mine")
    both = Estimator("both", sampler, (first, second), read, shares="mine")
    asked = {"a": (alone, {}), "b": (both, {"shift": 0.5}), "c": (both, {"letter": "yyy"}), "d": (alone, {"size": 3})}
    result = together(rbm, asked)
    assert {name: estimate.log_z for name, estimate in result.items()} == {"a": 7.0, "b": 8.5, "c": 10.0, "d": 11.0}
    assert [observers for observers, _ in seen] == [("first", "x", "yyy"), ("first",)]
    assert len({stream for _, stream in seen}) == 2 and all(stream.startswith(f"{STREAM}/") for _, stream in seen)
    assert [estimate.sweeps for estimate in result.values()] == [300] * 4
    assert estimate_log_z(rbm, both, sweeps=5, chains=2, letter="zz", check=False).log_z == 9.0
    assert seen[-1] == (("first", "zz"), "0/both")


@pytest.mark.parametrize("method", SAMPLED)
def test_reading_draws_gives_the_estimate_of_the_method(rbm, method):
    settings = {"sweeps": 200, "chains": 12, "seed": 3}
    if "data" in ESTIMATORS[method].options:
        settings["data"] = np.eye(9, dtype=np.uint8)
    draws = draw_samples(rbm, method, **settings)
    assert read_log_z(draws, method) == estimate_log_z(rbm, method, check=False, **settings)


def test_many_rungs_leave_fewer_draws_for_mbar_and_refuse_no_other_estimator():
    rbm = RBM([[1.0]], [0.0], [0.0])
    draws = draw_samples(rbm, "rts", sweeps=100, chains=100, rungs=2500)
    for method in ("rts", "mbar"):
        assert read_log_z(draws, method).log_z == pytest.approx(exact_log_z(rbm), abs=0.1)


def test_one_run_is_read_by_all_that_share_it(rbm):
    with_certain = RBM(np.vstack([rbm.weights, np.zeros(5)]), np.append(rbm.visible_bias, 1000.0), rbm.hidden_bias)
    for model, constant in ((rbm, 0.0), (with_certain, 1000.0)):
        for first in ("rts", "bar"):
            draws = draw_samples(model, first, sweeps=400, chains=40, rungs=8)
            readers = [name for name, run in READERS.items() if run == READERS[first]]
            estimates = [read_log_z(draws, name) for name in readers]
            assert [estimate.method for estimate in estimates] == readers
            assert np.ptp([estimate.log_z for estimate in estimates]) < 0.5
            assert all(estimate.log_z > constant and estimate.sweeps == 400 for estimate in estimates)
            assert read_log_z(draws, readers[-1]) == estimates[-1]


@pytest.mark.parametrize(
    ("method", "options", "match"),
    [
        ("ts", {}, "ts: cannot read draws made for RTS"),
        ("mbar", {"draws": 5}, "mbar: cannot read draws made for RTS"),
        ("mbar", {"rungs": 5}, "mbar: unknown option 'rungs'; expected one of draws"),
        ("tap", {}, "method: 'tap' has no draws to read"),
    ],
)
def test_draws_that_a_method_cannot_read_are_refused(rbm, method, options, match):
    draws = draw_samples(rbm, "rts", sweeps=20, chains=4)
    with pytest.raises(ValueError, match=match):
        read_log_z(draws, method, **options)


def test_without_options_a_method_reads_the_draws_that_were_kept_for_it(rbm):
    settings = {"sweeps": 200, "chains": 12, "draws": 40}
    draws = draw_samples(rbm, "mbar", **settings)
    assert read_log_z(draws, "mbar") == estimate_log_z(rbm, "mbar", check=False, **settings)
    assert read_log_z(draws, "mbar", draws=40) == read_log_z(draws, "mbar")
    asked = {"default": ("mbar", {}), "few": ("mbar", {"draws": 40})}
    assert together(rbm, asked) == {name: together(rbm, {name: asked[name]})[name] for name in asked}
    for call, argument in ((draw_samples, rbm), (estimate_log_z, rbm), (read_log_z, draws)):
        with pytest.raises(ValueError, match=r"draws: expected a number or a text, found \[5\]"):
            call(argument, "mbar", draws=[5])


def test_only_rts_reads_mixed_draws(rbm):
    draws = draw_samples(rbm, "rts", sweeps=100, chains=6, mixed=True)
    assert np.isfinite(read_log_z(draws, "rts").log_z)
    with pytest.raises(ValueError, match="sd: cannot read draws made for RTS"):
        read_log_z(draws, "sd")
    assert np.isfinite(read_log_z(draw_samples(rbm, "rts", sweeps=100, chains=6, mixed=False), "sd").log_z)
    with pytest.raises(ValueError, match="method: 'bethe' has no draws to read"):
        draw_samples(rbm, "bethe")
    with pytest.raises(ValueError, match="draws: expected an object of type Draws"):
        read_log_z(3.0, "rts")
