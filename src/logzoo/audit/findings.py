"""What an audit found: faults, and how much was checked."""

from collections import Counter
from typing import NamedTuple


class Fault(NamedTuple):
    """One thing that is wrong: where, by which check, what was found and what was expected."""

    file: str
    check: str
    found: str
    expected: str


class Findings:
    """Faults in order, and how many checks of each name were made on files of each kind."""

    def __init__(self):
        self.faults: list[Fault] = []
        self.made: Counter = Counter()
        self.files: Counter = Counter()
        self.notes: list[str] = []

    def check(self, file, kind, name, passed, found, expected):
        """Count a check; if it did not pass, `found` and `expected` (texts, or anything that has one) say why."""
        self.made[kind, name] += 1
        passed = bool(passed)
        if not passed:
            self.faults.append(Fault(file, name, str(found), str(expected)))
        return passed
