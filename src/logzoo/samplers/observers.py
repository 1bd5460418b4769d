"""Observers of simulated tempering: running sums over single draws for estimators, without storing all draws.

An observer has two methods. start(chains, rungs, sweeps) is called before each observed phase, and add(stretch) is
called for every `Stretch` of sweeps. The attribute reads_values is True if the observer needs the values of the states,
and False if it needs only the rungs.
"""

from typing import NamedTuple

import numpy as np

from logzoo.kernels.occupancy import add_moves, add_rung_sums, add_weighted_slopes

# A rung whose sum of q(beta_k | x) is below this takes its curvature from its neighbours.
_FEWEST_DRAWS = 5.0
# `Curvature` reads only every _EVERY-th sweep, because successive sweeps hardly differ and the sums cost as much as the
# sweeps.
_EVERY = 5
# Largest number of log-densities of `ThinnedDraws` (draws times rungs). They take a few arrays of 160 MB.
_MOST_NUMBERS = 20_000_000
# Factor by which the sums of earlier phases are multiplied when a new phase begins.
_MEMORY = 0.5


class Stretch(NamedTuple):
    """Single draws of consecutive sweeps, for observers.

    values @ readout is log f at the rungs, or log f - c0.v with base log-odds c0 if x is (v, h). The first and second
    derivatives of log f in beta are values @ slopes and values @ curvatures. With the offset log r - log Zhat,
    q(beta | x) = softmax(values @ readout + offset).
    """

    values: np.ndarray  # (chain, sweep, value); the axis of sweeps is empty if no observer reads values
    rungs: np.ndarray  # (chain, sweep + 1): x of sweep i is drawn at rungs[:, i]; rungs[:, i + 1] is drawn given x
    readout: np.ndarray  # (value, rung)
    slopes: np.ndarray  # (value, rung)
    curvatures: np.ndarray  # (value, rung)
    offset: np.ndarray  # (rung,)


class RungDerivatives:
    """Sums (chain, 4, rung) of 1, D, D^2 and D' over draws x, each at the rung drawn given x.

    D is d log f_beta(x) / d beta at the rung, and D' its derivative.
    """

    reads_values = True

    def start(self, chains: int, rungs: int, sweeps: int) -> None:
        """Begin a sampling phase."""
        self.sums = np.zeros((chains, 4, rungs))

    def add(self, stretch: Stretch) -> None:
        """Add the draws of a `Stretch`."""
        add_rung_sums(stretch.slopes, stretch.curvatures, stretch.values, stretch.rungs, self.sums)


class WeightedDerivatives:
    """Sums (chain, 2, rung), over all draws x, of q(beta_k | x) and q(beta_k | x) D.

    D is d log f_beta(x) / d beta at beta_k.
    """

    reads_values = True

    def start(self, chains: int, rungs: int, sweeps: int) -> None:
        """Begin a sampling phase."""
        self.sums = np.zeros((chains, 2, rungs))

    def add(self, stretch: Stretch) -> None:
        """Add the draws of a `Stretch`."""
        add_weighted_slopes(stretch.readout, stretch.slopes, stretch.offset, stretch.values, self.sums)


class GroupedMoves:
    """Moves (group, rung, rung) from the rung where x was drawn to the rung drawn given x, summed over chains.

    Moves are counted. With `rao_blackwell`, a move is divided among the rungs in proportion to q(beta_k | x). Memory is
    8 bytes times groups times rungs squared.
    """

    def __init__(self, groups: int = 1, *, rao_blackwell: bool = False) -> None:
        self.groups = groups
        self.reads_values = rao_blackwell

    def start(self, chains: int, rungs: int, sweeps: int) -> None:
        """Begin a sampling phase: chains are assigned to the groups in turn."""
        self.group = np.arange(chains) % self.groups
        self.sums = np.zeros((min(self.groups, chains), rungs, rungs))

    def add(self, stretch: Stretch) -> None:
        """Add the moves of a `Stretch`."""
        if self.reads_values:
            add_moves(stretch.readout, stretch.offset, stretch.values, stretch.rungs, self.group, self.sums)
        else:
            np.add.at(self.sums, (self.group[:, None], stretch.rungs[:, :-1], stretch.rungs[:, 1:]), 1.0)


class ThinnedDraws:
    """Draws of every n-th sweep: at most `draws` in all, but at least one of each chain, within a limit on memory."""

    reads_values = True

    def __init__(self, draws: int) -> None:
        self.draws = draws

    def check(self, chains: int, rungs: int, sweeps: int) -> None:
        """Raise ValueError if one draw of each chain already has too many log-densities."""
        if chains * rungs > _MOST_NUMBERS:
            raise ValueError(
                f"rungs: expected at most {_MOST_NUMBERS:,} log-densities, found {chains:,} chains at {rungs:,} rungs; "
                "lower chains or rungs"
            )

    def start(self, chains: int, rungs: int, sweeps: int) -> None:
        """Begin a sampling phase; the last sweep of every stride is kept."""
        draws = min(self.draws, _MOST_NUMBERS // rungs)
        self.stride = min(max(1, -(-chains * sweeps // draws)), sweeps)
        self.kept = sweeps // self.stride
        self.seen = 0
        self.rungs = np.zeros((chains, self.kept), np.int64)
        self.values = None
        self.readout = None

    def add(self, stretch: Stretch) -> None:
        """Store the draws of the last sweep of every stride."""
        sweeps = stretch.values.shape[1]
        if self.values is None:
            self.values = np.zeros((*self.rungs.shape, stretch.values.shape[2]))
            self.readout = stretch.readout
        due = np.arange(self.stride - 1 - self.seen % self.stride, sweeps, self.stride)
        rows = (self.seen + due) // self.stride
        self.values[:, rows] = stretch.values[:, due]
        self.rungs[:, rows] = stretch.rungs[:, due + 1]
        self.seen += sweeps


class Curvature:
    """Rao-Blackwellised second derivative of log Z in beta at every rung, from single draws."""

    reads_values = True

    def __init__(self) -> None:
        self.sums = np.zeros((4, 1))

    def start(self, chains: int, rungs: int, sweeps: int) -> None:
        """Begin a phase; the sums of earlier phases are halved."""
        self.sums = _MEMORY * self.sums + np.zeros((4, rungs))

    def add(self, stretch: Stretch) -> None:
        """Add the draws of every fifth sweep of a `Stretch`, weighted by q(beta_k | x)."""
        values = stretch.values[:, ::_EVERY].reshape(-1, stretch.values.shape[-1])
        # einsum adds in the same order everywhere. With a matrix product the rungs would depend on the BLAS.
        log_q = np.einsum("nm,mk->nk", values, stretch.readout) + stretch.offset
        q = np.exp(log_q - log_q.max(axis=1, keepdims=True))
        q /= q.sum(axis=1, keepdims=True)
        slope = np.einsum("nm,mk->nk", values, stretch.slopes)
        bend = np.einsum("nm,mk->nk", values, stretch.curvatures)
        self.sums += [term.sum(axis=0) for term in (q, q * slope, q * slope**2, q * bend)]

    def values(self) -> np.ndarray:
        """d^2 log Z / d beta^2 (rung,) in nats, interpolated at rungs with too few draws.

        Such rungs at an end of the ladder take the nearest value. If every rung has too few draws, all values are 1.
        """
        weight, slope, square, bend = self.sums
        known = weight >= _FEWEST_DRAWS
        if not known.any():
            return np.ones(weight.size)
        weight = np.where(known, weight, 1.0)
        curvature = np.maximum((square + bend) / weight - (slope / weight) ** 2, 0.0)
        rungs = np.arange(weight.size)
        return np.interp(rungs, rungs[known], curvature[known])
