"""Trackers: objects that follow log Z of an RBM while it is trained.

KalmanTracker: a Kalman filter over the log Z of a ladder whose parameters change (Desjardins et al. 2011). Its state is
a bias and log Z at every rung except the first, where log Z is exact. The bias affects the observed change at the last
rung, because the particles at this rung also give the gradient. There is no prior on the change of log Z (sigma_Z is
infinite). The prediction therefore adds the observed change and its variance, without inversion of a covariance. As
published, R is diagonal, although the differences on both sides of a rung share its particles and are correlated.

RtsTracker: log Zhat_k += alpha log(r_1 c_k / (r_k c_1)), with prior r and the occupancy c of the trainer's chains
(Carlson et al. 2016, section 4.4). The estimator `rts` has alpha = 1. Here the default is smaller, because an update
has few draws and the parameters change.

JarzynskiTracker: annealed importance sampling along the training with separate chains, called walkers (Jarzynski 1997;
Carbone, Hua, Coste & Vanden-Eijnden 2023). At every update the log-weight of a walker grows by
log f_{t+1}(v) - log f_t(v), then the walker makes a sweep at the new parameters. Islands of walkers with unequal
weights are resampled. log Z_t is log Z of the base + log mean exp(log-weight). Z_t is unbiased if the parameters do not
depend on the walkers; the gradient uses other particles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import logsumexp, ndtri, stdtrit

from logzoo.checks import one_of, share
from logzoo.io.checkpoints import Resumed
from logzoo.kernels.annealing import run_annealing
from logzoo.kernels.energies import log_f_tempered, log_z_of_base
from logzoo.kernels.filtering import (
    bridge_sampling,
    importance_sampling,
    mean_by_ladder,
    predicted,
    step_by_occupancy,
    updated,
)
from logzoo.kernels.fixed_point import new_chains
from logzoo.kernels.gibbs import forget_hidden, start_chains
from logzoo.kernels.resampling import follow_parameters
from logzoo.samplers.tempering_chains import OCCUPANCY_FLOOR

if TYPE_CHECKING:
    from logzoo.kernels.exchanges import Exchanges
    from logzoo.kernels.gibbs import Parameters
    from logzoo.samplers.replicas import ParallelTempering


class KalmanTracker(Resumed):
    """Follows log Z of an RBM while parallel tempering trains it."""

    # Variance of a step of the bias, as a multiple of the learning rate (Desjardins et al. 2011, section 4).
    bias_variance = 1e-3
    # Initial standard deviation of log Z, in nats, at the first parameters and at a new rung.
    doubt = 10.0
    # The tracker needs two particles at each rung, because errors come from the spread between particles.
    fewest_particles = 2
    all_pairs, all_rungs = True, False
    columns = {
        "log_z": ("tracked log partition function", "nat"),
        "log_z_std_dev": ("standard deviation by the filter, for independent bridges: up to sqrt(2) too small", "nat"),
        "bias": ("bias of the observed change at beta = 1", "nat"),
        "observed_change": ("change of log Z at beta = 1 since the last update, by importance sampling", "nat"),
        "observed_change_std_dev": ("standard deviation of the observed change", "nat"),
        "bridged_log_z": ("log Z by bridge sampling across the ladder at this update alone", "nat"),
        "bridged_log_z_std_dev": ("standard deviation of the bridged log Z", "nat"),
        "summed_log_z": ("log Z of the base plus all observed changes so far", "nat"),
    }
    _kept = ("mean", "covariance", "log_f", "observed")

    def __init__(self) -> None:
        # The state: log Z at rungs 2 to M in nats, then the bias. It is empty until the first parameters are loaded.
        self.mean, self.covariance = np.empty(0), np.empty((0, 0))
        self.log_f = np.empty(0)
        self.observed = np.zeros(5)  # values of the last five columns

    def parameters_changed(self, particles: ParallelTempering, learning_rate: float) -> None:
        """Follow the change of log Z from the last parameters to the parameters that the particles have now loaded."""
        if not self.mean.size:
            self.observed[4] = particles.log_z_base()
            free = particles.betas.size - 1
            self.mean = np.append(np.full(free, self.observed[4]), 0.0)
            self.covariance = np.diag(np.append(np.full(free, self.doubt**2), 0.0))
            return
        change, variance = importance_sampling(self.log_f, particles.log_f())
        step = self.bias_variance * learning_rate
        self.mean, self.covariance = predicted(self.mean, self.covariance, change, variance, step)
        self.observed[:2] = change[-1], np.sqrt(variance[-1])
        self.observed[4] += change[-1]

    def particles_moved(self, particles: ParallelTempering, exchanges: Exchanges) -> None:
        """Update the state by the Exchanges of all pairs: differences of log f between rungs after every sweep."""
        log_z_base = particles.log_z_base()
        at_rungs = np.append(log_z_base, self.mean[:-1])
        up, down = (steps.reshape(-1, at_rungs.size - 1) for steps in (exchanges.up, exchanges.down))
        differences, variance, of_sum = bridge_sampling(up, down, np.diff(at_rungs), particles.count)
        self.mean, self.covariance = updated(self.mean, self.covariance, log_z_base, differences, variance)
        self.log_f = particles.own_log_f(exchanges)
        self.observed[2:4] = log_z_base + differences.sum(), np.sqrt(of_sum)

    def rung_inserted(self, rung: int, particles: ParallelTempering) -> None:
        """Add a rung that the ladder has gained; its log Z starts at the mean of log Z of the two neighbours."""
        at_rungs = np.append(particles.log_z_base(), self.mean[:-1])
        row = rung - 1
        self.mean = np.insert(self.mean, row, 0.5 * (at_rungs[rung - 1] + at_rungs[rung]))
        self.covariance = np.insert(np.insert(self.covariance, row, 0.0, axis=0), row, 0.0, axis=1)
        self.covariance[row, row] = self.doubt**2
        self.log_f = particles.log_f()

    @property
    def reading(self) -> dict[str, Any]:
        """The numbers that go into a trace, by column."""
        numbers = (self.mean[-2], np.sqrt(self.covariance[-2, -2]), self.mean[-1], *self.observed)
        return dict(zip(self.columns, numbers, strict=True))


class RtsTracker(Resumed):
    """Follows log Z of an RBM from the Rao-Blackwellised occupancy of tempering."""

    columns = {
        "log_z": ("tracked log partition function", "nat"),
        "log_z_std_dev": ("standard error of the tracked log Z over the chains, without its lag", "nat"),
        "occupancy_error": ("largest difference between occupancy and prior at this update, times rungs", "1"),
    }
    all_pairs, all_rungs = False, True
    _kept = ("log_z_hat", "log_z_base", "influence", "occupancy_error")

    def __init__(self, alpha: float = 0.2) -> None:
        self.alpha = share("alpha", alpha, or_one=True)
        self.log_z_hat = np.empty(0)  # (rung,) relative to the first rung
        self.log_z_base = 0.0
        self.influence = np.empty(0)  # (part, rung) influence of each independent part of the chains on log Zhat
        self.occupancy_error = 1.0

    def parameters_changed(self, particles: ParallelTempering, learning_rate: float) -> None:
        """Start with log Zhat 0; later do nothing, because the next draws reflect the change of log Z."""
        if not self.log_z_hat.size:
            self.log_z_hat = np.zeros(particles.betas.size)

    def particles_moved(self, particles: ParallelTempering, exchanges: Exchanges) -> None:
        """Update log Zhat by log f of all chains at all rungs; every rung has the same number of chains."""
        rungs = exchanges.log_f.shape[-1]
        # The chains of a ladder count as one draw, because they are stratified over the rungs.
        occupancy, overlaps = np.empty((len(exchanges.log_f), rungs)), np.empty((rungs, rungs))
        mean_by_ladder(exchanges.log_f, self.log_z_hat, occupancy, overlaps)
        self.follow(occupancy, np.full(rungs, 1.0 / rungs), particles.log_z_base(), overlaps)

    def follow(
        self, occupancy: np.ndarray, prior: np.ndarray, log_z_base: float, overlaps: np.ndarray | None = None
    ) -> None:
        """Update log Zhat by the occupancy (part, rung) of independent parts of the chains.

        prior (rung,): r of the module text. overlaps: as in `step_by_occupancy`.
        """
        if not self.influence.size:
            self.influence = np.zeros(occupancy.shape)
        self.log_z_base = log_z_base
        overlaps = np.empty((0, 0)) if overlaps is None else overlaps
        step = self.alpha, OCCUPANCY_FLOOR, self.log_z_hat, self.influence
        self.occupancy_error = prior.size * step_by_occupancy(occupancy, overlaps, prior, *step)

    def rung_inserted(self, rung: int, particles: ParallelTempering) -> None:
        """Add a rung that the ladder has gained; it starts at the mean log Zhat and influence of its two neighbours."""
        for name in ("log_z_hat", "influence"):
            array = getattr(self, name)
            guess = 0.5 * (array[..., rung - 1] + array[..., rung])
            setattr(self, name, np.insert(array, rung, guess, axis=-1))

    @property
    def log_z(self) -> tuple[float, float]:
        """log Z and its standard error, in nats; the error of a single part of the chains is NaN."""
        count = len(self.influence)
        error = self.influence[:, -1].std(ddof=1) / np.sqrt(count) if count > 1 else np.nan
        return self.log_z_base + float(self.log_z_hat[-1]), float(error)

    @property
    def reading(self) -> dict[str, Any]:
        """The numbers that go into a trace, by column."""
        return dict(zip(self.columns, (*self.log_z, self.occupancy_error), strict=True))


# Number of independent islands of walkers, and the share of effective walkers below which an island is resampled.
_ISLANDS, _SHARE = 10, 0.3
# Largest variance of logarithms that is used, so that its exponential does not overflow.
_LARGEST_VARIANCE = 100.0
# Number of sweeps in which walkers are annealed from independent units to the first parameters.
_FIRST = 100


class JarzynskiTracker(Resumed):
    """Follows log Z of an RBM with `walkers` chains; `spent` counts their sweeps, summed over the chains."""

    columns = {
        "log_z": ("tracked log partition function", "nat"),
        "log_z_std_dev": ("standard error over islands of walkers", "nat"),
        "islands_effective": ("effective number of islands behind the tracked log partition function", "1"),
    }
    _kept = ("log_weight", "log_f", "family", "spent", "log_z_base", "chains.v")

    def __init__(
        self, walkers: int, visible: int, hidden: int, key: np.uint64, first: int = _FIRST, islands: int = _ISLANDS
    ) -> None:
        self.key, self.first = key, first
        self.chains = new_chains(walkers, visible, hidden)
        self.log_weight, self.log_f, self.family = np.zeros(walkers), np.empty(0), np.arange(walkers)
        islands = min(islands, walkers // 2)
        self.island = np.arange(walkers) * islands // walkers
        self.spent, self.log_z_base = 0, 0.0

    def follow(self, parameters: Parameters, update: int) -> None:
        """Move the walkers to `parameters`, from which the update starts."""
        if not self.log_f.size:
            self._begin(parameters)
            return
        state = self.chains, self.log_f, self.log_weight, self.family, self.island
        follow_parameters(parameters, self.key, self.first + update, _SHARE, *state)
        self.spent += self.log_weight.size

    def _begin(self, parameters: Parameters) -> None:
        # From uniform units, log Z of 784 x 6 units at the marginals of sparse data would be 1 nat too low.
        parameters = parameters._replace(base=parameters.visible_bias)
        start_chains(parameters, self.key, parameters.base, self.chains)
        self.log_z_base = log_z_of_base(parameters, self.chains.v.shape[1], self.chains.h.shape[1])
        # The step to the last rung makes no sweep, so an unused rung follows beta = 1.
        betas = np.append(np.linspace(0.0, 1.0, self.first + 1), np.inf)
        run_annealing(parameters, betas, self.key, 1, self.first + 1, self.chains, self.log_weight)
        self.log_f = np.empty(self.log_weight.size)
        log_f_tempered(parameters, np.ones(self.log_f.size, np.float32), self.chains, self.log_f)
        self.spent += self.first * self.log_weight.size

    def spread(self, parameters: Parameters) -> float:
        """Standard deviation over the walkers of the log-weight that a step to these parameters would add."""
        values = np.empty(self.log_weight.size)
        forget_hidden(parameters, self.chains)
        log_f_tempered(parameters, np.ones(values.size, np.float32), self.chains, values)
        return float(np.std(values - self.log_f))

    @property
    def log_means(self) -> np.ndarray:
        """Logarithm of the mean weight (island,) of each island, in nats."""
        islands = (self.log_weight[self.island == number] for number in range(self.island[-1] + 1))
        return np.array([logsumexp(island) - np.log(island.size) for island in islands])

    @property
    def reading(self) -> dict[str, Any]:
        """The numbers that go into a trace, by column."""
        of_island = self.log_means
        log_z = self.log_z_base + float(logsumexp(of_island)) - np.log(of_island.size)
        relative = np.exp(of_island - of_island.max())
        effective = float(relative.sum() ** 2 / np.square(relative).sum())
        return dict(zip(self.columns, (float(log_z), relative_error(of_island), effective), strict=True))


def relative_error(log_values: np.ndarray) -> float:
    """Relative standard error of the mean of exp(log_values) (n,), from the spread of the values or of log_values.

    The larger of the two errors is used, because few values do not show the tail. This error is multiplied by the ratio
    of Student's 95% interval to the normal interval.
    """
    relative = np.exp(log_values - log_values.max())
    spread = relative.std(ddof=1) / relative.mean()
    log_normal = np.sqrt(np.expm1(min(float(np.var(log_values, ddof=1)), _LARGEST_VARIANCE)))
    student = stdtrit(log_values.size - 1, 0.975) / ndtri(0.975)
    return float(student * max(spread, log_normal) / np.sqrt(log_values.size))


def tracker(tracker: Any) -> KalmanTracker | RtsTracker:
    """A new tracker by name, or the argument itself if it is a tracker; raises ValueError for other arguments."""
    classes = {"kalman": KalmanTracker, "rts": RtsTracker}
    if isinstance(tracker, tuple(classes.values())):
        if tracker.state[tracker._kept[0]].size:
            raise ValueError("tracker: expected a new tracker, found one of an earlier training")
        return tracker
    return classes[one_of("tracker", tracker, classes)]()
