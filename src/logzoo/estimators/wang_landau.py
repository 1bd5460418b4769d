"""Wang-Landau on the rungs of a tempering ladder: the classic baseline of adaptive weights.

Wang & Landau (2001), Atchade & Liu (2010), and the 1 / t regime of Belardinelli & Pereyra (2007): each visit of a rung
adds log F to its log Zhat. Cost: one sweep and log f at a few interpolation nodes a sweep.
"""

from logzoo.checks import share
from logzoo.estimators.simulated_tempering import from_groups
from logzoo.samplers import tempering_runs


def run(rbm, ledger, stream, observers, *, flatness=0.5, **options):
    """Draws of Wang-Landau as by `logzoo.samplers.tempering_runs.run_in_groups`.

    Options: those of `logzoo.samplers.tempering_runs.run_in_groups`; flatness in [0, 1), the least visits of a part of
    the ladder relative to the mean that count as flat. Raises ValueError for others.
    """
    recursion = tempering_runs.wang_landau(share("flatness", flatness))
    return tempering_runs.run_in_groups(rbm, ledger, stream, recursion, observers, **options)


def read(draws):
    """The Estimate of `Draws` of Wang-Landau: the mean of log Zhat over independent groups of chains."""
    return from_groups(draws, settled=is_falling(draws.sample[1]))


def is_falling(states):
    """Whether the visits of every group were flat until its log F had come down to the 1 / t regime."""
    return bool(states.wang_landau.falling.all())
