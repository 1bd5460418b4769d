"""Mean log-likelihoods: their value, their two errors, and as a score of scikit-learn."""

import math
import pickle

import numpy as np
import pytest
import scipy.sparse
from sklearn.neural_network import BernoulliRBM
from twins import all_states, brute_log_z, normal_rbm

from logzoo import RBM, estimate_log_z, exact_log_z, scoring
from logzoo.estimators.result import Estimate
from logzoo.scoring import mean_log_likelihood, score, scorer

VISIBLE = 6


@pytest.fixture
def rbm():
    return normal_rbm(4, VISIBLE, 4, 0.7)


def made(**changes):
    settings = {"log_z": 3.0, "std_error": 0.1, "interval": (2.5, 3.75), "reasons": ()}
    return Estimate(**settings | changes)


def test_the_interval_is_that_of_log_z_turned_round(rbm):
    data = all_states(VISIBLE)[:20]
    result, log_f = mean_log_likelihood(rbm, data, made()), -rbm.free_energy(data)
    assert result.value == pytest.approx(log_f.mean() - 3.0, abs=1e-12)
    assert result.interval == pytest.approx((log_f.mean() - 3.75, log_f.mean() - 2.5), abs=1e-12)
    assert result.std_error == pytest.approx(log_f.std(ddof=1) / math.sqrt(20), rel=1e-12)


def test_an_exact_log_z_leaves_the_error_over_examples_alone(rbm):
    data = all_states(VISIBLE)
    result = mean_log_likelihood(rbm, data, exact_log_z(rbm))
    assert result.interval == (result.value, result.value)
    assert result.value == pytest.approx(-rbm.free_energy(data).mean() - brute_log_z(rbm), rel=1e-9)
    assert math.isnan(mean_log_likelihood(rbm, data[:1], 0.0).std_error)
    assert mean_log_likelihood(rbm, data[:1], made(interval=(-math.inf, 4.0))).interval[1] == math.inf


def fitted(components, data, **settings):
    return BernoulliRBM(components, n_iter=2, random_state=0, **settings).fit(data)


def test_the_score_is_exact_for_few_units():
    data = np.random.default_rng(0).integers(0, 2, (30, 8))
    model = fitted(5, data)
    rbm, result = RBM.from_sklearn(model), score(model, data)
    assert result == pytest.approx(rbm.log_likelihood(data, brute_log_z(rbm)).mean(), rel=1e-9)
    assert isinstance(result, float) and score(model, scipy.sparse.csr_matrix(data)) == result
    assert score(model, data, np.zeros(30)) == result
    copy = pickle.loads(pickle.dumps(scorer(sweeps=500)))
    assert copy(model, data) == result


def test_the_score_is_estimated_for_many_units(monkeypatch):
    data = np.random.default_rng(0).integers(0, 2, (30, 24))
    model = fitted(22, data)
    rbm = RBM.from_sklearn(model)
    settings = {"sweeps": 200, "chains": 10, "seed": 3, "base": "uniform"}
    result = scorer("ais", **settings)(model, data)
    assert result == mean_log_likelihood(rbm, data, estimate_log_z(rbm, "ais", **settings)).value
    monkeypatch.setattr(scoring, "estimate_log_z", lambda *_, **__: made(reasons=("drift",), method="auto"))
    with pytest.warns(RuntimeWarning, match="^auto did not converge: drift$"):
        assert score(model, data) == mean_log_likelihood(rbm, data, 3.0).value


def test_examples_are_checked_before_log_z_is_estimated(monkeypatch):
    model = fitted(5, np.eye(8))
    monkeypatch.setattr(scoring, "estimate_log_z", lambda *_, **__: pytest.fail("estimated"))
    with pytest.raises(ValueError, match="^X: expected zeros and ones"):
        score(model, 0.5 * np.eye(8))


def test_warnings_name_the_method():
    def mine(rbm, ledger, stream):
        return made(reasons=("drift",))

    with pytest.warns(RuntimeWarning, match="^mine did not converge: drift$"):
        scorer(mine, check=False)(fitted(5, np.eye(8)), np.eye(8))
