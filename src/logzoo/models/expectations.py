"""Exact expectations under an RBM, the model's part of the gradient, by enumerating the smaller layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from logzoo.kernels.enumeration import expectations

if TYPE_CHECKING:
    from logzoo.types import ArrayLike

LARGEST_LAYER = 20


class Expectations(NamedTuple):
    """log Z in nats, and E[v h'] (V, H), E[v] (V,), E[h] (H,), float64."""

    log_z: float
    products: np.ndarray
    visible: np.ndarray
    hidden: np.ndarray


def exact_expectations(weights: ArrayLike, visible_bias: ArrayLike, hidden_bias: ArrayLike) -> Expectations:
    """Expectations under the RBM of these parameters, (V, H), (V,) and (H,).

    Cost: 2**min(V, H) states, each visiting the other layer once. Raises ValueError above 20 units in the smaller one.
    """
    weights, visible_bias, hidden_bias = (
        np.ascontiguousarray(array, np.float64) for array in (weights, visible_bias, hidden_bias)
    )
    smaller = min(weights.shape)
    if smaller > LARGEST_LAYER:
        raise ValueError(
            f"exact expectations: the smaller layer has {smaller} units; at most {LARGEST_LAYER} are enumerated"
        )
    if weights.shape[1] == smaller:
        log_z, products, hidden, visible = expectations(np.ascontiguousarray(weights.T), hidden_bias, visible_bias)
        return Expectations(log_z, np.ascontiguousarray(products.T), visible, hidden)
    return Expectations(*expectations(weights, visible_bias, hidden_bias))
