"""The zoo on a Dataset made to order: known errors, ranks, bias and coverage are found, and figures show them."""

import numpy as np
import pytest
import xarray as xr

from logzoo.io.netcdf import write_artifact
from logzoo.io.schema import coordinate, labelled
from replication.papers.zoo import zoo_statistics as statistics
from replication.papers.zoo.zoo_answer import draw as draw_answer
from replication.papers.zoo.zoo_answer import findings, uses
from replication.papers.zoo.zoo_best import choice_rows
from replication.papers.zoo.zoo_errors import draw_ranks, draw_rmse, draw_seconds, draw_sweeps, range_of
from replication.papers.zoo.zoo_experiments import combined_estimates
from replication.papers.zoo.zoo_models import draw_trainers, likelihood_rows
from replication.papers.zoo.zoo_rows import draw_bias, draw_coverage
from replication.reporting.statistics import share_with_interval

ESTIMATORS = {"ais": 0.3, "rts": 0.1, "ts": 0.1, "bar": 1.0}
NAMES = {name: name.upper() for name in ESTIMATORS}
RATES = [1e-4, 3e-4, 2e-4, 5e-4]  # seconds per sweep
TRAINERS = {"cd": 1.0, "pcd": 1.0, "ins": 1.0, "pt": 4.0, "flow": 1.0, "lvs": 1.0}
BUDGETS, REPLICATES, CHAINS = [100, 400, 1600], 40, 20


def estimate(errors, truth, half, chains=CHAINS, budgets=BUDGETS):
    """An estimate's artifact from errors (budget, replicate); its intervals reach `half` to either side."""
    cells, log_z, ones = ("budget", "replicate"), truth + errors, np.ones(errors.shape, np.int64)
    return xr.Dataset(
        {
            "log_z": labelled(cells, log_z, "log_z", "nat"),
            "std_error": labelled(cells, np.full(errors.shape, half / 1.96), "std_error", "nat"),
            "interval": labelled((*cells, "bound"), np.stack([log_z - half, log_z + half], -1), "interval", "nat"),
            "converged": labelled(cells, ones, "converged", "1"),
            "reasons": labelled(cells, 0 * ones, "reasons", "1"),
            "sweeps_spent": labelled(cells, np.array(budgets)[:, None] * ones, "sweeps_spent", "sweep"),
        },
        coords={
            "budget": coordinate("budget", budgets, "budget", "sweep"),
            "replicate": coordinate("replicate", range(errors.shape[1]), "replicate"),
            "bound": coordinate("bound", [0.025, 0.975], "bound"),
        },
        attrs={"chains": chains},
    )


def parts_of(family, sizes, scales, trainers, half=1.96, std_error=0.0, seed=0, **other):
    """Estimates, truths, models and places of a family of known RMSE, by estimator, trainer and 1 / sqrt(budget)."""
    generator = np.random.default_rng(seed)
    estimates, truths, models, places = {}, {}, {}, {}
    for trainer, hardness in trainers.items():
        model = f"{family}-{trainer}"
        for name, scale in scales.items():
            unit = generator.standard_normal((len(BUDGETS), REPLICATES))
            size = known_rmse(scale, hardness)[:, None]
            made = estimate(size * unit, 50.0, half * np.broadcast_to(size, unit.shape), **other)
            estimates.setdefault(model, {})[name] = made
        likelihood = ("split", [-100.0, -90.0 - hardness])
        truth = {"log_z": 50.0, "std_error": std_error, "log_likelihood": likelihood}
        truths[model] = xr.Dataset(truth, {"split": ["train", "test"]})
        models[model] = xr.Dataset({"weights": (("visible", "hidden"), np.zeros(sizes))})
        places[model] = {"family": family, "dataset": family.partition("-")[0], "trainer": trainer}
    return estimates, truths, models, places


def joined(*parts):
    columns = [{key: value for part in column for key, value in part.items()} for column in zip(*parts, strict=True)]
    estimates, truths, models, places = columns
    return combined_estimates({"estimates": estimates, "truths": truths, "models": models}, places=places)


@pytest.fixture(scope="module")
def zoo():
    """A family of six models, one of them four times as hard; a single model with an uncertain truth."""
    large = parts_of("dna-20", (180, 20), ESTIMATORS, TRAINERS)
    single = parts_of("one", (784, 500), {**ESTIMATORS, "rts": 0.01}, {"cd": 1.0}, std_error=0.05, seed=1)
    return joined(large, single)


def seconds_of(rates=RATES, start=0.01):
    """Seconds of estimators at two budgets: a common start, and a rate for each estimator."""
    seconds = start + np.array(rates)[:, None] * np.array([100, 400])
    return xr.Dataset({"seconds": (("estimator", "budget"), seconds)}, {"estimator": [*NAMES], "budget": [100, 400]})


@pytest.fixture(scope="module")
def timings():
    return {"dna-20": seconds_of(), "one": 10 * seconds_of()}


def known_rmse(scale, hardness=4.0 ** (1 / 6)):
    return scale * hardness * 10.0 / np.sqrt(BUDGETS)


def test_models_are_selected_by_what_they_are(zoo, tmp_path):
    path = tmp_path / "zoo.nc"
    write_artifact(zoo, path, kind="zoo", parameters={}, source="0" * 64, inputs={}, seed_path="")
    with xr.open_dataset(path) as read:
        assert list(read["model"].values[read["trainer"] == "pt"]) == ["dna-20-pt"]
        assert list(read["model"].values[read["hidden"] == 500]) == ["one-cd"]
        assert set(read["log_z"].coords) >= {"family", "dataset", "trainer", "visible", "hidden", "chains"}
        assert float(read["test_log_likelihood"].sel(model="dna-20-pt")) == -94.0
        assert int(read["chains"][0]) == CHAINS
        np.testing.assert_array_equal(read["log_z"], zoo["log_z"])


def test_a_budget_that_a_model_lacks_is_no_number_and_no_doubt():
    first = parts_of("a", (4, 2), {"rts": 1.0}, {"cd": 1.0})
    second = parts_of("b", (4, 2), {"rts": 1.0}, {"cd": 1.0}, budgets=[200, 400, 800])
    both = joined(first, second)
    assert np.isnan(both["log_z"].sel(model="a-cd", budget=200)).all()
    assert np.isnan(statistics.unconverged(both).sel(model="a-cd", budget=200)).all()
    assert (statistics.unconverged(both).sel(model="a-cd", budget=400) == 0).all()
    assert list(statistics.families(both)["a"]["budget"].values) == BUDGETS


def test_known_errors_ranks_and_bias_lie_in_their_intervals(zoo):
    one = statistics.families(zoo)["dna-20"]
    values, interval = (np.exp(part) for part in statistics.with_interval(one, statistics.log_rmse))
    for row, scale in enumerate(ESTIMATORS.values()):
        np.testing.assert_allclose(values[row], known_rmse(scale), rtol=4 * 0.5**0.5 / np.sqrt(REPLICATES * 6))
        assert (interval[0, row] < known_rmse(scale)).all() and (interval[1, row] > known_rmse(scale)).all()
    ranks = statistics.mean_rank(statistics.measured_moments(one))[0]
    np.testing.assert_array_equal(ranks[0], 3.0)
    np.testing.assert_array_equal(ranks[3], 4.0)
    np.testing.assert_allclose(ranks[1] + ranks[2], 3.0)
    bias = statistics.mean_bias(statistics.measured_moments(one))[0]
    np.testing.assert_allclose(bias, (one["log_z"] - one["truth"]).mean(["model", "replicate"]).values)
    # Ranks share ties and leave out what is missing.
    square = np.array([3.0, 1.0, 1.0, np.nan, 2.0])
    one = statistics.families(joined(parts_of("a", (4, 2), {"rts": 1.0}, {"cd": 1.0})))["a"]
    moments = statistics.measured_moments(one)._replace(square=square[None, None, :, None])
    ranks = statistics.mean_rank(moments)
    np.testing.assert_array_equal(ranks[0, :, 0], [4.0, 1.5, 1.5, np.nan, 3.0])


def test_bands_of_a_single_model_hold_the_known_rmse_though_its_replicates_are_few():
    inside, runs = 0, 120
    for seed in range(runs // len(BUDGETS)):
        one = statistics.families(joined(parts_of("a", (4, 2), {"rts": 1.0}, {"cd": 1.0}, seed=seed)))["a"]
        _, (low, high) = statistics.with_interval(one.isel(replicate=slice(3)), statistics.log_rmse)
        inside += np.sum((low[0] <= np.log(known_rmse(1.0, 1.0))) & (np.log(known_rmse(1.0, 1.0)) <= high[0]))
    # Intervals from resampled replicates would hold the known value in two of three runs only.
    assert inside / runs > 0.95 - 3 * np.sqrt(0.05 * 0.95 / runs)


def test_a_planted_winner_is_found_and_ties_are_listed_together(zoo):
    for chosen in statistics.among_the_best(statistics.families(zoo)["dna-20"]):
        assert sorted(chosen) == [1, 2]
    assert [chosen[0] for chosen in statistics.among_the_best(statistics.families(zoo)["one"])] == [1, 1, 1]
    # An uncertain truth widens bands and makes ties.
    exact = statistics.families(joined(parts_of("a", (4, 2), {"rts": 0.01, "ais": 0.02}, {"cd": 1.0})))["a"]
    vague = exact.assign(truth_std_error=("model", [2.0]))
    assert statistics.among_the_best(exact) == [[0], [0], [0]]
    assert [sorted(chosen) for chosen in statistics.among_the_best(vague)] == [[0, 1], [0, 1], [0, 1]]
    widths = [np.ptp(statistics.mean_bias(statistics.resampled_moments(one)), axis=0).min() for one in (exact, vague)]
    assert widths[1] > 10 * widths[0]


@pytest.mark.parametrize(("trainers", "std_error"), [(["cd"], 0.0), (["cd", "ins", "pcd"], 0.01)])
def test_estimators_without_spread_have_bands_around_their_values(trainers, std_error):
    """TAP with the same error in every replicate has finite bands around its values, and is the best."""
    parts = parts_of("a", (4, 2), {"rts": 1.0, "tap": 0.1}, dict.fromkeys(trainers, 1.0), std_error=std_error)
    drawn = statistics.families(joined(parts))["a"]
    part = drawn.assign(log_z=drawn["log_z"].where(drawn["estimator"] != "tap", drawn["log_z"][..., 0]))
    for statistic in (statistics.log_rmse, statistics.mean_bias, statistics.mean_rank):
        value, (low, high) = statistics.with_interval(part, statistic)
        assert np.isfinite([value, low, high]).all() and (low <= value).all() and (value <= high).all()
    assert all(chosen[0] == 1 for chosen in statistics.among_the_best(part))


def test_coverage_is_that_of_the_intervals():
    calm = joined(parts_of("a", (4, 2), {"rts": 1.0, "ais": 1.0}, TRAINERS))
    share, interval, number = statistics.coverage(calm)
    assert (number == 6 * REPLICATES).all()
    assert (interval[0] < 0.95).all() and (interval[1] > 0.95).all()
    scale = np.array([10.0, 10.0, 10.0, 40.0, 10.0, 10.0])[:, None, None, None] / np.sqrt(BUDGETS)[:, None]
    np.testing.assert_allclose(share, (np.abs(calm["log_z"] - 50.0) < 1.96 * scale).mean(["model", "replicate"]))
    narrow, upper, _ = statistics.coverage(joined(parts_of("a", (4, 2), {"rts": 1.0}, TRAINERS, half=1.0)))
    assert (upper[1] < 0.95).all() and np.abs(narrow - 0.683).max() < 4 * np.sqrt(0.683 * 0.317 / 240)
    # The error of the truth enters in quadrature.
    one = joined(parts_of("a", (4, 2), {"rts": 1e-6}, {"cd": 1.0}, half=0.0))
    far = one.assign(truth=one["truth"] + 1.0)
    wide = far.assign(interval=far["interval"] + xr.DataArray([-0.6, 0.6], dims="bound"))
    for part, std_error, is_covered in ((far, 0, 0), (far, 0.5, 0), (far, 0.52, 1), (wide, 0.4, 0), (wide, 0.42, 1)):
        assert (statistics.covered(part.assign(truth_std_error=("model", [std_error]))) == is_covered).all()


def test_the_binomial_interval_is_the_one_of_wilson():
    # The roots of |p - share| = 1.96 sqrt(p (1 - p) / 10), for 8 of 10 and for none.
    share, interval = share_with_interval(np.array([8, 0, 10, 0]), np.array([10, 10, 10, 0]))
    np.testing.assert_allclose(share[:3], [0.8, 0.0, 1.0])
    for end in interval[:, 0]:
        assert abs(end - 0.8) == pytest.approx(1.959964 * np.sqrt(end * (1.0 - end) / 10.0), rel=1e-6)
    np.testing.assert_allclose(interval[:, 1:3], [[0.0, 0.72247], [0.27753, 1.0]], atol=1e-5)
    assert np.isnan(interval[:, 3]).all()


def test_the_hard_model_stands_out_by_its_factor(zoo):
    by_estimator, value, interval = statistics.difficulty(statistics.families(zoo)["dna-20"])
    hard = list(TRAINERS).index("pt")
    assert by_estimator.shape == (4, 6)
    np.testing.assert_allclose(value[hard], 4.0, rtol=0.2)
    assert 3.0 < interval[0, hard] < 4.0 < interval[1, hard]
    assert (np.abs(np.log(np.delete(value, hard))) < 0.2).all()


def test_lines_are_geometric_means_over_models(zoo, timings):
    """Lines show the best estimator and those that the papers compare; a band covers the others."""
    for draw in (draw_sweeps, draw_seconds):
        figure = draw({"zoo": zoo, "timings": timings}, names=NAMES)
        for axis, family in zip(figure.axes, statistics.families(zoo), strict=True):
            part, lines = statistics.families(zoo)[family], {line.get_label(): line for line in axis.get_lines()}
            named = {"ais", "rts", list(ESTIMATORS)[statistics.among_the_best(part)[-1][0]]}
            (band,) = [item for item in axis.collections if item.get_label() == "range of the other estimators"]
            square = ((part["log_z"] - part["truth"]) ** 2).mean("replicate")
            for row, name in enumerate(ESTIMATORS):
                expected = np.exp(0.5 * np.log(square.sel(estimator=name)).mean("model"))
                x = np.array(BUDGETS, float)
                if draw is draw_seconds:
                    x = (0.01 + RATES[row] * x) * (10 if family == "one" else 1)
                if name in named:
                    np.testing.assert_allclose(lines[NAMES[name]].get_ydata(), expected)
                    np.testing.assert_allclose(lines[NAMES[name]].get_xdata(), x, rtol=1e-6)
                else:
                    assert NAMES[name] not in lines
                    for position, value in zip(x, expected.values, strict=True):
                        ends = [end for at, end in band.get_paths()[0].vertices if at == pytest.approx(position)]
                        assert min(ends) * (1 - 1e-9) <= value <= max(ends) * (1 + 1e-9)
        assert [len(axis.patches) for axis in figure.axes] == [0, 1]  # below the standard error of the truth


def test_a_range_is_of_the_lines_that_have_begun_and_interpolates_in_logarithms():
    lines = [(np.array([1.0, 100.0]), np.array([1.0, 100.0])), (np.array([10.0, 20.0, 30.0]), np.array([np.nan, 4, 5]))]
    positions, lowest, highest = range_of(lines)
    ends = np.stack([lowest, highest], axis=1)[np.searchsorted(positions, [1.0, 20.0, 30.0, 100.0])]
    np.testing.assert_allclose(ends, [(1, 1), (4, 20), (5, 30), (5, 100)])


def map_of(figure):
    """Labels of rows and columns, values and crosses {(row, column)} of a map."""
    axis = figure.axes[0]
    rows, columns = ([label.get_text() for label in part.get_majorticklabels()] for part in (axis.yaxis, axis.xaxis))
    crosses = {*zip(*(axis.get_lines()[0].get_data()[::-1]), strict=True)} if axis.get_lines() else set()
    return rows, columns, axis.images[0].get_array(), crosses


def test_maps_show_the_numbers(zoo):
    zoo = zoo.copy(deep=True)
    zoo["converged"].loc[{"model": "dna-20-cd", "estimator": "bar", "budget": 1600, "replicate": 3}] = 0
    rows, columns, ranks, _ = map_of(draw_ranks({"zoo": zoo}, names=NAMES))
    assert rows[0] == "RTS" and rows[2:] == ["AIS", "BAR"] and columns[:2] == ["dna-20, 100", "dna-20, 400"]
    assert len(columns) == 6 and (ranks[3] == 4.0).all() and (ranks[2, :3] == 3.0).all()
    rows, columns, errors, crosses = map_of(draw_rmse({"zoo": zoo}, trainers={"pt": "Tempering"}, names=NAMES))
    assert columns[3] == "dna-20, Tempering" and columns[0] == "dna-20, cd" and columns[6] == "one"
    expected = np.sqrt(((zoo["log_z"] - zoo["truth"]) ** 2).mean("replicate")).sel(budget=1600)
    for row, name in enumerate(rows):
        np.testing.assert_allclose(errors[row], expected.sel(estimator=name.lower()))
    assert crosses == {(rows.index("BAR"), 0)}


def test_biases_have_their_sign_where_they_are_significant(zoo):
    low = xr.DataArray([-5.0, 0.0, 0.0, 5.0], dims="estimator")
    figure = draw_bias({"zoo": zoo.assign(log_z=zoo["log_z"] + low)}, names=NAMES)
    rows, columns, bias, _ = map_of(figure)
    assert columns == ["dna-20, 1,600", "one, 1,600"] and {*rows[2:]} == {"AIS", "BAR"}
    assert (bias[rows.index("AIS")] < -4.8).all() and (bias[rows.index("BAR")] > 4.8).all()
    assert (bias[:2] == 0.0).all()


def test_the_answer_has_six_lines_at_most_and_a_row_for_each_kind_of_model(zoo):
    figure = draw_answer({"zoo": zoo}, arenas=["one"], names=NAMES)
    assert [axis.get_title("right") for axis in figure.axes] == ["trained RBMs, 6 models", "several modes, 1 model"]
    assert all({line.get_label() for line in axis.get_lines()} >= {"AIS", "RTS"} for axis in figure.axes)
    small, trained, several, unknown = uses(zoo, arenas=["one"], names=NAMES, enumerated=36)
    assert "36 units" in small.model and small.call == "exact_log_z(rbm)" and unknown.call == "estimate_log_z(rbm)"
    assert (trained.model, several.model) == ("trained: 180 × 20", "several separate modes: 784 × 500")
    assert several.call == 'estimate_log_z(rbm, "rts")' and several.result.startswith("RTS: RMSE 0.0")
    assert "1 other is not significantly worse" in trained.result and "converge" not in trained.result
    wrong = zoo.assign(log_z=zoo["log_z"].where(zoo["replicate"] > 0, 1e6))
    first, second = findings(wrong, names=NAMES)
    assert "of 2 families" in first and f" {6 * 4 * 3} were silently wrong" in second


def test_coverage_is_drawn_for_all_runs_and_for_those_that_converged(zoo):
    some = zoo.copy(deep=True)
    some["converged"].loc[{"estimator": "ais", "replicate": slice(0, 9)}] = 0
    some["interval"].loc[{"estimator": "ais", "replicate": slice(0, 9)}] = 1e6
    axis = draw_coverage({"zoo": some}, names=NAMES).axes[0]
    dots = [line for line in axis.get_lines() if line.get_label() == "_ais"]
    whole, trusted = (float(line.get_xdata()[0]) for line in dots)
    share, _, _ = statistics.coverage(some.sel(budget=100))
    assert whole == pytest.approx(share[0]) and whole < 0.75 and trusted > 0.9
    assert dots[1].get_markerfacecolor() == "white"
    assert len([line for line in axis.get_lines() if line.get_label() == "_rts"]) == 1


def test_trainers_are_compared_within_a_family(zoo):
    left, right = draw_trainers({"zoo": zoo}, trainers={"pt": "Tempering"}).axes
    labels = [label.get_text() for label in left.get_yticklabels()]
    assert labels[3] == "Tempering" and labels[0] == "cd"
    np.testing.assert_allclose(right.get_lines()[0].get_xdata(), [-91, -91, -91, -94, -91, -91])


def test_the_choice_names_winner_ties_seconds_doubts_and_too_narrow_intervals(zoo, timings):
    doubtful = zoo.copy(deep=True)
    doubtful["converged"].loc[{"model": "dna-20-cd", "estimator": "ts", "budget": 400}] = 0
    table = choice_rows({"zoo": doubtful, "timings": timings}, names=NAMES)
    assert table.sizes["row"] == 2 * 3 + 1
    row = table.isel(row=1)
    assert "dna-20" in row["row"].item() and "400 sweeps" in row["row"].item()
    assert {row["best"].item(), row["tied"].item()} == {"RTS", "TS"}
    assert row["fastest"].item() == "TS" and float(row["fastest_seconds"]) == pytest.approx(0.01 + 2e-4 * 400)
    assert row["warning"].item() == "TS (17%)" and row["narrow"].item() == "-"
    assert table.isel(row=0)["warning"].item() == "-"
    last = table.isel(row=-1)
    assert "of 6 rows" in last["row"].item() and last["best"].item() == "RTS 6" and last["tied"].item().startswith("TS")
    narrow = joined(parts_of("dna-20", (4, 2), ESTIMATORS, TRAINERS, half=1.0))
    first = choice_rows({"zoo": narrow, "timings": timings}, names=NAMES).isel(row=0)
    assert set(first["narrow"].item().split(", ")) == {"RTS", "TS"}
    assert float(first["coverage"]) == pytest.approx(0.683, abs=0.13)
    other = zoo.assign(stand_in=zoo["stand_in"] + 1).assign_attrs(stand_in_for="dna", stand_in_reason="none")
    assert "STAND-IN" in draw_bias({"zoo": other}, names=NAMES).get_suptitle()
    assert "STAND-IN" in choice_rows({"zoo": other, "timings": timings}, names=NAMES)["row"].values[0]


def test_likelihoods_stand_beside_the_published_ones_of_the_same_data():
    content = {"log_z": 451.25, "std_error": 0.01, "log_likelihood": ("split", [-84.0, -85.0, -86.0])}
    splits = np.array(["train", "validation", "test"], dtype=object)
    truth = xr.Dataset(content, {"split": splits}, {"truth_method": "ais, rts"})
    truths = {"one": truth.assign(test_log_likelihood_at_published_log_z=-86.125)}
    truths["other"] = truth.assign_attrs(stand_in_for="mnist")
    published = dict.fromkeys(truths, {"log_z": 451.28, "test_log_likelihood": -86.34})
    table = likelihood_rows(truths, titles={"one": "One", "other": "Other"}, published=published)
    assert list(table["row"].values) == ["One", "Other (STAND-IN)"]
    np.testing.assert_array_equal(table["published_log_z"], [451.28, np.nan])
    np.testing.assert_array_equal(table["published_test"], [-86.34, np.nan])
    np.testing.assert_array_equal(table["validation"], [-85.0, -85.0])
    assert "451.28" in table.attrs["notes"] and "-86.12 nat; published -86.34" in table.attrs["notes"]
