"""The training loop of all trainers. Trainers differ in the negative phase and in the step."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import xarray as xr

from logzoo.checks import one_of, positive_number, whole_number
from logzoo.io.atomic import resolved_output
from logzoo.io.netcdf import write_artifact
from logzoo.kernels.fixed_point import fixed_point_parameters
from logzoo.models.rbm import RBM
from logzoo.paths import log_odds
from logzoo.printing import bar
from logzoo.training.negative import mini_batch, put_difference
from logzoo.training.steps import Ascent
from logzoo.training.trace import EarlyStopping, Trace
from logzoo.training.trackers import JarzynskiTracker

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from logzoo.io.checkpoints import Checkpoint
    from logzoo.streams import Stream
    from logzoo.types import FilePath, Generator

SCHEDULES = ("constant", "epochs", "inverse", "linear")
INITIAL = ("marginals", "small", "uniform")
_INITIAL_SCALE = 0.01  # standard deviation of the initial weights
_INITIAL_REACH = 0.1  # largest uniform initial weight times the square root of the number of units
_TRACE_POINTS = 100
# Smallest number of walkers: a standard error needs four islands of two walkers.
_FEWEST_WALKERS = 8
# Epochs between two reductions of the learning rate.
_EPOCHS = 10
# With a parameter of this size a unit never changes its state: training has diverged.
_DIVERGED = 1e4
# With this pseudo-count, initial visible biases lie between -4.62 and 4.62.
_PSEUDO_SHARE = 0.01


class TrainingRun(NamedTuple):
    """A trained RBM and the record of its training.

    Attributes
    ----------
    rbm : RBM
    trace : xarray.Dataset
        Rows of numbers over the dimension ``update``, by default at most 200.
    snapshots : xarray.Dataset or None
        Parameters before some of the updates, over ``update``; None without ``snapshots=``.

    Examples
    --------
    >>> import numpy as np
    >>> from logzoo import train_rbm
    >>> run = train_rbm(np.eye(6, dtype=int), "cd", hidden=3, updates=20, batch=6, snapshots=4)
    >>> run.trace.sizes["update"], run.snapshots.sizes["update"]
    (20, 4)
    """

    rbm: RBM
    trace: xr.Dataset
    snapshots: xr.Dataset | None = None

    def save_snapshots(self, path: FilePath) -> None:
        """Write the snapshots to a NetCDF file (.nc); raises ValueError for other names, and without snapshots."""
        if self.snapshots is None or Path(path).suffix.lower() != ".nc":
            expected = "a training with snapshots=" if self.snapshots is None else "a name that ends in .nc"
            raise ValueError(f"{path}: expected {expected}")
        origin = {"parameters": {}, "source": "", "inputs": {}, "seed_path": ""}
        write_artifact(self.snapshots, resolved_output(path), kind="snapshots", **origin)


class Values(NamedTuple):
    """Master copy of the parameters, or a gradient: float32 arrays (V, H), (V,), (H,)."""

    weights: np.ndarray
    visible_bias: np.ndarray
    hidden_bias: np.ndarray

    @property
    def state(self) -> dict[str, np.ndarray]:
        """The arrays by name."""
        return self._asdict()

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Copy the arrays of a `state`."""
        for name, array in self._asdict().items():
            array[...] = state[name]


def train(
    negative_phase: Any,
    data: np.ndarray,
    base: np.ndarray | None = None,
    tracker: Any = None,
    step: Any = Ascent,
    *,
    hidden: int,
    updates: int,
    batch: int,
    learning_rate: float,
    stream: Stream,
    weight_decay: float = 0.0,
    schedule: str = "constant",
    alpha: float = 1e4,
    start: RBM | None = None,
    initial: str = "marginals",
    validation: np.ndarray | None = None,
    patience: int | None = None,
    monitored: int = 2000,
    every: int | None = None,
    snapshots: int = 0,
    walkers: int = 0,
    checkpoint: Checkpoint | None = None,
    progress: bool,
) -> TrainingRun:
    """Train an RBM by stochastic gradient steps with the given negative phase.

    data (examples, visible) uint8 of 0/1, or float32 grey levels in [0, 1]. negative_phase(parameters, update,
    positive, rate) returns an object as in `logzoo.training.negative`; if it is not `usable`, the gradient is 0. The
    attribute `spent` of the phase counts its sweeps. Its optional attributes `numbers` and `profiles` go into the
    trace. base: log-odds (visible,) in `parameters`, for phases that temper; 0 by default. tracker: its `reading` goes
    into the trace. step: a class of `logzoo.training.steps`, which is called with weight_decay. Walkers act as the
    tracker; the trace counts their sweeps. checkpoint: an interrupted training continues from it, bit for bit. Other
    settings are parameters or options of `logzoo.train_rbm`. Raises ValueError for impossible settings and if the
    parameters diverge.

    initial: with "small", weights and biases are N(0, 0.01^2). With "marginals", weights are N(0, 0.01^2), hidden
    biases are 0, and visible biases are the smoothed log-odds of the data. With "uniform", weights are U(-0.1, 0.1) /
    sqrt(visible + hidden), hidden biases are 0, and visible biases are log((p + 0.01) / (1 - p)). Here p is the mean
    of the data, but at most 0.99.
    """
    one_of("schedule", schedule, SCHEDULES)
    one_of("initial", initial, INITIAL)
    positive_number("alpha", alpha)
    every = max(1, updates // _TRACE_POINTS) if every is None else whole_number("every", every)
    step = step(weight_decay=weight_decay)
    values = _initial_values(data, hidden, start, initial, stream.child("weights").generator())
    gradient = Values(*(np.zeros_like(array) for array in values))
    base = np.zeros(data.shape[1]) if base is None else base
    walking = None
    if whole_number("walkers", walkers, minimum=0) > 0:
        if tracker is not None or walkers < _FEWEST_WALKERS:
            expected = "0 with a tracker" if tracker is not None else f"0 or at least {_FEWEST_WALKERS}"
            raise ValueError(f"walkers: expected {expected}, found {walkers}")
        tracker = walking = JarzynskiTracker(walkers, data.shape[1], hidden, stream.child("walkers").key)
    examples = _monitored(data, validation, tracker, patience, whole_number("monitored", monitored))
    trace = Trace(-(-updates // every), whole_number("snapshots", snapshots, minimum=0), examples, tracker)
    stopping = EarlyStopping(None if patience is None else whole_number("patience", patience))
    parts = {"values": values, "step": step, "phase": negative_phase, "trace": trace, "stopping": stopping}
    parts |= {} if tracker is None else {"tracker": tracker}
    first = 0 if checkpoint is None else checkpoint.load(parts)
    batches = islice(_batches(len(data), batch, stream.child("batches").generator()), first, None)
    positive = mini_batch(data, batch, hidden)
    parameters = None
    progress_bar = bar(updates, "training", "update", progress, done=first)
    for update in range(first, updates):
        if stopping.over:
            break
        parameters = fixed_point_parameters(*values, base, into=parameters)
        positive.load(parameters, data[next(batches)])
        if walking is not None:
            walking.follow(parameters, update)
        rate = rate_at(update, updates, learning_rate, schedule, alpha, len(data) // batch)
        negative = negative_phase(parameters, update, positive.v, rate)
        if update % every == 0 or update == updates - 1:
            spent = negative_phase.spent + getattr(walking, "spent", 0)
            numbers = {"learning_rate": rate, "chain_sweeps": spent, **getattr(negative_phase, "numbers", {})}
            numbers["log_f_data"] = positive.mean_log_f(parameters)
            numbers["log_f_particles"] = negative.mean_log_f(parameters)
            trace.add(update, parameters, values, numbers, getattr(negative_phase, "profiles", {}))
            if patience is not None:
                stopping.see(update, trace.rows["log_likelihood_validation"][-1], values)
        put_difference(parameters, positive, negative, gradient)
        with np.errstate(over="ignore", invalid="ignore"):
            largest = step(values, gradient, rate)
        if not largest < _DIVERGED:
            error = f"the training diverged at update {update}; expected less than {learning_rate:g}"
            raise ValueError(f"learning_rate: {error}")
        if checkpoint is not None:
            checkpoint.save_if_due(update + 1, parts)
        progress_bar.update()
    progress_bar.close()
    stopping.give_back(values)
    rows = trace.dataset(trace.rows).assign_attrs(monitored=monitored, **stopping.attributes)
    return TrainingRun(RBM(*values), rows, trace.dataset(trace.snapshots) if trace.snapshots else None)


def rate_at(update: int, updates: int, learning_rate: float, schedule: str, alpha: float, per_epoch: int = 1) -> float:
    """Learning rate of one update (see `logzoo.train_rbm`); per_epoch: updates in an epoch."""
    if schedule == "epochs":
        return learning_rate / -(-(1 + update // per_epoch) // _EPOCHS)
    if schedule == "inverse":
        return min(alpha * learning_rate / (update + 1), learning_rate)
    return learning_rate * (1.0 - update / updates) if schedule == "linear" else learning_rate


def _initial_values(data: np.ndarray, hidden: int, start: RBM | None, initial: str, generator: Generator) -> Values:
    visible = data.shape[1]
    if start is not None:
        if not isinstance(start, RBM):
            raise ValueError(f"start: expected an RBM, found {type(start).__name__}")
        if (start.visible, start.hidden) != (visible, hidden):
            sizes = f"{start.visible} visible and {start.hidden} hidden units"
            raise ValueError(f"start: expected an RBM of {visible} visible and {hidden} hidden units, found {sizes}")
        arrays = start.weights, start.visible_bias, start.hidden_bias
        largest = max(float(np.abs(array).max()) for array in arrays)
        if not largest < _DIVERGED:
            raise ValueError(f"start: expected parameters below {_DIVERGED:g} in size, found {largest:g}")
    elif initial == "small":
        arrays = [_INITIAL_SCALE * generator.standard_normal(shape) for shape in ((visible, hidden), visible, hidden)]
    elif initial == "uniform":
        # Savarese et al. (2018); p is at most 0.99, so that the bias is finite.
        p = np.minimum(data.mean(axis=0, dtype=np.float64), 1.0 - _PSEUDO_SHARE)
        reach = _INITIAL_REACH / np.sqrt(visible + hidden)
        weights = generator.uniform(-reach, reach, (visible, hidden))
        arrays = weights, np.log((p + _PSEUDO_SHARE) / (1.0 - p)), np.zeros(hidden)
    else:
        weights = _INITIAL_SCALE * generator.standard_normal((visible, hidden))
        arrays = weights, log_odds(data, pseudo_share=_PSEUDO_SHARE), np.zeros(hidden)
    return Values(*(np.array(array, np.float32) for array in arrays))


def _monitored(
    data: np.ndarray, validation: np.ndarray | None, tracker: Any, patience: int | None, count: int
) -> dict[str, np.ndarray]:
    """Examples by split whose log-likelihood is traced, at most `count` per split."""
    if validation is None:
        if patience is not None:
            raise ValueError("patience: expected validation data and a tracker, found no validation data")
        return {}
    if tracker is None:
        raise ValueError("validation: expected a tracker, because the likelihood needs log Z; found none")
    return {"train": data[:count], "validation": validation[:count]}


def _batches(examples: int, batch: int, generator: Generator) -> Iterator[np.ndarray]:
    """Endless index sets of mini-batches: each epoch is a new permutation, without its incomplete last batch."""
    while True:
        order = generator.permutation(examples)
        for first in range(0, examples - batch + 1, batch):
            yield order[first : first + batch]
