"""What runs will cost: work as the trainers and the ledger count it, rates as they were planted."""

import numpy as np
import pytest

from logzoo import costs
from logzoo.api import train_rbm
from logzoo.trainers.registry import TRAINERS

V, HIDDEN, BATCH, UPDATES = 12, 5, 10, 20
OPTIONS = {
    "cd": {"k": 3},
    "pcd": {"k": 2, "particles": 7},
    "sml-pt": {"particles": 4, "rungs": 3, "k": 2},
    "sml-apt": {"rungs": 4},
    "pt": {"temperatures": [1, 2, 3]},
    "ins": {"k": 2, "particles": 3},
    "pins": {},
    "rms-spectral": {"particles": 6, "k": 2, "rungs": 5},
    "rmsprop": {"particles": 6},
}


def settings(method, **options):
    return {"method": method, "hidden": HIDDEN, "updates": UPDATES, "batch": BATCH, "learning_rate": 0.01, **options}


@pytest.mark.parametrize("method", sorted(OPTIONS))
def test_a_training_visits_as_many_weights_as_its_trace_counts(method):
    data = np.random.default_rng(0).integers(0, 2, (40, V)).astype(np.uint8)
    run = train_rbm(data, seed=1, **settings(method, **OPTIONS[method]))
    work = costs.training(settings(method, **OPTIONS[method]), V)
    nested = costs.training({**settings(method), "options": OPTIONS[method]}, V)
    assert list(work) == [f"train {method}"] and nested == work
    chain_sweeps = float(run.trace["chain_sweeps"][-1])
    assert work[f"train {method}"] == (UPDATES, (chain_sweeps + UPDATES * BATCH) * V * HIDDEN)


@pytest.mark.parametrize("method", sorted(TRAINERS))
def test_every_trainer_has_work_that_grows_with_its_updates(method):
    works = [costs.training(settings(method) | {"updates": n}, V)[f"train {method}"] for n in (5, 50, 95)]
    steps, visits = np.array(works).T
    assert steps.tolist() == [5, 50, 95] and visits[0] > 0
    assert visits[2] - visits[1] == visits[1] - visits[0] > 0


def test_estimates_count_budgets_replicates_and_chains():
    one = {"budgets": [100, 200], "replicates": 3, "chains": 10}
    found = costs.estimates(
        {"a": {"method": "rts", **one}, "b": {"method": "rts", **one}, "c": {"method": "ais", **one}}, 6, 4
    )
    assert found == {"estimate rts": (1800, 1800 * 10 * 24), "estimate ais": (900, 900 * 10 * 24)}
    assert costs.enumeration(20, 4)["enumerate"].visits == 16 * 20


def planted(generator, rates, jobs=60, noise=0.0):
    """Jobs of random work, and the seconds they take at planted rates."""
    found = []
    for _ in range(jobs):
        kinds = generator.choice([kind for kind in rates if kind != costs.START], 2, replace=False)
        work = {costs.START: costs.Work(1.0)}
        work |= {kind: costs.Work(*10 ** generator.uniform((1, 7), (4, 10))) for kind in kinds}
        found.append((work, costs.seconds(work, rates) * np.exp(noise * generator.normal())))
    return found


RATES = {
    costs.START: {"step": 2.0, "visit": 0.0},
    "train pcd": {"step": 1e-3, "visit": 3e-9},
    "estimate rts": {"step": 0.0, "visit": 1e-9},
    "enumerate": {"step": 0.0, "visit": 2e-10},
}


def test_rates_are_found_again():
    found = costs.fitted(planted(np.random.default_rng(3), RATES))
    for kind, rate in RATES.items():
        assert found[kind] == pytest.approx(rate, rel=1e-6, abs=1e-15)


def test_rates_from_noisy_times_tell_times_that_they_have_not_seen():
    generator = np.random.default_rng(4)
    found = costs.fitted(planted(generator, RATES, noise=0.2))
    ratios = [costs.seconds(work, found) / taken for work, taken in planted(generator, RATES)]
    assert min(ratios) > 0.5 and max(ratios) < 2.0
    # The rates of another kind of work would not.
    swapped = {**found, "train pcd": found["enumerate"], "enumerate": found["train pcd"]}
    assert max(costs.seconds(work, swapped) / taken for work, taken in planted(generator, RATES)) > 3


def test_what_times_cannot_tell_apart_is_put_down_to_the_model():
    works = [{"a": costs.Work(n, 100.0 * n)} for n in (1.0, 10.0, 30.0)]
    assert costs.fitted([(work, work["a"].steps) for work in works])["a"] == pytest.approx({"step": 0.0, "visit": 0.01})
    works.append({"a": costs.Work(5.0, 5000.0)})
    assert costs.fitted([(work, work["a"].steps) for work in works])["a"]["step"] == pytest.approx(1.0)


def test_work_that_was_never_measured_is_refused_by_name():
    with pytest.raises(ValueError, match=r"no measured rate of train magic: run the quick scale.*measure_rates"):
        costs.seconds({"train magic": costs.Work(1.0)}, RATES)


def test_the_table_sums_up_and_names_the_longest():
    text = costs.table([("rts", "rts-f1", [3600.0, 1800.0], 300), ("", "everything", [36000.0], 2000)])
    assert text.splitlines()[1].split() == ["rts-f1", "rts", "2", "1.50", "1.00", "300"]
    assert text.splitlines()[2].split() == ["everything", "1", "10.00", "10.00", "2,000"]
