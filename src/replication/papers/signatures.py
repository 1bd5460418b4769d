"""Options of methods and their defaults, read from the sources: a plan would wait long for the imports."""

import ast
from contextlib import suppress
from functools import cache

from replication.artifacts import PACKAGES


def option_defaults(method):
    """{name: default} of the options of a `Method` or an `Estimator`; None for a default that is computed."""
    defaults = {}
    for function in method.functions:
        definition = _definition(function)
        if isinstance(definition, ast.ClassDef):
            continue  # an observer without options
        arguments = definition.args
        for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            defaults.setdefault(each.arg, None if default is None else _value_of(default))
    return defaults


def _value_of(expression):
    with suppress(ValueError):
        return ast.literal_eval(expression)
    return None


@cache
def _definition(function):
    """The definition of a function or class, named as "package.module:function"."""
    module, _, name = function.partition(":")
    source = (PACKAGES[1].parent / f"{module.replace('.', '/')}.py").read_bytes()
    kinds = ast.FunctionDef, ast.ClassDef
    return next(node for node in ast.parse(source).body if isinstance(node, kinds) and node.name == name)
