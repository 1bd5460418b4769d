"""Tables of the best RBM of a grid on each data set, chosen by AIS."""

from replication.artifacts import stand_in_note
from replication.papers.tracking.grids import again, grid_settings, races_of, trial_of
from replication.papers.tracking.race import groups_of, number_kept
from replication.reporting.tables import COUNT, Column, table_of

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


def inputs(here):
    """The best model of each data set of the grid; with repeats of it, what the tracker and AIS said of those."""
    grid = here.known("grids", here.entry["grid"])
    entry = here.config["grids"][grid]
    first, *rest = ({dataset: _best(here, grid, dataset, end) for dataset in entry["datasets"]} for end in again(entry))
    if not rest:
        return {"best": first}
    repeats = {f"repeat-{number}": best for number, best in enumerate(rest, 2)}
    return {"best": first, "repeats": here.experiment(f"{_FOLDER}.repeats:run", repeats, {}, f"figures/{here.name}")}


def _best(here, grid, dataset, end):
    entry = here.config["grids"][grid]
    of_data = entry["datasets"][dataset]
    ais = {**here.config["checks"]["ais"], **entry.get("ais", {}), **of_data.get("ais", {})}
    settings = grid_settings(entry)
    models = [f"{grid}-{dataset}-{number}{end}" for number in range(len(settings))]
    largest = max(zip(models, settings, strict=True), key=lambda numbered: numbered[1]["hidden"])[0]
    raced, run, considered = {}, f"{_FOLDER}.best:run", len(models)
    if entry.get("race"):
        name = f"{grid}.{dataset}{end}"
        race = races_of({grid: entry})[name]
        raced, run = {"race": _race(here, name, race)}, f"{_FOLDER}.best_of_race:run"
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
    """The experiment that says which models of a race go on."""
    trials = {model: here.trace(trial_of(model)) for model in race.rates}
    settings = {"keep": race.keep, "rates": race.rates}
    return here.experiment(f"{_FOLDER}.race:run", {"trials": trials}, settings, f"races/{name}")


def rows(artifacts):
    """Test log-likelihoods of the best model of each data set, beside those that were published."""
    table = {}
    for dataset, best in artifacts["best"].items():
        own = " (own split)" if dataset.endswith(_OWN_SPLIT) else ""
        table[dataset.removesuffix(_OWN_SPLIT) + own + stand_in_note(best)] = {
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
