"""Predicted costs: the work that trainers count, and every figure and table at the quick scale."""

import numpy as np
import pytest
from projects import catalogue_of

from logzoo.estimators.estimator_registry import ESTIMATORS
from logzoo.models.known.families import known
from logzoo.training.contrastive import MOST_SWEEPS
from logzoo.training.trainers import train_rbm
from replication import costs
from replication.models import known_settings, models_from, truth_from
from replication.papers.experiment import MOST_TOUR, SWEEP, shape_of, training_most, training_work
from replication.papers.zoo.families import matrix_places

V, HIDDEN, BATCH, UPDATES = 12, 5, 10, 20
DATA = np.random.default_rng(0).integers(0, 2, (40, V)).astype(np.uint8)
TRAININGS = [
    ("pcd", {"k": 2, "particles": 7}),
    ("sml-pt", {"particles": 4, "rungs": 3, "k": 2}),
    ("ins", {"k": 2, "particles": 3, "temperatures": [1, 2, 3, 4, 5]}),
    ("sml-apt", {}),
    ("pt", {}),
    ("pins", {"group": 2}),
]


@pytest.mark.parametrize(("method", "options"), TRAININGS)
def test_a_training_visits_as_many_weights_as_its_trace_counts(method, options):
    train = {"method": method, "hidden": HIDDEN, "updates": UPDATES, "batch": BATCH, "learning_rate": 0.01}
    chain_sweeps = float(train_rbm(DATA, seed=1, **train, **options).trace["chain_sweeps"][-1])
    work = training_work({**train, "options": options}, V)
    assert work == {"training": (chain_sweeps + UPDATES * BATCH) * (V * HIDDEN + SWEEP)}


def test_chains_that_travel_the_ladder_are_counted_once():
    options = {"k": 2, "particles": 6, "rungs": 5}
    train = {"method": "rmsprop", "hidden": HIDDEN, "updates": UPDATES, "batch": BATCH, "options": options}
    work = training_work(train, V)
    # The work leaves out the 500 sweeps that settle log Zhat before the first update.
    assert work == {"training": UPDATES * (BATCH + 6 * 2) * (V * HIDDEN + SWEEP)}


def jobs_of(*configuration):
    """{path below the data: job} behind everything that a configuration shows."""
    catalogue = catalogue_of(*configuration)
    jobs = costs.jobs_behind(catalogue, catalogue.files)
    return {path.removeprefix(catalogue.data): job for path, job in jobs.items()}


def test_no_job_of_the_quick_scale_can_take_longer_on_the_digits_than_the_whole_run_on_real_data():
    # The 8 x 8 digits stand in for all data sets.
    sizes = {"visible": 64, "splits": {"train": 1297, "validation": 250, "test": 250}}
    real, digits = jobs_of(), jobs_of({"datasets": dict.fromkeys(catalogue_of().config["datasets"], sizes)})
    assert set(real) == set(digits) and len(digits) > 300
    most = {path: job.most_seconds for path, job in digits.items()}
    assert sum(most.values()) <= sum(costs.seconds_of(job.work) for job in real.values())
    assert max(most.values()) < 120


@pytest.mark.parametrize("options", [{"k": 3, "particles": 5, "warm_up": 1}, {"k": None}])
def test_a_training_by_tours_that_never_return_stays_below_what_it_may_cost(options):
    settings, options = {"hidden": 40, "updates": 8, "batch": BATCH, "learning_rate": 1e-6}, {"warm_up": 0, **options}
    trace = train_rbm(DATA, "lvs", seed=1, **settings, **options).trace
    (most,) = training_most({"method": "lvs", **settings, "options": options}, V, len(DATA)).values()
    spent = float(trace["chain_sweeps"][-1]) + settings["updates"] * BATCH
    assert spent * (V * settings["hidden"] + SWEEP) <= most
    if options["k"]:
        # The test needs a stopping set for every update.
        assert spent > settings["updates"] * len(DATA) / 2
    assert MOST_TOUR == MOST_SWEEPS


def test_the_table_has_the_cost_of_every_figure_and_table():
    catalogue = catalogue_of()
    lines = costs.table_of_costs(catalogue).splitlines()
    rows = {line.split()[0]: line.split() for line in lines[1:]}
    assert set(rows) == {*catalogue.shown, "everything"}
    hours, most = ({name: float(row[at].replace(",", "")) for name, row in rows.items()} for at in (-3, -1))
    assert all(most[name] >= hours[name] for name in rows)
    shown = [hours[name] for name in catalogue.shown]
    # Each picture, table and verdict has a job of its own, which takes START at least.
    assert hours["everything"] * 3600 > costs.START * int(rows["everything"][-4].replace(",", ""))
    assert int(rows["everything"][-4].replace(",", "")) > len(jobs_of()) > 2 * len(catalogue.shown)
    # Figures share models and estimates, which "everything" counts once.
    assert max(shown) <= hours["everything"] < 0.9 * sum(shown)
    judged = {name: hours[name] for name in catalogue.verdicts}
    assert costs.core_hours(catalogue) == pytest.approx(judged, abs=0.01)


def test_known_models_have_their_place_their_truth_and_their_cost():
    catalogue = catalogue_of()
    config, places = catalogue.config, matrix_places(catalogue.config)
    for model in ("twins", "wide-narrow", "hopfield", "ising-torus", "planar-glass"):
        assert places[model] == {"family": model, "dataset": model, "trainer": "known"}
        assert truth_from(config, model) == "known"
        jobs = costs.jobs_behind(catalogue, [f"data/quick/truths/{model}.nc"])
        assert set(jobs) == {f"data/{kind}/{model}.nc" for kind in ("quick/truths", "quick/models", "datasets")}
        assert {costs.seconds_of(job.work) for job in jobs.values()} == {costs.seconds_of({})}
        estimate = costs.jobs_behind(catalogue, [f"data/quick/estimates/{model}/ais.nc"])
        weights = np.prod(shape_of(config, model))
        # One job makes all estimates of a model; several estimators share some of its runs.
        alone = 330 * 3 * 30 * (weights + SWEEP)
        assert alone < estimate[f"data/quick/estimates/{model}/ais.nc"].work["sampling"] < len(ESTIMATORS) * alone
    assert truth_from(config, "mnist-cd25-500") == "long runs" and truth_from(config, "mnist-10") == "enumeration"


def test_configured_sizes_are_those_of_the_models():
    for file in (None, "config/decisive.yaml", "config/paper.yaml"):
        config = catalogue_of(*[file] if file else []).config
        for model in models_from(config, "known"):
            settings = known_settings(config, model)
            rbm = known(settings["family"], settings["seed"], **settings["options"]).rbm
            assert (rbm.visible, rbm.hidden) == shape_of(config, model)
