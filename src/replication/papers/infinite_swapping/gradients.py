"""How far a running estimate of the gradient is from the exact one (Hult et al. 2019, figures 2 and 4).

The data's part of the gradient is the same in both, so the distance is that of the model's part: between the running
mean of the weighted statistics (v p(h | v)', v, p(h | v)) over all sweeps so far and their exact expectations.
"""

import numpy as np
import xarray as xr

from logzoo.io.labels import labelled
from logzoo.models.expectations import exact_expectations
from logzoo.models.rbm import RBM
from logzoo.paths import kernel_parameters
from logzoo.samplers.replicas import InfiniteSwapping


def run(artifacts, *, states, **settings):
    """The experiment at the first snapshot of a training (`early`) and at the model that it ended in (`late`)."""
    snapshots = artifacts["snapshots"]
    known = {"early": RBM.from_dataset(snapshots.isel(update=0)), "late": RBM.from_dataset(artifacts["model"])}
    return gradient_distances({name: known[name] for name in states}, **settings)


def gradient_distances(states, samplers, *, ladders, steps, repeats, points, stream):
    """Distances of running estimates of the gradient from the exact one, and how evenly replicas use temperatures.

    states: {name: RBM}; samplers: {name: settings of InfiniteSwapping, with `ladders` of its own if it has others}.
    Each repeat runs `ladders` ladders from uniform units for `steps` sweeps, looked at `points` times, at equal ratios.
    Returns a Dataset over (state, sampler, repeat, step).
    """
    looks = np.unique(np.geomspace(1, steps, points).round().astype(int))
    shape = len(states), len(samplers), repeats, looks.size
    distance, unevenness = np.empty(shape), np.empty(shape)
    chains = np.zeros(len(samplers), int)
    for row, (state, rbm) in enumerate(states.items()):
        for column, (name, settings) in enumerate(samplers.items()):
            sampler = swapped_ladders(stream.child(state, name).key, repeats, ladders, settings)
            chains[column] = sampler.rung.size // repeats
            distance[row, column], unevenness[row, column] = _distances(rbm, sampler, looks, repeats)
    over = ("state", "sampler", "repeat", "step")
    return xr.Dataset(
        {
            "distance": labelled(over, distance, "Euclidean distance to the exact gradient", "1"),
            "unevenness": labelled(
                over, unevenness, "total variation distance of a replica's temperatures so far from uniform", "1"
            ),
            "chains": labelled("sampler", chains, "chains of a repeat", "1"),
        },
        coords={
            "state": labelled("state", np.array(list(states), dtype=object), "state of the parameters", "1"),
            "sampler": labelled("sampler", np.array(list(samplers), dtype=object), "sampler", "1"),
            "repeat": labelled("repeat", np.arange(repeats), "independent repeat", "1"),
            "step": labelled("step", looks, "Gibbs sweeps of every chain", "sweep"),
        },
        attrs={"visible": rbm.visible, "hidden": rbm.hidden, "ladders": ladders},
    )


def swapped_ladders(key, repeats, ladders, settings):
    """The InfiniteSwapping of so many repeats; `settings` may say `ladders` itself."""
    settings = {"ladders": ladders, **settings}
    return InfiniteSwapping(key, repeats * settings.pop("ladders"), **settings)


def _distances(rbm, sampler, looks, repeats):
    """Distance and unevenness (repeat, look) of one sampler at one RBM."""
    parameters = kernel_parameters(rbm, np.zeros(rbm.visible))
    exact = exact_expectations(rbm.weights, rbm.visible_bias, rbm.hidden_bias)
    target = np.concatenate([means.ravel() for means in exact[1:]])
    sampler.load(parameters, log_odds=np.zeros_like(parameters.base))
    sums = np.zeros((repeats, target.size))
    distance, unevenness = np.empty((repeats, looks.size)), np.empty((repeats, looks.size))
    done = 0
    for position, look in enumerate(looks):
        sampler.move_and_sum(done + 1, look + 1, sums)
        done = look
        means = sums / (look * sampler.count / repeats)
        distance[:, position] = np.sqrt(((means - target) ** 2).sum(axis=1))
        apart = 0.5 * np.abs(sampler.occupancy / look - 1.0 / sampler.betas.size).sum(axis=1)
        unevenness[:, position] = apart.reshape(repeats, -1).mean(axis=1)
    return distance, unevenness
