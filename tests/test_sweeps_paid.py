"""Samplers pay for the sweeps that they make: the kernels made as many as are in the ledger, for every estimator."""

import ast
import inspect
from importlib import import_module

import numpy as np
import pytest

from logzoo.artifacts.provenance import PACKAGE_FOLDER
from logzoo.budgets import SweepLedger
from logzoo.estimators.registry import ESTIMATORS, estimator, starts_from_data
from logzoo.models.rbm import RBM
from logzoo.streams import root_stream

CHAINS = 20


def of_range(arguments):
    return (arguments["last"] - arguments["first"]) * len(arguments["chains"].v)


def of_annealing(arguments):
    """The step to the last rung only weighs."""
    steps = np.arange(arguments["first"], arguments["last"])
    return np.count_nonzero(steps != arguments["betas"].size - 1) * len(arguments["chains"].v)


# Chain-sweeps of one call of every kernel that makes any, from its arguments.
KERNELS = {
    "run_annealing": of_annealing,
    "run_reverse_annealing": of_range,
    "run_between": lambda arguments: (arguments["shares"].size - 2) * len(arguments["chains"].v),
    "run_sweeps": of_range,
    "run_simulated_tempering": of_range,
    "run_parallel_tempering": of_range,
    # A hidden state drawn, and its log f, cost no more than a sweep.
    "add_hidden_draws": lambda arguments: len(arguments["chains"].number),
}


def counting(kernel, chain_sweeps, made):
    signature = inspect.signature(kernel.py_func)

    def counted(*arguments):
        made.append(chain_sweeps(signature.bind(*arguments).arguments))
        return kernel(*arguments)

    return counted


def counting_tours(kernel, made):
    def counted(*arguments):
        tours, rows = arguments[3], arguments[4]
        before = tours.length[rows].sum()
        kernel(*arguments)
        made.append(tours.length[rows].sum() - before)

    return counted


@pytest.fixture
def made(monkeypatch):
    """Chain-sweeps of each call of a kernel from the samplers."""
    made = []
    for file in sorted((PACKAGE_FOLDER / "samplers").glob("*.py")):
        module = import_module(f"logzoo.samplers.{file.stem}")
        for name in KERNELS.keys() & vars(module).keys():
            monkeypatch.setattr(module, name, counting(getattr(module, name), KERNELS[name], made))
        if hasattr(module, "run_tours"):
            monkeypatch.setattr(module, "run_tours", counting_tours(module.run_tours, made))
    return made


@pytest.mark.parametrize("method", sorted(ESTIMATORS))
@pytest.mark.parametrize("sweeps", [3, 400, 1100])
def test_every_sweep_that_is_made_is_paid_for_and_every_sweep_that_is_paid_for_is_made(method, sweeps, made):
    generator = np.random.default_rng(5)
    rbm = RBM(*(generator.normal(0.0, 0.7, shape) for shape in ((9, 6), 9, 6)))
    options = {"data": np.eye(4, 9, dtype=np.uint8)} if starts_from_data(method) else {}
    ledger = SweepLedger(sweeps, CHAINS)
    estimator(method)(rbm, ledger, root_stream(1).child(method), options)
    left_over = ledger.by_purpose.pop("left over", 0)
    assert sum(made) == sum(ledger.by_purpose.values()) > 0
    assert sum(made) + left_over > CHAINS * (sweeps - 1)


def test_estimators_enter_nothing_in_a_ledger_themselves():
    for file in (PACKAGE_FOLDER / "estimators").glob("*.py"):
        calls = [node.func for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)]
        assert not [call for call in calls if isinstance(call, ast.Attribute) and call.attr == "spend"], file.name
