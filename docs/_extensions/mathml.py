"""Formulas as MathML, which browsers show without a script. Sphinx's default renderer loads MathJax from a network."""

import re

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

_LOGGER = logging.getLogger(__name__)


def setup(app):
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True}


def _inline(translator, node):
    translator.body.append(_markup(node, as_block=False))
    raise nodes.SkipNode


def _block(translator, node):
    translator.body.append(f'<div class="math">{_markup(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def _markup(node, as_block):
    # docutils 0.22 has no \dots, and reads \frac12 as a fraction of 12.
    text = re.sub(r"\\dots\b", r"\\ldots", node.astext())
    text = re.sub(r"(\\[dt]?frac)(\d)(\d)", r"\1{\2}{\3}", text)
    try:
        return tex2mathml(text, as_block=as_block)
    except MathError as error:
        _LOGGER.warning("formula %r: %s", text, error, location=node)
        return ""
