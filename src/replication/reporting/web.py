"""Parts of HTML pages: templates, pictures as data URIs, and the look of estimators in SVG."""

import base64
import io
from typing import Any, NamedTuple

import jinja2
from PIL import Image

from logzoo.types import FilePath
from replication.reporting.style import few_colours, look_of
from replication.types import Settings

# Pixels of a PNG for each pixel on the page. Figures up to the width of the page then have equal text sizes.
_FINER = 1.5
# Largest widths of a picture and of a thumbnail in pixels.
LARGE, SMALL = 790, 200
_COLOURS = 128
# Dashes of lines in pixels.
_DASHES = {"-": "", "--": "6 3", "-.": "6 3 1.5 3", ":": "1.5 3"}
# SVG path commands for the path codes of matplotlib, except the code for the end.
_MOVE, _END = 1, 79
_LETTERS = {_MOVE: "M", 2: "L", 3: "Q", 4: "C"}


def rendered(name: str, templates: FilePath, **contents: Any) -> str:
    """The page from a template in the folder `templates`: the same contents give the same bytes.

    The filter `tojson` writes compact JSON, and raises ValueError for NaN and infinity.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    return environment.get_template(name).render(**contents)


class Picture(NamedTuple):
    """A picture as a data URI, with its width and height in pixels."""

    uri: str
    width: int
    height: int


def embedded(png: bytes, *widths: Any) -> Any:
    """A list of `Picture`s of the PNG, one for each largest width in `widths`, in pixels.

    Equal input gives equal output. Raises ValueError for bytes that are not a PNG.
    """
    try:
        image = Image.open(io.BytesIO(png), formats=["PNG"]).convert("RGB")
    except OSError as error:
        raise ValueError(f"expected the bytes of a PNG, found others: {error}") from error
    return [_reduced(image, width) for width in widths]


def _reduced(image, widest):
    width = max(1, min(round(image.width / _FINER), widest))
    # Among the filters that preserve thin lines, this filter adds the fewest new colours.
    image = image.resize((width, max(1, round(image.height * width / image.width))), Image.Resampling.HAMMING)
    target = io.BytesIO()
    few_colours(image, _COLOURS).convert("RGB").save(target, format="WEBP", lossless=True)
    text = base64.b64encode(target.getvalue()).decode("ascii")
    return Picture(f"data:image/webp;base64,{text}", *image.size)


def look_on_page(name: str, position: int) -> Settings:
    """The look of an estimator: colours on light and dark pages, dashes, and the marker as an SVG path (`marker_path`).

    `filled` is false for markers that consist of lines; `hollow` and `edged` come from `style.look_of`.
    """
    look = look_of(name, position)
    path, filled = marker_path(look["marker"])
    return {
        "light": look["color"],
        # Dark pages use the colour halfway to white.
        "dark": "#" + "".join(f"{(int(look['color'][start : start + 2], 16) + 255) // 2:02x}" for start in (1, 3, 5)),
        "dashes": _DASHES[look["linestyle"]],
        "path": path,
        "filled": filled,
        "hollow": "markerfacecolor" in look,
        "edged": "markeredgecolor" in look,
    }


def marker_path(marker: str) -> tuple[str, bool]:
    """A marker of matplotlib as an SVG path, 0.8 to 1.5 units wide about the origin, and whether it is filled."""
    from matplotlib.markers import MarkerStyle  # takes long to import

    style, parts = MarkerStyle(marker), []
    for points, code in style.get_path().transformed(style.get_transform()).iter_segments(simplify=False):
        if code == _END:
            parts.append("Z")
            continue
        # The y axis of SVG points down.
        flipped = [(1.0 - 2.0 * (axis % 2)) * value for axis, value in enumerate(points)]
        parts.append(
            _LETTERS[int(code)] + " ".join(f"{value + 0.0:.3g}" if abs(value) > 1e-6 else "0" for value in flipped)
        )
    return "".join(parts), bool(style.is_filled())
