"""Types for annotations. At run time each name is `Any`, so that importing it loads no other module."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import matplotlib.axes
    import matplotlib.axis
    import matplotlib.figure
    import PIL.Image
    import xarray as xr

    from logzoo.estimators.result import Estimate as Estimate
    from logzoo.io.checkpoints import Checkpoint as Checkpoint
    from logzoo.streams import Stream as Stream
    from logzoo.training.loop import TrainingRun as TrainingRun
    from logzoo.types import Array
    from replication.reporting.statistics import Statistic

    Axes = matplotlib.axes.Axes
    Axis = matplotlib.axis.XAxis | matplotlib.axis.YAxis
    Figure = matplotlib.figure.Figure
    DataArray = xr.DataArray
    Dataset = xr.Dataset
    DataFrame = Any  # of pandas, which has no types of its own
    Image = PIL.Image.Image

    # Inputs of a declaration by name: paths of artifacts, `Experiment`s that make artifacts, or dicts of these.
    Inputs = dict[str, Any]
    # The same inputs as Datasets, or dicts of Datasets.
    Artifacts = dict[str, Any]
    # Statistics of a figure by the keys of its claims.
    Statistics = dict[str, Statistic]
    # A function of arrays (sample, ..., repeat) that returns a statistic (sample,).
    Measure = Callable[..., Array]
    # Numbers along an axis.
    Points = Array | Sequence[float] | DataArray
    # Values (x,), and the lower and upper ends (2, x) of their band.
    Banded = tuple[Points, Array | tuple[Points, Points]]
    # Titles by the names of models, estimators or trainers.
    Names = dict[str, str]
    # Settings of an entry of the configuration.
    Settings = dict[str, Any]
    # Keyword arguments of a line of matplotlib.
    Look = dict[str, Any]
    # log Z by AIS, its standard error, and the ends of its 95% interval, in nats.
    AisNumbers = tuple[float, float, float, float]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name.startswith("__"):  # attributes such as `__path__`, which Python looks up in each module
            raise AttributeError(name)
        return Any
