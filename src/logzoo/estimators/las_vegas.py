"""Las Vegas: log Z from the mean length of tours that leave a stopping set drawn from data and return to it.

Savarese, Kakodkar & Ribeiro (2018), corollary 2: Z = Z_S E[length]. With tours that were cut, the ratio (sweeps of all
tours) / (tours that finished) lies below E[length] on average: Gibbs sampling is reversible and its kernel positive,
so the sweeps still ahead of a tour that is out are at least those of a new one. Cost: one sweep for each hidden state
drawn (p(h | v), then f(h), the two halves of a sweep), and the sweeps of the tours.
"""

import numpy as np
from scipy.special import gammaincinv

from logzoo.checks import binary_matrix, whole_number
from logzoo.estimators.intervals import check_spread
from logzoo.estimators.options import merged
from logzoo.estimators.result import Estimate
from logzoo.paths import kernel_parameters
from logzoo.samplers.tours import TourSampler, stopping_set

DEFAULTS = {
    "data": None,
    "rounds": None,
    "cap": None,
    "tours": None,
    "base": None,
    "threads": 1,
    "progress": False,
}
