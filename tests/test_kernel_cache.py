"""Compiled kernels are kept for as long as their sources are the same, wherever the package lies."""

import os
import shutil
import subprocess
import sys

import pytest

from logzoo.artifacts.provenance import PACKAGE_FOLDER
from logzoo.pipeline import compiling

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


@pytest.fixture
def copies(tmp_path):
    """Three folders with a copy of the package each."""
    folders = [tmp_path / name for name in ("one", "two", "three")]
    for folder in folders:
        shutil.copytree(PACKAGE_FOLDER, folder / "logzoo", ignore=shutil.ignore_patterns("__pycache__"))
    return folders


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_kernels_are_compiled_once_for_every_state_of_their_sources(copies, tmp_path):
    one, two, edited = copies
    with (edited / "logzoo/kernels/gibbs.py").open("a") as file:
        file.write("\n# edited\n")
    home = tmp_path / "home"
    assert [compiles(folder, home) for folder in (one, one, two, edited, edited)] == [True, False, False, True, False]


def test_each_kind_of_processor_has_a_folder_of_its_own(tmp_path):
    folders = set()
    for name in ("haswell", "haswell", "skylake-avx512"):
        environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "NUMBA_CPU_NAME": name}
        environment.pop("NUMBA_CACHE_DIR", None)
        command = [sys.executable, "-c", "import logzoo, os; print(os.environ['NUMBA_CACHE_DIR'])"]
        result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        folders.add(result.stdout)
    assert len(folders) == 2


def cache_of(code="", **variables):
    """The folder for machine code in a process with these variables, None to be without."""
    environment = {**os.environ, **variables}
    environment = {name: value for name, value in environment.items() if value is not None}
    command = [sys.executable, "-c", f"{code}\nimport logzoo, os; print(os.environ['NUMBA_CACHE_DIR'])"]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return result.stdout.strip()


def test_the_folder_that_a_user_names_is_used(tmp_path):
    first = cache_of(NUMBA_CACHE_DIR=str(tmp_path / "named"))
    assert os.path.dirname(first) == str(tmp_path / "named")
    # A process that this one starts finds the same.
    assert cache_of(NUMBA_CACHE_DIR=first) == first


@pytest.mark.skipif(os.name != "posix", reason="homes are told otherwise there")
def test_without_a_home_the_folder_is_our_own_in_that_of_temporary_files(tmp_path):
    homeless = "import platformdirs\ndef none(*_): raise RuntimeError('no home')\nplatformdirs.user_cache_path = none"
    folder = tmp_path / f"logzoo-{os.getuid()}"
    found = cache_of(homeless, NUMBA_CACHE_DIR=None, TMPDIR=str(tmp_path))
    assert os.path.dirname(found) == str(folder) and folder.stat().st_mode & 0o777 == 0o700
    # Others could put machine code there.
    folder.chmod(0o777)
    with pytest.raises(subprocess.CalledProcessError) as refused:
        cache_of(homeless, NUMBA_CACHE_DIR=None, TMPDIR=str(tmp_path))
    assert "KeyError" in refused.value.stderr


class Process:
    """What `subprocess.Popen` would start: it ends with a code."""

    def __init__(self, code):
        self.code = code

    def wait(self):
        return self.code


@pytest.mark.parametrize(("cores", "codes", "marked"), [(1, [0], True), (8, [0, 0], True), (2, [0, 1], False)])
def test_kernels_are_compiled_before_a_run_until_that_ended_well(cores, codes, marked, tmp_path, monkeypatch, capsys):
    started, left = [], list(codes)

    def start(command):
        started.append(command[-1])
        return Process(left.pop(0))

    monkeypatch.setattr(compiling.subprocess, "Popen", start)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    compiling.compile_kernels(cores)
    assert sorted(",".join(started).split(",")) == ["estimators", "trainers"] and len(started) == len(codes)
    assert "about a minute" in capsys.readouterr().err
    left += codes
    compiling.compile_kernels(cores)
    assert len(started) == (1 if marked else 2) * len(codes)
