"""The estimators, by name. A method is one module with `estimate` and `DEFAULTS`; adding one is a line here."""

from importlib import import_module

from logzoo.checks import one_of
from logzoo.estimators import (
    ais,
    ais_moments,
    bar,
    las_vegas,
    mbar,
    reverse,
    rsd,
    rts,
    sams,
    sd,
    ti,
    ts,
    wang_landau,
)

ESTIMATORS = {
    "ais": ais.estimate,
    "ais-moments": ais_moments.estimate,
    "bar": bar.estimate,
    "las-vegas": las_vegas.estimate,
    "mbar": mbar.estimate,
    "raise": reverse.estimate,
    "rsd": rsd.estimate,
    "rts": rts.estimate,
    "sams": sams.estimate,
    "sd": sd.estimate,
    "ti-corrected": ti.corrected,
    "ti-rb": ti.rao_blackwell,
    "ti-riemann": ti.riemann,
    "ti-trapezoid": ti.trapezoid,
    "ts": ts.estimate,
    "wang-landau": wang_landau.estimate,
}


def estimator(method):
    """The function estimate(rbm, ledger, stream, options) -> Estimate of that name; ValueError if unknown."""
    return ESTIMATORS[one_of("method", method, ESTIMATORS)]


def estimator_module(method):
    """Name of the module that holds a method."""
    return estimator(method).__module__


def starts_from_data(method):
    """Whether a method takes examples: those that it starts from."""
    return "data" in import_module(estimator_module(method)).DEFAULTS
