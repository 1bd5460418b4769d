"""Chains of simulated tempering: a state and its inverse temperature in turn (Carlson et al. 2016, section 2.2).

x | beta_k by one Gibbs sweep, beta_k | x from q(beta_k | x) proportional to r_k f_k(x) / Zhat_k; x is v with the hidden
units summed out (`marginal`) or (v, h) (`joint`).
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from logzoo.kernels.energies import smooth_parts_of_chains
from logzoo.kernels.gibbs import forget_hidden, start_chains
from logzoo.kernels.layout import new_chains
from logzoo.kernels.tempering import Ladder, Record, RungSums, run_tempering
from logzoo.paths import chebyshev_nodes, differentiation_matrix, interpolation_matrix
from logzoo.samplers.threads import over_chains

# Nats by which interpolated log f_k may miss the direct value on the states seen; well below any sampling error.
_INTERPOLATION_TOLERANCE = 5e-4
_NODE_COUNTS = (12, 16, 20, 24, 32, 48, 64, 96, 128)
# Sweeps between two updates of a progress bar.
_STRIDE = 50


class Stretch(NamedTuple):
    """Single draws of some sweeps, as observers see them.

    log f at the rungs = values @ readout, its derivatives in beta = values @ slopes and values @ curvatures; with the
    offset log r - log Zhat, q(beta | x) = softmax(values @ readout + offset).
    """

    values: np.ndarray  # (chain, sweep, value); no sweeps when no observer reads them
    rungs: np.ndarray  # (chain, sweep + 1): x of sweep i is drawn at rungs[i], then rungs[i + 1] given x
    readout: np.ndarray  # (value, rung)
    slopes: np.ndarray  # (value, rung)
    curvatures: np.ndarray  # (value, rung)
    offset: np.ndarray  # (rung,)


class Tempering:
    """The chains of one run, their rungs, their place in the stream, and the interpolation they use."""

    def __init__(self, parameters, betas, stream, count, form, threads):
        self.parameters = parameters
        self.betas = betas
        self.marginal = form == "marginal"
        self.threads = threads
        self.key = stream.child("sweeps").key
        self.generator = stream.child("rungs").generator()
        self.sweep = 1
        self.chains = new_chains(count, parameters.weights.shape[1], parameters.weights_transposed.shape[1])
        start_chains(self.parameters, self.key, self.parameters.base, self.chains)
        # Chains of one group share an offset; all do unless someone says otherwise.
        self.group = np.zeros(count, np.int64)
        self.set_nodes(_NODE_COUNTS[0])
        self.restart()

    def restart(self):
        """Redraw the rungs uniformly, keep the states (section 2.4), and see to the interpolation."""
        count = len(self.chains.v)
        self.rung = self.generator.integers(self.betas.size, size=count)
        self.heading = np.zeros(count, np.int64)
        self.fit_nodes()

    def fit_nodes(self):
        """Take as many more nodes as interpolation needs on the present states."""
        for nodes in _NODE_COUNTS:
            if nodes >= self.ladder.nodes.size:
                self.set_nodes(nodes)
                if self.interpolation_error() < _INTERPOLATION_TOLERANCE:
                    return

    def load(self, parameters):
        """Go on with other parameters, from the same states."""
        self.parameters = parameters
        forget_hidden(parameters, self.chains)

    def move_rungs(self, betas):
        """Move the rungs to other inverse temperatures (rung,), and restart."""
        self.betas = betas
        self.set_nodes(max(self.ladder.nodes.size, _NODE_COUNTS[0]))
        self.restart()

    def set_nodes(self, count):
        """Interpolate log f from that many nodes."""
        nodes = chebyshev_nodes(count if self.marginal else 0).astype(np.float32)
        readout, slopes, curvatures = _tables(nodes.astype(np.float64), self.betas)
        self.ladder = Ladder(self.betas, nodes, readout)
        self.slopes, self.curvatures = slopes, curvatures

    def advance(self, offset, sweeps, bar=None, observers=()):
        """Advance all chains by some sweeps with offset log r - log Zhat (rung,) or (group, rung); returns RungSums.

        Observers see every draw (with offsets of several groups: the first group's offset).
        """
        count = len(self.chains.v)
        shape = (count, self.betas.size)
        sums = RungSums(np.zeros(shape), np.zeros(shape, np.int64), np.zeros(count, np.int64))
        offsets = np.atleast_2d(offset)
        last = self.sweep + sweeps
        for first in range(self.sweep, last, _STRIDE):
            stop = min(first + _STRIDE, last)
            stretch = stop - first
            kept = stretch if any(observer.reads_values for observer in observers) else 0
            values = np.zeros((count, kept, len(self.ladder.readout)))
            record = Record(values, np.zeros((count, stretch + 1), np.int64))
            settings = (self.parameters, self.ladder, offsets, self.marginal, self.key, first, stop)
            kernel = partial(run_tempering, *settings)
            over_chains(kernel, self.threads, self.chains, self.rung, self.heading, self.group, sums, record)
            for observer in observers:
                tables = (self.ladder.readout, self.slopes, self.curvatures)
                observer.add(Stretch(record.values, record.rungs, *tables, offsets[0]))
            if bar is not None:
                bar.update(stretch)
        self.sweep = last
        return sums

    def interpolation_error(self):
        """Largest |interpolated - direct| smooth part of log f_k over chains and rungs, in nats."""
        if not self.marginal:
            return 0.0
        nodes = self.ladder.nodes
        direct = np.empty((len(self.chains.v), self.betas.size))
        at_nodes = np.empty((len(self.chains.v), nodes.size))
        smooth_parts_of_chains(self.parameters, self.chains, self.betas.astype(np.float32), direct)
        smooth_parts_of_chains(self.parameters, self.chains, nodes, at_nodes)
        return float(np.max(np.abs(at_nodes @ self.ladder.readout[: nodes.size] - direct)))


def _tables(nodes, betas):
    """Tables (value, rung) that carry the values of a state to log f at the rungs and its first two derivatives."""
    one = np.ones_like(betas)
    # What beta and 1 - beta multiply is linear in beta.
    tables = [[betas, 1.0 - betas], [one, -one], [0.0 * one, 0.0 * one]]
    if nodes.size:
        smooth, derivative = interpolation_matrix(nodes, betas), differentiation_matrix(nodes)
        for table in tables:
            table[:0] = smooth
            smooth = derivative @ smooth
    return [np.stack(table) for table in tables]
