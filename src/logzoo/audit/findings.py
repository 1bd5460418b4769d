"""What an audit found: faults, and how much was checked; as text for a terminal and as JSON."""

import contextlib
import json
import re
from collections import Counter
from typing import NamedTuple

from logzoo.artifacts.atomic import write_text
from logzoo.reporting.printing import one_line, table

_HASH = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{52}\b")
_LONGEST = 110


class Fault(NamedTuple):
    """One thing that is wrong: where, by which check, what was found and what was expected."""

    file: str
    check: str
    found: str
    expected: str


class Findings:
    """Faults in order, how many files and checks (by name) there were, and notes on what was not checked."""

    def __init__(self):
        self.faults, self.notes, self.files, self.checks = [], [], 0, Counter()

    def read(self, file, name, reader, expected, broken=ValueError):
        """Count a check that `reader()` raises no error that says the file is broken; what it returns, None if not."""
        content = reason = None
        try:
            content = reader()
        except broken as error:
            reason = one_line(error)
        self.check(file, name, reason is None, reason, expected)
        return content

    @contextlib.contextmanager
    def going_on(self, file):
        """Enter whatever goes wrong in the block as a fault of the file: an audit goes on, and ends in its table."""
        try:
            yield
        except Exception as error:
            self.check(file, "readable", False, repr(error), "a file that can be checked")

    def check(self, file, name, passed, found="", expected=""):
        """Count a check, and enter a fault if it did not pass. Returns whether it passed."""
        self.checks[name] += 1
        if not passed:
            self.faults.append(Fault(file, name, str(found), str(expected)))
        return bool(passed)


def report(findings):
    """A table of all faults, the notes, and how much was checked."""
    faults = [[_short(cell) for cell in fault] for fault in findings.faults]
    text = table([Fault._fields, *faults]) + "\n" if faults else ""
    text += "".join(f"{_shown(note)}\n" for note in findings.notes)
    text += f"checks: {', '.join(f'{name} {count}' for name, count in sorted(findings.checks.items()))}\n"
    wrong, checks = len({fault.file for fault in findings.faults}), findings.checks.total()
    return f"{text}{len(faults)} faults in {wrong} files; {findings.files} files, {checks} checks\n"


def write_report(findings, path):
    """Write what was found as JSON, whole hashes included, in one step."""
    content = {
        "passed": not findings.faults,
        "faults": [fault._asdict() for fault in findings.faults],
        "files": findings.files,
        "checks": dict(sorted(findings.checks.items())),
        "notes": findings.notes,
    }
    write_text(path, json.dumps(content, indent=1) + "\n")


def _short(text):
    text = _HASH.sub(r"\1", _shown(text))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _shown(text):
    """A text in one line, as any terminal may show it: files and their names may hold anything."""
    letters = (
        letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in one_line(text)
    )
    return "".join(letters)
