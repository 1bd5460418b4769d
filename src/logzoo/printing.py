"""Text for terminals and notebooks: tables, a line of JSON, and progress bars that disappear when the work is done."""

from __future__ import annotations

import json
import math
import sys
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from tqdm import tqdm

# Seconds before a bar appears, so that loops of short calls do not flicker.
_DELAY = 0.5


def table(rows: Iterable[Iterable[object]], *, right: Container[int] = ()) -> str:
    """Rows of texts as lines with columns aligned to the left, or to the right if `right` contains their number."""
    rows = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    formats = [f"{'>' if number in right else '<'}{width}" for number, width in enumerate(widths)]
    lines = ("  ".join(map(format, row, formats)) for row in rows)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def columns(heads: Sequence[object], rows: Iterable[Iterable[object]], *, words: bool = False) -> str:
    """Rows of numbers under heads, aligned right; the first column (and with `words` the last) is aligned left."""
    return table([heads, *rows], right=range(1, len(heads) - words))


def html_table(title: str, rows: Iterable[tuple[str, object]]) -> str:
    """A table of names and values in HTML, for notebooks; texts are escaped."""
    lines = (f"<tr><th>{escape(name)}</th><td>{escape(str(value))}</td></tr>" for name, value in rows)
    return f"<table><caption>{escape(title)}</caption>{''.join(lines)}</table>"


def json_line(content: object) -> str:
    """One line of JSON; NaN and infinite numbers become null."""

    def plain(value):
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [plain(item) for item in value]
        value = value.item() if hasattr(value, "item") else value
        return None if isinstance(value, float) and not math.isfinite(value) else value

    return json.dumps(plain(content), allow_nan=False) + "\n"


def one_line(value: object) -> str:
    """The text of a value without line breaks; control characters are escaped, because a terminal may run them."""
    text = " ".join(str(value).split())
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def shortened(value: object, most: int = 800) -> str:
    """The text of a value in one line of at most `most` characters; words over 200 characters are shortened, too."""
    words = [word if len(word) <= 200 else f"{word[:80]}..." for word in one_line(value).split(" ")]
    text = " ".join(words)
    return text if len(text) <= most else f"{text[: most - 3]}..."


def shows(progress: bool | None) -> bool:
    """Whether a public function with this argument shows progress; None shows progress if stderr is a terminal."""
    from logzoo.checks import flag

    wanted = is_terminal(sys.stderr) if progress is None else flag("progress", progress)
    return wanted and sys.stderr is not None


def is_terminal(stream: object) -> bool:
    """Whether a stream is a terminal. It may be None, or an object without `isatty`."""
    return getattr(stream, "isatty", bool)()


def bar(total: int, what: str, unit: str, progress: bool, *, done: int = 0) -> tqdm:
    """A bar of `total` units of work, of which `done` are done. The caller closes it. progress: whether it is shown."""
    return _bar(progress, total=total, desc=what, unit=unit, initial=done, delay=_DELAY)


def stage(what: str, progress: bool) -> tqdm:
    """A line above the bars that names the running stage. The caller closes it. progress: whether it is shown."""
    return _bar(progress, desc=what, bar_format="{desc} ...")


def _bar(progress, **settings):
    from tqdm import tqdm  # takes long to import

    return tqdm(leave=False, disable=not progress, **settings)
