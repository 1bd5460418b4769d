"""Las Vegas: log Z from the mean length of tours, which leave a stopping set and return to it.

The stopping set is drawn from data. Savarese, Kakodkar & Ribeiro (2018), corollary 2: Z = Z_S E[length], with Z_S the
sum of f over the stopping set. If tours were cut, the ratio (sweeps of all tours) / (tours that finished) lies below
E[length] on average. The Gibbs kernel is reversible and positive. On average, an unfinished tour therefore needs at
least as many further sweeps as a whole new tour.
Cost: the sweeps of tours and probes (chains from uniform hidden states), and a sweep per draw of the stopping set.
"""

from typing import Any

import numpy as np
from scipy.special import expit

from logzoo.budgets import SweepLedger
from logzoo.checks import binary_matrix
from logzoo.estimators.intervals import effective_number, student_interval
from logzoo.estimators.result import REACH, Estimate, reasons_of
from logzoo.models.rbm import RBM
from logzoo.samplers.tour_chains import Tours, run
from logzoo.streams import Stream
from logzoo.types import ArrayLike

# Smallest effective number of tours for a mean of lengths.
_FEWEST_TOURS = 10
# Largest share of Z that the stopping set may miss. The standard error of log Z is the limit if it is smaller.
_LARGEST_MISS = 0.05


def estimate(
    rbm: RBM,
    ledger: SweepLedger,
    stream: Stream,
    *,
    data: ArrayLike | None = None,
    base: ArrayLike | str | None = None,
    **options: Any,
) -> Estimate:
    """Estimate log Z by the lengths of tours, with the error from the spread over tours.

    data: a 0/1 matrix (examples, visible), required. base: not used, because there is no path. Other options: as in
    `logzoo.samplers.tour_chains.run`. The estimate is converged if no tour was cut and the effective number of tours is
    at least 10. Probes must also find little mass that the stopping set misses. Otherwise log Z is likely too low, and
    the interval reaches up to a rigorous bound. Raises ValueError for missing or bad data, impossible options, and too
    small a budget.
    """
    if data is None:
        raise ValueError("data: expected a 0/1 matrix (examples, visible) to draw from, found none")
    return _estimate_of(rbm, run(rbm, ledger, stream, binary_matrix("data", data, visible=rbm.visible), **options))


def _estimate_of(rbm, draws):
    tours = draws.tours
    mean, std_error = mean_length(tours)
    log_z = draws.stopping.log_z + float(np.log(mean))
    low, high = student_interval(log_z, std_error, tours.length.size + 1)
    returned = int(tours.finished.sum())
    cut = tours.length.size - returned
    effective = float(effective_number(np.log(tours.length)))
    # Share of Z around the probes that did not find the stopping set.
    missed = float(expit(draws.probes.log_mass - log_z))
    reasons = reasons_of(
        {
            "tours-cut": cut > 0,
            "share-missed": missed > min(std_error, _LARGEST_MISS),
            "few-tours": effective < _FEWEST_TOURS,
        }
    )
    if reasons:
        high = max(high, upper_bound(rbm))
        std_error = (high - low) / (2.0 * REACH)
    return Estimate(
        log_z=log_z,
        std_error=std_error,
        interval=(low, high),
        reasons=reasons,
        diagnostics={
            "effective_sample_size": effective,
            "tours": returned,
            "tours_cut": cut,
            "longest_tour": int(tours.length.max()),
            "stopping_states": draws.stopping.size,
            "probes_lost": draws.probes.lost,
            "share_missed": missed,
        },
    )


def mean_length(tours: Tours) -> tuple[float, float]:
    """Return the mean length of Tours and the standard error of the logarithm of the mean.

    The mean is too small on average if tours were cut. The error is the standard error of a ratio of means over the
    tours and one added tour. The added tour stands for rare long tours that were not drawn. Its distance from the mean
    is the largest distance of any tour, and at least one sweep.
    """
    returned = max(int(tours.finished.sum()), 1)
    mean = tours.length.sum() / returned
    off = tours.length - mean * tours.finished
    farthest = max(np.abs(off).max(), 1.0)
    count = off.size
    variance = (np.square(off).sum() + farthest**2) * (count + 1) / count
    return float(mean), float(np.sqrt(variance) / returned / mean)


def upper_bound(rbm: RBM) -> float:
    """A rigorous upper bound of log Z in nats, by chords of softplus.

    With x_i = c_i + sum_j w_ij h_j in [low_i, high_i], log f(h) = b.h + sum_i softplus(x_i). softplus is convex, so it
    lies below its chord over that range. The chord is linear in h, so the sum over h has a closed form. The bound with
    the layers exchanged is computed, too. Returns the smaller bound, or infinity if both overflow.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        bounds = np.array([_chord_bound(near) for near in (rbm, rbm.transposed)])
    return float(np.min(bounds, initial=np.inf, where=np.isfinite(bounds)))


def _chord_bound(rbm):
    """The upper bound in nats by chords over the inputs of visible units."""
    low = rbm.visible_bias + np.minimum(rbm.weights, 0.0).sum(axis=1)
    high = rbm.visible_bias + np.maximum(rbm.weights, 0.0).sum(axis=1)
    ends = np.logaddexp(0.0, low), np.logaddexp(0.0, high)
    slope = np.divide(ends[1] - ends[0], high - low, out=np.zeros(low.size), where=high > low)
    chords = np.sum(ends[0] - slope * (low - rbm.visible_bias))
    return chords + np.logaddexp(0.0, rbm.hidden_bias + slope @ rbm.weights).sum()
