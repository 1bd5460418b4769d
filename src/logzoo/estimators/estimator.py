"""An estimator: a sampler, observers of its run, and a function that reads its draws."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from logzoo.budgets import SweepLedger
from logzoo.functions import Function, module_of, options_of, resolved, taken
from logzoo.models.rbm import RBM
from logzoo.streams import Stream

# Options that are not in the name of a run. All estimators of a run share the base; threads and progress change no
# draw.
_UNNAMED = {"base", "threads", "progress"}


@dataclass(frozen=True)
class Estimator:
    """An estimator of log Z: the sampler that makes its draws, and the function that reads them.

    A function is a function object or a name of the form ``"package.module:function"``. The keyword-only parameters of
    all functions are the options of the estimator.

    Attributes
    ----------
    title : str
        Name in tables and figures.
    sampler : function or None
        ``sampler(rbm, ledger, stream, observers, **settings)`` spends the ledger and returns draws. It is called
        without ``observers`` if the estimator has none. The attribute is None if the estimator cannot be split into a
        sampler and a function that reads its draws.
    observers : tuple of functions
        Each function makes an observer, which gets the draws while the sampler runs.
    read : function
        ``read(draws, **options)`` returns the `Estimate` of `Draws`. Without a sampler the call is
        ``read(rbm, ledger, stream, **options)``.
    passes_to : tuple of functions
        Functions to which the sampler, or `read` if there is none, passes its other options.
    shares : str
        Name of the run: estimators with the same run name and the same settings read the same draws.
    settings : mapping
        Defaults of the sampler's settings that are part of the name of the run.
    drawn : bool
        Whether the estimate depends on draws, and therefore on the budget.

    Examples
    --------
    >>> import numpy as np
    >>> from logzoo import RBM, Estimator, estimate_log_z
    >>> from logzoo.estimators.weights import from_weights
    >>> from logzoo.samplers import annealed
    >>> def read(draws):
    ...     return from_weights(draws.rbm, draws.sample, draws.ledger, draws.stream)
    >>> mine = Estimator("My AIS", annealed.run, (), read)
    >>> estimate_log_z(RBM(np.ones((3, 2)), np.zeros(3), np.zeros(2)), mine, sweeps=100).method
    'My AIS'
    """

    title: str
    sampler: Function | None
    observers: tuple[Function, ...]
    read: Function
    passes_to: tuple[Function, ...] = ()
    shares: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    drawn: bool = True

    @property
    def functions(self) -> tuple[Function, ...]:
        """All functions of the estimator."""
        return (*filter(None, (self.sampler, self.read)), *self.observers, *self.passes_to)

    @property
    def modules(self) -> list[str]:
        """Names of the modules that hold the functions."""
        return sorted(set(map(module_of, self.functions)))

    @property
    def options(self) -> set[str]:
        """Names of the options."""
        return options_of(*self.functions)

    def settings_of(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The settings of the sampler: the defaults, and the options that neither `read` nor an observer takes."""
        of_readers = options_of(self.read, *self.observers)
        return {**self.settings, **{name: value for name, value in options.items() if name not in of_readers}}

    def run_of(self, options: Mapping[str, Any]) -> tuple[str, str]:
        """Name of the run with these options; equal name, RBM, base, budget and stream give equal draws."""
        settings = self.settings_of(options).items()
        named = (f"{name}={value}" for name, value in sorted(settings) if name not in _UNNAMED)
        # An option that is False does not change the draws.
        return self.shares, " ".join(setting for setting in named if not setting.endswith("=False"))

    def observers_of(self, options: Mapping[str, Any]) -> list[tuple]:
        """The functions that make the observers, each with its options as sorted pairs, which are part of a key."""
        makers = [(function, sorted(taken(options, function).items())) for function in map(resolved, self.observers)]
        for name, value in (pair for _, pairs in makers for pair in pairs):
            if not isinstance(value, Hashable):
                raise ValueError(f"{name}: expected a number or a text, found {value!r:.80}")
        return [(function, tuple(pairs)) for function, pairs in makers]


@dataclass(frozen=True)
class Draws:
    """Draws of one run of a sampler, which several estimators may read.

    Attributes
    ----------
    rbm : RBM
        The RBM that the sampler ran on. Units of certain state are removed, unless there are snapshots.
    sample : object
        Return value of the sampler, such as importance weights or sums over sweeps.
    observed : dict
        Observers, keyed by the function that made them and its options. The `read` of an estimator gets the observers
        keyed by the function alone.
    ledger : SweepLedger
        The budget, and the sweeps spent so far.
    stream : Stream
        Randomness for `read`, for example for a bootstrap.
    settings : dict
        Settings of the sampler.
    estimator : Estimator
        An estimator that the draws were made for.
    log_z_certain : float, nats
        Contribution of units of certain state.

    Examples
    --------
    >>> from logzoo import RBM, draw_samples
    >>> draws = draw_samples(RBM([[1.0], [0.5]], [0.0, 0.1], [0.2]), "ais", sweeps=100, chains=20)
    >>> draws.sample.log_weight.shape, draws.ledger.spent
    ((20,), 100)
    """

    rbm: RBM
    sample: Any
    observed: dict
    ledger: SweepLedger
    stream: Stream
    settings: dict[str, Any]
    estimator: Estimator
    log_z_certain: float
