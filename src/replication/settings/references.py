"""Names in the configuration that refer to other entries, and chains of trainings."""

from collections.abc import Collection, Iterable, Iterator

from replication.settings.fields import WrongSetting, check_known
from replication.settings.rbms import KnownModel, TrainedModel
from replication.settings.root import Settings

Reference = tuple[str, Iterable[str], Collection[str]]


def check_references(settings: Settings, config: dict) -> None:
    """Check that all names refer to entries. config: the same settings, completed, with all models.

    Raises ValueError, one line with the dotted path of the first unknown name.
    """
    for references in (_of_estimates(settings, config), _of_models(settings, config), _of_others(settings)):
        for key, names, choices in references:
            check_names(key, names, choices)
    _check_starts(settings, config["models"])


def check_names(key: str, names: Iterable[str], choices: Collection[str]) -> None:
    """Raise ValueError for the first name that is not among the choices, with the nearest of them."""
    try:
        check_known(names, choices)
    except WrongSetting as error:
        raise ValueError(f"configuration: {key}: {error}") from None


def _of_estimates(settings: Settings, config: dict) -> Iterator[Reference]:
    yield "matrix.models", settings.matrix.models, config["models"]
    yield "matrix.added", settings.matrix.added, settings.estimators
    yield "matrix.estimators", config["matrix"]["estimators"], settings.estimators
    yield "truth.estimators", settings.truth.estimators, settings.estimators


def _of_models(settings: Settings, config: dict) -> Iterator[Reference]:
    drawn = [name for name, dataset in settings.datasets.items() if dataset.reader == "known"]
    for name, model in settings.models.items():
        yield f"models.{name}.dataset", [model.dataset], settings.datasets
        if isinstance(model.replicates, dict):
            yield f"models.{name}.replicates", model.replicates, settings.estimators
        if isinstance(model, KnownModel):
            yield f"models.{name}.dataset", [model.dataset], drawn
            continue
        if model.import_:
            yield f"models.{name}.import.source", [model.import_.source], settings.sources
            yield f"models.{name}.import.file", [model.import_.file], settings.sources[model.import_.source].files
        if model.start:
            yield f"models.{name}.start", [model.start], config["models"]


def _of_others(settings: Settings) -> Iterator[Reference]:
    for name, dataset in settings.datasets.items():
        yield f"datasets.{name}.source", [dataset.source], settings.sources
    for name, grid in settings.grids.items():
        yield f"grids.{name}.datasets", grid.datasets, settings.datasets
    yield "zoo.datasets", settings.zoo.datasets.values(), settings.datasets
    for name, comparison in settings.comparisons.items():
        yield f"comparisons.{name}.dataset", [comparison.dataset], settings.datasets
    for name, trainings in settings.trainings.items():
        yield f"trainings.{name}.dataset", [trainings.dataset], settings.datasets
    for name, paper in settings.papers.items():
        figures = [key for key, figure in settings.figures.items() if figure.paper == name]
        yield f"papers.{name}.answers", paper.answers or [], figures
    for name, figure in settings.figures.items():
        yield f"figures.{name}.paper", [figure.paper], settings.papers


def _check_starts(settings: Settings, models: dict[str, dict]) -> None:
    """Check that chains of trainings end, and that a model starts from one with as many visible units."""
    for name, model in settings.models.items():
        if not isinstance(model, TrainedModel) or not model.start:
            continue
        chain = [name]
        while start := models[chain[-1]].get("start"):
            chain.append(start)
            if start in chain[:-1]:
                raise ValueError(f"configuration: models.{name}.start: expected no circle, found {' -> '.join(chain)}")
        # Hidden units may differ in models that no figure needs: another scale resizes only those that it makes.
        visible, found = (settings.datasets[models[each]["dataset"]].visible for each in chain[:2])
        if visible != found:
            raise ValueError(
                f"configuration: models.{name}.start: expected a model of {visible} visible units, found {found} of"
                f" {chain[1]}"
            )
