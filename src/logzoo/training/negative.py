"""The positive and negative phases of the gradient: states of chains with or without weights, or exact expectations."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from logzoo.kernels.energies import log_f_tempered
from logzoo.kernels.fixed_point import new_chains
from logzoo.kernels.gibbs import Chains, draw_hidden, forget_hidden, layer_scratch, update_visible_inputs
from logzoo.kernels.gradients import (
    add_products,
    add_statistics,
    log_f_of_values,
    probabilities,
    put_statistics,
    update_hidden_inputs_of_values,
)
from logzoo.samplers.threads import sweep_chains

if TYPE_CHECKING:
    from typing import Any

    from logzoo.kernels.gibbs import Parameters
    from logzoo.training.loop import Values


class WeightedChains(NamedTuple):
    """Chains whose inputs are up to date, and weights (chains,) that sum to 1; None for equal weights."""

    chains: Chains
    weights: np.ndarray | None = None

    @classmethod
    def new(cls, count: int, visible: int, hidden: int) -> WeightedChains:
        """`count` chains of zeros."""
        return cls(new_chains(count, visible, hidden))

    @property
    def v(self) -> np.ndarray:
        """Visible states (chains, visible)."""
        return self.chains.v

    def load(self, parameters: Parameters, examples: np.ndarray) -> None:
        """Move the chains to the examples (chains, visible) uint8."""
        self.v[...] = examples
        forget_hidden(parameters, self.chains)

    def sweep(self, parameters: Parameters, key: np.uint64, first: int, last: int) -> None:
        """Make Gibbs sweeps `first` to `last - 1`, starting from v; sweeps are numbered from 1."""
        forget_hidden(parameters, self.chains)
        sweep_chains(parameters, key, first, last, self.chains, threads=1)

    def add_to(self, parameters: Parameters, sign: float, gradient: Values) -> None:
        """Add sign times the mean of (v p(h | v)', v, p(h | v)) to the arrays of a gradient."""
        add_statistics(parameters, self.chains, self.factors(sign), *gradient)

    def factors(self, sign: float) -> np.ndarray:
        """Factors (chains,) float32 that turn a sum over the chains into the mean, times the sign."""
        if self.weights is None:
            return np.full(len(self.v), sign / len(self.v), np.float32)
        return (sign * self.weights).astype(np.float32)

    def mean_log_f(self, parameters: Parameters) -> float:
        """Mean log f(v) in nats."""
        values = np.empty(len(self.v))
        log_f_tempered(parameters, np.ones(len(values), np.float32), self.chains, values)
        return np.average(values, weights=self.weights)


class GreyChains(NamedTuple):
    """Chains whose visible units have values x (chains, visible) float32 in [0, 1]; hidden inputs are up to date."""

    chains: Chains
    v: np.ndarray

    @classmethod
    def new(cls, count: int, visible: int, hidden: int) -> GreyChains:
        """`count` chains of zeros."""
        return cls(new_chains(count, visible, hidden), np.zeros((count, visible), np.float32))

    def load(self, parameters: Parameters, examples: np.ndarray) -> None:
        """Move the chains to the examples (chains, visible) float32; hidden units are reset."""
        self.v[...] = examples
        self.forget_hidden(parameters)

    def forget_hidden(self, parameters: Parameters) -> None:
        """Set h to zero and compute the inputs of both layers."""
        self.chains.h[...] = 0
        self.chains.visible_input[...] = parameters.visible_bias
        update_hidden_inputs_of_values(parameters, self.v, self.chains)

    def sweep(self, parameters: Parameters, key: np.uint64, first: int, last: int) -> None:
        """Make sweeps x -> h -> E[v | h], numbered `first` to `last - 1`, as in Savarese et al. (2018).

        Only h is drawn. This is not Gibbs sampling of the model: its stationary distribution is different.
        """
        self.forget_hidden(parameters)
        beta, scratch = np.ones(len(self.v), np.float32), layer_scratch(self.chains.h.shape[1])
        for number in range(first, last):
            draw_hidden(parameters, key, number, beta, self.chains, scratch)
            update_visible_inputs(parameters, self.chains)
            probabilities(self.chains.visible_input, parameters.unit, self.v)
            update_hidden_inputs_of_values(parameters, self.v, self.chains)

    def add_to(self, parameters: Parameters, sign: float, gradient: Values) -> None:
        """Add sign times the mean of (x p(h | x)', x, p(h | x)) to the arrays of a gradient."""
        p = np.empty(self.chains.h.shape, np.float32)
        probabilities(self.chains.hidden_input, parameters.unit, p)
        add_products(self.v, p, np.float32(sign / len(p)), *gradient)

    def mean_log_f(self, parameters: Parameters) -> float:
        """Mean log f(x) in nats, with the hidden units summed out."""
        values = np.empty(len(self.v))
        log_f_of_values(parameters, self.v, self.chains, values)
        return values.mean()


KINDS = {"binary": WeightedChains, "grey": GreyChains}


def mini_batch(examples: np.ndarray, batch: int, hidden: int) -> WeightedChains | GreyChains:
    """Chains that can `load` mini-batches of `examples`, which are uint8 of 0/1 or float32 grey levels."""
    return KINDS["binary" if examples.dtype == np.uint8 else "grey"].new(batch, examples.shape[1], hidden)


class ExactMeans(NamedTuple):
    """Expectations under the model, float64: weights (V, H), visible_bias (V,), hidden_bias (H,)."""

    weights: np.ndarray
    visible_bias: np.ndarray
    hidden_bias: np.ndarray

    def add_to(self, parameters: Parameters, sign: float, gradient: Values) -> None:
        """Add sign times the expectations of (v h', v, h) to the arrays of a gradient."""
        for array, means in zip(gradient, self, strict=True):
            array += (sign * means).astype(np.float32)

    def mean_log_f(self, parameters: Parameters) -> None:
        """Return None, because there are no particles."""
        return None


def put_difference(parameters: Any, positive: Any, negative: Any, gradient: Values) -> None:
    """Set a gradient to positive means minus negative means, or to 0 if the negative phase is not `usable`."""
    if isinstance(positive, WeightedChains) and isinstance(negative, WeightedChains):
        near, far = (positive.chains, positive.factors(1.0)), (negative.chains, negative.factors(-1.0))
        put_statistics(parameters, *near, *far, *gradient)
        return
    for array in gradient:
        array[...] = 0.0
    if getattr(negative, "usable", True):
        positive.add_to(parameters, 1.0, gradient)
        negative.add_to(parameters, -1.0, gradient)
