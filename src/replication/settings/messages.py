"""The first error of a configuration as one line: its dotted path, what was expected, the value that was found."""

import re
from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from logzoo.checks import expected_one_of, shown
from logzoo.printing import shortened

# What is expected instead of a value, by the type of pydantic's error.
_EXPECTED = {
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "string_type": "a text",
    "list_type": "a list",
    "dict_type": "keys with values",
    "model_type": "keys with values",
    "model_attributes_type": "keys with values",
    "greater_than": "a number above {gt:.10g}",
    "greater_than_equal": "a number of at least {ge:.10g}",
    "less_than": "a number below {lt:.10g}",
    "less_than_equal": "a number of at most {le:.10g}",
    "too_short": "at least {min_length} of them",
    "too_long": "at most {max_length} of them",
    "string_pattern_mismatch": "a text of the form {pattern}",
}


def message_of(error: ValidationError, config: object) -> str:
    """One line for the first error of a configuration."""
    errors = error.errors(include_url=False)
    first = errors[0]
    path, context = _path_of(first["loc"], config), first.get("ctx", {})
    if first["type"] == "missing":
        beside = [each for each in errors if each["loc"][:-1] == first["loc"][:-1]]
        missing = [each["loc"][-1] for each in beside if each["type"] == "missing"]
        return _line(path, f"expected the key{'s' * (len(missing) > 1)} {', '.join(map(repr, missing))}")
    if first["type"] == "value_error":
        return _line([*path, *filter(None, [context["error"].key])], str(context["error"]))
    if first["type"] == "union_tag_not_found":
        return _line(path, f"expected the key {context['discriminator']}")
    if first["type"] == "union_tag_invalid":
        return _line([*path, context["discriminator"].strip("'")], _unknown(context["tag"], context["expected_tags"]))
    if first["type"] == "literal_error":
        return _line(path, _unknown(first["input"], context["expected"]))
    known = _EXPECTED.get(first["type"])
    expected = known.format_map(context) if known else first["msg"]
    return _line(path, f"expected {expected}, found {shown(first['input'])}")


def _unknown(value: object, quoted: str) -> str:
    """That a value is none of the choices, which pydantic lists in quotation marks."""
    choices = re.findall("'([^']+)'", quoted)
    return f"unknown value {shown(value)}; {expected_one_of(value, choices)}"


def _line(path: list, text: str) -> str:
    return shortened(f"configuration: {'.'.join(map(str, path)) or 'top level'}: {text}")


def _path_of(steps: Iterable, config: Any) -> list:
    """The keys and numbers that lead to a value; pydantic puts names of types and of alternatives between them."""
    path: list = []
    for step in steps:
        is_key = isinstance(config, dict) and step in config
        if is_key or isinstance(config, list) and isinstance(step, int):
            path.append(step)
            config = config[step]  # pyright: ignore[reportArgumentType, reportCallIssue]
    return path
