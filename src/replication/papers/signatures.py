"""Options of methods and their defaults, read from the sources: a plan would wait long for the imports."""

import ast
from contextlib import suppress
from functools import cache

from replication.digests import PACKAGES


def option_defaults(method):
    """{name: default} of the options of a `Method`, as its `options` are named; None for a default that is computed."""
    defaults = {}
    # No public name has the names, and the module is part of the digest of every result.
    for function in method._functions:
        arguments = _definition(function).args
        for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            defaults.setdefault(each.arg, None if default is None else _value_of(default))
    return defaults


def _value_of(expression):
    with suppress(ValueError):
        return ast.literal_eval(expression)
    return None


@cache
def _definition(function):
    """The definition of a function, named as "package.module:function"."""
    module, _, name = function.partition(":")
    source = (PACKAGES[1].parent / f"{module.replace('.', '/')}.py").read_bytes()
    return next(node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef) and node.name == name)
