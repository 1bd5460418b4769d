"""Pictures small enough to stand in a page: the figure alone, few pixels, as data URIs."""

import base64
import io
from typing import NamedTuple

from PIL import Image

from logzoo.reporting.colours import shades
from logzoo.reporting.style import PLAIN_ROWS

# Pixels of a figure for one of the page: as they are drawn for print, and letters of all figures stay of one size.
_FINER = 1.5


class Size(NamedTuple):
    """Pixels from side to side at most, and shades of red, of green and of blue."""

    width: int
    shades: int


LARGE, SMALL = Size(790, 13), Size(200, 10)


class Picture(NamedTuple):
    """A picture as a data URI, with its width and height in pixels."""

    uri: str
    width: int
    height: int


def embedded(png, *sizes):
    """A `Picture` of each size of the bytes of a PNG, without the verdicts that hang below a figure.

    Equal bytes give equal bytes. Raises ValueError for what is no picture.
    """
    try:
        image = Image.open(io.BytesIO(png), formats=["PNG"])
        rows = int(image.info.get(PLAIN_ROWS, image.height))
        # Cropped before it has a byte for each colour of a pixel.
        image = image.crop((0, 0, image.width, min(rows, image.height))).convert("RGB")
    except OSError as error:
        raise ValueError(f"expected the bytes of a PNG: {error}") from error
    return [_reduced(image, size) for size in sizes]


def _reduced(image, size):
    width = max(1, min(round(image.width / _FINER), size.width))
    # Of the filters that keep thin lines the one that mixes the fewest new colours.
    image = image.resize((width, max(1, round(image.height * width / image.width))), Image.Resampling.HAMMING)
    # Not a palette: that would give up rare colours, such as those of a band, or of a line beside a large map.
    image = image.point(shades(size.shades) * len(image.mode))
    target = io.BytesIO()
    image.save(target, format="WEBP", lossless=True)
    text = base64.b64encode(target.getvalue()).decode("ascii")
    return Picture(f"data:image/webp;base64,{text}", *image.size)
