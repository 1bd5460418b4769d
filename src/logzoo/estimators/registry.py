"""The estimators, by name. A method is one file with `estimate`; adding one is a line here."""

from dataclasses import replace

import numpy as np

from logzoo.checks import one_of
from logzoo.methods import Method
from logzoo.models.certain import without_certain
from logzoo.paths import check_rounding

# What draws for the methods on simulated tempering, and takes their options.
_SAMPLER = "logzoo.samplers.simulated_tempering"
_TEMPERING = "logzoo.estimators.simulated_tempering:run", f"{_SAMPLER}:run", f"{_SAMPLER}:begin"
_ALONG = "logzoo.samplers.trajectory"
_ADJUSTED = "logzoo.samplers.adjusted:run", f"{_SAMPLER}:begin"

# In the order of tables and figures.
ESTIMATORS = {
    "ais": Method("AIS", "logzoo.estimators.ais:estimate", "logzoo.samplers.annealed:run"),
    "smc": Method("SMC", "logzoo.estimators.smc:estimate", "logzoo.samplers.resampled:run"),
    "raise": Method("RAISE", "logzoo.estimators.reverse:estimate", "logzoo.samplers.annealed:run_reverse"),
    "rts": Method("RTS", "logzoo.estimators.rts:estimate", *_TEMPERING),
    "ts": Method("TS", "logzoo.estimators.ts:estimate", *_TEMPERING),
    "ti-riemann": Method("TI (Riemann)", "logzoo.estimators.ti:riemann", *_TEMPERING),
    "ti-trapezoid": Method("TI (trapezoid)", "logzoo.estimators.ti:trapezoid", *_TEMPERING),
    "ti-corrected": Method("TI (corrected)", "logzoo.estimators.ti:corrected", *_TEMPERING),
    "ti-rb": Method("TI-RB", "logzoo.estimators.ti:rao_blackwell", *_TEMPERING),
    "mbar": Method("MBAR", "logzoo.estimators.mbar:estimate", *_TEMPERING),
    "bar": Method("BAR", "logzoo.estimators.bar:estimate", "logzoo.samplers.parallel_tempering:run"),
    "pt-mbar": Method("PT-MBAR", "logzoo.estimators.pt_mbar:estimate", "logzoo.samplers.parallel_tempering:run"),
    "trajectory": Method("Trajectory", "logzoo.estimators.trajectory:estimate", f"{_ALONG}:run"),
    "trajectory-ais": Method("Trajectory AIS", "logzoo.estimators.trajectory_ais:estimate", f"{_ALONG}:anneal_up"),
    "trajectory-raise": Method(
        "Trajectory RAISE", "logzoo.estimators.trajectory_raise:estimate", f"{_ALONG}:anneal_down"
    ),
    "sams": Method("SAMS", "logzoo.estimators.sams:estimate", *_ADJUSTED),
    "wang-landau": Method("Wang-Landau", "logzoo.estimators.wang_landau:estimate", *_ADJUSTED),
    "sd": Method("SD", "logzoo.estimators.transitions:sd", *_TEMPERING),
    "rsd": Method("RSD", "logzoo.estimators.transitions:rsd", *_TEMPERING),
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

    The function refuses a single chain, and unknown options with a ValueError that names the known ones.
    """
    listed = _listed(method)

    def run(rbm, ledger, stream, options):
        if ledger.chains < 2:
            raise ValueError(f"chains: expected at least 2, an interval needs a spread, found {ledger.chains}")
        # Snapshots have all units.
        whole = options.get("snapshots") is not None
        left, constant, visible = (rbm, 0.0, None) if whole else without_certain(rbm)
        check_rounding(left)
        if left is not rbm:
            options = {
                **options,
                **{name: _of_units(options.get(name), rbm, visible) for name in _BY_UNIT & options.keys()},
            }
        estimate = listed.run(method, left, ledger, stream, **options).shifted(constant)
        return replace(estimate, method=method, sweeps=ledger.spent, chains=ledger.chains)

    return run


def _of_units(values, rbm, visible):
    """Those of the visible units that are left, along the last axis; what has no such axis stays as it is."""
    return np.asarray(values)[..., visible] if np.shape(values)[-1:] == (rbm.visible,) else values


def estimator_module(method):
    """Name of the module that holds a method."""
    return _listed(method).module


def starts_from_data(method):
    """Whether a method takes examples: those that it starts from."""
    return takes(method, "data")


def takes(method, option):
    """Whether a method has an option of that name."""
    return option in _listed(method).options


def _listed(method):
    return _KNOWN[one_of("method", method, _KNOWN)]
