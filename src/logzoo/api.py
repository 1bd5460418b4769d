"""Public functions: estimate log Z, make and read draws, list estimators. xarray is imported when needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from logzoo.budgets import SweepLedger
from logzoo.checks import binary_matrix, flag, is_a, lower_case, shown, whole_number
from logzoo.estimators import estimator_registry as registry
from logzoo.estimators.estimator import Draws
from logzoo.functions import Listing, check_options
from logzoo.io.checkpoints import chosen_checkpoint
from logzoo.kernels.cache import compiling
from logzoo.models.rbm import RBM
from logzoo.paths import log_odds
from logzoo.printing import shows, stage
from logzoo.samplers.base import checked_base
from logzoo.streams import root_stream

if TYPE_CHECKING:
    from typing import Any

    from logzoo.estimators.estimator_registry import Method
    from logzoo.estimators.result import Estimate
    from logzoo.types import ArrayLike, FilePath, Seed

# Sweeps of a single method by default.
_SWEEPS = 10_000


@compiling()
def estimate_log_z(
    rbm: RBM,
    method: Method = "auto",
    *,
    sweeps: int | None = None,
    chains: int = 100,
    base: ArrayLike | str | None = None,
    data: ArrayLike | None = None,
    seed: Seed = 0,
    threads: int | None = None,
    progress: bool | None = None,
    check: bool = True,
    checkpoint: FilePath | None = None,
    **options: Any,
) -> Estimate:
    """Estimate log Z of an RBM and report whether the estimate can be trusted.

    Parameters
    ----------
    rbm : RBM
    method : str, callable or Estimator
        ``"auto"`` enumerates small models. It runs different methods on other models until they agree and the error is
        within ``tolerance`` (default 0.1 nat). If this never happens, the estimate is not converged. Any other name is
        an estimator of logzoo, listed by `methods`, or of an installed package with an entry point in
        ``logzoo.estimators``. Your own `Estimator` or function ``estimate(rbm, ledger, stream, **options)`` is checked
        in the same way.
    sweeps : int, optional
        Budget in Gibbs sweeps of each chain, burn-in and tuning included. The default is 10,000 for one method. For
        ``"auto"`` it is 300,000, but fewer for large models or many chains, and more for few chains. ``"auto"`` may
        stop earlier.
    chains : int
        Number of chains, at least 2. For most methods their spread gives the standard error.
    base : array, shape (visible,), or str, optional
        Log-odds of the base distribution, or ``"modes"``, ``"matched"``, ``"visible-bias"`` or ``"uniform"``. The
        default is the marginals of ``data``, or ``"modes"`` without data.
    data : array of 0 and 1, shape (examples, visible), optional
        Examples for the base, the evidence, and methods that start from data.
    seed : int or str
        The same seed gives the same estimate, whatever the number of threads.
    threads : int, optional
        Threads of the sampler. The default is 1 for one method, and one for each core for ``"auto"``.
    progress : bool, optional
        Whether stderr shows the progress. By default a terminal shows it; ``True`` shows it in a notebook, too.
    check : bool
        Whether the estimate of a single method is checked against evidence: rigorous bounds and independent chains.
        The check takes at most 5,000 sweeps of 256 chains, which the budget does not include. ``"auto"`` always
        checks its estimate, within its budget.
    checkpoint : path, optional
        File to which ``"auto"`` saves its progress. After an interruption the same call continues from it.
    **options
        Options of the method, which `methods` lists.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError
        For unknown methods and options, impossible values, and parameters that the kernels would round too much.

    Notes
    -----
    For most methods, the cost grows linearly in sweeps and chains. Memory hardly grows with sweeps, except for
    ``"las-vegas"``.

    Examples
    --------
    >>> from logzoo import RBM, estimate_log_z, exact_log_z
    >>> rbm = RBM([[2.0, -1.0], [0.5, 1.0]], [0.0, 0.1], [0.2, -0.3])
    >>> estimate = estimate_log_z(rbm, "ais", sweeps=1000, chains=100)
    >>> estimate.converged, abs(estimate.log_z - exact_log_z(rbm)) < 0.05
    (True, True)
    """
    from logzoo.estimators import auto, evidence

    is_a("rbm", rbm, RBM)
    method = lower_case(method)
    stream, run, check = root_stream(seed), registry.estimator(method), flag("check", check)
    progress = shows(progress)
    if method == "auto" and sweeps is None:
        sweeps = auto.default_sweeps(rbm, whole_number("chains", chains, minimum=2))
    ledger, data, options = _settings(rbm, method, sweeps, chains, base, data, threads, progress, options)
    if checkpoint is not None:
        if method != "auto":
            raise ValueError(f"checkpoint: expected method auto, found {shown(method)}; leave checkpoint out")
        call = {"rbm": rbm, "seed": str(seed), "sweeps": ledger.sweeps, "chains": ledger.chains}
        # Threads and progress change no estimate.
        call |= {name: value for name, value in options.items() if name not in ("threads", "progress")}
        modules = {module for name in (method, *auto.METHODS) for module in registry.find(name).modules}
        options["checkpoint"] = chosen_checkpoint(checkpoint, call, modules)
    if method == "auto":
        return run(rbm, ledger, stream.child(method), options)
    name = registry.name_of(method)
    with stage(name, progress):
        estimate = run(rbm, ledger, stream.child(name), options)
    if not check:
        return estimate
    threads = 1 if threads is None else threads
    gathered = evidence.gathered_once(rbm, stream.child("evidence"), data=data, threads=threads, progress=progress)
    return evidence.cut(evidence.weighed(estimate, gathered))


def draw_samples(
    rbm: RBM,
    method: Method,
    *,
    sweeps: int | None = None,
    chains: int = 100,
    base: ArrayLike | str | None = None,
    data: ArrayLike | None = None,
    seed: Seed = 0,
    threads: int | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Draws:
    """Run the sampler of an estimator; several estimators can read the draws.

    Parameters
    ----------
    rbm : RBM
    method : str or Estimator
        Estimator whose sampler is run. Listed estimators that share the sampler can read the draws, too. ``"rts"``
        (without ``mixed``), ``"mbar"``, ``"sd"``, ``"rsd"`` and the ``"ti-..."`` methods share simulated tempering.
        ``"bar"`` and ``"pt-mbar"`` share parallel tempering.
    sweeps : int, optional
        Budget in Gibbs sweeps of each chain, burn-in and tuning included (default 10,000).
    chains : int
        Number of chains, at least 2.
    base, data : optional
        As for `estimate_log_z`.
    seed : int or str
        The same seed gives the same draws, whatever the number of threads.
    threads : int, optional
        Threads of the sampler (default 1).
    progress : bool, optional
        As for `estimate_log_z`.
    **options
        Options of the method, which `methods` lists.

    Returns
    -------
    Draws

    Raises
    ------
    ValueError
        As for `estimate_log_z`, and for methods without a sampler, such as ``"tap"``.

    Notes
    -----
    The run records statistics for every listed estimator that can read the draws. It takes at most about twice the time
    of a run for one estimator, and less on large models.

    Examples
    --------
    >>> from logzoo import RBM, draw_samples, read_log_z
    >>> rbm = RBM([[2.0, -1.0], [0.5, 1.0]], [0.0, 0.1], [0.2, -0.3])
    >>> draws = draw_samples(rbm, "rts", sweeps=1000)
    >>> [read_log_z(draws, method).converged for method in ("rts", "ti-rb", "mbar")]
    [True, True, True]
    """
    is_a("rbm", rbm, RBM)
    method = lower_case(method)
    ledger, _, options = _settings(rbm, method, sweeps, chains, base, data, threads, shows(progress), options)
    return registry.draw_for_all(rbm, method, ledger, root_stream(seed).child(registry.name_of(method)), options)


def read_log_z(draws: Draws, method: Method, /, **options: Any) -> Estimate:
    """Estimate log Z from draws.

    Parameters
    ----------
    draws : Draws
        Result of `draw_samples`.
    method : str or Estimator
        Estimator that uses the sampler of the draws.
    **options
        Options of the estimator. Options of its sampler, and the option ``draws`` of ``"mbar"``, belong to
        `draw_samples`.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError
        For unknown methods and options, and for draws that the method cannot read.

    Notes
    -----
    The estimate is not checked against evidence. If the draws were made for the same method, it equals
    ``estimate_log_z(..., check=False)`` with the same arguments. Estimates from the same draws have correlated errors.

    Examples
    --------
    >>> from logzoo import RBM, draw_samples, estimate_log_z, read_log_z
    >>> rbm = RBM([[2.0, -1.0], [0.5, 1.0]], [0.0, 0.1], [0.2, -0.3])
    >>> estimate = read_log_z(draw_samples(rbm, "ais", sweeps=100), "ais")
    >>> estimate == estimate_log_z(rbm, "ais", sweeps=100, check=False)
    True
    """
    method = lower_case(method)
    listed = registry.find(method)
    check_options(registry.name_of(method), options, (listed.read, *listed.observers))
    return registry.read(is_a("draws", draws, Draws), method, options)


def methods() -> Listing:
    """List the estimators, one per line: name, title, and options beyond the parameters of `estimate_log_z`.

    Returns
    -------
    list of (name, title, options)
        The list is printed as a table.

    Examples
    --------
    >>> from logzoo import methods
    >>> print(methods()[0])
    Entry(name='ais', title='AIS', options=('ladder',))
    """
    return Listing.of({**registry.ESTIMATORS, "auto": registry.find("auto")}, estimate_log_z)


def _settings(rbm, method, sweeps, chains, base, data, threads, progress, options):
    """The ledger, the checked data, and the options of the method with the other arguments added."""
    # At least two chains, because most standard errors come from the spread between chains.
    ledger = SweepLedger(_SWEEPS if sweeps is None else sweeps, whole_number("chains", chains, minimum=2))
    # A user's own method may lack these options, so they are added only if they are set, or if the method takes them.
    options |= {"threads": threads} if threads is not None else {}
    options |= {"progress": True} if progress and registry.takes(method, "progress") else {}
    needed = base is not None or registry.accepts(method, "base")
    if data is not None:
        data = binary_matrix("data", data, visible=rbm.visible)
        base = log_odds(data) if base is None else base
        options |= {"data": data} if registry.takes(method, "data") else {}
    options |= {"base": checked_base(rbm, base)} if needed else {}
    return ledger, data, options
