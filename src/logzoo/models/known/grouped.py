"""RBMs of known log Z: groups of equal hidden units, blocks without weights between them, and small layers."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from scipy.linalg import block_diag
from scipy.special import logsumexp

from logzoo.checks import finite_array, positive_number, whole_number
from logzoo.models.rbm import RBM
from logzoo.types import ArrayLike, Floats, Generator

# Largest number of combinations of counts that are summed. Their terms take 67 MB, and the sum takes a minute or two at
# 784 visible units.
LARGEST_SUM = 1 << 23
# Numbers (combinations x visible units) per block: few enough to stay in the processor's cache.
_TOGETHER = 1 << 18


def grouped(
    columns: ArrayLike, sizes: Sequence[int], visible_bias: ArrayLike, group_bias: ArrayLike
) -> tuple[RBM, float]:
    """An RBM of groups of equal hidden units, and its log Z in nats: sizes[g] units have the weights columns[:, g].

    columns A (visible, group), sizes (group,), visible_bias c (visible,), group_bias b (group,).
    log Z = log sum over the counts n of prod_g C(size_g, n_g) exp(b_g n_g) prod_i (1 + exp(c_i + sum_g A_ig n_g)).
    Raises ValueError for bad arrays, shapes that do not match, and more than 2**23 combinations of counts.
    """
    log_z = float(logsumexp(log_terms(columns, sizes, visible_bias, group_bias)))
    return RBM(np.repeat(columns, sizes, axis=1), visible_bias, np.repeat(group_bias, sizes)), log_z


def log_terms(columns: ArrayLike, sizes: Sequence[int], visible_bias: ArrayLike, group_bias: ArrayLike) -> Floats:
    """Logarithms, in nats, of the terms of the sum in `grouped`: an array with size_g + 1 entries along axis g."""
    columns = finite_array("columns", columns, dimensions=2)
    sizes = [whole_number("sizes", size) for size in sizes]
    visible_bias = finite_array("visible_bias", visible_bias, dimensions=1)
    group_bias = finite_array("group_bias", group_bias, dimensions=1)
    if columns.shape != (visible_bias.size, len(sizes)) or group_bias.size != len(sizes):
        raise ValueError(
            f"columns: expected {visible_bias.size} rows, and {len(sizes)} columns and group biases to match the "
            f"sizes, found {columns.shape} and {group_bias.size}"
        )
    shape = tuple(size + 1 for size in sizes)
    combinations = np.prod(shape, dtype=float)
    if combinations > LARGEST_SUM:
        raise ValueError(f"sizes: {combinations:.2g} combinations of counts; at most {LARGEST_SUM:,} are summed")
    # Visible units with the same row are summed once.
    rows, repeats = np.unique(np.column_stack([columns, visible_bias]), axis=0, return_counts=True)
    terms = np.empty(int(combinations))
    together = max(1, _TOGETHER // len(rows))
    for start in range(0, terms.size, together):
        counts = np.column_stack(np.unravel_index(np.arange(start, min(start + together, terms.size)), shape))
        x = counts @ rows[:, :-1].T + rows[:, -1]
        softplus = np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))
        terms[start : start + together] = softplus @ repeats + counts @ group_bias
    terms = terms.reshape(shape)
    for group, size in enumerate(sizes):
        choices = np.append(0.0, np.cumsum(np.log(np.arange(size, 0, -1) / np.arange(1, size + 1))))
        terms += choices.reshape([-1 if axis == group else 1 for axis in range(len(sizes))])
    return terms


def bias_for_odds(terms: Floats, odds: float) -> float:
    """The bias to add to the hidden units of a single group so that at least half of them are on with these odds.

    terms (size + 1,): from `log_terms`. The log-odds rise with the bias, so bisection finds the bias to the last bit.
    """
    counts = np.arange(terms.size)
    most = 2 * counts >= counts[-1]
    log_odds = np.log(positive_number("odds", odds))

    def too_high(bias):
        tilted = terms + bias * counts
        return logsumexp(tilted[most]) - logsumexp(tilted[~most]) > log_odds

    high = 1.0
    while too_high(-high) or not too_high(high):
        high *= 2.0
    low, middle = -high, 0.0
    while low < middle < high:
        low, high = (low, middle) if too_high(middle) else (middle, high)
        middle = 0.5 * (low + high)
    return middle


def twins(
    generator: Generator, *, visible: int = 784, hidden: int = 500, strength: float = 4.0, odds: float = 1.0
) -> tuple[RBM, float]:
    """An RBM with one group of hidden units, and its log Z in nats.

    The RBM has two mirrored modes. In one mode most hidden units are on, and in the other most are off.

    Weights are 2 strength xi u / hidden, with random signs xi and u uniform on [0, 1]. The visible bias is minus half
    of the input from all hidden units. odds: odds that at least half of the hidden units are on.
    Raises ValueError for an impossible argument.
    """
    column = _column(generator, visible, hidden, strength)
    return _with_odds(column, hidden, -0.5 * hidden * column[:, 0], odds)


def wide_narrow(
    generator: Generator,
    *,
    visible: int = 784,
    hidden: int = 500,
    strength: float = 9.0,
    spread: float = 0.3,
    odds: float = 1.0,
) -> tuple[RBM, float]:
    """An RBM with a wide mode (few hidden units on) and a narrow mode, and its log Z in nats.

    The hidden units form one group. Weights are as in `twins`; the visible bias is N(0, spread^2). odds: odds of the
    wide mode against the narrow mode. On the path from the RBM's marginals, with the default options, the narrow mode
    holds 0.99 of the mass at beta = 0.98. Raises ValueError for an impossible argument.
    """
    column = _column(generator, visible, hidden, strength)
    visible_bias = positive_number("spread", spread) * generator.standard_normal(len(column))
    return _with_odds(column, hidden, visible_bias, 1.0 / positive_number("odds", odds))


def hopfield(
    generator: Generator, *, visible: int = 784, hidden: int = 500, patterns: int = 2, strength: float = 2.0
) -> tuple[RBM, float]:
    """An RBM that stores a few patterns of signs, and its log Z in nats.

    Each pattern has its own group of equal hidden units. hidden: number of hidden units; the sizes of the groups differ
    by at most one. A group that is all on adds strength times its pattern to the inputs of the visible units, and a
    group that is all off subtracts it. In spins 2 x - 1 the model has no field. Visible units are in random order. The
    numbers of visible units with each combination of signs differ by at most one. If 2^patterns divides the number of
    visible units, the patterns are orthogonal, and the 2^patterns modes are equally probable (Hopfield 1982; one
    pattern: Mattis 1976). Raises ValueError for an impossible argument.
    """
    # At least 2**patterns terms are summed.
    patterns = whole_number("patterns", patterns, maximum=LARGEST_SUM.bit_length() - 1)
    kinds = generator.permutation(np.arange(whole_number("visible", visible)) % 2**patterns)
    signs = 2.0 * (kinds[:, None] >> np.arange(patterns) & 1) - 1.0
    sizes = [len(part) for part in np.array_split(range(whole_number("hidden", hidden, minimum=patterns)), patterns)]
    columns = 2.0 * positive_number("strength", strength) * signs / sizes
    return grouped(columns, sizes, -0.5 * columns @ sizes, -0.5 * columns.sum(axis=0))


def _column(generator, visible, hidden, strength):
    """Weights (visible, 1) of random signs and sizes: all hidden units together add at most 2 strength to an input."""
    visible, hidden = whole_number("visible", visible), whole_number("hidden", hidden, minimum=2)
    signs = generator.choice([-1.0, 1.0], (visible, 1))
    return 2.0 * positive_number("strength", strength) * signs * generator.uniform(size=(visible, 1)) / hidden


def _with_odds(column, hidden, visible_bias, odds):
    """Call `grouped` with one group. Its bias is such that at least half of the units are on with these odds."""
    bias = bias_for_odds(log_terms(column, [hidden], visible_bias, [0.0]), odds)
    return grouped(column, [hidden], visible_bias, [bias])


# Largest number of units in the smaller layer of `random_small`. At 784 visible units its enumeration then takes 0.2 s.
LARGEST_LAYER = 20


def blocks(parts: Iterable[tuple[RBM, float]]) -> tuple[RBM, float]:
    """The RBM with the RBMs of `parts` as diagonal blocks, and its log Z in nats.

    parts: pairs (rbm, log_z). log Z is the sum over the blocks. n blocks of two modes have 2^n modes together. Raises
    ValueError if `parts` is empty.
    """
    parts = list(parts)
    if not parts:
        raise ValueError("parts: expected at least one pair (rbm, log_z), found none")
    rbms, log_zs = zip(*parts, strict=True)
    biases = (np.concatenate([getattr(rbm, name) for rbm in rbms]) for name in ("visible_bias", "hidden_bias"))
    return RBM(block_diag(*(rbm.weights for rbm in rbms)), *biases), math.fsum(log_zs)


def random_blocks(
    generator: Generator, *, count: int = 40, visible: int = 20, hidden: int = 12, scale: float = 3.0, bias: float = 0.1
) -> tuple[RBM, float]:
    """The RBM of `count` diagonal blocks by `random_small`, and its log Z in nats.

    Raises ValueError for a bad count, and the errors of `random_small`.
    """
    options = {"visible": visible, "hidden": hidden, "scale": scale, "bias": bias}
    return blocks(random_small(generator, **options) for _ in range(whole_number("count", count)))


def random_small(
    generator: Generator, *, visible: int = 784, hidden: int = 16, scale: float = 1.0, bias: float = 0.5
) -> tuple[RBM, float]:
    """An RBM with weights N(0, scale^2) and at most 20 units in the smaller layer, and its enumerated log Z in nats.

    Biases balance the weights, so that a state and its complement would be equally probable. A draw from N(0, bias^2)
    is then added to each bias. Raises ValueError for an impossible argument.
    """
    # `exact_sums` imports numba, which takes long.
    from logzoo.models.exact_sums import exact_log_z

    visible, hidden = whole_number("visible", visible), whole_number("hidden", hidden)
    smaller = min(visible, hidden)
    if smaller > LARGEST_LAYER:
        raise ValueError(f"smaller layer: expected at most {LARGEST_LAYER} units to enumerate, found {smaller}")
    weights = positive_number("scale", scale) * generator.standard_normal((visible, hidden))
    spread = positive_number("bias", bias, or_zero=True)
    offsets = (spread * generator.standard_normal(size) for size in (visible, hidden))
    biases = (offset - 0.5 * weights.sum(axis=axis) for axis, offset in zip((1, 0), offsets, strict=True))
    rbm = RBM(weights, *biases)
    return rbm, exact_log_z(rbm)
