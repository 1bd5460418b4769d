"""First steps of the Snakefile: find the sources and the libraries.

The Snakefile runs this file before it checks the libraries, so only the standard library is imported.
"""

import os
import sys
from importlib.util import find_spec

# If this variable is set, a run compiles no kernels before its jobs. It is set for runs that only list
# jobs or make few files.
COMPILES_LATER = "LOGZOO_COMPILES_LATER"


def use_sources(folder: str) -> None:
    """Make this process and its jobs import the package from a folder, even if another version is installed.

    Jobs in an environment of conda lose PYTHONPATH. Snakemake appends this process's search path to the search path of
    these jobs, so such an environment needs only the dependencies.
    """
    sys.path.insert(0, folder)
    os.environ.update(PYTHONPATH=os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH")])))


def require(*names: str) -> None:
    """Raise ModuleNotFoundError for the first missing module. Nothing is imported, because imports take long."""
    for name in names:
        if find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
