"""Record of a training: rows of numbers at regular updates, parameters at some of these, and early stopping."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from logzoo.io.schema import labelled
from logzoo.training.negative import mini_batch

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from logzoo.kernels.gibbs import Parameters
    from logzoo.training.loop import Values


# {name: (long name, unit, dimensions after `update`)}.
_COLUMNS = {
    "update": ("parameter updates made before", "1"),
    "learning_rate": ("learning rate", "1"),
    "chain_sweeps": ("Gibbs sweeps spent so far, summed over chains", "sweep"),
    "log_f_data": ("mean unnormalised log-probability of the mini-batch", "nat"),
    "log_f_particles": ("mean unnormalised log-probability of the negative particles", "nat"),
    "tours_finished": ("share of the tours of the update that returned to the stopping set", "1"),
    "tour_length": ("mean length of the tours of the update", "sweep"),
    "stopping_states": ("distinct hidden states of the stopping set", "1"),
    "log_likelihood_train": ("tracked mean log-likelihood of training examples", "nat"),
    "log_likelihood_validation": ("tracked mean log-likelihood of validation examples", "nat"),
    "inverse_temperature": ("inverse temperature of each rung", "1", "rung"),
    "share_up": ("share of replicas that visited the model's end last, averaged over the return time", "1", "rung"),
    "exchanges_tried": ("exchanges attempted by each pair of neighbouring rungs since the last new rung", "1", "pair"),
    "exchanges_made": ("exchanges accepted by each pair of neighbouring rungs since the last new rung", "1", "pair"),
    "round_trips": ("round trips of all replicas so far", "1", "ladder"),
    "weights": ("weights", "1", "visible", "hidden"),
    "visible_bias": ("visible bias", "1", "visible"),
    "hidden_bias": ("hidden bias", "1", "hidden"),
}
# Number of examples whose log f is computed together, so that memory does not grow with the number of examples.
_TOGETHER = 500


class Trace:
    """Rows of numbers by column, and snapshots of the parameters at about `snapshots` of the rows."""

    def __init__(self, rows: int, snapshots: int, monitored: Mapping[str, np.ndarray], tracker: Any) -> None:
        self.snapshot_step = max(1, rows // snapshots) if snapshots else None
        self.monitored = monitored
        self.tracker = tracker
        self.columns = _COLUMNS | getattr(tracker, "columns", {})
        self.rows = {}
        self.snapshots = {}

    def add(
        self,
        update: int,
        parameters: Parameters,
        values: Values,
        numbers: Mapping[str, Any],
        profiles: Mapping[str, np.ndarray],
    ) -> None:
        """Add a row: numbers by column (None for missing numbers), the reading of the tracker, and profiles."""
        row = {"update": update} | {name: number for name, number in numbers.items() if number is not None}
        if self.tracker is not None:
            row |= self.tracker.reading
        for split, examples in self.monitored.items():
            row[f"log_likelihood_{split}"] = _mean_log_f(parameters, examples) - row["log_z"]
        row |= {name: array.astype(np.float64) for name, array in profiles.items()}
        for name, entry in row.items():
            self.rows.setdefault(name, []).append(entry)
        if self.snapshot_step is not None and (len(self.rows["update"]) - 1) % self.snapshot_step == 0:
            for name, array in {"update": update, **values.state}.items():
                self.snapshots.setdefault(name, []).append(np.array(array))

    @property
    def state(self) -> dict[str, np.ndarray]:
        """The rows and snapshots so far, by name."""
        kinds = {"rows": self.rows, "snapshots": self.snapshots}
        return {f"{kind}.{name}": _stacked(rows) for kind, columns in kinds.items() for name, rows in columns.items()}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Continue from a `state`."""
        for key, array in state.items():
            kind, name = key.split(".")
            getattr(self, kind)[name] = list(array)

    def dataset(self, columns: Mapping[str, list[Any]]) -> xr.Dataset:
        """The rows or the snapshots, over `update`. A new rung renumbers the rungs: rows of fewer rungs end in NaN."""
        variables = {}
        for name, rows in columns.items():
            long_name, units, *dimensions = self.columns[name]
            variables[name] = labelled(("update", *dimensions), _stacked(rows), long_name, units)
        return xr.Dataset(variables, coords={"update": variables.pop("update")})


def _stacked(rows: list[Any]) -> np.ndarray:
    """Rows as one array; shorter rows are padded with NaN."""
    sizes = {np.shape(row) for row in rows}
    if len(sizes) == 1:
        return np.array(rows)
    width = max(size[0] for size in sizes)
    return np.array([np.pad(row, (0, width - row.size), constant_values=np.nan) for row in rows])


def _mean_log_f(parameters: Parameters, examples: np.ndarray) -> float:
    """Mean log f(v) of examples (examples, visible), uint8 of 0/1 or float32 grey levels, in nats."""
    total = 0.0
    for first in range(0, len(examples), _TOGETHER):
        block = examples[first : first + _TOGETHER]
        chains = mini_batch(block, len(block), parameters.weights_transposed.shape[1])
        chains.load(parameters, block)
        total += chains.mean_log_f(parameters) * len(block)
    return total / len(examples)


class EarlyStopping:
    """Keep the parameters with the best log-likelihood; `over`: whether they are `patience` or more updates old."""

    def __init__(self, patience: int | None) -> None:
        self.patience = patience
        self.over = False
        self.best = {}

    def see(self, update: int, log_likelihood: float, values: Values) -> None:
        """Record the log-likelihood, in nats, of the parameters `values` at an update.

        Raises ValueError if it is not finite.
        """
        if not np.isfinite(log_likelihood):
            value = f"{log_likelihood} at update {update}"
            raise ValueError(f"patience: expected a tracker that gives a finite log-likelihood, found {value}")
        if not self.best or log_likelihood > self.best["log_likelihood"]:
            numbers = {"update": np.array(update), "log_likelihood": np.array(log_likelihood)}
            self.best = numbers | {name: array.copy() for name, array in values.state.items()}
        self.over = bool(update - self.best["update"] >= self.patience)

    def give_back(self, values: Values) -> None:
        """Set `values` to the best parameters, if there are any."""
        if self.best:
            values.restore(self.best)

    @property
    def attributes(self) -> dict[str, Any]:
        """Attributes for the trace: update and log-likelihood of the best parameters."""
        return {f"best_{name}": self.best[name].item() for name in ("update", "log_likelihood") if self.best}

    @property
    def state(self) -> dict[str, np.ndarray]:
        """The state for a checkpoint, by name."""
        return {**self.best, "over": np.array(self.over)}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Continue from a `state`."""
        self.over = bool(state["over"])
        self.best = {name: array for name, array in state.items() if name != "over"}
