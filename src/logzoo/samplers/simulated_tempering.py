"""Simulated tempering: initial iterations that find log Zhat, then one long run at it (Carlson et al. 2016).

A chain draws its state and its inverse temperature in turn (section 2.2): x | beta_k by one Gibbs sweep, beta_k | x
from q(beta_k | x) proportional to r_k f_k(x) / Zhat_k; x is v with the hidden units summed out (`marginal`) or (v, h)
(`joint`).
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from logzoo.checks import one_of, share, whole_number
from logzoo.kernels.energies import smooth_parts_of_chains
from logzoo.kernels.fixed_point import new_chains
from logzoo.kernels.gibbs import forget_hidden, start_chains
from logzoo.kernels.tempering import Ladder, Record, RungSums, run_simulated_tempering
from logzoo.paths import (
    chebyshev_nodes,
    differentiation_matrix,
    interpolation_matrix,
    inverse_temperatures,
    kernel_parameters,
    log_z_base,
    prior_weights,
)
from logzoo.progress import bar
from logzoo.samplers.base import resolve_base
from logzoo.samplers.initial import Initial, initial_phase, iteration_lengths, mean_occupancy, updated_log_z
from logzoo.samplers.threads import over_chains

# Nats by which interpolated log f_k may miss the direct value on the states seen; well below any sampling error.
_INTERPOLATION_TOLERANCE = 5e-4
_NODE_COUNTS = (12, 16, 20, 24, 32, 48, 64, 96, 128)
# Rungs of a ladder unless told otherwise.
RUNGS = 100
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


class SimulatedTempering:
    """The chains of a ledger, their rungs, their place in the stream, and the interpolation they use."""

    def __init__(self, parameters, betas, ledger, stream, form, threads):
        count = ledger.chains
        self.ledger = ledger  # pays for every sweep
        self.parameters = parameters
        self.betas = betas
        self.marginal = form == "marginal"
        self.threads = threads
        self.key = stream.child("sweeps").key
        self.generator = stream.child("rungs").generator()
        self.sweep = 1
        self.chains = new_chains(count, parameters.weights.shape[1], parameters.weights_transposed.shape[1])
        start_chains(parameters, self.key, parameters.base, self.chains)
        self.bar = None  # a progress bar of sweeps
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
        self.set_nodes(self.ladder.nodes.size)
        self.restart()

    def set_nodes(self, count):
        """Interpolate log f from that many nodes."""
        nodes = chebyshev_nodes(count if self.marginal else 0).astype(np.float32)
        readout, self.slopes, self.curvatures = _tables(nodes.astype(np.float64), self.betas)
        self.ladder = Ladder(self.betas, nodes, readout)

    def advance(self, offset, sweeps, purpose, observers=()):
        """Pay for some sweeps and make them, with offset log r - log Zhat (rung,); returns RungSums.

        Observers see every draw.
        """
        group = np.zeros(len(self.rung), np.int64)

        def move(first, stop, sums, record):
            settings = (self.parameters, self.ladder, offset[None], self.marginal, self.key, first, stop)
            kernel = partial(run_simulated_tempering, *settings)
            over_chains(kernel, self.threads, self.chains, self.rung, self.heading, group, sums, record)

        return self.follow(move, offset, sweeps, purpose, observers)

    def follow(self, move, offset, sweeps, purpose, observers):
        """Pay for some sweeps and make them by move(first, stop, sums, record), one stretch after the other.

        Returns RungSums. Observers are told of that offset.
        """
        self.ledger.spend(sweeps, purpose)
        count = len(self.rung)
        shape = (count, self.betas.size)
        sums = RungSums(np.zeros(shape), np.zeros(shape, np.int64), np.zeros(count, np.int64))
        last = self.sweep + sweeps
        for first in range(self.sweep, last, _STRIDE):
            stop = min(first + _STRIDE, last)
            stretch = stop - first
            kept = stretch if any(observer.reads_values for observer in observers) else 0
            values = np.zeros((count, kept, len(self.ladder.readout)))
            record = Record(values, np.zeros((count, stretch + 1), np.int64))
            move(first, stop, sums, record)
            for observer in observers:
                tables = (self.ladder.readout, self.slopes, self.curvatures)
                observer.add(Stretch(record.values, record.rungs, *tables, offset))
            if self.bar is not None:
                self.bar.update(stretch)
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
    ones = np.ones_like(betas)
    # What beta and 1 - beta multiply is linear in beta.
    tables = [[betas, 1.0 - betas], [ones, -ones], [0.0 * ones, 0.0 * ones]]
    if nodes.size:
        smooth, derivative = interpolation_matrix(nodes, betas), differentiation_matrix(nodes)
        for table in tables:
            table[:0] = smooth
            smooth = derivative @ smooth
    return [np.stack(table) for table in tables]


class SimulatedTemperingDraws(NamedTuple):
    """What simulated tempering leaves for estimators: sums over sweeps; observers see the single draws.

    log Zhat is relative to the base (0 at the first rung).
    """

    betas: np.ndarray  # (rung,) inverse temperatures
    prior: np.ndarray  # (rung,) r, sums to one
    log_z_hat: np.ndarray  # (rung,) log Zhat that the initial iterations found
    log_z_hats: np.ndarray  # (block, rung) log Zhat used in each block of the sampling phase, or (group, rung) after it
    log_z_base: float  # nats
    occupancy: np.ndarray  # (block, chain, rung) sums of q(beta_k | x)
    visits: np.ndarray  # (block, chain, rung) counts of beta_k
    round_trips: np.ndarray  # (chain,)
    initial_log_z: np.ndarray  # (iteration, rung) log Zhat after each initial iteration
    initial_occupancy: np.ndarray  # (iteration, rung) the occupancy that made it
    rule_met: bool  # the stopping rule of the initial iterations held
    interpolation_error: float  # nats, largest seen on the final states
    form: str  # of the densities: hidden units summed out ("marginal") or not ("joint")


class Start(NamedTuple):
    """A run whose initial iterations are made."""

    sampler: SimulatedTempering
    initial: Initial
    log_z_base: float  # nats

    def draws(self, log_z_hats, occupancy, visits, round_trips):
        """SimulatedTemperingDraws with what the sampling phase made."""
        log_z, shares = ([entry[part] for entry in self.initial.history] for part in (0, 1))
        rungs = self.sampler.betas.size
        return SimulatedTemperingDraws(
            betas=self.sampler.betas,
            prior=self.initial.prior,
            log_z_hat=self.initial.log_z_hat,
            log_z_hats=log_z_hats,
            log_z_base=self.log_z_base,
            occupancy=occupancy,
            visits=visits,
            round_trips=round_trips,
            initial_log_z=np.reshape(log_z, (-1, rungs)),
            initial_occupancy=np.reshape(shares, (-1, rungs)),
            rule_met=self.initial.rule_met,
            interpolation_error=self.sampler.interpolation_error(),
            form="marginal" if self.sampler.marginal else "joint",
        )


def begin(
    rbm,
    ledger,
    stream,
    rao_blackwell=True,
    stop_early=True,
    fewest_iterations=1,
    *,
    base=None,
    rungs=RUNGS,
    ladder="linear",
    prior=None,
    form="marginal",
    initial_sweeps=50,
    initial_iterations=10,
    threads=1,
    progress=False,
):
    """Make the initial iterations of all chains; returns Start.

    Initial iterations of `initial_sweeps` sweeps update log Zhat by eq 12 until max_k |r_k - c_k| < 0.1 / K; they end
    in any case after `initial_iterations` of them or a tenth of the budget, whichever is more, and at half the budget;
    after the first `initial_iterations` each is twice as long as the one before. While K max_k |r_k - c_k| is above
    0.5, short ones go on to half the budget. rao_blackwell=False updates from plain visit counts. stop_early=False
    stops after exactly `initial_iterations` iterations.
    prior: weights r (rung,); a number s for r_k proportional to exp(s beta_k); or None for equal ones. ladder: as in
    `paths.inverse_temperatures`, or "adapted": the first half of the initial iterations is a pilot on linear rungs,
    which then move to equal steps of thermodynamic length (`logzoo.samplers.ladders`). Raises ValueError for impossible
    options.
    """
    one_of("form", form, ("marginal", "joint"))
    whole_number("initial_sweeps", initial_sweeps)
    whole_number("initial_iterations", initial_iterations, minimum=fewest_iterations)
    whole_number("threads", threads)
    adapt = isinstance(ladder, str) and ladder == "adapted"
    betas = inverse_temperatures("linear" if adapt else ladder, rungs)
    prior_weights(prior, betas)  # refuses bad ones before any sweep
    base = resolve_base(rbm, base, ledger, stream)
    sampler = SimulatedTempering(kernel_parameters(rbm, base), betas, ledger, stream, form, threads)
    sampler.bar = bar(ledger.remaining, "tempering", "sweep", progress)
    if stop_early and initial_iterations:
        lengths = iteration_lengths(ledger, initial_sweeps, initial_iterations)
    else:
        lengths = [initial_sweeps] * initial_iterations
    settings = {"rao_blackwell": rao_blackwell, "stop_early": stop_early}
    initial = initial_phase(sampler, lengths, prior, adapt, **settings)
    return Start(sampler, initial, log_z_base(base, rbm.hidden))


def run(
    rbm, ledger, stream, observers=(), rao_blackwell=True, final=True, blocks=8, mixed=False, *, settling=0.0, **options
):
    """Run the initial iterations, then spend what is left of the ledger at the log Zhat they found.

    settling: share of what is left after them, in [0, 1), whose draws are discarded: it lets the rungs that the
    last of them redrew relax. final=False stops after exactly `initial_iterations` iterations. mixed=True updates log
    Zhat by eq 12 after each block of the sampling phase, too (supplement A). The other options are those of `begin`.
    observers: objects as in `logzoo.samplers.observers`, which see every single draw of the sampling phase. Returns
    SimulatedTemperingDraws. Raises ValueError for impossible options.
    """
    settling = share("settling", settling)
    start = begin(rbm, ledger, stream, rao_blackwell, final, **options)
    sampler, log_r, log_z_hat = start.sampler, np.log(start.initial.prior), start.initial.log_z_hat
    with sampler.bar:
        if final and settling:
            sampler.advance(log_r - log_z_hat, int(settling * ledger.remaining), "settling")
        edges = np.linspace(0, ledger.remaining if final else 0, blocks + 1).astype(int)
        sizes = [int(size) for size in np.diff(edges) if size]
        for observer in observers:
            observer.start(ledger.chains, log_r.size, sum(sizes))
        log_z_hats, parts = [], []
        for sweeps in sizes:
            if mixed and parts:
                occupancy = mean_occupancy(parts[-1], rao_blackwell)
                log_z_hat = updated_log_z(log_z_hat, start.initial.prior, occupancy)
            log_z_hats.append(log_z_hat)
            parts.append(sampler.advance(log_r - log_z_hat, sweeps, "sampling", observers))
    shape = (len(parts), ledger.chains, log_r.size)
    return start.draws(
        log_z_hats=np.reshape(log_z_hats, (-1, log_r.size)),
        occupancy=np.array([part.occupancy for part in parts], float).reshape(shape),
        visits=np.array([part.visits for part in parts], np.int64).reshape(shape),
        round_trips=sum((part.round_trips for part in parts), np.zeros(ledger.chains, np.int64)),
    )
