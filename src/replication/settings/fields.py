"""Types of settings, the base class of all sections of the configuration, and error messages.

Types are strict: 1000.0 is not a whole number, true is not a number, and NaN and infinity are refused.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

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
        None, description="Settings at other scales, by the name of the scale. They replace settings beside this key."
    )


def _name(text: str) -> str:
    if not re.fullmatch("[a-z0-9][a-z0-9-]*", text):
        raise WrongSetting(f"expected a name of lower-case letters, digits and hyphens, found {shown(text)}")
    return text


def _different(values: list) -> list:
    if any(value in values[:number] for number, value in enumerate(values)):
        raise WrongSetting(f"expected different values, found {shown(values)}")
    return values


# A name becomes part of paths.
Name = Annotated[str, AfterValidator(_name)]
Names = Annotated[list[str], Field(min_length=1), AfterValidator(_different)]
Line = Annotated[str, Field(pattern=r"^[^\n]+$")]
Count = Annotated[int, Field(ge=1)]
AtLeastTwo = Annotated[int, Field(ge=2)]
Counts = Annotated[list[Count], Field(min_length=1), AfterValidator(_different)]
Item = TypeVar("Item")
Several = Annotated[list[Item], Field(min_length=1)]
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
    check_known(options, option_defaults(*methods[method].functions).keys() - set(taken) - _OF_JOBS, key)
    for option, value in options.items():
        values = value if isinstance(value, list) else [value]
        words = [item for item in values if isinstance(item, str)]
        plain = all(item is None or isinstance(item, bool | int | float | str) for item in values)
        if not plain or not all(re.fullmatch(r"[A-Za-z][\w-]*", word) for word in words):
            raise WrongSetting(f"expected a number, a word or a list of these, found {shown(value)}", f"{key}.{option}")
        if option == "tracker" and value is not None:
            check_known(values, TRACKERS, f"{key}.{option}")


def message_of(error: ValidationError, config: object) -> str:
    """A one-line message for the deepest error.

    At equal depth type errors come last, because each type of a union reports one.
    """

    def depth(item):
        return len(item["loc"]), not item["type"].endswith(("_type", "literal_error"))

    first = max(error.errors(include_url=False), key=depth)
    path, text = _path_of(first["loc"], config), first["msg"].replace("Input should be", "expected")
    if first["type"] == "missing":
        text = f"expected the key {first['loc'][-1]!r}"
    elif first["type"] == "value_error":  # raised by a validator of these settings
        wrong = first.get("ctx", {})["error"]
        path, text = [*path, *filter(None, [wrong.key])], str(wrong)
    else:
        text = f"{text[0].lower()}{text[1:]}, found {shown(first['input'])}"
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
