"""The order of the tests, their share of the machine, and the browser that they share."""

import os
import shutil
from pathlib import Path

# A worker has one core, on which several threads of BLAS would wait for each other. NumPy reads this when imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from browser import Browser, find_chromium


def pytest_configure(config):
    """If all tests are to run, compile the kernels before the workers start, which would each compile them."""
    if not hasattr(config, "workerinput") and config.args_source == pytest.Config.ArgsSource.TESTPATHS:
        from replication.compiling import compile_kernels

        compile_kernels(os.cpu_count())


def pytest_collection_modifyitems(items):
    """Run the workflow tests first: they take longest, and another worker runs all other tests meanwhile."""
    items.sort(key=lambda item: item.module.__name__ != "test_workflow")


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    if (program := find_chromium()) is None:
        pytest.skip("no Chromium on this machine")
    with Browser(program, tmp_path_factory.mktemp("profile")) as one:
        yield one


@pytest.fixture(scope="session")
def pristine(tmp_path_factory):
    """A small tree of a finished run, which no test may change."""
    from trees import Tree

    return Tree(tmp_path_factory.mktemp("pristine") / "tree").write()


@pytest.fixture
def tree(pristine, tmp_path):
    return Path(shutil.copytree(pristine, tmp_path / "tree"))
