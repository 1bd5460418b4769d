"""Find the language of indented blocks, for which Markdown has no mark: shell commands, or Python with an effect."""

import ast
import re

from docutils import nodes
from sphinx.transforms import SphinxTransform

_COMMAND = re.compile(r"(?:[A-Z_]+=\S+ )?(?:logzoo|snakemake|pip|pytest|python3?|sphinx-build) ")
_ACTS = (ast.Assign, ast.Import, ast.ImportFrom, ast.Call)


def setup(app):
    app.add_transform(Languages)
    return {"parallel_read_safe": True}


def language_of(text):
    """The language of a block: "python", "bash" or "none"."""
    if any(_COMMAND.match(line) for line in text.splitlines()):
        return "bash"
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return "none"
    return "python" if any(isinstance(node, _ACTS) for node in ast.walk(tree)) else "none"


class Languages(SphinxTransform):
    """Sets the language of blocks that have none."""

    default_priority = 200

    def apply(self):
        for block in self.document.findall(nodes.literal_block):
            if block.get("language") == "none":
                block["language"] = language_of(block.astext())
