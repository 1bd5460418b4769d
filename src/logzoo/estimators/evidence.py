"""Evidence to check log Z against: rigorous bounds, and the mass (part of Z) that independent chains find.

A run gives no sign of a mode that all its chains missed. Chains from the modes of mean field may find this mode.
Estimates of mass by annealing are unbiased for Z, so their logarithms lie below log Z on average. The errors come from
the spread of the drawn weights alone, because weights that were not drawn could only add to the mass.
All annealed chains may still end in the lighter modes. Parallel tempering is therefore run too. Its BAR estimate is not
a bound, but errs on the low side as long as its replicas make round trips.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp, ndtr, stdtrit

from logzoo.budgets import SweepLedger
from logzoo.estimators import bar, weights
from logzoo.estimators import basins as basin_estimates
from logzoo.estimators.las_vegas import upper_bound
from logzoo.estimators.result import Estimate, reasons_of
from logzoo.estimators.rounds import SIGMAS
from logzoo.io.checkpoints import identity_of
from logzoo.models.equivalent import without_certain
from logzoo.models.modes import distinct_rows
from logzoo.models.rbm import RBM
from logzoo.printing import stage
from logzoo.samplers import annealed, annealed_from_modes, replica_exchange
from logzoo.streams import Stream
from logzoo.types import Array

# Number of chains of each estimate of mass, and limits of its number of sweeps. Between these limits the number of
# sweeps is _WEIGHT_SWEEPS divided by the number of weights, so that large models take a few seconds.
_CHAINS, _MOST_SWEEPS, _FEWEST_SWEEPS, _WEIGHT_SWEEPS = 256, 1000, 300, 100_000_000
_BASES = ("modes", "matched")
# Sweeps of parallel tempering. Its estimate is used if no check except _HARMLESS fails, and the replicas make at least
# _FEWEST_ROUND_TRIPS round trips on average. With fewer round trips a rung may hold states that its neighbours lack,
# which makes log Z far too high.
_BRIDGED_SWEEPS, _HARMLESS, _FEWEST_ROUND_TRIPS = 2000, {"no-round-trips"}, 0.25
# Largest number of examples that count as states seen.
_MOST_STATES = 10_000
# Cache of the Evidence on recent RBMs, and its largest size.
_GATHERED, _MOST_GATHERED = {}, 100
# Smaller differences in nats may come from the rounding of parameters in the kernels.
_RESOLUTION = 1e-3


class Evidence(NamedTuple):
    """Evidence on log Z, in nats.

    Attributes
    ----------
    lower : float
        Rigorous lower bound: the larger of the bound of the modes and log sum f over the distinct states seen.
    upper : float
        Rigorous upper bound.
    masses : tuple of (log_z, std_error)
        log of the mass that each independent run found, low on average.
    """

    lower: float
    upper: float
    masses: tuple


def gather(
    rbm: RBM,
    stream: Stream,
    ledger: SweepLedger | None = None,
    *,
    data: Array | None = None,
    chains: int = _CHAINS,
    threads: int = 1,
    tempered: bool = True,
    progress: bool = False,
) -> Evidence:
    """Gather evidence on log Z of an RBM: rigorous bounds, and the mass that independent chains find.

    Chains are annealed from product laws of the best modes and from the mean of the modes. Because the search may have
    missed a mode, chains are also annealed from the marginals of chains that started at uniform units. With fewer than
    550 sweeps (over 181,818 weights), these marginals are not computed, and the visible bias replaces them. Each
    annealing has a budget of 1000 sweeps, or less on large models, but at least 300. tempered: whether parallel
    tempering is run too, for 2000 sweeps. chains: chains of each run. The search for modes also starts from rows of
    `data`, a 0/1 matrix (examples, visible). The first 10,000 rows add to the lower bound. The ledger, if any, pays for
    all runs.
    """
    rbm, constant, visible, _ = without_certain(rbm)
    data = None if data is None else data[:, visible]
    ledger = SweepLedger(None, chains) if ledger is None else ledger
    sweeps = sweeps_of(*rbm.weights.shape)
    share = ledger.part(sweeps, "evidence", chains=chains)
    how = {"threads": threads, "progress": progress}
    with stage("evidence: rigorous bounds, chains from the modes", progress):
        draws = annealed_from_modes.run(rbm, share, stream.child("basins"), data=data, **how)
        masses = [basin_estimates.mass(draws)]
        for base in _BASES:
            share, substream = ledger.part(sweeps, "evidence", chains=chains), stream.child("annealing", base)
            masses.append(weights.mass(annealed.run(rbm, share, substream, base=base, **how)))
        if tempered:
            share = ledger.part(_BRIDGED_SWEEPS, "evidence", chains=chains)
            sums = bar.BridgeSums()
            exchanges = replica_exchange.run(rbm, share, stream.child("bridge"), (sums,), **how)
            bridged = bar.from_bridges(rbm, exchanges, sums)
            if _HARMLESS.issuperset(bridged.reasons) and bridged.diagnostics["round_trips"] >= _FEWEST_ROUND_TRIPS:
                masses.append((bridged.log_z, bridged.interval_error))
    seen = draws.v if data is None else np.concatenate([draws.v, data[:_MOST_STATES]])
    of_states = float(logsumexp(rbm.log_f(distinct_rows(seen)[0])))
    masses = tuple((log_z + constant, std_error) for log_z, std_error in masses)
    return Evidence(max(draws.lower, of_states) + constant, upper_bound(rbm) + constant, masses)


def gathered_once(rbm: RBM, stream: Stream, *, data: Array | None = None, **how: Any) -> Evidence:
    """The Evidence of `gather`, from a cache if the same RBM was checked before with the same stream and data.

    how: the options `threads` and `progress` of `gather`, which are not part of the key of the cache.
    """
    key = identity_of({"rbm": rbm, "stream": stream, "data": data})
    result = _GATHERED.get(key)
    if result is None:
        result = gather(rbm, stream, data=data, **how)
        if len(_GATHERED) == _MOST_GATHERED:
            _GATHERED.clear()
        _GATHERED[key] = result
    return result


def sweeps_of(visible: int, hidden: int) -> int:
    """Budget in sweeps of each annealing for the evidence on an RBM of that size."""
    return int(np.clip(_WEIGHT_SWEEPS // (visible * hidden), _FEWEST_SWEEPS, _MOST_SWEEPS))


def chain_sweeps_of(visible: int, hidden: int, *, chains: int = _CHAINS, tempered: bool = True) -> int:
    """Number of sweeps, summed over chains, for the evidence on an RBM of that size; settings are as in `gather`."""
    return chains * ((1 + len(_BASES)) * sweeps_of(visible, hidden) + tempered * _BRIDGED_SWEEPS)


def with_masses(evidence: Evidence, estimates: Iterable[Estimate]) -> Evidence:
    """The Evidence, extended by the masses of the Estimates whose log Z is low on average."""
    masses = []
    for estimate in estimates:
        if "spread_error" in estimate.diagnostics:
            # The spread of few chains is uncertain, so the error is widened to Student's quantile.
            factor = float(stdtrit(estimate.chains - 1, ndtr(SIGMAS))) / SIGMAS
            masses.append((estimate.log_z, factor * estimate.diagnostics["spread_error"]))
    return evidence._replace(masses=(*evidence.masses, *masses))


def weighed(estimate: Estimate, evidence: Evidence, slack: float = _RESOLUTION) -> Estimate:
    """Check an Estimate against the Evidence: add the rigorous bounds, and a reason for each contradiction.

    slack: nats by which an estimate may differ from the evidence in addition to three standard errors.
    """
    reach = SIGMAS * estimate.std_error + slack
    result = reasons_of(
        {
            "below-bound": estimate.log_z + reach < evidence.lower,
            "above-bound": estimate.log_z - reach > evidence.upper,
            "modes-hold-more": any(
                estimate.log_z + SIGMAS * float(np.hypot(estimate.std_error, std_error)) + slack < mass
                for mass, std_error in evidence.masses
            ),
        }
    )
    bounds = max(estimate.bounds[0], evidence.lower), min(estimate.bounds[1], evidence.upper)
    return replace(estimate, bounds=bounds, reasons=(*estimate.reasons, *result))


def cut(estimate: Estimate) -> Estimate:
    """The Estimate with log Z and its interval clipped to its rigorous bounds.

    An interval that lies beyond a bound becomes an interval of one standard error inside the bound, not a point.
    """
    # Rounding may swap bounds that are equal, so they are sorted.
    least, most = sorted(estimate.bounds)
    low, high = estimate.interval
    ends = min(low, most - estimate.std_error), estimate.log_z, max(high, least + estimate.std_error)
    low, log_z, high = (min(max(value, least), most) for value in ends)
    return replace(estimate, log_z=log_z, interval=(low, high))
