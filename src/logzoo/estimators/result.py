"""The result of every estimator, and the names of its diagnostics."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import xarray as xr

from logzoo.estimators.intervals import student_interval
from logzoo.io.schema import coordinate, labelled
from logzoo.printing import html_table
from logzoo.types import Array

# name -> (long name, unit); the only diagnostics that an estimator may report.
DIAGNOSTICS = {
    "effective_sample_size": ("effective number of independent draws behind the estimate", "1"),
    "occupancy_error": ("K max_k |r_k - c_k|: distance of the rung occupancy from its prior", "1"),
    "round_trips": ("round trips between the ends of the ladder, mean per chain or per replica of BAR", "1"),
    "round_trip_rate": ("round trips between the ends of the ladder per 1000 sweeps of a chain", "1"),
    "autocorrelation_time": ("autocorrelation time of beta, from the spread of its means over chains", "sweep"),
    "bootstrap_std_error": ("standard error of log Z by the bootstrap over chains", "nat"),
    "bridge_offset": ("largest distance of the log ratio of neighbouring Z from the log s of its bridge", "nat"),
    "delta_bias": ("bias of log Z by the delta method, from the spread over chains", "nat"),
    "delta_std_error": ("standard error of log Z by the delta method, from the spread over chains", "nat"),
    "drift": ("log Z of the second minus log Z of the first half of the sampling phase, in standard errors", "1"),
    "effective_trajectories": ("effective reverse trajectories from a data vector, mean over vectors", "1"),
    "exchange_rate": ("smallest share of accepted exchanges, over pairs of neighbouring rungs", "1"),
    "tail_shape": ("shape k of the generalised Pareto law of the largest weights", "1"),
    "round_trip_share": ("round trips relative to the number expected if sweeps were independent draws", "1"),
    "sandwich_gap": ("log Z by stepping stones down the ladder minus log Z by stepping stones up the ladder", "nat"),
    "sandwich_error": ("standard error of the gap between stepping stones", "nat"),
    "old_share": ("share of the states that were never at the base during the sampling", "1"),
    "spread_error": ("standard error of log Z from the spread of the drawn weights alone", "nat"),
    "rounds": ("number of rounds", "1"),
    "converged_methods": ("methods that converged in the last round", "1"),
    "initial_iterations": ("number of initial iterations", "1"),
    "initial_rule_met": ("1 if the stopping rule of the initial iterations held", "1"),
    "rule_error": ("error of the integration rule, from every other rung or from a finer rule", "nat"),
    "basins": ("basins of attraction that chains start in, each of one mode or more", "1"),
    "tours": ("tours that returned to the stopping set", "1"),
    "tours_cut": ("tours cut before they returned", "1"),
    "longest_tour": ("length of the longest tour", "sweep"),
    "stopping_states": ("distinct hidden states of the stopping set", "1"),
    "probes_lost": ("chains from uniform hidden states that did not find the stopping set", "1"),
    "share_missed": ("share of Z around the chains that did not find the stopping set", "1"),
    "solutions": ("solutions of mean field that the search found", "1"),
    "contraction": ("contraction factor of mean field; below 1 mean field has a single solution", "1"),
    "fixed_point_steps": ("steps to the fixed point", "1"),
    "interpolation_error": ("largest error of interpolated log-densities on the final states", "nat"),
}
# Profiles, the diagnostics that are arrays: name -> (long name, unit, dimensions, type in artifacts).
PROFILES = {
    "bootstrap_quantiles": (
        "2.5, 16, 50, 84 and 97.5% quantiles of log Z over chains drawn with replacement",
        "nat",
        ("quantile",),
        np.float64,
    ),
    "transition_matrix": (
        "share of moves from one part of the ladder to another; a part is a group of neighbouring rungs",
        "1",
        ("part_before", "part_after"),
        # Single precision, because the matrix takes most of an artifact and figures need no more digits.
        np.float32,
    ),
}


_OF_LOG_Z = {"bootstrap_quantiles"}  # profiles to which a constant in log Z is added
# name -> sentence, for every check that an estimate may fail. An estimate without reasons has converged.
REASONS = {
    "few-effective": "log Z depends on too few chains, or on too few draws of an end rung",
    "heavy-tail": "the largest weights are so unequal that the largest possible weights were probably not drawn",
    "one-way": "all chains followed the same path, so their variance does not measure the error",
    "steep": "log f changed by so many nats in a sweep that the chains could not follow",
    "trajectories-apart": "reverse trajectories from the same data vector disagree",
    "no-round-trips": "the chains made too few round trips between the ends of the ladder",
    "interpolation": "interpolated log-densities were too inaccurate",
    "drift": "the halves of the run disagree",
    "coarse-rule": "the rungs are too far apart for the integration rule",
    "unsettled": "the recursion for log Zhat has not converged",
    "few-exchanges": "some neighbouring rungs exchanged few states",
    "not-renewed": "many states of the ladder were never at the base during the sampling",
    "bridge-off": "the ratio of Z of neighbouring rungs is far from the ratio that their bridge assumes",
    "tours-cut": "some tours were cut before they returned",
    "few-tours": "log Z depends on too few tours",
    "share-missed": "chains from uniform hidden states found mass that the stopping set misses",
    "below-bound": "log Z lies below a rigorous lower bound",
    "above-bound": "log Z lies above a rigorous upper bound",
    "one-method-alone": "fewer than two methods converged",
    "methods-disagree": "converged methods disagree",
    "rounds-disagree": "the last two rounds disagree, or there was only one round",
    "tolerance-missed": "the budget does not suffice for the requested tolerance",
    "bound-alone": "the value is a rigorous lower bound, at an unknown distance from log Z",
    "not-settled": "the fixed point was not reached",
    "many-solutions": "mean field has several solutions, and the value of a single solution misses the others",
    "outside-expansion": "the weights are too strong for an expansion around independent units",
    "modes-unseen": "no chain starts in some modes, or the search probably missed some modes",
    "modes-hold-more": "independent runs give a larger log Z; the estimate probably misses a mode",
    "wide-interval": "the 95% interval reached more than 10 nats from log Z, before it was clipped to rigorous bounds",
}

# The bit of each reason; a sum of bits stands for several reasons.
_BITS = {name: 1 << bit for bit, name in enumerate(REASONS)}

# Half-width of a 95% interval of a normal law, in standard errors.
REACH = 1.96
# Largest distance in nats of log Z from an end of its interval. If the distance is larger, the run has not estimated
# log Z.
_FARTHEST = 10.0


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """An estimate of log Z, with its error and the checks that it failed.

    Attributes
    ----------
    log_z : float
        log Z in nats.
    std_error : float
        Standard error in nats, for most sampling methods from the spread between independent chains.
    interval : tuple of two floats
        95% interval of log Z in nats.
    reasons : tuple of str
        Names of the checks that failed; the estimate has ``converged`` if there are none.
    bounds : tuple of two floats
        Rigorous bounds of log Z in nats, infinite if unknown.
    form : str
        ``"joint"`` for densities f(v, h), ``"marginal"`` if one layer is summed out.
    diagnostics : dict
        Numbers that the method measured on its run.
    rests_on : tuple of str
        Methods that converged in the last round of ``"auto"``, or ``"enumeration"`` or ``"bounds"`` without rounds.
    profiles : dict of ndarray
        Arrays that the method measured, such as the shares of moves between parts of the ladder.
    method : str
    sweeps : int
        Gibbs sweeps that each chain spent, burn-in and tuning included.
    chains : int

    Raises
    ------
    ValueError
        For a log Z that is not finite, a negative error, a reversed interval, and undeclared names of reasons,
        diagnostics and profiles.

    Examples
    --------
    >>> from logzoo import RBM, estimate_log_z
    >>> estimate = estimate_log_z(RBM([[1.0], [0.5]], [0.0, 0.1], [0.2]), "auto")
    >>> estimate
    Estimate(auto: log Z = 2.8348 nat, 95% interval 2.8348 to 2.8348, rigorous bounds 2.8348 to 2.8348, converged)
    >>> round(estimate.log_z, 4), estimate.reasons
    (2.8348, ())
    """

    log_z: float
    std_error: float
    interval: tuple[float, float]
    reasons: tuple[str, ...]
    bounds: tuple[float, float] = (-math.inf, math.inf)
    form: str = "marginal"
    diagnostics: dict = field(default_factory=dict, hash=False)
    rests_on: tuple[str, ...] = ()
    profiles: dict[str, np.ndarray] = field(default_factory=dict, compare=False)
    # Fields that the registry fills in: the name of the method, and sweeps and chains from the ledger.
    method: str = ""
    sweeps: int = 0
    chains: int = 0

    def __post_init__(self):
        named = ((self.diagnostics, DIAGNOSTICS), (self.profiles, PROFILES), (self.reasons, REASONS))
        for names, known in named:
            unknown = set(names) - set(known)
            if unknown:
                raise ValueError(
                    f"undeclared diagnostics, profiles or reasons: {', '.join(sorted(unknown))}; "
                    "logzoo.estimators.result lists the names"
                )
        if not math.isfinite(self.log_z):
            raise ValueError(f"log Z: expected a finite number, found {self.log_z}; the weights overflow or vanish")
        low, high = self.interval
        if self.std_error < 0.0 or low > high:
            raise ValueError(
                f"expected a standard error of at least 0 and an interval (low, high), found {self.std_error} and "
                f"({low}, {high})"
            )

    def __repr__(self):
        state = f"not converged: {', '.join(self.reasons)}" if self.reasons else "converged"
        method = f"{self.method}: " if self.method else ""
        known = any(map(math.isfinite, self.bounds))
        bounds = ", rigorous bounds {:.4f} to {:.4f}".format(*self.bounds) if known else ""
        return f"Estimate({method}log Z = {self.log_z:.4f} nat, {self.interval_text}{bounds}, {state})"

    def _repr_html_(self) -> str:
        """A table for notebooks: log Z, its error and the failed checks."""
        low, high = self.interval
        rows = [
            ("log Z", f"{self.log_z:.4f} nat"),
            ("standard error", f"{self.std_error:.4f} nat"),
            ("95% interval", f"{low:.4f} to {high:.4f} nat" + (f" if {self.assumes}" if self.assumes else "")),
            ("rigorous bounds", "{:.4f} to {:.4f} nat".format(*self.bounds)),
            ("converged", f"no: {', '.join(self.reasons)}" if self.reasons else "yes"),
            ("spent", f"{self.sweeps} sweeps x {self.chains} chains"),
        ]
        return html_table(f"Estimate by {self.method}" if self.method else "Estimate", rows)

    def shifted(self, constant: float) -> "Estimate":
        """The same Estimate for a log Z that is larger by a constant."""
        quantiles = {name: self.profiles[name] + constant for name in _OF_LOG_Z & self.profiles.keys()}
        return replace(
            self,
            log_z=self.log_z + constant,
            interval=tuple(end + constant for end in self.interval),
            bounds=tuple(end + constant for end in self.bounds),
            profiles={**self.profiles, **quantiles},
        )

    def with_sane_error(self, least: float) -> "Estimate":
        """The same Estimate with an error of at least `least` nats; not converged if its interval is too wide."""
        reach, log_z = REACH * least, self.log_z
        low, high = np.minimum(self.interval[0], log_z - reach), np.maximum(self.interval[1], log_z + reach)
        wide = not (log_z - low <= _FARTHEST and high - log_z <= _FARTHEST)
        return replace(
            self,
            std_error=float(np.maximum(self.std_error, least)),
            interval=(float(low), float(high)),
            reasons=(*self.reasons, *(("wide-interval",) if wide else ())),
        )

    def to_dataset(self) -> xr.Dataset:
        """The Estimate as an xarray Dataset, with long names and units; reasons are CF flags."""
        ends = coordinate("end", ["lower", "upper"], "end of the rigorous bounds")
        bounds = labelled("end", np.array(self.bounds), "rigorous bounds of log Z", "nat")
        attributes = {"method": self.method, "chains": self.chains, "form": self.form}
        attributes |= {name: " ".join(getattr(self, name)) for name in ("rests_on", "reasons")}
        return dataset_of([self]).assign(bounds=bounds).assign_coords(end=ends).assign_attrs(attributes)

    @property
    def assumes(self) -> str:
        """The assumption ``"no mode was missed"``, or empty if the interval contains the rigorous bounds."""
        low, high = self.interval
        return "" if low <= self.bounds[0] and self.bounds[1] <= high else "no mode was missed"

    @property
    def interval_text(self) -> str:
        """The interval in words, with its assumption if the estimate has converged."""
        condition = f" if {self.assumes}" if self.converged and self.assumes else ""
        return "95% interval {:.4f} to {:.4f}".format(*self.interval) + condition

    @property
    def interval_error(self) -> float:
        """Standard error in nats of a normal law with this 95% interval; above `std_error` for few chains."""
        return (self.interval[1] - self.interval[0]) / (2.0 * REACH)

    @property
    def converged(self) -> bool:
        """Whether no check failed."""
        return not self.reasons


def reasons_of(signs: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the failed checks, in the order of `signs` (name in REASONS: whether the check failed)."""
    return tuple(name for name, holds in signs.items() if holds)


def estimate_from(log_z: float, std_error: float, parts: float, signs: Mapping[str, Any], **more: Any) -> Estimate:
    """Make an Estimate whose error comes from independent parts, such as chains.

    Parameters
    ----------
    log_z : float, nats
    std_error : float, nats
    parts : float
        Number of independent parts that the error was computed from; it sets the width of the 95% interval.
    signs : mapping of str to bool
        Whether each check failed. The keys are names in `REASONS`.
    **more
        Other fields of `Estimate`.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> from logzoo.estimators.result import estimate_from
    >>> estimate_from(10.0, 0.1, 20, {"drift": False, "few-tours": True}).reasons
    ('few-tours',)
    """
    interval = student_interval(log_z, std_error, parts)
    return Estimate(log_z=float(log_z), std_error=std_error, interval=interval, reasons=reasons_of(signs), **more)


def dataset_of(estimates: Sequence[Estimate], places: Mapping[str, tuple] | None = None) -> xr.Dataset:
    """Estimates as a Dataset: log_z, std_error, interval, sweeps_spent, converged, reasons, diagnostics and profiles.

    places: xarray coordinates by dimension, by default none for a single estimate. The estimates fill the dimensions
    in row-major order. A diagnostic that an estimate lacks is NaN.
    """
    places = places or {}
    shape = [len(values) for _, values, _ in places.values()]

    def variable(values, long_name, units, dimensions=(), dtype: type = np.float64):
        values = np.array(list(values), dtype)
        return labelled((*places, *dimensions), values.reshape((*shape, *values.shape[1:])), long_name, units)

    spent, converged = (estimate.sweeps for estimate in estimates), (estimate.converged for estimate in estimates)
    variables = {
        "log_z": variable((estimate.log_z for estimate in estimates), "estimate of log Z", "nat"),
        "std_error": variable((estimate.std_error for estimate in estimates), "standard error of log Z", "nat"),
        "sweeps_spent": variable(spent, "Gibbs sweeps spent per chain, for all purposes", "sweep", dtype=np.int64),
        "converged": variable(converged, "1 if no check of the estimate failed, else 0", "1", dtype=np.int8),
        "interval": variable((estimate.interval for estimate in estimates), "95% interval of log Z", "nat", ("bound",)),
    }
    bits = (sum(_BITS[name] for name in estimate.reasons) for estimate in estimates)
    variables["reasons"] = variable(bits, "failed checks as a sum of bits, 0 for none", "1", dtype=np.int32)
    flags = {"flag_masks": np.array(list(_BITS.values()), np.int32), "flag_meanings": " ".join(_BITS)}
    variables["reasons"][-1].update(flags)
    for name in sorted({name for estimate in estimates for name in estimate.diagnostics}):
        values = (estimate.diagnostics.get(name, np.nan) for estimate in estimates)
        variables[name] = variable(values, *DIAGNOSTICS[name])
    for name in sorted({name for estimate in estimates for name in estimate.profiles}):
        variables[name] = variable((estimate.profiles[name] for estimate in estimates), *PROFILES[name])
    quantiles = labelled("bound", np.array([0.025, 0.975]), "quantile at the end of the interval", "1")
    return xr.Dataset(variables, {**places, "bound": quantiles})


class Finished:
    """Finished estimates, in order; `state` holds the estimates as an array for a checkpoint."""

    def __init__(self):
        self.estimates = []

    @property
    def state(self) -> dict[str, Array]:
        """The finished estimates, as {name: array}."""
        fields = [asdict(estimate) for estimate in self.estimates]
        return {"estimates": np.array(json.dumps(fields, default=lambda number_or_array: number_or_array.tolist()))}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Replace the estimates by the estimates in a `state`."""
        self.estimates = [Estimate(**fields) for fields in json.loads(str(state["estimates"]))]
