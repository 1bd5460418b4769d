"""Every figure and table is declared once, by one protocol; an error in an entry gives one line."""

import importlib
import inspect
import subprocess
import sys

import pytest
from imports import direct_imports
from projects import ROOT, catalogue_of, merged_configuration

from replication.artifacts import PACKAGES
from replication.catalogue import Catalogue
from replication.claim import Claim
from replication.configuration import checked
from replication.layout import kind_of
from replication.papers.declaration import Declaration, Here, by_id, claim_entries
from replication.papers.experiment import SWEEP, TIMINGS, named_paths, nested, shape_of, training_work
from replication.reporting.statistics import Statistic
from replication.reporting.style import LOOKS, look_of
from replication.reporting.verdicts import verdicts

# Figures and tables of the four papers; figures with separately drawn panels are listed by panel.
PUBLISHED = [
    *(f"rts-f{number}" for number in range(1, 9)),
    *("trk-f1", "trk-f2", "trk-f3", "trk-f4a", "trk-f4b", "trk-text", "trk-t1"),
    *(f"ins-f{number}" for number in range(1, 7)),
    *("lv-t1", "lv-t2", "lv-f1", "lv-f2a", "lv-f2b", "lv-f2c", "lv-f3", "lv-f4"),
]


def test_every_figure_and_table_of_the_papers_is_declared():
    shown = catalogue_of().shown
    assert set(PUBLISHED) <= set(shown)
    assert {name for name, declared in shown.items() if declared.claims} >= set(PUBLISHED)


@pytest.mark.parametrize("name", sorted(catalogue_of().shown))
def test_a_declaration_keeps_the_protocol(name):
    shown = catalogue_of().shown[name]
    figure = shown.declaration
    assert shown.caption and shown.module.__doc__
    assert bool(figure.rows) != bool(figure.draw)
    inspect.signature(figure.rows or figure.draw).bind({}, **shown.settings)
    assert any(not claim.not_tested for claim in shown.claims.values()) == bool(figure.statistics)
    for claim in shown.claims.values():
        assert claim.text and claim.published
        assert not (claim.not_tested and claim.bounds)
        assert list(claim.bounds.values()) == sorted(claim.bounds.values())
    paths = named_paths(shown.inputs)
    assert all(path.startswith(("data/quick/", "data/datasets/")) and path.endswith(".nc") for path in paths.values())
    assert named_paths(nested(paths)) == paths


@pytest.mark.parametrize("path", sorted(catalogue_of().experiments))
def test_an_experiment_takes_the_settings_that_it_is_declared_with(path):
    experiment = catalogue_of().experiments[path]
    module, _, function = experiment.run.partition(":")
    run = getattr(importlib.import_module(module), function)
    given = {**experiment.settings, **({"stream": None} if experiment.stream else {})}
    given |= {"checkpoint": None} if experiment.checkpoints else {}
    inspect.signature(run).bind({}, **given)
    assert all(visits > 0 for visits in experiment.work.values())
    assert kind_of(path)


def test_a_plan_imports_nothing_that_takes_long():
    modules = [shown.module.__name__ for shown in catalogue_of().shown.values()]
    modules += [f"replication.{part}" for part in ("configuration", "costs", "models", "project", "tasks")]
    code = f"import sys, importlib\nfor name in {modules}: importlib.import_module(name)\n"
    code += "from replication.models import by_run\nfrom replication.project import catalogue_of\n"
    code += f"config = catalogue_of(folder={str(ROOT)!r}).config\nby_run(config, config['matrix']['estimators'])\n"
    code += "print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {name.split(".")[0] for name in loaded} & {"matplotlib", "numba", "pandas", "scipy", "xarray"}


def test_a_missing_setting_is_named():
    config = merged_configuration()
    del config["figures"]["rts-f1"]["rungs"]
    with pytest.raises(ValueError, match="figures.rts-f1: expected the setting 'rungs'"):
        Catalogue(checked(config, ROOT / "config"))


def test_an_error_in_a_declaration_names_the_figure(monkeypatch):
    def inputs(here):
        return int("ten")

    monkeypatch.setattr(catalogue_of().shown["rts-f1"].module, "inputs", inputs)
    with pytest.raises(ValueError, match="^configuration: figures.rts-f1: cannot be read: .*'ten'$"):
        Catalogue(checked(merged_configuration(), ROOT / "config"))


def test_ais_of_a_grid_is_its_own_and_that_of_a_data_set_before_it():
    by_data_set = {"adult": {"ais": {"chains": 9}}, "dna": {"ais": {"sweeps": 8}}}
    changed = catalogue_of({"grids": {"trk-t1": {"ais": {"sweeps": 77, "chains": 7}, "datasets": by_data_set}}})
    for name, *sizes in (("adult", 77, 9), ("dna", 8, 7), ("web-own-split", 77, 7)):
        settings = changed.experiments[f"data/quick/best/trk-t1.{name}.nc"].settings
        assert [settings["sweeps"], settings["chains"]] == sizes


def test_the_size_of_best_models_is_that_of_the_smallest_ais_that_judges_one():
    changed = catalogue_of({"grids": {"trk-text": {"datasets": {"caltech": {"ais": {"chains": 7}}}}}})
    assert "chains of AIS 7 of 100" in changed.shown["trk-text"].claim_entries["trk-text-mnist"]["size"]


def test_expected_work_follows_the_model_and_the_number_of_timings():
    catalogue = catalogue_of()
    config, jobs = catalogue.config, catalogue.experiments
    inspection = config["figures"]["lv-f1"]["inspection"]
    visible, hidden = shape_of(config, "lv-32")
    sweeps = inspection["inspected"] * inspection["sweeps"]
    assert jobs["data/quick/figures/lv-f1.lv-32.nc"].work == {"sampling": sweeps * (visible * hidden + SWEEP)}
    timed = jobs["data/quick/timings/ins-equal-mnist.nc"]
    updates = 4 * TIMINGS * timed.settings["steps"]
    works = [training_work({**train, "updates": updates}, 794) for train in timed.settings["trainings"].values()]
    assert timed.work["training"] == sum(work["training"] for work in works)


def test_an_estimator_without_a_look_shares_no_marker():
    assert look_of("sampling", 0)["marker"] not in {marker for _, marker, _ in LOOKS.values()}


def test_a_data_set_or_trainer_that_is_null_is_left_out():
    left_out = {"grids": {"trk-t1": {"datasets": {"dna": None}}}, "zoo": {"trainers": {"cd": None}}}
    models = catalogue_of(left_out).config["models"]
    assert "trk-t1-dna-0" not in models and "trk-t1-adult-0" in models
    assert "mnist-20-cd" not in models and "mnist-20-pcd" in models


def test_an_experiment_that_runs_methods_by_name_says_which():
    """The methods' code shapes the experiment's result, but the digest of the experiment's module leaves it out."""
    # These experiments take no method by name, though their modules import a list of methods.
    none = {
        "replication.papers.tracking.trk_runs:checks": "exact",
        "replication.papers.infinite_swapping.ins_runs:gradients": "",
        "replication.papers.timing:rungs": "",
        "replication.papers.zoo.zoo_experiments:combined_estimates": "",
    }
    for experiment in catalogue_of().experiments.values():
        imported = direct_imports(experiment.run.partition(":")[0], packages=PACKAGES)
        if {"logzoo.estimators.estimator_registry", "logzoo.training.trainers"} & imported and not experiment.methods:
            assert experiment.run in none and none[experiment.run] in experiment.path


def test_a_claim_with_an_empty_key_is_judged_under_the_name_of_its_figure():
    small = Claim("It is small", published="small", at_most=1.0)
    declared = Declaration("", dict, claims={"": small, "level": small})
    entries = claim_entries(Here("rts-f2", catalogue_of().config), declared)
    values = {"": Statistic(0.5, 0.4, 0.6), "level": Statistic(1.5, 1.4, 1.6)}
    judged = verdicts(entries, by_id("rts-f2", values))["verdict"]
    assert dict(zip(judged["id"].values, judged.values, strict=True)) == {
        "rts-f2": "reproduced",
        "rts-f2-level": "not reproduced",
    }
    with pytest.raises(ValueError, match="unknown claim 'rts-f2-levell'; did you mean 'rts-f2-level'"):
        verdicts(entries, by_id("rts-f2", {"levell": values[""]}))
