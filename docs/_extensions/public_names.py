"""Directives: `public-names`, a description of every name in `logzoo.__all__`; `listing`, a table of methods.

`public-summary` is a table of the same names, each with its summary line and an example.
"""

import inspect
import re

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

import logzoo

_FIELDS = "   :members:\n   :undoc-members:\n   :member-order: bysource\n"


def setup(app):
    app.add_directive("public-names", PublicNames)
    app.add_directive("public-summary", PublicSummary)
    app.add_directive("listing", Listing)
    return {"parallel_read_safe": True}


class PublicNames(SphinxDirective):
    """A description of every public name: classes with their fields, functions, and other objects."""

    def run(self):
        text = "\n".join(_entry(name, getattr(logzoo, name)) for name in logzoo.__all__)
        return self.parse_text_to_nodes(f"```{{eval-rst}}\n{text}\n```\n")


class PublicSummary(SphinxDirective):
    """A table of the public names: a link to the description, the summary line and an example of each."""

    def run(self):
        rows = ["| name | purpose | example |", "|---|---|---|"]
        for name in logzoo.__all__:
            purpose = _docstring(name).strip().partition("\n")[0].replace("|", "\\|")
            rows.append(f"| [`{name}`](#logzoo.{name}) | {purpose} | `{example_of(name)}` |")
        return self.parse_text_to_nodes("\n".join(rows) + "\n")


def example_of(name):
    """A call from the docstrings of the name, or of a function that returns it."""
    calls = {
        other: re.findall(r"^ *>>> (.*\b" + other + r"\(.*)$", _docstring(other), re.M) for other in logzoo.__all__
    }
    returning = [other for other in logzoo.__all__ if re.search(rf"Returns\n *-+\n *{name}\b", _docstring(other))]
    found = [call for other in (name, *returning) for call in calls[other]]
    if not found:
        raise ValueError(f"logzoo.{name}: no example in its docstring; add one, or one to a function that returns it")
    return found[0]


def _docstring(name):
    return inspect.getdoc(inspect.unwrap(getattr(logzoo, name))) or ""


class Listing(SphinxDirective):
    """The table that the named function of logzoo, `methods` or `trainers`, prints."""

    required_arguments = 1

    def run(self):
        text = repr(getattr(logzoo, self.arguments[0])())
        return [nodes.literal_block(text, text, language="none")]


def _entry(name, obj):
    if isinstance(obj, type):
        return f".. autoclass:: logzoo.{name}\n{_FIELDS}"
    return f".. auto{'function' if inspect.isfunction(obj) else 'data'}:: logzoo.{name}\n"
