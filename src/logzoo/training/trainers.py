"""The trainers and trackers by name, and the public function to train an RBM. A new trainer needs one line here."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from logzoo.checks import binary_matrix, grey_matrix, lower_case, one_of, positive_number, whole_number
from logzoo.functions import Listing, Method, resolved
from logzoo.io.checkpoints import Checkpoint, chosen_checkpoint
from logzoo.printing import shows
from logzoo.streams import root_stream

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from logzoo.models.rbm import RBM
    from logzoo.training.loop import TrainingRun
    from logzoo.types import ArrayLike, FilePath, Seed

_LOOP = "logzoo.training.loop:train"
_PARALLEL_TEMPERING = "logzoo.training.exchange:train_parallel_tempering", _LOOP
_INFINITE_SWAPPING = "logzoo.training.exchange:train_infinite_swapping", _LOOP
_SIMULATED_TEMPERING = "logzoo.training.spectral:train_simulated_tempering", _LOOP

TRAINERS = {
    "exact": Method("Exact SGD", "logzoo.training.contrastive:exact_sgd", _LOOP),
    "cd": Method("CD", "logzoo.training.contrastive:cd", _LOOP),
    "pcd": Method("PCD", "logzoo.training.contrastive:pcd", _LOOP),
    "lvs": Method("LVS", "logzoo.training.contrastive:lvs", _LOOP),
    "sml-pt": Method("SML-PT", *_PARALLEL_TEMPERING),
    "sml-apt": Method("SML-APT", "logzoo.training.exchange:sml_apt", *_PARALLEL_TEMPERING),
    "pt": Method("PT", "logzoo.training.exchange:pt", *_INFINITE_SWAPPING),
    "ins": Method("INS", *_INFINITE_SWAPPING),
    "pins": Method("PINS", "logzoo.training.exchange:pins", *_INFINITE_SWAPPING),
    "rms-spectral": Method("RMSspectral", "logzoo.training.spectral:rms_spectral", *_SIMULATED_TEMPERING),
    "rmsprop": Method("RMSprop", "logzoo.training.spectral:rmsprop", *_SIMULATED_TEMPERING),
}


# Trackers are named by strings, so that modules which import this table import no kernels.
_TRACKER = "logzoo.training.trackers:tracker"
TRACKERS: tuple[str, ...] = ("kalman", "rts")


def trainer(method: str) -> Callable[..., TrainingRun]:
    """The function run(data, **settings) -> TrainingRun of a trainer. Raises ValueError for unknown trainers."""
    return partial(TRAINERS[one_of("method", method, TRAINERS)].run, method)


def trainer_module(method: str) -> str:
    """Name of the module that holds a trainer."""
    return TRAINERS[one_of("method", method, TRAINERS)].module


# Checks of the data to train on.
_VALUES = {"binary": binary_matrix, "grey": grey_matrix}


def train_rbm(
    data: ArrayLike,
    method: str = "pcd",
    *,
    hidden: int,
    updates: int,
    batch: int = 100,
    learning_rate: float = 0.05,
    schedule: str = "constant",
    weight_decay: float = 0.0,
    start: RBM | None = None,
    validation: ArrayLike | None = None,
    patience: int | None = None,
    snapshots: int = 0,
    walkers: int = 0,
    seed: Seed = 0,
    checkpoint: FilePath | Checkpoint | None = None,
    progress: bool | None = None,
    **options: Any,
) -> TrainingRun:
    """Train an RBM on binary data or grey levels.

    Parameters
    ----------
    data : array of 0 and 1, shape (examples, visible)
        Some trainers take grey levels from 0 to 1, with ``values="grey"``.
    method : str
        Name of a trainer, such as ``"cd"``, ``"pcd"``, ``"sml-pt"``, ``"ins"``, ``"lvs"`` or ``"rmsprop"``;
        `trainers` lists all names.
    hidden : int
        Number of hidden units.
    updates : int
        Number of parameter updates.
    batch : int
        Number of examples in a mini-batch.
    learning_rate : float
    schedule : str
        Schedule of the learning rate: ``"constant"``; ``"linear"``, down to 0 at the end; ``"inverse"``, proportional
        to 1 / (update + 1) from update ``alpha`` on; ``"epochs"``, divided by 2, 3, ... after every ten epochs.
    weight_decay : float
        Every update reduces the weights by this share times the learning rate.
    start : RBM, optional
        Parameters to start from. By default weights are small and random, and visible biases are the log-odds of the
        data (``initial="marginals"``).
    validation : array of 0 and 1, shape (examples, visible), optional
        Examples whose log-likelihood is recorded in the trace; this needs a trainer, tracker or walkers that follow
        log Z.
    patience : int, optional
        Number of updates after which the training ends if the log-likelihood of the validation examples has not risen.
        Only rows of the trace count (see `every`). The result has the parameters of the best row.
    snapshots : int
        Parameters are kept at this number of rows of the trace or up to twice as many, at most at all rows.
    walkers : int
        Number of additional chains that follow log Z (Jarzynski 1997): 0 or at least 8, and 0 with a tracker.
    seed : int or str
        The same seed gives the same parameters.
    checkpoint : path, optional
        File to which the training saves its progress. After an interruption the same call continues from it. The file
        stays when the training is over.
    progress : bool, optional
        Whether stderr shows a progress bar; by default, whether stderr is a terminal.
    **options
        Options of the trainer. `trainers` lists them, such as ``k`` (sweeps in an update; LVS: largest length of a
        tour), ``particles`` (chains; LVS: tours; SML-PT, SML-APT, PT, INS and PINS: chains at each temperature), and
        ``tracker`` (``"kalman"`` or ``"rts"``) for the trainers that can track log Z. All trainers share four options.
        ``initial`` is ``"marginals"``, ``"small"`` or ``"uniform"``. ``alpha`` belongs to the inverse schedule (default
        10,000). ``every`` is the number of updates between two rows of the trace, by default a hundredth of all
        updates. ``monitored`` is the largest number of examples of each split whose log-likelihood is traced (default
        2,000).

    Returns
    -------
    TrainingRun

    Raises
    ------
    ValueError
        For unknown trainers and options, impossible settings and data, parameters that diverge, and a checkpoint of
        another call.

    References
    ----------
    CD: Hinton (2002). PCD: Tieleman (2008). SML-PT: Desjardins et al. (2010). RMSspectral: Carlson et al. (2016). LVS:
    Savarese et al. (2018). INS: Hult et al. (2019). Walkers: Carbone et al. (2023).

    Examples
    --------
    >>> import numpy as np
    >>> from logzoo import train_rbm
    >>> run = train_rbm(np.eye(6, dtype=int), "pcd", hidden=3, updates=20, batch=6)
    >>> run.rbm
    RBM(6 visible x 3 hidden)
    """
    method = lower_case(method)
    if "stream" in options:
        raise ValueError(f"{method}: unknown option 'stream'; expected a seed")
    run, stream = trainer(method), root_stream(seed).child("train", method)
    examples = _VALUES[one_of("values", options.get("values", "binary"), _VALUES)]("data", data)
    if validation is not None:
        validation = binary_matrix("validation", validation, visible=examples.shape[1])
    settings = {"hidden": hidden, "updates": updates, "batch": batch}
    settings = {name: whole_number(name, value) for name, value in settings.items()}
    if batch > len(examples):
        raise ValueError(f"batch: expected at most {len(examples)} (examples in the data), found {batch}")
    settings |= {"learning_rate": positive_number("learning_rate", learning_rate), "schedule": schedule}
    settings |= {"weight_decay": weight_decay, "start": start, "validation": validation, "patience": patience}
    settings |= {"snapshots": snapshots, "walkers": walkers}
    if checkpoint is not None and not isinstance(checkpoint, Checkpoint):
        call = {"method": method, "seed": str(seed), "data": examples, **settings, **options}
        checkpoint = chosen_checkpoint(checkpoint, call, (trainer_module(method), "logzoo.training.trackers"))
    if options.get("tracker") is not None:
        options["tracker"] = resolved(_TRACKER)(options["tracker"])
    return run(examples, stream=stream, progress=shows(progress), checkpoint=checkpoint, **settings, **options)


def trainers() -> Listing:
    """List the trainers, one per line: name, title, and options beyond the parameters of `train_rbm`.

    Returns
    -------
    list of (name, title, options)
        It is printed as a table.

    Examples
    --------
    >>> from logzoo import trainers
    >>> print(trainers()[2])
    Entry(name='pcd', title='PCD', options=('alpha', 'every', 'initial', 'k', 'monitored', 'particles', 'values'))
    """
    return Listing.of(TRAINERS, train_rbm)
