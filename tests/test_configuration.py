"""A mistake in a configuration ends in one line that names the key, before anything runs."""

import re

import numpy as np
import pytest
from projects import CONFIGURATION, ROOT, copy_project, snakemake

from logzoo.estimators.estimator_registry import ESTIMATORS
from logzoo.models.exact_sums import LARGEST_LAYER
from logzoo.training.trainers import TRAINERS
from replication.models import by_run, estimate_settings, truth_from
from replication.papers.declaration import Here
from replication.papers.experiment import option_defaults
from replication.project import catalogue_of

CIRCLE, ENDLESS = {"mnist-10": {"start": "mnist-100"}, "mnist-100": {"start": "mnist-10"}}, {"learning_rate": np.inf}
WRONG = [
    ({"chians": 3}, "top level: unknown key 'chians'; expected one of .*seed"),
    ({"seed": 2016.0}, "seed: expected a valid integer, found 2016.0"),
    ({"models": {"mnist-10": {"train": ENDLESS}}}, "models.mnist-10.train.learning_rate: expected .*, found inf"),
    ({"grids": {"trk-t1": {"scales": {"quick": {"datasets": None}}}}}, "grids.trk-t1: expected the key 'datasets'"),
    ({"missing_data": "go"}, "missing_data: expected 'stand-in' or 'stop', found 'go'"),
    ({"datasets": {"dna": {"reader": "svm"}}}, "datasets.dna: input tag 'svm' .* expected tags: 'idx', "),
    ({"grids": {"trk-t1": {"train": {"hidden": [0]}}}}, "grids.trk-t1.train.hidden.0: expected .* 1, found 0"),
    ({"grids": {"trk-t1": {"train": {"hidden": []}}}}, "grids.trk-t1.train.hidden: list should have at least 1 item"),
    ({"matrix": {"estimators": ["rts", "rts"]}}, "matrix.estimators: expected different values"),
    ({"estimators": {"rts": {"budgets": [60]}}}, "estimators.rts.budgets: expected none"),
    ({"matrix": {"added": ["ais-uniform"]}}, "estimators.ais-uniform.budgets: expected none"),
    ({"zoo": {"trainers": {"cd": {"title": "PCD-1"}}}}, "zoo.trainers.*title: expected another title than that of"),
    ({"truth": {"enumerate_up_to": LARGEST_LAYER + 1}}, "truth.enumerate_up_to: .* 36, found 37"),
    ({"scale": "raw"}, "scale: .*, found 'raw'"),
    ({"models": {"mnist-20-cd": {"title": "mine"}}}, "models.mnist-20-cd: "),
    ({"figures": {"rts-f5": {"others": ["rts-f55"]}}}, "figures.rts-f5: .*'rts-f55'"),
    ({"figures": {"zoo-sandwich": {"lower": ["pcd"]}}}, "figures.zoo-sandwich: lower: unknown value 'pcd'"),
    ({"datasets": {"dna": {"source": "nobody"}}}, "datasets.dna.source: unknown name 'nobody'; expected one of .*dna"),
    ({"datasets": {"digits": None}}, "datasets: unknown name 'digits'; .*digits-labelled"),
    ({"sources": {"digits": None}}, "sources: unknown name 'digits'; "),
    ({"datasets": {"adult": {"values": "grey"}}}, "datasets.adult.values: unknown name 'grey'; expected one of binary"),
    ({"datasets": {"mnist-grey": {"options": {"threshold": 9}}}}, "datasets.mnist-grey.values: unknown name 'grey'"),
    ({"datasets": {"adult": {"options": {"files": {"test": "adult.txt"}}}}}, "datasets.adult.options: .*'adult.txt'"),
    ({"datasets": {"mnist-grey": {"options": {"train": {"labels": "x.gz"}}}}}, ".*grey.options: .*'x.gz'; .*ubyte"),
    ({"datasets": {"caltech": {"options": {"file": "x.mat"}}}}, "datasets.caltech.options: unknown name 'x.mat'; .*"),
    ({"datasets": {"web-own-split": {"options": {"own_split": {"file": "w"}}}}}, ".*-split.options: unknown name 'w';"),
    ({"matrix": {"estimators": ["ais"], "left_out": ["magic"]}}, "matrix.left_out: unknown name 'magic'"),
    ({"models": {"mnist-10": {"scales": {"papr": {}}}}}, "models.mnist-10.scales: .*'papr'.* demo, paper, quick$"),
    ({"only_figures": ["zoo-seconds", "rts-f33"]}, "only_figures: unknown name 'rts-f33'; did you mean 'rts-f3'"),
    ({"only_figures": ["zoo-seconds"]}, "only_figures: expected at least one figure with a claim, found none"),
    ({"only_figures": ["rts-f3"]}, "only_figures: expected a list with zoo-seconds"),
    ({"estimators": {"rts": {"options": {"rungz": 9}}}}, "estimators.rts.options: unknown name 'rungz'; .*rungs"),
    ({"models": {"mnist-10": {"train": {"options": {"partcles": 9}}}}}, "models.mnist-10.train.options: .*particles"),
    ({"zoo": {"trainers": {"cd": {"options": {"bogus": 1}}}}}, "zoo.trainers.cd.options: unknown name 'bogus'"),
    ({"zoo": {"trainers": {"sml-pt": {"options": {"tracker": "kalmann"}}}}}, ".*'kalmann'; did you mean 'kalman'?"),
    ({"zoo": {"trainers": {"sml-pt": {"options": {"tracker": "/abs"}}}}}, ".*tracker: expected a number, a word"),
    ({"estimators": {"rts": {"options": {"prior": ["../x"]}}}}, ".*rts.options.prior: expected a number, a word"),
    ({"models": {"dna-cd1": {"train": {"options": {"k": "five"}}}}}, "models.dna-cd1.train.options: .*'k': 'five'"),
    ({"zoo": {"trainers": {"ins": {"options": {"temperatures": 5}}}}}, "models.*.train.options: .*'temperatures': 5"),
    ({"figures": {"lv-f1": {"inspection": {"sweeps": "all"}}}}, "figures.lv-f1: cannot be read: "),
    ({"models": {"trk-f4a-growing": {"train": {"options": {"snapshots": "x"}}}}}, "figures.trk-.*: cannot be read: "),
    ({"models": CIRCLE}, "models.mnist-10.start: expected no cycle, found mnist-10 -> mnist-100 -> mnist-10$"),
    ({"models": {"dna-cd1": {"start": "mnist-10"}}}, "models.dna-cd1.start: expected .* 180 .*, found 784 of mnist-10"),
    ({"models": {"twins": {"train": {"method": "cd"}}}}, "models.twins: unknown key 'train'"),
    ({"comparisons": {"mnist": {"dataset": "dna"}}}, "comparisons.mnist.dataset: unknown name 'dna'; .*mnist-labelled"),
    ({"models": {"twins": {"dataset": "dna"}}}, "models.twins.dataset: unknown name 'dna'; .*hopfield"),
    ({"models": {"twins": {"known": {"hidden": None}}}}, "models.twins.known: expected the key 'hidden'"),
    ({"datasets": {"twins": {"options": {"family": "twin"}}}}, ".*.family: unknown name 'twin'; .*hopfield"),
    ({"datasets": {"twins": {"options": {"seed": -1}}}}, "datasets.twins.options.seed: expected .* found -1"),
    ({"figures": {"rts-f3-seconds": {"figure": "rts-f33"}}}, "figures.rts-f33: .*unknown value 'rts-f33'"),
    ({"models": {"toy-modes-ins": {"budgets": [7]}}}, "models.toy-modes-.*.budgets: .* all .* toy-modes share"),
    ({"figures": {"rts-rungs": {"paper": "rts", "title": "x"}}}, "figures.rts-rungs: no module .*rts_rungs"),
    ({"figures": {"rts-f4": {"ladders": [50, 10]}}}, "figures.rts-f4.ladders: expected rising numbers of rungs, found"),
    ({"figures": {"trk-f3": {"slow": ["trk-f4b"]}}}, "figures.trk-f3.slow: expected models whose names end in"),
    ({"figures": {"ins-f3": {"trainers": ["exact"]}}}, "figures.ins-f3.trainers: expected a list with ins, pcd, pt"),
    ({"figures": {"lv-f2a": {"means": ["mnist-10"]}}}, "figures.lv-f2a.means: expected one or more of `models`"),
    ({"figures": {"lv-f4": {"shares": [0]}}}, "figures.lv-f4.shares.0: expected greater than 0, found 0"),
    ({"figures": {"rts-f1": {"replicas": 3}}}, "figures.rts-f1: unknown key 'replicas'; .*replicates"),
    ({"figures": {"rts-f1": {"model": "mnist-11"}}}, "figures.rts-f1: models: .*'mnist-11'; did you mean 'mnist-10'"),
    ({"figures": {"rts-f7": {"remedies": ["magic"]}}}, "figures.rts-f7: estimators: unknown value 'magic'"),
    # Entries that a figure cannot draw, or from which claims cannot be judged.
    ({"figures": {"rts-f1": {"shown": [1, 9]}}}, "figures.rts-f1.shown: expected .* at most 8, found 9"),
    ({"figures": {"rts-f3": {"estimators": ["ais", "raise"]}}}, "figures.rts-f3.estimators: .* rts, ais, raise, found"),
    ({"figures": {"rts-f4": {"mbar_ladders": [7]}}}, r"figures.rts-f4.mbar_ladders: expected .* found \[7\]"),
    ({"figures": {"rts-f5": {"others": []}}}, r"figures.rts-f5.others: expected .* found \[\]"),
    ({"figures": {"rts-f7": {"estimators": ["rts-uniform", "rts"]}}}, "figures.rts-f7.estimators: .*, ais-uniform, .*"),
    ({"figures": {"ins-f3": {"trainers": ["ins", "pcd", "pt"]}}}, "figures.ins-f3.trainers: .* pt, exact, found"),
    ({"figures": {"ins-settings": {"trainers": ["pt", "ins"]}}}, "figures.ins-settings.trainers: .* ins, pt, pt-5, "),
    ({"trainings": {"lv-t1": {"trainers": {"lvs-3": None}}}}, "figures.lv-t1.trainings: .* lvs-3, lvs-10, found"),
    ({"figures": {"rts-text": {"priors": []}}}, r"figures.rts-text.priors: expected one .* found \[\]"),
    ({"figures": {"trk-f3": {"fast": []}}}, r"figures.trk-f3.fast: expected models .* found \[\]"),
    ({"figures": {"lv-f4": {"estimators": ["ais", "ais-modes"]}}}, "figures.lv-f4.estimators: .* base is `matched`"),
]


@pytest.mark.parametrize(("over", "complaint"), WRONG, ids=[complaint for _, complaint in WRONG])
def test_one_line_names_the_key(over, complaint):
    with pytest.raises(ValueError, match=f"^configuration: {complaint}") as raised:
        catalogue_of(folder=ROOT, over=over)
    assert "\n" not in str(raised.value) and len(str(raised.value)) < 1000


def test_options_are_read_from_the_sources_as_methods_take_them():
    for name, method in {**ESTIMATORS, **TRAINERS}.items():
        assert option_defaults(*method.functions).keys() == method.options, name


def test_only_the_figures_that_are_named_are_made_with_their_papers():
    catalogue = catalogue_of(over={"only_figures": ["zoo-seconds", "rts-f2"]})
    assert set(catalogue.shown) == {"zoo-seconds", "rts-f2"} and list(catalogue.config["papers"]) == ["rts", "zoo"]
    assert catalogue.config["papers"]["zoo"]["answers"] == []


def test_a_paper_of_the_name_of_a_rule_is_one_line(tmp_path):
    (copy_project(tmp_path) / "mine.yaml").write_text("papers: {draw: {place: 9, title: x, source: x}}")
    ended = snakemake(tmp_path, "--dry-run", "--cores", "1", "--configfile", "mine.yaml")
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith("logzoo: error: configuration: papers.draw: ")
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(("words", "scale"), [(("--directory", "demo"), "quick"), (("demo",), "demo")])
def test_a_folder_of_the_name_of_a_target_is_no_target(tmp_path, words, scale):
    folder = copy_project(tmp_path)
    planned = snakemake(folder, "--dry-run", "--cores", "1", *words, "--", f"data/{scale}/models/mnist-10.nc")
    assert planned.returncode == 0, planned.stderr


def test_a_model_is_enumerated_by_its_smaller_layer():
    train = {"method": "cd", "hidden": 100, "updates": 1, "batch": 1, "learning_rate": 0.1}
    wide = {"title": "x", "short": "x", "dataset": "toy-4-4", "train": train}
    config = catalogue_of(folder=ROOT, over={"models": {"wide": wide}}).config
    sources = {name: truth_from(config, name) for name in ("wide", "mnist-100", "mnist-cd25-500")}
    assert sources == {"wide": "enumeration", "mnist-100": "long runs", "mnist-cd25-500": "long runs"}


def test_repeated_trainings_are_models_of_the_same_entry():
    catalogue = catalogue_of(over={"models": {"dna-cd1": {"trainings": 3}}})
    models = catalogue.config["models"]
    assert Here("rts-f5", catalogue.config).trainings("dna-cd1") == ["dna-cd1", "dna-cd1-2", "dna-cd1-3"]
    assert models["dna-cd1-3"]["train"] == models["dna-cd1"]["train"] and "dna-cd1-4" not in models
    assert len({models[name]["title"] for name in ("dna-cd1", "dna-cd1-2", "dna-cd1-3")}) == 3
    with pytest.raises(ValueError, match="models.dna-cd1-2: expected another name"):
        catalogue_of(over={"models": {"dna-cd1": {"trainings": 2}, "dna-cd1-2": models["dna-cd1"]}})


def test_a_model_may_say_how_long_the_runs_for_its_truth_are():
    config = catalogue_of(folder=ROOT, over={"models": {"mnist-100": {"truth_sweeps": 7}}}).config

    def budgets(model, **kind):
        return estimate_settings(config, model, ["rts"], **kind)["rts"]["budgets"]

    assert budgets("mnist-100", long_run=True) == [7] != budgets("mnist-100")
    assert budgets("mnist-200", long_run=True) == [config["truth"]["sweeps"]]


def test_estimators_that_read_the_same_draws_share_a_run():
    options = {"rts": {"rungs": 9}, "mbar": {"rungs": 9, "draws": 50}, "sd": {"rungs": 8}}
    config = catalogue_of(over={"estimators": {name: {"options": some} for name, some in options.items()}}).config
    assert by_run(config, ["rts", "ais", "mbar", "sd"]) == [["rts", "mbar"], ["ais"], ["sd"]]


@pytest.mark.parametrize("content", [b"- a\n", b"a: [\n", None], ids=["list", "broken", "none"])
def test_a_file_that_is_no_yaml_is_one_line(tmp_path, content):
    file = tmp_path / "mine.yaml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ValueError, match=rf"^{re.escape(str(file))}: expected .*YAML") as raised:
        catalogue_of(str(file), folder=ROOT)
    assert "\n" not in str(raised.value)


def test_missing_data_can_stop_the_run_with_one_line(tmp_path):
    folder = copy_project(tmp_path)
    arguments = ("--cores", "1", *CONFIGURATION, "--config", "missing_data=stop", "--", "data/datasets/dna.nc")
    result = snakemake(folder, *arguments)
    assert result.returncode == 1
    errors = [line for line in result.stderr.splitlines() if line.startswith("ERROR")]
    assert len(errors) == 1 and "dna" in errors[0] and "https://www.csie.ntu.edu.tw" in errors[0]
    assert "Traceback" not in result.stderr
    assert not list((folder / "data/raw/dna").glob("*"))


def test_a_stand_in_is_refused_where_missing_data_stop_the_run(tmp_path):
    folder = copy_project(tmp_path)
    arguments = ("--cores", "1", *CONFIGURATION)
    assert snakemake(folder, *arguments, "--", "data/datasets/dna.nc").returncode == 0
    (folder / "data/datasets/dna.nc").unlink()
    result = snakemake(folder, *arguments, "--config", "missing_data=stop", "--", "data/datasets/dna.nc")
    assert result.returncode == 1 and "Traceback" not in result.stderr
    assert "logzoo: error: data/raw/dna/manifest.json lists files that were not available" in result.stderr
    (folder / "data/raw/dna/manifest.json").write_text("{")
    result = snakemake(folder, *arguments, "--config", "missing_data=stop", "--", "data/datasets/dna.nc")
    assert result.returncode == 1 and "Traceback" not in result.stderr
    assert "logzoo: error: data/raw/dna/manifest.json: not a manifest of raw files" in result.stderr
    result = snakemake(folder, *arguments, "--", "data/datasets/dna.nc")
    assert "ERROR data/raw/dna/manifest.json: not a manifest of raw files" in result.stderr
