"""Checks of arguments: a failed check raises a one-line ValueError with the argument and the expected form."""

from __future__ import annotations

import math
import numbers
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import TypeVar

    Kind = TypeVar("Kind")
    from logzoo.types import Array, Bits, Floats

# Largest size or count. A larger number counts as a typo.
_LARGEST = 10**12
_SHOWN = 80  # most characters of a value in a message
_NAMED = 30  # most names in a list of choices


def shown(value: object) -> str:
    """A value as one line of a message; its type if its repr fails."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # repr fails for whole numbers of thousands of digits, and may fail for a user's class
        text = f"an object of type {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def expected_one_of(value: object, choices: Iterable[object], unlisted: Iterable[str] = ()) -> str:
    """The end of a message about an unknown name: a similar choice or unlisted name, then at most 30 of the choices."""
    names = sorted(map(str, choices))
    near = get_close_matches(str(value)[:_SHOWN], [*names, *unlisted], n=1, cutoff=0.6)
    hint = f"did you mean {near[0]!r}? " if near else ""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{hint}expected one of {', '.join(names[:_NAMED])}{more}" if names else f"{hint}expected none"


def is_a(name: str, value: object, kind: type[Kind]) -> Kind:
    """`value`, if it is an object of the class `kind`."""
    if not isinstance(value, kind):
        raise ValueError(f"{name}: expected an object of type {kind.__name__}, found {shown(value)}")
    return value


def flag(name: str, value: object) -> bool:
    """`value` as bool, if it is true or false."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}: expected true or false, found {shown(value)}")
    return bool(value)


def whole_number(name: str, value: Any, *, minimum: int = 1, maximum: int = _LARGEST) -> int:
    """`value` as int, if it is a whole number of at least `minimum` and at most `maximum`."""
    is_whole = isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool_)
    if not is_whole or int(value) < minimum:
        raise ValueError(f"{name}: expected a whole number of at least {minimum}, found {shown(value)}")
    if int(value) > maximum:
        raise ValueError(f"{name}: expected a whole number of at most {maximum:,}, found {shown(value)}")
    return int(value)


def positive_number(name: str, value: object, *, or_zero: bool = False) -> float:
    """`value` as float, if it is finite and above zero; with `or_zero` it may be zero."""
    number = as_float(value)
    if not 0.0 < number < math.inf and not (or_zero and number == 0.0):
        expected = "of at least 0" if or_zero else "above 0"
        raise ValueError(f"{name}: expected a finite number {expected}, found {shown(value)}")
    return number


def finite_number(name: str, value: object) -> float:
    """`value` as float, if it is a finite real number, alone or in an array of zero dimensions, and no boolean."""
    array = real_array(name, value)
    if array.ndim or array.dtype.kind == "b" or not np.isfinite(array):
        raise ValueError(f"{name}: expected a finite number, found {shown(value)}")
    return float(array)


def share(name: str, value: Any, *, or_one: bool = False) -> float:
    """`value` as float, if it is at least 0 and below 1; with `or_one` it may be 1."""
    number = as_float(value)
    if not 0.0 <= number < 1.0 and not (or_one and number == 1.0):
        raise ValueError(f"{name}: expected a number from 0 to {'1' if or_one else 'below 1'}, found {shown(value)}")
    return number


def as_float(value: object) -> float:
    """`value` as float, infinite if it is too large; NaN for booleans and values that are not real numbers."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool | np.bool_):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return -math.inf if value < 0 else math.inf


def one_of(name: str, value: object, choices: Collection[str]) -> str:
    """`value`, if it is among the strings `choices`."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name}: unknown value {shown(value)}; {expected_one_of(value, choices)}")
    return value


def lower_case(method: Any) -> Any:
    """The name of a method in lower case; values other than strings are unchanged."""
    return method.lower() if isinstance(method, str) else method


def without_torch(value: Any) -> Any:
    """`value`, or a NumPy array if it is a PyTorch tensor, on any device and of any precision."""
    if not hasattr(value, "detach"):
        return value
    tensor = value.detach().cpu()
    # NumPy lacks bfloat16 and other short types. All floats of less than four bytes therefore become float32.
    return (tensor.float() if tensor.is_floating_point() and tensor.itemsize < 4 else tensor).numpy()


def real_array(name: str, value: object) -> Array:
    """`value` as an array of unchanged type, if it holds booleans or real numbers and no masked value."""
    # np.asarray would drop the masks of rows in a list.
    rows = value if isinstance(value, list | tuple) else ()
    if np.ma.is_masked(value) or any(map(np.ma.is_masked, rows)):
        raise ValueError(f"{name}: expected numbers, found masked numbers: fill or remove them first")
    try:
        array = np.asarray(without_torch(value))
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected real numbers, found {type(value).__name__}") from None
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name}: expected real numbers, found {array.dtype.name:.40}")
    return array


def finite_array(name: str, value: object, *, dimensions: int) -> Floats:
    """`value` as a new contiguous float64 array with `dimensions` dimensions, if every entry is finite."""
    array = real_array(name, value)
    if array.ndim != dimensions or array.size == 0:
        raise ValueError(f"{name}: expected a non-empty array of {dimensions} dimension(s), found {array.shape}")
    with np.errstate(over="ignore"):  # longdouble numbers beyond float64 become infinite and are refused below
        array = np.array(array, np.float64, order="C")
    wrong = array.size - np.count_nonzero(np.isfinite(array))
    if wrong:
        raise ValueError(f"{name}: expected finite numbers, found {wrong} NaN or infinity among {array.size} numbers")
    return array


def binary_matrix(name: str, value: object, *, visible: int | None = None, chains: int | None = None) -> Bits:
    """`value` as a contiguous uint8 matrix (examples, visible) of zeros and ones; `chains`: its number of rows."""
    array = _matrix(name, value)
    # For whole numbers it suffices to check the extremes, which needs no memory.
    whole = array.dtype.kind in "biu"
    if not (array.min() >= 0 and array.max() <= 1 if whole else ((array == 0) | (array == 1)).all()):
        hint = f"found {array.min():g} to {array.max():g}: binarise the data first"
        if (abs(array) == 1).all():
            hint = "found -1 and 1: pass (x + 1) / 2"
        elif array.min() >= 0 and array.max() <= 1:
            hint = "found grey levels: pass x >= 0.5, or draw bits (likelihoods then refer to the bits)"
        raise ValueError(f"{name}: expected zeros and ones only; {hint}")
    if visible is not None and array.shape[1] != visible:
        raise ValueError(f"{name}: expected {visible} columns (visible units), found {array.shape[1]}")
    if chains is not None and len(array) != chains:
        raise ValueError(f"{name}: expected {chains} rows (chains), found {len(array)}")
    return np.ascontiguousarray(array, dtype=np.uint8)


def grey_matrix(name: str, value: object) -> Array:
    """`value` as a contiguous float32 matrix (examples, visible) of numbers from 0 to 1."""
    array = _matrix(name, value)
    if not (array.min() >= 0 and array.max() <= 1):
        levels = f"{array.min():g} to {array.max():g}"
        raise ValueError(
            f"{name}: expected grey levels from 0 to 1, found {levels}; divide by the largest possible level"
        )
    return np.ascontiguousarray(array, dtype=np.float32)


def _matrix(name: str, value: object) -> np.ndarray:
    array = real_array(name, value)
    if array.ndim != 2 or array.size == 0:
        raise ValueError(f"{name}: expected a non-empty matrix (examples, visible), found shape {array.shape}")
    if np.isnan(array.min()):
        raise ValueError(f"{name}: expected numbers, found NaN: fill or remove it first")
    return array
