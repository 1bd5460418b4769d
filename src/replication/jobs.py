"""Functions for the jobs of the workflow: logs, errors, inputs, outputs and checkpoints.

Slow imports are inside the functions that need them, so that other jobs do not wait for them.
"""

import contextlib
import ctypes
import gc
import logging
import math
import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from logzoo.io.checkpoints import Checkpoint, discard_checkpoint, identity_of
from logzoo.types import FilePath
from replication.artifacts import digest_of, named_hashes, recorded
from replication.papers.experiment import nested
from replication.types import Artifacts, Dataset

LOG = logging.getLogger(__name__)
_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of Linux
# Number of new objects that starts a garbage collection. The default makes imports and figures a tenth slower.
_ALLOCATIONS = 10_000


@contextlib.contextmanager
def job(log_file: str) -> Iterator[None]:
    """Log a job to a file, and its warnings to the terminal as well.

    A ValueError or OSError ends the job; the log and the terminal each get one line. After success, the last line of
    the log states the CPU seconds of the start and imports, the seconds of work, and the peak memory.
    """
    start, to_start = time.perf_counter(), time.process_time()
    gc.set_threshold(_ALLOCATIONS)
    if sys.platform == "linux":
        # When the parent is killed, this process ends, because its output would belong to no run.
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGTERM)
    try:
        _log_to(log_file)
        yield
    except (ValueError, OSError) as error:
        if isinstance(error, OSError) and error.filename is not None:
            LOG.error("%s: %s", error.filename, error.strerror)
        else:
            LOG.error("%s", error)
        sys.exit(1)
    except Exception:
        LOG.exception("unexpected error")
        sys.exit(1)
    finally:
        # A garbage collection at exit would take 0.1 to 0.3 s to free memory that the system reclaims anyway.
        gc.freeze()
    took = time.perf_counter() - start
    LOG.info("start: %.2f CPU seconds; work: %.2f s; peak memory: %.0f MB", to_start, took, _held())


def _held() -> float:
    """The largest memory of this process so far, in MB; NaN if the system does not report it."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.is_file() else []
    # getrusage would include the memory of the process before it executed this program.
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:")), math.nan)


def _log_to(log_file: str) -> None:
    to_terminal = logging.StreamHandler(sys.stderr)
    to_terminal.setLevel(logging.WARNING)
    # A job continues if the disk has no room for its log. It fails if it cannot write its output.
    logging.raiseExceptions = False
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s", handlers=[to_terminal], force=True)
    logging.captureWarnings(True)
    Path(log_file).parent.mkdir(parents=True, exist_ok=True)
    to_file = logging.FileHandler(log_file, mode="w")
    to_file.setFormatter(to_terminal.formatter)
    logging.getLogger().addHandler(to_file)


def read_inputs(task: Any) -> dict:
    """The named input artifacts of a job; names like "estimates/rts" give nested dicts."""
    from logzoo.io.netcdf import read_artifact

    return nested({name: read_artifact(path) for name, path in task.input.items() if str(path).endswith(".nc")})


def write_output(task: Any, dataset: Dataset, *, kind: str, number: int = 0, seed_path: object = "") -> None:
    """Write a dataset as output `number`, with the job's inputs and parameters as provenance.

    task: the `snakemake` object of a script.
    """
    from logzoo.io.netcdf import write_artifact

    parameters, source = recorded(dict(task.params.items()), number)
    write_artifact(
        dataset,
        task.output[number],
        kind=kind,
        parameters=parameters,
        source=source,
        inputs=named_hashes(task.input),
        seed_path=str(seed_path),
    )


def stamp_of(task: Any) -> dict:
    """The stamp (`replication.artifacts`) of the first output of a job."""
    parameters, source = recorded(dict(task.params.items()), 0)
    return {"inputs": named_hashes(task.input), "parameters": digest_of(parameters), "source": source}


def checkpoint_of(task: Any, name: str = "") -> Checkpoint:
    """The checkpoint of a job, beside its first output; valid only for the same inputs, params and code.

    name: part of the work with a separate checkpoint.
    """
    made_from = {"inputs": named_hashes(task.input), "params": digest_of(dict(task.params.items())), "name": name}
    return Checkpoint(path_beside(task.output[0], name), identity_of(made_from))


def discard_checkpoints(task: Any) -> None:
    """Remove the checkpoints of a job. Call this function when all outputs of the job exist."""
    discard_beside(task.output[0])


def path_beside(output: FilePath, name: str | int = "") -> Path:
    """Path of the checkpoint for an output file; `name` distinguishes several checkpoints of one file."""
    return Path(f"{output}.{name}.checkpoint.npz" if name != "" else f"{output}.checkpoint.npz")


def discard_beside(output: FilePath) -> None:
    """Remove all checkpoints of work on a file, and temporary files of killed processes that were writing them."""
    output = Path(output)
    pattern = re.compile(rf"\.?({re.escape(output.name)}\.(?:.*\.)?checkpoint\.npz)(?:\.[^.]*\.tmp)?")
    for checkpoint in filter(None, map(pattern.fullmatch, os.listdir(output.parent))):
        discard_checkpoint(output.with_name(checkpoint[1]))


def flat(artifacts: Artifacts) -> Iterator[Dataset]:
    """Yield the artifacts in nested dicts, one after the other."""
    for artifact in artifacts.values():
        yield from flat(artifact) if isinstance(artifact, dict) else (artifact,)
