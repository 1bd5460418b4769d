"""How a command line runs: whatever is wrong with the input ends in one line on stderr and exit code 1."""

import argparse
import re
import sys
import warnings

from logzoo.cli.output import tell, write
from logzoo.printing import shortened


class Parser(argparse.ArgumentParser):
    """A parser that leaves bad usage, and output that cannot be written, to its caller."""

    def error(self, message):
        raise ValueError(f"{message} (see {self.prog} --help)")

    def _print_message(self, message, file=None):
        write(message)


def adder(commands):
    """A function that adds a command, by name, function and summary, to the commands of a parser.

    It returns the `add_argument` of the new command.
    """

    def add(name, run, summary):
        added = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        added.set_defaults(run=run)
        return added.add_argument

    return add


def run_command(parser, argv=None, prepared=lambda arguments: None):
    """Run the command that `argv` (the arguments of the process when None) names. Returns the exit code.

    prepared: changes the parsed arguments in place before the command gets them.
    """
    try:
        # Arithmetic that overflows ends in an error or a warning of our own.
        with warnings.catch_warnings(action="ignore"):
            argv = sys.argv[1:] if argv is None else argv
            for argument in argv:
                if re.fullmatch("-[^=]*=--", argument):  # argparse takes it for a list of nothing
                    raise ValueError(f"{argument}: expected a value after =")
            arguments = vars(parser.parse_args(argv))
            prepared(arguments)
            return arguments.pop("run")(**arguments) or 0
    except SystemExit:  # --help; bad usage raises ValueError
        return 0
    except KeyboardInterrupt:
        tell("interrupted")
        return 130
    except BrokenPipeError:
        return 141  # as a shell reports a process that SIGPIPE ended
    except ModuleNotFoundError as error:
        tell(f"error: this needs {error.name}: pip install 'logzoo[workflow]'")
        return 1
    except (ValueError, OSError, MemoryError, OverflowError, RecursionError) as error:
        hint = "too large a number or size: " if isinstance(error, MemoryError | OverflowError) else ""
        hint = "lists within lists without end: " if isinstance(error, RecursionError) else hint
        tell(f"error: {hint}{shortened(error)}")
        return 1
