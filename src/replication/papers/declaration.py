"""The declaration of a figure or table: its inputs, its drawing and its claims.

A figure is an entry in config/papers/<paper>.yaml and a module `replication.papers.<paper>.<name>`, with _ for -. The
setting `module` of the entry replaces <name>. A module that declares one figure has

    a docstring                         a summary line, then the caption in full sentences
    inputs(here)                        optional: {name: artifact}; an artifact is a path, an `Experiment` that makes
                                        it, or a dict of these
    draw(artifacts, *, ...)             returns the matplotlib figure; a table has `rows(artifacts, *, ...)` instead,
                                        which returns a Dataset
    settings(here)                      optional: the keyword arguments of `draw` or `rows`. By default they are the
                                        settings of the entry with the same names. Four keywords are derived:
                                        `title` and `titles` (short titles of the model or models of the entry, or of
                                        the `figure` that the entry names), `names` (titles of the estimators) and
                                        `trainers` (titles of the trainers of the zoo)
    CLAIMS, statistics(artifacts)       optional: {key: Claim}, and {key: Statistic} of the claims that can be tested;
                                        the claim's id is <figure>-<key>, or <figure> for an empty key
    sizes(here)                         optional: the Size behind all these claims, or {key: Size}

`artifacts` holds Datasets under the names of the inputs. A module with several figures has `FIGURES`, {name:
Declaration}. The workflow imports these modules at every start. They therefore import slow packages (matplotlib, scipy)
inside functions, and name the functions of experiments by strings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from inspect import Parameter, signature
from math import isnan, nan
from types import ModuleType
from typing import Any, NamedTuple

from logzoo.checks import one_of, shown
from replication.claim import EXPLORATORY, Claim, Size, power_of
from replication.papers.experiment import SWEEP, Experiment, names_of_trainings, shape_of
from replication.types import Artifacts, Dataset, Figure, Inputs, Settings, Statistics

# Timed budgets are multiplied by TELLING_WEIGHTS // (weights of the model), at least by 1, at most by MOST_LARGER.
TELLING_WEIGHTS, MOST_LARGER = 50_000, 3
# Largest number of timed calls of an estimate, if the entry does not set `runs`.
_TIMED_RUNS = 3


class Declaration(NamedTuple):
    """The parts of the declaration of a figure or table, as the docstring of this module describes them."""

    caption: str
    inputs: Callable[[Here], Inputs]
    draw: Callable[..., Figure] | None = None
    rows: Callable[..., Dataset] | None = None
    settings: Callable[[Here], Settings] | None = None
    claims: dict[str, Claim] = {}
    statistics: Callable[[Artifacts], Statistics] | None = None
    sizes: Callable[[Here], Size | dict[str, Size]] | None = None


def declaration_of(module: ModuleType, figure: str) -> Declaration:
    """The Declaration of a figure in its module. Raises ValueError if the module declares only other figures."""
    if hasattr(module, "FIGURES"):
        return module.FIGURES[one_of(f"configuration: figures: {module.__name__}", figure, module.FIGURES)]
    caption = (module.__doc__ or "").partition("\n\n")[2].strip()
    parts = {name: getattr(module, name, None) for name in ("draw", "rows", "settings", "statistics", "sizes")}
    inputs = getattr(module, "inputs", lambda here: {})
    return Declaration(caption, inputs, claims=getattr(module, "CLAIMS", {}), **parts)


def claim_entries(here: Here, declaration: Declaration) -> dict[str, dict]:
    """The claims of a figure by id for `replication.reporting`, with sizes, levels and powers."""
    sizes = declaration.sizes(here) if declaration.sizes else {}
    entries = {}
    for key, claim in declaration.claims.items():
        entry = {"figure": here.name, "claim": claim.text, "where": claim.where, "published": claim.published}
        if claim.not_tested:
            entry["not_tested"] = claim.not_tested
        else:
            size = sizes if isinstance(sizes, Size) else sizes.get(key)
            entry |= {"measured": claim.measured, "bound": claim.bound, "why": claim.why, **claim.bounds}
            entry |= _sized(claim, size) if size else {}
        entries[key] = entry
    return by_id(here.name, entries)


def by_id(figure: str, by_key: dict[str, Any]) -> dict[str, Any]:
    """Returns {id of the claim: value} from {key of the claim: value}."""
    return {f"{figure}-{key}" if key else figure: value for key, value in by_key.items()}


def _sized(claim, size):
    level = size.level if claim.where else EXPLORATORY
    power = power_of(claim, size.repeats) if claim.bounds else nan
    known = {} if isnan(power) else {"power": power, "power_from": claim.power.source}
    return {"level": level, "size": size.words, "repeats": size.repeats, "trainings": size.trainings, **known}


class Entry(dict):
    """The settings of a figure; `unread` holds the keys that no declaration has read.

    Raises a one-line ValueError, which names the figure and the key, if a setting is missing.
    """

    def __init__(self, name: str, settings: dict) -> None:
        super().__init__(settings)
        self.name, self.unread = name, set(settings) - {"paper", "title", "module"}

    def __getitem__(self, key: str) -> Any:
        if key not in self:
            raise ValueError(f"configuration: figures.{self.name}: expected the setting {key!r}, found no such key")
        self.unread.discard(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """Like `dict.get`; the setting then counts as read."""
        self.unread.discard(key)
        return super().get(key, default)


class Here:
    """The argument of a declaration: the entry of the figure, the configuration, and the paths of artifacts.

    Methods that return paths raise a one-line ValueError for an unknown model, data set or estimator.
    """

    def __init__(self, name: str, config: dict) -> None:
        self.name, self.config = name, config
        self.entry = config["figures"][self.known("figures", name)]
        self.chains = config["matrix"]["chains"]
        self.data = f"data/{config['scale']}"

    def known(self, section: str, name: str) -> str:
        """Return `name`; raise ValueError if the configuration's section lacks it."""
        return one_of(f"configuration: figures.{self.name}: {section}", name, self.config[section])

    def of(self, name: str) -> Here:
        """The `Here` of another figure."""
        return Here(name, self.config)

    def chosen(self, *keys: str) -> dict:
        """Settings of the entry by name."""
        return {key: self.entry[key] for key in keys}

    def expect(self, key: str, fits: object, expected: str) -> None:
        """Raise a one-line ValueError that names the setting `key` of the entry, unless `fits` is true."""
        if not fits:
            value = shown(self.entry[key])
            raise ValueError(f"configuration: figures.{self.name}.{key}: expected {expected}, found {value}")

    def model(self, name: str) -> str:
        """The path of the parameters of a model."""
        return f"{self.data}/models/{self.known('models', name)}.nc"

    def train(self, name: str) -> dict:
        """The settings of the training of a model."""
        return self.config["models"][self.known("models", name)]["train"]

    def trainings(self, name: str) -> list[str]:
        """The names of a model and of its repeated trainings."""
        return names_of_trainings(name, self.config["models"][self.known("models", name)])

    def chains_of(self, model: str) -> int:
        """Number of chains of the estimates of log Z of a model."""
        return self.config["models"][self.known("models", model)].get("chains", self.chains)

    def trace(self, name: str) -> str:
        """The path of the trace of a model's training."""
        return f"{self.data}/models/{self.known('models', name)}.trace.nc"

    def snapshots(self, name: str) -> str:
        """The path of the snapshots of a model's training."""
        return f"{self.data}/models/{self.known('models', name)}.snapshots.nc"

    def dataset(self, name: str) -> str:
        """The path of a data set."""
        return f"data/datasets/{self.known('datasets', name)}.nc"

    def model_and_data(self, name: str) -> dict[str, str]:
        """Inputs `model` and `dataset`: a model and its data set."""
        model = self.model(name)
        return {"model": model, "dataset": self.dataset(self.config["models"][name]["dataset"])}

    def truth(self, model: str) -> str:
        """The path of the true log Z of a model."""
        return f"{self.data}/truths/{self.known('models', model)}.nc"

    def estimates(self, model: str, estimators: Iterable[str]) -> dict[str, str]:
        """Estimates {estimator: path} of log Z of a model."""
        folder = f"{self.data}/estimates/{self.known('models', model)}"
        return {name: f"{folder}/{self.known('estimators', name)}.nc" for name in estimators}

    def runs(self, model: str, estimators: Iterable[str]) -> dict[str, Experiment]:
        """Experiments {estimator: Experiment}. Each experiment extracts the values that the RTS figures read."""
        return {
            name: self.experiment(
                "replication.papers.rts.rts_experiments:runs", {"estimate": path}, {}, f"runs/{model}.{name}"
            )
            for name, path in self.estimates(model, estimators).items()
        }

    def visits(self, model: str, chain_sweeps: float) -> float:
        """The cost of `chain_sweeps` sweeps of one chain of a model, in weights read, for `Experiment.work`."""
        visible, hidden = self.shape(model)
        # The factor 1.0 refuses a text or a list from the settings, which a whole number would only repeat.
        return 1.0 * chain_sweeps * (visible * hidden + SWEEP)

    def settings_of(self, function: Callable) -> dict:
        """The keyword arguments of `draw` or `rows`, for a declaration without `settings`."""
        parameters = signature(function).parameters.items()
        names = [name for name, parameter in parameters if parameter.kind == Parameter.KEYWORD_ONLY]

        def of_figure(key):
            return self.of(self.entry.get("figure", self.name)).entry[key]

        derived = {
            "title": lambda: self.titles([of_figure("model")])[of_figure("model")],
            "titles": lambda: self.titles(of_figure("models")),
            "names": self.estimator_titles,
            "trainers": lambda: {name: entry["title"] for name, entry in self.config["zoo"]["trainers"].items()},
        }
        return {name: derived[name]() if name in derived else self.entry[name] for name in names}

    def titles(self, models: Iterable[str]) -> dict[str, str]:
        """Short titles {model: title}."""
        return {name: self.config["models"][name]["short"] for name in models}

    def estimator_titles(self) -> dict[str, str]:
        """Returns {estimator: title} of all estimators."""
        return {name: entry["title"] for name, entry in self.config["estimators"].items()}

    def shape(self, model: str) -> tuple[int, int]:
        """Numbers (visible, hidden) of units of a model."""
        return shape_of(self.config, self.known("models", model))

    def examples(self, model: str) -> int:
        """Number of examples in the training split of a model's data set."""
        return self.config["datasets"][self.config["models"][model]["dataset"]]["splits"]["train"]

    def timed_estimators(self, key: str, model: str, estimators: list[str], chains: int) -> Experiment:
        """The experiment that measures the seconds of estimators on one model, at the budgets of the entry.

        On a small model these budgets are multiplied, because the fixed cost of an estimate would hide the cost of its
        sweeps.
        """
        visible, hidden = self.shape(model)
        factor = min(max(TELLING_WEIGHTS // (visible * hidden), 1), MOST_LARGER)
        entries, budgets = self.config["estimators"], [factor * budget for budget in self.entry["budgets"]]
        visits = self.visits(model, 4 * sum(budgets) * len(estimators) * chains)
        return self.experiment(
            "replication.papers.timing:estimators",
            self.model_and_data(model),
            {
                "budgets": budgets,
                "chains": chains,
                "repeats": self.entry.get("runs", _TIMED_RUNS),
                "estimators": {name: entries[name] for name in estimators},
            },
            f"timings/{self.name}.{key}",
            stream=("time-of-sweeps",),
            methods=tuple(entries[name]["method"] for name in estimators),
            timed=True,
            work={"sampling": visits},
        )

    def experiment(self, run: str, inputs: dict, settings: dict, path: str | None = None, **more: Any) -> Experiment:
        """An `Experiment` with the artifact <path>.nc in the folder of the scale.

        path: by default figures/<figure>.
        """
        return Experiment(f"{self.data}/{path or f'figures/{self.name}'}.nc", run, inputs, settings, **more)
