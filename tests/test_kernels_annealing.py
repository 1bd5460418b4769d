"""Annealing from product laws: weights equal those of NumPy, draws those of enumeration."""

import numpy as np
import twins
from scipy.stats import chi2

from logzoo.kernels.annealing import Laws, run_centred_annealing
from logzoo.kernels.fixed_point import fixed_point_rows, new_chains
from logzoo.kernels.gibbs import start_from_rows
from logzoo.paths import kernel_parameters
from logzoo.streams import root_stream

THETA = np.array([[0.3, -1.0, 0.8], [-2.0, 0.1, 0.0]])
PHI = np.array([[1.2, -0.4], [0.0, 2.0]])


RBM_32 = twins.normal_rbm(3, 3, 2)


def started(count):
    """Arguments of the kernel, and chains drawn from two laws in turn."""
    parameters = kernel_parameters(RBM_32, np.zeros(3))
    laws = Laws(*(fixed_point_rows(rows, parameters.unit) for rows in (THETA, PHI)))
    law, key, chains = np.arange(count) % 2, root_stream(1).key, new_chains(count, 3, 2)
    start_from_rows(parameters, key, laws.visible, law, chains)
    return parameters, laws, law, key, chains


def log_f(law, beta, v):
    """log f_beta(v) (n,) from its definition, hidden units summed out."""
    a = beta * (RBM_32.hidden_bias + v @ RBM_32.weights) + (1.0 - beta) * PHI[law]
    linear = beta * (v @ RBM_32.visible_bias) + (1.0 - beta) * np.sum(THETA[law] * v, axis=1)
    return linear + np.logaddexp(0.0, a).sum(axis=1)


def test_weights_are_those_of_the_definition():
    betas, (parameters, laws, law, key, chains) = np.array([0.0, 0.4, 0.75, 1.0]), started(40)
    log_weight, expected, first = np.zeros(40), np.zeros(40), chains.v.copy()
    for k in range(1, 4):
        v = chains.v.astype(np.float64)
        expected += log_f(law, betas[k], v) - log_f(law, betas[k - 1], v)
        run_centred_annealing(parameters, laws, betas, key, k, k + 1, law, chains, log_weight)
    # Inverse temperatures are rounded to float32, parameters to the fixed-point unit.
    np.testing.assert_allclose(log_weight, expected, atol=2e-6)
    assert not np.array_equal(chains.v, first)


def test_sweeps_draw_from_the_path():
    beta, count = 0.6, 20_000
    parameters, laws, law, key, chains = started(count)
    betas = np.array([0.0, *[beta] * 15, 1.0])
    run_centred_annealing(parameters, laws, betas, key, 1, 16, law, chains, np.zeros(count))
    states = twins.all_states(3)
    for number in range(2):
        log_p = log_f(np.full(8, number), beta, states)
        counts = np.bincount(twins.state_numbers(chains.v[law == number]), minlength=8)
        expected = np.exp(log_p - twins.log_sum_exp(log_p)) * counts.sum()
        assert np.sum((counts - expected) ** 2 / expected) < chi2.isf(1e-4, 7)
