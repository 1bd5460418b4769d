"""Faults planted in the code, or in what it reads, that claims must not survive: one or two for each paper."""

import numpy as np
import xarray as xr
from test_experiments_las_vegas import random_rbm
from test_trackers import patterns

from logzoo.datasets.readers import SPLITS
from logzoo.paths import log_odds
from logzoo.samplers import tempering_chains as rule
from logzoo.streams import root_stream
from logzoo.training import trackers
from logzoo.training.trainers import train_rbm
from replication.papers.declaration import Declaration
from replication.papers.rts import rts_f1
from replication.papers.rts.rts_experiments import initial_iterations
from replication.papers.tracking import trk_f4b as f4b
from replication.papers.tracking.trk_runs import check_snapshots
from replication.reporting.verdicts import NOT_REPRODUCED, REPRODUCED, judge

STREAM = root_stream(11)


def verdict(figure, artifacts, key):
    claims = figure.claims if isinstance(figure, Declaration) else figure.CLAIMS
    return judge(claims[key].bounds, figure.statistics(artifacts)[key])


def first_iterations():
    rbm = random_rbm(20, 6, scale=1.5)
    data = {"data": ("example", "unit"), "split": "example"}
    examples = np.random.default_rng(1).integers(0, 2, (30, 20)).astype(np.uint8)
    dataset = xr.Dataset(
        {"data": (data["data"], examples), "split": (data["split"], np.full(30, SPLITS.index("train")))}
    )
    sizes = {"rungs": 40, "sweeps": 20, "iterations": 6, "replicates": 6, "chains": 20, "stream": STREAM}
    return {"iterations": initial_iterations({"model": rbm.to_dataset(), "dataset": dataset}, **sizes)}


def test_rts_whose_occupancy_is_of_visits_alone_is_as_noisy_as_plain_counts(monkeypatch):
    assert verdict(rts_f1, first_iterations(), "noise") == REPRODUCED
    of_visits = rule.mean_occupancy
    monkeypatch.setattr(rule, "mean_occupancy", lambda sums, rao_blackwell: of_visits(sums, False))
    assert verdict(rts_f1, first_iterations(), "noise") == NOT_REPRODUCED


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
    weighed = trackers.importance_sampling
    monkeypatch.setattr(trackers, "importance_sampling", lambda before, after: weighed(after, before))
    monkeypatch.setattr(trackers.KalmanTracker, "particles_moved", only_remember)
    # It takes the first model for the best.
    assert verdict(f4b, followed(), "late") == NOT_REPRODUCED


def only_remember(self, particles, exchanges):
    """What a filter does that never learns from the exchanges."""
    self.log_f = particles.own_log_f(exchanges)
