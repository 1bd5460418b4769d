"""The ladder of annealing, adapted in rounds: each anneals along the rungs that the one before it placed.

Syed, Bouchard-Côté, Chern & Doucet (2024): equal steps of the spread of the weights' increments. What comes after the
rounds has a ladder that its own draws did not make, so its weights are without bias.
"""

import numpy as np

from logzoo.kernels.annealing import run_annealing
from logzoo.kernels.fixed_point import new_chains
from logzoo.kernels.gibbs import start_chains
from logzoo.paths import inverse_temperatures
from logzoo.samplers.ladders import at_equal_steps
from logzoo.samplers.threads import over_chains

# Share of the sweeps that the rounds take; each is twice as long as the one before, the first as long as this at least.
_SHARE, _FEWEST = 0.2, 4


def annealing_ladder(ladder, parameters, sizes, ledger, stream, threads):
    """A function that places a number of rungs: inverse temperatures (rungs,) from 0 to 1 for annealing.

    ladder: as in `logzoo.paths.inverse_temperatures`, or "adapted": by rounds over a fifth of the sweeps that are left,
    which are paid for. sizes: visible and hidden units. Raises ValueError for unknown ladders when it is called.
    """
    if not (isinstance(ladder, str) and ladder == "adapted"):
        return lambda rungs: inverse_temperatures(ladder, rungs)
    betas, steps = np.array([0.0, 1.0]), np.ones(1)
    for number, sweeps in enumerate(lengths_of_rounds(int(_SHARE * ledger.remaining))):
        ledger.spend(sweeps, "adapting")
        betas = at_equal_steps(betas, steps, sweeps + 2)
        steps = spreads(parameters, betas, stream.child("round", number).key, ledger.chains, sizes, threads)
    return lambda rungs: at_equal_steps(betas, steps, rungs)


def lengths_of_rounds(sweeps):
    """Sweeps of the rounds, which double and add up to `sweeps`; none if there are too few."""
    lengths = []
    while sweeps >= _FEWEST:
        # The last takes half, or all where the rest would be too short.
        last = sweeps if sweeps < 3 * _FEWEST else (sweeps + 1) // 2
        lengths.append(last)
        sweeps -= last
    return lengths[::-1]


def spreads(parameters, betas, key, count, sizes, threads):
    """Standard deviation (step,) over fresh chains of the increments of their log-weights along betas, in nats."""
    chains, log_weight = new_chains(count, *sizes), np.zeros(count)
    start_chains(parameters, key, parameters.base, chains)
    found = np.empty(betas.size - 1)
    for step in range(1, betas.size):
        before = log_weight.copy()

        def anneal(*part, step=step):
            run_annealing(parameters, betas, key, step, step + 1, *part)

        over_chains(anneal, threads, chains, log_weight)
        found[step - 1] = np.std(log_weight - before)
    return found
