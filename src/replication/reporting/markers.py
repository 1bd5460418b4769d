"""How estimators look on pages that draw by themselves: the colours, markers and lines of the figures, for SVG."""

from replication.reporting.style import look_of

# Dashes of lines in pixels.
_DASHES = {"-": "", "--": "6 3", "-.": "6 3 1.5 3", ":": "1.5 3"}
# Letters of SVG for the codes of a path of matplotlib, but its end.
_MOVE, _END = 1, 79
_LETTERS = {_MOVE: "M", 2: "L", 3: "Q", 4: "C"}


def look_on_page(name, position):
    """How an estimator looks: its colours on light and dark paper, dashes, and marker as a path of SVG one unit wide.

    `filled` is false of markers that are lines, `hollow` and `edged` as `style.look_of` has them.
    """
    look = look_of(name, position)
    path, filled = marker_path(look["marker"])
    return {
        "light": look["color"],
        "dark": paler(look["color"]),
        "dashes": _DASHES[look["linestyle"]],
        "path": path,
        "filled": filled,
        "hollow": "markerfacecolor" in look,
        "edged": "markeredgecolor" in look,
    }


def marker_path(marker):
    """A marker of matplotlib as the data of an SVG path, one unit wide about the origin; whether it has an inside."""
    from matplotlib.markers import MarkerStyle  # takes long

    style, parts = MarkerStyle(marker), []
    for points, code in style.get_path().transformed(style.get_transform()).iter_segments(simplify=False):
        if code == _END:
            parts.append("Z")
            continue
        # Down is positive in SVG.
        flipped = [(1.0 - 2.0 * (place % 2)) * value for place, value in enumerate(points)]
        parts.append(
            _LETTERS[int(code)] + " ".join(f"{value + 0.0:.3g}" if abs(value) > 1e-6 else "0" for value in flipped)
        )
    return "".join(parts), bool(style.is_filled())


def paler(colour):
    """A colour (#rrggbb) halfway to white, for dark paper."""
    return "#" + "".join(f"{(int(colour[place : place + 2], 16) + 255) // 2:02x}" for place in (1, 3, 5))
