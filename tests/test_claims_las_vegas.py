"""Statistics behind the claims on tours and LVS, on data made to order: right, wrong, and too little to say."""

import numpy as np
import pytest
import xarray as xr

from replication.papers.las_vegas import lv_f2c as f2c
from replication.papers.las_vegas import lv_f4 as f4
from replication.papers.las_vegas import lv_images, lv_tails, lv_trainings
from replication.papers.las_vegas.lv_tours import counted
from replication.reporting.statistics import DEVIATE
from replication.reporting.verdicts import judge

f2a, f2b, f3 = lv_tails.FIGURES["lv-f2a"], lv_tails.FIGURES["lv-f2b"], lv_images.FIGURES["lv-f3"]
t1, t2 = lv_trainings.FIGURES.values()

AT_MOST_ZERO = {"at_most": 0.0}
AT_LEAST_ZERO = {"at_least": 0.0}


def tours_of(hidden, mean=None, *, means=False, rounds=(1,), batches=30, of_label=None, seed=0, same=1.0):
    """Tours whose lengths are geometric: mean by hidden units and rounds, or `of_label` {label: mean}."""
    generator = np.random.default_rng([seed, hidden])
    visible = ["draws", "means"] if means else ["draws"]
    shape = len(visible), len(rounds), batches, 40
    label = generator.integers(0, 10, shape[2:])
    expected = np.full(shape, mean or 2.0) / np.array(rounds)[None, :, None, None] ** 0.5
    if of_label:
        expected[...] = np.vectorize(lambda one: of_label.get(int(one), 3.0))(label)
    length = generator.geometric(1.0 / np.maximum(expected, 1.0))
    over = ("visible", "rounds", "batch", "tour")
    return xr.Dataset(
        {
            "length": (over, length),
            "finished": (over, np.ones(shape, np.int8)),
            "same": (over, (generator.random(shape) < same).astype(np.int8)),
            "label": (over[2:], label),
            # Long tours start from improbable, thick images.
            "log_f": (over[2:], -1.0 * length[0, 0] + generator.standard_normal(shape[2:])),
            "stroke": (over[2:], 0.1 + 0.01 * length[0, 0]),
            # First draws of long tours are of another class.
            "shown_label": (("kind", "shown"), np.tile(np.arange(20) % 10, (2, 1))),
            "first_label": (("kind", "shown"), np.arange(20) % 10 + [[0], [1]]),
        },
        coords={"visible": visible, "rounds": list(rounds), "kind": ["short", "long"]},
        attrs={"hidden_units": hidden},
    )


def test_tails_that_grow_with_the_hidden_units_and_tours_of_one_sweep():
    grown = {f"m-{hidden}": tours_of(hidden, mean, means=True) for hidden, mean in ((8, 1.05), (32, 4.0), (16, 2.0))}
    result = f2a.statistics({"tours": grown})
    assert {judge(f2a.claims[key].bounds, result[key]) for key in ("longer", "heavy")} == {"reproduced"}
    # Whatever the order of the models, the smallest is the one whose tours are short.
    assert result["one"].value == pytest.approx(1 / 1.05, abs=0.03)
    assert result["one-means"].value == pytest.approx(1 / 1.05, abs=0.03)
    assert "H = 8" in result["one"].of
    fallen = {f"m-{hidden}": tours_of(hidden, mean, means=True) for hidden, mean in ((8, 9.0), (16, 4.0), (32, 1.5))}
    result = f2a.statistics({"tours": fallen})
    assert {judge(f2a.claims[key].bounds, result[key]) for key in ("longer", "heavy", "one")} == {"not reproduced"}
    x, y = (
        np.log([8, 16, 32]),
        [float(np.log(tours["length"].sel(visible="draws")).mean()) for tours in fallen.values()],
    )
    assert result["longer"].value == pytest.approx(np.polyfit(x, y, 1)[0], abs=1e-9)


def test_only_tours_of_one_sweep_count_for_ending_where_they_began():
    one = tours_of(8, 2.0, means=True, same=0.75)
    # Longer tours never count, whatever is said of them.
    one["same"] = one["same"].where(one["length"] == 1, 1)
    result = f2a.statistics({"tours": {"one": one, "two": tours_of(16, 2.0, means=True)}})
    assert result["same"].value == pytest.approx(0.75, abs=0.04)
    assert judge({"at_least": 0.99}, result["same"]) == "not reproduced"
    # Each size must, not the smallest alone.
    result = f2a.statistics({"tours": {"one": tours_of(8, 2.0, means=True), "two": one.assign_attrs(hidden_units=16)}})
    assert result["same"].value == pytest.approx(0.75, abs=0.04) and "H = 8, 16" in result["same"].of


def test_larger_sets_are_compared_with_the_smallest():
    result = f2b.statistics({"tours": tours_of(8, 4.0, rounds=(1, 4, 7))})
    longer = [1 - min(1.0, np.sqrt(rounds) / 4.0) for rounds in (1, 7)]
    assert result["shorter"].value == pytest.approx(longer[1] / longer[0], rel=0.1)
    assert judge({"at_most": 0.9}, result["shorter"]) == "reproduced"
    same = f2b.statistics({"tours": tours_of(8, 4.0, rounds=(1, 1), batches=100)})
    assert judge({"at_most": 0.9}, same["shorter"]) == "not reproduced"


def by_class(tours):
    """The same tours counted by class and length."""
    lengths, labels = (tours[name].values for name in ("length", "label"))
    of_settings = dict.fromkeys(("draws", "means"), lengths[0, 0].ravel())
    return counted(of_settings, labels.ravel(), np.arange(labels.size), 1000)


SHORT, LONG = ("short-1", "short-6", "short-1-means"), ("long-4", "long-8", "long-8-means")


def verdicts(found):
    """What is said of all four digits."""
    return {judge(f2c.CLAIMS[name].bounds, found[name]) for name in (*SHORT, *LONG)}


def test_digits_are_compared_with_all_others():
    tours = tours_of(8, of_label={1: 1.1, 6: 1.1, 4: 9.0, 8: 9.0})
    result = f2c.statistics({"tours": by_class(tours)})
    logs, label = np.log(tours["length"].values[0, 0]), tours["label"].values
    for name in (*SHORT, *LONG):
        selected = label == int(name.split("-")[1])
        parts = [logs[selected], logs[~selected]]
        assert result[name].value == pytest.approx(parts[0].mean() - parts[1].mean())
        error = np.sqrt(sum(part.var(ddof=1) / part.size for part in parts))
        assert result[name].high - result[name].value == pytest.approx(DEVIATE * error, rel=0.01)
    assert verdicts(result) == {"reproduced"}
    result = f2c.statistics({"tours": by_class(tours_of(8, of_label={1: 9.0, 6: 9.0, 4: 1.1, 8: 1.1}))})
    assert verdicts(result) == {"not reproduced"}
    result = f2c.statistics({"tours": by_class(tours_of(8, 3.0))})
    assert verdicts(result) == {"undecided at this scale"}
    # Tours from the same image say less than as many from others.
    again = counted(dict.fromkeys(("draws", "means"), np.tile([3, 5, 9], 2)), np.zeros(6), np.tile([0, 1, 2], 2), 9)
    once = counted(dict.fromkeys(("draws", "means"), np.array([3, 5, 9])), np.zeros(3), np.arange(3), 9)
    assert again["mean_log_length_error"].values == pytest.approx(once["mean_log_length_error"].values)
    # No tour from a 1 says nothing of it.
    result = f2c.statistics({"tours": by_class(tours_of(8, 3.0)).drop_sel({"class": [1]})})
    assert judge(AT_MOST_ZERO, result["short-1"]) == "not tested" and np.isfinite(result["short-6"].value)


def test_images_of_short_and_of_long_tours():
    tours = tours_of(8, 6.0)
    result = f3.statistics({"tours": tours})
    lengths = tours["length"].values[0, 0]
    longest = lengths >= np.quantile(lengths, 0.99, method="lower")
    assert 0.005 < longest.mean() < 0.02
    expected = tours["log_f"].values[lengths == 1].mean() - tours["log_f"].values[longest].mean()
    assert result["odd"].value == pytest.approx(expected)
    assert {judge(f3.claims[key].bounds, result[key]) for key in f3.claims} == {"reproduced"}
    tours["log_f"], tours["stroke"] = -tours["log_f"], -tours["stroke"]
    tours["first_label"].values = tours["first_label"].values[::-1]
    result = f3.statistics({"tours": tours})
    assert {judge(f3.claims[key].bounds, result[key]) for key in f3.claims} == {"not reproduced"}
    never = tours_of(8, 1.0)
    assert judge(AT_LEAST_ZERO, f3.statistics({"tours": never})["odd"]) == "not tested"


def estimates_of(bias, spread, reach, replicates=12, seed=0, *, cut=0):
    """log Z by 10, 100 and 1000 tours: a bias and a spread at each number, intervals of half width `reach`."""
    noise = np.random.default_rng(seed).standard_normal((replicates, 3))
    log_z = 50.0 + np.array(bias) + noise * np.array(spread)
    over = ("replicate", "tours")
    return xr.Dataset(
        {
            "log_z": (over, log_z),
            "low": (over, log_z - reach),
            "high": (over, log_z + reach),
            "tours_cut": ("replicate", np.full(replicates, cut)),
        },
        coords={"tours": [10, 100, 1000]},
        attrs={"hidden_units": 16},
    )


def judged_by_tours(estimates, truth_error=0.0):
    truth = xr.Dataset({"log_z": 50.0, "std_error": truth_error})
    return f4.statistics({"estimates": estimates, "truths": dict.fromkeys(estimates, truth)})


def test_log_z_by_tours_is_judged_at_its_end():
    good = {name: estimates_of([0, 0, 0], [0.5, 0.1, 0.02], 0.06, seed=place) for place, name in enumerate("ab")}
    result = judged_by_tours(good)
    assert {judge(f4.CLAIMS[key].bounds, result[key]) for key in f4.CLAIMS} == {"reproduced"}
    assert "1,000 tours" in result["truth"].of
    biased = {"a": estimates_of([-0.4, -0.4, -0.4], [0.02, 0.02, 0.02], 0.06)}
    off = judged_by_tours(biased)
    assert off["truth"].value == pytest.approx(0.4, abs=0.03)
    assert off["converges"].value == pytest.approx(1.0, abs=0.1)
    assert {judge(f4.CLAIMS[key].bounds, off[key]) for key in f4.CLAIMS} == {"not reproduced"}
    # What the truth itself is uncertain by is no failure.
    unsure = judged_by_tours(biased, truth_error=0.5)
    assert judge({"at_most": 0.1}, unsure["truth"]) == "undecided at this scale"
    assert judge({"at_least": 0.7}, unsure["covers"]) == "reproduced"


def training_of(levels, runs=8, seed=0, spread=0.1, shared=2.0):
    """Log-likelihoods over rates: levels at each, a noise that all trainers share, and one of their own."""
    common = np.random.default_rng(99).standard_normal(runs)
    noise = np.random.default_rng(seed).standard_normal((len(levels), runs))
    values = np.array(levels)[:, None] + shared * common + spread * noise
    likelihood = np.stack([values - 1.0, values - 0.5, values], axis=-1)
    return xr.Dataset(
        {"log_likelihood": (("rate", "run", "split"), likelihood)},
        coords={"rate": [0.01, 0.1, 1.0][: len(levels)], "split": ["train", "validation", "test"]},
    )


def test_trainers_are_compared_run_by_run_at_their_best_rates():
    runs = {
        "cd-1": training_of([-170, -180], seed=1),
        "cd-10": training_of([-180, -160], seed=2),
        "pcd-1": training_of([-141, -180], seed=3),
        "pcd-10": training_of([np.nan, -139], seed=4),
        "lvs-1": training_of([-150, -140], seed=5),
        "lvs-3": training_of([-137.0, -150], seed=7),
        "lvs-10": training_of([-139.5, -150], seed=6),
    }
    result = t1.statistics({"trainings": runs})
    expected = {"cd-1": 30.0, "cd-10": 20.0, "pcd-1": 1.0, "pcd-10": -1.0, "k": 0.5, "k3": 3.0}
    for name, lead in expected.items():
        assert result[name].value == pytest.approx(lead, abs=0.5)
    # A nat is seen because runs are paired: what they share is twenty times as large as what they do not.
    outcomes = {name: judge(AT_LEAST_ZERO, result[name]) for name in expected}
    assert outcomes["pcd-1"] == outcomes["cd-1"] == "reproduced" and outcomes["pcd-10"] == "not reproduced"
    hardly = lv_trainings._claims("", dict.fromkeys(("cd-1", "cd-10", "pcd-1", "pcd-10", "k", "k3"), "1.0"))["k"].bounds
    assert [judge(hardly, result[key]) for key in ("k", "k3")] == ["reproduced", "not reproduced"]
    # Of trainers with more runs those count that have a partner.
    more = {**runs, "lvs-1": training_of([-150, -140], runs=8, seed=5), "cd-1": runs["cd-1"].isel(run=slice(5))}
    assert t1.statistics({"trainings": more})["cd-1"].value == pytest.approx(30.0, abs=0.5)


def test_best_learning_rates_of_lvs_and_of_the_others():
    low, high = training_of([-140, -150, -160], spread=0.01), training_of([-150, -140, -160], spread=0.01)
    names = ("cd-1", "cd-10", "pcd-1", "pcd-10", "lvs-1", "lvs-3", "lvs-10")
    apart = {name: high if name.startswith("lvs") else low for name in names}
    result = t2.statistics({"trainings": apart})["rates"]
    assert result.value == pytest.approx(10.0) and judge(t2.claims["rates"].bounds, result) == "reproduced"
    same = t2.statistics({"trainings": dict.fromkeys(names, high)})["rates"]
    assert same.value == 1.0 and judge(t2.claims["rates"].bounds, same) == "not reproduced"
    diverged = high.copy(deep=True)
    diverged["log_likelihood"][2] = np.nan
    assert t2.statistics({"trainings": {**apart, "lvs-10": diverged}})["rates"].value == pytest.approx(10.0)


def test_the_best_rate_is_chosen_on_validation_data_without_rates_that_diverged():
    one = training_of([-150, -140, -130], spread=0.0)
    one["log_likelihood"][2, 0] = np.nan
    rate, likelihood = lv_trainings.at_best_rate(one)
    assert rate == 0.1 and likelihood.sel(split="test").mean() == pytest.approx(-140, abs=2.0)
    one["log_likelihood"].loc[{"split": "validation", "rate": 0.01}] = 0.0
    assert lv_trainings.at_best_rate(one)[0] == 0.01
    names = ("cd-1", "cd-10", "pcd-1", "pcd-10", "lvs-1", "lvs-3", "lvs-10")
    lost = t1.statistics({"trainings": dict.fromkeys(names, one * np.nan)})
    assert judge(AT_LEAST_ZERO, lost["cd-1"]) == "not tested"
