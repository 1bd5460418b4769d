"""What runs will cost: work as the trainers and the ledger count it, for every figure and table, at every scale."""

import numpy as np
import pytest
from projects import catalogue_of

from logzoo.api import train_rbm
from logzoo.papers.declaration import SWEEP, training_work
from logzoo.pipeline import costs

V, HIDDEN, BATCH, UPDATES = 12, 5, 10, 20
OPTIONS = {
    "cd": {"k": 3},
    "pcd": {"k": 2, "particles": 7},
    "sml-pt": {"particles": 4, "rungs": 3, "k": 2},
    "sml-apt": {"rungs": 4},
    "pt": {"temperatures": [1, 2, 3]},
    "ins": {"k": 2, "particles": 3, "temperatures": [1, 2, 3, 4, 5]},
}


@pytest.mark.parametrize("method", sorted(OPTIONS))
def test_a_training_visits_as_many_weights_as_its_trace_counts(method):
    train = {"method": method, "hidden": HIDDEN, "updates": UPDATES, "batch": BATCH, "learning_rate": 0.01}
    data = np.random.default_rng(0).integers(0, 2, (40, V)).astype(np.uint8)
    run = train_rbm(data, seed=1, **train, **OPTIONS[method])
    chain_sweeps = float(run.trace["chain_sweeps"][-1])
    work = training_work({**train, "options": OPTIONS[method]}, V)
    assert work == {"training": (chain_sweeps + UPDATES * BATCH) * (V * HIDDEN + SWEEP)}


def test_chains_that_travel_the_ladder_are_counted_once():
    train = {"method": "rmsprop", "hidden": HIDDEN, "updates": UPDATES, "batch": BATCH}
    work = training_work({**train, "options": {"k": 2, "particles": 6, "rungs": 5}}, V)
    # What settles log Zhat before the first update comes on top: it is 500 sweeps, whatever the updates.
    assert work == {"training": UPDATES * (BATCH + 6 * 2) * (V * HIDDEN + SWEEP)}


def test_unknown_work_has_a_stated_price():
    assert costs.seconds_of({"what nobody measured": 1e10}) == costs.START + 1e10 * costs.UNKNOWN
    assert costs.seconds_of({}) == costs.START


@pytest.mark.parametrize("files", [(), ("config/paper.yaml",)])
def test_a_cost_is_told_for_every_figure_and_table(files):
    catalogue = catalogue_of(*files)
    lines = costs.table_of_costs(catalogue).splitlines()
    rows = {line.split()[0]: line.split() for line in lines[1:]}
    assert set(rows) == {*catalogue.shown, "everything"}
    hours = {name: float(row[-2].replace(",", "")) for name, row in rows.items()}
    assert max(hours[name] for name in catalogue.shown) <= hours["everything"] < sum(hours.values())


def test_the_paper_scale_costs_more_in_all_that_it_makes_longer():
    quick, paper = (
        {
            path.removeprefix(catalogue.data): costs.seconds_of(experiment.work)
            for path, experiment in catalogue.experiments.items()
        }
        for catalogue in (catalogue_of(), catalogue_of("config/paper.yaml"))
    )
    both = set(quick) & set(paper)
    assert len(both) > 30
    assert all(paper[path] >= 0.99 * quick[path] for path in both)
    assert sum(paper[path] for path in both) > 5 * sum(quick[path] for path in both)
