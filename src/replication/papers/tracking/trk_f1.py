"""Tracking figure 1: the model behind the filter.

Graphical model of the filter. The hidden state is a bias, and log Z at every temperature except β = 0, where log Z is
known. The hidden state drifts with the parameters. Changes between updates and differences between neighbouring
temperatures are observed. Desjardins et al. (2011), figure 1.
"""

import numpy as np

from replication.claim import Claim
from replication.papers.tracking.trk_checks import BIAS, BY_TEMPERATURE, BY_UPDATE
from replication.reporting.style import new_figure
from replication.types import Artifacts, Figure

CLAIMS = {"": Claim("Graphical model of the filter", "a drawing", not_tested="a drawing, nothing to measure")}
_OBSERVED = "#E0E0E0"
_RADIUS = 0.54
# Columns of nodes are updates, and rows are temperatures. An observation lies between the two nodes that it compares.
_COLUMNS = {"t-1": 1.5, "t": 5.3}
_BIAS_ROW, _ROWS = 9.9, {"1": 8.0, "2": 5.0, "M": 0.0}
# Heights of observations between temperatures, and the rows that each compares. Dots replace rows between "2" and "M".
_PAIRS = {"1": (6.5, "1", "2"), "2": (3.5, "2"), "M-1": (1.5, "M")}
_TEMPERATURES = {"1": r"$\beta_1 = 1$", "2": r"$\beta_2$", "M": r"$\beta_M = 0$"}
_EQUATIONS = (
    ("Hidden state", "black"),
    (r"$\zeta_{i,t} = \log Z_{i,t}$,  $b_t$: a bias", "black"),
    (r"$\zeta_{i,t} \sim N(\zeta_{i,t-1},\ \sigma_Z^2)$,  $\sigma_Z = \infty$", "black"),
    (r"$b_t \sim N(b_{t-1},\ \sigma_b^2)$,  $\sigma_b^2 = 10^{-3}\,\epsilon_t$  (learning rate)", BIAS),
    ("Observed between updates, importance sampling", BY_UPDATE),
    (r"$O^{\Delta t}_{1,t} = \zeta_{1,t} - \zeta_{1,t-1} + b_t\ +$ noise", BY_UPDATE),
    (r"$O^{\Delta t}_{i,t} = \zeta_{i,t} - \zeta_{i,t-1}\ +$ noise,  $1 < i < M$", BY_UPDATE),
    ("Observed between temperatures, bridge sampling", BY_TEMPERATURE),
    (r"$O^{\Delta\beta}_{i,t} = \zeta_{i+1,t} - \zeta_{i,t}\ +$ noise", BY_TEMPERATURE),
    ("Known: independent units", "black"),
    (r"$\zeta_{M,t} = \sum_v \, \log(1 + e^{c_v}) + n_h \log 2$", "black"),
)


def draw(artifacts: Artifacts) -> Figure:
    """Temperatures are numbered as in the paper, from the model (beta = 1) to the independent units (beta = 0)."""
    figure = new_figure(7.2, 6.0)
    axis = figure.subplots()
    axis.set(xlim=(-1.1, 14.1), ylim=(-1.35, 10.6), aspect="equal")
    axis.axis("off")
    _draw_states(axis)
    _draw_observations(axis)
    _draw_key(axis)
    top = 8.4
    for text, colour in _EQUATIONS:
        heading = not text.startswith("$")
        top -= 1.05 if heading else 0.78
        style = {"fontsize": 8, "fontweight": "bold"} if heading else {"fontsize": 10, "math_fontfamily": "stix"}
        axis.text(7.3 if heading else 7.6, top, text, va="center", color=colour, **style)
    return figure


def _draw_states(axis):
    """Draw log Z and the biases at two updates, with arrows from one update to the next."""
    before, now = _COLUMNS.values()
    for time, x in _COLUMNS.items():
        _node(axis, x, _BIAS_ROW, rf"$b_{{{time}}}$", edge=BIAS)
        for row, height in _ROWS.items():
            _node(axis, x, height, rf"$\zeta_{{{row},{time}}}$", known=row == "M")
        axis.text(x, -1.1, rf"update ${time}$", ha="center", fontsize=8.5)
    for height, colour, line in ((_BIAS_ROW, BIAS, "-"), (_ROWS["1"], "black", ":"), (_ROWS["2"], "black", ":")):
        _arrow(axis, (before - 1.6, height), (before, height), colour, line, start=0.0)
        _arrow(axis, (before, height), (now, height), colour, line)
        _arrow(axis, (now, height), (now + 1.6, height), colour, line, end=0.0)
    for row, label in _TEMPERATURES.items():
        axis.text(before - 0.75, _ROWS[row] - 0.6, label, ha="right", fontsize=8)


def _draw_observations(axis):
    """Draw the observed nodes, with arrows from the states on which they depend."""
    before, now = _COLUMNS.values()
    middle = 0.5 * (before + now)
    for row in ("1", "2"):
        height = _ROWS[row] + 0.95
        for x in (before, now):
            _arrow(axis, (x, _ROWS[row]), (middle, height), BY_UPDATE)
        _node(axis, middle, height, rf"$O^{{\Delta t}}_{{{row},t}}$", _OBSERVED, BY_UPDATE)
    _arrow(axis, (now, _BIAS_ROW), (middle, _ROWS["1"] + 0.95), BIAS)
    for time, x in _COLUMNS.items():
        for pair, (height, *rows) in _PAIRS.items():
            for row in rows:
                _arrow(axis, (x, _ROWS[row]), (x, height), BY_TEMPERATURE)
            _node(axis, x, height, rf"$O^{{\Delta\beta}}_{{{pair},{time}}}$", _OBSERVED, BY_TEMPERATURE)
        axis.text(x, 0.5 * (_PAIRS["2"][0] + _PAIRS["M-1"][0]), r"$\vdots$", ha="center", va="center", fontsize=12)


def _draw_key(axis):
    """Draw the legend of nodes and arrows."""
    for x, text in ((7.55, "hidden"), (9.75, "observed"), (12.3, "known")):
        _node(axis, x, 9.9, "", _OBSERVED if text == "observed" else "white", known=text == "known", radius=0.25)
        axis.text(x + 0.4, 9.9, text, va="center", fontsize=8)
    axis.plot([7.3, 8.1], [9.1, 9.1], "k:", linewidth=1.0)
    axis.text(8.3, 9.1, "drift: there is no prior on its size", va="center", fontsize=8)


def _node(axis, x, y, text, fill="white", edge="black", known=False, radius=_RADIUS):
    """Draw a circle with a label. A known node has a double line."""
    from matplotlib.patches import Circle

    axis.add_patch(Circle((x, y), radius, facecolor=fill, edgecolor=edge, linewidth=1.1, zorder=2))
    if known:
        axis.add_patch(Circle((x, y), 0.84 * radius, fill=False, edgecolor=edge, linewidth=1.1, zorder=3))
    size = 7.5 if fill == _OBSERVED else 8.5  # observed nodes have longer labels
    axis.text(x, y, text, ha="center", va="center", fontsize=size, math_fontfamily="stix", zorder=4)


def _arrow(axis, tail, head, colour, line="-", start=_RADIUS, end=_RADIUS):
    """Draw an arrow between the edges of two nodes."""
    from matplotlib.patches import FancyArrowPatch

    tail, head = np.array([tail, head])
    length = np.hypot(*(head - tail))
    ends = [tail + share / length * (head - tail) for share in (start, length - end)]
    look = {"arrowstyle": "-|>", "mutation_scale": 8, "shrinkA": 0.0, "shrinkB": 0.0, "linewidth": 1.1}
    axis.add_patch(FancyArrowPatch(*ends, color=colour, linestyle=line, zorder=1, **look))
