"""Tracking section 5: test log-likelihoods of the best models of 500 hidden units.

Log-likelihoods are means in nats, with what was published beside them where there is anything; a spread of one AIS
weight is ten times the standard error of the mean of a hundred: papers quote either. Desjardins et al. (2011),
section 5.
"""

import numpy as np

from logzoo.io.schema import coordinate, labelled
from replication.artifacts import stand_in_note
from replication.claim import Claim
from replication.papers.declaration import Here
from replication.papers.tracking.trk_checks import normal
from replication.papers.tracking.trk_races import again, grid_settings, groups_of, number_kept, races_of, trial_of
from replication.reporting.statistics import Statistic, untested
from replication.reporting.tables import COUNT, Column, table_of

# Fewest updates, as a share of the published ones, at which likelihoods are compared.
_PART = 0.5
# Zhat of AIS has mean Z, so that it is larger than Z / q with a probability of at most q (Markov), whatever its
# weights: log Z is hardly far below what AIS finds, even where one weight outweighs all others.
_TAIL = 0.025
# Normal deviate that half of the tail lies beyond.
_HALF_TAIL_DEVIATE = 2.241403
_ELSEWHERE = "The model keeps mass in modes that the chains of its training did not find, and AIS does."
_TOO_LOW = f"The tracked log Z is too low, though replicas travel the ladder. {_ELSEWHERE}"
# The published lead of the tracker over AIS, give or take the three sigma of AIS that are published with it.
CLAIMS = {
    "mnist": Claim(
        "On MNIST the tracker says more than AIS of the best model, by as much as published",
        "-89.96 and -94.34 (± 3.08)",
        at_least=4.38 - 3.08,
        at_most=4.38 + 3.08,
        why=_TOO_LOW,
    ),
    "caltech": Claim(
        "On Caltech the tracker says more than AIS of the best model, by as much as published",
        "-114.31 and -134.23 (± 21.14)",
        at_least=19.92 - 21.14,
        at_most=19.92 + 21.14,
        why=_TOO_LOW,
    ),
    "mnist-level": Claim(
        "On MNIST the best model of 500 hidden units reaches the published test likelihood by AIS",
        "-94.34 (± 3.08)",
        at_least=-3.08,
        at_most=3.08,
        why=_ELSEWHERE,
    ),
    "caltech-level": Claim(
        "On Caltech the best model of 500 hidden units reaches the published test likelihood by AIS",
        "-134.23 (± 21.14)",
        at_least=-21.14,
        at_most=21.14,
        why=_ELSEWHERE,
    ),
}
# Of the claims, by the data set that they are on.
_KEYS = {"mnist-fixed": "mnist", "caltech": "caltech"}


def statistics(artifacts: dict) -> dict:
    """Test likelihood tracked less that by AIS, and by AIS less the published one, on both data sets."""
    outcomes = dict.fromkeys(CLAIMS, untested("its data set is left out"))
    for dataset, best in artifacts["best"].items():
        if dataset not in _KEYS:
            continue
        key = _KEYS[dataset]
        ais, tracked = (float(best[f"test_log_likelihood_{name}"]) for name in ("ais", "tracked"))
        ais_error, tracker_error = float(best["ais_std_error"]), float(best["tracked_std_dev"])
        lead, level = tracked - ais, ais - best.attrs.get("published_ais", np.nan)
        surely = -np.log(0.5 * _TAIL) + _HALF_TAIL_DEVIATE * tracker_error
        lead = normal(lead, np.hypot(ais_error, tracker_error), below=surely)
        level = normal(level, ais_error, above=-np.log(_TAIL))
        outcomes[key] = _late_enough(best, lead, "test log-likelihood [nat]: tracked - AIS")
        outcomes[f"{key}-level"] = _late_enough(best, level, "test log-likelihood by AIS [nat], ours - published")
    return outcomes


def _late_enough(best, interval, of):
    """Statistic of (value, low, high); untested after fewer than half of the published updates."""
    updates, of = best.attrs["updates"], f"{of}, after {best.attrs['updates']:,} updates"
    if not updates >= _PART * best.attrs.get("published_updates", np.nan):
        return untested(f"{of}: too few beside the published ones")
    return Statistic(*interval, of=of)


NAMES = ("test_log_likelihood_tracked", "test_log_likelihood_ais", "ais_std_error", "tracked_std_dev")


def repeats(artifacts):
    """The experiment on {repeat: {data set: best RBM}}, as a Dataset over (repeat, dataset)."""
    import xarray as xr  # takes long to import, and every start of the workflow would wait for it

    rows = [list(models.values()) for models in artifacts.values()]
    datasets = list(next(iter(artifacts.values())))
    variables = {}
    for name in NAMES:
        values = np.array([[float(best[name]) for best in models] for models in rows])
        variables[name] = ("repeat", "dataset"), values, rows[0][0][name].attrs
    coords = {
        "repeat": labelled("repeat", np.arange(len(rows)), "repeat of all trainings beyond the first", "1"),
        "dataset": coordinate("dataset", datasets, "data set"),
    }
    return xr.Dataset(variables, coords)


_COLUMNS = {
    "hidden": Column("hidden units", form=COUNT),
    "updates": Column("updates", form=COUNT),
    "published_updates": Column("published updates", form=COUNT),
    "kalman": Column("tracked", "nat"),
    "kalman_three_sigma": Column("± 3σ of tracker", "nat"),
    "ais": Column("AIS", "nat"),
    "ais_three_sigma": Column("± 3σ of the mean weight", "nat"),
    "ais_weight_three_sigma": Column("± 3σ of one weight", "nat"),
    "published_kalman": Column("published tracked", "nat"),
    "published_ais": Column("published AIS", "nat"),
    "published_three_sigma": Column("published ± 3σ", "nat"),
    "published_rbm_25": Column("published RBM, 25 hidden", "nat"),
    "published_nade": Column("published NADE", "nat"),
}
_OWN_SPLIT = "-own-split"
_FOLDER = "replication.papers.tracking"


def inputs(here: Here) -> dict:
    """The best model of each data set of the grid; with repeats of it, the tracked and AIS likelihoods of those."""
    grid = here.known("grids", here.entry["grid"])
    entry = here.config["grids"][grid]
    first, *more = ({dataset: _best(here, grid, dataset, end) for dataset in entry["datasets"]} for end in again(entry))
    if not more:
        return {"best": first}
    others = {f"repeat-{number}": best for number, best in enumerate(more, 2)}
    return {
        "best": first,
        "repeats": here.experiment(f"{_FOLDER}.trk_text:repeats", others, {}, f"figures/{here.name}"),
    }


def _best(here, grid, dataset, end):
    entry = here.config["grids"][grid]
    of_data = entry["datasets"][dataset]
    ais = {**here.config["checks"]["ais"], **entry.get("ais", {}), **of_data.get("ais", {})}
    settings = grid_settings(entry)
    models = [f"{grid}-{dataset}-{number}{end}" for number in range(len(settings))]
    largest = max(zip(models, settings, strict=True), key=lambda numbered: numbered[1]["hidden"])[0]
    raced, run, considered = {}, f"{_FOLDER}.trk_runs:best", len(models)
    if entry.get("race"):
        name = f"{grid}.{dataset}{end}"
        race = races_of({grid: entry})[name]
        raced, run = {"race": _race(here, name, race)}, f"{_FOLDER}.trk_runs:best_of_race"
        considered = sum(number_kept(len(group), race.keep) for group in groups_of(race.rates))
    return here.experiment(
        run,
        {
            **raced,
            "models": {model: here.model(model) for model in models},
            "traces": {model: here.trace(model) for model in models},
            "dataset": here.dataset(dataset),
        },
        {**ais, "published": of_data["published"]},
        f"best/{grid}.{dataset}{end}",
        stream=("best", grid, f"{dataset}{end}"),
        kind="best",
        work={"sampling": here.visits(largest, ais["sweeps"] * ais["chains"] * considered)},
        methods=("ais",),
    )


def _race(here, name, race):
    """The experiment that selects the models of a race that are trained in full."""
    trials = {model: here.trace(trial_of(model)) for model in race.rates}
    settings = {"keep": race.keep, "rates": race.rates}
    return here.experiment(f"{_FOLDER}.trk_races:race", {"trials": trials}, settings, f"races/{name}")


def rows(artifacts: dict):
    """Test log-likelihoods of the best model of each data set, beside those that were published."""
    table = {}
    for dataset, best in artifacts["best"].items():
        split = " (own split)" if dataset.endswith(_OWN_SPLIT) else ""
        table[dataset.removesuffix(_OWN_SPLIT) + split + stand_in_note(best)] = {
            "hidden": best.attrs["hidden"],
            "updates": best.attrs["updates"],
            "kalman": float(best["test_log_likelihood_tracked"]),
            "kalman_three_sigma": 3 * float(best["tracked_std_dev"]),
            "ais": float(best["test_log_likelihood_ais"]),
            "ais_three_sigma": 3 * float(best["ais_std_error"]),
            "ais_weight_three_sigma": 3 * float(best["ais_weight_spread"]),
            **{key: value for key, value in best.attrs.items() if key.startswith("published_")},
        }
    return table_of(table, "data set", _COLUMNS)
