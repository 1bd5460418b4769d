"""Text for a terminal: tables of labels and values, one line of JSON."""

import json
import math


def table(rows):
    """Lines of (label, value) pairs, values below each other."""
    width = max(len(label) for label, _ in rows)
    return "".join(f"{label:{width}}  {one_line(value)}\n" for label, value in rows)


def columns(heads, rows):
    """Lines of rows of texts under their heads, the first column to the left, the others to the right."""
    rows = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    aligned = [
        "  ".join(
            [f"{row[0]:{widths[0]}}", *(f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in (heads, *rows)
    ]
    return "".join(f"{line.rstrip()}\n" for line in aligned)


def json_line(content):
    """One line of JSON; numbers that JSON does not know become null."""

    def plain(value):
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [plain(item) for item in value]
        value = value.item() if hasattr(value, "item") else value
        return None if isinstance(value, float) and not math.isfinite(value) else value

    return json.dumps(plain(content), allow_nan=False) + "\n"


def one_line(value):
    """The text of a value without line breaks."""
    return " ".join(str(value).split())
