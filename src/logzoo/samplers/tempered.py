"""Simulated tempering: initial iterations that find log Zhat, then one long run at it (Carlson et al. 2016)."""

from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from logzoo.checks import one_of, share, whole_number
from logzoo.paths import inverse_temperatures, kernel_parameters, log_z_base, prior_weights
from logzoo.samplers.base import resolve_base
from logzoo.samplers.initial import initial_phase, iteration_lengths, mean_occupancy, updated_log_z
from logzoo.samplers.tempering import Tempering


class TemperedDraws(NamedTuple):
    """What simulated tempering leaves for estimators: sums over sweeps; observers see the single draws.

    log Zhat is relative to the base (0 at the first rung).
    """

    betas: np.ndarray  # (rung,) inverse temperatures
    prior: np.ndarray  # (rung,) r, sums to one
    log_z_hat: np.ndarray  # (rung,) log Zhat that the initial iterations found
    log_z_hats: np.ndarray  # (block, rung) log Zhat used in each block of the sampling phase
    log_z_base: float  # nats
    occupancy: np.ndarray  # (block, chain, rung) sums of q(beta_k | x)
    visits: np.ndarray  # (block, chain, rung) counts of beta_k
    round_trips: np.ndarray  # (chain,)
    initial_log_z: np.ndarray  # (iteration, rung) log Zhat after each initial iteration
    initial_occupancy: np.ndarray  # (iteration, rung) the occupancy that made it
    rule_met: bool  # the stopping rule of the initial iterations held
    interpolation_error: float  # nats, largest seen on the final states


def run(
    rbm,
    ledger,
    stream,
    *,
    base=None,
    rungs=100,
    ladder="linear",
    prior=None,
    form="marginal",
    rao_blackwell=True,
    initial_sweeps=50,
    initial_iterations=10,
    final=True,
    settling=0.0,
    blocks=8,
    mixed=False,
    observers=(),
    threads=1,
    progress=False,
):
    """Run the initial iterations, then spend what is left of the ledger at the log Zhat they found.

    Initial iterations of `initial_sweeps` sweeps update log Zhat by eq 12 until max_k |r_k - c_k| < 0.1 / K; they end
    in any case after `initial_iterations` of them or a tenth of the budget, whichever is more, and at half the budget;
    after the first `initial_iterations` each is twice as long as the one before. While K max_k |r_k - c_k| is above
    0.5, short ones go on to half the budget.
    settling: share of what is left after them, in [0, 1), whose draws nobody sees: the rungs that the last of them
    redrew have gone back to where they belong by then.
    rao_blackwell=False updates from plain visit counts. final=False stops after exactly `initial_iterations`
    iterations. mixed=True updates log Zhat by eq 12 after each block of the sampling phase, too (supplement A).
    prior: weights r (rung,); a number s for r_k proportional to exp(s beta_k); or None for equal ones. ladder: as in
    `paths.inverse_temperatures`, or "adapted": the first half of the initial iterations is a pilot on linear rungs,
    which then move to equal steps of thermodynamic length (`logzoo.samplers.ladders`).
    observers: objects as in `logzoo.samplers.observers`, which see every single draw of the
    sampling phase. Returns TemperedDraws. Raises ValueError for impossible options.
    """
    one_of("form", form, ("marginal", "joint"))
    whole_number("initial_sweeps", initial_sweeps)
    whole_number("initial_iterations", initial_iterations)
    whole_number("threads", threads)
    settling = share("settling", settling)
    adapt = isinstance(ladder, str) and ladder == "adapted"
    betas = inverse_temperatures("linear" if adapt else ladder, rungs)
    prior_weights(prior, betas)  # refuses bad ones before any sweep
    base = resolve_base(rbm, base, ledger, stream)
    sampler = Tempering(kernel_parameters(rbm, base), betas, stream, ledger.chains, form, threads)
    lengths = [initial_sweeps] * initial_iterations
    if final:
        lengths = iteration_lengths(ledger, initial_sweeps, initial_iterations)
    with tqdm(total=ledger.remaining, desc="tempering", unit="sweep", disable=None if progress else True) as bar:
        initial = initial_phase(
            sampler, ledger, lengths, prior, adapt, rao_blackwell=rao_blackwell, stop_early=final, bar=bar
        )
        betas, prior, log_z_hat = sampler.betas, initial.prior, initial.log_z_hat
        if final and settling:
            settled = ledger.spend(int(settling * ledger.remaining), "settling")
            sampler.advance(np.log(prior) - log_z_hat, settled, bar)
        sizes = _block_sizes(ledger.remaining if final else 0, blocks)
        for observer in observers:
            observer.start(ledger.chains, betas.size, sum(sizes))
        log_z_hats, parts = [], []
        for sweeps in sizes:
            ledger.spend(sweeps, "sampling")
            current = log_z_hat
            if mixed and parts:
                current = updated_log_z(log_z_hats[-1], prior, mean_occupancy(parts[-1], rao_blackwell))
            log_z_hats.append(current)
            parts.append(sampler.advance(np.log(prior) - current, sweeps, bar, observers))
    shape = (len(parts), ledger.chains, betas.size)
    return TemperedDraws(
        betas=betas,
        prior=prior,
        log_z_hat=log_z_hat,
        log_z_hats=np.array(log_z_hats).reshape(-1, betas.size),
        log_z_base=log_z_base(base, rbm.hidden),
        occupancy=np.array([part.occupancy for part in parts], float).reshape(shape),
        visits=np.array([part.visits for part in parts], np.int64).reshape(shape),
        round_trips=sum((part.round_trips for part in parts), np.zeros(ledger.chains, np.int64)),
        initial_log_z=np.array([entry[0] for entry in initial.history]).reshape(-1, betas.size),
        initial_occupancy=np.array([entry[1] for entry in initial.history]).reshape(-1, betas.size),
        rule_met=initial.rule_met,
        interpolation_error=sampler.interpolation_error(),
    )


def _block_sizes(sweeps, blocks):
    edges = np.linspace(0, sweeps, blocks + 1).astype(int)
    return [int(size) for size in np.diff(edges) if size]
