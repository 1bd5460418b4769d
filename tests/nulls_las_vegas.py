"""Artifacts made up for the claims of Savarese et al. (2018), and statistics whose truth lies on a bound.

Numbers of repeats are those of the paper scale, except for LVS-3 and LVS-10 (five runs). Spreads are about those from
which the powers are computed.
"""

import numpy as np
import xarray as xr

from replication.papers.las_vegas import lv_f2c, lv_f4, lv_images, lv_tails, lv_trainings

_TOURS = ("visible", "rounds", "batch", "tour")
_IMAGES, _SHOWN = ("kind", "shown", "unit"), np.tile(np.eye(2), (2, 5, 4))
# Without indexes, which take most of the time of small Datasets.
_COORDINATES = xr.Coordinates({"visible": ("visible", np.array(["means"]))}, indexes={})
_DRAWN = _SHOWN * np.array([1.0, -1.0])[:, None, None]
_TRAINERS = ("cd-1", "cd-10", "pcd-1", "pcd-10", "lvs-1", "lvs-3", "lvs-10")


def dataset_of_tours(length, finished, same, label, stroke, **attributes):
    """Tours (round, tour), visible units at their means; images and first draws of ten short and ten long tours."""
    shape = (1, len(length), 1, length.shape[-1])
    by_round = {"length": length, "finished": finished, "same": same}
    variables = {name: (_TOURS, np.broadcast_to(one, length.shape).reshape(shape)) for name, one in by_round.items()}
    variables |= {"label": (_TOURS[2:], label[None]), "stroke": (_TOURS[2:], stroke[None])}
    variables |= {"image": (_IMAGES, _SHOWN), "first_draw": (_IMAGES, _DRAWN)}
    return xr.Dataset(variables, _COORDINATES, attributes)


def tours_of(hidden, mean=3.0, *, rounds=(1,), of_label=None, seed=0, same=1.0, cap=1000, stroke=np.ones_like):
    """Tours of geometric lengths, with mean `mean` / sqrt(rounds), or by digit from `of_label` {digit: mean}."""
    generator = np.random.default_rng([seed, hidden])
    label = generator.integers(0, 10, 1200)
    expected = np.full((len(rounds), label.size), mean) / np.sqrt(rounds)[:, None]
    if of_label:
        expected[...] = [of_label.get(int(one), mean) for one in label]
    whole = generator.geometric(1.0 / np.maximum(expected, 1.0))
    length, ended = np.minimum(whole, cap), generator.random(whole.shape) < same
    return dataset_of_tours(length, whole <= cap, ended, label, stroke(1.0 * length[0]), hidden_units=hidden, cap=cap)


def training_of(levels, runs=8, seed=0, spread=0.1, shared=2.0):
    """Log-likelihoods over rates: a level at each, noise that all trainers share, and noise of each trainer."""
    common = np.random.default_rng(99).standard_normal(runs)
    values = np.array(levels)[:, None] + shared * common
    values = values + spread * np.random.default_rng(seed).standard_normal(values.shape)
    return likelihoods_of(values - 1.0, values - 0.5, values)


def likelihoods_of(*splits):
    """The artifact of a trainer; splits: log-likelihoods (rate, run) of training, validation and test data."""
    shape, cells = splits[0].shape, ("rate", "run")
    variables = {
        "log_likelihood": ((*cells, "split"), np.stack(splits, axis=-1)),
        "chain_sweeps": (cells, np.full(shape, 100.0)),
        "tours_finished": (cells, np.tile(np.linspace(0.05, 0.15, shape[1]), (shape[0], 1))),
    }
    return xr.Dataset(variables, {"rate": [0.01, 0.1, 1.0][: shape[0]], "split": ["train", "validation", "test"]})


def _trainings(generator, count, hidden=32):
    """Trainings whose tours lie on the bounds of figures 2 and 3; half of the tours take one sweep."""
    tours = np.arange(1000)
    label, half = tours % 10, tours.size // 2
    trainings = {}
    for number in range(count):
        one, long, last, same, width = generator.standard_normal(5) * (0.05, 0.3, 0.1, 0.004, 0.3)
        single = round(tours.size * np.sin(np.arcsin(np.sqrt(0.5)) + one) ** 2)
        length = np.where(tours < single, 1.0, np.exp(4.0 + long - 4.0 * (single - half) / half))
        length = length * np.where(tours < single, 1.0, np.exp(0.4 * generator.standard_normal(10)[label]))
        longer = round((tours.size - single) * (1.0 + last))
        both = np.stack([length, np.where(tours >= tours.size - longer, 2.0, 1.0)])
        ended = tours < round(single * min(0.99 + same, 1.0))
        stroke = 2.0 + np.where(tours < single, width, 0.0)
        trainings[f"m-{number}"] = dataset_of_tours(
            both, tours < tours.size - 25, ended, label, stroke, hidden_units=hidden, cap=1000
        )
    return trainings


def _figure_1(generator):
    noise = 0.2 * generator.standard_normal((10, 1))
    first = 4.0 * np.ones((10, 50))
    return {
        "inspected": {
            f"m-{number}": xr.Dataset({"first": ("chain", first[number]), "held": ("chain", held)})
            for number, held in enumerate(first * np.exp(noise))
        }
    }


def _figure_2a(generator):
    return {"tours": {f"lv-{hidden}": _trainings(generator, 10, hidden) for hidden in (16, 25, 32)}}


def _figure_4(generator):
    estimates, truths = {}, {}
    for state in ("cd", "lvs"):
        sizes = np.exp(0.2 * generator.standard_normal(10))
        errors = sizes[:, None, None] * generator.standard_normal((10, 20, 2))
        over, names = ("replicate", "tours"), [f"{state}-{number}" for number in range(10)]
        estimates[state] = {
            name: xr.Dataset({"log_z": (over, error), "low": (over, error - 2.0), "high": (over, error + 2.0)})
            for name, error in zip(names, errors, strict=True)
        }
        truths[state] = dict.fromkeys(names, xr.Dataset({"log_z": 0.0, "std_error": 0.0}))
    return {"estimates": estimates, "truths": truths}


def _tables(generator):
    """LVS-1 and PCD-10 are equally good at the better rate; one trainer is equally good at both rates."""
    runs = {}
    for name in _TRAINERS:
        best, count = float(name.startswith("lvs")), 5 if name in ("lvs-3", "lvs-10") else 10
        noise = 2.0 * generator.standard_normal((2, count))
        level = -140.0 if name in ("lvs-1", "pcd-10") else -190.0
        values = level + noise - np.array([best, 1.0 - best])[:, None] * 40.0
        runs[name] = likelihoods_of(values, noise / np.sqrt(2.0) if name == "lvs-3" else values, values)
    return {"trainings": runs, "large": {"cd-1": runs["cd-1"]}, "small": {"lvs-1": runs["lvs-1"]}}


_FIGURES = {**lv_images.FIGURES, **lv_tails.FIGURES, **lv_trainings.FIGURES, "lv-f2c": lv_f2c, "lv-f4": lv_f4}


def null_statistics(generator):
    """{claim id: Statistic} of every claim; the truth of each that has bounds lies on one of them."""
    artifacts = {"lv-f1": _figure_1(generator), "lv-f2a": _figure_2a(generator)}
    of_largest = {"tours": artifacts["lv-f2a"]["tours"]["lv-32"]}
    artifacts |= {"lv-t1": _tables(generator), "lv-t2": _tables(generator), "lv-f4": _figure_4(generator)}
    artifacts |= dict.fromkeys(("lv-f2b", "lv-f2c", "lv-f3"), of_largest)
    results = {name: _FIGURES[name].statistics(one) for name, one in artifacts.items()}
    return {f"{name}-{key}": one for name, statistics in results.items() for key, one in statistics.items()}
