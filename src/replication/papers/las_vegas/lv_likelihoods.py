"""Claims and statistics of Las Vegas tables 1 and 2, on log-likelihoods of repeated trainings."""

from collections.abc import Iterable, Mapping

import numpy as np

from logzoo.types import Array
from replication.claim import Claim, Power, Size
from replication.papers.declaration import Here
from replication.reporting.statistics import difference_of_means, mean, over_repeats, ratio_of_means
from replication.types import Artifacts, Dataset, Statistics

_RIVALS = ("cd-1", "cd-10", "pcd-1", "pcd-10")
REFERENCE = "lvs-1"
# Updates in an epoch of MNIST, epochs in the paper, and hidden units of each table in the paper's code.
_EPOCH, _EPOCHS, _HIDDEN = 429, 100, {"lv-t1": 32, "lv-t2": 25}
# Mean test log-likelihoods of tables 1 and 2, nats.
_LEVELS = {
    "lv-t1": (-166.6, -153.4, -152.1, -138.5, -133.3, -132.9, -132.6),
    "lv-t2": (-169.0, -155.6, -147.0, -146.7, -137.5, -137.5, -137.4),
}
_TRAINERS = (*_RIVALS, REFERENCE, "lvs-3", "lvs-10")
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


CLAIMS_1 = {
    **_claims(1, ", all at the learning rate 0.1", 5.2, 3.45, 0.7),
    "complexity": Claim(
        "LVS takes as much time as CD: both have the same asymptotic complexity",
        "Computational Complexity",
        "the same asymptotic complexity in the general case",
        "Gibbs sweeps of a training by LVS-10, each hidden state drawn for a stopping set counted as one, over those of"
        " a training by CD-10; mean over runs",
    ),
}


CLAIMS_2 = {
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
    """The lead of LVS-1 over the best rival, the lead of LVS-10 over LVS-1, and distances to the published levels.

    Each trainer is taken at its best learning rate.
    """
    test = tests_of(artifacts["trainings"])
    published = _LEVELS[table]

    def lead(*likelihoods):
        ours, *others = (values.mean(axis=-1) for values in likelihoods)
        return ours - np.max(others, axis=0)

    def distance(*likelihoods):
        means = [values.mean(axis=-1) for values in likelihoods]
        return np.mean([abs(ours - theirs) for ours, theirs in zip(means, published, strict=True)], axis=0)

    return {
        "better": over_repeats(lead, *in_step(test[name] for name in (REFERENCE, *_RIVALS))),
        "levels": over_repeats(distance, *in_step(test[name] for name in _TRAINERS)),
        "k": over_repeats(difference_of_means, *in_step(test[name] for name in ("lvs-10", REFERENCE))),
    }


def in_step(runs: Iterable[Array]) -> list[Array]:
    """Truncate all arrays to their common runs. Runs of the same number share mini-batches and initial weights."""
    arrays = list(runs)
    common = min(values.shape[-1] for values in arrays)
    return [values[..., :common] for values in arrays]


def tests_of(runs: Mapping[str, Dataset]) -> dict[str, Array]:
    """Test log-likelihoods {trainer: (run,)} at the best learning rates; runs: {trainer: Dataset}."""
    return {name: at_best_rate(dataset)["log_likelihood"].sel(split="test").values for name, dataset in runs.items()}


def at_best_rate(trainings: Dataset) -> Dataset:
    """The runs at the rate with the best mean validation log-likelihood.

    A rate at which any run diverged is left out. If runs diverged at every rate, the first rate is taken.
    """
    mean = trainings["log_likelihood"].sel(split="validation").mean("run", skipna=False).values
    return trainings.isel(rate=int(np.nanargmax(mean)) if np.isfinite(mean).any() else 0)


def statistics_1(artifacts: Artifacts) -> Statistics:
    """The statistics that both tables have, and the sweeps of LVS-10 / the sweeps of CD-10."""
    spent = [at_best_rate(artifacts["trainings"][name])["chain_sweeps"].values for name in ("lvs-10", "cd-10")]
    complexity = over_repeats(ratio_of_means, *in_step(spent), scale="log")
    return _statistics(artifacts, "lv-t1") | {"complexity": complexity}


def statistics_2(artifacts: Artifacts) -> Statistics:
    """The statistics that both tables have, likelihoods at several learning rates, and tours at a small rate."""
    low, high = 0.01, 0.1

    def gain(name):
        of_rates = artifacts["trainings"][name]["log_likelihood"].sel(split="validation")
        of_best, of_other = (high, low) if name.startswith("lvs") else (low, high)
        return of_rates.sel(rate=of_best).values - of_rates.sel(rate=of_other).values

    def least(*differences):
        return np.min([values.mean(axis=-1) for values in differences], axis=0)

    best, large = tests_of(artifacts["trainings"]), tests_of(artifacts["large"])
    lost = [np.subtract(*in_step([best[name], values])) for name, values in large.items()]
    finished = at_best_rate(artifacts["small"][REFERENCE])["tours_finished"].values
    return _statistics(artifacts, "lv-t2") | {
        "rates": over_repeats(least, *in_step(gain(name) for name in _TRAINERS)),
        "diverge": over_repeats(least, *in_step(lost)),
        "small": over_repeats(mean, finished, scale="share"),
    }


def sizes(here: Here) -> dict[str, Size]:
    """Hidden units, epochs and runs. Fewer epochs than in the paper, as at the small rate, count as a reduced size."""
    entry = here.config["trainings"][here.entry["trainings"]]
    runs = {name: trainer.get("runs", entry["runs"]) for name, trainer in entry["trainers"].items()}
    least, of_rivals = min(runs.values()), min(runs[name] for name in (REFERENCE, *_RIVALS))
    by_key = dict.fromkeys(CLAIMS_1 if here.name == "lv-t1" else CLAIMS_2, _size(here, entry, least))
    by_key["better"] = _size(here, entry, of_rivals)
    for key, name in {"diverge": "large", "small": "small"}.items():
        if key in by_key:
            other = here.config["trainings"][here.entry[name]]
            by_key[key] = _size(here, other, other["runs"])
    return by_key


def _size(here, entry, runs):
    epochs, hidden = entry["train"]["updates"] // _EPOCH, entry["train"]["hidden"]
    return Size({"hidden units": (hidden, _HIDDEN[here.name]), "epochs": (epochs, _EPOCHS)}, runs, runs)
