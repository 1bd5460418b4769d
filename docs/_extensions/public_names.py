"""Directives: `public-names`, everything in `logzoo.__all__` from its docstrings; `listing`, a table of methods."""

import inspect

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

import logzoo

_FIELDS = "   :members:\n   :undoc-members:\n   :member-order: bysource\n"


def setup(app):
    app.add_directive("public-names", PublicNames)
    app.add_directive("listing", Listing)
    return {"parallel_read_safe": True}


class PublicNames(SphinxDirective):
    """A description of every public name: classes with their fields, functions, and other objects as such."""

    def run(self):
        text = "\n".join(_entry(name, getattr(logzoo, name)) for name in logzoo.__all__)
        return self.parse_text_to_nodes(f"```{{eval-rst}}\n{text}\n```\n")


class Listing(SphinxDirective):
    """What the named function of logzoo, `methods` or `trainers`, prints."""

    required_arguments = 1

    def run(self):
        text = repr(getattr(logzoo, self.arguments[0])())
        return [nodes.literal_block(text, text, language="none")]


def _entry(name, obj):
    if isinstance(obj, type):
        return f".. autoclass:: logzoo.{name}\n{_FIELDS}"
    return f".. auto{'function' if inspect.isfunction(obj) else 'data'}:: logzoo.{name}\n"
