"""What an audit found, as text for a terminal and as JSON."""

import json
import re

from logzoo.artifacts.atomic import write_text
from logzoo.reporting.printing import one_line

_HASH = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{52}\b")
_LONGEST = 110
_HEADS = ("file", "check", "found", "expected")


def report(findings):
    """Lines: a table of all faults, how much was checked by kind, what could not be checked, and how it ended."""
    lines = []
    if findings.faults:
        lines += [*_aligned([_HEADS, *([_short(cell) for cell in fault] for fault in findings.faults)]), ""]
    lines += _aligned([("kind", "files", "checks made"), *_by_kind(findings)])
    lines += ["", *(one_line(note) for note in findings.notes)]
    wrong = len({fault.file for fault in findings.faults})
    files, checks = findings.files.total(), findings.made.total()
    lines.append(f"{len(findings.faults)} faults in {wrong} files; {files} files, {checks} checks")
    return "\n".join(lines) + "\n"


def write_report(findings, path):
    """Write what was found as JSON, whole hashes included, in one step."""
    checks = {}
    for (kind, name), count in sorted(findings.made.items()):
        checks.setdefault(kind, {})[name] = count
    content = {
        "passed": not findings.faults,
        "faults": [fault._asdict() for fault in findings.faults],
        "files": dict(sorted(findings.files.items())),
        "checks": checks,
        "notes": findings.notes,
    }
    write_text(path, json.dumps(content, indent=1) + "\n")


def _by_kind(findings):
    for kind in sorted(findings.files):
        made = {name: count for (of, name), count in findings.made.items() if of == kind}
        yield kind, str(findings.files[kind]), ", ".join(f"{name} {count}" for name, count in made.items())


def _short(text):
    text = _HASH.sub(r"\1", one_line(text))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _aligned(rows):
    widths = [max(map(len, column)) for column in list(zip(*rows, strict=True))[:-1]]
    return [
        "  ".join([*(f"{cell:{width}}" for cell, width in zip(row, widths, strict=False)), row[-1]]) for row in rows
    ]
