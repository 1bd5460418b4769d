"""Read a project as Snakemake does: its configuration, its figures and tables, and their inputs."""

import re
from pathlib import Path, PurePosixPath

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
    """Returns {estimator: path of its documentation page}, from the links in the table of all methods.

    Paths start at the folder of the project. Estimators whose method has no link in the table are left out.
    """
    table = Path(folder) / _PAGES / "README.md"
    rows = [line for line in table.read_text().splitlines() if line.startswith("|")] if table.is_file() else []
    pages = {}
    for name, method in [(name, entry["method"]) for name, entry in estimators.items()]:
        links = [page for row in rows if f"`{method}`" in row for page in re.findall(r"\]\((\S+\.md)\)", row)]
        if links:
            # If a row links several pages, the page with the name of the method is taken.
            pages[name] = f"{_PAGES}/{max(links, key=lambda page: PurePosixPath(page).stem == method)}"
    return pages
