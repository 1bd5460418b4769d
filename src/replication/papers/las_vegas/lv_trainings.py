"""Las Vegas tables 1 and 2: mean log-likelihoods by trainer, at the rate with the best validation likelihood."""

import math
from collections.abc import Iterable, Mapping

import numpy as np

from logzoo.types import Array
from replication.artifacts import stand_in_note
from replication.claim import Claim, Power, Size
from replication.papers.declaration import Declaration, Here
from replication.papers.experiment import SWEEP, training_most, training_work
from replication.reporting.statistics import difference_of_means, mean, over_repeats, ratio_of_means
from replication.reporting.tables import COUNT, Column, table_of
from replication.types import Artifacts, Dataset, Inputs, Settings, Statistics

_RIVALS = ("cd-1", "cd-10", "pcd-1", "pcd-10")
_REFERENCE = "lvs-1"
# Updates in an epoch of MNIST, epochs in the paper, and hidden units of each table in the paper's code.
_EPOCH, _EPOCHS, _HIDDEN = 429, 100, {"lv-t1": 32, "lv-t2": 25}
# Mean test log-likelihoods of tables 1 and 2, nats.
_LEVELS = {
    "lv-t1": (-166.6, -153.4, -152.1, -138.5, -133.3, -132.9, -132.6),
    "lv-t2": (-169.0, -155.6, -147.0, -146.7, -137.5, -137.5, -137.4),
}
_TRAINERS = (*_RIVALS, _REFERENCE, "lvs-3", "lvs-10")
_MEAN = "mean test log-likelihood [nat] over runs"


def _claims(table, at, lead, spread, difference):
    """Claims of a table.

    lead: published lead of LVS-1 over the best rival [nat]. spread: `Power.spread` of this lead. difference: published
    lead of LVS-10 over LVS-1 [nat].
    """
    where = f"Empirical Results, RBM learning, table {table}"
    titles = ("CD-1", "CD-10", "PCD-1", "PCD-10", "LVS-1", "LVS-3", "LVS-10")
    levels = ", ".join(f"{title} {level}" for title, level in zip(titles, _LEVELS[f"lv-t{table}"], strict=True))
    return {
        "better": Claim(
            f"LVS-1 reaches a better likelihood than CD-1, CD-10, PCD-1 and PCD-10{at}",
            where,
            f"LVS-1 leads PCD-10, the best of the four, by {lead} nats",
            f"{_MEAN} by LVS-1 less the largest of those by CD-1, CD-10, PCD-1 and PCD-10; runs of one number share"
            " their first weights and mini-batches",
            at_least=0.0,
            bound="drastically (and paired t-test significantly) outperforms CD and PCD in all settings",
            power=Power(lead, spread, f"table {table}: LVS-1 and PCD-10, their spreads added as of independent runs"),
        ),
        "levels": Claim(
            f"Test log-likelihoods are those of the table{at}",
            where,
            levels,
            f"distance of the {_MEAN} from the published one, mean over the seven trainers",
        ),
        "k": Claim(
            f"LVS-1, LVS-3 and LVS-10 differ little{at}",
            f"Empirical Results, table {table}",
            f"LVS-10 leads LVS-1 by {difference} nats",
            f"{_MEAN} by LVS-10 less that by LVS-1",
        ),
    }


_CLAIMS_1 = {
    **_claims(1, ", all at the learning rate 0.1", 5.2, 3.45, 0.7),
    "complexity": Claim(
        "LVS takes as much time as CD: both have the same asymptotic complexity",
        "Computational Complexity",
        "the same asymptotic complexity in the general case",
        "Gibbs sweeps of a training by LVS-10, each hidden state drawn for a stopping set counted as one, over those of"
        " a training by CD-10; mean over runs",
    ),
}

_CLAIMS_2 = {
    **_claims(2, ", each at its best learning rate", 9.2, 1.49, 0.1),
    "rates": Claim(
        "LVS is best at the learning rate 0.1, CD and PCD at 0.01",
        "Empirical Results, RBM learning, table 2",
        "best learning rates: 0.1 of LVS-1, LVS-3 and LVS-10; 0.01 of CD-1, CD-10, PCD-1 and PCD-10",
        "mean validation log-likelihood [nat] over runs at the printed rate less that at the other one of 0.01 and 0.1,"
        " smallest over the seven trainers",
        at_least=0.0,
        bound="the best learning rates for each method, and that larger ones are more appropriate for LVS",
        power=Power(
            1.0,
            2.0,
            "a nat, the spread beside most levels of table 2; spread of a difference of two such runs, rounded",
        ),
    ),
    "diverge": Claim(
        "CD and PCD fail to converge at learning rates above those that suit LVS",
        "Empirical Results, RBM learning",
        "fail to converge with slightly larger learning rates",
        "mean test log-likelihood [nat] over runs at the best rate less that at the rate 1, smallest of CD-1 and PCD-1",
    ),
    "small": Claim(
        "Small learning rates cause tours to rarely finish",
        "Empirical Results, RBM learning",
        "rarely finish",
        "share of the tours of LVS-1 that finish in the epoch after the warm-up, at the learning rate 0.001; mean over"
        " runs",
    ),
}


def _statistics(artifacts: Artifacts, table: str) -> Statistics:
    """Statistics that both tables have. Each trainer is taken at its best learning rate."""
    test = _tests_of(artifacts["trainings"])
    published = _LEVELS[table]

    def lead(*likelihoods):
        ours, *others = (values.mean(axis=-1) for values in likelihoods)
        return ours - np.max(others, axis=0)

    def distance(*likelihoods):
        means = [values.mean(axis=-1) for values in likelihoods]
        return np.mean([abs(ours - theirs) for ours, theirs in zip(means, published, strict=True)], axis=0)

    return {
        "better": over_repeats(lead, *_in_step(test[name] for name in (_REFERENCE, *_RIVALS))),
        "levels": over_repeats(distance, *_in_step(test[name] for name in _TRAINERS)),
        "k": over_repeats(difference_of_means, *_in_step(test[name] for name in ("lvs-10", _REFERENCE))),
    }


def _in_step(runs: Iterable[Array]) -> list[Array]:
    """Truncate all arrays to their common runs. Runs of the same number share mini-batches and initial weights."""
    arrays = list(runs)
    common = min(values.shape[-1] for values in arrays)
    return [values[..., :common] for values in arrays]


def _tests_of(runs: Mapping[str, Dataset]) -> dict[str, Array]:
    """Test log-likelihoods {trainer: (run,)} at the best learning rates; runs: {trainer: Dataset}."""
    return {name: at_best_rate(dataset)["log_likelihood"].sel(split="test").values for name, dataset in runs.items()}


def at_best_rate(trainings: Dataset) -> Dataset:
    """The runs at the rate with the best mean validation log-likelihood.

    A rate at which any run diverged is left out. If runs diverged at every rate, the first rate is taken.
    """
    mean = trainings["log_likelihood"].sel(split="validation").mean("run", skipna=False).values
    return trainings.isel(rate=int(np.nanargmax(mean)) if np.isfinite(mean).any() else 0)


def _statistics_1(artifacts: Artifacts) -> Statistics:
    spent = [at_best_rate(artifacts["trainings"][name])["chain_sweeps"].values for name in ("lvs-10", "cd-10")]
    complexity = over_repeats(ratio_of_means, *_in_step(spent), scale="log")
    return _statistics(artifacts, "lv-t1") | {"complexity": complexity}


def _statistics_2(artifacts: Artifacts) -> Statistics:
    low, high = 0.01, 0.1

    def gain(name):
        of_rates = artifacts["trainings"][name]["log_likelihood"].sel(split="validation")
        of_best, of_other = (high, low) if name.startswith("lvs") else (low, high)
        return of_rates.sel(rate=of_best).values - of_rates.sel(rate=of_other).values

    def least(*differences):
        return np.min([values.mean(axis=-1) for values in differences], axis=0)

    best, large = _tests_of(artifacts["trainings"]), _tests_of(artifacts["large"])
    lost = [np.subtract(*_in_step([best[name], values])) for name, values in large.items()]
    finished = at_best_rate(artifacts["small"][_REFERENCE])["tours_finished"].values
    return _statistics(artifacts, "lv-t2") | {
        "rates": over_repeats(least, *_in_step(gain(name) for name in _TRAINERS)),
        "diverge": over_repeats(least, *_in_step(lost)),
        "small": over_repeats(mean, finished, scale="share"),
    }


def _sizes(here: Here) -> dict[str, Size]:
    """Hidden units, epochs and runs. Fewer epochs than in the paper, as at the small rate, count as a reduced size."""
    entry = here.config["trainings"][here.entry["trainings"]]
    runs = {name: trainer.get("runs", entry["runs"]) for name, trainer in entry["trainers"].items()}
    least, of_rivals = min(runs.values()), min(runs[name] for name in (_REFERENCE, *_RIVALS))
    by_key = dict.fromkeys(_CLAIMS_1 if here.name == "lv-t1" else _CLAIMS_2, _size(here, entry, least))
    by_key["better"] = _size(here, entry, of_rivals)
    for key, name in {"diverge": "large", "small": "small"}.items():
        if key in by_key:
            other = here.config["trainings"][here.entry[name]]
            by_key[key] = _size(here, other, other["runs"])
    return by_key


def _size(here, entry, runs):
    epochs, hidden = entry["train"]["updates"] // _EPOCH, entry["train"]["hidden"]
    return Size({"hidden units": (hidden, _HIDDEN[here.name]), "epochs": (epochs, _EPOCHS)}, runs, runs)


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
    "published_train_error": Column("± published train", "nat"),
    "published_test": Column("published test", "nat"),
    "published_test_error": Column("± published test", "nat"),
}
_VALUES = {"grey": "grey levels", "binary": "binary data"}
_FEWEST_PAIRS = 2
# Measured cost of log f in LVS for each visible unit and state of the stopping set, in weights read.
_REFRESH = 2.7


def _inputs(here: Here) -> Inputs:
    trainings = _of_trainers(here, here.entry["trainings"])
    here.expect("trainings", {*_TRAINERS} <= {*trainings}, f"trainings by {', '.join(_TRAINERS)}")
    return {"trainings": trainings}


def _inputs_2(here: Here) -> Inputs:
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
    entry = here.config["trainings"][here.entry["trainings"]]
    train = entry["train"]
    sizes = f"{_VALUES[train['values']]}, {train['hidden']} hidden units, {train['updates']:,} updates"
    wanted = ("title", "published")
    trainers = {key: {name: trainer[name] for name in wanted} for key, trainer in entry["trainers"].items()}
    for trainer in trainers.values():
        trainer["hidden"], trainer["published"] = train["hidden"], {**entry["published"], **trainer["published"]}
    return {"title": f"{here.entry['title']}: {sizes}", "trainers": trainers}


def rows(artifacts: Artifacts, *, title: str, trainers: dict) -> Dataset:
    """trainers: title, hidden units and published numbers by trainer."""
    table, tests = {}, _tests_of(artifacts["trainings"])
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
        if trainer != _REFERENCE and _REFERENCE in tests:
            row |= _lead(tests[_REFERENCE], tests[trainer])
        table[entry["title"] + stand_in_note(runs)] = row
    return table_of(table, "trainer", _COLUMNS).assign_attrs(title=title)


def _lead(reference, other):
    from scipy.stats import ttest_rel  # takes long to import

    reference, other = _in_step([reference, other])
    difference = reference - other
    enough = difference.size >= _FEWEST_PAIRS and np.ptp(difference) > 0.0
    p = float(ttest_rel(reference, other).pvalue) if enough else np.nan
    return {"lead": difference.mean(), "p": p}


FIGURES = {
    "lv-t1": Declaration(
        """\
Log-likelihoods are means in nats, beside the published values if there are any. The lead of LVS-1 is over the runs that
both trainers have. Savarese et al. (2018), table 1.""",
        _inputs,
        rows=rows,
        settings=_settings,
        claims=_CLAIMS_1,
        statistics=_statistics_1,
        sizes=_sizes,
    ),
    "lv-t2": Declaration(
        """\
Log-likelihoods are means in nats, beside the published values if there are any. The lead of LVS-1 is over the runs that
both trainers have. Savarese et al. (2018), table 2. The authors' code has the learning rates 0.001, 0.01, 0.1 and 1.
All trainers run at 0.01 and 0.1, the best published rates. CD-1 and PCD-1 also run at 1, and LVS-1 at 0.001, because
the paper makes claims about these rates.""",
        _inputs_2,
        rows=rows,
        settings=_settings,
        claims=_CLAIMS_2,
        statistics=_statistics_2,
        sizes=_sizes,
    ),
}
