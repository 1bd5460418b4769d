"""Track log Z of an RBM along a user's own training loop."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logsumexp

from logzoo.budgets import SweepLedger
from logzoo.checks import positive_number, real_array, shown, whole_number
from logzoo.estimators.evidence import gather, weighed
from logzoo.estimators.result import REACH, Estimate, reasons_of
from logzoo.estimators.weights import variance_is_unreliable
from logzoo.kernels.fixed_point import fixed_point_parameters
from logzoo.models.rbm import PARAMETERS, RBM
from logzoo.paths import check_rounding
from logzoo.scoring import MeanLogLikelihood, mean_log_likelihood
from logzoo.streams import root_stream
from logzoo.training.trackers import JarzynskiTracker, relative_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logzoo.kernels.gibbs import Parameters
    from logzoo.types import ArrayLike, Seed

# Standard deviation in nats that a step may add to the log-weights, and the largest number of steps in a followed call.
_SPREAD, _MOST_STEPS = 0.3, 5
_COHORTS = 10
# With 100 walkers and 20 sweeps, 28 of 139 log Z without a reason were wrong. With 200 walkers and 100 sweeps, none of
# 84 were wrong.
_FEWEST_WALKERS, _FEWEST_SWEEPS = 200, 100
# An untrained RBM gets no evidence. The RBM counts as untrained if the log-weights of each cohort, relative to
# independent units, have a mean size of at most _UNTRAINED nats.
_UNTRAINED = 3.0


class LogZTracker:
    """Track log Z of an RBM along your own training loop, by separate chains (walkers).

    Ten cohorts of walkers are annealed to the first parameters and then follow the training (Jarzynski 1997; Carbone et
    al. 2023). Every ``every``-th call of `update` changes the walkers' weights and makes one sweep, or up to five if
    the parameters have changed much. About as many sweeps go to new cohorts, which replace the oldest cohorts.
    The standard error is the spread between cohorts, not the error of their mean, because old cohorts share a bias.
    If the first RBM is trained, its log Z is also checked against rigorous bounds and annealed chains.

    Parameters
    ----------
    rbm : RBM, or tuple of arrays
        The parameters at the start: weights (visible, hidden), visible bias, hidden bias.
    walkers : int
        Number of walkers, at least 200; it is rounded down to a multiple of ten. Prefer many walkers and a large
        ``every`` to few walkers and a small ``every``.
    every : int
        Number of calls of `update` from one followed call to the next.
    sweeps : int
        Number of Gibbs sweeps in which a new cohort is annealed, at least 100.
    tolerance : float
        Largest standard error in nats without the reason ``"tolerance-missed"``.
    seed : int or str
        The same seed and updates give the same log Z.

    Attributes
    ----------
    log_z, std_error : float
        log Z in nats at the last followed update, and its standard error.
    reasons : tuple of str
        Names of the failed checks. ``"one-way"``: the walkers of a cohort were annealed along the same path.
        ``"steep"``: a cohort was annealed in too few sweeps. ``"tolerance-missed"``: the standard error is too large.
        ``"parameters"``: the parameters are not finite, or the kernels would round them too much; log Z is NaN.
        ``"below-bound"`` and others: evidence contradicted the first log Z. Later log Z keep this reason, until
        new walkers start after ``"parameters"``.
    followed : int
        Number of calls of `update` up to the last followed call.
    sweeps : int
        Gibbs sweeps spent, summed over the walkers and the chains of the evidence.
    seconds : float
        Processor seconds spent.

    Raises
    ------
    ValueError
        For impossible sizes and parameters.

    Notes
    -----
    The interval holds if no mode was missed. Walkers that start at a trained RBM are more likely to miss a mode than
    walkers that start before the training. A tracker that is pickled with a training continues with bit-identical
    results.

    Examples
    --------
    >>> import numpy as np
    >>> from logzoo import RBM, LogZTracker, exact_log_z
    >>> weights, visible_bias, hidden_bias = np.zeros((6, 3)), np.zeros(6), np.zeros(3)
    >>> tracker = LogZTracker((weights, visible_bias, hidden_bias), every=10)
    >>> for _ in range(40):
    ...     weights += 0.02  # a step of your own
    ...     tracker.update(weights, visible_bias, hidden_bias)
    >>> abs(tracker.log_z - exact_log_z(RBM(weights, visible_bias, hidden_bias))) < 0.1
    True
    """

    def __init__(
        self,
        rbm: RBM | Sequence[ArrayLike],
        *,
        walkers: int = 600,
        every: int = 200,
        sweeps: int = 100,
        tolerance: float = 1.0,
        seed: Seed = 0,
    ) -> None:
        rbm = rbm if isinstance(rbm, RBM) else _rbm_of(rbm)
        self._size = whole_number("walkers", walkers, minimum=_FEWEST_WALKERS) // _COHORTS
        self._every = whole_number("every", every)
        self._first = whole_number("sweeps", sweeps, minimum=_FEWEST_SWEEPS)
        self._tolerance = positive_number("tolerance", tolerance)
        self._stream = root_stream(seed).child("tracker")
        # Numbers of cohorts started, of calls of `update`, and of steps of the walkers.
        self._starts = self._calls = self._steps = 0
        self._owed = 0  # sweeps that followed the training minus sweeps of new cohorts, since the last fresh start
        self._shape, self.followed, self.sweeps, self.seconds = rbm.weights.shape, 0, 0, 0.0
        self._lose()
        begun = time.process_time()
        self._follow(rbm)
        self.seconds += time.process_time() - begun

    def update(self, weights: ArrayLike, visible_bias: ArrayLike, hidden_bias: ArrayLike) -> None:
        """Take the parameters after a step: arrays (visible, hidden), (visible,), (hidden,), or tensors.

        Followed calls raise ValueError if the shapes differ from the shapes at the start.
        """
        self._calls += 1
        if self._calls % self._every:
            return
        begun = time.process_time()
        arrays = _arrays((weights, visible_bias, hidden_bias))
        shapes, expected = [array.shape for array in arrays], [self._shape, self._shape[:1], self._shape[1:]]
        if shapes != expected:
            raise ValueError(f"update: expected arrays of shapes {expected}, as at the start, found {shapes}")
        if all(np.isfinite(array).all() for array in arrays):
            self._follow(RBM(*arrays))
        else:
            self._lose()
        self.followed = self._calls
        self.seconds += time.process_time() - begun

    @property
    def interval(self) -> tuple[float, float]:
        """95% interval of log Z in nats at the last followed update."""
        return self.log_z - REACH * self.std_error, self.log_z + REACH * self.std_error

    def log_likelihood(self, v: ArrayLike) -> MeanLogLikelihood:
        """Mean log-likelihood in nats of rows of 0 and 1, (examples, visible), at the last followed update.

        See `mean_log_likelihood`. All values are NaN while there are `reasons`. Otherwise data that do not fit raise
        ValueError.
        """
        if self.reasons:
            return MeanLogLikelihood(math.nan, (math.nan, math.nan), math.nan)
        return mean_log_likelihood(self._rbm, v, self)

    def __repr__(self) -> str:
        state = f", not converged: {', '.join(self.reasons)}" if self.reasons else " if no mode was missed, converged"
        low, high = self.interval
        text = f"log Z = {self.log_z:.4f} nat at update {self.followed}, 95% interval {low:.4f} to {high:.4f}{state}"
        return f"LogZTracker({text}; {self.sweeps} sweeps, {self.seconds:.1f} s)"

    @np.errstate(all="ignore")  # a user may have turned overflow into an exception, which would end the training
    def _follow(self, rbm: RBM) -> None:
        try:
            check_rounding(rbm)
        except ValueError:
            self._lose()
            return
        if self._cohorts:
            self._go_on(rbm)
        else:
            self._cohorts = [self._started(rbm) for _ in range(_COHORTS)]
        self._rbm = rbm
        log_z = np.array([cohort.log_z for cohort in self._cohorts])
        # The error of a single cohort: averaging over cohorts does not reduce a drift that they share.
        self.std_error = relative_error(log_z) * math.sqrt(log_z.size)
        self.log_z = float(logsumexp(log_z) - math.log(log_z.size))
        missed = not self.std_error <= self._tolerance
        if self._contradictions is None:
            self._contradictions = self._contradicted_by(rbm)
            self._owed = 0
        signs = {name: any(cohort.signs[name] for cohort in self._cohorts) for name in self._cohorts[0].signs}
        self.reasons = reasons_of({**signs, "tolerance-missed": missed, **self._contradictions})

    def _contradicted_by(self, rbm: RBM) -> dict[str, bool]:
        """The reasons by which evidence contradicts log Z; none if the RBM is close to independent units."""
        if max(np.abs(cohort.walkers.log_weight).mean() for cohort in self._cohorts) <= _UNTRAINED:
            return {}
        ledger = SweepLedger(None, 1)
        evidence = gather(rbm, self._stream.child("evidence", self._starts), ledger, tempered=False)
        self.sweeps += ledger.chain_sweeps
        first = Estimate(log_z=self.log_z, std_error=self.std_error, interval=self.interval, reasons=())
        return dict.fromkeys(weighed(first, evidence).reasons, True)

    def _started(self, rbm: RBM) -> _Cohort:
        """A new cohort at these parameters."""
        self._starts += 1
        self.sweeps += self._first * self._size
        self._owed -= self._first * self._size
        return _Cohort(self._size, rbm, self._stream.child(self._starts).key, self._first)

    def _go_on(self, rbm: RBM) -> None:
        """Follow the change from the last RBM to this RBM in steps along a line, and replace the oldest cohorts."""
        last = _on_path(self._rbm, rbm, 1.0)
        spread = max(cohort.walkers.spread(last) for cohort in self._cohorts)
        steps = max(math.ceil(min(_MOST_STEPS, spread / _SPREAD)), 1)  # the most if the spread is NaN
        for step in range(1, steps + 1):
            parameters = _on_path(self._rbm, rbm, step / steps)
            self._steps += 1
            for cohort in self._cohorts:
                cohort.walkers.follow(parameters, self._steps)
        self.sweeps += steps * _COHORTS * self._size
        self._owed += steps * _COHORTS * self._size
        while self._owed > 0:
            self._cohorts = [*self._cohorts[1:], self._started(rbm)]

    def _lose(self) -> None:
        """Discard the walkers; the next usable parameters start new walkers."""
        self._cohorts: list[_Cohort] = []
        self._contradictions: dict[str, bool] | None = None
        self.log_z, self.std_error, self.reasons = math.nan, math.nan, ("parameters",)


class _Cohort:
    """Walkers that were annealed to an RBM together. `signs` holds the checks of `variance_is_unreliable`."""

    def __init__(self, size: int, rbm: RBM, key: np.uint64, sweeps: int) -> None:
        self.walkers = JarzynskiTracker(size, rbm.visible, rbm.hidden, key, first=sweeps, islands=1)
        self.walkers.follow(_on_path(rbm, rbm, 1.0), 0)
        self.signs = variance_is_unreliable(rbm, self.walkers.log_weight, SweepLedger(sweeps, size))

    @property
    def log_z(self) -> float:
        """log Z by these walkers, in nats."""
        (log_mean,) = self.walkers.log_means
        return self.walkers.log_z_base + float(log_mean)


def _rbm_of(parameters: Sequence[ArrayLike]) -> RBM:
    """The RBM with these three parameters."""
    try:
        weights, visible_bias, hidden_bias = parameters
    except (TypeError, ValueError):
        expected = "an RBM or a tuple (weights, visible_bias, hidden_bias)"
        raise ValueError(f"rbm: expected {expected}, found {shown(parameters)}") from None
    return RBM(weights, visible_bias, hidden_bias)


@np.errstate(over="ignore")  # longdouble numbers beyond float64 become infinite
def _arrays(parameters: Sequence[ArrayLike]) -> list[np.ndarray]:
    named = zip(PARAMETERS, parameters, strict=True)
    weights, *biases = (np.asarray(real_array(f"update: {name}", array), np.float64) for name, array in named)
    # As in an RBM, a bias may be a row or a column.
    return [weights, *(bias.ravel() if bias.ndim == 2 and 1 in bias.shape else bias for bias in biases)]


def _on_path(before: RBM, after: RBM, share: float) -> Parameters:
    """Kernel parameters at the fraction `share` of the line from one RBM to another, with the visible bias as base."""
    pairs = ((getattr(before, name), getattr(after, name)) for name in PARAMETERS)
    arrays = [end if share == 1.0 else start + share * (end - start) for start, end in pairs]
    return fixed_point_parameters(arrays[0], arrays[1], arrays[2], arrays[1])
