"""Ledgers refuse to overspend, and samplers charge the sweeps that they make; streams are named by their paths."""

import inspect
from importlib import import_module

import numpy as np
import pytest
from twins import normal_rbm

from logzoo.budgets import BudgetExceeded, SweepLedger
from logzoo.estimators.estimator_registry import ESTIMATORS, estimator, takes
from logzoo.io.provenance import PACKAGE_FOLDER
from logzoo.paths import kernel_parameters
from logzoo.samplers.replicas import InfiniteSwapping, ParallelTempering
from logzoo.samplers.tempering_chains import SimulatedTempering
from logzoo.streams import Stream, root_stream

CHAINS = 20


def of_range(arguments):
    return (arguments["last"] - arguments["first"]) * len(arguments["chains"].v)


def of_annealing(arguments):
    """Chain-sweeps of annealing; the step to the last rung makes no sweep."""
    steps = np.arange(arguments["first"], arguments["last"])
    return np.count_nonzero(steps != arguments["betas"].size - 1) * len(arguments["chains"].v)


def of_waste_free(arguments):
    """Chain-sweeps of waste-free annealing: a weighted chain makes a sweep for each state after its first."""
    states, chains = len(arguments["chains"].v), arguments["log_weight"].size
    return of_annealing(arguments) * (states - chains) // states


# Chain-sweeps of one call of every kernel that makes any, from its arguments.
KERNELS = {
    "run_annealing": of_annealing,
    "run_reverse_annealing": of_range,
    "run_centred_annealing": of_annealing,
    "run_resampled": of_annealing,
    "run_waste_free": of_waste_free,
    "run_between": lambda arguments: (arguments["shares"].size - 2) * len(arguments["chains"].v),
    "run_sweeps": of_range,
    "run_simulated_tempering": of_range,
    "run_adjusted": lambda arguments: (arguments["record"].rungs.shape[1] - 1) * len(arguments["chains"].v),
    "run_parallel_tempering": of_range,
    "run_trajectory": lambda values: values["chains"].number.size * len(values["steps_up"]) * values["sweeps"],
    "run_infinite_swapping": of_range,
    # A hidden state drawn, and its log f, cost no more than a sweep.
    "add_hidden_draws": lambda arguments: len(arguments["chains"].number),
}


def counting(kernel, chain_sweeps, counts):
    signature = inspect.signature(kernel.py_func)

    def counted(*arguments):
        counts.append(chain_sweeps(signature.bind(*arguments).arguments))
        return kernel(*arguments)

    return counted


def counting_tours(kernel, counts):
    def counted(*arguments):
        tours, rows = arguments[3], arguments[4]
        before = tours.length[rows].sum()
        kernel(*arguments)
        counts.append(tours.length[rows].sum() - before)

    return counted


def counting_steps(search, counts):
    """A step of a start of the search for modes is charged as a sweep of one chain."""

    def counted(*arguments, **options):
        modes = search(*arguments, **options)
        counts.append(modes.steps)
        return modes

    return counted


@pytest.fixture
def counts(monkeypatch):
    """Chain-sweeps of each call of a kernel from the samplers."""
    counts = []
    for file in sorted((PACKAGE_FOLDER / "samplers").glob("*.py")):
        module = import_module(f"logzoo.samplers.{file.stem}")
        for name in KERNELS.keys() & vars(module).keys():
            monkeypatch.setattr(module, name, counting(getattr(module, name), KERNELS[name], counts))
        if "find_modes" in vars(module):
            monkeypatch.setattr(module, "find_modes", counting_steps(module.find_modes, counts))
        if hasattr(module, "run_tours"):
            monkeypatch.setattr(module, "run_tours", counting_tours(module.run_tours, counts))
    return counts


SMALL = normal_rbm(5, 9, 6, 0.7)


@pytest.mark.parametrize("method", sorted(ESTIMATORS))
@pytest.mark.parametrize("sweeps", [3, 700])
def test_every_sweep_that_is_made_is_paid_for_and_every_sweep_that_is_paid_for_is_made(method, sweeps, counts):
    options = {"data": np.eye(4, 9, dtype=np.uint8)} if takes(method, "data") else {}
    ledger = SweepLedger(sweeps, CHAINS)
    estimator(method)(SMALL, ledger, root_stream(1).child(method), options)
    left_over = ledger.by_purpose.pop("left over", 0)
    assert sum(counts) == ledger.chain_sweeps > 0
    assert sum(counts) + left_over > CHAINS * (sweeps - 1)


PARAMETERS = kernel_parameters(SMALL, np.zeros(9))


def simulated_tempering(ledger):
    sampler = SimulatedTempering(PARAMETERS, np.linspace(0.0, 1.0, 4), ledger, root_stream(2), "marginal", 1)
    return sampler, lambda sweeps: sampler.advance(np.zeros(4), sweeps, "sampling")


def parallel_tempering(ledger):
    sampler = ParallelTempering(root_stream(2).key, 2, np.linspace(0.0, 1.0, 10), ledger=ledger)
    sampler.load(PARAMETERS)
    return sampler, lambda sweeps: sampler.move(1, 1 + sweeps)


def infinite_swapping(ledger):
    sampler = InfiniteSwapping(root_stream(2).key, 5, [1.0, 1.5, 2.0, 3.0])
    sampler.ledger = ledger
    sampler.load(PARAMETERS)
    return sampler, lambda sweeps: sampler.move(1, 1 + sweeps)


@pytest.mark.parametrize("sampler_of", [simulated_tempering, parallel_tempering, infinite_swapping])
def test_a_sampler_makes_no_sweep_that_its_ledger_cannot_pay(sampler_of, counts):
    ledger = SweepLedger(10, CHAINS)
    sampler, move = sampler_of(ledger)
    states = sampler.chains.v.copy()
    with pytest.raises(BudgetExceeded):
        move(11)
    np.testing.assert_array_equal(sampler.chains.v, states)
    assert ledger.spent == sum(counts) == 0
    move(10)
    assert not np.array_equal(sampler.chains.v, states)
    assert ledger.chain_sweeps == sum(counts) == 10 * CHAINS


def test_overspending_is_refused_before_anything_is_entered():
    ledger = SweepLedger(10, 4)
    ledger.spend(7, "sampling")
    before = dict(ledger.by_purpose)
    for sweeps, chains in ((4, None), (13, 1), (10_000, None)):
        with pytest.raises(BudgetExceeded, match=rf"more: {sweeps} sweeps .*10 sweeps of 4 chains, 7 spent") as caught:
            ledger.spend(sweeps, "more", chains=chains)
        assert isinstance(caught.value, ValueError) and "\n" not in str(caught.value)
    assert ledger.by_purpose == before and ledger.remaining == 3
    # A ledger without a limit counts as well.
    ledger = SweepLedger(None, CHAINS)
    assert ledger.spend(10**12, "training") == ledger.spent == 10**12
    assert ledger.chain_sweeps == 10**12 * CHAINS


def test_sweeps_of_some_chains_count_as_their_share_rounded_up():
    ledger = SweepLedger(10, 4)
    assert ledger.spend(2, "reverse", chains=1) == 2
    assert (ledger.spent, ledger.remaining) == (1, 9)
    ledger.spend(3, "reverse", chains=2)
    assert ledger.by_purpose == {"reverse": 8}
    assert (ledger.spent, ledger.remaining) == (2, 8)
    ledger.spend(1, "one more", chains=1)
    assert (ledger.spent, ledger.remaining) == (3, 7)
    with pytest.raises(BudgetExceeded):
        ledger.spend(8, "all")
    # More chains than the ledger's own are allowed while the total fits.
    ledger.spend(3, "many", chains=10)
    assert ledger.spent == 10


def test_impossible_budgets_are_refused():
    for sweeps, chains, match in ((0, 1, "sweeps"), (1.5, 1, "sweeps"), (True, 1, "sweeps"), (1, 0, "chains")):
        with pytest.raises(ValueError, match=f"{match}: expected a whole number"):
            SweepLedger(sweeps, chains)


def test_paths_name_distinct_streams():
    root = root_stream(0)
    paths = [root, root_stream(1), *(root.child(*names) for names in (("a", "bc"), ("ab", "c"), ("abc",), ("a/bc",)))]
    assert len({stream.key for stream in paths}) == len(paths)
    assert len({stream.generator().integers(1 << 62) for stream in paths}) == len(paths)
    # Children of children have the same streams as children of both names.
    assert root_stream(7).child("rts").child(10) == root_stream("7").child("rts", "10")
    assert str(root_stream(7).child("rts", 10)) == "7/rts/10"


def test_keys_never_change_between_releases():
    key = root_stream(0).child("rts", "sweeps").key
    assert isinstance(key, np.uint64) and key == 0xFF65EC17615D1143
    assert Stream(("0",)).key == 0xFC7BD5623B5F68A6


def test_the_generator_does_not_follow_from_the_key():
    stream = root_stream(0).child("bootstrap")
    first = stream.generator().integers(1 << 62, size=4)
    from_key = np.random.Generator(np.random.Philox(key=int(stream.key))).integers(1 << 62, size=4)
    assert not np.array_equal(first, from_key)
    assert first[0] == 2385803194703016097
