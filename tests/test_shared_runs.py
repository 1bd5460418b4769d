"""Estimators that read the same run share it, and nobody's answer depends on who else reads."""

from collections import Counter
from functools import wraps

import numpy as np
import pytest

from logzoo import RBM
from logzoo.budgets import SweepLedger
from logzoo.estimators import shared
from logzoo.estimators.registry import ESTIMATORS, estimate_together
from logzoo.estimators.shared import read_together, reads
from logzoo.samplers import parallel_tempering, simulated_tempering
from logzoo.streams import root_stream

STREAM = root_stream(0).child("shared")
READERS = {name: method.reads for name, method in ESTIMATORS.items() if method.reads}


@pytest.fixture(scope="module")
def rbm():
    draws = np.random.default_rng(5)
    return RBM(draws.normal(0.0, 0.5, (9, 5)), draws.normal(0.0, 0.5, 9), draws.normal(0.0, 0.5, 5))


def together(rbm, asked, stream=STREAM):
    methods = {name: (method, {"base": "uniform", **options}) for name, (method, options) in asked.items()}
    return estimate_together(rbm, methods, 300, 12, stream)


def counted(monkeypatch, module):
    """Count the calls of the `run` of a sampler."""
    made, run = Counter(), module.run

    @wraps(run)
    def counting(rbm, ledger, *arguments, **settings):
        made["runs"] += 1
        return run(rbm, ledger, *arguments, **settings)

    monkeypatch.setattr(module, "run", counting)
    return made


def test_methods_that_say_that_they_read_a_run_are_readers_of_that_run():
    assert {name for name, method in ESTIMATORS.items() if hasattr(method.function, "generator")} == set(READERS)
    model, ledger = RBM(np.zeros((3, 2)), np.zeros(3), np.zeros(2)), SweepLedger(20, 4)
    wanted = {name: next(ESTIMATORS[name].function.generator(model, ledger, STREAM)).name for name in READERS}
    assert len(set(zip(wanted.values(), READERS.values(), strict=True))) == len(set(wanted.values())) == 3


def test_what_reads_the_same_run_shares_it_and_answers_as_it_does_alone(rbm, monkeypatch):
    tempered, exchanged = (counted(monkeypatch, module) for module in (simulated_tempering, parallel_tempering))
    asked = {name: (name, {}) for name in (*READERS, "ais")}
    found = together(rbm, asked)
    assert tempered["runs"] == 2 and exchanged["runs"] == 1
    for name in asked:
        alone = together(rbm, {name: asked[name]})[name]
        assert alone == found[name] and alone.sweeps == 300 and alone.method == name
        for profile in alone.profiles:
            np.testing.assert_array_equal(alone.profiles[profile], found[name].profiles[profile])
    assert found != together(rbm, asked, STREAM.child("another"))


def test_other_settings_are_another_run_and_another_stream(rbm, monkeypatch):
    made = counted(monkeypatch, simulated_tempering)
    asked = {"rts": ("rts", {}), "few": ("rts", {"rungs": 7}), "mixed": ("rts", {"mixed": True}), "rb": ("ti-rb", {})}
    found = together(rbm, asked)
    assert made["runs"] == 3
    assert len({found[name].log_z for name in ("rts", "few", "mixed")}) == 3
    # What changes no bit does not part readers.
    again = together(rbm, {"rts": ("rts", {"threads": 2}), "rb": ("ti-rb", {})})
    assert made["runs"] == 4 and again == {name: found[name] for name in again}


def test_unknown_options_are_refused_before_any_run(rbm, monkeypatch):
    made = counted(monkeypatch, simulated_tempering)
    with pytest.raises(ValueError, match="sd: unknown option 'mixed'"):
        together(rbm, {"rts": ("rts", {}), "sd": ("sd", {"mixed": True})})
    assert not made


def test_observers_of_all_readers_see_the_run_and_each_is_charged_for_it():
    seen = []

    def sampler(rbm, ledger, stream, observers, **settings):
        ledger.spend(ledger.sweeps, "all")
        seen.append((observers, str(stream)))
        return settings["size"] * 2

    @reads
    def reader(rbm, ledger, stream, *, observer, size=1):
        draws = yield shared.Wanted(sampler, (observer,), {"size": size, "base": rbm})
        return observer, draws

    def asked(observer, **options):
        return reader.generator("rbm", ledgers[observer], STREAM, observer=observer, **options), ledgers[observer]

    ledgers = {name: SweepLedger(5, 2) for name in "abc"}
    readers = {"a": asked("a"), "b": asked("b"), "c": asked("c", size=3)}
    assert read_together("rbm", readers, STREAM) == {"a": ("a", 2), "b": ("b", 2), "c": ("c", 6)}
    assert [observers for observers, _ in seen] == [("a", "b"), ("c",)]
    assert len({stream for _, stream in seen}) == 2 and all(stream.startswith(f"{STREAM}/") for _, stream in seen)
    assert [ledger.spent for ledger in ledgers.values()] == [5, 5, 5]
    assert reader("rbm", SweepLedger(5, 2), STREAM, observer="d") == ("d", 2)
    assert seen[-1] == (("d",), str(STREAM))
