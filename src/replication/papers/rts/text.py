"""RTS sections 2.4 and 5: what the text says of variants that no figure shows.

Root mean square error and bias of log Z, in nats, by RTS, by its likelihood of blocks with different log Zhat
(supplement A), and under priors of the inverse temperature that rise or fall. Carlson et al. (2016).
"""

import numpy as np

from replication.artifacts import stand_in_note
from replication.papers.declaration import Claim
from replication.papers.rts.runs import runs_of
from replication.reporting.statistics import over_repeats, root_mean_square, truth_of
from replication.reporting.tables import COUNT, DIGITS, Column, table_of

# "Equally effective" and "consistently outperformed" have no number in the paper: a tenth is what its figure 8 calls
# an improvement.
CLAIMS = {
    "mixed": Claim(
        "The likelihood of blocks with different log Zhat is no better than eq 12 after initial iterations",
        "equally effective",
        at_least=0.9,
    ),
    "prior": Claim(
        "No other prior of the inverse temperature consistently beats the uniform one",
        "no alternative consistently outperformed",
        at_least=0.9,
    ),
}
_PLAIN, _MIXED = "rts", "rts-mixed"
_COLUMNS = {
    "sweeps": Column("sweeps per chain", form=COUNT),
    "runs": Column("runs", form=COUNT),
    "rmse": Column("RMSE", "nat", DIGITS),
    "bias": Column("bias", "nat", DIGITS),
    "bias_error": Column("± s.e.", "nat", DIGITS),
}


def inputs(here):
    model = here.entry["model"]
    estimators = [_PLAIN, _MIXED, *here.entry["priors"]]
    return {"truth": here.truth(model), "estimates": runs_of(here, model, estimators)}


def statistics(artifacts):
    """Ratios of RMSE over that of RTS, geometric means over budgets; of the best of the other priors."""
    truth, truth_error = truth_of(artifacts["truth"])
    errors = {name: estimates["log_z"].values - truth for name, estimates in artifacts["estimates"].items()}
    plain, mixed = errors.pop(_PLAIN), errors.pop(_MIXED)

    def ratio(own, *others):
        of_budgets = [np.log(root_mean_square(other) / root_mean_square(own)).mean(axis=-1) for other in others]
        return np.exp(np.min(of_budgets, axis=0))

    exact = {"logarithmic": True, "truth_error": truth_error}
    of = "RMSE of RTS, {}, geometric mean over budgets"
    return {
        "mixed": over_repeats(ratio, plain, mixed, of=of.format("blocks mixed / by eq 12"), **exact),
        "prior": over_repeats(ratio, plain, *errors.values(), of=of.format("best other prior / uniform"), **exact),
    }


def rows(artifacts, *, names):
    """A row for each variant and budget."""
    truth, table = artifacts["truth"], {}
    for name, estimates in artifacts["estimates"].items():
        for budget in estimates["budget"].values:
            error = estimates["log_z"].sel(budget=budget).values - float(truth["log_z"])
            table[f"{names[name]}, {budget:,} sweeps{stand_in_note(truth)}"] = {
                "sweeps": int(budget),
                "runs": error.size,
                "rmse": float(root_mean_square(error)),
                "bias": float(error.mean()),
                "bias_error": float(error.std(ddof=1) / np.sqrt(error.size)),
            }
    return table_of(table, "variant", _COLUMNS)
