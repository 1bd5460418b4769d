"""Docstrings are numpydoc. The text that Python writes for the fields of a NamedTuple is removed."""

import re

_NOTHING = re.compile(r"Alias for field number \d+$")


def setup(app):
    app.connect("autodoc-process-docstring", _process)
    return {"parallel_read_safe": True}


def _process(app, what, name, obj, options, lines):
    if _NOTHING.match(" ".join(lines).strip()):
        lines[:] = []
