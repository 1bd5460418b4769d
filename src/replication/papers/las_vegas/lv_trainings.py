"""Las Vegas tables 1 and 2: mean log-likelihoods by trainer, at the rate with the best validation likelihood."""

import math

import numpy as np

from replication.artifacts import stand_in_note
from replication.papers.declaration import Declaration, Here
from replication.papers.experiment import SWEEP, training_most, training_work
from replication.papers.las_vegas.lv_likelihoods import (
    CLAIMS_1,
    CLAIMS_2,
    REFERENCE,
    at_best_rate,
    in_step,
    sizes,
    statistics_1,
    statistics_2,
    tests_of,
)
from replication.reporting.tables import COUNT, Column, table_of
from replication.types import Artifacts, Dataset, Inputs, Settings

_COLUMNS = {
    "runs": Column("runs", form=COUNT),
    "hidden": Column("hidden units", form=COUNT),
    "published_hidden": Column("published hidden units", form=COUNT),
    "rate": Column("learning rate", form=".2g"),
    "train": Column("train", "nat"),
    "train_error": Column("± s.e.", "nat"),
    "test": Column("test", "nat"),
    "test_error": Column("± s.e. of test", "nat"),
    "lead": Column("lead of LVS-1", "nat"),
    "p": Column("p, paired t-test", form=".2g"),
    "published_rate": Column("published rate", form=".2g"),
    "published_train": Column("published train", "nat"),
    "published_train_error": Column("± published", "nat"),
    "published_test": Column("published test", "nat"),
    "published_test_error": Column("± published test", "nat"),
}
_VALUES = {"grey": "grey levels", "binary": "binary data"}
_FEWEST_PAIRS = 2
# Measured cost of log f in LVS for each visible unit and state of the stopping set, in weights read.
_REFRESH = 2.7


def _inputs(here: Here) -> Inputs:
    """Likelihoods of the runs of every trainer."""
    return {"trainings": _of_trainers(here, here.entry["trainings"])}


def _inputs_2(here: Here) -> Inputs:
    """Inputs as for table 1, and likelihoods at a larger and at a smaller rate."""
    return _inputs(here) | {size: _of_trainers(here, here.entry[size]) for size in ("large", "small")}


def _of_trainers(here, name):
    trainers = here.config["trainings"][here.known("trainings", name)]["trainers"]
    return {trainer: _likelihoods(here, name, trainer) for trainer in trainers}


def _likelihoods(here, name, key):
    entry = here.config["trainings"][name]
    trainer, rates = entry["trainers"][key], entry["train"]["learning_rate"]
    runs = trainer.get("runs", entry["runs"])
    train = {option: value for option, value in entry["train"].items() if option not in ("learning_rate", "options")}
    train |= entry["train"]["options"] | trainer["options"]
    visible, hidden = here.config["datasets"][entry["dataset"]]["visible"], train["hidden"]
    trainings, examples = len(rates) * runs, here.config["datasets"][entry["dataset"]]["splits"]["train"]
    annealed = entry.get("annealed")
    states = 2 ** min(visible, hidden) * max(visible, hidden)
    sweeps = trainings * math.prod(annealed.values()) if annealed else 0
    sampled = {"sampling": sweeps * (visible * hidden + SWEEP)} if annealed else {}
    full = {"method": trainer["method"], **train}
    # After the warm-up, each update of LVS computes log f of all states of its stopping set.
    refreshed = _REFRESH * train["updates"] * examples * visible if trainer["method"] == "lvs" else 0.0
    return here.experiment(
        "replication.papers.las_vegas.lv_estimates:likelihoods",
        {"dataset": here.dataset(entry["dataset"])},
        {"method": trainer["method"], "train": train, "rates": rates, "runs": runs, "annealed": annealed},
        f"trainings/{name}.{key}",
        # Runs of the same number share a stream in all trainers, and therefore their mini-batches.
        stream=("trainings", name),
        work={
            "training": trainings * (training_work(full, visible)["training"] + refreshed),
            "enumeration": states if annealed else trainings * states,
            **sampled,
        },
        most={
            "training": trainings * training_most(full, visible, examples)["training"],
            "enumeration": trainings * states,
            **sampled,
        },
        methods=(trainer["method"],),
        checkpoints=True,
    )


def _settings(here: Here) -> Settings:
    """Title of the table with sizes of the trainings, and titles and published numbers of the trainers."""
    entry = here.config["trainings"][here.entry["trainings"]]
    train = entry["train"]
    sizes = f"{_VALUES[train['values']]}, {train['hidden']} hidden units, {train['updates']:,} updates"
    wanted = ("title", "published")
    trainers = {key: {name: trainer[name] for name in wanted} for key, trainer in entry["trainers"].items()}
    for trainer in trainers.values():
        trainer["hidden"], trainer["published"] = train["hidden"], {**entry["published"], **trainer["published"]}
    return {"title": f"{here.entry['title']}: {sizes}", "trainers": trainers}


def rows(artifacts: Artifacts, *, title: str, trainers: dict) -> Dataset:
    """A row for each trainer: mean log-likelihoods over runs, and the paired lead of LVS-1 on the test split.

    trainers: title, hidden units and published numbers by trainer.
    """
    table, tests = {}, tests_of(artifacts["trainings"])
    for trainer, entry in trainers.items():
        runs = artifacts["trainings"][trainer]
        best = at_best_rate(runs)
        likelihood = best["log_likelihood"]
        row = {
            "runs": likelihood.sizes["run"],
            "hidden": entry["hidden"],
            "rate": float(best["rate"]),
            **{f"published_{key}": value for key, value in entry["published"].items()},
        }
        for split in ("train", "test"):
            values = likelihood.sel(split=split).values
            row[split] = values.mean()
            row[f"{split}_error"] = values.std(ddof=1) / np.sqrt(values.size)
        if trainer != REFERENCE and REFERENCE in tests:
            row |= _lead(tests[REFERENCE], tests[trainer])
        table[entry["title"] + stand_in_note(runs)] = row
    return table_of(table, "trainer", _COLUMNS).assign_attrs(title=title)


def _lead(reference, other):
    from scipy.stats import ttest_rel  # takes long to import

    reference, other = in_step([reference, other])
    difference = reference - other
    enough = difference.size >= _FEWEST_PAIRS and np.ptp(difference) > 0.0
    p = float(ttest_rel(reference, other).pvalue) if enough else np.nan
    return {"lead": difference.mean(), "p": p}


FIGURES = {
    "lv-t1": Declaration(
        """\
Log-likelihoods are means in nats, beside the published values if there are any. Savarese et al. (2018), table 1.""",
        _inputs,
        rows=rows,
        settings=_settings,
        claims=CLAIMS_1,
        statistics=statistics_1,
        sizes=sizes,
    ),
    "lv-t2": Declaration(
        """\
Log-likelihoods are means in nats, beside the published values if there are any. Savarese et al. (2018), table 2. The
authors' code has the learning rates 0.001, 0.01, 0.1 and 1. All trainers are run at 0.01 and 0.1, the best rates in
print. CD-1 and PCD-1 also run at 1, and LVS-1 at 0.001, because claims concern these.""",
        _inputs_2,
        rows=rows,
        settings=_settings,
        claims=CLAIMS_2,
        statistics=statistics_2,
        sizes=sizes,
    ),
}
