"""The trainers, by name. A method is a function run(data, **settings) of a module; adding one is a line here."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from logzoo.checks import one_of
from logzoo.methods import Method

if TYPE_CHECKING:
    from collections.abc import Callable

    from logzoo.trainers.loop import TrainingRun

_LOOP = "logzoo.trainers.loop:train"
_PARALLEL_TEMPERING = "logzoo.trainers.parallel_tempering:train_parallel_tempering", _LOOP
_INFINITE_SWAPPING = "logzoo.trainers.infinite_swapping:train_infinite_swapping", _LOOP
_SIMULATED_TEMPERING = "logzoo.trainers.simulated_tempering:train_simulated_tempering", _LOOP

TRAINERS = {
    "exact": Method("Exact SGD", "logzoo.trainers.exact:run", _LOOP),
    "cd": Method("CD", "logzoo.trainers.cd:run", _LOOP),
    "pcd": Method("PCD", "logzoo.trainers.cd:pcd", _LOOP),
    "lvs": Method("LVS", "logzoo.trainers.lvs:run", _LOOP),
    "sml-pt": Method("SML-PT", *_PARALLEL_TEMPERING),
    "sml-apt": Method("SML-APT", "logzoo.trainers.sml_apt:run", *_PARALLEL_TEMPERING),
    "pt": Method("PT", "logzoo.trainers.infinite_swapping:pt", *_INFINITE_SWAPPING),
    "ins": Method("INS", *_INFINITE_SWAPPING),
    "pins": Method("PINS", "logzoo.trainers.infinite_swapping:pins", *_INFINITE_SWAPPING),
    "rms-spectral": Method("RMSspectral", "logzoo.trainers.simulated_tempering:rms_spectral", *_SIMULATED_TEMPERING),
    "rmsprop": Method("RMSprop", "logzoo.trainers.simulated_tempering:rmsprop", *_SIMULATED_TEMPERING),
}


def trainer(method: str) -> Callable[..., TrainingRun]:
    """The function run(data, **settings) -> TrainingRun of that name; ValueError if unknown.

    The function refuses unknown settings with a ValueError that names the known ones.
    """
    return partial(_listed(method).run, method)


def trainer_module(method: str) -> str:
    """Name of the module that holds a method."""
    return _listed(method).module


def _listed(method: str) -> Method:
    return TRAINERS[one_of("method", method, TRAINERS)]
