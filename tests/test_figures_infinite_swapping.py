"""Figures of Hult et al. (2019): what they show."""

import numpy as np
import pytest
import xarray as xr

from replication.papers.infinite_swapping.ins_f1 import draw
from replication.reporting.style import save


def examples(pixels, label_units=0, **attributes):
    data = (np.random.default_rng(0).random((2, pixels + label_units)) < 0.5).astype(np.uint8)
    data[0, :pixels] = 1  # an image that has but one value
    attributes |= {"label_units": label_units} if label_units else {}
    return xr.Dataset({"data": (("example", "visible"), data), "label": ("example", [5, 0])}, attrs=attributes)


def figure_1(dataset):
    return draw({"dataset": dataset}, examples=[0, 1])


@pytest.mark.parametrize("label_units", [0, 10])
def test_figure_1_shows_the_pixels_and_not_the_label(label_units):
    shown = examples(16, label_units)
    figure = figure_1(shown)
    assert len(figure.axes) == 2 and figure.get_suptitle() == ""
    for axis, row, title in zip(figure.axes, shown["data"].values, ["label 5", "label 0"], strict=True):
        (image,) = axis.get_images()
        np.testing.assert_array_equal(image.get_array(), row[:16].reshape(4, 4))
        # Ones are black, zeros white, whatever the image holds.
        np.testing.assert_array_equal(image.cmap(image.norm([0.0, 1.0]))[:, :3], [[1.0] * 3, [0.0] * 3])
        assert axis.get_title(loc="right") == title


def test_figure_1_says_whole_that_the_digits_stand_in():
    figure = figure_1(examples(16, stand_in_for="mnist-labelled"))
    assert "mnist-labelled" in figure.get_suptitle()
    figure.draw_without_rendering()
    (notice,) = figure.texts
    extent = notice.get_window_extent()
    assert extent.x0 >= 0 and extent.x1 <= figure.bbox.x1


def test_figure_1_is_saved_with_the_same_bytes_each_time(tmp_path):
    for number in (1, 2):
        save(figure_1(examples(16, 10)), tmp_path / f"{number}.png", tmp_path / f"{number}.pdf")
    for kind in ("png", "pdf"):
        assert (tmp_path / f"1.{kind}").read_bytes() == (tmp_path / f"2.{kind}").read_bytes()


def test_figure_1_shows_the_examples_that_are_asked_for():
    figure = draw({"dataset": examples(16)}, examples=[1])
    assert [axis.get_title(loc="right") for axis in figure.axes] == ["label 0"]


def test_figure_1_refuses_what_it_cannot_show():
    with pytest.raises(ValueError, match="^figure 1: expected square images, found 15 pixels$"):
        figure_1(examples(15))
