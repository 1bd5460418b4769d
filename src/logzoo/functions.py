"""Functions that are listed by name and imported when needed, and the options that they take.

A function is a text "package.module:function" or a user's own function. Its options are its keyword-only parameters.
The library itself may set the options `progress`, `stream` and `threads`, so lists of options omit them.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from pkgutil import resolve_name
from typing import Any, NamedTuple

from logzoo.checks import expected_one_of, shown
from logzoo.printing import table

Function = str | Callable
_PASSED = {"progress", "stream", "threads"}


def resolved(function: Function) -> Callable:
    """The function itself, imported if a text names it."""
    return function if callable(function) else resolve_name(function)


def module_of(function: Function) -> str:
    """Name of the module that holds a function."""
    return function.__module__ if callable(function) else function.partition(":")[0]


def options_of(*functions: Function) -> set[str]:
    """Names of the options of functions."""
    return {parameter.name for parameter in _parameters(functions) if parameter.kind == inspect.Parameter.KEYWORD_ONLY}


def check_options(name: str, options: Iterable[str], functions: Iterable[Function]) -> None:
    """Raise ValueError for an unknown option; the message lists the known options after `name`.

    A user's own function with a `**` parameter may pass on any option, so there is nothing to check.
    """
    of_users = _parameters(function for function in functions if callable(function))
    if any(parameter.kind == inspect.Parameter.VAR_KEYWORD for parameter in of_users):
        return
    known = options_of(*functions)
    listed, unlisted = known - _PASSED, known & (_PASSED - {"stream"})  # users set a seed, not a stream
    for option in sorted(set(options) - known):
        expected = "expected a seed" if option == "stream" else expected_one_of(option, listed, unlisted)
        raise ValueError(f"{name}: unknown option {shown(option)}; {expected}")


def taken(options: Mapping, *functions: Function) -> dict:
    """The options that at least one of the functions takes."""
    known = options_of(*functions)
    return {name: value for name, value in options.items() if name in known}


def _parameters(functions):
    for function in functions:
        yield from inspect.signature(resolved(function)).parameters.values()


class Method:
    """A trainer: its title in tables and figures, its function, and the functions to which it passes other options."""

    def __init__(self, title: str, *functions: Function) -> None:
        self.title = title
        self.functions = functions

    @property
    def module(self) -> str:
        """Name of the module that holds the trainer."""
        return module_of(self.functions[0])

    @property
    def options(self) -> set[str]:
        """Names of the options."""
        return options_of(*self.functions)

    def run(self, name: str, /, *arguments: Any, **options: Any) -> Any:
        """Call the trainer; raises ValueError for an unknown option."""
        check_options(name, options, self.functions)
        return resolved(self.functions[0])(*arguments, **options)


class Entry(NamedTuple):
    """A line of a `Listing`: the name of an estimator or trainer, its title in tables and figures, and its options."""

    name: str
    title: str
    options: tuple[str, ...]


class Listing(list[Entry]):
    """A list with an `Entry` for each estimator or trainer; it is printed as a table."""

    @classmethod
    def of(cls, methods: Mapping[str, Any], function: Callable) -> "Listing":
        """The Listing of {name: Estimator or Method} without options that are parameters of the public `function`."""
        common = {*inspect.signature(function).parameters, *_PASSED}
        return cls(
            Entry(name, method.title, tuple(sorted(method.options - common))) for name, method in methods.items()
        )

    def __repr__(self) -> str:
        rows = ((name, title, ", ".join(options)) for name, title, options in self)
        return table([("name", "title", "options"), *rows]).rstrip("\n")
