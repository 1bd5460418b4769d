"""The ledger refuses to overspend; random streams are named by their paths."""

import numpy as np
import pytest

from logzoo.budgets import BudgetExceeded, SweepLedger
from logzoo.streams import Stream, root_stream


def test_spending_is_counted_by_purpose():
    ledger = SweepLedger(10, 4)
    assert (ledger.spent, ledger.remaining, ledger.by_purpose) == (0, 10, {})
    assert ledger.spend(3, "burn-in") == 3
    ledger.spend(2, "burn-in")
    ledger.spend(4, "sampling")
    assert ledger.by_purpose == {"burn-in": 20, "sampling": 16}
    assert (ledger.spent, ledger.remaining) == (9, 1)
    assert ledger.spend(1, "sampling") == 1
    assert ledger.remaining == 0
    assert ledger.spend(0, "nothing") == 0


def test_overspending_is_refused_before_anything_is_entered():
    ledger = SweepLedger(10, 4)
    ledger.spend(7, "sampling")
    before = dict(ledger.by_purpose)
    for sweeps, chains in ((4, None), (13, 1), (10_000, None)):
        with pytest.raises(BudgetExceeded, match=rf"more: {sweeps} sweeps .*10 sweeps of 4 chains, 7 spent") as caught:
            ledger.spend(sweeps, "more", chains=chains)
        assert isinstance(caught.value, ValueError)
        assert "\n" not in str(caught.value)
    assert ledger.by_purpose == before
    assert ledger.remaining == 3


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


@pytest.mark.parametrize(
    ("sweeps", "chains", "match"),
    [
        (0, 1, "sweeps"),
        (-5, 1, "sweeps"),
        (1.5, 1, "sweeps"),
        (True, 1, "sweeps"),
        (1, 0, "chains"),
        (1, None, "chains"),
    ],
)
def test_impossible_budgets_are_refused(sweeps, chains, match):
    with pytest.raises(ValueError, match=f"{match}: expected a whole number"):
        SweepLedger(sweeps, chains)


def test_impossible_spending_is_refused():
    ledger = SweepLedger(10, 4)
    for sweeps, chains in ((-1, None), (1.5, None), (1, -3), (1, 0)):
        with pytest.raises(ValueError, match="expected a whole number"):
            ledger.spend(sweeps, "x", chains=chains)
    assert ledger.by_purpose == {}


def test_whole_numbers_of_numpy_are_whole_numbers():
    ledger = SweepLedger(np.int64(10), np.int32(2))
    ledger.spend(np.int64(4), "x")
    assert ledger.by_purpose == {"x": 8}


def test_paths_name_distinct_streams():
    root = root_stream(0)
    paths = [
        root,
        root_stream(1),
        root_stream("1/2"),
        root.child("a", "bc"),
        root.child("ab", "c"),
        root.child("abc"),
        root.child("a/bc"),
        root.child("a", "bc", ""),
        root.child("rts", 10),
        root.child("rts", 1, 0),
        root.child("1:a"),
    ]
    assert len({stream.key for stream in paths}) == len(paths)
    assert len({stream.generator().integers(1 << 62) for stream in paths}) == len(paths)


def test_a_child_of_a_child_is_the_child_of_both_names():
    assert root_stream(7).child("rts").child(10) == root_stream("7").child("rts", "10")
    assert str(root_stream(7).child("rts", 10)) == "7/rts/10"


def test_keys_never_change_between_releases():
    key = root_stream(0).child("rts", "sweeps").key
    assert isinstance(key, np.uint64)
    assert key == np.uint64(0xFF65EC17615D1143)
    assert Stream(("0",)).key == np.uint64(0xFC7BD5623B5F68A6)


def test_the_generator_repeats_itself_and_does_not_follow_from_the_key():
    stream = root_stream(0).child("bootstrap")
    first = stream.generator().integers(1 << 62, size=4)
    np.testing.assert_array_equal(first, stream.generator().integers(1 << 62, size=4))
    from_key = np.random.Generator(np.random.Philox(key=int(stream.key))).integers(1 << 62, size=4)
    assert not np.array_equal(first, from_key)
    assert first[0] == 2385803194703016097
