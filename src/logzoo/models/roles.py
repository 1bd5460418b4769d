"""Find the weights, visible bias and hidden bias of an RBM among arrays, and the orientation of the weights.

Known names identify the arrays; otherwise shapes and names of biases do. Square weights fit both orientations.
A note then states the assumed orientation and the option that changes it, unless the package or the caller fixes the
orientation.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from logzoo.checks import flag, shown

# Keys: names of weights, visible bias and hidden bias. Values: whether the weights are (hidden, visible), and whether
# the package fixes this.
CONVENTIONS: dict[Sequence[str], tuple[bool, bool]] = {
    ("weights", "visible_bias", "hidden_bias"): (False, False),  # logzoo; QuCumber stores (hidden, visible)
    ("vishid", "visbiases", "hidbiases"): (False, True),  # MATLAB code of Hinton and Salakhutdinov
    ("weight_matrix", "vbias", "hbias"): (False, True),  # rbms
    ("components_", "intercept_visible_", "intercept_hidden_"): (True, True),  # scikit-learn
    ("W", "bias_vis", "bias_hid"): (False, True),  # pylearn2
    ("W", "vbias", "hbias"): (False, False),  # tutorials of Theano and TensorFlow
    ("W", "v_bias", "h_bias"): (True, False),  # tutorials of PyTorch
}
# The part of a QuCumber file that holds the RBM; "rbm_ph" is the phase of a wave function.
_QUCUMBER = "rbm_am"
# Names of biases without the word "bias", by layer.
_LAYERS = {"visible": ("v", "bv", "vb", "vis", "visible"), "hidden": ("h", "bh", "hb", "hid", "hidden")}
# Layers that the names of (row bias, column bias) contain if the rows of the weights are hidden units; "" for none.
_TURNED = {("hidden", "visible"), ("hidden", ""), ("", "visible")}
# Parts of names that mark arrays of label units. These arrays are not read.
_LABELS = ("lab", "class")
ASK = "name all three: --names WEIGHTS,VISIBLE_BIAS,HIDDEN_BIAS"
_SIDES = {True: "(hidden, visible)", False: "(visible, hidden)"}
_FLAGS = {True: "--transposed (in Python transposed=True)", False: "--no-transposed (in Python transposed=False)"}
_SHOWN, _LETTERS = 8, 60


def three_names(names: str | Sequence[str]) -> tuple[str, ...]:
    """The three names (weights, visible bias, hidden bias) in "W,a,b" or a sequence; ValueError unless they differ."""
    split = names.split(",") if isinstance(names, str) else names
    split = tuple(split) if isinstance(split, Iterable) else ()
    if not all(isinstance(name, str) and name for name in split) or len(split) != 3 or len(set(split)) != 3:
        expected = "the names of three different arrays: weights, visible bias, hidden bias"
        raise ValueError(f"names: expected {expected}; found {shown(names)}")
    return split


def assigned(
    arrays: Mapping[str, Any], names: Sequence[str] | None = None, transposed: bool | None = None
) -> tuple[Sequence[str], bool, str]:
    """Return three names, whether the weights are (hidden, visible), and a note that states the assumptions.

    The three arrays are weights, visible bias and hidden bias. arrays: {name or path: object with .shape and .dtype}.
    names: names of the three arrays. By default known names at any path are used, or one matrix and two vectors that
    fit its sides. transposed: whether the weights are (hidden, visible). By default the biases decide. If the weights
    are square, the package that uses these names decides, and (visible, hidden) is assumed for other names. Raises
    ValueError if the arrays are ambiguous or contradictory, and for values other than arrays of real numbers.
    """
    transposed = None if transposed is None else flag("transposed", transposed)
    notes = []
    names = names or _known(arrays)
    masks = [mask for name in names or arrays if (mask := f"{name.removesuffix('_orig')}_mask") in arrays]
    if masks:
        way_out = "multiply the parameters by their masks first (in PyTorch: torch.nn.utils.prune.remove)"
        raise ValueError(f"{_quoted(masks)}: masks are not applied; {way_out}")
    if names is None:
        names, notes = _guessed(arrays)
    missing = [name for name in names if name not in arrays]
    if missing:
        raise ValueError(f"the arrays {_quoted(missing)} are missing; found {_listed(arrays)}")
    for name in names:
        if arrays[name].dtype.kind not in "biuf":
            raise ValueError(f"{_quoted([name])}: expected real numbers, found {arrays[name].dtype.name}")
    for name in names[1:]:
        if not _is_vector(arrays[name].shape):
            raise ValueError(f"{_quoted([name])}: expected a vector, found {_sides(arrays[name].shape)}")
    turned, note = _orientation(arrays, names, transposed)
    notes += [note] if note else []
    left = [name for name in arrays if name not in names and any(part in name.lower() for part in _LABELS)]
    if left:
        notes.append(f"{_quoted(left)}: not read; append the parameters of label units to those of the visible units")
    return names, turned, "; ".join(notes)


def _known(arrays):
    """The names of three arrays, at any path, that a known package uses, or None if there are no such arrays."""
    models = {}
    for known in CONVENTIONS:
        for name in arrays:
            folder = name.removesuffix(known[0])
            names = tuple(folder + part for part in known)
            if folder[-1:] in ("", ".", "/") and arrays.keys() >= set(names):
                models[names] = folder
    for folder_wanted in (_QUCUMBER, ""):
        preferred = [names for names, folder in models.items() if _parts(folder)[-1] == folder_wanted]
        if len(preferred) == 1:
            return preferred[0]
    if len(models) > 1:
        raise ValueError(f"expected one model, found {' and '.join(map(_quoted, models))}; {ASK}")
    return next(iter(models), None)


def _guessed(arrays):
    """Three names guessed from shapes and names of biases, and a note about this guess."""
    real = {name: array.shape for name, array in arrays.items() if array.dtype.kind in "biuf"}
    matrices = [name for name, shape in real.items() if len(shape) == 2 and min(shape) > 1]
    known = "weights, visible_bias, hidden_bias or the arrays of a known package"
    unclear = (
        f"expected the arrays {known}, or one matrix and two vectors that fit its sides, found {_listed(arrays)}; {ASK}"
    )
    if len(matrices) != 1:
        raise ValueError(unclear)
    rows, columns = real[matrices[0]]
    lengths = {name: math.prod(shape) for name, shape in real.items() if _is_vector(shape)}
    fitting = [[name for name in lengths if lengths[name] == side] for side in (rows, columns)]
    if rows == columns:
        fitting = [[name] for name in fitting[0]]
    if len(fitting) != 2 or not all(len(names) == 1 for names in fitting):
        raise ValueError(unclear)
    biases = [names[0] for names in fitting]
    layers = tuple(map(_layer_of, biases))
    if sorted(_parts(name)[-1] for name in biases) == ["a", "b"]:  # the letters of Hinton's practical guide
        layers = tuple("visible" if _parts(name)[-1] == "a" else "hidden" for name in biases)
    if rows == columns and set(layers) != {"visible", "hidden"}:
        unclear = f"{_described(matrices[0], arrays)} is square, so the shapes do not identify the biases; {ASK}"
        raise ValueError(unclear)
    # Rows are the visible units, unless the names of the biases state the opposite.
    turned = layers in _TURNED
    names = (matrices[0], *(reversed(biases) if turned else biases))
    roles = zip(("weights", "visible bias", "hidden bias"), names, strict=True)
    note = ", ".join(f"{_described(name, arrays)} as the {role}" for role, name in roles)
    return names, [f"guessed from the shapes{' and names' * turned}: {note}; if wrong, {ASK}"]


def _orientation(arrays, names, transposed):
    """Whether the weights are (hidden, visible), and a note if this orientation is assumed or unusual."""
    weights, visible, hidden = (arrays[name].shape for name in names)
    sides = math.prod(visible), math.prod(hidden)
    fits = [turned for turned in (False, True) if weights == (sides[::-1] if turned else sides)]
    if not fits:
        return False, ""  # the class RBM refuses these arrays
    (usual, fixed), what = _usual(names), _described(names[0], arrays)
    if transposed is not None:
        if transposed not in fits:
            raise ValueError(f"{what}: the biases fit only {_SIDES[fits[0]]}: pass {_FLAGS[fits[0]]} or neither option")
        return transposed, ""
    if len(fits) == 2:
        note = f"{what} is square and taken as {_SIDES[usual]}; if it is {_SIDES[not usual]}: {_FLAGS[not usual]}"
        return usual, "" if fixed or sides == (1, 1) else note
    if fixed and fits[0] != usual:
        right = f"if the biases are right: {_FLAGS[fits[0]]}"
        raise ValueError(f"{what}: its package stores {_SIDES[usual]}, the biases fit {_SIDES[fits[0]]}; {right}")
    unusual = fits[0] and not usual
    return fits[0], f"{what} is taken as (hidden, visible), because the biases fit only that" if unusual else ""


def _usual(names):
    """Whether weights with these names are usually (hidden, visible), and whether the package fixes this."""
    *folders, _ = _parts(names[0])
    if folders[-1:] == [_QUCUMBER]:
        return True, True
    return CONVENTIONS.get(tuple(_parts(name)[-1] for name in names), (False, False))


def _parts(path):
    """The parts of the path of an array: groups or structs, then the array's name."""
    return re.split("[/.]", path.rstrip("/."))


def _layer_of(bias):
    """The layer in the name of a bias, as in v_bias, hbias, bv and visbiases; "" if there is none."""
    word = re.sub("[^a-z]|bias(es)?", "", _parts(bias.lower())[-1])
    return next((layer for layer, names in _LAYERS.items() if word in names), "")


def _is_vector(shape):
    return max(shape, default=1) == math.prod(shape)


def _described(name, arrays):
    return f"{_quoted([name])} ({_sides(arrays[name].shape)})"


def _listed(arrays):
    """A text with the names and shapes of the largest arrays, which probably include the weights."""
    largest = sorted(arrays, key=lambda name: -math.prod(arrays[name].shape))[:_SHOWN]
    more = [f"{len(arrays) - _SHOWN} more"] if len(arrays) > _SHOWN else []
    return ", ".join([_described(name, arrays) for name in largest] + more) or "none"


def _quoted(names):
    return ", ".join(repr(name if len(name) <= _LETTERS else f"{name[:_LETTERS]}...") for name in names)


def _sides(shape):
    return " x ".join(map(str, shape)) or "a single number"
