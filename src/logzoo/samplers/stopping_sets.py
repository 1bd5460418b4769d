"""Stopping sets drawn from data (Savarese et al. 2018).

H is the set of the distinct states drawn from p(h | v_i) for data v_i. The stopping set S holds every (v, h) whose h is
in H. So Z_S, the sum of f over S, is known: sum_{h in H} f(h).
"""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from logzoo.checks import whole_number
from logzoo.kernels.bitsets import HashSet, insert_all, new_hash_set
from logzoo.kernels.fixed_point import new_chains
from logzoo.kernels.gibbs import Chains, Parameters, forget_hidden
from logzoo.kernels.gradients import update_hidden_inputs_of_values
from logzoo.kernels.hidden_energies import log_f_hidden
from logzoo.kernels.tour_sweeps import add_hidden_draws
from logzoo.samplers.threads import part_of
from logzoo.streams import Stream

# Number of examples whose hidden units are drawn together.
TOGETHER = 512


class StoppingSet(NamedTuple):
    """Distinct hidden states drawn from data, and their log f(h)."""

    members: HashSet
    example: np.ndarray  # (states,) int64: the row of the data that each state was first drawn from
    log_f: np.ndarray  # (states,) nats, visible units summed out

    @classmethod
    def of(cls, rows: np.ndarray, example: np.ndarray) -> "StoppingSet":
        """The set of the distinct states `rows` (states, words); `refreshed` computes log f."""
        members = HashSet(rows, new_hash_set(len(rows), 1).slots)
        insert_all(members, rows)
        return cls(members, example, np.empty(len(rows)))

    @property
    def log_z(self) -> float:
        """log Z_S in nats."""
        return float(logsumexp(self.log_f))

    @property
    def size(self) -> int:
        """Number of distinct states."""
        return len(self.log_f)

    def refreshed(self, parameters: Parameters, *, single: bool = False) -> "StoppingSet":
        """Recompute log f for other parameters and return the set; `single` uses single precision, in half the time."""
        log_f_hidden(parameters, self.members.rows, self.log_f, single)
        return self

    def starts(self, uniforms: np.ndarray) -> np.ndarray:
        """Rows (tours,) drawn with probability f(h) / Z_S, one for each uniform number in [0, 1)."""
        cumulative = np.cumsum(np.exp(self.log_f - self.log_f.max()))
        rows = np.searchsorted(cumulative, uniforms * cumulative[-1], side="right")
        return np.minimum(rows, self.size - 1)


def stopping_set(parameters: Parameters, data: np.ndarray, draws: int, stream: Stream) -> StoppingSet:
    """Draw a StoppingSet by `draws` draws of hidden states, one for each example in turn, in random order.

    data (examples, visible) uint8 of 0/1, or float32 grey levels.
    """
    draws = whole_number("draws", draws)
    order = stream.child("order").generator().permutation(len(data))[:draws]
    key = stream.child("hidden").key
    members = new_hash_set(draws, parameters.weights_transposed.shape[1])
    example = np.empty(draws, np.int64)
    count = 0
    rounds, more = divmod(draws, len(data))
    for first in range(0, len(order), TOGETHER):
        rows = order[first : first + TOGETHER]
        chains = example_chains(parameters, data, rows)
        for turn in range(rounds):
            count = add_hidden_draws(parameters, key, turn, chains, members, count, example)
        last = part_of(chains, slice(max(0, more - first)))
        if len(last.number):
            count = add_hidden_draws(parameters, key, rounds, last, members, count, example)
    members = HashSet(members.rows[:count].copy(), members.slots)
    return StoppingSet(members, example[:count].copy(), np.empty(count)).refreshed(parameters)


def example_chains(parameters: Parameters, data: np.ndarray, rows: np.ndarray) -> Chains:
    """Chains numbered `rows` (n,), with the hidden inputs of these examples; hidden units are not drawn."""
    chains = new_chains(len(rows), parameters.weights.shape[1], parameters.weights_transposed.shape[1])
    chains.number[...] = rows
    if data.dtype == np.uint8:
        chains.v[...] = data[rows]
        forget_hidden(parameters, chains)
    else:
        chains.visible_input[...] = parameters.visible_bias
        update_hidden_inputs_of_values(parameters, data[rows], chains)
    return chains
