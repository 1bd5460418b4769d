"""The public functions: sample, estimate, train. Methods are imported where they are asked for: all take long."""

from dataclasses import asdict
from functools import partial

import numpy as np

from logzoo.artifacts.checkpoints import Checkpoint, identity_of
from logzoo.artifacts.provenance import source_digest
from logzoo.budgets import SweepLedger
from logzoo.checks import binary_matrix, grey_matrix, one_of, positive_number, whole_number
from logzoo.kernels.gibbs import forget_hidden, run_sweeps, start_chains
from logzoo.kernels.layout import new_chains
from logzoo.models.rbm import RBM
from logzoo.paths import base_of, kernel_parameters
from logzoo.samplers.threads import over_chains
from logzoo.streams import root_stream

# Checks of the data to train on.
_VALUES = {"binary": binary_matrix, "grey": grey_matrix}


def sample_gibbs(rbm, chains, sweeps, *, beta=1.0, start=None, seed=0, threads=1):
    """Visible states (chains, visible) uint8 after `sweeps` Gibbs sweeps of each chain at inverse temperature beta.

    beta scales weights and both biases. start: 0/1 matrix (chains, visible), or None for draws from the visible bias.
    Raises ValueError for impossible sizes and starts.
    """
    chains = whole_number("chains", chains)
    sweeps = whole_number("sweeps", sweeps, minimum=0)
    if beta != 0.0:
        positive_number("beta", beta)
    key = root_stream(seed).child("gibbs").key
    # A base of zero log-odds leaves the path as beta times all parameters.
    parameters = kernel_parameters(rbm, np.zeros(rbm.visible))
    state = new_chains(chains, rbm.visible, rbm.hidden)
    start_chains(parameters, key, parameters.visible_bias, state)
    if start is not None:
        v = binary_matrix("start", start, visible=rbm.visible)
        if len(v) != chains:
            raise ValueError(f"start: expected {chains} rows (chains), found {len(v)}")
        state.v[...] = v
        forget_hidden(parameters, state)
    kernel = partial(run_sweeps, parameters, key, 1, sweeps + 1)
    over_chains(kernel, whole_number("threads", threads), np.full(chains, beta, np.float32), state)
    return state.v


def estimate_log_z(rbm, method="rts", *, sweeps=10_000, chains=100, base=None, data=None, seed=0, **options):
    """Estimate log Z of an RBM by a named method, within a budget of `sweeps` Gibbs sweeps of each of `chains` chains.

    base: base log-odds (visible,), "uniform", "visible-bias", or None to match the marginals of the model itself by a
    few of the sweeps; data: 0/1 matrix for the methods that need one. Returns Estimate. Raises ValueError for unknown
    methods and options and for impossible sizes.
    """
    from logzoo.estimators.registry import estimator

    run = estimator(method)
    # The spread between chains is where every standard error comes from.
    ledger = SweepLedger(sweeps, whole_number("chains", chains, minimum=2))
    options = {**options, "base": None if base is None else base_of(rbm, base)}
    if data is not None:
        options["data"] = binary_matrix("data", data, visible=rbm.visible)
    return run(rbm, ledger, root_stream(seed).child(method), options)


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

    checkpoint: path of a file that is written now and then, from which the same call goes on to the same bits; it stays
    when the training is over. options: those of the method and of `logzoo.trainers.loop.train`; tracker="kalman" or
    "rts" lets sml-pt and sml-apt follow log Z. Returns TrainingRun (.rbm, .trace, .snapshots). Raises ValueError for
    unknown methods and options, and for bad data.
    """
    from logzoo.trackers.registry import tracker
    from logzoo.trainers.registry import trainer, trainer_module

    run = trainer(method)
    data = _VALUES[one_of("values", options.get("values", "binary"), _VALUES)]("data", data)
    settings = {"hidden": hidden, "updates": updates, "batch": batch}
    settings = {name: whole_number(name, value) for name, value in settings.items()}
    settings["learning_rate"] = positive_number("learning_rate", learning_rate)
    if checkpoint is not None:
        source = source_digest(trainer_module(method), "logzoo.trackers.registry")
        asked = {"method": method, "seed": str(seed), "data": data, "source": source, **settings, **options}
        asked |= {name: asdict(value) for name, value in options.items() if isinstance(value, RBM)}
        options["checkpoint"] = Checkpoint(checkpoint, identity_of(asked))
    if isinstance(options.get("tracker"), str):
        options["tracker"] = tracker(options["tracker"])
    return run(data, stream=root_stream(seed).child("train", method), progress=progress, **settings, **options)
