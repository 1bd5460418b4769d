"""Claims of Carlson et al. (2016): statistics of made-up artifacts, and planted faults."""

import numpy as np
import pytest
import xarray as xr
from nulls_rts import BUDGETS, MODELS, TRUTH, check, from_bases, normal, rungs_of, runs, stationary
from twins import shaped_rbm

from logzoo.datasets.readers import SPLITS
from logzoo.samplers import tempering_chains as rule
from logzoo.streams import root_stream
from replication.papers.rts import rts_experiments, rts_f1, rts_f3, rts_f4, rts_f5, rts_f7, rts_f8, rts_text
from replication.papers.rts.rts_experiments import flux, initial_iterations, knots
from replication.reporting.verdicts import ESTIMATE, NOT_REPRODUCED, NOT_TESTED, REPRODUCED, UNDECIDED, judge


def verdicts_of(claims, statistics):
    assert set(statistics) == {key for key, claim in claims.items() if not claim.not_tested}
    return {key: judge(claims[key].bounds, statistic) for key, statistic in statistics.items()}


def decided(claims, statistics):
    return {key: verdict for key, verdict in verdicts_of(claims, statistics).items() if claims[key].bounds}


def compared():
    """Runs of figure 3: RTS loses its bias sooner than AIS and RAISE, and errs a tenth as much."""
    generator, estimates = np.random.default_rng(3), {}
    laws = {"rts": ([-0.1, -0.01, 0.0], 0.1), "ais": ([-2.0, -1.0, -0.5], 1.0), "raise": ([3.0, 2.0, 1.0], 1.0)}
    for model in MODELS:
        errors = {name: normal(generator, bias, [size] * 3, 400) for name, (bias, size) in laws.items()}
        estimates[model] = {name: runs(values, BUDGETS) for name, values in errors.items()}
    far = {name: runs(normal(generator, [0.0], [size], 8), [100_000]) for name, size in (("rts", 0.1), ("ais", 1.0))}
    truth = xr.Dataset({"log_z": 0.0, "std_error": 0.001})
    return {"truths": dict.fromkeys(MODELS, truth), "estimates": estimates, "longer": {MODELS[1]: far}}


def test_figure_3_compares_bias_and_error_at_equal_sweeps():
    artifacts, claims = compared(), rts_f3.CLAIMS
    result = rts_f3.statistics(artifacts)
    assert set(decided(claims, result).values()) == {REPRODUCED}
    assert result["bias"].value == pytest.approx(0.1 / 0.5, rel=0.5)
    assert result["tenfold"].value == pytest.approx(np.sqrt(1.25) / np.sqrt(0.02), rel=0.1)
    ratios = [np.sqrt(5.0 / 0.02), np.sqrt(2.0 / 0.0101), np.sqrt(1.25 / 0.01)]
    # Three budgets of both models and one of longer runs.
    assert result["accurate"].value == pytest.approx(np.exp(np.log([*ratios, *ratios, 10.0]).mean()), rel=0.15)
    assert result["below"].low < 0.5 < result["below"].high and result["above"].low < 1.0 < result["above"].high
    # If RAISE is below log Z at a single budget of one model, the statistic is negative.
    raised = artifacts["estimates"][MODELS[1]]
    raised["raise"] = raised["raise"] - xr.DataArray([0.0, 0.0, 2.0], dims="budget")
    low = rts_f3.statistics(artifacts)
    assert low["above"].value == pytest.approx(-1.0, abs=0.2)
    assert judge(claims["above"].bounds, low["above"]) == NOT_REPRODUCED
    nothing = rts_f3.statistics({**artifacts, "estimates": {"other": raised}})
    assert set(verdicts_of(claims, nothing).values()) == {NOT_TESTED}
    short = {name: run.isel(budget=[0]) for name, run in artifacts["estimates"][MODELS[0]].items()}
    short = rts_f3.statistics({**artifacts, "estimates": {MODELS[0]: short}})
    assert {judge(claims[key].bounds, short[key]) for key in ("bias", "tenfold")} == {NOT_TESTED}
    # With a shift of 5 nats RTS is not more accurate.
    artifacts = compared()
    for model in MODELS:
        artifacts["estimates"][model]["rts"] = artifacts["estimates"][model]["rts"] + 5.0
    verdicts = decided(rts_f3.CLAIMS, rts_f3.statistics(artifacts))
    wrong = ("accurate", "bias", "bias-small", "tenfold", "tenfold-small")
    assert {verdicts[key] for key in wrong} == {NOT_REPRODUCED} and verdicts["below"] == REPRODUCED


def test_figure_3_joins_runs_of_more_sweeps():
    truth = TRUTH.assign_attrs(truth_method="known")
    estimates = {"one": {"rts": runs(np.full((2, 6), 1.0), [10, 20])}}
    longer = {"one": {"rts": runs(np.full((1, 3), 2.0), [40])}}
    words = {"titles": {"one": "One"}, "names": {"rts": "RTS"}, "published": {"one": None}}
    for more, expected in (({"longer": longer}, [1.0, 1.0, 2.0]), ({}, [1.0, 1.0])):
        axes = rts_f3.draw({"estimates": estimates, "truths": {"one": truth}, **more}, **words).axes
        for axis in axes[:2]:
            drawn = [line.get_ydata() for line in axis.get_lines() if line.get_label() == "RTS"]
            (values,) = [one for one in drawn if len(one) == len(expected)]
            np.testing.assert_allclose(values, expected)


def ladders_of(scales, converged=1, apart=(1.0, 0.1, 0.01)):
    """Errors of estimators {name: standard deviations at 10, 50 and 200 rungs}, of twelve runs."""
    generator = np.random.default_rng(2)
    log_z = {name: np.reshape(one, (3, 1, 1)) * generator.standard_normal((3, 4, 12)) for name, one in scales.items()}
    log_z["ti-rb"] = log_z["rts"] + np.reshape(apart, (3, 1, 1)) * generator.standard_normal((3, 4, 12))
    return rungs_of(log_z, [10, 50, 200], converged)


def test_figure_4_compares_ladders_that_the_chains_travelled():
    scales = {"rts": [9.0, 0.1, 0.1], "ts": [9.0, 0.1, 1.0], "ti-trapezoid": [9.0, 2.0, 0.1], "mbar": [9.0, 0.5, 0.5]}
    result = rts_f4.statistics(ladders_of(scales, converged=[0, 1, 1]))
    verdicts = verdicts_of(rts_f4.CLAIMS, result)
    assert verdicts.pop("flat") == ESTIMATE and set(verdicts.values()) == {REPRODUCED}
    assert result["flat"].value == pytest.approx(1.0, abs=0.3) and result["ti"].value == pytest.approx(20.0, rel=0.5)
    assert "K = 50 and 200" in result["ti"].note and "K = 200" in result["mbar"].note
    swapped = {"rts": [9.0, 2.0, 0.5], "ts": [9.0, 1.0, 0.1], "ti-trapezoid": [9.0, 0.1, 0.1], "mbar": [9.0, 0.1, 0.1]}
    wrong = rts_f4.statistics(ladders_of(swapped, converged=[0, 1, 1], apart=(1.0, 0.01, 0.1)))
    assert set(decided(rts_f4.CLAIMS, wrong).values()) == {NOT_REPRODUCED}
    stuck = rts_f4.statistics(ladders_of(scales, converged=[0, 0, 1]))
    assert set(verdicts_of(rts_f4.CLAIMS, stuck).values()) == {NOT_TESTED}


def trainings(off, error=0.1, count=5):
    """Trainings whose validation likelihood turns after two thirds; off: errors of tracked log Z (update,)."""
    turning = np.concatenate([np.linspace(0.0, 12.0, 20), np.linspace(12.0, 4.0, 10)])
    scaled = [(turning * (1.0 + 0.02 * number), off + 0.05 * (number + 1.0)) for number in range(count)]
    checks = {str(number): check(*one, error) for number, one in enumerate(scaled)}
    return {"checks": checks, "others": {"smoother": check(turning, 0.3 + np.linspace(0.0, 0.1, 30), error)}}


def test_figure_5_is_judged_over_trainings():
    result = rts_f5.statistics(trainings(np.zeros(30)))
    assert verdicts_of(rts_f5.CLAIMS, result) == {"close": ESTIMATE, "overfit": REPRODUCED, "smoothing": ESTIMATE}
    assert result["close"].value == pytest.approx(0.15) and result["close"].low < 0.15 < result["close"].high
    # The first training is 0.05 off.
    assert result["smoothing"].value == pytest.approx(0.35 / 0.05)
    # Where AIS is not known, nothing is compared.
    error = np.where(np.arange(30) < 25, 0.1, 0.6)
    blind = rts_f5.statistics(trainings(np.where(np.arange(30) < 25, 0.0, 7.0), error))
    assert blind["close"].value == pytest.approx(0.15)
    few = rts_f5.statistics(trainings(np.zeros(30), count=2))
    assert judge(rts_f5.CLAIMS["overfit"].bounds, few["overfit"]) == UNDECIDED
    # Tracked log Z that does not follow the growth of log Z after the best point hides over-fitting.
    off = -np.concatenate([np.zeros(20), np.linspace(0.0, 20.0, 10)])
    assert decided(rts_f5.CLAIMS, rts_f5.statistics(trainings(off))) == {"overfit": NOT_REPRODUCED}


def bases():
    """Figure 7: a uniform base with biases, a fifth of the flux, and three times the initial iterations."""
    generator = np.random.default_rng(4)
    biases = {"rts": [-80.0, -20.0, -5.0], "ais": [-20.0, -15.0, -5.0], "raise": [20.0, 15.0, 5.0]}
    uniform = {f"{name}-uniform": runs(normal(generator, one, [1.0] * 3, 20), BUDGETS) for name, one in biases.items()}
    matched = {name: runs(normal(generator, [0.0] * 3, [0.2] * 3, 60), BUDGETS) for name in ("rts", "ais", "raise")}
    fluxes = generator.normal(0.2, 0.02, 20), generator.normal(1.0, 0.02, 60)
    return from_bases(uniform, matched, (np.full((3, 20), 9), np.full((3, 60), 3)), fluxes)


def test_figure_7_compares_bases():
    artifacts = bases()
    result = rts_f7.statistics(artifacts)
    assert set(decided(rts_f7.CLAIMS, result).values()) == {REPRODUCED}
    assert result["first"].value == pytest.approx((20.0 / 80.0) / (15.0 / 20.0), rel=0.1)
    assert result["alike"].value == pytest.approx(1.0, abs=0.2) and result["knot"].value == pytest.approx(0.2, rel=0.1)
    # Equal counts in all runs still have an interval.
    assert (result["longer"].value, result["longer"].number) == (1.0, 20)
    # One run that is 900 nats off changes little. One estimator that is no worse turns the verdict.
    far = artifacts["estimators"]["rts-uniform"]["log_z"].values
    far[-1, 0] = 900.0
    assert rts_f7.statistics(artifacts)["alike"].value == pytest.approx(1.3, abs=0.3)
    artifacts["estimators"]["raise-uniform"] = artifacts["matched"]["raise"].isel(replicate=slice(20)) * 0.5
    worse = rts_f7.statistics(artifacts)["worse"]
    assert "RAISE" in worse.note and judge(rts_f7.CLAIMS["worse"].bounds, worse) == NOT_REPRODUCED
    # With the names of the bases swapped, all verdicts that compare them turn.
    artifacts = bases()
    uniform, matched, of_knots = (artifacts[name] for name in ("estimators", "matched", "knots"))
    swapped = {
        **artifacts,
        "estimators": {f"{name}-uniform": run for name, run in matched.items()},
        "matched": {name.removesuffix("-uniform"): run for name, run in uniform.items()},
        "knots": xr.Dataset({"uniform": of_knots["matched"], "matched": of_knots["uniform"]}, attrs={"budget": 7}),
    }
    verdicts = decided(rts_f7.CLAIMS, rts_f7.statistics(swapped))
    assert {verdicts[key] for key in ("worse", "knot", "longer")} == {NOT_REPRODUCED}


def test_figure_8_compares_models_of_the_claimed_sizes():
    generator = np.random.default_rng(5)
    sizes = {"rts": 1.0, "sd": 1.3, "rsd": 0.8}
    errors = {name: size * generator.standard_normal((2, 600)) for name, size in sizes.items()}
    by_size = {"a": stationary(errors, 10), "b": stationary({**errors, "rsd": 1.5 * errors["rsd"]}, 200)}
    result = rts_f8.statistics({"stationary": by_size, "truths": dict.fromkeys(by_size, TRUTH)})
    assert decided(rts_f8.CLAIMS, result) == {"small": REPRODUCED, "large": REPRODUCED}
    assert result["small"].low < 0.8 < result["small"].high < 1.0
    assert result["counted"].value == pytest.approx(1.3, rel=0.1)
    swapped = {"a": by_size["b"].assign_attrs(hidden=10), "b": by_size["a"].assign_attrs(hidden=200)}
    wrong = rts_f8.statistics({"stationary": swapped, "truths": dict.fromkeys(by_size, TRUTH)})
    assert set(decided(rts_f8.CLAIMS, wrong).values()) == {NOT_REPRODUCED}
    other = rts_f8.statistics({"stationary": {"a": by_size["a"].assign_attrs(hidden=30)}, "truths": {"a": TRUTH}})
    assert set(verdicts_of(rts_f8.CLAIMS, other).values()) == {NOT_TESTED}


def test_variants_of_rts_are_estimates_beside_the_plain_one():
    generator = np.random.default_rng(6)
    scales = {"rts": 1.0, "rts-mixed": 1.05, "rts-rising": 1.5, "rts-falling": 1.2}
    estimates = {name: runs(scale * generator.standard_normal((2, 800)), BUDGETS[:2]) for name, scale in scales.items()}
    errors = {"rts": 0.5 + generator.standard_normal((2, 800))}
    predicted = stationary(errors, 10, bias=0.5, variance=2.0)
    result = rts_text.statistics({"truth": TRUTH, "estimates": estimates, "predicted": predicted})
    assert set(verdicts_of(rts_text.CLAIMS, result).values()) == {ESTIMATE}
    expected = {"mixed": 1.05, "prior": 1.2, "rising": 1.5, "variance": 2.0, "subtracted": 1.0 / np.sqrt(1.25)}
    for key, value in expected.items():
        assert result[key].value == pytest.approx(value, rel=0.1), key
    assert result["bias"].value == pytest.approx(0.0, abs=0.1)


def small_model():
    """A random RBM, and data for the matched base."""
    examples = np.random.default_rng(1).integers(0, 2, (30, 20)).astype(np.uint8)
    split = ("example", np.full(30, SPLITS.index("train")))
    dataset = xr.Dataset({"data": (("example", "unit"), examples), "split": split})
    return {"model": shaped_rbm(20, 6, scale=1.5).to_dataset(), "dataset": dataset}


def test_rts_whose_occupancy_is_of_visits_alone_is_as_noisy_as_plain_counts(monkeypatch):
    sizes = {"rungs": 40, "sweeps": 20, "iterations": 6, "replicates": 6, "chains": 20, "stream": root_stream(11)}

    def noise_verdict():
        result = rts_f1.statistics({"iterations": initial_iterations(small_model(), **sizes)})
        return decided(rts_f1.CLAIMS, result)["noise"]

    assert noise_verdict() == REPRODUCED
    of_visits = rule.mean_occupancy
    monkeypatch.setattr(rule, "mean_occupancy", lambda sums, rao_blackwell: of_visits(sums, False))
    assert noise_verdict() == UNDECIDED


def test_longer_runs_have_budgets_and_repeats_of_their_own():
    estimator = {"method": "ais", "base": "matched", "options": {}}
    sizes = {"budgets": [20, 40], "replicates": 2, "chains": 5, "stream": root_stream(3)}
    result = rts_experiments.longer_runs(small_model(), estimator=estimator, checkpoint=lambda name: None, **sizes)
    assert result["log_z"].shape == (2, 2) and result["budget"].values.tolist() == [20, 40]
    assert np.unique(result["log_z"]).size == 4


OVER_PARTS = ("budget", "replicate", "part_before", "part_after")


def tempered(*matrices):
    """An estimate at one budget whose runs had these transition matrices."""
    return xr.Dataset({"transition_matrix": (OVER_PARTS, np.stack(matrices)[None])}, coords={"budget": [7]})


def test_the_flux_finds_the_knot():
    parts = 10
    tied = np.full((parts, parts), 0.1)
    loose = tied.copy()
    tied[:4, 4:] = tied[4:, :4] = 0.001
    # Moves from k parts to the parts above: a part makes a tenth of the moves, a tenth of these to each part.
    np.testing.assert_allclose(flux(loose), [0.01 * k * (parts - k) for k in range(1, parts)])
    # There are four parts below the knot and six above it, with a thousandth of the moves between any two.
    assert flux(tied)[3] == pytest.approx(24 * 0.001 / parts)
    # The ends are equally narrow from any base. The knot is a hundred times narrower than the same part without a knot.
    result = knots({"uniform": tempered(tied, loose), "matched": tempered(*[loose] * 5)})
    np.testing.assert_allclose(result["uniform"], [0.01, 1.0])
    np.testing.assert_allclose(result["matched"], np.ones(5))
    assert result.attrs["budget"] == 7
    # A place that no chain passes from a matched base either has no flux to compare.
    stuck = {"uniform": tempered(tied), "matched": tempered(*[np.eye(parts)] * 5)}
    assert np.isnan(knots(stuck)["uniform"]).all()


def test_a_mean_transition_matrix_is_over_the_runs_that_left_a_part():
    matrix = np.array([[[[0.5, 0.5], [0.0, 0.0]], [[0.25, 0.75], [1.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]])
    estimate = runs(np.zeros((1, 3)), [5])
    estimate["initial_iterations"] = (("budget", "replicate"), np.zeros((1, 3)))
    estimate["transition_matrix"] = (OVER_PARTS, matrix)
    taken = rts_experiments.runs({"estimate": estimate})
    np.testing.assert_allclose(taken["transition_matrix"], [[[0.375, 0.625], [1.0, 0.0]]])
