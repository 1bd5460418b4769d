"""The estimators, by name. A method is one module with `estimate` and `DEFAULTS`; adding one is a line here."""

from logzoo.checks import one_of
from logzoo.estimators import ais, rts, ts

ESTIMATORS = {
    "ais": ais.estimate,
    "rts": rts.estimate,
    "ts": ts.estimate,
}


def estimator(method):
    """The function estimate(rbm, ledger, stream, options) -> Estimate of that name; ValueError if unknown."""
    return ESTIMATORS[one_of("method", method, ESTIMATORS)]


def estimator_module(method):
    """Name of the module that holds a method."""
    return estimator(method).__module__
