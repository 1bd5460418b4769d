"""Settings of Sphinx for a site of this folder: `sphinx-build docs docs/_build`. The site needs no network."""

import sys
from pathlib import Path

FOLDER = Path(__file__).parent
# The package of this checkout, and the extensions beside this file.
sys.path[:0] = [str(FOLDER.parent / "src"), str(FOLDER / "_extensions")]

import logzoo  # noqa: E402

project, author = "logzoo", "The logzoo developers"
version = release = logzoo.__version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "repository",
    "blocks",
    "mathml",
    "docstrings",
    "public_names",
    "command_line",
    "settings_reference",
    "gallery",
]
# Docstrings have the sections of numpydoc. Attributes are described with the class and listed as its members.
napoleon_google_docstring = False
napoleon_use_ivar = True
# The docstrings hold the types, with shapes and units.
autodoc_typehints = "none"
# `code` in backticks.
default_role = "code"
exclude_patterns = ["_build", "_extensions"]
# `$...$` in pages is a formula.
myst_enable_extensions = ["dollarmath"]
html_math_renderer = "mathml"
# Headings are targets of links, as when a repository shows the page.
myst_heading_anchors = 4
# The extension `blocks` sets the language of blocks that have none.
highlight_language = "none"
# The two dashes of an option must not become one long dash.
smartquotes = False
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"logzoo {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["copy.js"]
html_show_sourcelink = html_copy_source = False
html_show_copyright = False
