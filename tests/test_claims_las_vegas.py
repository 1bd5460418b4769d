"""Statistics behind the claims on tours and LVS, on data made to order, and faults that turn a verdict."""

import numpy as np
import pytest
import xarray as xr
from nulls_las_vegas import tours_of, training_of
from test_experiments_las_vegas import images_of
from twins import shaped_rbm

from logzoo.models.exact_sums import exact_log_z
from logzoo.samplers.stopping_sets import StoppingSet
from logzoo.streams import root_stream
from replication.papers.las_vegas import lv_f2c as f2c
from replication.papers.las_vegas import lv_f4 as f4
from replication.papers.las_vegas import lv_images, lv_tails, lv_trainings
from replication.papers.las_vegas.lv_estimates import tour_estimates
from replication.papers.las_vegas.lv_lengths import with_means
from replication.papers.las_vegas.lv_tours import tours_at
from replication.papers.las_vegas.lv_trainings import at_best_rate
from replication.reporting.verdicts import NOT_REPRODUCED, NOT_TESTED, REPRODUCED, judge

f1, f3, f2a, f2b = *lv_images.FIGURES.values(), *lv_tails.FIGURES.values()
t1, t2 = lv_trainings.FIGURES.values()
LIKELIHOODS = {"cd-1": [-170, -175], "cd-10": [-160, -165], "pcd-1": [-141, -150], "pcd-10": [-141.5, -145]}
LIKELIHOODS |= {"lvs-1": [-150, -140], "lvs-3": [-150, -139], "lvs-10": [-150, -139.5]}


def verdict(claims, key, statistics):
    return judge(claims[key].bounds, statistics[key])


def trainings(*means, hidden=16, **settings):
    return {f"m-{seed}": tours_of(hidden, mean, seed=seed, **settings) for seed, mean in enumerate(means)}


def test_tails_that_grow_with_the_hidden_units_and_tours_of_one_sweep():
    by_size = {8: (1.05, 1.06, 1.04, 1.05, 1.05), 32: (4.0, 4.1, 3.9, 4.2, 4.0, 4.0), 16: (2.0, 2.1, 1.9, 2.0, 2.0)}
    grown = {f"m-{hidden}": trainings(*means, hidden=hidden) for hidden, means in by_size.items()}
    result = f2a.statistics({"tours": grown})
    assert verdict(f2a.claims, "longer", result) == verdict(f2a.claims, "one", result) == REPRODUCED
    # In any order of the models, `one` is from the smallest model, and `apart` from the largest.
    assert result["one"].value == 1.0 and result["one"].number == 5
    assert result["apart"].value == pytest.approx(4.0, abs=1.0)
    x = np.log([8, 16, 32])
    y = [np.mean([np.log(with_means(one)).mean() for one in grown[f"m-{hidden}"].values()]) for hidden in (8, 16, 32)]
    assert result["longer"].value == pytest.approx(np.polyfit(x, y, 1)[0], abs=1e-9)
    inverse = {hidden: [3 / mean for mean in means] for hidden, means in by_size.items()}
    fallen = {f"m-{hidden}": trainings(*means, hidden=hidden) for hidden, means in inverse.items()}
    assert verdict(f2a.claims, "longer", f2a.statistics({"tours": fallen})) == NOT_REPRODUCED
    # Chains that never leave their state: every tour takes one sweep.
    stuck = {f"m-{hidden}": trainings(1, 1, 1, 1, 1, hidden=hidden) for hidden in (8, 16, 32)}
    assert verdict(f2a.claims, "longer", f2a.statistics({"tours": stuck})) == "undecided at this scale"


def test_only_tours_of_one_sweep_count_for_ending_where_they_began():
    shown = trainings(2, 2, 2, 2, 2, same=0.75)
    for one in shown.values():
        one["same"] = one["same"].where(one["length"] == 1, 1)
    result = f2a.statistics({"tours": {"one": shown}})
    assert result["same"].value == pytest.approx(0.75, abs=0.03)
    assert verdict(f2a.claims, "same", result) == NOT_REPRODUCED
    # All sizes count together.
    result = f2a.statistics({"tours": {"one": shown, "two": trainings(2, 2, 2, 2, 2, hidden=32)}})
    assert result["same"].value == pytest.approx(0.875, abs=0.03)


def test_old_tours_of_a_geometric_tail_return_as_often_as_younger_ones():
    result = f2a.statistics({"tours": {"one": trainings(30, 30, 30, 30, 30, cap=200)}})["geometric"]
    assert result.value == pytest.approx(1.0, abs=0.1) and result.low < 1.0 < result.high
    never = f2a.statistics({"tours": {"one": trainings(1, 1, 1, 1, 1)}})
    assert judge({}, never["geometric"]) == judge({}, never["apart"]) == NOT_TESTED


def test_larger_sets_are_compared_with_the_smallest():
    result = f2b.statistics({"tours": trainings(4, 4, 4, 4, 4, rounds=(1, 4, 7))})["shorter"]
    longer = [1 - min(1.0, np.sqrt(rounds) / 4.0) for rounds in (1, 7)]
    assert result.value == pytest.approx(longer[1] / longer[0], rel=0.1)
    assert judge(f2b.claims["shorter"].bounds, result) == REPRODUCED
    swapped = {name: one.isel(rounds=[1, 0]) for name, one in trainings(4, 4, 4, 4, 4, rounds=(1, 7)).items()}
    assert verdict(f2b.claims, "shorter", f2b.statistics({"tours": swapped})) == NOT_REPRODUCED


def test_digits_that_are_learned_well_are_compared_with_those_that_are_not():
    tours = trainings(3, 3, 3, 3, 3, of_label={1: 1.1, 6: 1.1, 4: 9.0, 8: 9.0})
    result = f2c.statistics({"tours": tours})
    logs = []
    for one in tours.values():
        length, label = np.log(with_means(one)), one["label"].values
        means = {digit: length[label == digit].mean() for digit in (1, 6, 4, 8)}
        logs.append((means[1] + means[6] - means[4] - means[8]) / 2)
    assert result["digits"].value == pytest.approx(np.mean(logs))
    assert verdict(f2c.CLAIMS, "digits", result) == REPRODUCED
    # With shuffled labels a digit has no information.
    shuffled = {}
    for seed, (name, one) in enumerate(tours.items()):
        label = one["label"]
        shuffled[name] = one.assign(label=label.copy(data=np.random.default_rng(seed).permuted(label.values)))
    assert verdict(f2c.CLAIMS, "digits", f2c.statistics({"tours": shuffled})) == "undecided at this scale"


def test_images_of_short_and_of_unfinished_tours():
    tours = trainings(6, 6, 6, 6, 6, cap=10, stroke=lambda length: 2.0 + 0.1 * (length >= 10))
    result = f3.statistics({"tours": tours})
    assert result["thick"].value == pytest.approx(-0.1, abs=0.02)
    assert verdict(f3.claims, "thick", result) == REPRODUCED
    # First draws of short tours are their images, those of long tours the opposite.
    assert result["unlike"].value == pytest.approx(2.0)
    thin = trainings(6, 6, 6, 6, 6, cap=10, stroke=lambda length: 2.0 - 0.1 * (length >= 10))
    assert verdict(f3.claims, "thick", f3.statistics({"tours": thin})) == NOT_REPRODUCED
    never = f3.statistics({"tours": trainings(1, 1, 1, 1, 1, cap=10)})
    assert verdict(f3.claims, "thick", never) == NOT_TESTED


def test_the_tour_at_a_sweep_is_found_and_is_longer_than_the_first():
    home = np.array([[1, 0, 0, 0, 0, 1], [0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 0]]).T
    first, held = tours_at(home.astype(bool), 3)
    assert first.tolist() == [1, 3, 5, 6] and held.tolist() == [5, 3, 5, 6]
    first, held = tours_at(home.astype(bool), 1)
    assert (first == held).all()
    generator = np.random.default_rng(0)
    lengths = np.where(generator.random((3000, 60)) < 0.7, 1, 3)
    home = np.zeros((60, 3000), bool)
    for chain, ends in enumerate(lengths.cumsum(axis=1)):
        home[ends[ends <= 60] - 1, chain] = True
    first, held = tours_at(home, 30)
    # Tours of 3 sweeps take 3 * 0.3 / (3 * 0.3 + 0.7) of the sweeps of a chain.
    assert np.mean(first == 3) == pytest.approx(0.3, abs=0.03) and np.mean(held == 3) == pytest.approx(0.56, abs=0.03)
    chains = xr.Dataset({"first": ("chain", first), "held": ("chain", held)})
    parts = {f"m-{part}": chains.isel(chain=slice(part, None, 5)) for part in range(5)}
    assert verdict(f1.claims, "inspection", f1.statistics({"inspected": parts})) == REPRODUCED


def likelihoods(levels=LIKELIHOODS):
    runs = {name: training_of(values, seed=seed) for seed, (name, values) in enumerate(levels.items())}
    return {"trainings": runs, "large": {"cd-1": training_of([-190], seed=8)}, "small": {"lvs-1": runs["lvs-1"]}}


def test_trainers_are_compared_run_by_run_at_their_best_rates():
    result = t1.statistics(likelihoods())
    # A difference of one nat is detected because runs are paired: their common noise is twenty times their own noise.
    assert result["better"].value == pytest.approx(1.0, abs=0.2) and verdict(t1.claims, "better", result) == REPRODUCED
    assert result["k"].value == pytest.approx(0.5, abs=0.2) and judge({}, result["k"]) == "estimate without a verdict"
    # The best rival counts, whichever it is.
    result = t1.statistics(likelihoods({**LIKELIHOODS, "pcd-10": [np.nan, -139]}))
    assert verdict(t1.claims, "better", result) == NOT_REPRODUCED
    published = dict(zip(LIKELIHOODS, (-166.6, -153.4, -152.1, -138.5, -133.3, -132.9, -132.6), strict=True))
    # All trainers share most of their noise.
    near, far = ({name: [level - off] for name, level in published.items()} for off in (0.0, 7.0))
    assert t1.statistics(likelihoods(near))["levels"].value < 2.0
    assert t1.statistics(likelihoods(far))["levels"].value > 5.0
    assert result["complexity"].value == 1.0
    few = likelihoods()
    runs = few["trainings"]
    runs["cd-1"] = runs["cd-1"].isel(run=slice(5))
    assert t1.statistics(few)["better"].value == pytest.approx(1.0, abs=0.2)
    runs["lvs-1"], runs["cd-1"] = runs["cd-1"], runs["lvs-1"]
    assert verdict(t1.claims, "better", t1.statistics(few)) == NOT_REPRODUCED


def test_each_trainer_is_best_at_the_rate_in_print():
    result = t2.statistics(likelihoods())
    assert result["rates"].value == pytest.approx(3.5, abs=0.3) and verdict(t2.claims, "rates", result) == REPRODUCED
    assert result["diverge"].value == pytest.approx(20.0, abs=0.3)
    assert result["small"].value == pytest.approx(0.1, abs=0.05)
    swapped = t2.statistics(likelihoods({**LIKELIHOODS, "lvs-3": [-139, -150]}))
    assert verdict(t2.claims, "rates", swapped) == NOT_REPRODUCED


def test_the_best_rate_is_chosen_on_validation_data_without_rates_that_diverged():
    one = training_of([-150, -140, -130], spread=0.0)
    one["log_likelihood"][2, 0] = np.nan
    best = at_best_rate(one)
    assert best["rate"] == 0.1 and best["log_likelihood"].sel(split="test").mean() == pytest.approx(-140, abs=2.0)
    one["log_likelihood"].loc[{"split": "validation", "rate": 0.01}] = 0.0
    assert at_best_rate(one)["rate"] == 0.01
    lost = t1.statistics({"trainings": dict.fromkeys(LIKELIHOODS, one * np.nan)})
    assert verdict(t1.claims, "better", lost) == NOT_TESTED


def log_z_by_tours():
    settings = {"cap": 10_000, "sweeps": 10**6, "points": 5, "replicates": 4, "chains": 10, "shares": [1.0]}
    data, estimates, truths = images_of(10, 25).data, {}, {}
    for seed in range(6):
        name, rbm = f"m-{seed}", shaped_rbm(10, 6, 0.7, seed)
        estimates[name] = tour_estimates(rbm, data, np.zeros(10), {}, tours=1000, stream=root_stream(seed), **settings)
        truths[name] = xr.Dataset({"log_z": exact_log_z(rbm), "std_error": 0.0})
    return {"estimates": {"state": estimates}, "truths": {"state": truths}}


def test_log_z_by_tours_is_judged_at_its_end_and_a_stopping_set_that_weighs_too_much_moves_it(monkeypatch):
    right = f4.statistics(log_z_by_tours())
    assert verdict(f4.CLAIMS, "converges", right) == REPRODUCED
    assert right["truth"].value < 0.2 and right["covers"].value > 0.8
    of_set = StoppingSet.log_z.fget
    monkeypatch.setattr(StoppingSet, "log_z", property(lambda self: of_set(self) + np.log(20.0)))
    artifacts = log_z_by_tours()
    wrong = f4.statistics(artifacts)
    assert verdict(f4.CLAIMS, "converges", wrong) != REPRODUCED
    assert wrong["truth"].value == pytest.approx(np.log(20.0), abs=0.2) and wrong["covers"].value < 0.1
    # An error within the uncertainty of the truth is no failure.
    for truth in artifacts["truths"]["state"].values():
        truth["std_error"] = 3.0
    unsure = f4.statistics(artifacts)
    assert unsure["truth"].low < 0.2 and unsure["covers"].value == 1.0
    # RBMs whose log Z is not known do not count.
    first, *others = artifacts["truths"]["state"].values()
    first.attrs["converged"] = 0
    assert np.isfinite(f4.statistics(artifacts)["converges"].low)
    for truth in others:
        truth.attrs["converged"] = 0
    assert verdict(f4.CLAIMS, "converges", f4.statistics(artifacts)) == NOT_TESTED
