"""The configuration as a whole: all files of config/, merged, at one scale."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from logzoo.checks import shown
from replication.settings.datasets import Dataset, Source
from replication.settings.exhibits import Figure, Paper
from replication.settings.fields import Name, Section, WrongSetting
from replication.settings.matrix import Checks, Estimator, Matrix, Truth
from replication.settings.rbms import Comparison, Grid, Model, RepeatedTrainings, Zoo

# Sections whose entries may have other settings at other scales, below the key `scales`.
SCALED = ("figures", "grids", "comparisons", "trainings", "estimators", "models")
# Folders of data/ that are no scale.
_FOLDERS = ("raw", "datasets", "mirror")


def _scale(name: str) -> str:
    if name in _FOLDERS:
        raise WrongSetting(f"expected another name than {', '.join(_FOLDERS)}, found {shown(name)}")
    return name


class Settings(Section):
    """The configuration: all files of `config/`, merged in their order, and those of `--configfile`."""

    scale: Annotated[Name, AfterValidator(_scale)] = Field(description="Name of the scale, and of its folders.")
    seed: Annotated[int, Field(ge=0)] = Field(description="Root of all random streams.")
    missing_data: Literal["stand-in", "stop"] = Field(
        description="A data set without any available source is replaced by 8 x 8 digits, or stops the run."
    )
    sources: dict[Name, Source] = Field(min_length=1, description="Sources of raw data by name.")
    datasets: dict[Name, Dataset] = Field(min_length=1, description="Data sets by name.")
    models: dict[Name, Model] = Field(description="RBMs by name, besides those of `grids` and of `zoo`.")
    grids: dict[Name, Grid] = Field(description="Grids of RBMs by name.")
    zoo: Zoo = Field(description="RBMs by each trainer.")
    comparisons: dict[Name, Comparison] = Field(description="Comparisons of trainers by name.")
    trainings: dict[Name, RepeatedTrainings] = Field(description="Repeated trainings by name.")
    estimators: dict[Name, Estimator] = Field(description="Estimators by name.")
    matrix: Matrix = Field(description="All estimates.")
    truth: Truth = Field(description="Values of log Z that estimates are compared with.")
    checks: Checks = Field(description="log Z at the snapshots of a training.")
    papers: dict[Name, Paper] = Field(description="Papers by name.")
    figures: dict[Name, Figure] = Field(description="Figures and tables by name.")
