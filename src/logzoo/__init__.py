"""logzoo: log partition functions of restricted Boltzmann machines, by every method of four papers."""

import contextlib
import hashlib
import importlib
import os
import platform
import re
import stat
import sys
from pathlib import Path

from logzoo.artifacts.provenance import PACKAGE_FOLDER, kernels_digest

__version__ = "0.1.0"

_PUBLIC = {
    "RBM": "logzoo.models.rbm",
    "exact_log_z": "logzoo.models.exact",
    "lower_bound": "logzoo.models.modes",
    "Estimate": "logzoo.estimators.result",
    "TrainingRun": "logzoo.trainers.loop",
    "sample_gibbs": "logzoo.api",
    "estimate_log_z": "logzoo.api",
    "train_rbm": "logzoo.training",
    "mean_log_likelihood": "logzoo.models.scoring",
    "score": "logzoo.scoring",
    "scorer": "logzoo.scoring",
}
__all__ = sorted(_PUBLIC)
_OF_KERNELS = re.compile(r"[0-9a-f]{64}-[0-9a-f]{12}")


def __getattr__(name):
    if name not in _PUBLIC:
        raise AttributeError(f"module 'logzoo' has no attribute '{name}'")
    return getattr(importlib.import_module(_PUBLIC[name]), name)


def __dir__():
    return [*__all__, "__version__"]


def _kind_of_processor():
    # Homes are shared by unlike nodes, each of which would find code that it cannot run, or less than it could.
    try:
        lines = Path("/proc/cpuinfo").read_text().partition("\n\n")[0].splitlines()
    except OSError:
        lines = []
    said = [line for line in lines if line.startswith(("model name", "flags", "Features"))] or [platform.processor()]
    asked = [os.environ.get(name, "") for name in ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")]
    return hashlib.sha1("\n".join([platform.machine(), *said, *asked]).encode()).hexdigest()[:12]


def _cache_folders():
    # Where machine code may be kept, the best first: numba refuses to load kernels without such a folder.
    from platformdirs import user_cache_path

    asked = os.environ.get("NUMBA_CACHE_DIR")
    if asked:
        # One that a parent process has chosen here holds the code of its kernels.
        yield Path(asked).parent if _OF_KERNELS.fullmatch(Path(asked).name) else Path(asked)
    with contextlib.suppress(RuntimeError):  # no home
        yield user_cache_path("logzoo") / "numba"
    if hasattr(os, "getuid"):
        with contextlib.suppress(OSError):
            yield _private_folder()


def _private_folder():
    # Whoever can write to it could have us run anything.
    import tempfile

    folder = Path(tempfile.gettempdir()) / f"logzoo-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o022:
        raise PermissionError(f"{folder} is not ours alone")
    return folder


def _use_kernel_cache():
    # numba serves stale machine code when a kernel in another file changed: one cache folder per state of kernels/.
    name = f"{kernels_digest()}-{_kind_of_processor()}"
    for folder in (base / name for base in _cache_folders()):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                break
        except OSError:
            continue
    else:
        return
    # numba names a folder of code after the path of the sources: every copy of these kernels shares one.
    path = os.path.abspath(PACKAGE_FOLDER / "kernels")
    with contextlib.suppress(OSError):
        (folder / "kernels").mkdir(exist_ok=True)
        (folder / f"kernels_{hashlib.sha1(path.encode()).hexdigest()}").symlink_to("kernels")
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    if "numba" in sys.modules:
        sys.modules["numba"].config.CACHE_DIR = str(folder)


if "LOGZOO_FORKS" in os.environ:
    importlib.import_module("logzoo.pipeline.forks").hand_over()
_use_kernel_cache()
