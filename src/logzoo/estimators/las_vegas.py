"""Las Vegas: log Z from the mean length of tours that leave a stopping set drawn from data and return to it.

Savarese, Kakodkar & Ribeiro (2018), corollary 2: Z = Z_S E[length]. With tours that were cut, the ratio (sweeps of all
tours) / (tours that finished) lies below E[length] on average: Gibbs sampling is reversible and its kernel positive,
so that a tour still out has on average at least as many sweeps before it as a new one.
Cost: one sweep for each hidden state drawn (p(h | v), then f(h): the two bounds of a sweep), and those of the tours.
"""

import numpy as np
from scipy.special import expit, logsumexp
from tqdm import tqdm

from logzoo.checks import binary_matrix, whole_number
from logzoo.estimators.intervals import check_spread, student_interval
from logzoo.estimators.result import Estimate
from logzoo.paths import kernel_parameters
from logzoo.samplers.tours import Tours, TourSampler, stopping_set

# Without `rounds`, the stopping set takes this share of the budget; but no more draws than one round, or this many.
_SHARE = 5
_MOST_DRAWS = 100_000
# Chains sent from elsewhere to look for modes that the stopping set misses, and their share of the budget.
_PROBES = 20
_PROBE_SHARE = 10
# Tours of the first generation, and of a later one at most.
_FIRST = 100
_TOGETHER = 100_000
# Sweeps kept back so that no tour is cut when the budget ends, in lengths of the longest tour so far.
_KEPT_BACK = 5
# Tours, equal ones worth as much as those made, below which a mean of lengths rests on a few.
_FEWEST_TOURS = 10
# Share of Z that the set may miss, if the standard error is no smaller.
_LARGEST_MISS = 0.05
_NORMAL_REACH = 1.96


def estimate(
    rbm, ledger, stream, *, data=None, rounds=None, tours=None, cap=None, base=None, threads=1, progress=False
):
    """Estimate log Z by the lengths of tours. Returns Estimate, its error by the spread over tours.

    data: a 0/1 matrix (examples, visible), required; rounds: hidden states drawn for each example; tours: how many are
    made (None: as the budget allows); cap: their largest length (None: none); base: not used, there is no path.
    `converged` says that enough tours returned, none was cut, and chains sent from elsewhere found nothing of weight
    that the stopping set misses.
    If not, log Z is likely too low, and the interval ends at an upper bound. Raises ValueError for missing or bad data
    and for what the budget cannot pay.
    """
    check_spread(ledger)
    if data is None:
        raise ValueError("las-vegas: data: expected a 0/1 matrix (examples, visible) to draw from, found none")
    data = binary_matrix("las-vegas: data", data, visible=rbm.visible)
    cap = None if cap is None else whole_number("las-vegas: cap", cap)
    threads = whole_number("threads", threads)
    budget = ledger.sweeps * ledger.chains
    draws = _draws(rounds, len(data), budget)
    parameters = kernel_parameters(rbm, np.zeros(rbm.visible))
    stopping = stopping_set(parameters, data, ledger.spend(draws, "stopping set", chains=1), stream.child("stopping"))
    sampler = TourSampler(parameters, stopping, stream.child("tours"), threads=threads)
    probes = sampler.probe(min(_PROBES, budget // _PROBE_SHARE), budget // _PROBE_SHARE)
    left = budget - draws - ledger.spend(probes.sweeps, "probes", chains=1)
    made = _run(sampler, tours, left, cap, progress)
    left -= ledger.spend(int(made.length.sum()), "tours", chains=1)
    ledger.spend(left, "left over", chains=1)
    return _estimate_of(rbm, stopping, made, probes, ledger)


def mean_length(tours):
    """(mean length, standard error of its logarithm) of Tours; with tours that were cut, a mean that is too small.

    The error is that of a ratio of means over tours, with one tour more in it, as far off as the farthest (and by one
    sweep at least): the rare long tour that has not come yet.
    """
    returned = max(int(tours.finished.sum()), 1)
    mean = tours.length.sum() / returned
    off = tours.length - mean * tours.finished
    farthest = max(np.abs(off).max(), 1.0)
    count = off.size
    variance = (np.square(off).sum() + farthest**2) * (count + 1) / count
    return float(mean), float(np.sqrt(variance) / returned / mean)


def upper_bound(rbm):
    """A bound on log Z in nats: each unit of one layer has at most the input that the other's excitations give it."""
    bounds = [
        np.logaddexp(0.0, near.hidden_bias).sum()
        + np.logaddexp(0.0, near.visible_bias + np.maximum(near.weights, 0.0).sum(axis=1)).sum()
        for near in (rbm, rbm.transposed)
    ]
    return float(min(bounds))


def _draws(rounds, examples, budget):
    """Hidden states to draw for the stopping set."""
    if rounds is None:
        return max(1, min(budget // _SHARE, max(examples, _MOST_DRAWS)))
    draws = whole_number("las-vegas: rounds", rounds) * examples
    if 2 * draws > budget:
        raise ValueError(
            f"las-vegas: rounds: expected a stopping set of at most half of the budget of {budget:,} sweeps, found "
            f"{rounds} rounds of {examples:,} examples"
        )
    return draws


def _run(sampler, count, budget, cap, progress):
    """`count` Tours, or as many as the budget of sweeps allows: then in generations, each sized by those before.

    How many tours are started never depends on the lengths of these tours: the ratio of sums has no bias from it.
    """
    if count is not None:
        count = whole_number("las-vegas: tours", count)
        if count > budget:
            raise ValueError(f"las-vegas: tours: expected at most {budget:,} (sweeps left for them), found {count:,}")
        return sampler.run(count, budget, cap)
    made = []
    count = max(1, min(budget // _PROBE_SHARE, _FIRST))
    with tqdm(total=budget, desc="tours", unit="sweep", disable=None if progress else True) as bar:
        while count:
            made.append(sampler.run(count, budget, cap))
            spent = int(made[-1].length.sum())
            budget -= spent
            bar.update(spent)
            lengths = np.concatenate([tours.length for tours in made])
            spare = budget - _KEPT_BACK * int(lengths.max())
            count = int(min(max(spare, 0) / (2.0 * lengths.mean()), _TOGETHER))
    return Tours(*(np.concatenate([tours[field] for tours in made]) for field in range(3)))


def _estimate_of(rbm, stopping, tours, probes, ledger):
    mean, std_error = mean_length(tours)
    log_z = stopping.log_z + float(np.log(mean))
    low, high = student_interval(log_z, std_error, tours.length.size + 1)
    returned = int(tours.finished.sum())
    cut = tours.length.size - returned
    # (sum of lengths)^2 / sum of their squares
    log_lengths = np.log(tours.length)
    effective = float(np.exp(2.0 * logsumexp(log_lengths) - logsumexp(2.0 * log_lengths)))
    # The share of Z around the lost chains is what log Z may miss.
    missed = float(expit(probes.log_mass - log_z))
    converged = bool(not cut and missed <= min(std_error, _LARGEST_MISS) and effective >= _FEWEST_TOURS)
    if not converged:
        high = max(high, upper_bound(rbm))
        std_error = (high - low) / (2.0 * _NORMAL_REACH)
    return Estimate(
        log_z=log_z,
        std_error=std_error,
        interval=(low, high),
        sweeps=ledger.spent,
        chains=ledger.chains,
        converged=converged,
        diagnostics={
            "effective_sample_size": effective,
            "tours": returned,
            "tours_cut": cut,
            "longest_tour": int(tours.length.max()),
            "stopping_states": stopping.size,
            "probes_lost": probes.lost,
            "share_missed": missed,
        },
    )
