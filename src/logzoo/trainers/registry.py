"""The trainers, by name. A method is one module with `run`; adding one is a line here."""

import inspect

from logzoo.checks import one_of
from logzoo.trainers import cd, loop, pcd, sml_pt

TRAINERS = {
    "cd": cd.run,
    "pcd": pcd.run,
    "sml-pt": sml_pt.run,
}


def trainer(method):
    """The function run(data, **settings) -> TrainingRun of that name; ValueError if unknown.

    The function refuses unknown settings with a ValueError that names the known ones.
    """
    run = TRAINERS[one_of("method", method, TRAINERS)]
    known = _settings(run) | _settings(loop.train)

    def checked(data, **settings):
        unknown = sorted(set(settings) - known)
        if unknown:
            raise ValueError(
                f"{method}: unknown option {', '.join(unknown)}; expected one of {', '.join(sorted(known))}"
            )
        return run(data, **settings)

    return checked


def trainer_module(method):
    """Name of the module that holds a method."""
    return TRAINERS[one_of("method", method, TRAINERS)].__module__


def _settings(function):
    kinds = inspect.Parameter.KEYWORD_ONLY
    return {name for name, parameter in inspect.signature(function).parameters.items() if parameter.kind == kinds}
