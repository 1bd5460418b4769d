"""Faults planted in the code, or in what it reads, that claims must not survive: three for each paper."""

import numpy as np
import xarray as xr
from scipy.special import expit
from test_experiments_las_vegas import images_of, random_rbm
from test_trackers import patterns

from logzoo.budgets import SweepLedger
from logzoo.datasets.splits import SPLITS
from logzoo.estimators.registry import estimator
from logzoo.models.exact import exact_log_z
from logzoo.models.rbm import RBM
from logzoo.paths import log_odds
from logzoo.samplers import tempering_chains as rule
from logzoo.samplers.replicas import InfiniteSwapping
from logzoo.samplers.stopping_sets import StoppingSet
from logzoo.streams import root_stream
from logzoo.trackers import kalman
from logzoo.training import train_rbm
from replication.papers.infinite_swapping import comparisons, f6, gradients
from replication.papers.infinite_swapping import f2 as distances
from replication.papers.las_vegas import classes, f2a, f2c, tours
from replication.papers.las_vegas import f4 as by_tours
from replication.papers.las_vegas.tour_estimates import tour_estimates
from replication.papers.rts import f1, f3, initial, mixture
from replication.papers.rts import f6 as step_sizes
from replication.papers.tracking import f4b, t1
from replication.papers.tracking.snapshots import check_snapshots
from replication.reporting.statistics import Statistic
from replication.reporting.verdicts import NOT_REPRODUCED, REPRODUCED, UNDECIDED, judge

STREAM = root_stream(11)


def verdict(figure, artifacts, key):
    return judge(figure.CLAIMS[key].bounds, figure.statistics(artifacts)[key])


def first_iterations():
    rbm = random_rbm(20, 6, scale=1.5)
    data = {"data": ("example", "unit"), "split": "example"}
    examples = np.random.default_rng(1).integers(0, 2, (30, 20)).astype(np.uint8)
    dataset = xr.Dataset(
        {"data": (data["data"], examples), "split": (data["split"], np.full(30, SPLITS.index("train")))}
    )
    sizes = {"rungs": 40, "sweeps": 20, "iterations": 6, "replicates": 6, "chains": 20, "stream": STREAM}
    return {"iterations": initial.run({"model": rbm.to_dataset(), "dataset": dataset}, **sizes)}


def test_rts_whose_occupancy_is_of_visits_alone_is_as_noisy_as_plain_counts(monkeypatch):
    assert verdict(f1, first_iterations(), "noise") == REPRODUCED
    of_visits = rule.mean_occupancy
    monkeypatch.setattr(rule, "mean_occupancy", lambda sums, rao_blackwell: of_visits(sums, False))
    assert verdict(f1, first_iterations(), "noise") == NOT_REPRODUCED


def sandwich(**shifts):
    """Runs of AIS and RAISE at a few sweeps, off by so much."""
    rbm, budgets = random_rbm(20, 8, scale=3.0), [3, 5]
    options = {"ais": {"base": "uniform"}, "raise": {"base": "uniform", "data": np.eye(20, dtype=np.uint8)}}

    def found(method):
        run = estimator(method)
        return [
            [
                run(rbm, SweepLedger(budget, 40), STREAM.child(method, budget, number), options[method]).log_z
                for number in range(8)
            ]
            for budget in budgets
        ]

    runs = {name: np.array(found(name)) + shifts.get(name, 0.0) for name in options}
    estimates = {
        name: xr.Dataset({"log_z": (("budget", "replicate"), log_z)}, coords={"budget": budgets})
        for name, log_z in (runs | {"rts": runs["ais"]}).items()
    }
    truth = xr.Dataset({"log_z": exact_log_z(rbm), "std_error": 0.0})
    return {"truths": {"mnist-100": truth}, "estimates": {"mnist-100": estimates}}


def test_an_estimator_with_a_bias_breaks_the_sandwich():
    assert verdict(f3, sandwich(), "below-small") == verdict(f3, sandwich(), "above-small") == REPRODUCED
    assert verdict(f3, sandwich(ais=20.0), "below-small") == NOT_REPRODUCED
    assert verdict(f3, sandwich(**{"raise": -20.0}), "above-small") == NOT_REPRODUCED


def test_adapted_steps_that_hardly_move_give_no_better_log_z(monkeypatch):
    settings = {"chains": 4, "rungs": 40, "ladder": "geometric", "initial_draws": 50, "initial_iterations": 4}
    settings |= {"draws": 1200, "replicates": 12, "stream": STREAM}
    settings |= {"tuning": {"adaptation_draws": 200, "pilot_draws": 50, "pilot_iterations": 6}}
    assert verdict(step_sizes, {"mixture": mixture.steps({}, **settings)}, "error") == REPRODUCED
    tuned = mixture.tune

    def stuck(*arguments, **options):
        sizes = tuned(*arguments, **options)
        return sizes._replace(adaptive=0.02 * sizes.adaptive)

    monkeypatch.setattr(mixture, "tune", stuck)
    assert verdict(step_sizes, {"mixture": mixture.steps({}, **settings)}, "error") != REPRODUCED


DATA = {"train": patterns(300)[:200], "validation": patterns(250)[200:], "test": patterns(300)[250:]}


def followed():
    """A training that the Kalman filter followed, checked by enumeration at twenty updates."""
    settings = {"hidden": 6, "updates": 4000, "batch": 20, "particles": 20, "rungs": 5, "learning_rate": 0.05}
    settings |= {"snapshots": 20, "every": 200, "validation": DATA["validation"], "tracker": "kalman"}
    run = train_rbm(DATA["train"], "sml-pt", **settings)
    numbers = {"base": log_odds(DATA["train"]), "sweeps": 10, "chains": 10, "stream": STREAM}
    return {"check": check_snapshots(run.snapshots, run.trace, DATA, check="exact", **numbers)}


def test_importance_weights_upside_down_lead_the_tracker_away(monkeypatch):
    assert verdict(f4b, followed(), "close") == REPRODUCED
    weighed = kalman.importance_sampling
    monkeypatch.setattr(kalman, "importance_sampling", lambda before, after: weighed(after, before))
    monkeypatch.setattr(kalman.KalmanTracker, "particles_moved", only_remember)
    # It takes the first model for the best.
    assert verdict(f4b, followed(), "late") == NOT_REPRODUCED


def only_remember(self, particles, exchanges):
    """What a filter does that never learns from the exchanges."""
    self.log_f = particles.own_log_f(exchanges)


def test_a_filter_that_is_stuck_does_not_stay_with_the_truth(monkeypatch):
    monkeypatch.setattr(kalman, "predicted", lambda mean, covariance, *_: (mean, covariance))
    monkeypatch.setattr(kalman.KalmanTracker, "particles_moved", only_remember)
    assert verdict(f4b, followed(), "close") == NOT_REPRODUCED


def test_gains_of_shuffled_data_sets_are_not_in_the_published_order():
    gains = np.linspace(5.0, 60.0, 8)

    def models(order):
        return {
            f"set-{place}": xr.Dataset(
                {
                    "test_log_likelihood_ais": -100.0 + gains[place],
                    "test_log_likelihood_tracked": -100.0 + gains[place],
                    "test_log_likelihood_independent": -100.0,
                    "ais_std_error": 0.2,
                    "tracked_std_dev": 0.2,
                },
                attrs={"published_ais": -100.0 + gains[other] + 1.0, "published_three_sigma": 1.0},
            )
            for place, other in enumerate(order)
        }

    assert verdict(t1, {"best": models(range(8))}, "order") == REPRODUCED
    shuffled = np.random.default_rng(2).permutation(8)
    assert verdict(t1, {"best": models(shuffled)}, "order") == NOT_REPRODUCED


HEBBIAN = 2.5 * np.outer(np.repeat([1.0, -1.0], 4), np.ones(4))
TWO_MODES = RBM(HEBBIAN, -0.5 * HEBBIAN.sum(axis=1), -0.5 * HEBBIAN.sum(axis=0))
SAMPLERS = {
    "pcd": {"temperatures": [1.0]},
    "pt": {"temperatures": [1.0, 2.0, 4.0], "group": "in-turn", "density": "joint"},
    "ins": {"temperatures": [1.0, 2.0, 4.0], "density": "joint"},
}


def running_gradients():
    """Distances to the exact gradient of a model of two modes far apart."""
    sizes = {"ladders": 4, "steps": 400, "repeats": 60, "points": 10, "stream": STREAM}
    return {"gradients": gradients.gradient_distances({"early": TWO_MODES, "late": TWO_MODES}, SAMPLERS, **sizes)}


class Unweighted(InfiniteSwapping):
    """Infinite swapping that lets every replica count alike, whatever the weights of eq 8."""

    def move_and_sum(self, first, last, sums):
        """As its parent, sweep by sweep."""
        for sweep in range(first, last):
            super().move_and_sum(sweep, sweep + 1, np.zeros((0, 0)))
            v = self.chains.v.astype(float)
            h = expit(v @ TWO_MODES.weights + TWO_MODES.hidden_bias)
            v, h = (layer.reshape(len(sums), -1, layer.shape[1]) for layer in (v, h))
            parts = np.einsum("gci,gcj->gij", v, h).reshape(len(sums), -1), v.sum(axis=1), h.sum(axis=1)
            sums += np.concatenate(parts, axis=1) / self.betas.size


def test_replicas_that_all_count_alike_are_far_from_the_gradient(monkeypatch):
    assert verdict(distances, running_gradients(), "late") != NOT_REPRODUCED
    made = gradients.InfiniteSwapping

    def chosen(*arguments, **settings):
        whole = "group" not in settings and len(settings["temperatures"]) > 1
        return (Unweighted if whole else made)(*arguments, **settings)

    monkeypatch.setattr(gradients, "InfiniteSwapping", chosen)
    assert verdict(distances, running_gradients(), "late") == NOT_REPRODUCED


def test_ladders_that_never_exchange_are_no_closer_than_a_single_chain(monkeypatch):
    assert verdict(distances, running_gradients(), "pcd") == REPRODUCED
    monkeypatch.setitem(SAMPLERS, "pt", SAMPLERS["pcd"])
    assert verdict(distances, running_gradients(), "pcd") != REPRODUCED


def trainings(shuffle=False):
    """Repeats of a training on patterns with a label each, of which INS may be told another's."""
    labels = np.random.default_rng(3).integers(0, 3, 240)
    patches = np.repeat(np.eye(3, dtype=np.uint8)[labels], 3, axis=1)
    told = np.random.default_rng(4).permutation(labels) if shuffle else labels
    runs = {}
    for name in ("pcd", "pt", "ins"):
        seen = np.hstack([patches, np.eye(3, dtype=np.uint8)[told if name == "ins" else labels]])
        true = np.hstack([patches, np.eye(3, dtype=np.uint8)[labels]])

        def train(repeat, method="pcd" if name == "pcd" else name, seen=seen):
            settings = {"hidden": 4, "updates": 600, "batch": 20, "learning_rate": 0.1, "snapshots": 10, "every": 60}
            return train_rbm(seen, method, seed=repeat, **settings)

        runs[name] = comparisons.repeated_training(train, true, 3, repeats=6, subset=100, stream=STREAM)
    return {"runs": {"mnist": runs, "toy": runs}}


def test_a_trainer_that_was_told_shuffled_labels_does_not_classify_as_well():
    assert verdict(f6, trainings(), "toy") == REPRODUCED
    assert verdict(f6, trainings(shuffle=True), "toy") == NOT_REPRODUCED


def log_z_by_tours():
    rbm = random_rbm(10, 6, 0.7)
    settings = {"cap": 10_000, "sweeps": 10**6, "points": 5, "replicates": 8, "chains": 10, "shares": [1.0]}
    data = images_of(10, 25).data
    found = tour_estimates(rbm, data, np.zeros(10), {}, tours=3000, stream=STREAM, **settings)
    truth = xr.Dataset({"log_z": exact_log_z(rbm), "std_error": 0.0})
    return {"estimates": {"one": found}, "truths": {"one": truth}}


def test_a_stopping_set_that_weighs_too_much_moves_log_z(monkeypatch):
    assert verdict(by_tours, log_z_by_tours(), "truth") == REPRODUCED
    right = StoppingSet.log_z.fget
    monkeypatch.setattr(StoppingSet, "log_z", property(lambda self: right(self) + np.log(2.0)))
    artifacts = log_z_by_tours()
    assert verdict(by_tours, artifacts, "truth") == verdict(by_tours, artifacts, "covers") == NOT_REPRODUCED


def lengths_of(hidden, scale):
    images = images_of(9, 40)
    settings = {"rounds": [1], "visible": ["draws", "means"], "batches": 12, "batch": 30, "cap": 50, "shown": 4}
    return tours.tour_lengths(random_rbm(9, hidden, scale), images, stream=STREAM, **settings)


def test_tours_that_all_end_at_once_do_not_grow_with_the_hidden_units():
    sound = {str(hidden): lengths_of(hidden, 1.0) for hidden in (4, 12)}
    assert verdict(f2a, {"tours": sound}, "longer") == REPRODUCED
    stuck = {name: one.assign(length=one["length"] * 0 + 1) for name, one in sound.items()}
    assert verdict(f2a, {"tours": stuck}, "longer") == UNDECIDED


def test_lengths_of_tours_from_shuffled_digits_tell_no_digit_from_another():
    generator = np.random.default_rng(5)
    label = generator.integers(0, 10, 2000)
    mean = np.where(np.isin(label, (4, 8)), 6.0, np.where(np.isin(label, (1, 6)), 1.2, 3.0))
    length = generator.geometric(1.0 / mean)
    lengths = {"draws": length, "means": length}
    one = classes.counted(lengths, label, np.arange(2000), 1000)
    assert {verdict(f2c, {"tours": one}, key) for key in f2c.CLAIMS} == {REPRODUCED}
    shuffled = classes.counted(lengths, generator.permutation(label), np.arange(2000), 1000)
    assert {verdict(f2c, {"tours": shuffled}, key) for key in f2c.CLAIMS} <= {UNDECIDED, NOT_REPRODUCED}


def test_a_statistic_on_the_bound_without_any_spread_decides_nothing():
    for bounds in ({"at_least": 0.0}, {"at_most": 0.0}):
        assert judge(bounds, Statistic(0.0, 0.0, 0.0, "slope")) == UNDECIDED
        assert judge(bounds, Statistic(0.0, -1.0, 1.0, "slope")) == UNDECIDED
    assert judge({"at_least": 0.0}, Statistic(1.0, 1.0, 1.0, "slope")) == REPRODUCED
