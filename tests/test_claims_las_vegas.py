"""Statistics behind the claims on tours and LVS, on data made to order: right, wrong, and too little to say."""

import numpy as np
import pytest
import xarray as xr
from logzoo.claims import las_vegas

from logzoo.reporting.verdicts import judge

AT_MOST_ZERO = {"direction": "at_most", "threshold": 0.0}
AT_LEAST_ZERO = {"direction": "at_least", "threshold": 0.0}


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
            "ink": (over[2:], 0.1 + 0.01 * length[0, 0]),
        },
        coords={"visible": visible, "rounds": list(rounds)},
        attrs={"hidden_units": hidden},
    )


def test_tails_that_grow_with_the_hidden_units_and_tours_of_one_sweep():
    grown = {f"m-{hidden}": tours_of(hidden, mean, means=True) for hidden, mean in ((8, 1.05), (32, 4.0), (16, 2.0))}
    found = las_vegas.figure_2a(**grown)
    assert judge(AT_LEAST_ZERO, found["lv-f2a-longer"]) == "reproduced"
    assert judge(AT_LEAST_ZERO, found["lv-f2a-heavy"]) == "reproduced"
    # Whatever the order of the models, the smallest is the one whose tours are short.
    assert found["lv-f2a-one"].value == pytest.approx(1 / 1.05, abs=0.03)
    assert found["lv-f2a-one-means"].value == pytest.approx(1 / 1.05, abs=0.03)
    assert "H = 8" in found["lv-f2a-one"].of
    fallen = {f"m-{hidden}": tours_of(hidden, mean, means=True) for hidden, mean in ((8, 9.0), (16, 4.0), (32, 1.5))}
    found = las_vegas.figure_2a(**fallen)
    assert judge(AT_LEAST_ZERO, found["lv-f2a-longer"]) == "not reproduced"
    assert judge(AT_LEAST_ZERO, found["lv-f2a-heavy"]) == "not reproduced"
    assert judge({"direction": "at_least", "threshold": 0.5}, found["lv-f2a-one"]) == "not reproduced"


def test_slopes_are_those_of_a_fit_by_least_squares():
    tours = {f"m-{hidden}": tours_of(hidden, hidden / 4.0, means=True) for hidden in (8, 16, 64)}
    x = np.log([8, 16, 64])
    y = [float(np.log(one["length"].sel(visible="draws")).mean()) for one in tours.values()]
    assert las_vegas.figure_2a(**tours)["lv-f2a-longer"].value == pytest.approx(np.polyfit(x, y, 1)[0], abs=1e-9)


def test_only_tours_of_one_sweep_count_for_ending_where_they_began():
    one = tours_of(8, 2.0, means=True, same=0.75)
    # Longer tours never count, whatever is said of them.
    one["same"] = one["same"].where(one["length"] == 1, 1)
    found = las_vegas.figure_2a(one=one, two=tours_of(16, 2.0, means=True))
    assert found["lv-f2a-same"].value == pytest.approx(0.75, abs=0.04)
    assert judge({"direction": "at_least", "threshold": 0.99}, found["lv-f2a-same"]) == "not reproduced"


def test_larger_sets_are_compared_with_the_smallest():
    found = las_vegas.figure_2b(tours_of(8, 4.0, rounds=(1, 4, 7)))
    longer = [1 - min(1.0, np.sqrt(rounds) / 4.0) for rounds in (1, 7)]
    assert found["lv-f2b-shorter"].value == pytest.approx(longer[1] / longer[0], rel=0.1)
    assert judge({"direction": "at_most", "threshold": 0.9}, found["lv-f2b-shorter"]) == "reproduced"
    same = las_vegas.figure_2b(tours_of(8, 4.0, rounds=(1, 1)))
    assert judge({"direction": "at_most", "threshold": 0.9}, same["lv-f2b-shorter"]) == "not reproduced"


def test_digits_are_compared_with_all_others():
    tours = tours_of(8, of_label={1: 1.1, 6: 1.1, 4: 9.0, 8: 9.0})
    found = las_vegas.figure_2c(tours)
    logs, label = np.log(tours["length"].values[0, 0]), tours["label"].values
    for name, digits in (("short", (1, 6)), ("long", (4, 8))):
        chosen = np.isin(label, digits)
        assert found[f"lv-f2c-{name}"].value == pytest.approx(logs[chosen].mean() - logs[~chosen].mean())
    assert judge(AT_MOST_ZERO, found["lv-f2c-short"]) == "reproduced"
    assert judge(AT_LEAST_ZERO, found["lv-f2c-long"]) == "reproduced"
    found = las_vegas.figure_2c(tours_of(8, of_label={1: 9.0, 6: 9.0, 4: 1.1, 8: 1.1}))
    assert judge(AT_MOST_ZERO, found["lv-f2c-short"]) == "not reproduced"
    assert judge(AT_LEAST_ZERO, found["lv-f2c-long"]) == "not reproduced"
    found = las_vegas.figure_2c(tours_of(8, 3.0))
    assert {judge(AT_MOST_ZERO, found[f"lv-f2c-{name}"]) for name in ("short", "long")} == {"undecided at this scale"}


def test_images_of_short_and_of_long_tours():
    tours = tours_of(8, 6.0)
    found = las_vegas.figure_3(tours)
    lengths = tours["length"].values[0, 0]
    expected = tours["log_f"].values[lengths == 1].mean() - tours["log_f"].values[lengths > 10].mean()
    assert found["lv-f3-odd"].value == pytest.approx(expected)
    assert judge(AT_LEAST_ZERO, found["lv-f3-odd"]) == "reproduced"
    assert judge(AT_MOST_ZERO, found["lv-f3-thick"]) == "reproduced"
    tours["log_f"], tours["ink"] = -tours["log_f"], -tours["ink"]
    found = las_vegas.figure_3(tours)
    assert judge(AT_LEAST_ZERO, found["lv-f3-odd"]) == "not reproduced"
    assert judge(AT_MOST_ZERO, found["lv-f3-thick"]) == "not reproduced"
    never = tours_of(8, 1.0)
    assert judge(AT_LEAST_ZERO, las_vegas.figure_3(never)["lv-f3-odd"]) == "not tested"


def estimates_of(bias, spread, reach, replicates=12, seed=0):
    """log Z by 10, 100 and 1000 tours: a bias and a spread at each number, intervals of half width `reach`."""
    noise = np.random.default_rng(seed).standard_normal((replicates, 3))
    log_z = 50.0 + np.array(bias) + noise * np.array(spread)
    over = ("replicate", "tours")
    return xr.Dataset(
        {"log_z": (over, log_z), "low": (over, log_z - reach), "high": (over, log_z + reach), "exact": ((), 50.0)},
        coords={"tours": [10, 100, 1000]},
    )


def test_log_z_by_tours_is_judged_at_its_end():
    good = {name: estimates_of([0, 0, 0], [0.5, 0.1, 0.02], 0.06, seed=place) for place, name in enumerate("ab")}
    found = las_vegas.figure_4(**good)
    assert judge({"direction": "at_most", "threshold": 0.1}, found["lv-f4-truth"]) == "reproduced"
    assert judge({"direction": "at_most", "threshold": 0.5}, found["lv-f4-converges"]) == "reproduced"
    assert judge({"direction": "at_least", "threshold": 0.8}, found["lv-f4-covers"]) == "reproduced"
    assert "1,000 tours" in found["lv-f4-truth"].of
    off = las_vegas.figure_4(a=estimates_of([-0.4, -0.4, -0.4], [0.02, 0.02, 0.02], 0.06))
    assert off["lv-f4-truth"].value == pytest.approx(0.4, abs=0.03)
    assert off["lv-f4-converges"].value == pytest.approx(1.0, abs=0.1)
    assert judge({"direction": "at_most", "threshold": 0.1}, off["lv-f4-truth"]) == "not reproduced"
    assert judge({"direction": "at_most", "threshold": 0.5}, off["lv-f4-converges"]) == "not reproduced"
    assert judge({"direction": "at_least", "threshold": 0.8}, off["lv-f4-covers"]) == "not reproduced"


def training_of(levels, runs=8, seed=0, spread=0.1, shared=2.0):
    """Log-likelihoods over rates: levels at each, a noise that all trainers share, and one of their own."""
    common = np.random.default_rng(99).standard_normal(runs)
    own = np.random.default_rng(seed).standard_normal((len(levels), runs))
    values = np.array(levels)[:, None] + shared * common + spread * own
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
        "lvs-10": training_of([-139.5, -150], seed=6),
    }
    found = las_vegas.table("lv-t2")(**runs)
    expected = {"cd-1": 30.0, "cd-10": 20.0, "pcd-1": 1.0, "pcd-10": -1.0, "k": 0.5}
    for name, lead in expected.items():
        assert found[f"lv-t2-{name}"].value == pytest.approx(lead, abs=0.5)
    # A nat is seen because runs are paired: what they share is twenty times as large as what they do not.
    said = {name: judge(AT_LEAST_ZERO, found[f"lv-t2-{name}"]) for name in expected}
    assert said["pcd-1"] == said["cd-1"] == "reproduced" and said["pcd-10"] == "not reproduced"
    assert judge({"direction": "at_most", "threshold": 1.0}, found["lv-t2-k"]) == "reproduced"


def test_the_best_rate_is_chosen_on_validation_data_without_rates_that_diverged():
    one = training_of([-150, -140, -130], spread=0.0)
    one["log_likelihood"][2, 0] = np.nan
    rate, likelihood = las_vegas.at_best_rate(one)
    assert rate == 0.1 and likelihood.sel(split="test").mean() == pytest.approx(-140, abs=2.0)
    one["log_likelihood"].loc[{"split": "validation", "rate": 0.01}] = 0.0
    assert las_vegas.at_best_rate(one)[0] == 0.01
    lost = las_vegas.table("t")(**dict.fromkeys(("cd-1", "cd-10", "pcd-1", "pcd-10", "lvs-1", "lvs-10"), one * np.nan))
    assert judge(AT_LEAST_ZERO, lost["t-cd-1"]) == "not tested"
