"""A project as Snakemake reads it, from Python: its configuration, its figures and tables, what they are made from."""

import re
from pathlib import Path

import yaml

from logzoo.artifacts.netcdf import read_artifact
from logzoo.papers.declaration import named_paths, nested
from logzoo.pipeline.catalogue import Catalogue, Config, Shown
from logzoo.pipeline.configuration import checked

# A line of the Snakefile that names a file of settings.
_SETTINGS = re.compile(r'^(?:configfile: | +)"(config/\w+\.yaml)",?$', re.MULTILINE)


def merged_configuration(*more: str | dict, folder: str | Path = ".") -> Config:
    """The configuration that Snakemake merges in a folder: what the Snakefile names, the papers' files, and more.

    more: further files of the folder, as --configfile takes them, and dicts.
    """
    from snakemake.utils import update_config  # takes long

    folder, config = Path(folder), {}
    named = _SETTINGS.findall((folder / "Snakefile").read_text())
    papers = sorted(path.relative_to(folder) for path in folder.glob("config/papers/*.yaml"))
    for part in (*named, *papers, *more):
        update_config(config, part if isinstance(part, dict) else yaml.safe_load((folder / part).read_text()))
    return config


def catalogue_of(*more: str | dict, folder: str | Path = ".") -> Catalogue:
    """The Catalogue of a project, with further configuration as `merged_configuration` takes it.

    Raises ValueError, one line, for a configuration that Snakemake would refuse.
    """
    return Catalogue(checked(merged_configuration(*more, folder=folder), Path(folder) / "workflow/schemas"))


def read_artifacts(shown: Shown, folder: str | Path = ".") -> dict:
    """What a figure or table is made from, as its `draw` or `rows` takes it: Datasets by name, in dicts of these.

    Raises ValueError for what is not made yet.
    """
    paths = named_paths(shown.inputs)
    return nested({name: read_artifact(Path(folder) / path) for name, path in paths.items()})
