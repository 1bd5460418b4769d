"""What a phase of the gradient is made from: states of chains, with weights if any, or exact expectations."""

from typing import NamedTuple

import numpy as np

from logzoo.kernels.gibbs import Chains, layer_scratch
from logzoo.kernels.statistics import add_statistics
from logzoo.trainers.trace import mean_log_f


class WeightedChains(NamedTuple):
    """Chains, inputs up to date, and their weights (chains,) that sum to 1; None for equal ones."""

    chains: Chains
    weights: np.ndarray | None = None

    def add_to(self, parameters, sign, gradient):
        """Add sign times the mean of (v p(h | v)', v, p(h | v)) to the arrays of a gradient."""
        count, visible = self.chains.v.shape
        weights = np.full(count, 1.0 / count) if self.weights is None else self.weights
        factors = (sign * weights).astype(np.float32)
        add_statistics(parameters, self.chains, layer_scratch(visible), factors, *gradient)

    def mean_log_f(self, parameters):
        """Mean log f(v) in nats."""
        return mean_log_f(parameters, self.chains, self.weights)


class ExactMeans(NamedTuple):
    """Expectations under the model, float64: weights (V, H), visible_bias (V,), hidden_bias (H,)."""

    weights: np.ndarray
    visible_bias: np.ndarray
    hidden_bias: np.ndarray

    def add_to(self, parameters, sign, gradient):
        """Add sign times the expectations of (v h', v, h) to the arrays of a gradient."""
        for array, means in zip(gradient, self, strict=True):
            array += (sign * means).astype(np.float32)

    def mean_log_f(self, parameters):
        """None: there are no particles."""
        return None
