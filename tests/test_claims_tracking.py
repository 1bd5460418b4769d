"""Statistics behind the claims on tracked log Z, on data made to order: right, wrong, and too little to say."""

import math

import numpy as np
import pytest
import xarray as xr

from replication.papers.rts import rts_f5 as f5
from replication.papers.tracking import trk_cost as cost
from replication.papers.tracking import trk_f3 as f3
from replication.papers.tracking import trk_f4a as f4a
from replication.papers.tracking import trk_f4b as f4b
from replication.papers.tracking import trk_t1 as t1
from replication.papers.tracking import trk_text as text
from replication.reporting.statistics import share
from replication.reporting.verdicts import judge

PUBLISHED_AIS = (-15.70, -16.81, -88.51, -14.68, -271.23, -31.45, -48.61, -29.91)


def verdict(figure, statistics, key):
    """The verdict on one claim of a figure."""
    return judge(figure.CLAIMS[key].bounds, statistics[key])


def costs_of(kalman=1.5, rts=1.02, repeats=6):
    """Seconds of an update without a tracker, and with each so many times as long."""
    levels = np.array([[1.0], [kalman], [rts]])
    seconds = 0.01 * levels * np.exp(0.02 * np.random.default_rng(11).standard_normal((3, repeats)))
    return xr.Dataset({"seconds": (("tracker", "repeat"), seconds)}, coords={"tracker": ["none", "kalman", "rts"]})


def of_trace(trace, error=0.5, fixed_error=5.0):
    """Figure 4a with checks of 40 points, and errors of such sizes on an adaptive ladder and on a fixed one."""
    check, fixed = (check_of(one * noise(40, 12)) for one in (error, fixed_error))
    checks = {"check": check, "adaptive": {"own": check}, "fixed": {"other": fixed}}
    return f4a.statistics({"trace": trace, "traces": {"own": trace}, **checks})


def of_check(figure, check, others=None):
    others = {"other": check} if others is None else others
    return figure.statistics({"check": check, "others": others})


def of_runs(checks, more=()):
    return f3.statistics({"exact": checks, "more": dict(more)})


def of_models(table, models, again=None):
    return table.statistics({"best": models, **({"repeats": text.repeats(again)} if again else {})})


def of_pair(*models):
    return of_models(text, dict(zip(("mnist-fixed", "caltech"), models, strict=True)))


def noise(size, seed):
    return np.random.default_rng(seed).standard_normal(size)


def check_of(tracked_error, *, std_dev=0.1, std_error=0.0, likelihoods=None, last_update=9000):
    """A check whose tracked log Z is off by so much (update,); likelihoods: {split: (update,)} under the true log Z."""
    tracked_error = np.asarray(tracked_error, float)
    size = tracked_error.size
    log_z = np.linspace(450.0, 500.0, size)
    likelihoods = {"train": np.zeros(size), "validation": np.zeros(size), "test": np.zeros(size), **(likelihoods or {})}
    variables = {
        "log_z": log_z,
        "std_error": np.full(size, std_error),
        "log_z_low": log_z - 2.0 * std_error,
        "log_z_high": log_z + 2.0 * std_error,
        "tracked_log_z": log_z + tracked_error,
        "tracked_std_dev": np.full(size, std_dev),
    }
    log_f = np.stack(list(likelihoods.values()), axis=1) + log_z[:, None]
    return xr.Dataset(
        {name: ("update", array) for name, array in variables.items()} | {"mean_log_f": (("update", "split"), log_f)},
        coords={"update": np.linspace(0, last_update, size).round().astype(int), "split": list(likelihoods)},
    )


def six_runs(size=40, fast_high=3.0, scale=0.1, std_dev=0.1, **other):
    """Checks of the six runs, errors of that scale but for the one that fails."""
    scales = {f"trk-f3-{speed}-{decay}": scale for speed in ("slow", "fast") for decay in ("low", "mid", "high")}
    scales |= {"trk-f3-fast-high": fast_high, **other}
    climb = {"test": np.linspace(-30.0, 0.0, size)}
    return {
        name: check_of(first * noise(size, seed), std_dev=std_dev, likelihoods=climb)
        for seed, (name, first) in enumerate(scales.items())
    }


def test_figure_3_of_a_tracker_that_fits_but_for_one_run():
    result = of_runs(six_runs())
    assert set(result) == {"fit-slow", "fit-fast", "cover", "oscillates"}
    assert {verdict(f3, result, claim) for claim in result} == {"reproduced"}
    # Mean of |normal|: sqrt(2 / pi) of its scale.
    # Of 111 points it is known to 7%.
    assert result["fit-slow"].value == pytest.approx(0.1 * np.sqrt(2 / np.pi), rel=0.21)
    assert result["oscillates"].value == pytest.approx(30.0, rel=0.3)
    assert "by run" in result["cover"].of and "by block of check points" in result["oscillates"].of


def test_figure_3_knows_too_small_a_standard_deviation_from_a_bad_fit():
    result = of_runs(six_runs(std_dev=0.01))
    assert verdict(f3, result, "fit-slow") == verdict(f3, result, "fit-fast") == "reproduced"
    assert verdict(f3, result, "cover") == "not reproduced"
    off = of_runs(six_runs(scale=3.0))
    assert {verdict(f3, off, claim) for claim in off} == {"not reproduced"}


@pytest.mark.parametrize("checks", [{}, {"trk-f3-fast-high": check_of([0.1, 0.2, 0.1])}])
def test_figure_3_of_too_little_is_not_tested(checks):
    result = of_runs(checks)
    assert {verdict(f3, result, claim) for claim in result} == {"not tested"}


def trace_of(bias, bridged, change):
    rows = len(bias)
    columns = {"bias": bias, "bridged_log_z_std_dev": bridged, "observed_change_std_dev": change}
    return xr.Dataset(
        {name: ("update", np.asarray(column, float)) for name, column in columns.items()},
        coords={"update": 30 * np.arange(rows)},
    )


def filter_at_work(rows=101):
    """A trace whose bias builds up, then dies off as the change does, while the bridge widens."""
    time = np.linspace(0.0, 1.0, rows)
    bias = -0.3 * np.minimum(20 * time, 1.0) * np.exp(-4.0 * time) + 0.01 * noise(rows, 1)
    bridged = (0.2 + 0.2 * time) * np.exp(0.1 * noise(rows, 2))
    change = 0.1 * np.exp(-2.0 * time + 0.1 * noise(rows, 3))
    # No update has been made before the first row.
    bridged[:1] = change[:1] = 0.0
    return trace_of(bias, bridged, change)


def test_figure_4a_of_a_filter_at_work():
    result = of_trace(filter_at_work())
    assert set(result) == set(f4a.CLAIMS)
    assert {verdict(f4a, result, claim) for claim in result} == {"reproduced"}


def test_figure_4a_of_a_tracker_that_is_off_and_gains_nothing_by_an_adaptive_ladder():
    result = of_trace(filter_at_work(), error=20.0, fixed_error=5.0)
    assert {verdict(f4a, result, claim) for claim in ("agree", "adaptive")} == {"not reproduced"}
    same = of_trace(filter_at_work(), fixed_error=0.5)
    assert verdict(f4a, same, "adaptive") != "not reproduced" and same["adaptive"].value == pytest.approx(1.0)


def test_costs_of_tracking_are_over_those_of_training_alone():
    for factors, expected in (((1.5, 1.02), "reproduced"), ((3.0, 1.4), "not reproduced")):
        timings = {"timings": costs_of(*factors)}
        result = cost.statistics(timings)
        assert {verdict(cost, result, claim) for claim in cost.CLAIMS} == {expected}
        np.testing.assert_allclose(cost.rows(timings)["ratio"], [np.nan, *factors], rtol=0.03)


def training(turns=True, size=30, error=0.05, tracked_error=0.05, std_dev=0.05, seed=7):
    """A check of a training whose validation likelihood peaks half way, or else climbs to the end."""
    time = np.linspace(0.0, 1.0, size)
    train = -90.0 + 10.0 * time
    validation = -92.0 - 8.0 * (time - 0.5) ** 2 if turns else -95.0 + 4.0 * time
    ais_error = error * noise(size, seed)
    likelihoods = {"train": train - ais_error, "validation": validation - ais_error}
    return check_of(
        tracked_error * noise(size, seed + 1) - ais_error, std_dev=std_dev, std_error=error, likelihoods=likelihoods
    )


def test_figure_4b_of_a_training_that_over_fits():
    result = of_check(f4b, training(size=60, error=0.1, tracked_error=0.02))
    assert set(result) == set(f4b.CLAIMS)
    assert {verdict(f4b, result, claim) for claim in result} == {"reproduced"}
    assert result["turn"].value == pytest.approx(2.0, abs=0.5)
    # Two AIS estimates of standard error 0.1.
    turn = result["turn"]
    assert turn.high - turn.low == pytest.approx(2 * 1.96 * 0.1 * np.sqrt(2), rel=1e-3)


def test_figure_4b_of_a_training_that_climbs_to_the_end_and_of_a_tracker_that_strays_after_the_best_model():
    result = of_check(f4b, training(turns=False, tracked_error=2.0))
    assert [verdict(f4b, result, key) for key in ("turn", "agree")] == ["not reproduced"] * 2
    assert verdict(f4b, result, "train") == "reproduced"
    check = training(size=60, error=0.1, tracked_error=0.02)
    check["tracked_log_z"][45:] += 3.0
    result = of_check(f4b, check)
    assert verdict(f4b, result, "close") == "reproduced" and verdict(f4b, result, "late") == "not reproduced"


def test_figure_4b_and_figure_5_of_too_little_are_not_tested():
    check = training()
    for name in ("std_error", "log_z_low", "tracked_std_dev"):
        check[name][:] = np.nan
    for figure in (f4b, f5):
        result = of_check(figure, check)
        assert {verdict(figure, result, claim) for claim in result} == {"not tested"}


def test_rts_figure_5_shows_the_over_fitting_point_or_does_not():
    result = of_check(f5, training(size=60, error=0.1, tracked_error=0.02))
    assert set(result) == set(f5.CLAIMS)
    assert {verdict(f5, result, claim) for claim in result} == {"reproduced"}
    other = {"smoother": training(size=60, error=0.1, tracked_error=2.0)}
    worse = of_check(f5, training(size=60, error=0.1, tracked_error=0.02), other)
    assert verdict(f5, worse, "smoothing") == "not reproduced"
    climbs = of_check(f5, training(turns=False, tracked_error=0.05, error=0.01))
    assert verdict(f5, climbs, "overfit") == "not reproduced"
    assert verdict(f5, climbs, "agree") == verdict(f5, climbs, "close") == "reproduced"
    # A tracker that states too small an error does not agree.
    sure = of_check(f5, training(tracked_error=0.3, std_dev=0.01, error=0.01))
    assert verdict(f5, sure, "agree") == "not reproduced"
    # What is tracked drifts away just as fast as the true likelihood falls.
    blind = training(size=60, error=0.1, tracked_error=0.02)
    drift = blind["mean_log_f"].sel(split="validation") - blind["log_z"]
    blind["tracked_log_z"] = blind["log_z"] + drift - np.linspace(0.0, 1.0, 60)
    blind = of_check(f5, blind)
    assert {verdict(f5, blind, claim) for claim in ("agree", "overfit")} == {"not reproduced"}


def best_model(tracked, ais, error=0.1, std_dev=0.1, independent=-300.0, updates=200_000, **attributes):
    numbers = {
        "test_log_likelihood_independent": independent,
        "test_log_likelihood_tracked": tracked,
        "test_log_likelihood_ais": ais,
        "ais_std_error": error,
        "tracked_std_dev": std_dev,
    }
    return xr.Dataset(numbers, attrs={"updates": updates, "published_updates": 200_000, **attributes})


def test_the_lead_of_the_tracker_over_ais_must_be_the_published_one():
    pair = [
        best_model(tracked, ais, published_ais=ais, updates=100_000)
        for tracked, ais in ((-89.96, -94.34), (-114.31, -134.23))
    ]
    result = of_pair(*pair)
    assert set(result) == set(text.CLAIMS)
    assert {verdict(text, result, key) for key in result} == {"reproduced"}
    assert result["mnist"].value == pytest.approx(4.38)
    short = of_pair(pair[0].assign_attrs(updates=99_999), pair[1].assign_attrs(published_ais=-90.0))
    assert [verdict(text, short, f"{key}-level") for key in ("mnist", "caltech")] == ["not tested", "not reproduced"]
    assert [verdict(text, short, key) for key in ("mnist", "caltech")] == ["not tested", "reproduced"]
    # A tracker that fails upwards is as wrong as one that fails downwards.
    for off in (13.0, -2.0):
        assert (
            verdict(text, of_pair(best_model(-94.34 + off, -94.34), best_model(0.0, 0.0)), "mnist") == "not reproduced"
        )
    unsure = of_pair(best_model(-94.34, -94.34, error=3.0), best_model(np.nan, -134.2))
    assert [verdict(text, unsure, key) for key in ("mnist", "caltech")] == ["undecided at this scale", "not tested"]
    assert verdict(text, of_pair(best_model(-114.3, -134.2, np.inf), best_model(0.0, 0.0)), "mnist") == "not tested"


def test_ais_that_found_more_than_was_tracked_decides_whatever_its_error():
    """P(log Zhat > log Z + 3.69) is at most 2.5%."""

    def apart(lead):
        return of_pair(best_model(-89.0, -89.0 - lead, error=1e6, published_ais=-94.34), best_model(0.0, 0.0))

    far, near = apart(13.0), apart(10.0)
    assert [verdict(text, far, key) for key in ("mnist", "mnist-level")] == ["not reproduced", "not reproduced"]
    assert [verdict(text, near, key) for key in ("mnist", "mnist-level")] == ["undecided at this scale"] * 2
    assert far["mnist"].low == pytest.approx(13.0 - math.log(80), abs=0.1 * 2.25) and far["mnist"].high > 1e6
    assert far["mnist-level"].high == pytest.approx(far["mnist-level"].value + math.log(40))
    # AIS that found less proves nothing: it misses mass, as it does.
    assert [verdict(text, apart(-29.0), key) for key in ("mnist", "mnist-level")] == ["undecided at this scale"] * 2


def eight_models(ais, tracked_error=0.1, **numbers):
    return {
        f"set-{place}": best_model(
            one + (tracked_error if place % 2 else 3.0),
            one,
            published_ais=published,
            published_three_sigma=0.5,
            **numbers,
        )
        for place, (one, published) in enumerate(zip(ais, PUBLISHED_AIS, strict=True))
    }


def test_table_1_of_models_as_published_and_of_others():
    result = of_models(t1, eight_models(PUBLISHED_AIS))
    assert set(result) == set(t1.CLAIMS)
    assert {verdict(t1, result, claim) for claim in result} == {"reproduced"}
    assert result["agree"].value == 0.5 and result["order"].value == pytest.approx(1.0)
    wrong = of_models(t1, eight_models(PUBLISHED_AIS[::-1], tracked_error=5.0))
    assert {verdict(t1, wrong, claim) for claim in wrong} == {"not reproduced"}
    # Two neighbours in the order of the table change places: 1 - 6 * 2 / (8 * 63).
    swapped = list(PUBLISHED_AIS)
    swapped[0], swapped[1] = swapped[1], swapped[0]
    assert of_models(t1, eight_models(swapped))["order"].value == pytest.approx(1 - 12 / 504)
    vague = of_models(t1, eight_models(PUBLISHED_AIS, error=30.0))
    assert verdict(t1, vague, "order") == "undecided at this scale"


def test_table_1_takes_the_spread_of_agreement_from_repeats_of_the_trainings():
    # Half of the data sets agree in six repeats and none in two.
    near, far = eight_models(PUBLISHED_AIS), eight_models(PUBLISHED_AIS, tracked_error=5.0)
    again = {f"repeat-{number}": far if number in (4, 7) else near for number in range(2, 9)}
    result = of_models(t1, near, again=again)["agree"]
    shares = np.array([0.5] * 6 + [0.0] * 2)
    reach = 2.3646 * shares.std(ddof=1) / np.sqrt(8)
    np.testing.assert_allclose(result[:3], [0.375, 0.375 - reach, 0.375 + reach], rtol=1e-4)
    assert "over 8 repeats" in result.of and "repeats" not in of_models(t1, near, again={"repeat-2": far})["agree"].of


def test_shares_have_binomial_intervals():
    # Wilson's interval of 8 in 10 (Brown, Cai & DasGupta 2001): 0.490 to 0.943.
    result = share(np.arange(10) < 8, "hits")
    assert (result.value, result.low, result.high) == pytest.approx((0.8, 0.490, 0.943), abs=1e-3)
    assert result.of == "hits, of 10"
