"""The look of figures, and functions that save a figure with the same bytes each time."""

import io
import math
from collections.abc import Iterable, Mapping
from typing import Any

from logzoo.io.atomic import write_bytes
from logzoo.types import FilePath
from replication.artifacts import UNKNOWN, picture_metadata, stand_in_line, stand_ins
from replication.types import Axes, Axis, Banded, Dataset, Figure, Image, Look, Points

# Assumed width of a tick label, as a share of the axis.
_LABEL_SHARE = 0.15
# Colours of Okabe & Ito's palette, which colour-blind readers can distinguish, and further colours. No estimator has
# black as its colour, because black shows the truth. Estimators that share a colour have different markers.
LOOKS = {
    "ais": ("#D55E00", "s", "-"),
    "raise": ("#CC79A7", "D", "-"),
    "ais-moments": ("#D55E00", "P", "--"),
    "smc": ("#D55E00", "H", "--"),
    "rts": ("#0072B2", "o", "-"),
    "ts": ("#009E73", "^", "-"),
    "sd": ("#009E73", "v", "--"),
    "rsd": ("#56B4E9", "P", "--"),
    "ti-riemann": ("#E69F00", "<", ":"),
    "ti-trapezoid": ("#44AA99", ">", "-"),
    "ti-corrected": ("#882255", "*", "--"),
    "ti-rb": ("#B8A000", "h", "-"),
    "mbar": ("#8B4513", "X", "-"),
    "bar": ("#8B4513", "d", "--"),
    "pt-mbar": ("#8B4513", "P", ":"),
    "trajectory": ("#117733", "o", "-"),
    "trajectory-ais": ("#117733", "s", "--"),
    "trajectory-raise": ("#117733", "D", ":"),
    "sams": ("#7570B3", "p", "-"),
    "wang-landau": ("#7570B3", "X", "--"),
    "las-vegas": ("#56B4E9", "D", "-."),
    "basins": ("#332288", "D", "-."),
    "mean-field": ("#882255", "v", ":"),
    "tap": ("#882255", "o", "--"),
    "bethe": ("#882255", "s", "-"),
}
TRUTH = "black"
# Thresholds for the ratio of the two ends of an axis. Above _MANY there is no room for labels between powers of ten.
# Below _FEW there are too few powers of ten.
_MANY, _FEW = {"x": 10**2.2, "y": 10**3.5}, 4.0
_OTHERS = ("#CC79A7", "#56B4E9", "#999999", "#332288")
# Largest width of a PNG in pixels.
_WIDEST = 2400
# Means of colours use every third pixel, to save time.
_EVERY = 3
# The style of matplotlib in which figures are drawn and saved: `with matplotlib.rc_context(SETTINGS)`.
SETTINGS = {
    "font.size": 9,
    "axes.titlesize": 10,
    # Titles have a fixed height. Otherwise matplotlib measures all labels, which takes a tenth of the time of a figure.
    "axes.titley": 1.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "lines.markersize": 5,
    "savefig.dpi": 150,
    "pdf.fonttype": 42,
}


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of this size in inches, whose layout keeps the labels of panels from overlapping."""
    from matplotlib.figure import Figure  # takes long to import, as do its modules below

    return Figure(figsize=(width, height), layout="constrained")


def look_of(name: str, position: int) -> Look:
    """Colour, marker and line of an estimator; unknown estimators differ by position.

    `rts-uniform` looks like `rts` with hollow markers. `rts-modes` looks like `rts` with black marker edges and
    dash-dotted lines. Estimators with an adapted ladder have dotted lines.
    """
    method = name
    while method and method not in LOOKS:
        method = method.rpartition("-")[0]
    colour, marker, line = LOOKS.get(method, (_OTHERS[position % len(_OTHERS)], "8", "-."))
    look = {"color": colour, "marker": marker, "linestyle": ":" if "-adapted" in name else line}
    if name.endswith("-modes"):
        return look | {"linestyle": "-.", "markeredgecolor": TRUTH}
    return look | {"markerfacecolor": "white"} if name.endswith("-uniform") else look


def plain_logarithms(*axes: Axis) -> None:
    """Make axes (x or y) logarithmic, with ticks written out."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    class Ticks(LogLocator):
        """Ticks at 1, 2 and 5 times powers of ten; on long axes at powers only, on short axes at equal distances."""

        def tick_values(self, vmin, vmax):
            if 0.0 < vmax < _FEW * vmin:
                return MaxNLocator(5, steps=[1, 2, 5, 10]).tick_values(vmin, vmax)
            many = _MANY[getattr(self.axis, "axis_name", "y")]
            self.set_params(subs=(1.0,) if vmax > many * vmin > 0.0 else (1.0, 2.0, 5.0))
            return super().tick_values(vmin, vmax)

    for axis in axes:
        axis.axes.set(**{f"{axis.axis_name}scale": "log"})
        axis.set_major_locator(Ticks())
        axis.set_major_formatter(FuncFormatter(lambda value, _: _plain(value)))
        axis.set_minor_formatter(NullFormatter())


def _plain(value: float) -> str:
    """The label of a tick with thousands separators, and without an exponent if the value is at least 1e-6."""
    if 1e-6 <= value < 1e-4:
        return f"{value:.6f}".rstrip("0")
    return f"{value:,.0f}" if value >= 1000.0 else f"{value:g}"


def label_counts(axis: Axis, most: int = 5) -> None:
    """Set at most `most` + 1 labels on a linear axis (x or y) of counts, with thousands separators."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    axis.set_major_locator(MaxNLocator(most, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def count_ticks(axis: Axes, counts: Points) -> None:
    """Make the x axis logarithmic with a tick at each count. A label that would overlap another is left out."""
    from matplotlib.ticker import NullLocator

    axis.set_xscale("log")
    labels, last = [], 0.0
    for count in counts:
        near = last and math.log(count / last) < _LABEL_SHARE * math.log(counts[-1] / counts[0])
        labels.append("" if near else f"{count:,}")
        last = last if near else count
    axis.set_xticks(counts, labels)
    axis.xaxis.set_minor_locator(NullLocator())


def draw_band(axis: Axes, x: Points, values_and_band: Banded, **look: Any) -> None:
    """Draw values (x,) as a line with a band (2, x), or a single value as a point with a bar."""
    values, (low, high) = values_and_band
    axis.plot(x, values, **look)
    if len(x) > 1:
        axis.fill_between(x, low, high, color=look["color"], alpha=0.2, linewidth=0)
    else:
        axis.vlines(x, low, high, color=look["color"])


def draw_bars(axis: Axes, x: Points, values_and_band: Banded, every: int = 1, start: int = 0, **look: Any) -> None:
    """Draw values (x,) as a line, with bars at every `every`-th point from `start`, for curves whose bands overlap."""
    values, (low, high) = values_and_band
    axis.plot(x, values, **look)
    axis.vlines(x[start::every], low[start::every], high[start::every], color=look["color"], linewidth=1.2, alpha=0.7)


def finished(figure: Figure, *datasets: Dataset, panels: Iterable[Axes] = ()) -> Figure:
    """The figure with its panels lettered from (a) on, and with a notice if any of its datasets are stand-in data."""
    for letter, axis in zip("abcdefghijkl", panels, strict=False):
        axis.set_title(f"({letter})", loc="left", fontweight="bold")
    if line := stand_in_line(stand_ins(datasets)):
        figure.suptitle(line, color="#D55E00", fontweight="bold")
    return figure


def title_of(title: str, dataset: Dataset) -> str:
    """The title of a model, marked if a stand-in replaces the model or its data set."""
    return f"stand-in for {title}" if "stand_in_for" in dataset.attrs else title


def doubt_of(truth: Dataset) -> str:
    """The end of the label of a true log Z: empty, or a remark if its long runs did not converge."""
    return "" if truth.attrs.get("converged", 1) else ", not converged"


def draw_truth_error(axis: Axes, truth: Dataset) -> None:
    """Draw the standard error of a true log Z as a dotted line, unless it is 0."""
    if float(truth["std_error"]) > 0:
        label = f"standard error of the truth{doubt_of(truth)}"
        axis.axhline(float(truth["std_error"]), color="grey", linestyle=":", label=label)


def save(figure: Figure, png: FilePath, pdf: FilePath | None, stamp: Mapping[str, Any] = UNKNOWN) -> None:
    """Write a figure as PNG and PDF, with a stamp (`replication.artifacts`) of its inputs and without a date.

    pdf: path of the PDF, which takes half of the time, or None for no PDF.
    """
    pictures = picture_bytes(figure, stamp, pdf=pdf is not None)
    write_bytes(png, pictures["png"])
    if pdf is not None:
        write_bytes(pdf, pictures["pdf"])


def picture_bytes(figure: Any, stamp: Mapping[str, Any] = UNKNOWN, *, pdf: bool = True) -> dict[str, bytes]:
    """The bytes that `save` writes, by the form `png` or `pdf`."""
    from PIL import Image, TiffImagePlugin  # noqa: F401  without this import pillow loads all its formats
    from PIL.PngImagePlugin import PngInfo

    drawn, png, metadata = io.BytesIO(), io.BytesIO(), picture_metadata(stamp)
    # The layout is computed once, at the resolution of the PNG. With a layout engine each `savefig` would draw twice.
    dots = min(SETTINGS["savefig.dpi"], _WIDEST / figure.get_figwidth())
    figure.set_dpi(dots)
    if figure.axes:
        figure.get_layout_engine().execute(figure)
    figure.set_layout_engine(None)
    figure.savefig(drawn, format="tiff", dpi=dots)
    texts = PngInfo()
    for key, text in metadata["png"].items():
        texts.add_text(key, text)
    # The compression level below the highest makes 4% more bytes in less than half the time.
    few_colours(Image.open(drawn), 256).save(png, format="PNG", pnginfo=texts, dpi=(dots, dots), compress_level=8)
    pictures = {"png": png.getvalue()}
    if pdf:
        drawn = io.BytesIO()
        figure.savefig(drawn, format="pdf", metadata={"CreationDate": None, **metadata["pdf"]})
        pictures["pdf"] = drawn.getvalue()
    return pictures


def few_colours(image: Image, number: int) -> Image:
    """A picture reduced to `number` colours, each the mean of its pixels. This saves two thirds of the bytes."""
    import numpy as np
    from PIL import Image

    image = image.convert("RGB")
    reduced = image.quantize(number, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    # Pillow may give a large area the colour of a few similar pixels, so that light grey turns green.
    pixels, colours = np.asarray(image).reshape(-1, 3)[::_EVERY], np.asarray(reduced).ravel()[::_EVERY]
    counts = np.bincount(colours, minlength=number)
    sums = np.stack([np.bincount(colours, channel, number) for channel in pixels.T], axis=1)
    palette = np.array(reduced.getpalette())[: 3 * number].reshape(-1, 3)
    means = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], palette)
    reduced.putpalette(np.rint(means).astype(np.uint8).tobytes())
    return reduced
