"""Families of RBMs whose log Z is known exactly without sampling, by name."""

import inspect
import math
from pkgutil import resolve_name
from typing import Any, NamedTuple

import numpy as np

from logzoo.checks import expected_one_of, one_of
from logzoo.models.equivalent import gauged
from logzoo.models.rbm import RBM, refuse_rounding
from logzoo.streams import root_stream
from logzoo.types import Seed


class Known(NamedTuple):
    """An RBM, its exact log Z in nats, and a reference for this value."""

    rbm: RBM
    log_z: float
    source: str


class Family(NamedTuple):
    """A function that makes (rbm, log_z) from keyword options, and the source of the exact log Z.

    The first argument of the function is a generator if the RBM is random.
    """

    module: str
    function: str
    source: str


_ISING, _GROUPED = "logzoo.models.known.ising", "logzoo.models.known.grouped"
_COUNTS = "a sum over the counts of equal hidden units"
FAMILIES = {
    "ising-torus": Family(_ISING, "ising_torus", "Kaufman (1949), Ferdinand & Fisher (1969)"),
    "planar-glass": Family(_ISING, "planar_glass", "Kac & Ward (1952), Cimasoni (2010)"),
    "twins": Family(_GROUPED, "twins", _COUNTS),
    "wide-narrow": Family(_GROUPED, "wide_narrow", _COUNTS),
    "hopfield": Family(_GROUPED, "hopfield", _COUNTS),
    "blocks": Family(_GROUPED, "random_blocks", "a sum over enumerated blocks"),
    "random-small": Family(_GROUPED, "random_small", "enumeration of the smaller layer"),
}


def known(name: str, seed: Seed = 0, *, plain: bool = False, **options: Any) -> Known:
    """Make an RBM of known log Z.

    Parameters
    ----------
    name : str
        A family, one of `FAMILIES`.
    seed : int or str
    plain : bool
        Whether the RBM stays as the family makes it, without permutations and flips of units.
    **options
        Options of the family's function.

    Returns
    -------
    Known

    Raises
    ------
    ValueError
        For unknown families and options, for impossible values, and if rounding could move log Z by more than 1e-6
        nat.
    """
    family = FAMILIES[one_of("family", name, FAMILIES)]
    make = resolve_name(f"{family.module}:{family.function}")  # imported when needed
    parameters = inspect.signature(make).parameters
    known_options = parameters.keys() - {"generator"}
    for option in sorted(options.keys() - known_options):
        raise ValueError(f"{name}: unknown option {option!r}; {expected_one_of(option, known_options)}")
    stream = root_stream(seed).child("known", name)
    drawn = [stream.child("parameters").generator()] if "generator" in parameters else []
    # The family or the check below refuses parameters that overflow, so NumPy need not warn.
    with np.errstate(over="ignore", invalid="ignore"):
        rbm, log_z = make(*drawn, **options)
    if not math.isfinite(log_z):
        raise ValueError(f"{name}: the parameters are too large, log Z overflows float64")
    if not plain:
        rbm, log_z = gauged(rbm, log_z, stream.child("gauge").generator())
    refuse_rounding(name, rbm.rounding)
    return Known(rbm, float(log_z), family.source)
