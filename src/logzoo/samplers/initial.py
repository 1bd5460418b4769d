"""Initial iterations of simulated tempering: they find log Zhat (Carlson et al. 2016, sections 2.4 and 4.1)."""

from typing import NamedTuple

import numpy as np

from logzoo.paths import prior_weights
from logzoo.samplers.ladders import Curvature, carried, equal_length

# Added to every bin of plain counts (Carlson et al. 2016, section 4.1), so that no logarithm is infinite.
COUNT_FLOOR = 0.1
# Occupancies below this are rounding: one update moves a rung by at most log(1e300) = 690 nats.
OCCUPANCY_FLOOR = 1e-300
# Initial iterations stop when K max_k |r_k - c_k| is below the first number, and are worth half the budget while it is
# above the second: sampling at such a log Zhat tells next to nothing.
_RULE = 0.1
_FAR_OFF = 0.5


class Initial(NamedTuple):
    """What the initial iterations found, at the rungs the sampler has after them."""

    log_z_hat: np.ndarray  # (rung,) nats, relative to the base
    prior: np.ndarray  # (rung,) r
    history: list  # (log Zhat, occupancy) after each iteration, at the rungs it was made with
    rule_met: bool


def initial_phase(sampler, lengths, prior, adapt, *, rao_blackwell=True, stop_early=True):
    """Make initial iterations of the given lengths in sweeps, from log Zhat = 0. Returns Initial.

    prior: as in `simulated_tempering.begin`. adapt: the first half of them is a pilot, after which the rungs move
    to equal steps of thermodynamic length and log Zhat is carried over.
    """
    settings = (rao_blackwell, stop_early)
    r, log_z_hat, history = prior_weights(prior, sampler.betas), np.zeros(sampler.betas.size), []
    if adapt and lengths:
        pilot, lengths = lengths[: -(-len(lengths) // 2)], lengths[-(-len(lengths) // 2) :]
        curvature = Curvature()
        history, _ = _iterate(sampler, pilot, r, log_z_hat, *settings, (curvature,))
        before = sampler.betas
        sampler.move_rungs(equal_length(before, curvature.values()))
        r, log_z_hat = prior_weights(prior, sampler.betas), carried(history[-1][0], before, sampler.betas)
    later, rule_met = _iterate(sampler, lengths, r, log_z_hat, *settings)
    return Initial(later[-1][0] if later else log_z_hat, r, history + later, rule_met)


def _iterate(sampler, lengths, prior, log_z_hat, rao_blackwell, stop_early, observers=()):
    """Iterations of eq 12: (log Zhat, occupancy) after each, and whether the stopping rule held at the end."""
    history, rule_met, ledger = [], False, sampler.ledger
    queue = list(lengths)
    while queue:
        sweeps = queue.pop(0)
        for observer in observers:
            observer.start(ledger.chains, prior.size, sweeps)
        sums = sampler.advance(np.log(prior) - log_z_hat, sweeps, "initial iterations", observers)
        occupancy = mean_occupancy(sums, rao_blackwell)
        log_z_hat = updated_log_z(log_z_hat, prior, occupancy)
        history.append((log_z_hat, occupancy))
        sampler.restart()
        error = prior.size * float(np.max(np.abs(prior - occupancy)))
        rule_met = error < _RULE
        if rule_met and stop_early:
            break
        if stop_early and not queue and error > _FAR_OFF and ledger.spent + lengths[0] <= ledger.sweeps // 2:
            queue.append(lengths[0])
    return history, rule_met


def updated_log_z(log_z_hat, prior, occupancy):
    """log Zhat_k + log(r_1 / r_k) + log(c_k / c_1) (rung,) in nats, relative to the base (eq 12)."""
    log_c = np.log(np.maximum(occupancy, OCCUPANCY_FLOOR))
    return log_z_hat + np.log(prior[0] / prior) + log_c - log_c[0]


def mean_occupancy(sums, rao_blackwell):
    """Occupancy (rung,) that sums to one, from RungSums: of q(beta_k | x), or of visits with 0.1 added to every bin."""
    total = sums.occupancy.sum(axis=0) if rao_blackwell else sums.visits.sum(axis=0) + COUNT_FLOOR
    return total / total.sum()


def iteration_lengths(ledger, sweeps, iterations):
    """Sweeps of each initial iteration: `iterations` equal ones, then each twice as long as the one before.

    Short iterations find log Zhat roughly, but cannot tell an occupancy error of 0.1 / K from noise; longer ones can.
    """
    left = min(max(iterations * sweeps, ledger.sweeps // 10), ledger.sweeps // 2, ledger.remaining - 1)
    lengths = []
    while left >= sweeps:
        doubled = sweeps * 2 ** max(0, len(lengths) + 1 - iterations)
        lengths.append(doubled if left >= 2 * doubled else left)
        left -= lengths[-1]
    return lengths
