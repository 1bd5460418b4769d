"""Numbers and statistics of independent trainings, from their Datasets {training: Dataset}."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from logzoo.types import Array
from replication.reporting.statistics import Statistic, over_repeats, untested
from replication.types import Dataset, Measure


def first_of(trainings: Mapping[str, Dataset]) -> Dataset:
    """The Dataset of the first training, which figures show."""
    return next(iter(trainings.values()))


def of_each(number: Callable[[Dataset], Any], trainings: Mapping[str, Dataset]) -> Array:
    """The numbers (..., training) that `number` returns for the Dataset of each training; (0,) without trainings."""
    numbers = [np.asarray(number(dataset), float) for dataset in trainings.values()]
    return np.stack(numbers, axis=-1) if numbers else np.zeros(0)


def over_finite(statistic: Measure, *numbers: Array, **options: Any) -> Statistic:
    """`over_repeats` over the trainings (..., training) whose numbers are all finite; NaN without such a training."""
    finite = [values[..., np.isfinite(values).all(axis=tuple(range(values.ndim - 1)))] for values in numbers]
    return over_repeats(statistic, *finite, **options) if all(part.shape[-1] for part in finite) else untested()
