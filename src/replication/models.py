"""Groups of models and settings of estimates in the configuration, for the rules of the workflow."""

import json
from collections.abc import Callable, Iterable

from logzoo.estimators.estimator_registry import ESTIMATORS
from logzoo.models.known.families import FAMILIES
from replication.catalogue import Config
from replication.papers.experiment import option_defaults, shape_of


def models_from(config: Config, origin: str) -> set[str]:
    """Models from published files (`import`), of families whose log Z is known (`known`), or trained here (`train`)."""
    keys, models = ("import", "known", "train"), config["models"].items()
    return {name for name, entry in models if next(key for key in keys if key in entry) == origin}


def known_settings(config: Config, model: str) -> dict:
    """`family`, `seed` and `options` of a known model, from the entry of the data set that is drawn from it."""
    options = config["datasets"][config["models"][model]["dataset"]]["options"]
    return {key: options[key] for key in ("family", "seed", "options")}


def drawn_by(config: Config, dataset: str) -> list[str]:
    """Modules that draw a data set from a known model; empty for other data sets."""
    entry = config["datasets"][dataset]
    known = entry["reader"] == "known"
    return ["logzoo.datasets.known", FAMILIES[entry["options"]["family"]].module] if known else []


def family_of(config: Config, model: str) -> str:
    """Module of the family of a known model."""
    return FAMILIES[known_settings(config, model)["family"]].module


def with_snapshots(config: Config) -> set[str]:
    """Trained models whose snapshots are stored."""
    options = {name: config["models"][name]["train"].get("options", {}) for name in models_from(config, "train")}
    return {name for name, values in options.items() if values.get("snapshots")}


def truth_from(config: Config, model: str) -> str:
    """The source of the true log Z of a model: `known`, `enumeration` or `long runs`."""
    entry = config["models"][model]
    if "known" in entry:
        return "known"
    small = "import" not in entry and min(shape_of(config, model)) <= config["truth"]["enumerate_up_to"]
    return "enumeration" if small else "long runs"


def estimate_settings(
    config: Config, model: str, estimators: Iterable[str], *, long_run: bool = False
) -> dict[str, dict]:
    """Returns {estimator: parameters of its estimates on a model}.

    With `long_run`, the parameters are for a long run that gives the true log Z.
    """
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
    """Groups {name: estimators} of `matrix.estimators` that share a job on one model.

    All estimators form one group if the configuration sets `together`. Otherwise the estimators of each sampling run
    form a group. Groups of a single estimator are left out.
    """
    names = config["matrix"]["estimators"]
    lots = {"together": names} if config["matrix"]["together"] else {lot[0]: lot for lot in by_run(config, names)}
    return {name: lot for name, lot in lots.items() if len(lot) > 1}


def by_run(config: Config, estimators: Iterable[str]) -> list[list[str]]:
    """Lists of estimators that share a sampling run, because their base, sampler and its settings are the same."""
    runs: dict[str, list[str]] = {}
    for name in estimators:
        entry = config["estimators"][name]
        listed = ESTIMATORS[entry["method"]]
        of_readers = option_defaults(listed.read, *listed.observers)
        options = {**listed.settings, **entry["options"]}
        settings = {key: value for key, value in options.items() if key not in of_readers}
        run = [listed.shares, entry["base"], settings]
        key = json.dumps(run, sort_keys=True) if listed.shares else name
        runs.setdefault(key, []).append(name)
    return list(runs.values())


def sources_of(config: Config, script_source: Callable[..., str], estimators: Iterable[str]) -> dict[str, str]:
    """Returns {estimator: digest of the code that makes its estimates}."""
    modules = {name: ESTIMATORS[config["estimators"][name]["method"]].modules for name in estimators}
    return {name: script_source("estimate", *some) for name, some in modules.items()}
