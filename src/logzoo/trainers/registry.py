"""The trainers, by name. A method is one module with `run`; adding one is a line here."""

import inspect

from logzoo.checks import one_of
from logzoo.trainers import cd, exact, ins, lvs, pcd, pins, pt, rms_spectral, rmsprop, sml_apt, sml_pt
from logzoo.trainers.infinite_swapping import train_infinite_swapping
from logzoo.trainers.loop import train
from logzoo.trainers.parallel_tempering import train_parallel_tempering
from logzoo.trainers.simulated_tempering import train_simulated_tempering

# Each method's function, and those that it hands the rest of its settings to.
TRAINERS = {
    "exact": (exact.run, train),
    "cd": (cd.run, train),
    "pcd": (pcd.run, train),
    "lvs": (lvs.run, train),
    "sml-pt": (sml_pt.run, train_parallel_tempering, train),
    "sml-apt": (sml_apt.run, train_parallel_tempering, train),
    "pt": (pt.run, train_infinite_swapping, train),
    "ins": (ins.run, train_infinite_swapping, train),
    "pins": (pins.run, train_infinite_swapping, train),
    "rms-spectral": (rms_spectral.run, train_simulated_tempering, train),
    "rmsprop": (rmsprop.run, train_simulated_tempering, train),
}


def trainer(method):
    """The function run(data, **settings) -> TrainingRun of that name; ValueError if unknown.

    The function refuses unknown settings with a ValueError that names the known ones.
    """
    functions = TRAINERS[one_of("method", method, TRAINERS)]
    known = set().union(*map(_settings, functions))

    def checked(data, **settings):
        unknown = sorted(set(settings) - known)
        if unknown:
            raise ValueError(
                f"{method}: unknown option {', '.join(unknown)}; expected one of {', '.join(sorted(known))}"
            )
        return functions[0](data, **settings)

    return checked


def trainer_module(method):
    """Name of the module that holds a method."""
    return TRAINERS[one_of("method", method, TRAINERS)][0].__module__


def _settings(function):
    kinds = inspect.Parameter.KEYWORD_ONLY
    return {name for name, parameter in inspect.signature(function).parameters.items() if parameter.kind == kinds}
