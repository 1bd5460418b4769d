"""Annealing from the modes of mean field to the RBM: each chain starts from the product law of a mode.

States are divided among basins: a state belongs to the basin of the mode whose product law gives it the highest
probability. Let w be the weight of a chain annealed from any base, and x its last state. Then E[w 1(x in B)] = Z p(B)
for each basin B (Neal 2001; Jarzynski 1997). So chains that start in B estimate its mass Z p(B), and the masses of all
basins add up to Z.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from logzoo.budgets import SweepLedger
from logzoo.checks import binary_matrix, whole_number
from logzoo.kernels.annealing import Laws, run_centred_annealing
from logzoo.kernels.fixed_point import fixed_point_rows, new_chains
from logzoo.kernels.gibbs import Chains, Parameters, start_from_rows
from logzoo.models.modes import Modes
from logzoo.models.rbm import RBM
from logzoo.paths import inverse_temperatures, kernel_parameters
from logzoo.samplers.annealed import in_strides
from logzoo.samplers.base import affordable_modes
from logzoo.samplers.threads import over_chains, sweep_chains
from logzoo.streams import Stream

# Modes that are more than this many nats below the best mode hold a negligible share of Z.
_NATS_BELOW = 20.0
# Smallest share of its chains that a group of modes keeps, see `kept_laws`.
_LEAST_STAY = 0.5
# The pilot at beta = 1 that measures this share takes one in _PILOT_SHARE of the remaining sweeps.
_PILOT_SHARE = 5
# Number of chains that each mode needs, so that the spread of their weights can be estimated.
_FEWEST_CHAINS = 4


class BasinDraws(NamedTuple):
    """Importance weights of chains annealed from the modes' product laws, and the basins where they ended."""

    log_weight: np.ndarray  # (chain,) nats; the weight of a chain from any law has the expectation Z
    start: np.ndarray  # (chain,) number of the law that the chain started from
    end: np.ndarray  # (chain,) number of the law in whose basin the chain ended
    v: np.ndarray  # (chain, visible) last state of the chain
    lower: float  # nats, a rigorous lower bound of log Z
    unseen: float  # estimated share of Z in modes that the search can find but that no law represents


def run(
    rbm: RBM,
    ledger: SweepLedger,
    stream: Stream,
    *,
    base: Any = None,
    data: np.ndarray | None = None,
    ladder: Any = "linear",
    threads: int = 1,
    progress: bool = False,
) -> BasinDraws:
    """Find modes, group modes between which chains move at beta = 1, and anneal chains from each group's best mode.

    Finding modes usually takes a tenth of the budget or less. If several modes have enough mass, a pilot takes a fifth
    of the other sweeps. base: not used. data: a 0/1 matrix (examples, visible); the search also starts from its rows.
    ladder: as in `paths.inverse_temperatures`. Raises ValueError for impossible options.
    """
    whole_number("threads", threads)
    if data is not None:
        data = binary_matrix("data", data, visible=rbm.visible)
    modes = affordable_modes(rbm, ledger, stream, data=data, threads=threads)
    most = max(ledger.chains // _FEWEST_CHAINS, 1)
    unseen = unseen_share(modes, most)
    chosen = np.arange(min(most, modes.bounds.size))
    chosen = chosen[modes.bounds[chosen] >= modes.bounds[0] - _NATS_BELOW]
    parameters = kernel_parameters(rbm, np.zeros(rbm.visible))
    laws = _laws(rbm, modes, chosen)
    sweeps = ledger.remaining // _PILOT_SHARE
    if sweeps and chosen.size > 1:
        ledger.spend(sweeps, "trying modes")
        law = np.arange(ledger.chains) * chosen.size // ledger.chains
        key = stream.child("pilot").key
        chains = _started(parameters, laws.fixed(parameters.unit), law, key)
        sweep_chains(parameters, key, 1, sweeps + 1, chains, threads)
        chosen = kept_laws(law, laws.nearest(chains.v), chosen.size)
        laws = _laws(rbm, modes, chosen)
    law = _dealt(modes.bounds[chosen], ledger.chains)
    sweeps = ledger.spend(ledger.remaining, "annealing")
    betas = inverse_temperatures(ladder, sweeps + 2)
    key, fixed = stream.child("sweeps").key, laws.fixed(parameters.unit)
    chains = _started(parameters, fixed, law, key)
    log_weight = laws.log_z[law]
    kernel = partial(run_centred_annealing, parameters, fixed, betas, key)
    in_strides(
        sweeps + 1, progress, lambda *ends: over_chains(partial(kernel, *ends), threads, law, chains, log_weight)
    )
    return BasinDraws(log_weight, law, laws.nearest(chains.v), chains.v, modes.lower, unseen)


def unseen_share(modes: Modes, laws: int) -> float:
    """Share of the modes' mass exp(F1) in modes that only one start found, or beyond the `laws` best modes.

    Good (1953) estimates the probability that a new start finds a new mode by the share of starts whose mode no other
    start found. Here the masses exp(F1), with F1 a mode's lower bound of log Z, replace the numbers of starts.
    """
    share = np.exp(modes.bounds - modes.bounds[0])
    left_out = np.arange(share.size) >= laws
    return float(share[(modes.starts == 1) | left_out].sum() / share.sum())


class LogOdds(NamedTuple):
    """Log-odds of product laws, for both layers."""

    visible: np.ndarray  # (law, visible) theta
    hidden: np.ndarray  # (law, hidden) phi

    def fixed(self, unit: float | np.float32) -> Laws:
        """These log-odds in fixed point, for the kernels."""
        return Laws(*(fixed_point_rows(rows, unit) for rows in self))

    @property
    def log_z(self) -> np.ndarray:
        """log of the sums (law,) of exp(theta.v + phi.h) over all states."""
        return np.logaddexp(0.0, self.visible).sum(axis=1) + np.logaddexp(0.0, self.hidden).sum(axis=1)

    def nearest(self, v: np.ndarray) -> np.ndarray:
        """Number (n,) of the law that gives each row of v (n, visible) the highest probability."""
        # einsum adds in the same order on every machine; a matrix product may not.
        inner = np.einsum("ni,ki->nk", v.astype(np.float64), self.visible)
        return np.argmax(inner - np.logaddexp(0.0, self.visible).sum(axis=1), axis=1)


def _laws(rbm: RBM, modes: Modes, chosen: np.ndarray) -> LogOdds:
    """LogOdds of the modes with these numbers; the means of a layer give the log-odds of the other layer."""
    theta = rbm.visible_bias + np.einsum("kj,ij->ki", modes.hidden[chosen], rbm.weights)
    return LogOdds(theta, rbm.hidden_bias + np.einsum("ki,ij->kj", modes.visible[chosen], rbm.weights))


def _dealt(bounds: np.ndarray, chains: int) -> np.ndarray:
    """Number (chain,) of the law that each chain starts from, in increasing order; bounds (law,): F1 of the laws.

    Every law gets four chains, or fewer if there are not enough. Half of the other chains are divided in proportion to
    exp(F1). The other half is divided in proportion to exp(F1 / 4), because F1 misses most of the width of a mode.
    """
    relative = np.exp(bounds - bounds.max())
    shares = 0.5 * relative / relative.sum() + 0.5 * relative**0.25 / np.sum(relative**0.25)
    fewest = min(_FEWEST_CHAINS, chains // shares.size)
    edges = np.rint(np.cumsum(shares) * (chains - fewest * shares.size)).astype(int)
    return np.repeat(np.arange(shares.size), fewest + np.diff(edges, prepend=0))


def _started(parameters: Parameters, laws: Laws, law: np.ndarray, key: np.uint64) -> Chains:
    """Chains whose visible units are drawn from their laws; law (chain,): the number of each chain's law."""
    chains = new_chains(law.size, parameters.weights.shape[1], parameters.weights_transposed.shape[1])
    start_from_rows(parameters, key, laws.visible, law, chains)
    return chains


def kept_laws(start: np.ndarray, end: np.ndarray, laws: int) -> np.ndarray:
    """Numbers of the laws that represent a group, best first; start, end (chain,): laws where chains started and ended.

    The group of laws that keeps the smallest share of its chains joins the group where most of its lost chains ended.
    This is repeated until every group keeps at least half of its chains. The best law of a group represents it.
    """
    group = np.arange(laws)
    passed = np.zeros((laws, laws))
    np.add.at(passed, (start, end), 1.0)
    while True:
        names, member = np.unique(group, return_inverse=True)
        among = np.zeros((names.size, names.size))
        np.add.at(among, (member[:, None], member[None, :]), passed)
        stay = among.diagonal() / np.maximum(among.sum(axis=1), 1.0)
        least = int(np.argmin(stay))
        if stay[least] >= _LEAST_STAY or names.size == 1:
            return names
        elsewhere = among[least].copy()
        elsewhere[least] = 0.0
        pair = names[least], names[int(np.argmax(elsewhere))]
        group[(group == pair[0]) | (group == pair[1])] = min(pair)
