# The package as Python keeps it compiled, before anything of it is imported; no rules here.
#
# Before 3.12.8 Python does not notice that a disk is full when it writes a compiled module: it is cut short, and every
# job that imports it would fail for ever. So modules are compiled here alone, looked at, and not by jobs.
import compileall
import marshal
import os
import sys
from importlib.util import find_spec
from pathlib import Path

# Of a .pyc file, before the code.
HEADER_BYTES = 16


def remove_broken_modules(package):
    """Remove the compiled modules of a package that cannot be read to their end."""
    for path in Path(package).rglob(f"__pycache__/*.{sys.implementation.cache_tag}.pyc"):
        try:
            marshal.loads(path.read_bytes()[HEADER_BYTES:])
        except (EOFError, TypeError, ValueError):
            path.unlink(missing_ok=True)


def keep_modules_compiled(name):
    """Compile a package; whatever this process and its jobs import from now on is not written."""
    for package in find_spec(name).submodule_search_locations:
        compileall.compile_dir(package, quiet=2)
        remove_broken_modules(package)
    sys.dont_write_bytecode = True
    os.environ.update(PYTHONDONTWRITEBYTECODE="1")


# Without the package, its import says so.
if find_spec("logzoo") and not sys.dont_write_bytecode:
    keep_modules_compiled("logzoo")
