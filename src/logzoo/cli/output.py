"""What commands print."""

import os
import sys

from logzoo.printing import one_line


def warn(text):
    """Write a warning of one line to stderr."""
    tell(f"warning: {one_line(text)}")


def tell(text):
    """Write a line to stderr, if there is one: what has none must not end up among the results."""
    if sys.stderr is not None:
        print(_encodable(f"logzoo: {text}", sys.stderr), file=sys.stderr)


def bold(text):
    """The text, bold on a terminal that knows how; https://no-color.org is honoured."""
    plain = (
        sys.stdout is None or not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    )
    return text if plain else f"\033[1m{text}\033[0m"


def write(text):
    """Write to stdout, now."""
    if sys.stdout is None:
        raise OSError("there is no standard output to write to")
    try:
        print(_encodable(text, sys.stdout), end="", flush=True)
    except OSError:
        # Python would try the buffered rest again when it exits, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise


def _encodable(text, stream):
    """The text, letters that the stream cannot take spelled out."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
