"""log Z while training, by walkers of its own: annealed importance sampling along the training.

Jarzynski (1997); for RBMs Carbone, Hua, Coste & Vanden-Eijnden (2023). At every update the log-weight of a walker grows
by log f_{t+1}(v) - log f_t(v), then it makes a sweep at the new parameters; log Z_t = log Z_0 + log mean
exp(log-weight), without bias in Z as long as the parameters do not depend on the walkers: the particles of the gradient
are others.
"""

import numpy as np
from scipy.special import logsumexp, ndtri, stdtrit

from logzoo.io.resumed import Resumed
from logzoo.kernels.annealing import run_annealing
from logzoo.kernels.energies import log_f_tempered, log_z_of_base
from logzoo.kernels.fixed_point import new_chains
from logzoo.kernels.gibbs import start_chains
from logzoo.kernels.resampling import follow_parameters

# Islands of walkers that know nothing of one another, and the share of effective ones below which these are resampled.
_ISLANDS, _SHARE = 10, 0.3
# Beyond this variance of logs a standard error says nothing more.
_LARGEST_VARIANCE = 100.0
# Sweeps from independent units to the parameters that the training starts from.
_FIRST = 100


class JarzynskiTracker(Resumed):
    """Follows log Z of an RBM by so many walkers; `spent` has their sweeps, summed over them."""

    columns = {
        "log_z": ("tracked log partition function", "nat"),
        "log_z_std_dev": ("standard error over islands of walkers", "nat"),
        "islands_effective": ("effective number of islands behind the tracked log partition function", "1"),
    }
    _kept = ("log_weight", "log_f", "family", "spent", "log_z_base")

    def __init__(self, walkers, visible, hidden, key):
        self.key = key
        self.chains = new_chains(walkers, visible, hidden)
        self.log_weight, self.log_f, self.family = np.zeros(walkers), None, np.arange(walkers)
        islands = min(_ISLANDS, walkers // 2)
        self.island = np.arange(walkers) * islands // walkers
        self.spent, self.log_z_base = 0, 0.0

    def follow(self, parameters, update):
        """Go on to these parameters, those that an update starts from."""
        if self.log_f is None:
            self._begin(parameters)
            return
        state = self.chains, self.log_f, self.log_weight, self.family, self.island
        follow_parameters(parameters, self.key, _FIRST + update, _SHARE, *state)
        self.spent += self.log_weight.size

    def _begin(self, parameters):
        start_chains(parameters, self.key, parameters.base, self.chains)
        self.log_z_base = log_z_of_base(parameters, self.chains.v.shape[1], self.chains.h.shape[1])
        # The rung beyond the last step, so that every step here ends in a sweep.
        betas = np.append(np.linspace(0.0, 1.0, _FIRST + 1), np.inf)
        run_annealing(parameters, betas, self.key, 1, _FIRST + 1, self.chains, self.log_weight)
        self.log_f = np.empty(self.log_weight.size)
        log_f_tempered(parameters, np.ones(self.log_f.size, np.float32), self.chains, self.log_f)
        self.spent += _FIRST * self.log_weight.size

    @property
    def reading(self):
        """The numbers that go into a trace, by column."""
        of_island = np.array([logsumexp(own) - np.log(own.size) for own in self._islands()])
        log_z = self.log_z_base + float(logsumexp(of_island)) - np.log(of_island.size)
        relative = np.exp(of_island - of_island.max())
        effective = float(relative.sum() ** 2 / np.square(relative).sum())
        return dict(zip(self.columns, (float(log_z), relative_error(of_island), effective), strict=True))

    def _islands(self):
        return (self.log_weight[self.island == number] for number in range(self.island[-1] + 1))

    @property
    def state(self):
        """What a checkpoint holds."""
        return {**super().state, "v": self.chains.v.copy()}

    def restore(self, state):
        """Go on from a `state`, to the same bits."""
        super().restore(state)
        self.chains.v[...] = state["v"]


def relative_error(log_values):
    """Standard error of the mean of exp(log_values) (n,) relative to it: from their spread, or from that of their logs.

    The larger one: few values do not show the tail that decides. Wider, as Student's interval is than the normal one.
    """
    relative = np.exp(log_values - log_values.max())
    spread = relative.std(ddof=1) / relative.mean()
    log_normal = np.sqrt(np.expm1(min(float(np.var(log_values, ddof=1)), _LARGEST_VARIANCE)))
    student = stdtrit(log_values.size - 1, 0.975) / ndtri(0.975)
    return float(student * max(spread, log_normal) / np.sqrt(log_values.size))
