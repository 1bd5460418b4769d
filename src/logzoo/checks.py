"""Checks of what a user hands in: each raises ValueError with one line that names the value and what was expected."""

import numbers

import numpy as np


def whole_number(name, value, *, minimum=1):
    """`value` as int, if it is a whole number of at least `minimum`."""
    is_whole = isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool_)
    if not is_whole or value < minimum:
        raise ValueError(f"{name}: expected a whole number of at least {minimum}, found {value!r}")
    return int(value)


def positive_number(name, value):
    """`value` as float, if it is finite and above zero."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)
    if not is_number or not np.isfinite(value) or value <= 0:
        raise ValueError(f"{name}: expected a finite number above 0, found {value!r}")
    return float(value)


def share(name, value):
    """`value` as float, if it is at least 0 and below 1."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)
    if not is_number or not 0.0 <= value < 1.0:
        raise ValueError(f"{name}: expected a number from 0 to below 1, found {value!r}")
    return float(value)


def one_of(name, value, choices):
    """`value`, if it is among `choices`."""
    if value not in choices:
        raise ValueError(f"{name}: unknown value {value!r}; expected one of {', '.join(sorted(choices))}")
    return value


def finite_array(name, value, *, dimensions):
    """`value` as a contiguous float64 array of that many dimensions, if every entry is finite."""
    try:
        array = np.ascontiguousarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected numbers, found {type(value).__name__}") from None
    if array.ndim != dimensions or array.size == 0:
        raise ValueError(f"{name}: expected a non-empty array of {dimensions} dimension(s), found {array.shape}")
    wrong = np.count_nonzero(~np.isfinite(array))
    if wrong:
        raise ValueError(f"{name}: expected finite numbers, found {wrong} NaN or infinite of {array.size}")
    return array


def binary_matrix(name, value, *, visible=None):
    """`value` as a contiguous uint8 matrix (examples, visible) of zeros and ones."""
    array = np.asarray(value)
    if array.ndim != 2 or array.size == 0:
        raise ValueError(f"{name}: expected a non-empty matrix (examples, visible), found shape {array.shape}")
    if array.dtype.kind not in "biuf" or not ((array == 0) | (array == 1)).all():
        raise ValueError(f"{name}: expected zeros and ones only; binarise the data first")
    if visible is not None and array.shape[1] != visible:
        raise ValueError(f"{name}: expected {visible} columns (visible units), found {array.shape[1]}")
    return np.ascontiguousarray(array, dtype=np.uint8)


def grey_matrix(name, value):
    """`value` as a contiguous float32 matrix (examples, visible) of numbers from 0 to 1."""
    array = np.asarray(value)
    if array.ndim != 2 or array.size == 0:
        raise ValueError(f"{name}: expected a non-empty matrix (examples, visible), found shape {array.shape}")
    if array.dtype.kind not in "biuf" or not (array.min() >= 0 and array.max() <= 1):
        raise ValueError(f"{name}: expected grey levels from 0 to 1 only; divide them by the largest possible")
    return np.ascontiguousarray(array, dtype=np.float32)
