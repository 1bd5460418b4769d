"""Imports of the modules of a package."""

from logzoo.io import provenance


def direct_imports(module, packages):
    """Names of the modules of these packages (folders) that a module imports directly, also inside functions."""
    files = provenance._files_of_modules(packages)
    return provenance._imports_of(module, provenance._content(module, files), files)
