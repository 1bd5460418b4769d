"""The table of estimators by name. To add an estimator, write its module and add a line to the table."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

import numpy as np

from logzoo.budgets import SweepLedger
from logzoo.checks import expected_one_of, is_a, one_of, shown
from logzoo.estimators.estimator import Draws, Estimator
from logzoo.functions import check_options, resolved, taken
from logzoo.models.equivalent import without_certain
from logzoo.models.rbm import RBM
from logzoo.paths import MOST_ESTIMATED, check_rounding, rounding_error
from logzoo.streams import Stream

if TYPE_CHECKING:  # xarray takes long to import, and every plan of the workflow would wait for it
    from logzoo.estimators.result import Estimate

Method = str | Estimator | Callable
Reader = tuple[Method, Mapping[str, Any]]

_HERE, _SAMPLERS = "logzoo.estimators", "logzoo.samplers"
_BEGIN = f"{_SAMPLERS}.tempering_runs:begin"
_TEMPERING = f"{_HERE}.tempering_estimates"
_OF_TEMPERING: dict[str, Any] = {"passes_to": (f"{_TEMPERING}:run", f"{_SAMPLERS}.tempering_runs:run", _BEGIN)}
_MOVES = f"{_TEMPERING}:moves"
_WEIGHTS = f"{_HERE}.weights:read"
_ANNEALED_DOWN = f"{_SAMPLERS}.annealed:run_reverse"
_ALONG = f"{_SAMPLERS}.snapshot_ladders"
_SNAPSHOTS = f"{_HERE}.trajectory_estimates"


def _tempering(title, read, *observers):
    """An estimator that reads the shared run of simulated tempering."""
    how: dict[str, Any] = {**_OF_TEMPERING, "shares": "simulated_tempering.run", "settings": {"rungs": 100}}
    return Estimator(title, f"{_TEMPERING}:run", (_MOVES, *observers), f"{_HERE}.{read}", **how)


def _exchanges(title, read, observer):
    """An estimator that reads the shared run of parallel tempering."""
    sampler, shares = f"{_SAMPLERS}.replica_exchange:run", "parallel_tempering.run"
    return Estimator(title, sampler, (f"{_HERE}.bar:{observer}",), f"{_HERE}.bar:{read}", shares=shares)


def _adjusted(title, run):
    """An estimator whose sampler updates log Zhat after every sweep."""
    passes_to = (f"{_SAMPLERS}.tempering_runs:run_in_groups", _BEGIN)
    return Estimator(title, f"{_TEMPERING}:{run}", (_MOVES,), f"{_TEMPERING}:from_groups", passes_to)


def _whole(title, function, **more):
    """An estimator that cannot be split into a sampler and a function that reads its draws."""
    return Estimator(title, None, (), f"{_HERE}.{function}", **more)


# Listed in the order of tables and figures.
ESTIMATORS = {
    "ais": Estimator("AIS", f"{_SAMPLERS}.annealed:run", (), _WEIGHTS),
    "smc": Estimator("SMC", f"{_SAMPLERS}.annealed:run_in_islands", (), f"{_HERE}.weights:read_islands"),
    "raise": Estimator("RAISE", f"{_HERE}.reverse:run", (), f"{_HERE}.reverse:read", (_ANNEALED_DOWN,)),
    "rts": replace(_tempering("RTS", "tempered_sampling:read"), sampler=f"{_HERE}.tempered_sampling:run"),
    "ts": Estimator(
        "TS",
        f"{_HERE}.tempered_sampling:run_by_counts",
        (_MOVES,),
        f"{_HERE}.tempered_sampling:read_visits",
        **_OF_TEMPERING,
        shares="ts.run_by_counts",
    ),
    "ti-riemann": _tempering("TI (Riemann)", "ti:riemann", f"{_SAMPLERS}.observers:RungDerivatives"),
    "ti-trapezoid": _tempering("TI (trapezoid)", "ti:trapezoid", f"{_SAMPLERS}.observers:RungDerivatives"),
    "ti-corrected": _tempering("TI (corrected)", "ti:corrected", f"{_SAMPLERS}.observers:RungDerivatives"),
    "ti-rb": _tempering("TI-RB", "ti:rao_blackwell", f"{_SAMPLERS}.observers:WeightedDerivatives"),
    "mbar": _tempering("MBAR", "mbar:read", f"{_HERE}.mbar:thinned"),
    "bar": _exchanges("BAR", "read", "BridgeSums"),
    "pt-mbar": _exchanges("PT-MBAR", "read_overlaps", "OverlapSums"),
    "trajectory": Estimator(
        "Trajectory", f"{_SNAPSHOTS}:run", (f"{_HERE}.bar:BridgeSums",), f"{_SNAPSHOTS}:read", (f"{_ALONG}:run",)
    ),
    "trajectory-ais": Estimator("Trajectory AIS", f"{_SNAPSHOTS}:run_up", (), _WEIGHTS, (f"{_ALONG}:anneal",)),
    "trajectory-raise": Estimator(
        "Trajectory RAISE", f"{_SNAPSHOTS}:run_down", (), f"{_HERE}.reverse:read", (f"{_ALONG}:anneal",)
    ),
    "sams": _adjusted("SAMS", "run_sams"),
    "wang-landau": _adjusted("Wang-Landau", "run_wang_landau"),
    "sd": _tempering("SD", "transitions:sd", f"{_HERE}.transitions:counted_moves"),
    "rsd": _tempering("RSD", "transitions:rsd", f"{_HERE}.transitions:shared_moves"),
    "las-vegas": _whole("Las Vegas", "las_vegas:estimate", passes_to=(f"{_SAMPLERS}.tour_chains:run",)),
    "ais-moments": Estimator("AIS-moments", f"{_SAMPLERS}.averaged:run", (), _WEIGHTS),
    "basins": Estimator("AIS-basins", f"{_SAMPLERS}.annealed_from_modes:run", (), f"{_HERE}.basins:read"),
    "mean-field": _whole("Mean field", "fixed_points:mean_field", drawn=False),
    "tap": _whole("TAP", "fixed_points:tap", drawn=False),
    "bethe": _whole("Bethe", "fixed_points:bethe", drawn=False),
}

# Largest part of log Z, in nats, that units of certain state may contribute: float64 rounds it to 1e-4 nats.
_MOST_CERTAIN = 1e12
# Options whose arrays have an entry for every visible unit.
_BY_UNIT = {"base", "data"}

# `auto` is not in the table, because it runs several estimators and stops when they agree.
_KNOWN = {**ESTIMATORS, "auto": _whole("Auto", "auto:estimate")}


def find(method: Method) -> Estimator:
    """Return the `Estimator` of a name or of a user's own function.

    method: a name, an Estimator, or a function estimate(rbm, ledger, stream, **options) -> Estimate. Names outside the
    table are looked up in the entry points `logzoo.estimators` of installed packages. Such an entry point names an
    Estimator or a function with these parameters. Raises ValueError for an unknown name, and for an entry point that
    cannot be loaded.
    """
    if isinstance(method, Estimator):
        return method
    if callable(method):
        return Estimator(name_of(method), None, (), method)
    if isinstance(method, str) and method in _KNOWN:
        return _KNOWN[method]
    installed = {entry.name.lower(): entry for entry in entry_points(group="logzoo.estimators")}
    entry = installed[one_of("method", method, {**_KNOWN, **installed})]
    try:
        return find(entry.load())
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{method}: entry point {shown(entry.value)} cannot be loaded: {error}") from error


def name_of(method: Method) -> str:
    """The name of a method: its name in the table, the title of an Estimator, or the name of a user's function."""
    if isinstance(method, str):
        return method
    # Some callables, such as a functools.partial, have no name.
    return method.title if isinstance(method, Estimator) else getattr(method, "__name__", type(method).__name__)


def checked(method: Method, options: Iterable[str]) -> Estimator:
    """The `Estimator` of a method; raises ValueError for an option that it lacks."""
    listed = find(method)
    check_options(name_of(method), options, listed.functions)
    return listed


def estimator(method: Method) -> Callable[..., "Estimate"]:
    """Return the function run(rbm, ledger, stream, options) -> Estimate of a method.

    `method` is as for `find`. The function raises ValueError for a single chain and for unknown options.
    """
    find(method)  # raises ValueError for an unknown name at once

    def run(rbm, ledger, stream, options):
        checked(method, options)
        return _estimates(rbm, {None: (method, options)}, ledger, stream, lambda _: stream)[None]

    return run


def estimate_together(
    rbm: RBM, readers_by_name: Mapping[str, Reader], sweeps: int, chains: int, stream: Stream
) -> dict[str, "Estimate"]:
    """Estimate log Z by several methods from the same base; return {name: Estimate}.

    readers_by_name: {name: (method, options)}. Each method has its own budget: `sweeps` sweeps of `chains` chains.
    Methods that share a run read the same draws, and each is charged for these draws in full. For one RBM and budget,
    the draws of a shared run depend only on `stream` and the settings of the sampler. Raises ValueError for a single
    chain and for unknown options.
    """
    runs = {}
    for name, (method, options) in readers_by_name.items():
        listed = checked(method, options)
        run = listed.run_of(options) if listed.shares else (name,)
        runs.setdefault(run, {})[name] = method, options
    estimates = {}
    for run, readers in runs.items():
        estimates |= _estimates(rbm, readers, SweepLedger(sweeps, chains), stream.child(*run), stream.child)
    return estimates


def _estimates(rbm, readers, ledger, stream, stream_of):
    """Estimate log Z by the methods of a run; readers and result as in `estimate_together`.

    stream_of(name) returns the Stream from which a method takes its randomness after the run.
    """
    method, options = next(iter(readers.values()))
    listed = find(method)
    if listed.sampler is not None:
        draws = draw(rbm, list(readers.values()), ledger, stream)
        return {name: read(replace(draws, stream=stream_of(name)), *reader) for name, reader in readers.items()}
    left, constant, options = _prepared(rbm, ledger, options, listed)
    estimate = resolved(listed.read)(left, ledger, stream, **options)
    return {name: _completed(method, estimate, left, constant, ledger) for name in readers}


def draw(rbm: RBM, readers: Sequence[Reader], ledger: SweepLedger, stream: Stream) -> Draws:
    """Make the `Draws` of a run with observers of all readers (method, options), and settings of the first reader."""
    method, options = readers[0]
    listed = find(method)
    left, constant, options = _prepared(rbm, ledger, options, listed)
    makers = dict.fromkeys(maker for method, own_options in readers for maker in find(method).observers_of(own_options))
    observed = {(function, arguments): function(**dict(arguments)) for function, arguments in makers}
    settings = listed.settings_of(options)
    watching = [tuple(observed.values())] if observed else []
    sample = _sampler_of(method)(left, ledger, stream, *watching, **settings)
    return Draws(left, sample, observed, ledger, stream, settings, listed, constant)


def draw_for_all(rbm: RBM, method: Method, ledger: SweepLedger, stream: Stream, options: Mapping[str, Any]) -> Draws:
    """Make `Draws` for a method and all listed methods that share its runs; raises ValueError without a sampler."""
    listed = checked(method, options)
    others = [(name, {}) for name, other in ESTIMATORS.items() if listed.shares and other.shares == listed.shares]
    readers = [(method, options), *(reader for reader in others if find(reader[0]) is not listed)]
    draws = draw(rbm, readers, ledger, stream)
    # Without options, the method reads the observers that have the options of this call.
    chosen = {(maker, ()): draws.observed[maker, arguments] for maker, arguments in listed.observers_of(options)}
    return replace(draws, observed=draws.observed | chosen)


def read(draws: Draws, method: Method, options: Mapping[str, Any]) -> "Estimate":
    """The Estimate that a method reads from `Draws`. Options for the sampler are ignored.

    Raises ValueError for a method without a sampler, and for draws of another run or without the method's observers.
    """
    listed, name, sampler = find(method), name_of(method), _sampler_of(method)
    source, makers = draws.estimator, listed.observers_of(options)
    # As in `Estimator.run_of`, an option that is False does not change the draws.
    settings = {setting for setting, value in draws.settings.items() if value is not False}
    shared = listed.shares == source.shares != "" and settings <= set(listed.options)
    same = shared or sampler == _sampler_of(source)
    if not same or not draws.observed.keys() >= set(makers):
        raise ValueError(
            f"{name}: cannot read draws made for {source.title}; draw_samples(rbm, {shown(name)}, ...) makes draws "
            "that it reads"
        )
    observed = {function: draws.observed[function, arguments] for function, arguments in makers}
    estimate = resolved(listed.read)(replace(draws, observed=observed), **taken(options, listed.read))
    return _completed(method, estimate, draws.rbm, draws.log_z_certain, draws.ledger)


def _sampler_of(method: Method) -> Callable[..., Any]:
    """The sampler of a method, as a function. Raises ValueError if the method has no sampler."""
    sampler = find(method).sampler
    if sampler is None:
        name, able = name_of(method), [name for name, other in ESTIMATORS.items() if other.sampler is not None]
        raise ValueError(f"method: {shown(name)} has no draws to read; {expected_one_of(name, able)}")
    return resolved(sampler)


def _prepared(rbm, ledger, options, listed):
    """The RBM without units of certain state, their contribution to log Z, and the options for that RBM."""
    if ledger.chains < 2:
        raise ValueError(f"chains: expected at least 2 for a standard error, found {ledger.chains}")
    # Units of certain state stay if there are snapshots, because snapshots have all units.
    whole = options.get("snapshots") is not None
    left, constant, visible = (rbm, 0.0, None) if whole else without_certain(rbm)[:3]
    if abs(constant) > _MOST_CERTAIN:
        raise ValueError(
            f"weights: units of certain state add {constant:.3g} nats to log Z, expected at most {_MOST_CERTAIN:g} "
            "nats, because float64 rounds larger numbers too much"
        )
    if listed.drawn and listed is not _KNOWN["auto"]:  # auto checks later, since it may enumerate without rounding
        check_rounding(left, MOST_ESTIMATED)
    if left is not rbm:
        # Names of bases have no axis of units.
        names = [name for name in _BY_UNIT & options.keys() if np.shape(options[name])[-1:] == (rbm.visible,)]
        options = {**options, **{name: np.asarray(options[name])[..., visible] for name in names}}
    return left, constant, options


def _completed(method, estimate, left, constant, ledger):
    """Add the constant of units of certain state, the error of rounding, the method and the sweeps to an Estimate."""
    from logzoo.estimators.result import Estimate

    listed, name = find(method), name_of(method)
    shifted = is_a(f"result of {name}", estimate, Estimate).shifted(constant)
    estimate = replace(shifted, method=name, sweeps=ledger.spent, chains=ledger.chains)
    if listed is _KNOWN["auto"]:
        return estimate
    return estimate.with_sane_error(rounding_error(left) if listed.drawn else 0.0)


def takes(method: Method, option: str) -> bool:
    """Whether a method has an option of that name."""
    return option in find(method).options


def accepts(method: Method, option: str) -> bool:
    """Whether a method has an option of that name, or passes on any option."""
    try:
        checked(method, [option])
    except ValueError:
        return False
    return True
