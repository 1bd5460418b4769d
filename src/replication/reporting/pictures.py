"""Pictures small enough to stand in a page: few pixels, few colours, as data URIs."""

import base64
import io
from typing import NamedTuple

from PIL import Image

from replication.reporting.style import few_colours

# Pixels of a figure for one of the page: as they are drawn for print, and letters of all figures stay of one size.
_FINER = 1.5
# Pixels from side to side, at most.
LARGE, SMALL = 790, 200
_COLOURS = 64


class Picture(NamedTuple):
    """A picture as a data URI, with its width and height in pixels."""

    uri: str
    width: int
    height: int


def embedded(png, *widths):
    """A `Picture` of each width of the bytes of a PNG.

    Equal bytes give equal bytes. Raises ValueError for what is no picture.
    """
    try:
        image = Image.open(io.BytesIO(png), formats=["PNG"]).convert("RGB")
    except OSError as error:
        raise ValueError(f"expected the bytes of a PNG: {error}") from error
    return [_reduced(image, width) for width in widths]


def _reduced(image, widest):
    width = max(1, min(round(image.width / _FINER), widest))
    # Of the filters that keep thin lines the one that mixes the fewest new colours.
    image = image.resize((width, max(1, round(image.height * width / image.width))), Image.Resampling.HAMMING)
    target = io.BytesIO()
    few_colours(image, _COLOURS).convert("RGB").save(target, format="WEBP", lossless=True)
    text = base64.b64encode(target.getvalue()).decode("ascii")
    return Picture(f"data:image/webp;base64,{text}", *image.size)
