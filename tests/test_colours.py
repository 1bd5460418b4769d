"""Pictures in few colours: how far off they are, rare colours, pictures with too many, and what does not change."""

import io

import numpy as np
import pytest
from PIL import Image

from logzoo.reporting.colours import shades, with_palette
from logzoo.reporting.style import PLAIN_ROWS, new_figure, picture_bytes


def rgb(pixels):
    return Image.fromarray(np.asarray(pixels, np.uint8))


def farthest(few, image):
    return int(np.abs(np.asarray(few.convert("RGB")).astype(int) - np.asarray(image)).max())


@pytest.mark.parametrize("number", [2, 8, 32])
def test_shades_are_so_many_from_black_to_white_and_nearly_the_values(number):
    table = np.array(shades(number))
    assert len(set(table)) == number and table[0] == 0 and table[255] == 255 and (np.diff(table) >= 0).all()
    assert np.abs(table - np.arange(256)).max() <= 255 / (number - 1)


def test_a_picture_is_nearly_what_it_was_with_every_colour_in_it():
    axes = (figure := new_figure(4.0, 3.0)).subplots()
    axes.plot([0, 1], [0, 1], color="#D55E00")
    axes.fill_between([0, 1], [0, 0], [1, 2], color="#0072B2", alpha=0.2)
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png")
    image = Image.open(drawn).convert("RGB")
    # One pixel of a colour that nothing else has.
    image.putpixel((3, 3), (0, 158, 115))
    few = with_palette(image)
    assert few.mode == "P" and len(few.getcolors()) <= 256
    assert 0 < farthest(few, image) <= 20
    assert max(np.abs(np.subtract(few.convert("RGB").getpixel((3, 3)), (0, 158, 115)))) <= 20
    assert few.convert("RGB").getpixel((0, 0)) == (255, 255, 255)


def test_few_colours_have_the_most_shades_and_too_many_stay_rgb():
    grey = rgb(np.repeat(np.arange(256).reshape(16, 16, 1), 3, axis=2))
    assert len(with_palette(grey).getcolors()) == 32
    noise = rgb(np.random.default_rng(0).integers(256, size=(200, 200, 3)))
    assert with_palette(noise).mode == "RGB" and farthest(with_palette(noise), noise) <= 255 / 7


def test_a_saved_figure_has_its_size_and_its_texts():
    figure = new_figure(4.0, 3.0)
    figure.subplots().plot([0, 1])
    png, _ = picture_bytes(figure)
    image = Image.open(io.BytesIO(png))
    assert image.mode == "P" and image.size == (600, 450) and image.info[PLAIN_ROWS] == "450"
    assert image.info["dpi"] == pytest.approx((150, 150), abs=0.1)


def test_a_figure_wider_than_any_screen_has_fewer_dots():
    figure = new_figure(20.0, 3.0)
    figure.subplots().plot([0, 1])
    image = Image.open(io.BytesIO(picture_bytes(figure)[0]))
    assert image.size == (2400, 360) and image.info[PLAIN_ROWS] == "360"
    assert image.info["dpi"] == pytest.approx((120, 120), abs=0.1)
