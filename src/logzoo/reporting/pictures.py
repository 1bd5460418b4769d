"""Pictures small enough to stand in a page: fewer pixels, fewer colours, as data URIs."""

import base64
import io
from typing import NamedTuple

from PIL import Image

_WIDTH = 1200  # pixels at most


class Picture(NamedTuple):
    """A PNG as a data URI, with its width and height in pixels."""

    uri: str
    width: int
    height: int


def embedded(png):
    """A `Picture` of the bytes of a PNG, of few pixels and 256 colours.

    Equal bytes give equal bytes. Raises ValueError for what is no picture.
    """
    try:
        image = Image.open(io.BytesIO(png)).convert("RGB")
    except OSError as error:
        raise ValueError(f"expected the bytes of a PNG: {error}") from error
    if image.width > _WIDTH:
        size = (_WIDTH, max(1, round(image.height * _WIDTH / image.width)))
        image = image.resize(size, Image.Resampling.LANCZOS)
    # Of the ways to choose colours the one that keeps rare ones, such as a line beside a large coloured map.
    reduced = image.quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    target = io.BytesIO()
    reduced.save(target, format="PNG")
    text = base64.b64encode(target.getvalue()).decode("ascii")
    return Picture(f"data:image/png;base64,{text}", *reduced.size)
