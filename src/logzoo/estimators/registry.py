"""The estimators, by name. A method is one file with `estimate`; adding one is a line here."""

from dataclasses import replace

import numpy as np

from logzoo.budgets import SweepLedger
from logzoo.checks import one_of
from logzoo.estimators.shared import read_together
from logzoo.methods import Method
from logzoo.models.certain import without_certain
from logzoo.paths import check_rounding

# What draws for the methods on simulated and on parallel tempering, and takes their options.
_SAMPLER = "logzoo.samplers.simulated_tempering"
_TEMPERING = "logzoo.estimators.simulated_tempering:run", f"{_SAMPLER}:run", f"{_SAMPLER}:begin"
_EXCHANGES = "logzoo.samplers.parallel_tempering:run"
_ALONG = "logzoo.samplers.trajectory"
_ADJUSTED = "logzoo.samplers.adjusted:run", f"{_SAMPLER}:begin"


def _of_tempering(title, function):
    """A method that reads the same run of simulated tempering as the others of its kind."""
    return Method(title, f"logzoo.estimators.{function}", *_TEMPERING, reads="tempering")


# In the order of tables and figures.
ESTIMATORS = {
    "ais": Method("AIS", "logzoo.estimators.ais:estimate", "logzoo.samplers.annealed:run"),
    "smc": Method("SMC", "logzoo.estimators.smc:estimate", "logzoo.samplers.resampled:run"),
    "raise": Method("RAISE", "logzoo.estimators.reverse:estimate", "logzoo.samplers.annealed:run_reverse"),
    "rts": _of_tempering("RTS", "rts:estimate"),
    "ts": Method("TS", "logzoo.estimators.ts:estimate", *_TEMPERING, reads="tempering by counts"),
    "ti-riemann": _of_tempering("TI (Riemann)", "ti:riemann"),
    "ti-trapezoid": _of_tempering("TI (trapezoid)", "ti:trapezoid"),
    "ti-corrected": _of_tempering("TI (corrected)", "ti:corrected"),
    "ti-rb": _of_tempering("TI-RB", "ti:rao_blackwell"),
    "mbar": _of_tempering("MBAR", "mbar:estimate"),
    "bar": Method("BAR", "logzoo.estimators.bar:estimate", _EXCHANGES, reads="exchanges"),
    "pt-mbar": Method("PT-MBAR", "logzoo.estimators.pt_mbar:estimate", _EXCHANGES, reads="exchanges"),
    "trajectory": Method("Trajectory", "logzoo.estimators.trajectory:estimate", f"{_ALONG}:run"),
    "trajectory-ais": Method("Trajectory AIS", "logzoo.estimators.trajectory_ais:estimate", f"{_ALONG}:anneal_up"),
    "trajectory-raise": Method(
        "Trajectory RAISE", "logzoo.estimators.trajectory_raise:estimate", f"{_ALONG}:anneal_down"
    ),
    "sams": Method("SAMS", "logzoo.estimators.sams:estimate", *_ADJUSTED),
    "wang-landau": Method("Wang-Landau", "logzoo.estimators.wang_landau:estimate", *_ADJUSTED),
    "sd": _of_tempering("SD", "transitions:sd"),
    "rsd": _of_tempering("RSD", "transitions:rsd"),
    "las-vegas": Method("Las Vegas", "logzoo.estimators.las_vegas:estimate", "logzoo.samplers.tours:run"),
    "ais-moments": Method("AIS, moments", "logzoo.estimators.ais_moments:estimate", "logzoo.samplers.averaged:run"),
    "basins": Method("AIS, basins", "logzoo.estimators.basins:estimate", "logzoo.samplers.basins:run"),
    "mean-field": Method("Mean field", "logzoo.estimators.mean_field:estimate", drawn=False),
    "tap": Method("TAP", "logzoo.estimators.tap:estimate", drawn=False),
    "bethe": Method("Bethe", "logzoo.estimators.bethe:estimate", drawn=False),
}

# Options that hold something for every visible unit.
_BY_UNIT = {"base", "data"}

# Not one of them: it runs several, and stops when they agree.
_KNOWN = {**ESTIMATORS, "auto": Method("Auto", "logzoo.estimators.auto:estimate")}


def estimator(method):
    """The function run(rbm, ledger, stream, options) -> Estimate of that name; ValueError if unknown.

    method: a name, or a function of a user's own, estimate(rbm, ledger, stream, **options) -> Estimate. The function
    refuses a single chain, and unknown options with a ValueError that names the known ones.
    """
    listed, name = _listed(method), name_of(method)

    def run(rbm, ledger, stream, options):
        rbm, constant, options = _prepared(rbm, ledger, options)
        return _stated(name, listed.run(name, rbm, ledger, stream, **options), constant, ledger)

    return run


def estimate_together(rbm, asked, sweeps, chains, stream):
    """{name: Estimate} of methods asked for by name, {name: (method, options)}, which all start from the same base.

    Each has a budget of its own, `sweeps` of `chains` chains. A run that several of them read is made once and charged
    to each in full; what it draws depends on `stream` and on its settings, not on who reads it. Raises ValueError as
    `estimator`.
    """
    estimates, readers, constants = {}, {}, {}
    for name, (method, options) in asked.items():
        listed, ledger = _listed(method), SweepLedger(sweeps, chains)
        left, constant, options = _prepared(rbm, ledger, options)
        generator = getattr(listed.function, "generator", None)
        if generator is None:
            estimate = listed.run(method, left, ledger, stream.child(name), **options)
            estimates[name] = _stated(method, estimate, constant, ledger)
        else:
            listed.check(method, options)
            readers[name] = generator(left, ledger, stream.child(name), **options), ledger
            reduced, constants[name] = left, constant
    if readers:
        for name, estimate in read_together(reduced, readers, stream).items():
            estimates[name] = _stated(asked[name][0], estimate, constants[name], readers[name][1])
    return estimates


def _prepared(rbm, ledger, options):
    """The RBM without units that are certain, what they add to log Z, and the options for it."""
    if ledger.chains < 2:
        raise ValueError(f"chains: expected at least 2, an interval needs a spread, found {ledger.chains}")
    # Snapshots have all units.
    whole = options.get("snapshots") is not None
    left, constant, visible = (rbm, 0.0, None) if whole else without_certain(rbm)
    check_rounding(left)
    if left is not rbm:
        of_units = {name: _of_units(options[name], rbm, visible) for name in _BY_UNIT & options.keys()}
        options = {**options, **of_units}
    return left, constant, options


def _stated(method, estimate, constant, ledger):
    """The Estimate with what a method does not know: the units left out, its name, what was spent."""
    return replace(estimate.shifted(constant), method=method, sweeps=ledger.spent, chains=ledger.chains)


def _of_units(values, rbm, visible):
    """Those of the visible units that are left, along the last axis; what has no such axis stays as it is."""
    return np.asarray(values)[..., visible] if np.shape(values)[-1:] == (rbm.visible,) else values


def estimator_module(method):
    """Name of the module that holds a method."""
    return _listed(method).module


def is_drawn(method):
    """Whether what a method returns rests on draws, and so on its budget."""
    return _listed(method).drawn


def starts_from_data(method):
    """Whether a method takes examples: those that it starts from."""
    return takes(method, "data")


def takes(method, option):
    """Whether a method has an option of that name."""
    return option in _listed(method).options


def name_of(method):
    """The name of a method: that under which it is listed, or that of a function of a user's own."""
    return method.__name__ if callable(method) else method


def _listed(method):
    if callable(method):
        return Method(name_of(method), method)
    return _KNOWN[one_of("method", method, _KNOWN)]
