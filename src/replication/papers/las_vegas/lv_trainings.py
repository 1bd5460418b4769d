"""Las Vegas tables 1 and 2: mean log-likelihoods by trainer, each at the rate of the best validation likelihood."""

import math

import numpy as np

from replication.artifacts import stand_in_note
from replication.claim import Claim
from replication.papers.declaration import SWEEP, Declaration, Here, training_most, training_work
from replication.reporting.statistics import mean, over_repeats
from replication.reporting.tables import COUNT, Column, table_of

_COLUMNS = {
    "runs": Column("runs", form=COUNT),
    "hidden": Column("hidden units", form=COUNT),
    "published_hidden": Column("published hidden units", form=COUNT),
    "rate": Column("learning rate", form=".2g"),
    "train": Column("train", "nat"),
    "train_error": Column("± s.e.", "nat"),
    "test": Column("test", "nat"),
    "test_error": Column("± s.e. of test", "nat"),
    "lead": Column("LVS-1 leads by", "nat"),
    "p": Column("p, paired t-test", form=".2g"),
    "published_rate": Column("published rate", form=".2g"),
    "published_train": Column("published train", "nat"),
    "published_train_error": Column("± published", "nat"),
    "published_test": Column("published test", "nat"),
    "published_test_error": Column("± published test", "nat"),
}
_VALUES = {"grey": "grey levels", "binary": "binary data"}
_RIVALS = {"cd-1": "CD-1", "cd-10": "CD-10", "pcd-1": "PCD-1", "pcd-10": "PCD-10"}
_REFERENCE = "lvs-1"
_FEWEST_PAIRS = 2
_LONGER = {"k": "LVS-10", "k3": "LVS-3"}
# Nats that are hardly any: the published standard errors.
_HARDLY = 1.0
# Part of a published lead that must be found.
_PART = 0.5


def _claims(where, published, why=""):
    """Claims of a table: published leads [nat] of LVS-1 over each rival, and of LVS-10 and LVS-3 over it.

    A lead is reproduced if it is at least half of the published one. why: cause of those that are less.
    """
    better = "LVS-1 ends at a better likelihood than "
    leads = {
        key: Claim(f"{better}{rival}{where}", published[key], at_least=_PART * float(published[key]), why=why)
        for key, rival in _RIVALS.items()
    }
    return leads | {
        key: Claim(f"{title} is hardly better than LVS-1{where}", published[key], at_least=-_HARDLY, at_most=_HARDLY)
        for key, title in _LONGER.items()
    }


def _inputs(here: Here) -> dict:
    """Likelihoods of the runs of every trainer."""
    name = here.known("trainings", here.entry["trainings"])
    trainers = here.config["trainings"][name]["trainers"]
    return {"trainings": {trainer: _likelihoods(here, name, trainer) for trainer in trainers}}


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
    return here.experiment(
        "replication.papers.las_vegas.lv_estimates:likelihoods",
        {"dataset": here.dataset(entry["dataset"])},
        {"method": trainer["method"], "train": train, "rates": rates, "runs": runs, "annealed": annealed},
        f"trainings/{name}.{key}",
        # Runs of all trainers share their streams, and so their mini-batches.
        stream=("trainings", name),
        work={
            "training": trainings * training_work(full, visible)["training"],
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


def _settings(here: Here) -> dict:
    """Trainers with their titles and published numbers; the title of the table, with the sizes of its trainings."""
    entry = here.config["trainings"][here.entry["trainings"]]
    train = entry["train"]
    sizes = f"{_VALUES[train['values']]}, {train['hidden']} hidden units, {train['updates']:,} updates"
    wanted = ("title", "published")
    trainers = {key: {name: trainer[name] for name in wanted} for key, trainer in entry["trainers"].items()}
    for trainer in trainers.values():
        trainer["hidden"], trainer["published"] = train["hidden"], {**entry["published"], **trainer["published"]}
    return {"title": f"{here.entry['title']}: {sizes}", "trainers": trainers}


def statistics(artifacts: dict) -> dict:
    """Mean test log-likelihood by LVS-1 less that by a rival; k, k3: by LVS-10 and LVS-3 less that by LVS-1.

    Each trainer is taken at its best learning rate.
    """
    test = _tests(artifacts)

    def lead(trainer, other, titles):
        of = "mean test log-likelihood [nat], {} - {}".format(*titles)
        return over_repeats(mean, np.subtract(*paired(test[trainer], test[other])), of=of)

    leads = {rival: lead(_REFERENCE, rival, ("LVS-1", title)) for rival, title in _RIVALS.items()}
    longer = {"k": "lvs-10", "k3": "lvs-3"}
    return leads | {key: lead(name, _REFERENCE, (_LONGER[key], "LVS-1")) for key, name in longer.items()}


def paired(values, others):
    """The runs that both have: runs of one number share their mini-batches and first weights."""
    common = min(len(values), len(others))
    return values[:common], others[:common]


def _tests(artifacts):
    """Test log-likelihoods {trainer: (run,)} at the best learning rates."""
    trainings = artifacts["trainings"].items()
    return {trainer: at_best_rate(runs)[1].sel(split="test").values for trainer, runs in trainings}


def at_best_rate(trainings):
    """(learning rate, log-likelihoods over run and split) at the rate of the best mean validation log-likelihood.

    A rate at which any run diverged is left out, unless every rate is such a one.
    """
    likelihood = trainings["log_likelihood"]
    mean = likelihood.sel(split="validation").mean("run", skipna=False).values
    best = int(np.nanargmax(mean)) if np.isfinite(mean).any() else 0
    return float(trainings["rate"][best]), likelihood.isel(rate=best)


def rows(artifacts: dict, *, title: str, trainers: dict):
    """Exact mean log-likelihoods over runs by trainer; on the test split LVS-1 is compared with all others, run by run.

    trainers: {trainer: {title, hidden units, published numbers}}.
    """
    table, tests = {}, _tests(artifacts)
    for trainer, entry in trainers.items():
        runs = artifacts["trainings"][trainer]
        rate, likelihood = at_best_rate(runs)
        row = {
            "runs": likelihood.sizes["run"],
            "hidden": entry["hidden"],
            "rate": rate,
            **{f"published_{key}": value for key, value in entry["published"].items()},
        }
        for split in ("train", "test"):
            values = likelihood.sel(split=split).values
            row[split] = values.mean()
            row[f"{split}_error"] = values.std(ddof=1) / np.sqrt(values.size)
        if trainer != _REFERENCE and _REFERENCE in tests:
            row |= _lead(tests[_REFERENCE], tests[trainer])
        table[entry["title"] + stand_in_note(runs)] = row
    return table_of(table, "trainer", _COLUMNS).assign_attrs(title=title)


def _lead(reference, other):
    from scipy.stats import ttest_rel  # takes long to import, and most tables have no pairs

    reference, other = paired(reference, other)
    difference = reference - other
    enough = difference.size >= _FEWEST_PAIRS and np.ptp(difference) > 0.0
    p = float(ttest_rel(reference, other).pvalue) if enough else np.nan
    return {"lead": difference.mean(), "p": p}


_CLAIMS_1 = _claims(
    " (table 1)", {"cd-1": "33.3", "cd-10": "20.1", "pcd-1": "18.8", "pcd-10": "5.2", "k": "0.7", "k3": "0.4"}
)


_CLAIMS_2 = _claims(
    ", each at its best learning rate (table 2)",
    {"cd-1": "31.5", "cd-10": "18.1", "pcd-1": "9.5", "pcd-10": "9.2", "k": "0.1", "k3": "0.0"},
    why="These trainings have fewer hidden units and epochs than the paper's, and the first epochs of all are CD's.",
)
_CLAIMS_2["rates"] = Claim(
    "LVS is best at a larger learning rate than CD and PCD",
    "0.1 against 0.01: ten times",
    at_least=10.0**0.5,
    why="In short trainings all trainers are best at the larger of the rates that were tried.",
)


def _statistics_2(artifacts: dict) -> dict:
    """As of table 1; rates: the least best rate of LVS over the largest of CD and PCD, by validation likelihood."""
    by_trainer = artifacts["trainings"]
    rates = next(iter(by_trainer.values()))["rate"].values

    def ratio(*likelihoods):
        means = [values.mean(axis=-1) for values in likelihoods]
        # A rate at which a run diverged is not the best.
        best = [rates[np.where(np.isnan(mean), -np.inf, mean).argmax(axis=-1)] for mean in means]
        of_lvs = [name.startswith("lvs") for name in by_trainer]
        ours, others = ([rate for rate, lvs in zip(best, of_lvs, strict=True) if lvs is side] for side in (True, False))
        return np.min(ours, axis=0) / np.max(others, axis=0)

    of = "best learning rate, least of LVS / largest of CD and PCD"
    validation = [runs["log_likelihood"].sel(split="validation") for runs in by_trainer.values()]
    arrays = [values.transpose("rate", "run").values for values in validation]
    rates_ratio = over_repeats(ratio, *arrays, of=of, scale="log")
    return statistics(artifacts) | {"rates": rates_ratio}


FIGURES = {
    "lv-t1": Declaration(
        """\
Log-likelihoods are means in nats, with what was published beside them where there is anything. Savarese et al. (2018),
table 1.""",
        _inputs,
        rows=rows,
        settings=_settings,
        claims=_CLAIMS_1,
        statistics=statistics,
    ),
    "lv-t2": Declaration(
        """\
Log-likelihoods are means in nats, with what was published beside them where there is anything. Savarese et al. (2018),
table 2.""",
        _inputs,
        rows=rows,
        settings=_settings,
        claims=_CLAIMS_2,
        statistics=_statistics_2,
    ),
}
