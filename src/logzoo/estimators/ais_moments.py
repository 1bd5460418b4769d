"""AIS along a path of averaged moments, hidden units summed out of the weights.

Grosse, Maddison & Salakhutdinov (2013). log Z = log Z_1 + log mean exp(log w), exact on average in Z whatever the path.
Cost: of the sweeps, a tenth estimates the model's moments and four tenths fit the path; an annealing sweep costs about
two, because inputs of two RBMs are kept.
"""

from logzoo.estimators.weights import from_weights
from logzoo.samplers import averaged


def estimate(rbm, ledger, stream, **options):
    """Estimate log Z by AIS along averaged moments; options as in `logzoo.samplers.averaged.run`. Returns Estimate."""
    return from_weights(rbm, averaged.run(rbm, ledger, stream, **options), ledger, stream)
