"""Lengths of tours from training images back to a stopping set (Savarese et al. 2018, figures 1 to 3)."""

from collections.abc import Sequence
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from logzoo.datasets.build import visible_matrix
from logzoo.datasets.readers import SPLITS
from logzoo.io.schema import coordinate, labelled
from logzoo.models.rbm import RBM
from logzoo.paths import kernel_parameters
from logzoo.samplers.stopping_sets import stopping_set
from logzoo.samplers.tour_chains import TourSampler
from logzoo.types import Array
from replication.papers.las_vegas.lv_walks import first_draws, walk
from replication.types import Artifacts, Stream

_SETS = "stopping-set"
_TOURS = "tours"


class Images(NamedTuple):
    """Training images and their classes."""

    data: np.ndarray  # (examples, visible) uint8 of 0/1, or float32 grey levels
    labels: np.ndarray  # (examples,) integers; -1 without labels


def lengths(artifacts: Artifacts, **settings: Any) -> xr.Dataset:
    """The experiment on the lengths of a model's tours."""
    return tour_lengths(RBM.from_dataset(artifacts["model"]), _images_of(artifacts["dataset"]), **settings)


def chains(artifacts: Artifacts, **settings: Any) -> xr.Dataset:
    """The experiment that breaks chains of a model into tours."""
    return broken_chains(RBM.from_dataset(artifacts["model"]), _images_of(artifacts["dataset"]), **settings)


def _images_of(dataset):
    data = visible_matrix(dataset, "train")
    labels = np.full(len(data), -1)
    if "label" in dataset:
        labels = dataset["label"].values[dataset["split"].values == SPLITS.index("train")]
    return Images(data, labels)


def tour_lengths(
    rbm: RBM,
    images: Images,
    *,
    rounds: Sequence[int],
    visible: Sequence[str],
    batches: int,
    batch: int,
    cap: int,
    shown: int,
    stream: Stream,
) -> xr.Dataset:
    """Lengths of tours that start from hidden states drawn from training images, and are cut after `cap` sweeps.

    rounds: for each stopping set, the number of hidden states drawn for each image. Tours to every set start from the
    same states and use the same random numbers. visible: values of visible units on a tour, "draws" or "means". The
    `shown` shortest and longest tours, whose images are returned, run to the first set with the last `visible`.
    """
    parameters = kernel_parameters(rbm, np.zeros(rbm.visible))
    example = stream.child("examples").generator().integers(len(images.data), size=batches * batch)
    states = first_draws(parameters, images.data, example, stream.child(_SETS))
    lengths = np.empty((len(visible), len(rounds), example.size), np.int64)
    finished, same = np.empty(lengths.shape, bool), np.empty(lengths.shape, bool)
    sizes = np.empty(len(rounds), np.int64)
    for column, count in enumerate(rounds):
        stopping = stopping_set(parameters, images.data, count * len(images.data), stream.child(_SETS))
        sizes[column] = stopping.size
        for row, name in enumerate(visible):
            sampler = TourSampler(parameters, stopping, stream.child(_TOURS), mean_field=name == "means")
            tours = sampler.run_from(states.copy(), example.size * cap, cap)
            lengths[row, column], finished[row, column] = tours.length, tours.finished
            same[row, column] = (tours.rows == states).all(axis=1)
    chosen = _extremes(lengths[-1, 0], finished[-1, 0], shown)
    first, _ = walk(parameters, states[chosen.ravel()], chosen.ravel().astype(np.uint64), 1, stream.child(_TOURS))
    first_draw = first[0].reshape(*chosen.shape, -1)

    def by_tour(values, long_name, units="1"):
        over = ("visible", "rounds", "batch", "tour")[-1 - values.ndim :]
        return labelled(over, values.reshape(*values.shape[:-1], batches, batch), long_name, units)

    def of_extremes(values, long_name, units="1"):
        return labelled(("kind", "shown", "unit")[: values.ndim], values, long_name, units)

    return xr.Dataset(
        {
            "length": by_tour(lengths, "sweeps of the tour", "sweep"),
            "finished": by_tour(finished.astype(np.int8), "1: the tour returned, 0: it was cut"),
            "same": by_tour(same.astype(np.int8), "1: the tour ended in the hidden state that it started from"),
            "example": by_tour(example, "training image"),
            "label": by_tour(images.labels[example], "class of the image"),
            "stopping_states": labelled("rounds", sizes, "distinct hidden states of the stopping set", "1"),
            "image": of_extremes(images.data[example[chosen]], "image that the tour started from"),
            "first_draw": of_extremes(first_draw, "visible units after the first sweep"),
            "shown_length": of_extremes(lengths[-1, 0][chosen], "length of the tour", "sweep"),
            "shown_finished": of_extremes(finished[-1, 0][chosen].astype(np.int8), "1: the tour returned"),
            "stroke": by_tour(stroke_widths(images.data[example]), "width of the image's strokes", "pixel"),
        },
        coords={
            "visible": coordinate("visible", visible, "values of visible units on a tour"),
            "rounds": coordinate("rounds", rounds, "hidden states drawn for each training image"),
            "kind": coordinate("kind", ("short", "long"), "shortest or longest tours"),
        },
        attrs={"visible_units": rbm.visible, "hidden_units": rbm.hidden, "cap": cap},
    )


def broken_chains(
    rbm: RBM, images: Images, *, digits: Sequence[int], sweeps: int, candidates: int, stream: Stream
) -> xr.Dataset:
    """A chain from an image of each digit, broken into tours wherever its first hidden state is drawn again.

    The image is the first of `candidates` whose chain completes a tour of more than one sweep. If there is none, it is
    the first image whose chain returns at all, or else the first image.
    """
    parameters = kernel_parameters(rbm, np.zeros(rbm.visible))
    rows = []
    for digit in digits:
        chosen = np.flatnonzero(images.labels == digit)[:candidates]
        if not chosen.size:
            raise ValueError(f"digits: expected labels of training images, found {digit}")
        states = first_draws(parameters, images.data, chosen, stream.child(_SETS))
        seen, reached = walk(parameters, states, chosen.astype(np.uint64), sweeps, stream.child(_TOURS))
        home = (reached == states).all(axis=2)
        best = int(np.argmax(home.any(axis=0) + 2 * (home[1:] & ~home[:-1]).any(axis=0)))
        rows.append((images.data[chosen[best]], seen[:, best], home[:, best]))
    start, seen, home = (np.array(arrays) for arrays in zip(*rows, strict=True))
    return xr.Dataset(
        {
            "start": labelled(("chain", "unit"), start, "image that the chain started from", "1"),
            "v": labelled(("chain", "sweep", "unit"), seen, "visible units after each sweep", "1"),
            "home": labelled(("chain", "sweep"), home.astype(np.int8), "1: first hidden state drawn again", "1"),
        },
        coords={
            "chain": coordinate("chain", digits, "class of the image"),
            "sweep": coordinate("sweep", range(1, sweeps + 1), "sweeps of the chain", "sweep"),
        },
        attrs={"visible_units": rbm.visible, "hidden_units": rbm.hidden},
    )


def inspected(artifacts: Artifacts, *, k: int, sweeps: int, inspected: int, stream: Stream) -> xr.Dataset:
    """The experiment on the tour from which CD-k takes its state: `inspected` chains of `sweeps` sweeps.

    A tour ends when the first hidden state is drawn again, so the tours of a chain are independent draws.
    """
    rbm, images = RBM.from_dataset(artifacts["model"]), _images_of(artifacts["dataset"])
    parameters = kernel_parameters(rbm, np.zeros(rbm.visible))
    example = stream.child("examples").generator().integers(len(images.data), size=inspected)
    states = first_draws(parameters, images.data, example, stream.child(_SETS))
    _, reached = walk(parameters, states, np.arange(inspected, dtype=np.uint64), sweeps, stream.child(_TOURS))
    first, held = tours_at((reached == states).all(axis=2), k)
    return xr.Dataset(
        {
            "first": labelled("chain", first, "length of the first tour", "sweep"),
            "held": labelled("chain", held, "length of the tour that contains the state of CD-k", "sweep"),
        },
        attrs={"k": k, "sweeps": sweeps},
    )


def tours_at(home: Array, k: int) -> tuple[Array, Array]:
    """Lengths (chain,) of the first tour and of the tour that sweep k belongs to.

    home (sweep, chain): whether the chain returns. An unfinished tour counts with its length at the last sweep.
    """
    ends = np.where(home, np.arange(1, len(home) + 1)[:, None], len(home))
    starts = np.where(home[: k - 1], np.arange(1, k)[:, None], 0).max(axis=0, initial=0)
    return ends.min(axis=0), ends[k - 1 :].min(axis=0) - starts


def stroke_widths(images: Array) -> Array:
    """Width of strokes (image,) in pixels: twice the area above half grey, divided by the length of its outline.

    Images that are not square, and images without a pixel above half grey, give NaN.
    """
    side = isqrt(images.shape[1])
    if side * side != images.shape[1]:
        return np.full(len(images), np.nan)
    inked = np.pad((images > 0.5).reshape(-1, side, side), ((0, 0), (1, 1), (1, 1)))
    outline = sum(np.diff(inked, axis=axis).sum(axis=(1, 2)) for axis in (1, 2))
    area = inked.sum(axis=(1, 2))
    return np.divide(2.0 * area, outline, out=np.full(len(images), np.nan), where=outline > 0)


def _extremes(lengths, finished, shown):
    """Indices (2, shown) of the shortest and of the longest tours.

    Ties are in the order of the tours, except that among the longest tours cut tours come first.
    """
    return np.array([np.argsort(lengths, kind="stable")[:shown], np.lexsort((finished, -lengths))[:shown]])
