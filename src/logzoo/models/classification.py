"""Classification by a joint RBM: the last visible units are a one-hot label, the other visible units are the input."""

from typing import NamedTuple

import numpy as np

from logzoo.checks import binary_matrix, whole_number
from logzoo.models.rbm import RBM
from logzoo.types import ArrayLike, Floats

# Numbers (examples x labels x hidden units) per block: few enough to stay in the processor's cache.
_TOGETHER = 1 << 18
# Number of factors, at most 2 each, that are multiplied before a logarithm: their product does not overflow float64.
_FACTORS = 1000


class PredictionAccuracy(NamedTuple):
    """Accuracy of the labels that an RBM predicts."""

    total: float  # A: sum of log p(label | input), nats
    mean: float  # A divided by the number of examples
    right: float  # share of examples whose true label is the most probable label


def label_log_probabilities(rbm: RBM, v: ArrayLike, labels: int) -> Floats:
    """log p(label | input) in nats of every label: array (examples, labels), float64.

    v: inputs (examples, rbm.visible - labels) of zeros and ones; the last `labels` visible units of `rbm` are the
    label. The result is exact and does not need Z: hidden units are summed out, and the sum over labels is explicit.
    Cost: examples x labels x hidden exponentials; working memory does not grow with the examples.
    Hult et al. (2019), section 4.1. Raises ValueError for other values, shapes and numbers of labels.
    """
    inputs = _inputs(rbm, labels)
    v = binary_matrix("v", v, visible=inputs)
    weights, biases = rbm.weights[inputs:], rbm.visible_bias[inputs:]
    log_p = np.empty((len(v), len(biases)))
    rows = max(1, _TOGETHER // weights.size)
    for start in range(0, len(v), rows):
        # The term c.v is equal for all labels and cancels.
        hidden_input = v[start : start + rows] @ rbm.weights[:inputs] + rbm.hidden_bias
        log_f = biases + _sum_softplus(hidden_input[:, None, :] + weights)
        log_p[start : start + rows] = log_f - np.logaddexp.reduce(log_f, axis=1)[:, None]
    return log_p


def prediction_accuracy(rbm: RBM, examples: ArrayLike, labels: int) -> PredictionAccuracy:
    """Return the `PredictionAccuracy` of the labels that `rbm` predicts for labelled examples.

    examples: a 0/1 matrix (examples, visible), as of a data set with `label_units`. A is from Hult et al. (2019),
    section 4.1. Raises ValueError as `label_log_probabilities` does, and for rows without exactly one label.
    """
    inputs = _inputs(rbm, labels)
    examples = binary_matrix("examples", examples, visible=rbm.visible)
    counts = examples[:, inputs:].sum(axis=1)
    if (counts != 1).any():
        row = np.flatnonzero(counts != 1)[0]
        expected = f"exactly one 1 among the last {labels} values of each row"
        raise ValueError(f"examples: expected {expected}, found {counts[row]} in row {row}")
    labels_of = examples[:, inputs:].argmax(axis=1)
    log_p = label_log_probabilities(rbm, examples[:, :inputs], labels)
    log_p_of_label = log_p[np.arange(len(labels_of)), labels_of]
    right = log_p.argmax(axis=1) == labels_of
    return PredictionAccuracy(float(log_p_of_label.sum()), float(log_p_of_label.mean()), float(right.mean()))


def _inputs(rbm, labels):
    """Number of visible units that are not the label."""
    labels = whole_number("labels", labels, minimum=2)
    if labels >= rbm.visible:
        raise ValueError(f"labels: expected fewer than the {rbm.visible} visible units, found {labels}")
    return rbm.visible - labels


def _sum_softplus(x):
    """sum_j log(1 + exp(x_j)) over the last axis, with one logarithm per product of many factors 1 + exp(-|x_j|)."""
    total = np.maximum(x, 0.0).sum(axis=-1)
    factors = 1.0 + np.exp(-np.abs(x))
    for start in range(0, x.shape[-1], _FACTORS):
        total += np.log(factors[..., start : start + _FACTORS].prod(axis=-1))
    return total
