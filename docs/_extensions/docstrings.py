"""Docstrings as reStructuredText: they are plain prose, with `code` in backticks, and name parameters before colons.

"sweeps: None for 10,000." at the start of a sentence is of the parameter `sweeps`, if there is one. What a field of a
class is says the comment behind it.
"""

import inspect
import re
import tokenize
from io import StringIO

from sphinx.pycode import ModuleAnalyzer

import logzoo

_NAMED = re.compile(r"(?:^|(?<=[.;] ))((?:\w+, )*\w+): ")
_OTHER_SENTENCE = re.compile(r"(?<=[.;] )(?=(?:Returns|Raises) )")
_MARKUP = re.compile(r"([\\*_|])")
# What Python itself says of the fields of a NamedTuple.
_NOTHING = re.compile(r"Alias for field number \d+$")


def setup(app):
    app.connect("builder-inited", _hand_over_comments)
    app.connect("autodoc-process-docstring", _process)
    return {"parallel_read_safe": True}


def comments_of(owner):
    """{field: the comment behind it} of a class."""
    found = {}
    for token in tokenize.generate_tokens(StringIO(inspect.getsource(owner)).readline):
        field, annotated, _ = token.line.strip().partition(":")
        if token.type == tokenize.COMMENT and annotated and field in owner.__annotations__:
            found[field] = token.string.lstrip("# ")
    return found


def _hand_over_comments(app):
    for owner in (obj for name in logzoo.__all__ if isinstance(obj := getattr(logzoo, name), type)):
        analyzer = ModuleAnalyzer.for_module(owner.__module__)
        analyzer.analyze()
        for field, comment in comments_of(owner).items():
            analyzer.attr_docs[owner.__qualname__, field] = [comment, ""]


def _process(app, what, name, obj, options, lines):
    text = "" if _NOTHING.match(" ".join(lines).strip()) else "\n".join(lines)
    lines[:] = [line for part in text.split("\n\n") for line in marked_up(part, _parameters(obj))]


def marked_up(text, parameters):
    """Lines of reStructuredText of a paragraph of prose."""
    lead, *named = _NAMED.split(" ".join(text.split()))
    parts = []  # [names, what is said of them]
    for names, said in zip(named[::2], named[1::2], strict=True):
        if set(names.split(", ")) <= parameters:
            parts.append([names, said])
        elif parts:
            parts[-1][1] += f"{names}: {said}"
        else:
            lead += f"{names}: {said}"
    # What comes last may go on about the function.
    last = []
    if parts:
        parts[-1][1], *last = _OTHER_SENTENCE.split(parts[-1][1])
    fields = [f":param {names}: {_escaped(said)}" for names, said in parts]
    return [*_lines(*_OTHER_SENTENCE.split(lead)), *fields, "", *_lines(*last)]


def _lines(*paragraphs):
    return [line for text in paragraphs if text for line in (_escaped(text), "")]


def _escaped(text):
    """Prose with its code marked, and without what looks like markup."""
    parts = text.strip().split("`")
    return "".join(_code(part) if place % 2 else _MARKUP.sub(r"\\\1", part) for place, part in enumerate(parts))


def _code(text):
    return f":py:obj:`~logzoo.{text}`" if text in logzoo.__all__ else f"``{text}``"


def _parameters(obj):
    try:
        return set(inspect.signature(obj).parameters)
    except (TypeError, ValueError):
        return set()
