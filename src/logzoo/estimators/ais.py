"""AIS: annealed importance sampling, hidden units summed out of the weights.

Neal (2001); Salakhutdinov & Murray (2008), eqs 10 to 12. log Z = log Z_1 + log mean exp(log w): below log Z on average.
Cost: one sweep a rung, and log f at two rungs.
"""

from logzoo.estimators.weights import from_weights
from logzoo.samplers import annealed


def estimate(rbm, ledger, stream, **options):
    """Estimate log Z by AIS; options as in `logzoo.samplers.annealed.run`. Returns Estimate."""
    return from_weights(rbm, annealed.run(rbm, ledger, stream, **options), ledger, stream)
