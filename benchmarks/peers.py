"""Gibbs sweeps, enumeration and AIS of other packages. The script prints AIS of rbms and of logzoo as Markdown.

python benchmarks/peers.py --file mnistvh_CD25.mat
"""

import argparse
import time

import numpy as np
from scipy.special import expit, logsumexp
from table import print_heads, print_row
from threadpoolctl import threadpool_limits

from logzoo import estimate_log_z
from logzoo.reference import cards, load_reference


def numpy_sweep(rbm, chains):
    """A function that makes one plain NumPy sweep in float32."""
    weights = rbm.weights.astype(np.float32)
    visible_bias, hidden_bias = rbm.visible_bias.astype(np.float32), rbm.hidden_bias.astype(np.float32)
    generator = np.random.Generator(np.random.SFC64(0))
    v = (generator.random((chains, rbm.visible), np.float32) < 0.1).astype(np.float32)

    def sweep():
        nonlocal v
        h = generator.random((chains, rbm.hidden), np.float32) < expit(v @ weights + hidden_bias)
        inputs = h.astype(np.float32) @ weights.T + visible_bias
        v = (generator.random((chains, rbm.visible), np.float32) < expit(inputs)).astype(np.float32)

    return sweep


def two_products(rbm, chains):
    """A function that makes only the two float32 matrix products of a sweep."""
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


def rbms_model(rbm):
    """The model of the package rbms on CPU torch in float32, on one thread."""
    import torch
    from rbms.bernoulli_bernoulli.classes import BBRBM

    torch.set_num_threads(1)
    arrays = (rbm.weights, rbm.visible_bias, rbm.hidden_bias)
    return BBRBM(*(torch.tensor(array, dtype=torch.float32) for array in arrays))


def rbms_sweep(rbm, chains):
    """A function that makes one sweep with the package rbms on CPU torch in float32."""
    model = rbms_model(rbm)
    state = model.init_chains(chains)

    def sweep():
        nonlocal state
        state = model.sample_visibles(model.sample_hiddens(state))

    return sweep


SWEEPS, CHAINS = 1000, 100


def rbms_ais(rbm):
    """A function of a seed that returns log Z by AIS of the package rbms, on one thread."""
    import torch
    from rbms.partition_function.ais import compute_partition_function_ais

    model = rbms_model(rbm)

    def log_z(seed):
        torch.manual_seed(seed)
        return compute_partition_function_ais(CHAINS, SWEEPS + 1, model)

    return log_z


def our_ais(rbm, sweeps=SWEEPS, **settings):
    """A function of a seed that returns log Z by AIS of logzoo."""
    return lambda seed: estimate_log_z(rbm, "ais", sweeps=sweeps, chains=CHAINS, seed=seed, **settings).log_z


def cpu_seconds_and_errors(solve, truth, repeats):
    """(median CPU seconds of a run, errors of log Z) over seeds; compilation affects only the first run."""
    seconds, errors = [], []
    for seed in range(repeats):
        start = time.process_time()
        errors.append(solve(seed) - truth)
        seconds.append(time.process_time() - start)
    return float(np.median(seconds)), np.array(errors)


def rows(rbm, truth, repeats):
    """Yield (solver, sweeps, CPU seconds, errors): rbms, and logzoo at equal sweeps, equal seconds and with checks."""
    seconds, errors = cpu_seconds_and_errors(rbms_ais(rbm), truth, repeats)
    yield "rbms", SWEEPS, seconds, errors
    # The base of rbms: independent visible units of the biases of the model.
    same = {"base": "visible-bias", "check": False}
    equal, errors = cpu_seconds_and_errors(our_ais(rbm, **same), truth, repeats)
    yield "logzoo, base of rbms, no checks", SWEEPS, equal, errors
    more = 100 * round(SWEEPS * seconds / equal / 100)
    yield "the same at equal seconds", more, *cpu_seconds_and_errors(our_ais(rbm, more, **same), truth, repeats)
    yield "logzoo, default", SWEEPS, *cpu_seconds_and_errors(our_ais(rbm), truth, repeats)


def main():
    """Print the table for two reference RBMs."""
    parser = argparse.ArgumentParser(description="AIS of rbms beside ours: CPU seconds and errors, as Markdown.")
    parser.add_argument("--file", required=True, help="mnistvh_CD25.mat: logzoo reference show mnist-cd25-500")
    parser.add_argument("--repeats", type=int, default=5, help="seeds, four times as many at 784 x 20 (default 5)")
    arguments = parser.parse_args()
    print_heads("RBM", "AIS, 100 chains", "sweeps", "CPU seconds", "RMSE (nat)", "mean error (nat)")
    few = arguments.repeats
    for name, file, repeats in (("mnist-cd25-500", arguments.file, few), ("mnist-pcd", None, 4 * few)):
        rbm, card = load_reference(name, file), cards()[name]
        with threadpool_limits(1, "blas"):
            for solver, sweeps, seconds, errors in rows(rbm, card["log_z"], repeats):
                shape, rmse = f"{card['visible']} x {card['hidden']}", np.sqrt((errors**2).mean())
                print_row(shape, solver, sweeps, f"{seconds:.2f}", f"{rmse:.3f}", f"{errors.mean():+.3f}")


if __name__ == "__main__":
    main()
