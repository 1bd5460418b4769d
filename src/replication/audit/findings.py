"""The result of an audit (faults, stale files and notes), as text for a terminal and as JSON."""

import contextlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from logzoo.io.atomic import write_text
from logzoo.printing import one_line, shortened, table
from logzoo.types import FilePath

_HASH = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{52}\b")
_LONGEST = 110
# Limits of the terminal output: rows in the table of faults, and stale files per reason. A report file lists all.
_SHOWN, _NAMED = 50, 3
_CURE = "snakemake --cores N regenerates them, with the --configfile of the run"


class Fault(NamedTuple):
    """One fault: the file, the check that failed, the value found and the value expected."""

    file: str
    check: str
    found: str
    expected: str


class Findings:
    """The outcome of an audit: faults, stale files {file: reason}, notes, and numbers of files and of checks by name.

    The values of the artifacts in `large` were not checked, because these artifacts are too large.
    """

    def __init__(self):
        self.faults, self.stale, self.large, self.notes = [], {}, set(), []
        self.files, self.checks = 0, Counter()

    def check(self, file: str, name: str, passed: object, actual: object = "", expected: object = "") -> bool:
        """Count a check, and enter a fault if it did not pass. Returns whether it passed."""
        self.checks[name] += 1
        if not passed:
            self.faults.append(Fault(file, name, str(actual), str(expected)))
        return bool(passed)

    def read(self, file: str, name: str, reader: Callable[[], Any], expected: object) -> Any:
        """Count a check that `reader()` raises no error. Returns the result of `reader()`, or None after an error."""
        content = reason = None
        try:
            content = reader()
        except Exception as error:
            reason = one_line(getattr(error, "strerror", None) or error) or type(error).__name__
        self.check(file, name, reason is None, reason, expected)
        return content

    @contextlib.contextmanager
    def recorded(self, file: str) -> Iterator[None]:
        """Enter any exception of the block as a fault of the file, so that the audit reaches its end."""
        try:
            yield
        except Exception as error:
            self.check(file, "readable", False, repr(error), "a file that can be checked")


def report(findings: Findings) -> str:
    """The report as text: a table of faults, stale files by reason, notes, and counts of checks."""
    text, more = "", len(findings.faults) - _SHOWN
    if findings.faults:
        text += table([map(_short, row) for row in (Fault._fields, *findings.faults[:_SHOWN])])
        text += f"and {more} more (--output FILE writes all)\n\n" if more > 0 else "\n"
    for reason in sorted(set(findings.stale.values())):
        paths = [path for path, its_reason in findings.stale.items() if its_reason == reason]
        more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
        text += f"stale: {one_line(reason)}: {', '.join(paths[:_NAMED])}{more}\n"
    text += f"stale files are not faults; {_CURE}\n" if findings.stale else ""
    text += "".join(f"{one_line(note)}\n" for note in findings.notes)
    text += f"checks: {', '.join(f'{name} {count}' for name, count in sorted(findings.checks.items()))}\n"
    faults, wrong = len(findings.faults), len({fault.file for fault in findings.faults})
    counts = f"{faults} faults in {wrong} files; {len(findings.stale)} stale files"
    return f"{text}{counts}; {findings.files} files, {findings.checks.total()} checks\n"


def write_report(findings: Findings, path: FilePath) -> None:
    """Write the findings as JSON, with hashes in full."""
    content = {
        "passed": not findings.faults,
        "faults": [fault._asdict() for fault in findings.faults],
        "stale": findings.stale,
        "files": findings.files,
        "checks": dict(sorted(findings.checks.items())),
        "notes": findings.notes,
    }
    write_text(path, json.dumps(content, indent=1) + "\n")


def _short(text):
    return shortened(_HASH.sub(r"\1", text), _LONGEST)
