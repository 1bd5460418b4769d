"""Digests of the code that makes an artifact, in both packages, and where the checkout is."""

from pathlib import Path

from logzoo.io.provenance import PACKAGE_FOLDER, source_digest

# The folder of the project; nothing lies there where the package was installed without it.
ROOT = Path(__file__).parents[2]
PACKAGES = (PACKAGE_FOLDER, Path(__file__).parent)


def code_digest(*modules, scripts=()):
    """Hash the behaviour of modules and scripts and of all that they import, as `logzoo.io.provenance` does."""
    return source_digest(*modules, scripts=scripts, packages=PACKAGES)
