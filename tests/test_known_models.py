"""Models of known log Z in the zoo: their place, their truth, their cost, and mistakes in their entries."""

import numpy as np
import pytest
from projects import ROOT, catalogue_of, merged_configuration

from logzoo.estimators.estimator_registry import ESTIMATORS
from logzoo.models.known.families import known
from replication.configuration import checked
from replication.costs import jobs_behind, seconds_of
from replication.models import known_settings, models_from, truth_from
from replication.papers.experiment import SWEEP, shape_of
from replication.papers.zoo.families import matrix_places


def test_known_models_have_their_place_their_truth_and_their_cost():
    catalogue = catalogue_of()
    config, places = catalogue.config, matrix_places(catalogue.config)
    for model in ("twins", "wide-narrow", "hopfield", "ising-torus", "planar-glass"):
        assert places[model] == {"family": model, "dataset": model, "trainer": "known"}
        assert truth_from(config, model) == "known"
        jobs = jobs_behind(catalogue, [f"data/quick/truths/{model}.nc"])
        assert set(jobs) == {f"data/{kind}/{model}.nc" for kind in ("quick/truths", "quick/models", "datasets")}
        assert {seconds_of(job.work) for job in jobs.values()} == {seconds_of({})}
        estimate = jobs_behind(catalogue, [f"data/quick/estimates/{model}/ais.nc"])
        weights = np.prod(shape_of(config, model))
        # One job makes all estimates of a model; several estimators share some of its runs.
        alone = 330 * 3 * 30 * (weights + SWEEP)
        assert alone < estimate[f"data/quick/estimates/{model}/ais.nc"].work["sampling"] < len(ESTIMATORS) * alone
    assert truth_from(config, "mnist-cd25-500") == "long runs" and truth_from(config, "mnist-10") == "enumeration"


def test_configured_sizes_are_those_of_the_models():
    for file in (None, "config/decisive.yaml", "config/paper.yaml"):
        config = catalogue_of(*[file] if file else []).config
        for model in models_from(config, "known"):
            settings = known_settings(config, model)
            rbm = known(settings["family"], settings["seed"], **settings["options"]).rbm
            assert (rbm.visible, rbm.hidden) == shape_of(config, model)


@pytest.mark.parametrize(
    ("section", "change", "complaint"),
    [
        ("models", {"train": {"method": "cd"}}, r"models\.twins: unknown key 'train'"),
        ("models", {"dataset": "dna"}, r"models\.twins\.dataset: unknown name 'dna'; .*hopfield"),
        ("models", {"known": {}}, r"models\.twins\.known: expected the key 'hidden'"),
        ("datasets", {"family": "twin"}, r"datasets\.twins\.options\.family: unknown name 'twin'; .*hopfield"),
        ("datasets", {"seed": -1}, r"datasets\.twins\.options\.seed: expected .* found -1"),
    ],
)
def test_a_known_model_that_makes_no_sense_is_one_line(section, change, complaint):
    config = merged_configuration()
    entry = config[section]["twins"]
    config[section]["twins"] = entry | (change if section == "models" else {"options": entry["options"] | change})
    with pytest.raises(ValueError, match=f"^configuration: {complaint}") as caught:
        checked(config, ROOT / "config")
    assert "\n" not in str(caught.value)
