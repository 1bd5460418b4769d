"""What a training leaves behind: a row of numbers every so many updates, and the parameters at some of them."""

import numpy as np
import xarray as xr

from logzoo.artifacts.labels import labelled
from logzoo.kernels.energies import log_f_tempered
from logzoo.kernels.gibbs import forget_hidden
from logzoo.kernels.layout import new_chains

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
}
_MEANS = ("log_f_data", "log_f_particles")
_PROFILES = {
    "inverse_temperature": ("rung", "inverse temperature of each rung"),
    "share_up": ("rung", "share of replicas that left the model's end last, an average over the return time"),
    "exchanges_tried": ("pair", "exchanges that each pair of neighbouring rungs has tried so far"),
    "exchanges_made": ("pair", "exchanges that each pair of neighbouring rungs has made so far"),
    "round_trips": ("ladder", "round trips of all replicas so far"),
}
_SNAPSHOT = {
    "weights": (("update", "visible", "hidden"), "weights"),
    "visible_bias": (("update", "visible"), "visible bias"),
    "hidden_bias": (("update", "hidden"), "hidden bias"),
}
# Examples whose log f is computed at once.
_TOGETHER = 500


class Trace:
    """Rows of numbers by column, and snapshots of the parameters at about `snapshots` of them."""

    def __init__(self, rows, snapshots, hidden, monitored, tracker):
        self.snapshot_step = max(1, rows // snapshots) if snapshots else None
        self.hidden = hidden
        self.monitored = monitored
        self.tracker = tracker
        self.columns = _COLUMNS if tracker is None else {**_COLUMNS, **tracker.columns}
        self.rows = {}
        self.profiles = {}
        self.snapshots = {}

    def add(self, update, parameters, values, numbers, means, profiles):
        """Add a row: numbers by column, mean log f of mini-batch and particles, what the tracker reads, profiles.

        A mean that is None is left out: exact gradients have no particles.
        """
        row = {"update": update, **numbers}
        row |= {name: mean for name, mean in zip(_MEANS, means, strict=True) if mean is not None}
        if self.tracker is not None:
            row |= self.tracker.reading
        for split, examples in self.monitored.items():
            log_f = mean_log_f_of(parameters, examples, self.hidden)
            row[f"log_likelihood_{split}"] = log_f - row["log_z"]
        for name, number in row.items():
            self.rows.setdefault(name, []).append(number)
        for name, array in profiles.items():
            self.profiles.setdefault(name, []).append(array.astype(np.float64))
        if self.snapshot_step is not None and (len(self.rows["update"]) - 1) % self.snapshot_step == 0:
            for name, array in {"update": np.asarray(update), **values.state}.items():
                self.snapshots.setdefault(name, []).append(array.copy())

    def last(self, name):
        """The last row's entry of a column."""
        return self.rows[name][-1]

    @property
    def state(self):
        """The rows, profiles and snapshots so far, by name."""
        kinds = {"rows": self.rows, "profiles": self.profiles, "snapshots": self.snapshots}
        return {f"{kind}.{name}": _stacked(rows) for kind, columns in kinds.items() for name, rows in columns.items()}

    def restore(self, state):
        """Go on from a `state`."""
        for key, array in state.items():
            kind, name = key.split(".")
            getattr(self, kind)[name] = list(array)

    def dataset(self):
        """The rows, over `update`; of a ladder that has gained rungs, NaN stands for those yet to come."""
        variables = {
            name: labelled("update", np.array(column), *self.columns[name]) for name, column in self.rows.items()
        }
        for name, arrays in self.profiles.items():
            along, long_name = _PROFILES[name]
            variables[name] = labelled(("update", along), _stacked(arrays), long_name, "1")
        return xr.Dataset(variables, coords={"update": variables.pop("update")})

    def snapshots_dataset(self):
        """The snapshots, over `update`; None if there are none to be."""
        if self.snapshot_step is None:
            return None
        variables = {
            name: labelled(dimensions, np.array(self.snapshots[name]), long_name, "1")
            for name, (dimensions, long_name) in _SNAPSHOT.items()
        }
        update = labelled("update", np.array(self.snapshots["update"]), *_COLUMNS["update"])
        return xr.Dataset(variables, coords={"update": update})


def _stacked(rows):
    """Rows as one array, shorter ones filled up with NaN."""
    sizes = {np.shape(row) for row in rows}
    if len(sizes) == 1:
        return np.array(rows)
    width = max(size[0] for size in sizes)
    return np.array([np.pad(row, (0, width - row.size), constant_values=np.nan) for row in rows])


def mean_log_f(parameters, chains, weights=None):
    """Mean log f(v) of Chains, with weights (chains,) if any, in nats; their inputs must be up to date."""
    values = np.empty(len(chains.v))
    log_f_tempered(parameters, np.ones(len(values), np.float32), chains, values)
    return np.average(values, weights=weights)


def mean_log_f_of(parameters, examples, hidden):
    """Mean log f(v) of examples (examples, visible) in nats."""
    total = 0.0
    for first in range(0, len(examples), _TOGETHER):
        chains = new_chains(len(examples[first : first + _TOGETHER]), examples.shape[1], hidden)
        chains.v[...] = examples[first : first + _TOGETHER]
        forget_hidden(parameters, chains)
        total += mean_log_f(parameters, chains) * len(chains.v)
    return total / len(examples)
