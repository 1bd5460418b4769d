"""What every estimator returns, and the vocabulary of its diagnostics."""

import math
from dataclasses import dataclass, field

import numpy as np

# name -> (long name, unit); the only diagnostics an estimator may report.
DIAGNOSTICS = {
    "effective_sample_size": ("effective number of independent draws behind the estimate", "1"),
    "occupancy_error": ("K max_k |r_k - c_k|: distance of the rung occupancy from its prior", "1"),
    "round_trips": ("round trips between the ends of the ladder, mean per chain", "1"),
    "round_trip_rate": ("round trips between the ends of the ladder per 1000 sweeps of a chain", "1"),
    "autocorrelation_time": ("autocorrelation time of beta, from the spread of its means over chains", "sweep"),
    "bootstrap_std_error": ("standard error of log Z by the bootstrap over chains", "nat"),
    "bridge_offset": ("largest distance of a ratio from the one that its bridge was built for", "nat"),
    "delta_bias": ("bias of log Z by the delta method, from the spread over chains", "nat"),
    "delta_std_error": ("standard error of log Z by the delta method, from the spread over chains", "nat"),
    "drift": ("log Z from the second half of the sampling phase less that from the first, in standard errors", "1"),
    "effective_trajectories": ("effective reverse trajectories from a data vector, mean over vectors", "1"),
    "exchange_rate": ("share of exchanges made by the pair of neighbouring rungs that makes the fewest", "1"),
    "initial_iterations": ("initial iterations made", "1"),
    "initial_rule_met": ("stopping rule of the initial iterations held", "1"),
    "rule_error": ("error of the integration rule, from every other rung or from a finer rule", "nat"),
    "tours": ("tours that returned to the stopping set", "1"),
    "tours_cut": ("tours cut before they returned", "1"),
    "longest_tour": ("length of the longest tour", "sweep"),
    "stopping_states": ("distinct hidden states of the stopping set", "1"),
    "probes_lost": ("chains from uniform hidden states that did not find the stopping set", "1"),
    "share_missed": ("share of Z around the chains that did not find the stopping set", "1"),
    "interpolation_error": ("largest error of interpolated log-densities on the final states", "nat"),
}
# name -> (long name, unit, dimensions); the only profiles: diagnostics that are arrays.
PROFILES = {
    "bootstrap_quantiles": (
        "2.5, 16, 50, 84 and 97.5% quantiles of log Z over chains drawn with replacement",
        "nat",
        ("quantile",),
    ),
    "transition_matrix": (
        "share of moves from one part of the ladder to another, parts being neighbouring rungs",
        "1",
        ("part_before", "part_after"),
    ),
}


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """An estimate of log Z in nats, with its standard error and 95% interval over chains."""

    log_z: float
    std_error: float
    interval: tuple[float, float]
    converged: bool
    form: str = "marginal"  # of the densities behind it: hidden units summed out (marginal) or not (joint)
    diagnostics: dict = field(default_factory=dict)
    profiles: dict[str, np.ndarray] = field(default_factory=dict, compare=False)
    # What the list of estimators fills in: the name there, and from the ledger sweeps per chain for all purposes.
    method: str = ""
    sweeps: int = 0
    chains: int = 0

    def __post_init__(self):
        for given, known in ((self.diagnostics, DIAGNOSTICS), (self.profiles, PROFILES)):
            unknown = set(given) - set(known)
            if unknown:
                raise ValueError(f"undeclared diagnostics {', '.join(sorted(unknown))}")
        if not math.isfinite(self.log_z):
            raise ValueError(f"log Z came out as {self.log_z}: the weights overflow or vanish")
