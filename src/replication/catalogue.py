"""All figures and tables of a configuration, and the jobs that make their data."""

from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, NamedTuple

from logzoo.checks import expected_one_of
from logzoo.estimators.estimator_registry import ESTIMATORS
from logzoo.printing import one_line
from logzoo.training.trainers import trainer_module
from replication.claim import Claim
from replication.papers.declaration import Declaration, Entry, Here, claim_entries, declaration_of
from replication.papers.experiment import Experiment, named_paths

Config = dict[str, Any]


class Shown(NamedTuple):
    """A figure or table for one configuration, from its declaration (`replication.papers.declaration`)."""

    name: str
    paper: str
    title: str
    module: ModuleType
    declaration: Declaration
    inputs: dict  # {name: path, Experiment or a dict of these}
    settings: dict
    is_table: bool
    claim_entries: dict[str, dict]  # the claims by id, for `replication.reporting.scorecard`

    @property
    def caption(self) -> str:
        """The caption in full sentences."""
        return self.declaration.caption

    @property
    def claims(self) -> dict[str, Claim]:
        """The claims by id."""
        return dict(zip(self.claim_entries, self.declaration.claims.values(), strict=True))

    @property
    def tested(self) -> dict[str, dict]:
        """The entries of the claims that can be tested."""
        return {name: entry for name, entry in self.claim_entries.items() if "not_tested" not in entry}


class Catalogue:
    """All figures and tables by name in `shown`, and the jobs {path: Experiment} of their data in `experiments`.

    Raises a one-line ValueError for a figure without declaration, wrong settings, or unequal experiments at one path.
    """

    def __init__(self, config: Config) -> None:
        self.config = {
            **config,
            "figures": {name: Entry(name, settings) for name, settings in config["figures"].items()},
        }
        self.data, self.folder = f"data/{config['scale']}", f"figures/{config['scale']}"
        # Papers, and the figures of each paper, keep the order of the configuration.
        papers = list(config["papers"])
        names = sorted(config["figures"], key=lambda name: papers.index(config["figures"][name]["paper"]))
        self.shown = {name: self._declared(name) for name in names}
        self.experiments: dict[str, Experiment] = {}
        for shown in self.shown.values():
            self._collect(self.rows_of(shown) if shown.is_table else shown.inputs)
        if not self.claims:
            raise ValueError("configuration: only_figures: expected at least one figure with a claim, found none")
        for name, entry in self.config["figures"].items():
            if entry.unread:
                unknown = min(entry.unread)
                expected = expected_one_of(unknown, {*entry} - entry.unread)
                raise ValueError(f"configuration: figures.{name}: unknown key {unknown!r}; {expected}")

    def _declared(self, name: str) -> Shown:
        here = Here(name, self.config)
        module = _module_of(name, here.entry)
        try:
            declared = declaration_of(module, name)
            make = declared.rows or declared.draw
            if make is None:
                raise AttributeError(f"{module.__name__} has neither 'draw' nor 'rows'")
            # `inputs` comes first, because it reports unknown names in one line.
            inputs = declared.inputs(here)
            if wrong := [key for key in inputs if set(key) & set(" =")]:
                raise ValueError(f"expected names of inputs without blanks and '=', found {wrong[0]!r}")
            settings = declared.settings(here) if declared.settings else here.settings_of(make)
            entries = claim_entries(here, declared)
        except (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError) as error:
            if str(error).startswith("configuration: "):
                raise
            why = f"unknown name {error}" if isinstance(error, KeyError) else one_line(error)
            raise ValueError(f"configuration: figures.{name}: cannot be read: {why}") from error
        shown = name, here.entry["paper"], here.entry["title"], module, declared, inputs, settings
        return Shown(*shown, is_table=bool(declared.rows), claim_entries=entries)

    def _collect(self, artifact: str | dict | Experiment) -> None:
        """Enter the experiments among artifacts; several figures may declare the same experiment."""
        if isinstance(artifact, dict):
            for part in artifact.values():
                self._collect(part)
        elif isinstance(artifact, Experiment):
            if self.experiments.setdefault(artifact.path, artifact) != artifact:
                raise ValueError(f"{artifact.path}: two figures declare different experiments at this path")
            self._collect(artifact.inputs)

    def rows_of(self, shown: Shown) -> Experiment:
        """The job that makes the rows of a table."""
        rows: Any = shown.declaration.rows
        path, run = f"{self.data}/tables/{shown.name}.nc", f"{shown.module.__name__}:{rows.__name__}"
        return Experiment(path, run, shown.inputs, shown.settings, kind="table", title=shown.title)

    def files_of(self, shown: Shown) -> list[str]:
        """The files of a figure or table. The first is the PNG of a figure or the HTML of a table."""
        forms = ("html", "md", "csv") if shown.is_table else ("png", "pdf") if self.config["pdf"] else ("png",)
        return [f"{self.folder}/{shown.paper}/{shown.name}.{form}" for form in forms]

    @cached_property
    def verdicts(self) -> dict[str, str]:
        """The files {name: path} of verdicts, for all figures and tables with a tested claim."""
        return {name: f"{self.data}/verdicts/{name}.nc" for name, shown in self.shown.items() if shown.tested}

    @cached_property
    def claims(self) -> dict[str, dict]:
        """All claims by id, for `replication.reporting.scorecard`."""
        return {name: entry for shown in self.shown.values() for name, entry in shown.claim_entries.items()}

    @cached_property
    def claimed(self) -> dict[str, dict]:
        """For the scorecard: the paper, first file and artifacts of each figure or table with claims."""
        return {
            name: {
                "paper": shown.paper,
                "picture": self.files_of(shown)[0],
                "artifacts": named_paths(shown.inputs) if shown.tested else {},
            }
            for name, shown in self.shown.items()
            if shown.claims
        }

    @cached_property
    def exhibits(self) -> dict[str, dict]:
        """All figures and tables for the page: {name: {title, paper, caption, files, artifacts, verdict}}."""
        return {
            name: {
                "title": shown.title,
                "paper": shown.paper,
                "caption": shown.caption,
                "files": self.files_of(shown),
                "artifacts": self.artifacts_of(shown),
                "verdict": self.verdicts.get(name, ""),
            }
            for name, shown in self.shown.items()
        }

    def artifacts_of(self, shown: Shown) -> list[str]:
        """The artifacts behind a figure or table; the rows of a table come first."""
        rows = [self.rows_of(shown).path] if shown.is_table else []
        return list(dict.fromkeys([*rows, *named_paths(shown.inputs).values()]))

    @cached_property
    def files(self) -> list[str]:
        """The files of all figures and tables."""
        return [file for shown in self.shown.values() for file in self.files_of(shown)]

    def files_of_paper(self, paper: str) -> list[str]:
        """The files of the figures and tables of a paper, and of the verdicts on its claims."""
        files = [file for shown in self.shown.values() if shown.paper == paper for file in self.files_of(shown)]
        return files + [path for name, path in self.verdicts.items() if self.shown[name].paper == paper]


def _module_of(name: str, entry: Entry) -> ModuleType:
    """The module that declares a figure: the `module` of its entry, by default the module with the figure's name."""
    folder, words = f"replication.papers.{entry['paper']}", entry.get("module", name)
    module = f"{folder}.{words}".replace("-", "_")
    if find_spec(folder.replace("-", "_")) is None or find_spec(module) is None:
        raise ValueError(f"configuration: figures.{name}: no module {module}; add it, or name another by `module`")
    return import_module(module)


def modules_of(methods: tuple[str, ...]) -> list[str]:
    """The modules of the named estimators and trainers."""
    modules = [ESTIMATORS[name].modules if name in ESTIMATORS else [trainer_module(name)] for name in methods]
    return sorted({module for some in modules for module in some})
