"""Claims on log Z by RTS, AIS and RAISE at equal sweeps (Carlson et al. 2016, figure 3), and their statistics."""

from collections.abc import Iterable
from functools import partial

import numpy as np

from logzoo.types import Array
from replication.claim import Claim, Power, Size
from replication.papers.declaration import Here
from replication.reporting.statistics import over_repeats, ratio_of_rmse, root_mean_square, truth_of, untested
from replication.types import Artifacts, Statistics

# Smallest budget of the published curves. The claims `tenfold` compare RTS at this budget with AIS at ten times the
# sweeps.
_FIRST_BUDGET = 1000
# Models of the claims: suffix of their keys, size in words, hidden units, and most sweeps of the published curves.
_MODELS = {
    "mnist-cd25-500": ("", "784 × 500", 500, 100_000),
    "mnist-spectral-100": ("-small", "784 × 100", 100, 1_000_000),
}
BIAS_LEFT = "share of the |bias| at the least number of sweeps (1,000) that is left at the next (3,162)"
_CAPTION = "figure 3, caption"
_EARLIER = "spread: the decisive scale, earlier seed"


def _of_models(key, words, measured, powers, **parts):
    """The same claim on each model, {key: Claim}; each key ends in the suffix of its model."""
    return {
        f"{key}{suffix}": Claim(f"{words} ({size})", _CAPTION, measured=measured, scale="log", power=power, **parts)
        for (suffix, size, *_), power in zip(_MODELS.values(), powers, strict=True)
    }


CLAIMS = {
    **_of_models(
        "bias",
        "The bias of RTS decreases more quickly than those of AIS and RAISE",
        f"{BIAS_LEFT}, RTS / smaller of AIS and RAISE",
        (
            Power(0.5, 4.0, f"effect: half as much left, the least that a figure of means shows; {_EARLIER}"),
            Power(0.5, 15.0, f"effect: half as much left; {_EARLIER}, a model trained by PCD-1"),
        ),
        published="quicker",
        at_most=1.0,
        bound="'the bias from RTS decreases quicker': less of it is left",
    ),
    **_of_models(
        "tenfold",
        "The RMSE of AIS does not reach that of RTS at 1,000 sweeps until over ten times the sweeps",
        "RMSE of AIS at 10,000 sweeps / RMSE of RTS at 1,000",
        (
            Power(1.25, 1.6, f"effect: a factor of 1.25; {_EARLIER}"),
            Power(1.25, 0.9, f"effect: a factor of 1.25; {_EARLIER}, a model trained by PCD-1"),
        ),
        published="over an order of magnitude later",
        at_least=1.0,
        bound="'until over an order of magnitude later': at ten times the sweeps the RMSE of AIS is still the larger",
        why="At equal sweeps RTS errs less than AIS, but ten times the sweeps improve AIS by more.",
    ),
    "accurate": Claim(
        "RTS provides more accurate estimates than AIS at equal sweeps",
        "abstract; section 4",
        published="more accurate; clearly dominates",
        measured="RMSE of AIS / RMSE of RTS at equal sweeps, geometric mean over all numbers of sweeps of both models",
        at_least=1.0,
        bound="'more accurate'",
        scale="log",
        power=Power(1.25, 0.23, "effect: a factor of 1.25; spread: that of ratios of normal RMSEs at 12 budgets"),
    ),
    "below": Claim(
        "AIS underestimates log Z",
        "sections 2.5 and 3.2",
        published="a negative bias",
        measured="true log Z less the mean of AIS [nat] at 1,000, 3,162 and 10,000 sweeps, the least of both models",
        at_least=0.0,
        bound="'underestimates log Z'",
        power=Power(0.002, 0.09, f"effect: that of 10,000 sweeps on 784 × 100; {_EARLIER}"),
    ),
    "above": Claim(
        "RAISE overestimates log Z",
        "sections 2.5 and 3.2",
        published="a positive bias in these examples",
        measured="mean of RAISE less true log Z [nat] at 1,000, 3,162 and 10,000 sweeps, the least of both models",
        at_least=0.0,
        bound="'a positive bias'",
        why="A possible cause, not tested: RAISE starts from data, and the model may have mass far from the data.",
        power=Power(0.04, 0.11, f"effect: the bias of -0.04 on 784 × 100 with the other sign; {_EARLIER}"),
    ),
}
COMPARED = ("rts", "ais", "raise")


def sizes(here: Here) -> dict[str, Size]:
    """Units, chains and sweeps of both models. Section 4.2 states 100 chains; figure 3 shows the sweeps."""
    models = [name for name in _MODELS if name in here.entry["models"]]
    both, by_key = Size({}, 0), {}
    for name in models:
        suffix, size, hidden, sweeps = _MODELS[name]
        budgets, repeats, chains = run_sizes(here, name, COMPARED)
        settings: dict[str, tuple[float, float | None]] = {
            f"hidden units ({size})": (here.shape(name)[1], hidden),
            f"most sweeps ({size})": (max(*budgets, *here.entry["longer"].get(name, [])), sweeps),
            f"chains ({size})": (chains, 100),
        }
        trained = int("import" not in here.config["models"][name])
        by_key |= {f"{key}{suffix}": Size(settings, repeats, trained) for key in ("bias", "tenfold")}
        both = Size(both.settings | settings, min(repeats, both.repeats or repeats), both.trainings + trained)
    return by_key | {"below": both, "above": both, "accurate": both._replace(repeats=here.entry["repeats"])}


def run_sizes(here: Here, model: str, estimators: Iterable[str]) -> tuple[list[int], int, int]:
    """Returns (budgets, smallest number of replicates, number of chains) of the estimates of a model.

    Budgets that the configuration sets for a single estimator are ignored.
    """
    entry, matrix = here.config["models"][model], here.config["matrix"]
    replicates = entry.get("replicates", matrix["replicates"])
    by_name = replicates if isinstance(replicates, dict) else dict.fromkeys(estimators, replicates)
    fewest = min(by_name.get(name, matrix["replicates"]) for name in estimators)
    return entry.get("budgets", matrix["budgets"]), fewest, here.chains_of(model)


def statistics(artifacts: Artifacts) -> Statistics:
    statistics = dict.fromkeys(CLAIMS, untested("the figure leaves out the model of this claim"))
    models = [model for model in artifacts["estimates"] if model in _MODELS]
    ends = {"below": [], "above": []}
    for model in models:
        estimates, (truth, truth_error) = artifacts["estimates"][model], truth_of(artifacts["truths"][model])
        suffix = _MODELS[model][0]
        exact = partial(over_repeats, truth_error=truth_error)
        error = {name: _errors(estimate, truth) for name, estimate in estimates.items()}
        ais, rts = _at(error["ais"], 10 * _FIRST_BUDGET), _at(error["rts"], _FIRST_BUDGET)
        statistics[f"bias{suffix}"] = exact(bias_left_ratio, *(error[name].values for name in COMPARED), scale="log")
        statistics[f"tenfold{suffix}"] = exact(ratio_of_rmse, ais, rts, scale="log")
        ends["below"].append(exact(lambda ais: (-ais.mean(axis=-1)).min(axis=-1), error["ais"].values))
        ends["above"].append(exact(lambda raised: raised.mean(axis=-1).min(axis=-1), error["raise"].values))
    if models:
        least = {key: min(of_models, key=lambda statistic: statistic.value) for key, of_models in ends.items()}
        statistics |= {**least, "accurate": _accuracy(artifacts, models)}
    return statistics


def _errors(estimate, truth):
    return estimate["log_z"].transpose("budget", "replicate") - truth


def _at(error, budget):
    """Errors at a budget; NaN if the estimate lacks that budget."""
    known = budget in error["budget"].values
    return error.sel(budget=budget).values if known else np.full(error.sizes["replicate"], np.nan)


def bias_left_ratio(rts: Array, *others: Array) -> Array:
    """Share of the bias at the first budget that is left at the second: of RTS, divided by the least of `others`."""
    return _left(rts) / np.min([_left(other) for other in others], axis=0)


def _left(errors):
    """|Mean error| at the second budget / |mean error| at the first; errors (resample, budget, replicate)."""
    bias = np.abs(errors.mean(axis=-1))
    return bias[:, 1] / bias[:, 0] if bias.shape[1] > 1 else np.full(len(bias), np.nan)


def _accuracy(artifacts, models):
    """RMSE of AIS divided by the RMSE of RTS, as a geometric mean over all budgets of all models."""
    errors, truth_errors = [], []
    for model in models:
        truth, truth_error = truth_of(artifacts["truths"][model])
        # Errors are in units of the standard error of the truth, because `over_repeats` takes one standard error for
        # all models.
        unit = truth_error if 0.0 < truth_error < np.inf else 1.0
        truth_errors.append(truth_error / unit)
        for runs in (artifacts["estimates"][model], artifacts.get("longer", {}).get(model, {})):
            errors += [_errors(runs[name], truth).values / unit for name in ("ais", "rts") if name in runs]

    def ratio(*errors):
        logs = [np.log(root_mean_square(error)) for error in errors]
        return np.exp(
            np.concatenate([ais - rts for ais, rts in zip(logs[::2], logs[1::2], strict=True)], 1).mean(axis=1)
        )

    return over_repeats(ratio, *errors, scale="log", truth_error=max(truth_errors))
