"""What a phase of the gradient is made from: states of chains, with weights if any, or exact expectations."""

from typing import NamedTuple

import numpy as np

from logzoo.kernels.gibbs import Chains, forget_hidden
from logzoo.kernels.grey import add_products, log_f_of_values, probabilities, update_hidden_inputs_of_values
from logzoo.kernels.layout import new_chains
from logzoo.kernels.statistics import add_statistics, put_statistics
from logzoo.trainers.trace import mean_log_f


class WeightedChains(NamedTuple):
    """Chains, inputs up to date, and their weights (chains,) that sum to 1; None for equal ones."""

    chains: Chains
    weights: np.ndarray | None = None

    @property
    def v(self):
        """Visible states (chains, visible)."""
        return self.chains.v

    def load(self, parameters, examples):
        """Move the chains to the examples (chains, visible) uint8."""
        self.chains.v[...] = examples
        forget_hidden(parameters, self.chains)

    def add_to(self, parameters, sign, gradient):
        """Add sign times the mean of (v p(h | v)', v, p(h | v)) to the arrays of a gradient."""
        add_statistics(parameters, self.chains, self.factors(sign), *gradient)

    def factors(self, sign):
        """Factors (chains,) float32 that make the mean of a sum over the chains, times the sign."""
        if self.weights is None:
            return np.full(len(self.chains.v), sign / len(self.chains.v), np.float32)
        return (sign * self.weights).astype(np.float32)

    def mean_log_f(self, parameters):
        """Mean log f(v) in nats."""
        return mean_log_f(parameters, self.chains, self.weights)


class GreyChains(NamedTuple):
    """Chains whose visible units have values x (chains, visible) float32 in [0, 1]; hidden inputs up to date."""

    chains: Chains
    v: np.ndarray

    @classmethod
    def new(cls, count, visible, hidden):
        """`count` chains of zeros."""
        return cls(new_chains(count, visible, hidden), np.zeros((count, visible), np.float32))

    def load(self, parameters, examples):
        """Move the chains to the examples (chains, visible) float32; hidden units and their effects are forgotten."""
        self.v[...] = examples
        self.forget_hidden(parameters)

    def forget_hidden(self, parameters):
        """Set h to zero, compute both layers' inputs."""
        self.chains.h[...] = 0
        self.chains.visible_input[...] = parameters.visible_bias
        update_hidden_inputs_of_values(parameters, self.v, self.chains)

    def add_to(self, parameters, sign, gradient):
        """Add sign times the mean of (x p(h | x)', x, p(h | x)) to the arrays of a gradient."""
        p = np.empty(self.chains.h.shape, np.float32)
        probabilities(self.chains.hidden_input, parameters.unit, p)
        add_products(self.v, p, np.float32(sign / len(p)), *gradient)

    def mean_log_f(self, parameters):
        """Mean log f(x) in nats, hidden units summed out."""
        values = np.empty(len(self.v))
        log_f_of_values(parameters, self.v, self.chains, values)
        return values.mean()


def mini_batch(examples, batch, hidden):
    """Chains to `load` mini-batches of the data `examples` into, uint8 of 0/1 or float32 grey levels."""
    if examples.dtype == np.uint8:
        return WeightedChains(new_chains(batch, examples.shape[1], hidden))
    return GreyChains.new(batch, examples.shape[1], hidden)


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


def put_difference(parameters, positive, negative, gradient):
    """Have a gradient hold the means of the positive phase less those of the negative one."""
    if isinstance(positive, WeightedChains) and isinstance(negative, WeightedChains):
        near, far = (positive.chains, positive.factors(1.0)), (negative.chains, negative.factors(-1.0))
        put_statistics(parameters, *near, *far, *gradient)
    else:
        for array in gradient:
            array[...] = 0.0
        positive.add_to(parameters, 1.0, gradient)
        negative.add_to(parameters, -1.0, gradient)
