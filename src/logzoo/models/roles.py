"""Which of some arrays are the weights and biases of an RBM: by names, known or given, else by shapes."""

import math
import re

# Names of weights, visible bias, hidden bias: ours, those of the MATLAB files, and those of the package rbms.
KNOWN = (
    ("weights", "visible_bias", "hidden_bias"),
    ("vishid", "visbiases", "hidbiases"),
    ("weight_matrix", "vbias", "hbias"),
)
# What is left of names of biases, by layer; and what two of them say where weights are (hidden, visible).
_LAYERS = {"visible": ("v", "bv", "vb", "vis", "visible"), "hidden": ("h", "bh", "hb", "hid", "hidden")}
_TURNED = {("hidden", "visible"), ("hidden", ""), ("", "visible")}
# Parts of the names of weights to label units, which an RBM of two layers lacks.
_LABELS = ("lab", "class")
ASK = "name all three: --names WEIGHTS,VISIBLE_BIAS,HIDDEN_BIAS"
_SHOWN, _LETTERS = 6, 32


def three_names(names):
    """`names` (a text "W,a,b", or three) as a tuple: weights, visible bias, hidden bias. ValueError for any others."""
    split = tuple(names.split(",") if isinstance(names, str) else names)
    if len(split) != 3 or len(set(split)) != 3 or not all(isinstance(name, str) and name for name in split):
        expected = "three different names, of weights, visible bias and hidden bias"
        raise ValueError(f"names: expected {expected}, found {names!r:.200}")
    return split


def assigned(arrays, names=None):
    """Names of weights, visible bias and hidden bias among `arrays` {name: has .shape and .dtype}; how they were told.

    names: those three, else the known ones, else by shape: one matrix and two vectors that fit its sides, rows being
    visible units. Returns (names, whether the weights are (hidden, visible), a note on what was guessed, or ""). A
    vector has at most one side above 1. Raises ValueError where names or shapes leave it open, and for what is no array
    of real numbers.
    """
    whole = [names] if names else [known for known in KNOWN if set(known) <= set(arrays)]
    if not whole:
        return _guessed(arrays)
    if len(whole) > 1:
        raise ValueError(f"expected one model, found {' and '.join(map(_quoted, whole))}; {ASK}")
    named = whole[0]
    missing = [name for name in named if name not in arrays]
    if missing:
        raise ValueError(f"expected the arrays {_quoted(named)}, missing {_quoted(missing)}, found {_listed(arrays)}")
    for name in named:
        if arrays[name].dtype.kind not in "biuf":
            raise ValueError(f"{_quoted([name])}: expected real numbers, found {arrays[name].dtype.name}")
    weights, *biases = (arrays[name].shape for name in named)
    for name, shape in zip(named[1:], biases, strict=True):
        if not _is_vector(shape):
            raise ValueError(f"{_quoted([name])}: expected a vector, found {_sides(shape)}")
    visible, hidden = map(math.prod, biases)
    transposed = visible != hidden and weights == (hidden, visible)
    notes = [f"{_described(named[0], arrays)} is taken as (hidden, visible): so the biases fit it"] * transposed
    left = [name for name in arrays if name not in named and any(part in name.lower() for part in _LABELS)]
    if left:
        notes.append(f"{_quoted(left)}: not read; label units are visible units: join what they have to those")
    return named, transposed, "; ".join(notes)


def _guessed(arrays):
    real = {name: array.shape for name, array in arrays.items() if array.dtype.kind in "biuf"}
    matrices = [name for name, shape in real.items() if len(shape) == 2 and min(shape) > 1]
    known = " or ".join(", ".join(names) for names in KNOWN)
    expected = f"expected the arrays {known}, or one matrix and two vectors that fit its sides"
    if len(matrices) != 1:
        raise ValueError(f"{expected}, found {_listed(arrays)}; {ASK}")
    rows, columns = real[matrices[0]]
    lengths = {name: math.prod(shape) for name, shape in real.items() if _is_vector(shape)}
    visible, hidden = ([name for name in lengths if lengths[name] == side] for side in (rows, columns))
    if rows == columns and len(visible) > 1:
        raise ValueError(f"{_described(matrices[0], arrays)} is square, which tells no bias from the other; {ASK}")
    if len(visible) != 1 or len(hidden) != 1 or rows == columns:
        raise ValueError(f"{expected}, found {_listed(arrays)}; {ASK}")
    # Rows are the visible units, unless the biases are named the other way round.
    turned = (_layer_of(visible[0]), _layer_of(hidden[0])) in _TURNED
    names = (matrices[0], *((hidden[0], visible[0]) if turned else (visible[0], hidden[0])))
    sides = "(hidden, visible)" if turned else "(visible, hidden)"
    told = zip((f"weights {sides}", "visible bias", "hidden bias"), names, strict=True)
    note = ", ".join(f"{_described(name, arrays)} as the {role}" for role, name in told)
    return names, turned, f"guessed from the shapes{' and names' * turned}: {note}; if wrong, {ASK}"


def _layer_of(bias):
    """The layer that the name of a bias tells of, as in v_bias, hbias, bv and visbiases; "" if it tells of none."""
    word = re.sub("[^a-z]|bias(es)?", "", re.split("[/.]", bias.lower())[-1])
    return next((layer for layer, names in _LAYERS.items() if word in names), "")


def _is_vector(shape):
    return max(shape, default=1) == math.prod(shape)


def _described(name, arrays):
    return f"{_quoted([name])} ({_sides(arrays[name].shape)})"


def _listed(arrays):
    more = [f"{len(arrays) - _SHOWN} more"] if len(arrays) > _SHOWN else []
    return ", ".join([_described(name, arrays) for name in list(arrays)[:_SHOWN]] + more) or "none"


def _quoted(names):
    return ", ".join(repr(name if len(name) <= _LETTERS else f"{name[:_LETTERS]}...") for name in names)


def _sides(shape):
    return " x ".join(map(str, shape)) or "a single number"
