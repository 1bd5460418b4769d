"""Compiled kernels are kept for as long as their sources are the same; parts of kernels are called by kernels alone."""

import ast
import inspect
import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from imports import direct_imports
from parts import is_part

import logzoo
from logzoo.io.provenance import PACKAGE_FOLDER, _files_of_modules
from logzoo.kernels import cache
from replication import compiling
from replication.artifacts import PACKAGES

# Prints whether the kernel had to be compiled.
SCRIPT = """
import logzoo, numpy
from logzoo.kernels.elementary import exponentiate
assert logzoo.__file__.startswith({folder!r})
exponentiate(numpy.zeros(2))
print(bool(exponentiate.stats.cache_misses))
"""


def compiles(folder, home):
    """Whether a copy of the package compiles a kernel, with the caches of all copies in one folder."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "XDG_CACHE_HOME": str(home), "HOME": str(home)}
    environment.pop("NUMBA_CACHE_DIR", None)
    command = [sys.executable, "-c", SCRIPT.format(folder=str(folder))]
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return {"True": True, "False": False}[result.stdout.strip()]


def test_kernels_are_compiled_once_for_every_state_of_their_sources(tmp_path):
    first, copy, edited = (tmp_path / name for name in ("first", "copy", "edited"))
    for folder in (first, copy, edited):
        shutil.copytree(PACKAGE_FOLDER, folder / "logzoo", ignore=shutil.ignore_patterns("__pycache__"))
    with (edited / "logzoo/kernels/gibbs.py").open("a") as file:
        file.write("\n# edited\n")
    assert [compiles(folder, tmp_path / "home") for folder in (first, copy, edited)] == [True, False, True]


def test_each_kind_of_processor_has_a_folder_of_its_own(tmp_path):
    command, folders = [sys.executable, "-c", "from logzoo.kernels import cache; print(cache.folder())"], set()
    for name in ("haswell", "skylake-avx512"):
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_CPU_NAME": name}
        folders.add(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip())
    # Both are in the folder that the user names.
    assert len(folders) == 2 and {os.path.dirname(folder) for folder in folders} == {str(tmp_path)}


_IMPORT = """
import os, sys
before, modules = dict(os.environ), set(sys.modules)
import logzoo
assert dict(os.environ) == before and "numba" not in sys.modules and "numpy" not in sys.modules
assert set(dir(logzoo)) >= {"RBM", "estimate_log_z", "exact_log_z"}
"""
_USE = """
import numba, numpy, os
mine = numba.config.CACHE_DIR
before = dict(os.environ)
from logzoo import RBM, exact_log_z
exact_log_z(RBM([[1.0]], [0.0], [0.0]))
assert numba.config.CACHE_DIR == mine and dict(os.environ) == before
"""


@pytest.mark.parametrize("code", [_IMPORT, _USE], ids=["import", "use"])
def test_importing_changes_no_variable_no_setting_and_creates_nothing_elsewhere(tmp_path, code):
    home = tmp_path / "home"
    home.mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "NUMBA_"))}
    environment |= {"HOME": str(home), "TMPDIR": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
    if code != _IMPORT:  # a used kernel writes its machine code into the cache
        environment["NUMBA_CACHE_DIR"] = str(next(cache.bases()))
    subprocess.run([sys.executable, "-c", code], cwd=home, env=environment, check=True)
    assert list(home.rglob("*")) == []


def test_types_of_public_names_are_those_of_the_package():
    stub = (PACKAGE_FOLDER / "__init__.pyi").read_text()
    for name, module in logzoo._PUBLIC.items():
        assert f"from {module} import {name} as {name}\n" in stub
    assert stub.count("import") == len(logzoo._PUBLIC) and sorted(logzoo._PUBLIC) == logzoo.__all__


@pytest.mark.parametrize("cores", [1, 8])
def test_kernels_are_compiled_before_a_run_until_that_ended_well(cores, tmp_path, monkeypatch, capsys):
    started, codes = [], [1, 0]

    def run(command):
        started.append(command[-1])
        return SimpleNamespace(returncode=codes.pop(0))

    monkeypatch.setattr(compiling.subprocess, "run", run)
    monkeypatch.setattr(compiling.cache, "folder", lambda: tmp_path)
    for _ in range(3):
        compiling.compile_kernels(cores)
    assert started == [str(min(cores, 2))] * 2
    assert "compiling kernels" in capsys.readouterr().err


def test_standard_error_may_lack_isatty(monkeypatch):
    monkeypatch.setattr(cache.sys, "stderr", SimpleNamespace(write=str))
    cache.announce_compilation.__wrapped__()


def files_with_kernels():
    """The files of both packages that compile kernels, by the names of their modules."""
    files = _files_of_modules(PACKAGES)
    decorated = re.compile(r"^from logzoo\.kernels\.cache import .*\b(kernel|part)\b", re.MULTILINE)
    return {name: path for name, path in files.items() if decorated.search(Path(path).read_text())}


def parts_by_name():
    modules = map(import_module, files_with_kernels())
    return {name: value for module in modules for name, value in vars(module).items() if is_part(value)}


def test_only_kernels_call_parts():
    """Other modules import no part of a kernel, because a call from Python would crash."""
    parts, compiled = set(parts_by_name()), files_with_kernels()
    assert len(parts) > 50
    for name, path in _files_of_modules(PACKAGES).items():
        if name not in compiled and not name.startswith("logzoo.kernels"):
            imports = [node for node in ast.walk(ast.parse(Path(path).read_text())) if isinstance(node, ast.ImportFrom)]
            names = {f"{node.module}.{alias.name}" for node in imports for alias in node.names}
            # Other modules import functions by name, not modules of kernels, so that each import shows here.
            assert not names & compiled.keys(), path
            of_kernels = [node for node in imports if node.module in compiled]
            assert not parts & {alias.name for node in of_kernels for alias in node.names}, path


def test_kernels_call_kernels_of_the_digest_or_of_their_own_file():
    """numba compiles a kernel again if its own file changed, and the name of the cache covers `logzoo.kernels`."""
    for name in files_with_kernels():
        others = direct_imports(name, PACKAGES)
        assert all(other.startswith("logzoo.kernels.") for other in others), (name, others)


def test_parts_return_numbers():
    """numba counts no references in parts, so that an array that a part returns would be freed too early."""
    number = r"(int|float|bool|(np|numpy)\.\w+)"
    allowed = re.compile(rf"None|{number}|tuple\[{number}(, {number})*\]")
    for name, part in parts_by_name().items():
        returned = part.py_func.__annotations__["return"]
        assert allowed.fullmatch(returned if isinstance(returned, str) else inspect.formatannotation(returned)), name


_ALLOCATIONS = """
import numpy
from numba import njit
from numba.core.runtime import rtsys
from logzoo import RBM, estimate_log_z
from logzoo.kernels.cache import kernel, part
from replication.compiling import estimate_by_all, train_by_all

estimate_by_all()
train_by_all()
rng = numpy.random.default_rng(0)
rbm = RBM(rng.normal(size=(20, 12)), rng.normal(size=20), rng.normal(size=12))
estimate_log_z(rbm, "rts", sweeps=400, chains=20)  # with its evidence

@kernel
def fresh(size):
    return numpy.zeros(size)

@part
def lose(size: int) -> float:
    return fresh(size)[0]

@njit
def lose_one(size):
    return lose(size)

for use in (lambda: None, lambda: lose_one(3)):
    use()
    counts = rtsys.get_allocation_stats()
    print(counts.mi_alloc > 1000, counts.mi_alloc - counts.mi_free)
"""


def test_kernels_free_every_array_once(tmp_path):
    script = tmp_path / "allocations.py"  # numba caches only functions of files
    script.write_text(_ALLOCATIONS)
    environment = {**os.environ, "NUMBA_NRT_STATS": "1"}
    command = [sys.executable, script]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == ["True", "0", "True", "1"]
