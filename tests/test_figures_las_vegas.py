"""Figures and tables of tours: every line is a tail or an error of the measured data, every picture is right."""

import numpy as np
import pytest
import xarray as xr
from twins import normal_rbm

from logzoo.streams import root_stream
from replication.papers.las_vegas import lv_f2c as f2c
from replication.papers.las_vegas import lv_f4 as f4
from replication.papers.las_vegas import lv_images, lv_tails, lv_trainings
from replication.papers.las_vegas.lv_estimates import tour_estimates
from replication.papers.las_vegas.lv_images import tours_of
from replication.papers.las_vegas.lv_tours import Images, broken_chains, tour_lengths

f1, f3, f2a, f2b = *lv_images.FIGURES.values(), *lv_tails.FIGURES.values()
NOTICE = {"stand_in_for": "mnist-grey", "stand_in_reason": "none"}
NAMES = {"ais": "AIS", "bar": "BAR"}


def random_rbm(hidden):
    return normal_rbm([0, hidden], 9, hidden)


@pytest.fixture(scope="module")
def images():
    generator = np.random.default_rng(0)
    return Images(generator.random((60, 9)).astype(np.float32), np.arange(60) % 10)


@pytest.fixture(scope="module")
def tours(images):
    settings = {"rounds": [1, 3], "batches": 6, "batch": 50, "cap": 30, "shown": 4}
    return {
        f"lv-{hidden}": tour_lengths(
            random_rbm(hidden), images, visible=visible, stream=root_stream(hidden), **settings
        )
        for hidden, visible in ((4, ["draws", "means"]), (20, ["draws"]))
    }


@pytest.fixture(scope="module")
def estimates(images):
    others = {"ais": ("ais", {"ladder": "linear"}), "bar": ("bar", {"rungs": 3})}
    settings = {"tours": 200, "cap": 1000, "sweeps": 10**6, "points": 6, "stream": root_stream(1)}
    settings |= {"replicates": 4, "chains": 10, "shares": [0.5, 1.0]}
    return tour_estimates(random_rbm(5), images.data, np.zeros(9), others, **settings)


def lines(axis):
    return {line.get_label(): line for line in axis.get_lines()}


def assert_tail(line, lengths):
    values = np.unique(lengths)
    np.testing.assert_array_equal(line.get_xdata(), [1.0, *values])
    np.testing.assert_allclose(line.get_ydata(), [1.0, *(np.mean(lengths > value) or np.nan for value in values)])


def test_tails_of_all_models_with_drawn_and_mean_visible_units(tours):
    titles = {"lv-4": "four", "lv-20": "seven"}
    figure = f2a.draw({"tours": {model: {model: one} for model, one in tours.items()}}, titles=titles)
    (axis,) = figure.axes
    drawn = lines(axis)
    for model, title in titles.items():
        assert_tail(drawn[title], tours[model]["length"].sel(visible="draws").isel(rounds=0).values.ravel())
    (dashed,) = [line for line in axis.get_lines() if line.get_linestyle() == "--" and len(line.get_xdata())]
    assert dashed.get_color() == drawn["four"].get_color()
    assert_tail(dashed, tours["lv-4"]["length"].sel(visible="means").isel(rounds=0).values.ravel())
    assert axis.get_xscale() == axis.get_yscale() == "log"
    assert any(list(line.get_xdata()) == [30, 30] for line in axis.get_lines())


def test_lengths_by_digit_are_those_of_the_first_training_and_means_of_all(tours):
    one = tours["lv-4"]
    longer = one.assign(length=2 * one["length"])
    left, right = f2c.draw({"tours": {"a": one, "b": longer}}, title="some model").axes
    lengths, labels = one["length"].sel(visible="means").isel(rounds=0).values.ravel(), one["label"].values.ravel()
    for digit in (1, 4, 6, 8):
        words = f"{digit}, published as {'short' if digit in (1, 6) else 'long'}"
        assert_tail(lines(left)[words], lengths[labels == digit])
    means = {line.get_xdata()[0]: line.get_ydata() for line in right.get_lines()}
    for digit in range(10):
        mean = np.exp(np.log(lengths[labels == digit]).mean())
        np.testing.assert_allclose(means[digit], [mean, 2.0 * mean])
    assert right.get_title("right") == "some model" and "sweeps" in right.get_ylabel()


def test_images_of_short_and_long_tours_are_shown_with_first_draws(tours):
    one = tours["lv-4"]
    axes = np.array(f3.draw({"tours": {"a": one}}).axes).reshape(4, -1)
    rows = [one[name].sel(kind=kind).values[0] for kind in ("short", "long") for name in ("image", "first_draw")]
    for axis, expected in zip(axes[:, 0], rows, strict=True):
        np.testing.assert_allclose(axis.get_images()[0].get_array().ravel(), expected)


def test_sweeps_belong_to_tours_that_return_or_not():
    assert tours_of(np.array([0, 1, 1, 0, 0])) == [(0, True), (0, True), (1, True), (2, False), (2, False)]
    assert tours_of(np.array([0, 1])) == [(0, True), (0, True)]
    assert tours_of(np.array([0, 0])) == [(0, False), (0, False)]


def test_errors_of_log_z_by_tours_and_costs(estimates):
    exact = 7.0
    truth = xr.Dataset({"log_z": exact, "std_error": 0.0})
    artifacts = {"estimates": {"a": {"a": estimates}}, "truths": {"a": {"a": truth}}}
    above, below = f4.draw(artifacts, titles={"a": "some model"}, names=NAMES).axes
    np.testing.assert_allclose(lines(above)["one run"].get_ydata(), estimates["log_z"][0] - exact)
    np.testing.assert_array_equal(lines(above)["one run"].get_xdata(), estimates["tours"])
    assert f"{exact:.2f}" in above.get_title("right") and "some model" in above.get_title("right")
    drawn = {"log Z by tours, 95% interval": (estimates["log_z"], estimates["chain_sweeps"])}
    for name, title in NAMES.items():
        other = estimates.sel(estimator=name)
        drawn[title] = other["other_log_z"], other["other_chain_sweeps"]
    for title, (log_z, sweeps) in drawn.items():
        rmse = np.sqrt(((log_z - exact) ** 2).mean("replicate"))
        np.testing.assert_allclose(lines(below)[title].get_ydata(), rmse)
        np.testing.assert_allclose(lines(below)[title].get_xdata(), sweeps.mean("replicate"))


def test_stand_in_data_are_marked(tours, estimates, images):
    chains = broken_chains(random_rbm(3), images, digits=[7], sweeps=3, candidates=6, stream=root_stream(2))
    one = tours["lv-4"].assign_attrs(NOTICE)
    truth = xr.Dataset({"log_z": 7.0, "std_error": 0.0})
    by_tours = {"estimates": {"a": {"a": estimates.assign_attrs(NOTICE)}}, "truths": {"a": {"a": truth}}}
    for figure in (
        f1.draw({"chains": chains.assign_attrs(NOTICE)}),
        f2a.draw({"tours": {"a": {"a": one}}}, titles={"a": "title"}),
        f2b.draw({"tours": {"a": one}}, title="title"),
        f2c.draw({"tours": {"a": one}}, title="title"),
        f3.draw({"tours": {"a": one}}),
        f4.draw(by_tours, titles={"a": "title"}, names=NAMES),
    ):
        assert "STAND-IN" in figure.get_suptitle()
    assert not f3.draw({"tours": {"a": tours["lv-4"]}}).get_suptitle()


def training_of(rates, levels, **attributes):
    """Likelihoods over three runs, at each rate; of test data as given, of training data one nat less."""
    likelihood = ("rate", "run", "split"), np.array(levels)[:, :, None] + np.array([-1.0, -0.5, 0.0])
    coordinates = {"rate": rates, "split": ["train", "validation", "test"]}
    return xr.Dataset({"log_likelihood": likelihood}, coordinates, attributes)


def test_trainers_stand_beside_what_was_published():
    artifacts = {
        "cd-1": training_of([0.001, 0.1], [[-150, -151, -152], [-170, -170, -170]]),
        "lvs-1": training_of([0.001, 0.1], [[-140, -140, -140], [-130, -132, -131]], **NOTICE),
    }
    trainers = {
        "cd-1": {"title": "CD-1", "hidden": 12, "published": {"hidden": 25, "rate": 0.01, "test": -169.0}},
        "lvs-1": {"title": "LVS-1", "hidden": 12, "published": {"hidden": 25, "rate": 0.1, "test": -137.5}},
    }
    table = lv_trainings.rows({"trainings": artifacts}, title="Table: grey levels", trainers=trainers)
    assert list(table["row"].values) == ["CD-1", "LVS-1 (STAND-IN)"]
    np.testing.assert_allclose(table["rate"], [0.001, 0.1])
    np.testing.assert_allclose(table["test"], [-151.0, -131.0])
    np.testing.assert_allclose(table["train"], [-152.0, -132.0])
    np.testing.assert_allclose(table["test_error"], [1 / np.sqrt(3)] * 2)
    np.testing.assert_allclose(table["published_test"], [-169.0, -137.5])
    # Differences of 20, 19 and 21 nats: t = 20 sqrt(3) with two degrees of freedom.
    np.testing.assert_allclose(table["lead"], [20.0, np.nan])
    t = 20 * np.sqrt(3)
    np.testing.assert_allclose(table["p"], [1 - t / np.sqrt(2 + t * t), np.nan], rtol=1e-9)
    assert "published_train" not in table
