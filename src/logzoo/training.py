"""The public function to train. Its own module: what is trained does not depend on any estimator."""

from logzoo.artifacts.checkpoints import Checkpoint, chosen_checkpoint, identity_of
from logzoo.artifacts.provenance import source_digest
from logzoo.checks import binary_matrix, grey_matrix, one_of, positive_number, whole_number
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
    """Train an RBM on a 0/1 matrix (examples, visible) by a named method; for some, values="grey" takes grey levels.

    checkpoint: path of a file that is written now and then, from which the same call goes on to the same bits, or an
    `artifacts.checkpoints.Checkpoint`; it stays when the training is over; no other file is touched. seed: a whole
    number or a text. options: those of the method and of `logzoo.trainers.loop.train`; tracker="kalman" or "rts" lets
    sml-pt and sml-apt follow log Z. Returns TrainingRun (.rbm, .trace, .snapshots). Raises ValueError for unknown
    methods and options, for bad data, and for a path where a checkpoint of other work lies.
    """
    from logzoo.trackers.registry import tracker
    from logzoo.trainers.registry import trainer, trainer_module

    if "stream" in options:
        raise ValueError(f"{method}: unknown option 'stream'; expected a seed")
    run, stream = trainer(method), root_stream(seed).child("train", method)
    data = _VALUES[one_of("values", options.get("values", "binary"), _VALUES)]("data", data)
    settings = {"hidden": hidden, "updates": updates, "batch": batch}
    settings = {name: whole_number(name, value) for name, value in settings.items()}
    settings["learning_rate"] = positive_number("learning_rate", learning_rate)
    if checkpoint is not None:
        source = source_digest(trainer_module(method), "logzoo.trackers.registry")
        asked = {"method": method, "seed": str(seed), "data": data, "source": source, **settings, **options}
        # One that is made knows whose it is.
        made = isinstance(checkpoint, Checkpoint)
        options["checkpoint"] = checkpoint if made else chosen_checkpoint(checkpoint, identity_of(asked))
    if options.get("tracker") is not None:
        options["tracker"] = tracker(options["tracker"])
    return run(data, stream=stream, progress=progress, **settings, **options)
