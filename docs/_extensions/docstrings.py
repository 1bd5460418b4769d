"""Docstrings as reStructuredText: they are plain prose, with `code` in backticks, and name parameters before colons.

"sweeps: None for 10,000." at the start of a sentence is of the parameter `sweeps`, if there is one. The fields of a class say what
they are in the comment behind them.
"""

import inspect
import re
import tokenize
from io import StringIO

import logzoo

_NAMED = re.compile(r"(?:^|(?<=[.;] ))((?:\w+, )*\w+): ")
_OTHER_SENTENCE = re.compile(r"(?<=[.;] )(?=(?:Returns|Raises) )")
_MARKUP = re.compile(r"([\\*_|])")
# What Python itself says of the fields of a NamedTuple.
_NOTHING = re.compile(r"Alias for field number \d+$")


def setup(app):
    app.connect("autodoc-process-docstring", _process)
    return {"parallel_read_safe": True}


def _process(app, what, name, obj, options, lines):
    comments = _comments(name.rpartition(".")) if what in ("attribute", "property") else {}
    if _NOTHING.match(" ".join(lines).strip()):
        lines[:] = []
    found = comments.get(name.rpartition(".")[2]) if not any(lines) else None
    text = found or "\n".join(lines)
    lines[:] = [line for part in text.split("\n\n") for line in _marked_up(part, _parameters(obj))]


def _marked_up(text, parameters):
    """Lines of reStructuredText of a paragraph of prose."""
    lead, *named = _NAMED.split(" ".join(text.split()))
    last, found = [], []
    for names, said in zip(named[::2], named[1::2], strict=True):
        if not set(names.split(", ")) <= parameters:
            # Only words before a colon.
            joined = f"{names}: {said}"
            if found:
                found[-1] = (found[-1][0], f"{found[-1][1]}{joined}")
            else:
                lead += joined
            continue
        found.append((names, said))
    if found:
        *found, (names, said) = found
        said, *last = _OTHER_SENTENCE.split(said)
        found.append((names, said))
    return [
        *_lines(*_OTHER_SENTENCE.split(lead)),
        *(f":param {names}: {_escaped(said)}" for names, said in found),
        "",
        *_lines(*last),
    ]


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


def _comments(parts):
    """{field: the comment behind it} of the class that holds an attribute, by the (class, dot, attribute) of its name."""
    module, _, name = parts[0].rpartition(".")
    owner = getattr(logzoo, name, None) if module == "logzoo" else None
    if not isinstance(owner, type):
        return {}
    found = {}
    for token in tokenize.generate_tokens(StringIO(inspect.getsource(owner)).readline):
        field, annotated, _ = token.line.strip().partition(":")
        if token.type == tokenize.COMMENT and annotated and field in owner.__annotations__:
            found[field] = token.string.lstrip("# ")
    return found
