"""Methods that are listed by name: their functions, imported when asked for, and the options that these take."""

from __future__ import annotations

import inspect
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from logzoo.checks import expected_one_of, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Method:
    """A method: its title in tables and figures, its function, and those that it hands the rest of its options to.

    Functions are named as "package.module:function", or are functions of a user's own. Their options are their
    keyword-only parameters; what the code hands over itself is positional. drawn: whether what it returns rests on
    draws, and its error on their spread. reads: a name of the run that it reads; methods that read the same, with the
    same options and base, share it.
    """

    def __init__(self, title: str, *functions: str | Callable[..., Any], drawn: bool = True, reads: str = "") -> None:
        self.title = title
        self.drawn = drawn
        self.reads = reads
        self._functions = functions

    @property
    def module(self) -> str:
        """Name of the module that holds the method."""
        own = self._functions[0]
        return own.partition(":")[0] if isinstance(own, str) else own.__module__

    @property
    def functions(self) -> list[Callable[..., Any]]:
        """The functions, the method's own first."""
        return [function if callable(function) else resolve_name(function) for function in self._functions]

    @property
    def options(self) -> set[str]:
        """Names of the options."""
        parameters = (inspect.signature(function).parameters.values() for function in self.functions)
        return {each.name for of_one in parameters for each in of_one if each.kind == inspect.Parameter.KEYWORD_ONLY}

    @property
    def function(self) -> Callable[..., Any]:
        """The method's own function."""
        return self.functions[0]

    def check(self, name: str, options: Mapping[str, object]) -> None:
        """Raise ValueError that names the known options for an unknown one. name: what the method is listed as."""
        known = self.options
        own = inspect.signature(self.function).parameters.values() if callable(self._functions[0]) else ()
        if any(parameter.kind == inspect.Parameter.VAR_KEYWORD for parameter in own):
            return  # a user's own function, which hands options on as it likes
        for option in sorted(options.keys() - known):
            raise ValueError(f"{name}: unknown option {shown(option)}; {expected_one_of(option, known)}")

    def run(self, name: str, /, *arguments: Any, **options: Any) -> Any:
        """Call the method; ValueError as `check`."""
        self.check(name, options)
        return self.function(*arguments, **options)
