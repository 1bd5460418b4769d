"""How figures look, and how they are saved with the same bytes each time."""

import matplotlib
from matplotlib.figure import Figure

# Okabe & Ito's palette, told apart by colour-blind eyes; black is kept for the truth.
COLOURS = {
    "ais": "#D55E00",
    "rts": "#0072B2",
    "ts": "#009E73",
}
MARKERS = {"ais": "s", "rts": "o", "ts": "^"}
TRUTH = "black"
_OTHERS = ("#CC79A7", "#E69F00", "#56B4E9", "#F0E442")
_SETTINGS = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "lines.markersize": 5,
    "savefig.dpi": 200,
    "pdf.fonttype": 42,
}


def new_figure(width, height):
    """An empty figure of that size in inches, laid out so that labels never overlap."""
    matplotlib.rcParams.update(_SETTINGS)
    return Figure(figsize=(width, height), layout="constrained")


def look_of(estimator, position):
    """Colour and marker of an estimator: its own, or one by its position among the others."""
    colour = COLOURS.get(estimator, _OTHERS[position % len(_OTHERS)])
    return {"color": colour, "marker": MARKERS.get(estimator, "D")}


def label_panels(axes):
    """Letter the panels a, b, c, ... in reading order."""
    for letter, axis in zip("abcdefghijkl", axes, strict=False):
        axis.set_title(f"({letter})", loc="left", fontweight="bold")


def mark_stand_in(figure, *datasets):
    """Say on the figure when another data set stands in for the one it should show."""
    names = sorted({dataset.attrs["stand_in_for"] for dataset in datasets if "stand_in_for" in dataset.attrs})
    if names:
        text = f"STAND-IN DATA: the 8 x 8 digits of scikit-learn replace {', '.join(names)}"
        figure.suptitle(text, color="#D55E00", fontweight="bold")


def title_of(title, dataset):
    """The title of a model, or that another stands in for it."""
    return f"stand-in for {title}" if "stand_in_for" in dataset.attrs else title


def save(figure, png, pdf):
    """Write a figure as PNG and PDF, with no time stamp in either."""
    figure.savefig(png, metadata={"Software": None})
    figure.savefig(pdf, metadata={"CreationDate": None})
