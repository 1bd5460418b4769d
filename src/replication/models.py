"""Models and their estimates in the configuration, by the names that the rules use."""

import json
from collections.abc import Callable, Iterable

from logzoo.estimators.estimator_registry import ESTIMATORS
from logzoo.models.known.families import FAMILIES
from replication.catalogue import Config
from replication.papers.experiment import shape_of


def trained_models(config: Config) -> set[str]:
    """Models that are trained here."""
    return set(config["models"]) - imported_models(config) - known_models(config)


def imported_models(config: Config) -> set[str]:
    """Models from published files."""
    return {name for name, entry in config["models"].items() if "import" in entry}


def known_models(config: Config) -> set[str]:
    """Models of families whose log Z is known."""
    return {name for name, entry in config["models"].items() if "known" in entry}


def known_settings(config: Config, model: str) -> dict:
    """`family`, `seed` and `options` of a known model: those of its data set, which is drawn from it."""
    options = config["datasets"][config["models"][model]["dataset"]]["options"]
    return {key: options[key] for key in ("family", "seed", "options")}


def drawn_by(config: Config, dataset: str) -> list[str]:
    """Modules that a data set of draws from a known model depends on; none for other data sets."""
    entry = config["datasets"][dataset]
    known = entry["reader"] == "known"
    return ["logzoo.datasets.known", FAMILIES[entry["options"]["family"]].module] if known else []


def family_of(config: Config, model: str) -> str:
    """Module of the family of a known model."""
    return FAMILIES[known_settings(config, model)["family"]].module


def with_snapshots(config: Config) -> set[str]:
    """Trained models whose parameters on the way are kept, too."""
    options = {name: config["models"][name]["train"].get("options", {}) for name in trained_models(config)}
    return {name for name, values in options.items() if values.get("snapshots")}


def truth_from(config: Config, model: str) -> str:
    """Where the truth of a model is from: `known`, `enumeration` or `long runs`."""
    entry = config["models"][model]
    if "known" in entry:
        return "known"
    small = "import" not in entry and min(shape_of(config, model)) <= config["truth"]["enumerate_up_to"]
    return "enumeration" if small else "long runs"


def estimate_settings(
    config: Config, model: str, estimators: Iterable[str], *, long_run: bool = False
) -> dict[str, dict]:
    """{estimator: parameters of its estimates on a model, without their inputs}; or those of a long run for a
    truth."""
    of_model, matrix = config["models"][model], config["matrix"]
    repeated = of_model.get("replicates", matrix["replicates"])
    settings = {}
    for name in estimators:
        entry = config["estimators"][name]
        budgets = entry.get("budgets", of_model.get("budgets", matrix["budgets"]))
        replicates = repeated.get(name, matrix["replicates"]) if isinstance(repeated, dict) else repeated
        settings[name] = {
            **{key: entry[key] for key in ("method", "base", "options")},
            "budgets": [of_model.get("truth_sweeps", config["truth"]["sweeps"])] if long_run else budgets,
            "replicates": 1 if long_run else replicates,
            "chains": of_model.get("chains", matrix["chains"]),
            "seed": config["seed"],
        }
    return settings


def made_together(config: Config) -> dict[str, list[str]]:
    """Estimators of the matrix that a job of one model makes together, by a name for each lot.

    All of them if the configuration sets it, else those that read the same run.
    """
    names = config["matrix"]["estimators"]
    lots = {"together": names} if config["matrix"]["together"] else {lot[0]: lot for lot in by_run(config, names)}
    return {name: lot for name, lot in lots.items() if len(lot) > 1}


def by_run(config: Config, estimators: Iterable[str]) -> list[list[str]]:
    """Estimators in lists: those with the same base and options, which read the same run, share a list."""
    runs: dict[str, list[str]] = {}
    for name in estimators:
        entry = config["estimators"][name]
        run = ESTIMATORS[entry["method"]].shares
        key = json.dumps([run, entry["base"], entry["options"]], sort_keys=True) if run else name
        runs.setdefault(key, []).append(name)
    return list(runs.values())


def sources_of(config: Config, script_source: Callable[..., str], estimators: Iterable[str]) -> dict[str, str]:
    """{estimator: digest of the code of its estimates}."""
    modules = {name: ESTIMATORS[config["estimators"][name]["method"]].modules for name in estimators}
    return {name: script_source("estimate", *some) for name, some in modules.items()}
