"""The one training loop: mini-batches, gradient ascent, a trace; methods differ in the negative phase."""

from typing import NamedTuple

import numpy as np
import xarray as xr
from tqdm import tqdm

from logzoo.checks import one_of, positive_number
from logzoo.kernels.energies import log_f_marginal
from logzoo.kernels.gibbs import layer_scratch, refresh_inputs
from logzoo.kernels.layout import fixed_point_parameters, new_chains
from logzoo.kernels.statistics import add_statistics
from logzoo.labels import labelled
from logzoo.models.rbm import RBM
from logzoo.paths import log_odds

SCHEDULES = ("constant", "inverse", "linear")
_INITIAL_SCALE = 0.01  # standard deviation of the initial weights
_TRACE_POINTS = 100
# A parameter of this size (or NaN) is no model of anything: its unit never changes.
_DIVERGED = 1e4
# Visible biases start within about +-4.6 under this pseudo-count.
_PSEUDO_SHARE = 0.01


class TrainingRun(NamedTuple):
    """A trained RBM and the trace of its training (xarray Dataset over `update`)."""

    rbm: RBM
    trace: xr.Dataset


class _Values(NamedTuple):
    """Master copy of the parameters, or a gradient: float32 arrays (V, H), (V,), (H,)."""

    weights: np.ndarray
    visible_bias: np.ndarray
    hidden_bias: np.ndarray


def train(
    negative_phase,
    data,
    base=None,
    tracker=None,
    *,
    hidden,
    updates,
    batch,
    learning_rate,
    stream,
    schedule="constant",
    alpha=1e4,
    progress,
):
    """Train an RBM by stochastic gradient ascent with the given negative phase.

    data (examples, visible) uint8. negative_phase(parameters, update, positive, rate) -> Chains whose v are the
    negative particles; its `particles.chain_sweeps` are spent at each update. base: log-odds (visible,) in
    `parameters`, for phases that temper; 0 by default. tracker: its `log_z`, mean and standard deviation in nats, goes
    into the trace. Weights start at N(0, 0.01^2), hidden biases at 0, visible biases at the log-odds of the data.
    schedule: constant; inverse, min(alpha eps / (t + 1), eps); linear, down to 0 at the end. Returns TrainingRun.
    Raises ValueError for impossible settings and when the weights diverge.
    """
    one_of("schedule", schedule, SCHEDULES)
    positive_number("alpha", alpha)
    if batch > len(data):
        raise ValueError(f"batch: expected at most {len(data)} (examples in the data), found {batch}")
    values = _initial_values(data, hidden, stream.child("weights").generator())
    gradient = _Values(*(np.zeros_like(array) for array in values))
    batches = _batches(len(data), batch, stream.child("batches").generator())
    positive = new_chains(batch, data.shape[1], hidden)
    base = np.zeros(data.shape[1]) if base is None else base
    every = max(1, updates // _TRACE_POINTS)
    trace = []
    for update in tqdm(range(updates), desc="training", unit="update", disable=None if progress else True):
        parameters = fixed_point_parameters(*values, base)
        positive.v[...] = data[next(batches)]
        refresh_inputs(parameters, positive)
        rate = rate_at(update, updates, learning_rate, schedule, alpha)
        negative = negative_phase(parameters, update, positive.v, rate)
        for array in gradient:
            array[...] = 0.0
        _add_phase(parameters, positive, 1.0, gradient)
        _add_phase(parameters, negative, -1.0, gradient)
        if update % every == 0 or update == updates - 1:
            levels = (_mean_log_f(parameters, positive), _mean_log_f(parameters, negative))
            tracked = () if tracker is None else tracker.log_z
            trace.append((update, rate, *levels, (update + 1) * negative_phase.particles.chain_sweeps, *tracked))
        with np.errstate(over="ignore", invalid="ignore"):
            for array, slope in zip(values, gradient, strict=True):
                array += np.float32(rate) * slope
        if any(not np.abs(array).max() < _DIVERGED for array in values):
            raise ValueError(f"learning_rate: diverged at update {update}; expected less than {learning_rate:g}")
    return TrainingRun(RBM(*values), _trace_dataset(trace))


def rate_at(update, updates, learning_rate, schedule, alpha):
    """Learning rate of one update (see `train`)."""
    if schedule == "inverse":
        return min(alpha * learning_rate / (update + 1), learning_rate)
    if schedule == "linear":
        return learning_rate * (1.0 - update / updates)
    return learning_rate


def _initial_values(data, hidden, generator):
    return _Values(
        weights=(_INITIAL_SCALE * generator.standard_normal((data.shape[1], hidden))).astype(np.float32),
        visible_bias=log_odds(data, pseudo_share=_PSEUDO_SHARE).astype(np.float32),
        hidden_bias=np.zeros(hidden, np.float32),
    )


def _batches(examples, batch, generator):
    """Index sets of mini-batches without end: each epoch a new permutation, the incomplete last batch dropped."""
    while True:
        order = generator.permutation(examples)
        for first in range(0, examples - batch + 1, batch):
            yield order[first : first + batch]


def _add_phase(parameters, chains, sign, gradient):
    count, visible = chains.v.shape
    add_statistics(parameters, chains, layer_scratch(visible), np.float32(sign / count), *gradient)


def _mean_log_f(parameters, chains):
    values = np.empty(len(chains.v))
    log_f_marginal(parameters, chains, values)
    return values.mean()


def _trace_dataset(rows):
    names = (
        ("learning_rate", "learning rate", "1"),
        ("log_f_data", "mean unnormalised log-probability of the mini-batch", "nat"),
        ("log_f_particles", "mean unnormalised log-probability of the negative particles", "nat"),
        ("chain_sweeps", "Gibbs sweeps spent so far, summed over chains", "sweep"),
        ("log_z", "tracked log partition function", "nat"),
        ("log_z_std_dev", "standard deviation that the tracker states", "nat"),
    )
    columns = list(zip(*rows, strict=True))
    update = labelled("update", np.array(columns[0]), "parameter updates made before", "1")
    variables = {
        name: labelled("update", np.array(column), long_name, units)
        for (name, long_name, units), column in zip(names, columns[1:], strict=False)
    }
    return xr.Dataset(variables, coords={"update": update})
