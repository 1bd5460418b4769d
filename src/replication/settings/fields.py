"""Types of settings, the base class of all sections of the configuration, and error messages.

Types are strict: 1000.0 is not a whole number, true is not a number, and NaN and infinity are refused.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError, model_validator

from logzoo.checks import expected_one_of, shown
from logzoo.printing import shortened
from logzoo.training.trainers import TRACKERS
from replication.papers.experiment import option_defaults

# Options that jobs set themselves.
_OF_JOBS = {"stream", "progress", "checkpoint", "validation", "start"}


class WrongSetting(ValueError):
    """The error of a validator. key: dotted path of the setting, below the section that the validator checks."""

    def __init__(self, text: str, key: str = "") -> None:
        super().__init__(text)
        self.key = key


def check_known(names: Iterable[str], choices: Iterable[str], key: str = "") -> None:
    """Raise `WrongSetting` for the first name that is not among the choices. The message lists at most 30 choices."""
    for name in names:
        if name not in choices:
            raise WrongSetting(f"unknown name {shown(name)}; {expected_one_of(name, choices)}", key)


class Section(BaseModel):
    """A section of the configuration. An unknown key is an error, and the message lists the known keys."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, section: Any) -> Any:
        """Report an unknown key before a missing key, because the unknown key may be a misspelling."""
        if isinstance(section, dict) and cls.model_config.get("extra") == "forbid":
            known = {field.alias or name for name, field in cls.model_fields.items()}
            for key in section:
                if key not in known:
                    raise WrongSetting(f"unknown key {shown(key)}; {expected_one_of(key, known)}")
        return section


class Scaled(Section):
    """A section whose settings may differ at another scale."""

    scales: dict[str, dict[str, Any]] | None = Field(
        None, description="Settings at other scales, by the name of the scale. They replace those beside this key."
    )


def _name(text: str) -> str:
    if not re.fullmatch("[a-z0-9][a-z0-9-]*", text):
        raise WrongSetting(f"expected a name of lower-case letters, digits and hyphens, found {shown(text)}")
    return text


def _different(values: list) -> list:
    if any(value in values[:number] for number, value in enumerate(values)):
        raise WrongSetting(f"expected no value twice, found {shown(values)}")
    return values


def _number_or_more(value: Any) -> str:
    return "several" if isinstance(value, list | dict) else "single"


def either(single: Any, several: Any) -> Any:
    """The type of one value, or of several. A list or mapping is checked as several, anything else as one."""
    return Annotated[
        Annotated[single, Tag("single")] | Annotated[several, Tag("several")], Discriminator(_number_or_more)
    ]


# A name becomes part of paths.
Name = Annotated[str, AfterValidator(_name)]
Names = Annotated[list[str], Field(min_length=1), AfterValidator(_different)]
Line = Annotated[str, Field(pattern=r"^[^\n]+$")]
Count = Annotated[int, Field(ge=1)]
AtLeastTwo = Annotated[int, Field(ge=2)]
Counts = Annotated[list[Count], Field(min_length=1), AfterValidator(_different)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Positive = Annotated[Number, Field(gt=0)]
Share = Annotated[Number, Field(gt=0, le=1)]
Seed = Annotated[int, Field(ge=0, le=2**32 - 1)]
Options = dict[str, Any]


def check_options(
    methods: Mapping[str, Any], method: str, options: Options, taken: Iterable[str] = (), key: str = "options"
) -> None:
    """Check that a method exists, and that its functions take each option.

    Options that jobs set, and options in `taken`, are refused. Values are numbers, words, null or lists of these, but
    no paths or mappings.
    """
    check_known([method], methods, key.removesuffix("options") + "method")
    if not options:
        return
    check_known(options, option_defaults(methods[method]).keys() - set(taken) - _OF_JOBS, key)
    for option, value in options.items():
        values = value if isinstance(value, list) else [value]
        words = [item for item in values if isinstance(item, str)]
        plain = all(item is None or isinstance(item, bool | int | float | str) for item in values)
        if not plain or not all(re.fullmatch(r"[A-Za-z][\w-]*", word) for word in words):
            raise WrongSetting(f"expected a number, a word or a list of these, found {shown(value)}", f"{key}.{option}")
        if option == "tracker" and value is not None:
            check_known(values, TRACKERS, f"{key}.{option}")


# The expected form of a value, by the type of pydantic's error.
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
    "too_short": "at least {min_length} values",
    "too_long": "at most {max_length} values",
    "string_pattern_mismatch": "a text of the form {pattern}",
}


def message_of(error: ValidationError, config: object) -> str:
    """A one-line message for the first error of a configuration."""
    errors = error.errors(include_url=False)
    first = errors[0]
    path, context = _path_of(first["loc"], config), first.get("ctx", {})
    if first["type"] == "missing":
        section = first["loc"][:-1]
        missing = [item["loc"][-1] for item in errors if item["type"] == "missing" and item["loc"][:-1] == section]
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
    """The message for a value that is not among the choices, which pydantic lists in quotation marks."""
    choices = re.findall("'([^']+)'", quoted)
    return f"unknown value {shown(value)}; {expected_one_of(value, choices)}"


def _line(path: list, text: str) -> str:
    return shortened(f"configuration: {'.'.join(map(str, path)) or 'top level'}: {text}")


def _path_of(steps: Iterable, config: Any) -> list:
    """The keys and indices that lead to a value, without the names of types that pydantic puts between them."""
    path: list = []
    for step in steps:
        is_key = isinstance(config, dict) and step in config
        if is_key or isinstance(config, list) and isinstance(step, int):
            path.append(step)
            config = config[step]  # pyright: ignore[reportArgumentType, reportCallIssue]
    return path
