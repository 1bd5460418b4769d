"""Las Vegas table 2: exact mean log-likelihoods by trainer, each at its best learning rate.

Log-likelihoods are means in nats, with what was published beside them where there is anything. Savarese et al. (2018),
table 2.
"""

import numpy as np

from replication.papers.declaration import Claim
from replication.papers.las_vegas import trainings
from replication.papers.las_vegas.trainings import claims, inputs, rows, settings
from replication.reporting.statistics import over_repeats

__all__ = ["CLAIMS", "inputs", "rows", "settings", "statistics"]

CLAIMS = claims(
    ", each at its best learning rate (table 2)",
    {"cd-1": "31.5", "cd-10": "18.1", "pcd-1": "9.5", "pcd-10": "9.2", "k": "0.1", "k3": "0.0"},
    why="These trainings have fewer hidden units and epochs than the paper's, and the first epochs of all are CD's.",
)
CLAIMS["rates"] = Claim(
    "LVS is best at a larger learning rate than CD and PCD",
    "0.1 against 0.01: ten times",
    at_least=10.0**0.5,
    why="In short trainings all trainers are best at the larger of the rates that were tried.",
)


def statistics(artifacts):
    """As of table 1; rates: the least best rate of LVS over the largest of CD and PCD, by validation likelihood."""
    by_trainer = artifacts["trainings"]
    rates = next(iter(by_trainer.values()))["rate"].values

    def ratio(*likelihoods):
        means = [values.mean(axis=-1) for values in likelihoods]
        # A rate at which a run diverged is not the best.
        best = [rates[np.where(np.isnan(mean), -np.inf, mean).argmax(axis=-1)] for mean in means]
        of_lvs = [name.startswith("lvs") for name in by_trainer]
        ours, others = (
            [rate for rate, chosen in zip(best, of_lvs, strict=True) if chosen is own] for own in (True, False)
        )
        return np.min(ours, axis=0) / np.max(others, axis=0)

    of = "best learning rate, least of LVS / largest of CD and PCD"
    found = over_repeats(ratio, *(_validation(runs) for runs in by_trainer.values()), of=of, logarithmic=True)
    return trainings.statistics(artifacts) | {"rates": found}


def _validation(runs):
    return runs["log_likelihood"].sel(split="validation").transpose("rate", "run").values
