"""RTS sections 2.4, 2.5 and 5: variants and predictions that no figure shows.

Root mean square error and bias of log Z by RTS, in nats. One variant uses the likelihood of blocks with different log
Zhat (supplement A). Other variants use priors of the inverse temperature that rise or fall. Carlson et al. (2016).
"""

import numpy as np

from replication.artifacts import stand_in_note
from replication.claim import Claim, Size
from replication.papers.declaration import Here
from replication.papers.rts.rts_f3 import run_sizes
from replication.papers.rts.rts_f8 import stationary_experiment, times_rmse
from replication.reporting.statistics import difference_of_means, over_repeats, root_mean_square, truth_of, untested
from replication.reporting.tables import COUNT, DIGITS, Column, table_of
from replication.types import Artifacts, Dataset, Inputs, Names, Statistics

_BEST = "RMSE of log Z by RTS, {} / uniform prior, geometric mean over numbers of sweeps"
CLAIMS = {
    "mixed": Claim(
        "Updates by eq 12 between initial iterations are as effective as the likelihood of blocks with different log "
        "Zhat",
        "section 2.4 and supplement A",
        published="equally effective",
        measured="RMSE of log Z by RTS, blocks mixed / by eq 12, geometric mean over numbers of sweeps",
    ),
    "prior": Claim(
        "No other prior of the inverse temperature outperforms the uniform one",
        "section 5",
        published="no alternative consistently outperformed",
        measured=_BEST.format("rising or falling prior, the better one,"),
    ),
    "rising": Claim(
        "The rising prior of section 4.4 gives a less accurate log Z",
        "section 5",
        published="a less accurate estimate",
        measured=_BEST.format("rising"),
    ),
    "bias": Claim(
        "Eq 15 approximates the bias of RTS",
        "section 2.5 and supplement B",
        published="can be approximated",
        measured="mean of the bias by eq 15, from the spread over chains, less the mean error of RTS [nat], at the "
        "fewest sweeps",
    ),
    "variance": Claim(
        "Eq 16 approximates the variance of RTS",
        "section 2.5 and supplement B",
        published="can be approximated",
        measured="mean of the variance by eq 16, from the spread over chains / variance of RTS over runs, geometric "
        "mean over numbers of sweeps",
    ),
    "subtracted": Claim(
        "Subtracting the estimated bias does not improve RTS",
        "section 5",
        published="did not improve the results",
        measured="RMSE of log Z by RTS less its bias by eq 15 / RMSE of RTS, geometric mean over numbers of sweeps",
    ),
    "continuous": Claim(
        "A continuous inverse temperature gives less accurate estimates",
        "section 5",
        published="less accurate",
        not_tested="the paper does not describe the continuous formulation that it tried",
    ),
    "control": Claim(
        "Control variates do not reduce the variance",
        "section 5",
        published="no reduction",
        not_tested="the paper does not name the functions that it used as control variates",
    ),
}
_PLAIN, _MIXED, _RISING = "rts", "rts-mixed", "rts-rising"
_COLUMNS = {
    "sweeps": Column("sweeps per chain", form=COUNT),
    "runs": Column("runs", form=COUNT),
    "rmse": Column("RMSE", "nat", DIGITS),
    "bias": Column("bias", "nat", DIGITS),
    "bias_error": Column("± s.e.", "nat", DIGITS),
}


def inputs(here: Here) -> Inputs:
    model = here.entry["model"]
    here.expect("priors", here.entry["priors"], "one estimator or more")
    estimators = [_PLAIN, _MIXED, *here.entry["priors"]]
    figure = here.of(here.entry["figure"])
    here.expect("figure", model in figure.entry["models"], f"a figure of {model}")
    return {
        "truth": here.truth(model),
        "estimates": here.runs(model, estimators),
        "predicted": stationary_experiment(figure, model),
    }


def sizes(here: Here) -> dict[str, Size]:
    """Sizes of our runs; the paper states neither the model nor the sweeps."""
    unnamed = "the paper names neither the model nor the sweeps"
    _, replicates, _ = run_sizes(here, here.entry["model"], [_PLAIN, _MIXED, *here.entry["priors"]])
    hidden: dict[str, tuple[float, float | None]] = {"hidden units": (here.shape(here.entry["model"])[1], None)}
    runs = Size(hidden, replicates, 1, unnamed)
    predicted = Size(hidden, here.of(here.entry["figure"]).entry["replicates"], 1, unnamed)
    predictions = ("bias", "variance", "subtracted")
    return {key: predicted if key in predictions else runs for key, claim in CLAIMS.items() if not claim.not_tested}


def statistics(artifacts: Artifacts) -> Statistics:
    truth, truth_error = truth_of(artifacts["truth"])
    errors = {name: estimates["log_z"].values - truth for name, estimates in artifacts["estimates"].items()}
    plain, mixed = errors.pop(_PLAIN), errors.pop(_MIXED)
    predicted = artifacts["predicted"]
    bias, variance = (predicted[name].transpose("budget", "replicate").values for name in ("bias", "variance"))
    error = predicted["log_z"].sel(estimator="rts").transpose("budget", "replicate").values - truth

    def best(plain, *others):
        return np.min([times_rmse(other, plain) for other in others], axis=0)

    def variance_ratio(variance, error):
        return np.exp(np.log(variance.mean(axis=-1) / error.var(axis=-1, ddof=1)).mean(axis=-1))

    def exact(statistic, *errors):
        return over_repeats(statistic, *errors, scale="log", truth_error=truth_error)

    return {
        "mixed": exact(times_rmse, mixed, plain),
        "prior": exact(best, plain, *errors.values()),
        "rising": exact(times_rmse, errors[_RISING], plain) if _RISING in errors else untested(),
        "bias": over_repeats(difference_of_means, bias[0], error[0], truth_error=truth_error),
        "variance": over_repeats(variance_ratio, variance, error, scale="log"),
        "subtracted": exact(times_rmse, error - bias, error),
    }


def rows(artifacts: Artifacts, *, names: Names) -> Dataset:
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
