"""The estimators, by name. A method is one file with `estimate`; adding one is a line here."""

from dataclasses import replace

from logzoo.checks import one_of
from logzoo.methods import Method

# What draws for the methods on simulated tempering, and takes their options.
_TEMPERING = "logzoo.estimators.simulated_tempering:run", "logzoo.samplers.simulated_tempering:run"

# In the order of tables and figures.
ESTIMATORS = {
    "ais": Method("logzoo.estimators.ais:estimate", "logzoo.samplers.annealed:run", title="AIS"),
    "raise": Method("logzoo.estimators.reverse:estimate", "logzoo.samplers.annealed:run_reverse", title="RAISE"),
    "rts": Method("logzoo.estimators.rts:estimate", *_TEMPERING, title="RTS"),
    "ts": Method("logzoo.estimators.ts:estimate", *_TEMPERING, title="TS"),
    "ti-riemann": Method("logzoo.estimators.ti:riemann", *_TEMPERING, title="TI (Riemann)"),
    "ti-trapezoid": Method("logzoo.estimators.ti:trapezoid", *_TEMPERING, title="TI (trapezoid)"),
    "ti-corrected": Method("logzoo.estimators.ti:corrected", *_TEMPERING, title="TI (corrected)"),
    "ti-rb": Method("logzoo.estimators.ti:rao_blackwell", *_TEMPERING, title="TI-RB"),
    "mbar": Method("logzoo.estimators.mbar:estimate", *_TEMPERING, title="MBAR"),
    "bar": Method("logzoo.estimators.bar:estimate", "logzoo.samplers.parallel_tempering:run", title="BAR"),
    "sams": Method("logzoo.estimators.sams:estimate", "logzoo.samplers.adjusted:run", title="SAMS"),
    "wang-landau": Method(
        "logzoo.estimators.wang_landau:estimate", "logzoo.samplers.adjusted:run", title="Wang-Landau"
    ),
    "sd": Method("logzoo.estimators.transitions:sd", *_TEMPERING, title="SD"),
    "rsd": Method("logzoo.estimators.transitions:rsd", *_TEMPERING, title="RSD"),
    "las-vegas": Method("logzoo.estimators.las_vegas:estimate", "logzoo.samplers.tours:run", title="Las Vegas"),
    "ais-moments": Method(
        "logzoo.estimators.ais_moments:estimate", "logzoo.samplers.averaged:run", title="AIS, moment averages"
    ),
}


def estimator(method):
    """The function run(rbm, ledger, stream, options) -> Estimate of that name; ValueError if unknown.

    The function refuses unknown options with a ValueError that names the known ones.
    """
    listed = _listed(method)

    def run(rbm, ledger, stream, options):
        return replace(listed.run(method, rbm, ledger, stream, **options), method=method)

    return run


def estimator_module(method):
    """Name of the module that holds a method."""
    return _listed(method).module


def options_of(method):
    """Names of the options that a method takes."""
    return _listed(method).options


def starts_from_data(method):
    """Whether a method takes examples: those that it starts from."""
    return "data" in options_of(method)


def title_of(method):
    """What a method is called in tables and figures."""
    return _listed(method).title


def _listed(method):
    return ESTIMATORS[one_of("method", method, ESTIMATORS)]
