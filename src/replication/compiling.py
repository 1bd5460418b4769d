"""Compile the kernels before the jobs start, because parallel jobs would each compile the same kernels.

Every estimator runs once on a small RBM, and every trainer once with each of its trackers. Numba then has the machine
code in its cache.
"""

import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from logzoo.budgets import SweepLedger
from logzoo.estimators.estimator_registry import ESTIMATORS, estimator, takes
from logzoo.io.atomic import write_text
from logzoo.kernels import cache
from logzoo.models.exact_sums import exact_log_z
from logzoo.models.rbm import RBM
from logzoo.streams import root_stream
from logzoo.training.trackers import tracker
from logzoo.training.trainers import TRACKERS, TRAINERS, trainer

# The file that marks a cache with the machine code of the kernels of all estimators and trainers.
_MARK = "compiled"
# CPU seconds for compiling these kernels on an AMD EPYC.
_CPU_SECONDS = 50
_VISIBLE, _HIDDEN, _EXAMPLES = 20, 6, 200
# Few chains and rungs for the trainers, because with their defaults these short trainings take seconds.
_FEW = {"particles": 20, "rungs": 5}


def compile_kernels(cores: int) -> None:
    """Compile the kernels of all estimators and trainers by one or two processes, if a cache exists and lacks them."""
    folder = cache.folder()
    if folder is None or is_compiled():
        return
    processes = min(cores, 2)
    print(f"logzoo: compiling kernels (once, about {_CPU_SECONDS // processes} s)", file=sys.stderr, flush=True)
    # If the process fails, the jobs that need its kernels compile them.
    if subprocess.run([sys.executable, "-m", "replication.compiling", str(processes)]).returncode == 0:
        write_text(folder / _MARK, "")


def is_compiled() -> bool:
    """Whether the cache has the kernels of all estimators and trainers."""
    folder = cache.folder()
    return folder is not None and (folder / _MARK).is_file()


def _example():
    """A small RBM, data for it, and an RBM with smaller parameters as an earlier snapshot."""
    generator = np.random.default_rng(0)
    shapes = (_VISIBLE, _HIDDEN), _VISIBLE, _HIDDEN
    rbm, before = (RBM(*(generator.normal(0.0, size, shape) for shape in shapes)) for size in (0.3, 0.1))
    return rbm, (generator.random((_EXAMPLES, _VISIBLE)) < 0.5).astype(np.uint8), before


def estimate_by_all(methods: Iterable[str] = ESTIMATORS) -> None:
    """Make one estimate by each estimator.

    The evidence then needs only two other kernels. `train_by_all` compiles `run_sweeps`, and a job compiles
    `add_softplus` in less than a second.
    """
    rbm, data, before = _example()
    for method in methods:
        inputs = {"data": data, "snapshots": [before]}
        options = {name: value for name, value in inputs.items() if takes(method, name)}
        estimator(method)(rbm, SweepLedger(100, 20), root_stream(0), {"base": None, **options})


def train_by_all() -> None:
    """Train by every trainer, once with each tracker that it takes, and enumerate log Z of the trained models."""
    _, data, _ = _example()
    settings = {"stream": root_stream(0), "progress": False, "hidden": _HIDDEN, "updates": 4, "batch": 100}
    for method, listed in TRAINERS.items():
        few = {name: count for name, count in _FEW.items() if name in listed.options}
        trackers = [{"tracker": tracker(name)} for name in TRACKERS] if "tracker" in listed.options else [{}]
        for followed in trackers:
            exact_log_z(trainer(method)(data, learning_rate=0.05, **settings, **few, **followed).rbm)


if __name__ == "__main__":
    with cache.compiling(), ProcessPoolExecutor(int(sys.argv[1])) as pool:
        tasks = [pool.submit(train_by_all), *(pool.submit(estimate_by_all, [method]) for method in ESTIMATORS)]
        for task in tasks:
            task.result()
