"""Solvers of other packages for `logzoo score`: (weights, visible_bias, hidden_bias) -> (log Z, standard error), nats.

From this folder, with rbms 0.5.0 or QuCumber 1.3.3 installed:

    logzoo score solvers:rbms_ais
    logzoo score solvers:qucumber_sum
"""

import numpy as np
from scipy.special import logsumexp

RUNS, CHAINS, SWEEPS = 10, 10, 1000
MOST_UNITS, ROWS = 16, 4096


def rbms_ais(weights, visible_bias, hidden_bias):
    """AIS of the package rbms. It returns no error of log Z, so the error comes from ten runs of ten chains."""
    import torch
    from rbms.bernoulli_bernoulli.classes import BBRBM
    from rbms.partition_function.ais import compute_partition_function_ais

    torch.manual_seed(0)
    torch.set_num_threads(1)
    arrays = (weights, visible_bias, hidden_bias)
    model = BBRBM(*(torch.tensor(array, dtype=torch.float32) for array in arrays))
    runs = np.array([compute_partition_function_ais(CHAINS, SWEEPS + 1, model) for _ in range(RUNS)])
    # Z is averaged, because the runs are unbiased for Z but not for log Z.
    log_z = logsumexp(runs) - np.log(RUNS)
    return log_z, np.exp(runs - log_z).std(ddof=1) / np.sqrt(RUNS)


def qucumber_sum(weights, visible_bias, hidden_bias):
    """Sum over all states of the smaller layer by QuCumber's effective energy; refuses more than 16 units."""
    import torch
    from qucumber.rbm import BinaryRBM

    # The sum runs over QuCumber's visible layer.
    if len(hidden_bias) < len(visible_bias):
        weights, visible_bias, hidden_bias = weights.T, hidden_bias, visible_bias
    visible, hidden = weights.shape
    if visible > MOST_UNITS:
        raise ValueError(f"{visible} units in the smaller layer; expected at most {MOST_UNITS}")
    model = BinaryRBM(visible, hidden, gpu=False)
    model.weights.data = torch.tensor(weights.T)  # QuCumber stores (hidden, visible)
    model.visible_bias.data, model.hidden_bias.data = torch.tensor(visible_bias), torch.tensor(hidden_bias)
    states = np.arange(2**visible)[:, None] >> np.arange(visible) & 1
    parts = [
        logsumexp(-model.effective_energy(torch.tensor(states[start : start + ROWS], dtype=torch.double)).numpy())
        for start in range(0, len(states), ROWS)
    ]
    return logsumexp(parts), 0.0
