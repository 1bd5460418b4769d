"""Faults planted in the code, or in what it reads, that claims must not survive: one or two for each paper."""

import numpy as np
import xarray as xr
from test_experiments_las_vegas import images_of, random_rbm
from test_trackers import patterns

from logzoo.models.exact_sums import exact_log_z
from logzoo.paths import log_odds
from logzoo.samplers.stopping_sets import StoppingSet
from logzoo.streams import root_stream
from logzoo.training import trackers
from logzoo.training.trainers import train_rbm
from replication.papers.declaration import Declaration
from replication.papers.las_vegas import lv_f4 as by_tours
from replication.papers.las_vegas.lv_estimates import tour_estimates
from replication.papers.tracking import trk_f4b as f4b
from replication.papers.tracking.trk_runs import check_snapshots
from replication.reporting.verdicts import NOT_REPRODUCED, REPRODUCED, judge

STREAM = root_stream(11)


def verdict(figure, artifacts, key):
    claims = figure.claims if isinstance(figure, Declaration) else figure.CLAIMS
    return judge(claims[key].bounds, figure.statistics(artifacts)[key])


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


def log_z_by_tours():
    rbm = random_rbm(10, 6, 0.7)
    settings = {"cap": 10_000, "sweeps": 10**6, "points": 5, "replicates": 8, "chains": 10, "shares": [1.0]}
    data = images_of(10, 25).data
    result = tour_estimates(rbm, data, np.zeros(10), {}, tours=3000, stream=STREAM, **settings)
    truth = xr.Dataset({"log_z": exact_log_z(rbm), "std_error": 0.0})
    return {"estimates": {"one": result}, "truths": {"one": truth}}


def test_a_stopping_set_that_weighs_too_much_moves_log_z(monkeypatch):
    assert verdict(by_tours, log_z_by_tours(), "truth") == REPRODUCED
    right = StoppingSet.log_z.fget
    monkeypatch.setattr(StoppingSet, "log_z", property(lambda self: right(self) + np.log(2.0)))
    artifacts = log_z_by_tours()
    assert verdict(by_tours, artifacts, "truth") == verdict(by_tours, artifacts, "covers") == NOT_REPRODUCED
