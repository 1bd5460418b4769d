"""Tracking section 4: test log-likelihoods of the best models of 500 hidden units.

Log-likelihoods are means in nats, beside the published values if there are any. The spread of one AIS weight is √n
times the standard error of the mean of n weights, one for each chain. Papers quote either number. Desjardins et al.
(2011), section 4.
"""

import numpy as np

from replication.artifacts import stand_in_note
from replication.claim import Claim, Size
from replication.papers.declaration import Here
from replication.papers.tracking.trk_checks import KNOWN
from replication.papers.tracking.trk_grids import grid_settings
from replication.reporting.statistics import DEVIATE, Statistic, untested
from replication.reporting.tables import COUNT, Column, table_of
from replication.types import Artifacts, Dataset, Inputs, Statistics

_LEAD = (
    "mean test log-likelihood [nat] of the best model by validation likelihood under AIS: tracked less by AIS; not"
    f" tested where the standard error of AIS exceeds {KNOWN:g} nats"
)
_LEVEL = (
    "mean test log-likelihood [nat] by AIS of the best model by validation likelihood under AIS, less the published"
    f" one; not tested where the standard error of AIS exceeds {KNOWN:g} nats"
)
_WHERE = "section 4, large models"


def _claims(key, title, tracked, ais, apart):
    """The claims on one data set, with its published numbers."""
    both, level = f"{tracked} and {ais}, {apart} apart", f"{ais}, difference 0"
    return {
        key: Claim(f"Tracked test likelihood of the best model of {title}, beside that by AIS", _WHERE, both, _LEAD),
        f"{key}-level": Claim(f"Test likelihood by AIS of the best model of {title}", _WHERE, level, _LEVEL),
    }


CLAIMS = {
    **_claims("mnist", "MNIST", "-89.96", "-94.34 (3 sigma: 3.08)", "4.38"),
    **_claims("caltech", "Caltech Silhouettes", "-114.31", "-134.23 (3 sigma: 21.14)", "19.92"),
}
# {data set: start of the keys of its claims}.
_KEYS = {"mnist-fixed": "mnist", "caltech": "caltech"}


def sizes(here: Here) -> Size:
    """Our sizes beside the published sizes. The six settings are two learning rates times three alphas."""
    return grid_size(here, {"hidden units": 500, "updates": 200_000, "settings of a data set": 6}, repeats=1)


def grid_size(here: Here, published: dict[str, int | None], repeats: int) -> Size:
    """The Size of a table of best models: the largest settings of the grid, and the smallest sizes of their AIS."""
    grid = here.config["grids"][here.entry["grid"]]
    settings = grid_settings(grid)
    judges = [_ais_of(here, grid, dataset)[1] for dataset in grid["datasets"]]
    ours = {
        "hidden units": max(entry["hidden"] for entry in settings),
        "updates": max(entry["updates"] for entry in settings),
        "settings of a data set": len(settings),
        "chains at each temperature": max(entry["options"]["particles"] for entry in settings),
        "distributions of AIS": min(judge["sweeps"] for judge in judges),
        "chains of AIS": min(judge["chains"] for judge in judges),
    }
    of_paper = {"chains at each temperature": 20, "distributions of AIS": 21_000, "chains of AIS": 100, **published}
    return Size({name: (number, of_paper[name]) for name, number in ours.items()}, repeats, repeats)


def statistics(artifacts: Artifacts) -> Statistics:
    outcomes = dict.fromkeys(CLAIMS, untested("its data set is left out"))
    for dataset, best in artifacts["best"].items():
        if dataset not in _KEYS:
            continue
        key = _KEYS[dataset]
        ais, tracked = (float(best[f"test_log_likelihood_{name}"]) for name in ("ais", "tracked"))
        ais_error, tracker_error = float(best["ais_std_error"]), float(best["tracked_std_dev"])
        outcomes[key] = _estimate(tracked - ais, ais_error, tracker_error)
        outcomes[f"{key}-level"] = _estimate(ais - best.attrs.get("published_ais", np.nan), ais_error)
    return outcomes


def _estimate(value, ais_error, tracker_error=0.0):
    if not ais_error <= KNOWN:
        return untested(f"the standard error of AIS is {ais_error:.3g} nats")
    error = float(np.hypot(ais_error, tracker_error))
    if not np.isfinite([value, error]).all():
        return untested()
    return Statistic(value, value - DEVIATE * error, value + DEVIATE * error, error=error)


_COLUMNS = {
    "hidden": Column("hidden units", form=COUNT),
    "updates": Column("updates", form=COUNT),
    "published_updates": Column("published updates", form=COUNT),
    "kalman": Column("tracked", "nat"),
    "kalman_three_sigma": Column("± 3σ of tracker", "nat"),
    "ais": Column("AIS", "nat"),
    "ais_chains": Column("chains of AIS, n", form=COUNT),
    "ais_three_sigma": Column("± 3σ of the mean weight", "nat"),
    "ais_weight_three_sigma": Column("± 3σ of one weight", "nat"),
    "published_kalman": Column("published tracked", "nat"),
    "published_ais": Column("published AIS", "nat"),
    "published_three_sigma": Column("published ± 3σ", "nat"),
    "published_rbm_25": Column("published RBM, 25 hidden", "nat"),
    "published_nade": Column("published NADE", "nat"),
}
_OWN_SPLIT = "-own-split"


def inputs(here: Here) -> Inputs:
    grid = here.known("grids", here.entry["grid"])
    return {"best": {dataset: _best(here, grid, dataset) for dataset in here.config["grids"][grid]["datasets"]}}


def _best(here, grid, dataset):
    entry = here.config["grids"][grid]
    ais, judge = _ais_of(here, entry, dataset)
    further = entry.get("long_sweeps")
    settings = grid_settings(entry)
    models = [f"{grid}-{dataset}-{number}" for number in range(len(settings))]
    largest = max(zip(models, settings, strict=True), key=lambda numbered: numbered[1]["hidden"])[0]
    sweeps = ais["sweeps"] * ais["chains"] * len(models) + (judge["sweeps"] + (further or 0)) * judge["chains"]
    return here.experiment(
        "replication.papers.tracking.trk_runs:best",
        {
            "models": {model: here.model(model) for model in models},
            "traces": {model: here.trace(model) for model in models},
            "dataset": here.dataset(dataset),
        },
        {**ais, "judge": judge, "long_sweeps": further, "published": entry["datasets"][dataset]["published"]},
        f"best/{grid}.{dataset}",
        stream=("best", grid, dataset),
        kind="best",
        work={"sampling": here.visits(largest, sweeps)},
        methods=("ais",),
    )


def _ais_of(here, grid, dataset):
    """Settings of the AIS that selects the best model of a data set, and of the AIS that judges it."""
    ais = {**here.config["checks"]["ais"], **grid.get("ais", {}), **grid["datasets"][dataset].get("ais", {})}
    return ais, {**ais, **grid.get("judge", {})}


def rows(artifacts: Artifacts) -> Dataset:
    table = {}
    for dataset, best in artifacts["best"].items():
        split = " (own split)" if dataset.endswith(_OWN_SPLIT) else ""
        table[dataset.removesuffix(_OWN_SPLIT) + split + stand_in_note(best)] = {
            "hidden": best.attrs["hidden"],
            "updates": best.attrs["updates"],
            "kalman": float(best["test_log_likelihood_tracked"]),
            "kalman_three_sigma": 3 * float(best["tracked_std_dev"]),
            "ais": float(best["test_log_likelihood_ais"]),
            "ais_chains": best.attrs["chains"],
            "ais_three_sigma": 3 * float(best["ais_std_error"]),
            "ais_weight_three_sigma": 3 * float(best["ais_weight_spread"]),
            **{key: value for key, value in best.attrs.items() if key.startswith("published_")},
        }
    return table_of(table, "data set", _COLUMNS)
