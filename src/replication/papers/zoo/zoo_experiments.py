"""Experiments of the zoo: all estimates in one Dataset, and log Z from both sides."""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from scipy.special import logsumexp

from logzoo.budgets import SweepLedger
from logzoo.estimators.estimator_registry import estimator
from logzoo.io.schema import coordinate, labelled
from logzoo.models.known.exact_draws import exact_draws
from logzoo.models.rbm import RBM
from logzoo.samplers import annealed
from replication.papers.configured import matched_base
from replication.types import Artifacts, Stream

_CELLS = ("model", "estimator", "budget", "replicate")
_VARIABLES = ["log_z", "std_error", "interval", "converged", "reasons", "sweeps_spent"]
# Coordinates by which a model may be selected, beside its sizes.
_LABELS = {
    "family": "family of similar models, such as models of one data set and number of hidden units",
    "dataset": "data set that the model belongs to",
    "trainer": "trainer of the model, or 'imported' or 'known'",
}


def combined_estimates(artifacts: Artifacts, *, places: dict[str, dict]) -> xr.Dataset:
    """Combine all estimates, truths and sizes of models in a Dataset over (model, estimator, budget, replicate).

    places: family, dataset and trainer by model. Values at a budget or replicate that a model lacks are NaN, or 0 for
    integers. A model has only the replicates that all its estimators have.
    """
    estimates = artifacts["estimates"]
    models, estimators = list(estimates), list(next(iter(estimates.values())))
    first = [by_estimator[estimators[0]] for by_estimator in estimates.values()]
    rows = []
    for by_estimator in estimates.values():
        common = slice(min(estimate.sizes["replicate"] for estimate in by_estimator.values()))
        of_model = [by_estimator[name][_VARIABLES].isel(replicate=common).drop_attrs(deep=False) for name in estimators]
        rows.append(xr.concat(of_model, dim="estimator", join="outer"))
    zoo = xr.concat(rows, dim="model", join="outer", combine_attrs="drop")
    for name in ("converged", "reasons", "sweeps_spent"):
        zoo[name] = zoo[name].fillna(0).astype(np.int64)
    for name in _VARIABLES:
        zoo[name].attrs.update(first[0][name].attrs)
    parameters = [artifacts["models"][model] for model in models]
    coordinates = {
        "model": coordinate("model", models, "RBM"),
        "estimator": coordinate("estimator", estimators, "estimator of log Z"),
        **{key: coordinate("model", [places[model][key] for model in models], text) for key, text in _LABELS.items()},
        "visible": coordinate("model", [rbm.sizes["visible"] for rbm in parameters], "visible units"),
        "hidden": coordinate("model", [rbm.sizes["hidden"] for rbm in parameters], "hidden units"),
        "chains": coordinate("model", [run.attrs["chains"] for run in first], "chains of an estimate"),
    }
    truths = _of_truths([artifacts["truths"][model] for model in models])
    return zoo.assign(truths).assign_coords(coordinates).transpose(*_CELLS, "bound")


def _of_truths(truths):
    """Variables over `model` of the true log Z."""
    likelihoods = [float(truth["log_likelihood"].sel(split="test")) for truth in truths]
    stand_ins = [int("stand_in_for" in truth.attrs) for truth in truths]
    values = {
        "truth": ([float(truth["log_z"]) for truth in truths], "true log Z", "nat"),
        "truth_std_error": ([float(truth["std_error"]) for truth in truths], "standard error of the true log Z", "nat"),
        "test_log_likelihood": (likelihoods, "mean test log-likelihood under the true log Z", "nat"),
        "stand_in": (stand_ins, "1 when another data set stands in for the model's own", "1"),
    }
    return {name: labelled("model", *content) for name, content in values.items()}


def both_sides(
    artifacts: Artifacts, *, lower: Sequence[str], budgets: Sequence[int], replicates: int, chains: int, stream: Stream
) -> xr.Dataset:
    """log Z (side, budget, replicate) by the estimators `lower` (low on average) and `reverse` (high on average).

    `reverse` starts from exact draws. The base is matched to the training data. Raises ValueError if `exact_draws`
    cannot draw from the model.
    """
    rbm, base = RBM.from_dataset(artifacts["model"]), matched_base(artifacts["dataset"])
    shape = len(budgets), replicates, chains, rbm.visible
    # All starts are drawn at once, because the preparation of exact draws takes most of the time.
    starts = exact_draws(rbm, int(np.prod(shape[:3])), stream.child("starts").generator()).reshape(shape)
    log_z = np.empty((len(lower) + 1, *shape[:2]))
    for row, budget in enumerate(budgets):
        for replicate in range(replicates):
            path = stream.child(budget, replicate)
            for side, method in enumerate(lower):
                ledger, options = SweepLedger(budget, chains), {"base": base}
                log_z[side, row, replicate] = estimator(method)(rbm, ledger, path.child(method), options).log_z
            ledger = SweepLedger(budget, chains)
            log_z[-1, row, replicate] = upper_side(rbm, ledger, path.child("reverse"), starts[row, replicate], base)
    return xr.Dataset(
        {"log_z": labelled(("side", "budget", "replicate"), log_z, "estimate of log Z", "nat")},
        coords={
            "side": coordinate("side", [*lower, "reverse"], "estimator that anneals up; reverse anneals down"),
            "budget": coordinate("budget", budgets, "budget in Gibbs sweeps per chain", "sweep"),
            "replicate": coordinate("replicate", range(replicates), "independent repeat"),
        },
        attrs={"chains": chains},
    )


def upper_side(rbm: RBM, ledger: SweepLedger, stream: Stream, starts: np.ndarray, base: np.ndarray) -> float:
    """log Z in nats by annealing down from `starts` (chain, visible): log Z_1 - log mean exp(-w), with log weights w.

    From exact draws the expected value of exp(-w) is Z_1 / Z, with Z_1 of the base. By Jensen's inequality the estimate
    is then above log Z on average (Burda, Grosse & Salakhutdinov 2015; Grosse, Ghahramani & Adams 2015).
    """
    drawn = annealed.run_reverse(rbm, ledger, stream, starts, base=base)
    return drawn.log_z_base + np.log(len(starts)) - float(logsumexp(-drawn.log_weight))
