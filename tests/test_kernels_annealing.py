"""Annealing from product laws: weights equal those of NumPy, draws those of enumeration."""

import numpy as np
import twins
from scipy.stats import chi2

from logzoo.kernels.annealing import Laws, run_centred_annealing, start_from_laws
from logzoo.kernels.fixed_point import fixed_point_rows, new_chains
from logzoo.models.rbm import RBM
from logzoo.paths import kernel_parameters
from logzoo.streams import root_stream

THETA = np.array([[0.3, -1.0, 0.8], [-2.0, 0.1, 0.0]])
PHI = np.array([[1.2, -0.4], [0.0, 2.0]])


def small_rbm():
    generator = np.random.default_rng(3)
    return RBM(*(generator.normal(0.0, 1.0, shape) for shape in ((3, 2), 3, 2)))


def started(rbm, count, theta=THETA, phi=PHI):
    """Arguments of the kernel, and chains drawn from two laws in turn."""
    parameters = kernel_parameters(rbm, np.zeros(rbm.visible))
    laws = Laws(*(fixed_point_rows(rows, parameters.unit) for rows in (theta, phi)))
    law, key = np.arange(count) % 2, root_stream(1).key
    chains = new_chains(count, rbm.visible, rbm.hidden)
    start_from_laws(parameters, laws, law, key, chains)
    return parameters, laws, law, key, chains


def log_f(rbm, law, beta, v):
    """log f_beta(v) (n,) from its definition, hidden units summed out."""
    a = beta * (rbm.hidden_bias + v @ rbm.weights) + (1.0 - beta) * PHI[law]
    linear = beta * (v @ rbm.visible_bias) + (1.0 - beta) * np.sum(THETA[law] * v, axis=1)
    return linear + np.logaddexp(0.0, a).sum(axis=1)


def test_weights_are_those_of_the_definition():
    rbm, betas = small_rbm(), np.array([0.0, 0.4, 0.75, 1.0])
    parameters, laws, law, key, chains = started(rbm, 40)
    log_weight, expected = np.zeros(40), np.zeros(40)
    for k in range(1, 4):
        v = chains.v.astype(np.float64)
        expected += log_f(rbm, law, betas[k], v) - log_f(rbm, law, betas[k - 1], v)
        run_centred_annealing(parameters, laws, betas, key, k, k + 1, law, chains, log_weight)
    # Inverse temperatures are rounded to float32, parameters to the fixed-point unit.
    np.testing.assert_allclose(log_weight, expected, atol=2e-6)
    assert not np.allclose(log_weight, expected[::-1], atol=1e-2)
    assert not np.array_equal(chains.v, v) or len(np.unique(v, axis=0)) > 1


def frequencies_fit(beta, drawn_at, count=20_000):
    """Whether chains of both laws, swept at `drawn_at`, have the frequencies of f_beta: chi-square at 1e-4."""
    rbm = small_rbm()
    parameters, laws, law, key, chains = started(rbm, count)
    betas = np.array([0.0, *[drawn_at] * 15, 1.0])
    run_centred_annealing(parameters, laws, betas, key, 1, 16, law, chains, np.zeros(count))
    states = twins.all_states(3)
    fits = []
    for number in range(2):
        log_p = log_f(rbm, np.full(8, number), beta, states.astype(np.float64))
        p = np.exp(log_p - twins.log_sum_exp(log_p))
        counts = np.bincount(chains.v[law == number] @ [1, 2, 4], minlength=8)[states.astype(int) @ [1, 2, 4]]
        expected = p * counts.sum()
        fits.append(np.sum((counts - expected) ** 2 / expected) < chi2.isf(1e-4, 7))
    return fits


def test_sweeps_draw_from_the_path():
    assert frequencies_fit(0.6, 0.6) == [True, True]
    assert frequencies_fit(0.6, 0.8) == [False, False]
