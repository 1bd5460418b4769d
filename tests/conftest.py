"""The order of the tests, their share of the machine, and the browser that they share."""

import os

# A worker has one core: threads of BLAS, two and more in each, would wait for each other. Before NumPy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from browser import Browser, find_chromium


def pytest_configure(config):
    """Compile the kernels before the workers start that would each compile them, where all tests were asked for."""
    if not hasattr(config, "workerinput") and config.args_source == pytest.Config.ArgsSource.TESTPATHS:
        from replication.compiling import compile_kernels

        compile_kernels(os.cpu_count())


def pytest_collection_modifyitems(items):
    """Start with the workflow, which takes longest, so that another worker does all the rest beside it."""
    items.sort(key=lambda item: item.module.__name__ != "test_workflow")


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    program = find_chromium()
    if program is None:
        pytest.skip("no Chromium on this machine")
    with Browser(program, tmp_path_factory.mktemp("profile")) as one:
        yield one
