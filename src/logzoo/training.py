"""The public function to train. Its own module: what is trained does not depend on any estimator."""

from logzoo.checks import binary_matrix, grey_matrix, one_of, positive_number, whole_number
from logzoo.io.checkpoints import Checkpoint, chosen_checkpoint, identity_of
from logzoo.io.provenance import source_digest
from logzoo.streams import root_stream

# Checks of the data to train on.
_VALUES = {"binary": binary_matrix, "grey": grey_matrix}


def train_rbm(
    data,
    method="pcd",
    *,
    hidden,
    updates,
    batch=100,
    learning_rate=0.05,
    seed=0,
    checkpoint=None,
    progress=False,
    **options,
):
    """Train an RBM on binary data.

    Parameters
    ----------
    data : array of 0 and 1, shape (examples, visible)
        Some methods take grey levels from 0 to 1, with ``values="grey"``.
    method : str
        Name of a trainer, such as ``"cd"``, ``"pcd"``, ``"sml-pt"``, ``"ins"``, ``"lvs"`` or ``"rmsprop"``.
    hidden : int
        Number of hidden units.
    updates : int
        Number of parameter updates.
    batch : int
        Examples in a mini-batch.
    learning_rate : float
    seed : int or str
        The same seed gives the same parameters.
    checkpoint : path, optional
        File from which the same call continues after an interruption. It stays when the training is over.
    progress : bool
        Whether a progress bar is shown.
    **options
        Options of the method and of the training loop, such as ``schedule``, ``weight_decay``, ``snapshots``, and
        ``tracker`` (``"kalman"`` or ``"rts"``) for the trainers that can track log Z.

    Returns
    -------
    TrainingRun

    Raises
    ------
    ValueError
        For unknown methods and options, for data that do not fit, for parameters that diverge, and for a
        checkpoint of another call.

    Examples
    --------
    >>> import numpy as np
    >>> from logzoo import train_rbm
    >>> run = train_rbm(np.eye(6, dtype=int), "pcd", hidden=3, updates=20, batch=6)
    >>> run.rbm
    RBM(6 visible x 3 hidden)
    """
    from logzoo.trackers.registry import tracker
    from logzoo.trainers.registry import trainer, trainer_module

    if "stream" in options:
        raise ValueError(f"{method}: unknown option 'stream'; expected a seed")
    run, stream = trainer(method), root_stream(seed).child("train", method)
    data = _VALUES[one_of("values", options.get("values", "binary"), _VALUES)]("data", data)
    settings = {"hidden": hidden, "updates": updates, "batch": batch}
    settings = {name: whole_number(name, value) for name, value in settings.items()}
    settings |= {"learning_rate": positive_number("learning_rate", learning_rate)}
    if checkpoint is not None:
        source = source_digest(trainer_module(method), "logzoo.trackers.registry")
        asked = {"method": method, "seed": str(seed), "data": data, "source": source, **settings, **options}
        # One that is made knows whose it is.
        made = isinstance(checkpoint, Checkpoint)
        options["checkpoint"] = checkpoint if made else chosen_checkpoint(checkpoint, identity_of(asked))
    if options.get("tracker") is not None:
        options["tracker"] = tracker(options["tracker"])
    return run(data, stream=stream, progress=progress, **settings, **options)
