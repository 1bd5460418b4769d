"""Read a project as Snakemake does: its configuration, its figures and tables, and their inputs."""

from pathlib import Path

from replication.catalogue import Catalogue, Config, Shown
from replication.configuration import checked, laid_over
from replication.papers.experiment import named_paths, nested

_SETTINGS = ("datasets", "models", "estimators", "zoo", "config")
_PAGES = "docs/estimators"


def settings_files(folder: Path) -> list[Path]:
    """The files of settings of a project, in the order in which they are merged."""
    return [*(folder / f"config/{name}.yaml" for name in _SETTINGS), *sorted(folder.glob("config/papers/*.yaml"))]


def merged_configuration(*files: str, folder: str | Path = ".", over: Config | None = None) -> Config:
    """The merged configuration of the project in a folder.

    files: more files of the folder, as for --configfile. over: settings that override all files.
    """
    folder = Path(folder)
    return laid_over([*settings_files(folder), *(folder / name for name in files)], over or {})


def catalogue_of(*files: str, folder: str | Path = ".", over: Config | None = None) -> Catalogue:
    """The Catalogue of a project; arguments as in `merged_configuration`.

    Raises a one-line ValueError for a configuration that the Snakefile would refuse.
    """
    config = merged_configuration(*files, folder=folder, over=over)
    return Catalogue(checked(config, Path(folder) / "config"))


def read_artifacts(shown: Shown, folder: str | Path = ".") -> dict:
    """The inputs of a figure or table for its `draw` or `rows`: Datasets by name, or dicts of them.

    Raises ValueError for missing or damaged artifacts.
    """
    from logzoo.io.netcdf import read_artifact  # xarray takes long to import, and the rules import this module

    paths = named_paths(shown.inputs)
    return nested({name: read_artifact(Path(folder) / path) for name, path in paths.items()})


def pages_of_estimators(estimators: dict[str, dict], folder: str | Path) -> dict[str, str]:
    """Returns {estimator: path of the page of its method, or of the table of methods if `folder` has no such page}."""
    pages = {name: f"{_PAGES}/{entry['method']}.md" for name, entry in estimators.items()}
    return {name: page if Path(folder, page).is_file() else f"{_PAGES}/README.md" for name, page in pages.items()}
