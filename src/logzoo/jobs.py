"""What every job of the workflow does around its one library call: its log, its errors, the artifacts it reads."""

import contextlib
import logging
import sys
from pathlib import Path

from logzoo.artifacts.netcdf import read_artifact

LOG = logging.getLogger(__name__)
STAND_IN = ("stand_in_for", "stand_in_reason")


@contextlib.contextmanager
def job(log_file):
    """Log to the job's file, warnings to the terminal too; a ValueError ends the job with one line on both."""
    Path(log_file).parent.mkdir(parents=True, exist_ok=True)
    to_file = logging.FileHandler(log_file, mode="w")
    to_terminal = logging.StreamHandler(sys.stderr)
    to_terminal.setLevel(logging.WARNING)
    style = logging.Formatter("%(levelname)s %(message)s")
    for handler in (to_file, to_terminal):
        handler.setFormatter(style)
    logging.basicConfig(level=logging.INFO, handlers=[to_file, to_terminal], force=True)
    logging.captureWarnings(True)
    try:
        yield
    except ValueError as error:
        LOG.error("%s", error)
        sys.exit(1)


def read_inputs(**paths):
    """Artifacts by name, and their content hashes for the provenance of what is made from them."""
    artifacts = {name: read_artifact(path) for name, path in paths.items()}
    return artifacts, {name: artifact.attrs["content_sha256"] for name, artifact in artifacts.items()}


def stand_in_notice(*artifacts):
    """Attributes that say which data set was replaced and why, carried over from the inputs; empty if none was."""
    for artifact in artifacts:
        if STAND_IN[0] in artifact.attrs:
            return {name: artifact.attrs[name] for name in STAND_IN}
    return {}
