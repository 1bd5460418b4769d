"""Gibbs sweeps and enumeration as others write them, for comparison."""

import numpy as np
from scipy.special import expit, logsumexp


def numpy_sweep(rbm, chains):
    """A function that makes one plain NumPy sweep in float32."""
    weights = rbm.weights.astype(np.float32)
    visible_bias, hidden_bias = rbm.visible_bias.astype(np.float32), rbm.hidden_bias.astype(np.float32)
    generator = np.random.Generator(np.random.SFC64(0))
    v = (generator.random((chains, rbm.visible), np.float32) < 0.1).astype(np.float32)

    def sweep():
        nonlocal v
        h = generator.random((chains, rbm.hidden), np.float32) < expit(v @ weights + hidden_bias)
        v = (
            generator.random((chains, rbm.visible), np.float32) < expit(h.astype(np.float32) @ weights.T + visible_bias)
        ).astype(np.float32)

    return sweep


def two_products(rbm, chains):
    """A function that makes the two float32 matrix products of a sweep, and nothing else."""
    weights = rbm.weights.astype(np.float32)
    generator = np.random.Generator(np.random.SFC64(0))
    v = generator.random((chains, rbm.visible), np.float32)
    h = generator.random((chains, rbm.hidden), np.float32)

    def products():
        return v @ weights, h @ weights.T

    return products


def sklearn_sweep(rbm, chains):
    """A function that makes one sweep with scikit-learn's BernoulliRBM in float32."""
    from sklearn.neural_network import BernoulliRBM

    model = BernoulliRBM(n_components=rbm.hidden, random_state=0)
    start = (np.random.Generator(np.random.SFC64(0)).random((chains, rbm.visible)) < 0.1).astype(np.float32)
    model.fit(start[:2])
    model.components_ = rbm.weights.T.astype(np.float32)
    model.intercept_visible_ = rbm.visible_bias.astype(np.float32)
    model.intercept_hidden_ = rbm.hidden_bias.astype(np.float32)
    v = start

    def sweep():
        nonlocal v
        v = model.gibbs(v).astype(np.float32)

    return sweep


def numpy_log_z(rbm):
    """log Z by blocked NumPy: one logaddexp for each unit and state."""
    log_z = -np.inf
    states = 1 << rbm.hidden
    for first in range(0, states, 4096):
        codes = np.arange(first, min(first + 4096, states))
        g = (codes[:, None] >> np.arange(rbm.hidden) & 1).astype(np.float64)
        inputs = g @ rbm.weights.T + rbm.visible_bias
        log_z = np.logaddexp(log_z, logsumexp(g @ rbm.hidden_bias + np.logaddexp(0.0, inputs).sum(axis=1)))
    return log_z


def rbms_sweep(rbm, chains):
    """A function that makes one sweep with the package rbms on CPU torch in float32."""
    import torch
    from rbms.bernoulli_bernoulli.classes import BBRBM

    torch.set_num_threads(1)
    model = BBRBM(
        *(torch.tensor(array, dtype=torch.float32) for array in (rbm.weights, rbm.visible_bias, rbm.hidden_bias))
    )
    state = model.init_chains(chains)

    def sweep():
        nonlocal state
        state = model.sample_visibles(model.sample_hiddens(state))

    return sweep
