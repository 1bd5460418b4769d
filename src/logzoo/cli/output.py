"""What commands print."""

import os
import sys

from logzoo.reporting.printing import one_line


def warn(text):
    """Write a warning of one line to stderr."""
    print(f"logzoo: warning: {one_line(text)}", file=sys.stderr)


def write(text):
    """Write to stdout, now."""
    try:
        print(text, end="", flush=True)
    except OSError:
        # Python would try the buffered rest again when it exits, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise
