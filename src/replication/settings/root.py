"""The configuration of one scale, merged from files of config/, and checks of names that refer to other entries."""

# The type `Dataset` is made at run time.
# pyright: reportInvalidTypeForm=false
from collections.abc import Collection, Iterable, Iterator
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from logzoo.checks import shown
from logzoo.estimators.estimator_registry import ESTIMATORS
from replication.settings.datasets import Dataset, IdxOptions, Source, raw_files_of
from replication.settings.fields import (
    AtLeastTwo,
    Count,
    Counts,
    Name,
    Names,
    Options,
    Scaled,
    Section,
    Several,
    Share,
    WrongSetting,
    check_known,
    check_options,
)
from replication.settings.rbms import (
    Comparison,
    FullAnnealing,
    Grid,
    KnownModel,
    Model,
    RepeatedTrainings,
    TrainedModel,
    Zoo,
)

# Sections whose entries may have settings for other scales below the key `scales`.
SCALED = ("figures", "grids", "comparisons", "trainings", "estimators", "models")
# Folders of data/ that do not belong to a scale.
_FOLDERS = ("raw", "datasets", "mirror")


class Estimator(Scaled):
    """An estimator of log Z. Every method has an estimator of the same name; an entry can change its settings."""

    title: str = Field(description="Title in tables and figures.")
    method: str = Field(description="Method (`logzoo methods` lists them).")
    base: Literal["matched", "modes", "uniform", "visible-bias"] = Field(
        "matched",
        description="Base: marginals of the training data, mean-field modes, units at 1/2, or the visible bias.",
    )
    options: Options = Field({}, description="Options of the method.")
    budgets: Counts | None = Field(None, description="Budgets, in place of the budgets of the model and of `matrix`.")

    @model_validator(mode="after")
    def _options(self):
        check_options(ESTIMATORS, self.method, self.options, Estimator.model_fields)
        return self


class Matrix(Section):
    """All estimates: every estimator on every model of this list and of the zoo."""

    models: Names = Field(description="Models, besides the models of the zoo.")
    estimators: Literal["all"] | Names = Field(
        description="A list of estimators, or all methods without `left_out` and with `added`."
    )
    left_out: list[str] = Field([], description="Methods that are not estimators of the matrix.")
    added: list[str] = Field([], description="Estimators besides the methods.")
    together: bool = Field(description="The estimators of a model share one job.")
    budgets: Counts = Field(description="Budgets in sweeps per chain.")
    replicates: Count = Field(description="Replicates of an estimate at each budget.")
    chains: AtLeastTwo = Field(description="Chains of an estimate.")

    @model_validator(mode="after")
    def _left_out_methods(self):
        check_known(self.left_out, ESTIMATORS, "left_out")
        return self


class Truth(Section):
    """Computation of the true log Z, with which estimates are compared."""

    enumerate_up_to: int = Field(
        ge=1, le=36, description="log Z of trained models is enumerated up to this many units in the smaller layer."
    )
    estimators: Names = Field(description="Estimators whose long runs are averaged for larger or imported models.")
    sweeps: Count = Field(description="Budget of each long run in sweeps per chain.")


class EvidenceSize(Section):
    """The size of the evidence with which the estimates of a model are checked."""

    chains: Annotated[int, Field(ge=40)] = Field(description="Chains of each run of the evidence.")


class Checks(Section):
    """Estimates of log Z at the snapshots of a training, and AIS of grids."""

    ais: FullAnnealing = Field(description="AIS at the snapshots, and of grids.")


class Paper(Section):
    """A paper, or another group of figures and tables."""

    place: int = Field(description="Place on the page and in the scorecard.")
    title: str = Field(description="Title.")
    source: str = Field(description="Authors and year.")
    question: str | None = Field(None, description="Question that opens the page of a run. Requires `answers`.")
    answers: Names | None = Field(None, description="Figures and tables below the question. Requires `question`.")

    @model_validator(mode="after")
    def _question_and_answers(self):
        if (self.question is None) != (self.answers is None):
            raise WrongSetting("expected both keys 'question' and 'answers' or neither")
        return self


class Figure(Scaled):
    """A figure or table. Its declaration, a module in `src/replication/papers/<paper>/`, determines its settings.

    The settings below have fixed types. A declaration may read other settings as well.
    A setting that the declaration does not read is refused.
    """

    model_config = ConfigDict(extra="allow")

    paper: Name = Field(description="Paper.")
    title: str = Field(description="Title.")
    module: Name | None = Field(None, description="Module that declares the figure, if it has another name.")
    model: str | None = Field(None, description="Model.")
    models: Names | None = Field(None, description="Models.")
    estimators: Names | None = Field(None, description="Estimators.")
    lower: Names | None = Field(None, description="Methods that estimate log Z from below.")
    of_papers: Names | None = Field(None, description="Estimators that the four papers use.")
    budgets: Counts | None = Field(None, description="Budgets in sweeps per chain.")
    rungs: AtLeastTwo | None = Field(None, description="Rungs of a ladder.")
    ladders: Count | Counts | None = Field(None, description="Number of ladders, or numbers of rungs.")
    chains: AtLeastTwo | None = Field(None, description="Chains of an estimate.")
    sweeps: Count | None = Field(None, description="Sweeps per chain.")
    steps: Count | None = Field(None, description="Steps of a sampler.")
    draws: Count | None = Field(None, description="Draws of each chain.")
    tours: Count | None = Field(None, description="Number of tours.")
    cap: Count | None = Field(None, description="Sweeps after which a tour is cut.")
    points: AtLeastTwo | None = Field(None, description="Points of a curve.")
    iterations: Count | None = Field(None, description="Initial iterations.")
    initial_draws: Count | None = Field(None, description="Draws of an initial iteration.")
    initial_iterations: Count | None = Field(None, description="Number of initial iterations.")
    estimates: AtLeastTwo | None = Field(None, description="Number of estimates.")
    repeats: AtLeastTwo | None = Field(None, description="Number of repetitions.")
    replicates: Count | None = Field(None, description="Number of replicates.")
    runs: Count | None = Field(None, description="Number of runs.")
    samples: Count | Counts | None = Field(None, description="Number of samples, or several numbers.")
    rounds: Counts | None = Field(None, description="Hidden states drawn for each training image in a stopping set.")
    batches: AtLeastTwo | None = Field(None, description="Number of mini-batches.")
    batch: Count | None = Field(None, description="Examples of a mini-batch.")
    updates: Count | None = Field(None, description="Number of updates.")
    digits: Several[Annotated[int, Field(ge=0)]] | None = Field(None, description="Digits that are shown.")
    shares: Several[Share] | None = Field(
        None, description="Budgets of the other estimators, as shares of the sweeps of all tours."
    )
    candidates: Count | None = Field(None, description="Number of images among which the start of a chain is chosen.")


def _scale(name: str) -> str:
    if name in _FOLDERS:
        raise WrongSetting(f"expected another name than {', '.join(_FOLDERS)}, found {shown(name)}")
    return name


class Settings(Section):
    """The configuration, merged from the files in config/, then from `--configfile`."""

    scale: Annotated[Name, AfterValidator(_scale)] = Field(description="Name of the scale, and of its folders.")
    seed: Annotated[int, Field(ge=0)] = Field(
        description="Root of all random streams, except those of data sets and known models."
    )
    missing_data: Literal["stand-in", "stop"] = Field(
        description="A data set without any available source is replaced by 8 x 8 digits, or stops the run."
    )
    pdf: bool = Field(description="Whether each figure is also drawn as PDF, which takes as long as the PNG.")
    sources: dict[Name, Source] = Field(min_length=1, description="Sources of raw data by name.")
    datasets: dict[Name, Dataset] = Field(min_length=1, description="Data sets by name.")
    models: dict[Name, Model] = Field(description="RBMs by name, besides the RBMs of `grids` and of `zoo`.")
    grids: dict[Name, Grid] = Field(description="Grids of RBMs by name.")
    zoo: Zoo = Field(description="RBMs by each trainer.")
    comparisons: dict[Name, Comparison] = Field(description="Comparisons of trainers by name.")
    trainings: dict[Name, RepeatedTrainings] = Field(description="Repeated trainings by name.")
    estimators: dict[Name, Estimator] = Field(description="Estimators by name.")
    matrix: Matrix = Field(description="All estimates.")
    truth: Truth = Field(description="True values of log Z, with which estimates are compared.")
    evidence: EvidenceSize = Field(description="Evidence with which estimates are checked.")
    checks: Checks = Field(description="log Z at the snapshots of a training.")
    papers: dict[Name, Paper] = Field(description="Papers by name.")
    figures: dict[Name, Figure] = Field(description="Figures and tables by name.")
    only_figures: Names | None = Field(
        None, description="Figures and tables to make, with their papers. By default all of `figures`."
    )


def check_references(settings: Settings, config: dict) -> None:
    """Check that settings name existing entries. config: the same settings as a completed dict, with all models.

    Raises a one-line ValueError with the dotted path of the first setting that names an unknown entry or has an
    impossible `start`.
    """
    for key, names, choices in _references(settings, config):
        check_names(key, names, choices)
    _check_starts(settings, config["models"])


def check_names(key: str, names: Iterable[str], choices: Collection[str]) -> None:
    """Raise ValueError for the first name that is not among the choices. The message lists at most 30 choices."""
    try:
        check_known(names, choices)
    except WrongSetting as error:
        raise ValueError(f"configuration: {key}: {error}") from None


def _references(settings: Settings, config: dict) -> Iterator[tuple[str, Iterable[str], Collection[str]]]:
    """The settings that name entries: (dotted path, names, existing entries)."""
    yield "matrix.models", settings.matrix.models, config["models"]
    yield "matrix.added", settings.matrix.added, settings.estimators
    yield "matrix.estimators", config["matrix"]["estimators"], settings.estimators
    yield "truth.estimators", settings.truth.estimators, settings.estimators
    drawn = [name for name, dataset in settings.datasets.items() if dataset.reader == "known"]
    for name, model in settings.models.items():
        yield f"models.{name}.dataset", [model.dataset], settings.datasets
        if isinstance(model.replicates, dict):
            yield f"models.{name}.replicates", model.replicates, settings.estimators
        if isinstance(model, KnownModel):
            yield f"models.{name}.dataset", [model.dataset], drawn
        elif model.import_:
            yield f"models.{name}.import.source", [model.import_.source], settings.sources
            yield f"models.{name}.import.file", [model.import_.file], settings.sources[model.import_.source].files
        if isinstance(model, TrainedModel) and model.start:
            yield f"models.{name}.start", [model.start], config["models"]
    # The digits replace data sets that are not available.
    labelled = [name for name, dataset in settings.datasets.items() if dataset.label_units]
    yield "sources", ["digits"], settings.sources
    yield "datasets", ["digits", "digits-labelled"] if labelled else ["digits"], settings.datasets
    for name, dataset in settings.datasets.items():
        yield f"datasets.{name}.source", [dataset.source], settings.sources
        yield f"datasets.{name}.options", raw_files_of(dataset.options), settings.sources[dataset.source].files
        # Grey levels are divided by 255, so zeros and ones of other readers would become nearly zero.
        grey = isinstance(dataset.options, IdxOptions) and dataset.options.threshold is None
        yield f"datasets.{name}.values", [dataset.values], ["binary", "grey"] if grey else ["binary"]
    for name, grid in settings.grids.items():
        yield f"grids.{name}.datasets", grid.datasets, settings.datasets
    yield "zoo.datasets", settings.zoo.datasets.values(), settings.datasets
    for name, comparison in settings.comparisons.items():
        yield f"comparisons.{name}.dataset", [comparison.dataset], labelled
    for name, trainings in settings.trainings.items():
        yield f"trainings.{name}.dataset", [trainings.dataset], settings.datasets
    for name, paper in settings.papers.items():
        figures = [key for key, figure in settings.figures.items() if figure.paper == name]
        yield f"papers.{name}.answers", paper.answers or [], figures
    yield "only_figures", settings.only_figures or [], settings.figures
    for name, figure in settings.figures.items():
        yield f"figures.{name}.paper", [figure.paper], settings.papers


def _check_starts(settings: Settings, models: dict[str, dict]) -> None:
    """Check that `start` entries form no cycle, and that each start has as many visible units as its model."""
    for name, entry in settings.models.items():
        if not isinstance(entry, TrainedModel) or not entry.start:
            continue
        chain = [name]
        while start := models[chain[-1]].get("start"):
            chain.append(start)
            if start in chain[:-1]:
                raise ValueError(f"configuration: models.{name}.start: expected no cycle, found {' -> '.join(chain)}")
        # Hidden units are not compared, because a scale sets sizes only for models that its figures need.
        visible, others = (settings.datasets[models[model]["dataset"]].visible for model in chain[:2])
        if visible != others:
            raise ValueError(
                f"configuration: models.{name}.start: expected a model of {visible} visible units, found {others} of"
                f" {chain[1]}"
            )
