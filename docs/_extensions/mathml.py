"""Formulas as MathML, which browsers show without a script: Sphinx's default renderer loads MathJax from a network."""

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def setup(app):
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True}


def _inline(translator, node):
    translator.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def _block(translator, node):
    translator.body.append(f'<div class="math">{tex2mathml(node.astext(), as_block=True)}</div>\n')
    raise nodes.SkipNode
