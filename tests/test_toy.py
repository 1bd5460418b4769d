"""Toy data: the worked example of Hult et al. (2019), section 4.3, and the chances of flips."""

import numpy as np
import pytest

from logzoo.datasets.toy import mode_codes, noisy_copies, read_toy

OPTIONS = {"modes": 8, "copies": 5, "samples": {"train": 400, "validation": 40, "test": 20}, "flip": 0.2, "seed": 3}
# Section 4.3, (modes, copies, samples) = (4, 2, 2): steps 2 to 6.
STEP_2 = [[1, 1], [1, 0], [0, 1], [0, 0]]
STEP_3 = [[1, 1, 1, 1], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 0]]
STEP_5 = [list(map(int, bits)) for bits in ["1110", "1111", "1101", "1110", "0010", "0011", "0000", "1000"]]
# Bits that step 5 has flipped: (row, column).
FLIPPED = {(0, 3), (2, 3), (3, 2), (4, 3), (7, 0)}


class Script:
    """A bit generator that returns a list of words in order."""

    def __init__(self, words):
        self.words = np.asarray(words, np.uint64)

    def random_raw(self, count):
        words, self.words = self.words[:count], self.words[count:]
        return words


def philox(key):
    return np.random.Philox(key=key)


def test_worked_example_with_the_flips_of_the_paper():
    assert mode_codes(4, 1).tolist() == STEP_2 and mode_codes(4, 2).tolist() == STEP_3
    assert mode_codes(4, 2).dtype == np.uint8
    script = Script([0 if place in FLIPPED else 2**64 - 1 for place in np.ndindex(8, 4)])
    data, labels = noisy_copies(4, 2, 2, 0.2, script)
    assert data.tolist() == STEP_5
    assert labels.tolist() == [0, 0, 1, 1, 2, 2, 3, 3] and script.words.size == 0


def test_unequal_modes_have_so_many_times_as_many_examples():
    data, labels = noisy_copies(4, 8, 50, 0.1, philox(0), [3, 1, 1, 2])
    assert np.bincount(labels).tolist() == [150, 50, 50, 100] and data.shape == (350, 16)
    assert abs((data != mode_codes(4, 8)[labels]).mean() - 0.1) < 4 * 0.3 / np.sqrt(data.size)
    np.testing.assert_array_equal(noisy_copies(4, 8, 50, 0.1, philox(0))[0][:50], data[:50])


def test_a_bit_flips_exactly_below_its_probability():
    border = round(0.2 * 2**53) << 11
    data, _ = noisy_copies(2, 1, 2, 0.2, Script([border - 1, border, 2**64 - 1, 0]))
    assert data.ravel().tolist() == [0, 1, 0, 1]


def test_splits_have_every_mode_in_shuffled_order():
    splits = read_toy({}, OPTIONS)
    for split, samples in OPTIONS["samples"].items():
        data, labels = splits.data[split], splits.labels[split]
        assert data.shape == (8 * samples, 15) and data.dtype == np.uint8
        assert np.bincount(labels).tolist() == [samples] * 8
        assert (np.diff(labels) < 0).any()
        # Data and labels are shuffled together: each example is a noisy copy of the code of its mode.
        flips = data != mode_codes(8, 5)[labels]
        assert abs(flips.mean() - 0.2) < 4 * np.sqrt(0.2 * 0.8 / flips.size)


def test_another_seed_gives_other_examples():
    train = read_toy({}, OPTIONS).data["train"]
    assert not np.array_equal(train, read_toy({}, {**OPTIONS, "seed": 4}).data["train"])
    # A split does not depend on how many examples the others have.
    longer = {**OPTIONS, "samples": {**OPTIONS["samples"], "validation": 80}}
    np.testing.assert_array_equal(train, read_toy({}, longer).data["train"])


def test_arguments_that_make_no_sense_are_refused():
    for modes, flip, odds, message in (
        (6, 0.2, None, "modes: .*power of two, found 6"),
        (4, 0.1, [3, 1, 1], "odds: .*4 modes, found 3"),
    ):
        with pytest.raises(ValueError, match=rf"^{message}\Z"):
            noisy_copies(modes, 2, 2, flip, philox(0), odds)
