"""Parallel tempering read at all rungs, stepping stones, and the round trips that exchanges predict."""

import numpy as np
import pymbar
import pytest

from logzoo.budgets import SweepLedger
from logzoo.estimators.bar import BridgeSums, OverlapSums
from logzoo.models.known.families import known
from logzoo.samplers import replica_exchange
from logzoo.samplers.replica_exchange import Steps
from logzoo.streams import root_stream

GAPS = np.array([0.8, 1.5, 1.0])
SHIFTS = np.array([1.5, -2.0, 4.0])


def normal_log_f(draws, generator):
    """log f (draw, rung, rung) at the states of each of four normals of unequal mass: (draw, state's rung, rung)."""
    means, masses = np.append(0.0, np.cumsum(GAPS)), np.append(0.0, np.cumsum(SHIFTS))
    x = means + generator.standard_normal((draws, means.size))
    return masses - 0.5 * (x[:, :, None] - means) ** 2


def overlaps(log_f, guess):
    """OverlapSums of one ladder fed with such draws, each read once, at a guess of log(Z_{i+1} / Z_i)."""
    sums = OverlapSums()
    sums.start(1, 4, 2 * len(log_f))
    sums.log_s = guess
    steps = np.zeros((1, 2 * len(log_f), 3))
    sums.add(Steps(False, steps, steps, log_f[None]))
    return sums


def test_at_the_solution_of_mbar_the_overlaps_give_it_back():
    log_f = normal_log_f(2000, np.random.default_rng(0))
    energies = -log_f.transpose(2, 1, 0).reshape(4, -1)
    peer = np.diff(-pymbar.MBAR(energies, np.full(4, 2000)).f_k)
    sums = overlaps(log_f, peer)
    assert sums.overlap_ratios(sums.overlaps().sum(axis=0)) == pytest.approx(peer, abs=1e-4)


def test_overlaps_are_consistent_at_a_wrong_guess():
    log_f = normal_log_f(40_000, np.random.default_rng(1))
    for offset in (-1.0, 1.0):
        sums = overlaps(log_f, SHIFTS + offset)
        assert sums.overlap_ratios(sums.overlaps().sum(axis=0)) == pytest.approx(SHIFTS, abs=0.04)


def sandwich(draws, generator):
    """The gap between stepping stones of independent draws at each of four normals."""
    bridge, log_f = BridgeSums(), normal_log_f(draws, generator)
    bridge.start(1, 4, draws)
    bridge.log_s = SHIFTS
    rungs = np.arange(3)
    up = log_f[:, rungs, rungs + 1] - log_f[:, rungs, rungs]
    down = log_f[:, rungs + 1, rungs + 1] - log_f[:, rungs + 1, rungs]
    bridge.add(Steps(False, up[None], down[None]))
    return bridge.sandwich()[0]


def test_stepping_stones_bracket_log_z_on_average_and_close():
    generator = np.random.default_rng(3)
    few, many = (np.array([sandwich(draws, generator) for _ in range(200)]) for draws in (20, 2000))
    assert few.mean() > 4.0 * few.std(ddof=1) / np.sqrt(200)
    assert abs(many.mean()) < 0.05 * few.mean()


def test_replicas_travel_as_predicted_where_sweeps_forget_and_not_where_they_do_not():
    shares = []
    for coupling in (0.1, 0.7):
        rbm = known("ising-torus", side=8, coupling=coupling).rbm
        draws = replica_exchange.run(rbm, SweepLedger(2000, 60), root_stream(1), base="uniform")
        shares.append(draws.round_trip_share)
    assert shares[0] == pytest.approx(1.0, abs=0.05) and shares[1] < 0.8
