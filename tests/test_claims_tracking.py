"""Claims on tracked log Z: artifacts made to order, with known answers and with faults."""

import math

import nulls_tracking as nulls
import numpy as np
import pytest
from nulls_tracking import KINDS, alone_of, best_model, check_of, costs_of, followed, numbered, trace_of
from test_trackers import patterns

from logzoo.paths import log_odds
from logzoo.streams import root_stream
from logzoo.training import trackers
from logzoo.training.trainers import train_rbm
from replication.papers.tracking import trk_cost, trk_f3, trk_f4a, trk_f4b, trk_runs, trk_t1, trk_text
from replication.reporting.verdicts import ESTIMATE, NOT_REPRODUCED, NOT_TESTED, REPRODUCED, judge

PUBLISHED_AIS = (-15.70, -16.81, -88.51, -14.68, -271.23, -31.45, -48.61, -29.91)
PUBLISHED_APART = (0.46, 1.04, 0.54, 4.19, 1.13, 2.42, 1.72, 0.96)


def verdicts(figure, statistics):
    """{key: verdict} of a figure; every claim must have a statistic."""
    assert statistics.keys() == figure.CLAIMS.keys()
    return {key: judge(figure.CLAIMS[key].bounds, statistic) for key, statistic in statistics.items()}


def bounded(figure):
    return {key for key, claim in figure.CLAIMS.items() if claim.bounds}


def noise(size, seed):
    return np.random.default_rng(seed).standard_normal(size)


def runs(trainings=5, fast_high=3.0, bridged=0.5, summed=20.0, dip=4.0, jumps=3.0, std_dev=0.1):
    """Figure 3: errors of 0.1 nat, except in the setting that fails and in a dip of the other fast settings."""
    exact, traces = {kind: {} for kind in KINDS}, {kind: {} for kind in KINDS}
    for number in range(trainings):
        for place, kind in enumerate(KINDS):
            drawn = np.random.default_rng([number, place])
            error = (fast_high if kind == "fast-high" else 0.1) * drawn.standard_normal(61)
            if kind in ("fast-low", "fast-mid"):
                error[8:13] *= dip
            test = {"test": (jumps if kind == "fast-high" else 0.3) * drawn.standard_normal(61)}
            check = check_of(error, std_dev=std_dev, likelihoods=test, last_update=300_000)
            exact[kind][str(number)] = check
            traces[kind][str(number)] = alone_of(check, bridged * drawn.standard_normal(61), summed)
    return {"exact": exact, "traces": traces, "particles": exact["slow-low"]}


def test_figure_3_of_a_tracker_that_fits_but_for_one_setting():
    result = trk_f3.statistics(runs())
    found = verdicts(trk_f3, result)
    assert {found[key] for key in bounded(trk_f3)} == {REPRODUCED}
    assert {found[key] for key in found.keys() - bounded(trk_f3)} == {ESTIMATE}
    # Mean of |normal|: sqrt(2 / pi) of its scale. Three settings, five trainings, 55 points: known to 3%.
    assert result["fit-slow"].value == pytest.approx(0.1 * np.sqrt(2 / np.pi), rel=0.1)
    assert result["particles"].value == pytest.approx(0.1 * np.sqrt(2 / np.pi), rel=0.15)
    assert result["dip"].value == pytest.approx(4.0, rel=0.35)
    assert result["unstable"].value == pytest.approx(10.0, rel=0.2)
    # Five of the 55 points of the two dipped settings have errors of four standard deviations; three settings are slow.
    normal = [math.erf(reach / math.sqrt(2)) for reach in (3.0, 0.75)]
    expected = (3 * normal[0] + 2 * np.average(normal, weights=(50, 5))) / 5
    assert result["cover"].low < expected < result["cover"].high
    # A single training has no interval; without any training there is no number.
    alone = trk_f3.statistics(runs(trainings=1))
    assert alone["fit-slow"].value > 0 and math.isnan(alone["fit-slow"].low)
    none = {"exact": dict.fromkeys(KINDS, {}), "traces": dict.fromkeys(KINDS, {}), "particles": {}}
    assert set(verdicts(trk_f3, trk_f3.statistics(none)).values()) == {NOT_TESTED}


def test_figure_3_of_other_trackers():
    failing = {"dip": "dip", "fast_high": "oscillates", "jumps": "unstable", "bridged": "alone", "summed": "alone"}
    for (setting, key), value in zip(failing.items(), (0.25, 0.02, 0.1, 0.02, 0.02), strict=True):
        found = verdicts(trk_f3, trk_f3.statistics(runs(**{setting: value})))
        assert [name for name, verdict in found.items() if verdict == NOT_REPRODUCED] == [key]
    # Standard deviations that are too small are detected, without a verdict.
    assert trk_f3.statistics(runs(std_dev=0.01))["cover"].value < 0.5


def filter_at_work(seed, rate=0.5, bridged=0.2, rows=101):
    """A trace whose bias and observed change decay, while the error of bridge sampling grows."""
    time = np.linspace(0.0, 1.0, rows)
    bias = -0.3 * np.minimum(20 * time, 1.0) * np.exp(-2.0 * time)
    widening = (bridged + 0.2 * time) * np.exp(0.1 * noise(rows, [seed, 2]))
    change = 0.1 * np.exp(-2.0 * time + 0.1 * noise(rows, [seed, 3]))
    return trace_of(bias + 0.01 * noise(rows, [seed, 1]), widening, change, rates=np.exp(0.1 * noise(3, seed)) * rate)


def ladders(fixed_error=5.0, drop=10.0, std_error=0.1, unknown=0):
    """Figure 4a: six fixed and six adaptive ladders; the error of AIS is 2 nats at the last `unknown` check points."""
    errors = np.full(17, std_error)
    errors[17 - unknown :] = 2.0

    def checks(scale, level, first):
        return numbered(
            check_of(scale * noise(17, at), std_error=errors, likelihoods={"test": level + noise(17, at)})
            for at in range(first, first + 6)
        )

    traces = {
        "fixed": numbered(filter_at_work(number, rate=0.1, bridged=0.6) for number in range(6)),
        "adaptive": numbered(filter_at_work(number) for number in range(6, 12)),
        "growing": {},
    }
    adaptive, fixed = checks(0.5, -95.0, 20), checks(fixed_error, -95.0 - drop, 40)
    return {"traces": traces, "checks": {"fixed": fixed, "adaptive": adaptive, "growing": {"1": adaptive["1"]}}}


def test_figure_4a_of_a_filter_at_work():
    result = trk_f4a.statistics(ladders())
    found = verdicts(trk_f4a, result)
    assert {found[key] for key in bounded(trk_f4a)} == {REPRODUCED}
    assert found["close"] == found["growing"] == ESTIMATE and math.isnan(result["growing"].low)
    assert result["likelihood"].value == pytest.approx(10.0, abs=2.0)
    assert result["adaptive"].value == pytest.approx(10.0, rel=0.4)
    assert result["bias"].value == pytest.approx(np.exp(-1.2), rel=0.1)
    # The names of the ladders are exchanged.
    artifacts = ladders()
    for part in artifacts.values():
        part["fixed"], part["adaptive"] = part["adaptive"], part["fixed"]
    found = verdicts(trk_f4a, trk_f4a.statistics(artifacts))
    assert {found[key] for key in ("exchange", "bridge", "likelihood", "adaptive")} == {NOT_REPRODUCED}


def test_where_ais_does_not_know_log_z_it_judges_nothing():
    partly = trk_f4a.statistics(ladders(unknown=6))
    assert math.isnan(partly["close"].value) and partly["adaptive"].value == pytest.approx(10.0, rel=0.5)
    never = verdicts(trk_f4a, trk_f4a.statistics(ladders(std_error=0.6)))
    assert {never[key] for key in ("close", "likelihood", "adaptive", "growing")} == {NOT_TESTED}
    assert {never[key] for key in ("bias", "variance", "change", "exchange", "bridge")} == {REPRODUCED}


def trainings(turns=True, std_error=0.05):
    """Figure 4b: traces whose validation likelihood peaks half way, or else climbs to the end; checks by AIS."""
    time = np.linspace(0.0, 1.0, 101)
    validation = -92.0 - 8.0 * (time - 0.5) ** 2 if turns else -95.0 + 4.0 * time
    noises = [0.05 * noise(101, seed) for seed in range(5)]
    traces = [followed(-90.0 + 10.0 * time + drawn, validation + drawn, 0.5) for drawn in noises]
    checks = [check_of(0.1 * noise(31, seed), std_error=std_error) for seed in range(5)]
    return {"traces": numbered(traces), "checks": numbered(checks)}


def test_figure_4b_of_trainings_that_over_fit():
    result = trk_f4b.statistics(trainings())
    found = verdicts(trk_f4b, result)
    assert {found[key] for key in bounded(trk_f4b)} == {REPRODUCED}
    # The mean of (t - 0.5)^2 over the last tenth is 0.203.
    assert result["turn"].value == pytest.approx(8.0 * 0.203, abs=0.1) and result["epoch"].value == pytest.approx(0.5)
    assert result["train"].value == pytest.approx(4.5, abs=0.1)
    assert result["close"].value == pytest.approx(0.1 * np.sqrt(2 / np.pi), rel=0.15)
    assert verdicts(trk_f4b, trk_f4b.statistics(trainings(std_error=0.6)))["close"] == NOT_TESTED
    # Without a turn the likelihoods climb to the end.
    found = verdicts(trk_f4b, trk_f4b.statistics(trainings(turns=False)))
    assert (found["turn"], found["train"]) == (NOT_REPRODUCED, REPRODUCED)


def test_costs_of_tracking_are_over_those_of_training_alone_and_of_ais():
    generator = np.random.default_rng(11)
    for point, expected in ((0.5, REPRODUCED), (2.0, NOT_REPRODUCED)):
        timings = costs_of(generator, point=point)
        result = trk_cost.statistics(timings)
        assert verdicts(trk_cost, result) == {"kalman": ESTIMATE, "rts": ESTIMATE, "point": expected}
        assert result["point"].value == pytest.approx(point, rel=0.1)
        np.testing.assert_allclose(trk_cost.rows(timings)["ratio"], [np.nan, 1.5, 1.02], rtol=0.1)


def test_likelihoods_of_the_best_models_stand_beside_the_published():
    pair = {
        "mnist-fixed": best_model(-89.96, -94.34, error=0.3, std_dev=0.4, published_ais=-94.0),
        "caltech": best_model(-114.31, -134.23, error=0.51, published_ais=-134.23),
    }
    result = trk_text.statistics({"best": pair})
    found = verdicts(trk_text, result)
    tested, untested = ("mnist", "mnist-level"), ("caltech", "caltech-level")
    assert found == dict.fromkeys(tested, ESTIMATE) | dict.fromkeys(untested, NOT_TESTED)
    assert result["mnist"].value == pytest.approx(4.38) and result["mnist"].error == pytest.approx(0.5)
    assert result["mnist-level"][:3] == pytest.approx((-0.34, -0.34 - 1.96 * 0.3, -0.34 + 1.96 * 0.3), abs=1e-4)
    assert set(verdicts(trk_text, trk_text.statistics({"best": {}})).values()) == {NOT_TESTED}


def eight_models(apart=0.3, further=2.0, error=0.1):
    """Table 1 with trackers whose errors are these multiples of the published differences."""
    models = []
    for ais, off in zip(PUBLISHED_AIS, PUBLISHED_APART, strict=True):
        settings = {"error": error, "further": further * (1.0 + 0.1 * off), "published_ais": ais + 2.0}
        models.append(best_model(ais + apart * off, ais, **settings))
    return {"best": numbered(models)}


def test_table_1_of_trackers_that_are_close_and_of_others():
    close = trk_t1.statistics(eight_models())
    assert verdicts(trk_t1, close) == {"close": ESTIMATE, "level": ESTIMATE, "rungs": REPRODUCED}
    assert close["close"].value == pytest.approx(0.3 * 1.5575) and close["level"].value == pytest.approx(-2.0)
    assert verdicts(trk_t1, trk_t1.statistics(eight_models(apart=3.0, further=0.4)))["rungs"] == NOT_REPRODUCED
    unknown = verdicts(trk_t1, trk_t1.statistics(eight_models(error=0.51)))
    assert unknown == {"close": NOT_TESTED, "level": NOT_TESTED, "rungs": REPRODUCED}


DATA = {"train": patterns(300)[:200], "validation": patterns(250)[200:], "test": patterns(300)[250:]}
NUMBERS = {"base": log_odds(DATA["train"]), "sweeps": 10, "chains": 10, "stream": root_stream(11)}


def trained(seed, data=DATA, *, updates, **settings):
    """A training that the Kalman filter followed, and its check by enumeration."""
    settings = {"hidden": 6, "batch": 20, "particles": 20, "rungs": 5, "learning_rate": 0.05, **settings}
    settings |= {"snapshots": 20, "every": updates // 20, "validation": data["validation"], "tracker": "kalman"}
    run = train_rbm(data["train"], "sml-pt", updates=updates, seed=seed, **settings)
    return run, trk_runs.check_snapshots(run.snapshots, run.trace, data, check="exact", **NUMBERS)


def observations_alone():
    """The claim that either observation alone is less reliable, from eight trainings of one setting."""
    pairs = [trained(seed, updates=500) for seed in range(8)]
    exact, traces = numbered(check for _, check in pairs), numbered(run.trace for run, _ in pairs)
    of_kind = {"exact": {"fast-mid": exact}, "traces": {"fast-mid": traces}, "particles": {}}
    return verdicts(trk_f3, trk_f3.statistics(of_kind))["alone"]


def test_importance_weights_upside_down_make_the_filter_worse_than_a_bridge_alone(monkeypatch):
    assert observations_alone() == REPRODUCED
    weighed = trackers.importance_sampling
    monkeypatch.setattr(trackers, "importance_sampling", lambda before, after: weighed(after, before))
    assert observations_alone() == NOT_REPRODUCED


def test_splits_whose_names_are_exchanged_turn_what_over_fitting_shows():
    few = DATA | {"train": DATA["train"][:15]}
    settings = {"hidden": 20, "batch": 15, "learning_rate": 0.1, "updates": 2000}
    traces = [trained(seed, few, **settings)[0].trace for seed in range(5)]
    names = {"log_likelihood_train": "other", "log_likelihood_validation": "log_likelihood_train"}
    exchanged = [trace.rename(names).rename(other="log_likelihood_validation") for trace in traces]
    parts = ({"traces": numbered(shown), "checks": {}} for shown in (traces, exchanged))
    right, wrong = (verdicts(trk_f4b, trk_f4b.statistics(artifacts)) for artifacts in parts)
    assert right["turn"] == REPRODUCED and right["train"] != NOT_REPRODUCED
    assert wrong["train"] == NOT_REPRODUCED and wrong["turn"] != REPRODUCED


def best_of_eight(runs):
    sizes, best = {"sweeps": 200, "chains": 20}, []
    for number, run in enumerate(runs):
        artifacts = {"models": {"only": run.rbm.to_dataset()}, "traces": {"only": run.trace}}
        settings = {**sizes, "judge": sizes, "long_sweeps": None, "published": {}, "stream": root_stream(number)}
        best.append(trk_runs.best({**artifacts, "dataset": nulls.dataset_of(DATA)}, **settings))
    return trk_t1.statistics({"best": numbered(best)})["close"]


def test_a_shifted_log_z_of_ais_is_far_from_the_tracker(monkeypatch):
    runs = [trained(seed, updates=300, patience=1000)[0] for seed in range(8)]
    assert best_of_eight(runs).high < 1.56
    numbers = trk_runs.ais_numbers
    monkeypatch.setattr(trk_runs, "ais_numbers", lambda *of: (numbers(*of)[0] + 3.0, *numbers(*of)[1:]))
    assert best_of_eight(runs).low > 1.56
