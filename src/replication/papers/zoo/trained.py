"""Table of the models of the zoo of one size: log Z and mean log-likelihoods by trainer.

Log Z and mean log-likelihoods, in nats, of the model that each trainer ends in. Chain-sweeps are about equal, but those
of trainers by tours, which end when they return.
"""

from replication.artifacts import stand_in_note
from replication.papers.zoo.families import zoo_models
from replication.reporting.tables import COUNT, Column, table_of

_COLUMNS = {
    "updates": Column("updates", form=COUNT),
    "chain_sweeps": Column("chain-sweeps", "sweep", COUNT),
    "log_z": Column("log Z", "nat"),
    "train": Column("train", "nat"),
    "validation": Column("validation", "nat"),
    "test": Column("test", "nat"),
}


def _models(here):
    return zoo_models({**here.config["zoo"], "hidden": [here.entry["hidden"]]})


def inputs(here):
    models = _models(here)
    return {
        "truths": {model: here.truth(model) for model in models},
        "traces": {model: here.trace(model) for model in models},
    }


def settings(here):
    return {"titles": {model: entry["title"] for model, entry in _models(here).items()}}


def rows(artifacts, *, titles):
    """A row for each model: its training, log Z and likelihoods of the splits."""
    rows = {}
    for model, truth in artifacts["truths"].items():
        last = artifacts["traces"][model].isel(update=-1)
        rows[titles[model] + stand_in_note(truth)] = {
            "updates": int(last["update"]) + 1,
            "chain_sweeps": int(last["chain_sweeps"]),
            "log_z": float(truth["log_z"]),
            **{split: float(truth["log_likelihood"].sel(split=split)) for split in truth["split"].values},
        }
    return table_of(rows, "model", _COLUMNS)
