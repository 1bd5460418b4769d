"""Pictures in few colours: a third of the bytes, for differences that no eye sees."""

import numpy as np

# Below one: shades lie closer among pale colours, such as those of bands, than among dark ones.
_PALE = 0.65
# Shades of a channel to choose from, the most that fit into a palette.
_SHADES = (32, 26, 22, 18, 16, 14, 12, 11, 10, 9, 8)
_PALETTE = 256


def shades(number):
    """The one of so many shades for each of the 256 values of a colour."""
    steps = number - 1
    nearest = [round((1 - value / 255) ** _PALE * steps) for value in range(256)]
    return [round(255 * (1 - (one / steps) ** (1 / _PALE))) for one in nearest]


def with_palette(image):
    """An RGB image as one with a palette of up to 256 colours: each channel in as many shades as fit into it.

    Not the palette that suits most pixels: that would give up rare colours, such as those of a band, or of a line
    beside a large map. An image of more colours in the fewest shades stays one in RGB, in these.
    """
    from PIL import Image

    pixels = np.asarray(image)
    packed = _packed(pixels)
    # Marked in a table of all colours: to sort the pixels, or to count each colour, takes longer.
    seen = np.zeros(1 << 24, bool)
    seen[packed] = True
    present = np.flatnonzero(seen)
    for number in _SHADES:
        table = np.array(shades(number), np.uint8)
        colours, places = np.unique(_packed(table[_unpacked(present)]), return_inverse=True)
        if len(colours) <= _PALETTE:
            break
    else:
        return Image.fromarray(table[pixels])
    place = np.zeros(1 << 24, np.uint8)
    place[present] = places
    few = Image.fromarray(place[packed])
    few.putpalette(_unpacked(colours).tobytes())
    return few


def _packed(colours):
    """Red, green and blue of the last axis as one number."""
    number = np.zeros(colours.shape[:-1], np.int32)
    for channel in range(3):
        number <<= 8
        number |= colours[..., channel]
    return number


def _unpacked(numbers):
    """Red, green and blue of `_packed` numbers, on a last axis."""
    return np.stack([numbers >> 16, numbers >> 8 & 255, numbers & 255], axis=-1).astype(np.uint8)
