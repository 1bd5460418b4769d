"""Classification by joint RBMs, against enumeration."""

import numpy as np
import pytest
from twins import all_states, log_f_joint, logsumexp

from logzoo import RBM
from logzoo.models import classification
from logzoo.models.classification import label_log_probabilities, prediction_accuracy


def random_rbm(visible, hidden, scale, seed):
    generator = np.random.default_rng(seed)
    draw = generator.uniform if scale < 30 else lambda low, high, size: generator.choice([low, high], size)
    return RBM(draw(-scale, scale, (visible, hidden)), draw(-scale, scale, visible), draw(-scale, scale, hidden))


def random_inputs(examples, units, seed=0):
    return np.random.default_rng(seed).integers(0, 2, (examples, units)).astype(np.uint8)


def with_every_label(v, labels):
    """Each input with each label: (examples, labels, units)."""
    tables = [np.broadcast_to(part, (len(v), labels, part.shape[-1])) for part in (v[:, None, :], np.eye(labels))]
    return np.concatenate(tables, axis=2)


def by_enumeration(rbm, v, labels):
    """log p(label | input) by visiting every hidden state."""
    states = all_states(rbm.hidden)
    joint = with_every_label(v, labels)
    log_f = np.array([[logsumexp(log_f_joint(rbm, row[None], states)) for row in table] for table in joint])
    return log_f - np.array([[logsumexp(row)] for row in log_f])


@pytest.mark.parametrize("scale", [0.1, 5.0, 30.0])
def test_every_label_of_a_small_rbm_against_enumeration(scale):
    for seed in range(5):
        rbm = random_rbm(11, 7, scale, seed)
        v = random_inputs(12, 8, seed)
        result = label_log_probabilities(rbm, v, 3)
        np.testing.assert_allclose(result, by_enumeration(rbm, v, 3), rtol=1e-12, atol=1e-12)


def test_extreme_weights_neither_overflow_nor_hide_small_differences():
    weights = np.repeat([[30.0], [30.0], [1.0], [-1.0]], 700, axis=1)
    # At inputs near 60 softplus is linear, so the labels differ by 2 for each hidden unit;
    # without input by softplus(1) - softplus(-1) = 1.
    log_p = label_log_probabilities(RBM(weights, np.zeros(4), np.zeros(700)), np.array([[1, 1], [0, 0]]), 2)
    np.testing.assert_allclose(log_p[:, 1], [-1400.0, -700.0], rtol=1e-13)
    np.testing.assert_array_equal(log_p[:, 0], 0.0)
    log_p = label_log_probabilities(RBM(-weights, np.zeros(4), np.zeros(700)), [[1, 1]], 2)
    np.testing.assert_allclose(log_p[0], np.log(0.5), atol=1e-12)


def test_batches_do_not_show(monkeypatch):
    rbm, v = random_rbm(25, 30, 1.0, 0), random_inputs(50, 20)
    whole = label_log_probabilities(rbm, v, 5)
    for together in (1, 700, 150 * 7):
        monkeypatch.setattr(classification, "_TOGETHER", together)
        np.testing.assert_allclose(label_log_probabilities(rbm, v, 5), whole, rtol=1e-12, atol=1e-13)


def test_accuracy_is_the_sum_over_examples_of_their_own_label():
    rbm, v = random_rbm(15, 6, 1.0, 2), random_inputs(60, 10)
    labels = np.random.default_rng(1).integers(0, 5, 60)
    examples = np.hstack([v, np.eye(5, dtype=np.uint8)[labels]])
    accuracy = prediction_accuracy(rbm, examples, 5)
    expected = by_enumeration(rbm, v, 5)
    np.testing.assert_allclose(accuracy.total, sum(expected[row, label] for row, label in enumerate(labels)))
    np.testing.assert_allclose(accuracy.mean, accuracy.total / 60)
    assert accuracy.right == np.mean([expected[row].argmax() == label for row, label in enumerate(labels)])
    assert 0.0 < accuracy.right < 1.0


def test_bad_arguments_are_refused_in_one_line():
    for function, columns, labels, message in (
        (label_log_probabilities, 8, 3, "v: .*7 columns .*found 8"),
        (label_log_probabilities, 7, 10, "labels: .*fewer than the 10 .*found 10"),
        (prediction_accuracy, 10, 3, "examples: .*last 3 .*found 0 in row 0"),
    ):
        with pytest.raises(ValueError, match=rf"^{message}\Z"):
            function(random_rbm(10, 4, 1.0, 0), np.zeros((2, columns)), labels)
