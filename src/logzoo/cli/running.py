"""Run commands and print their results: wrong input ends in one line on stderr and exit code 1."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
import warnings
from typing import TYPE_CHECKING

from logzoo.printing import is_terminal, one_line, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, NoReturn


class Parser(argparse.ArgumentParser):
    """A parser that raises an exception for wrong usage and for failed output."""

    def error(self, message: str) -> NoReturn:
        """Raise ValueError with the message and the usage of the command."""
        words = [str(action.metavar or action.dest) for action in self._positionals._group_actions]
        raise ValueError(f"{message}; usage: {' '.join([self.prog, '[options]', *words])} (see {self.prog} --help)")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as argparse does, but refuse unknown arguments here, where the options of the command are available."""
        known, others = super().parse_known_args(args, namespace)
        for text in others:
            option = text.partition("=")[0]
            # A known option is unexpected if it stands after --, where every word is a positional argument.
            if option.startswith("--") and option not in self._option_string_actions:
                self.error(_unknown("option", option, self._option_string_actions))
        if others:
            self.error(f"unexpected arguments: {' '.join(others)}")
        return known, others

    def _check_value(self, action, value):
        if action.choices is not None and value not in action.choices:
            raise argparse.ArgumentError(action, _unknown("value", value, action.choices))

    def _print_message(self, message, file=None):
        write(message)


def _unknown(kind, value, choices):
    from logzoo.checks import expected_one_of, shown  # imports numpy

    return f"unknown {kind} {shown(value)}; {expected_one_of(value, choices)}"


def count(text: str) -> int:
    """The whole number that an argument such as 10000 or 1e4 denotes."""
    with contextlib.suppress(ValueError):
        return int(text)
    with contextlib.suppress(ValueError):
        if float(text).is_integer():
            return int(float(text))
    raise argparse.ArgumentTypeError(f"expected a whole number such as 10000 or 1e4, found {text!r:.80}")


def adder(commands: Any) -> Callable[..., Any]:
    """A function add(name, run, summary) that adds a command to a parser and returns the command's `add_argument`."""

    def add(name, run, summary):
        added = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        added.set_defaults(run=run)
        return added.add_argument

    return add


def run_command(
    parser: argparse.ArgumentParser,
    argv: Sequence[str] | None = None,
    prepared: Callable[[dict[str, Any]], None] = lambda arguments: None,
) -> int:
    """Run the command in `argv` (the arguments of the process when None). Returns the exit code.

    prepared: function that changes the parsed arguments in place before the command gets them.
    """
    try:
        # Warnings of libraries are silenced: arithmetic that overflows ends in an error or a warning of logzoo.
        with warnings.catch_warnings(action="ignore"):
            argv = sys.argv[1:] if argv is None else argv
            if not argv:
                parser.print_help()
                return 0
            for argument in argv:
                if re.fullmatch("-[^=]*=--", argument):  # argparse reads this as an empty list
                    raise ValueError(f"{argument}: expected a value after =")
            try:
                arguments = vars(parser.parse_args(argv))
            except SystemExit:  # --help and --version; bad usage raises ValueError
                return 0
            prepared(arguments)
            return arguments.pop("run")(**arguments) or 0
    except KeyboardInterrupt:
        tell("interrupted", parser.prog)
        return 130
    except BrokenPipeError:
        return 141  # 128 + SIGPIPE, the exit code that a shell reports
    except ModuleNotFoundError as error:
        failure = f"this command needs {error.name}: pip install 'logzoo[workflow]'"
    except (MemoryError, OverflowError) as error:
        failure = f"number or size too large: {shortened(error)}"
    except RecursionError as error:
        failure = f"lists nested too deeply: {shortened(error)}"
    except (ValueError, OSError) as error:
        failure = shortened(error)
    tell(f"error: {failure}", parser.prog)
    return 1


def warn(text: str) -> None:
    """Write a warning of one line to stderr."""
    tell(f"warning: {one_line(text)}")


def tell(text: str, program: str = "logzoo") -> None:
    """Write `program: text` to stderr, if the process has a stderr; stdout is for results."""
    if sys.stderr is not None:
        print(_encodable(f"{program}: {text}", sys.stderr), file=sys.stderr)


def bold(text: str) -> str:
    """The text, bold on a terminal, unless NO_COLOR is set (https://no-color.org) or TERM is dumb."""
    plain = not is_terminal(sys.stdout) or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return text if plain else f"\033[1m{text}\033[0m"


def write(text: str) -> None:
    """Write to stdout and flush it."""
    if sys.stdout is None:
        raise OSError("there is no standard output to write to")
    try:
        print(_encodable(text, sys.stdout), end="", flush=True)
    except OSError:
        # At exit Python would try again to write the buffer, and report a second error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise


def _encodable(text, stream):
    """The text, with backslash escapes for characters that the stream cannot encode."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
