"""What a configuration gets wrong is one line that names the key, before anything runs."""

import re
from types import SimpleNamespace

import pytest
from projects import ROOT

from logzoo.pipeline.catalogue import Catalogue
from logzoo.pipeline.configuration import checked
from logzoo.pipeline.project import catalogue_of, merged_configuration
from logzoo.pipeline.tasks import makes_files

WRONG = [
    # Numbers that jobs do not take.
    ({"seed": 2016.0}, "seed: 2016.0 is not of type 'integer'"),
    ({"matrix": {"budgets": [1e3]}}, r"matrix.budgets.0: 1000.0 is not of type 'integer'"),
    ({"publish_megabytes": float("nan")}, "publish_megabytes: nan is not of type 'number'"),
    (
        {"models": {"mnist-10": {"train": {"learning_rate": float("inf")}}}},
        "models.mnist-10.train.learning_rate: inf is not",
    ),
    ({"grids": {"trk-t1": {"repeats": 2.0}}}, "grids.trk-t1.repeats: 2.0 is not of type 'integer'"),
    # Settings of a scale.
    ({"grids": {"trk-t1": {"scales": {"quick": {"datasets": None}}}}}, "grids.trk-t1.datasets: None is not"),
    ({"grids": {"trk-t1": {"scales": {"quick": {"train": None}}}}}, "grids.trk-t1.train: None is not"),
    ({"grids": {"trk-t1": {"train": {"learning_rate": []}}}}, r"grids.trk-t1.train.learning_rate: \[\] "),
    # Names.
    ({"scale": "raw"}, "scale: 'raw' should not be"),
    ({"models": {"mnist-20-cd": {"title": "mine"}}}, "models.mnist-20-cd: "),
    ({"figures": {"rts-f5": {"model": "rts-f55"}}}, "figures.rts-f5: .*'rts-f55'"),
    ({"figures": {"rts-f5": {"others": ["rts-f55"]}}}, "figures.rts-f5: .*'rts-f55'"),
    ({"figures": {"lv-f2a": {"models": ["lv"]}}}, "figures.lv-f2a: .*nothing has the name 'lv'"),
    ({"figures": {"zoo-sandwich": {"lower": ["pcd"]}}}, "figures.zoo-sandwich: lower: unknown value 'pcd'"),
    # What no declaration can read.
    ({"figures": {"rts-rungs": {"paper": "rts", "title": "x"}}}, "figures.rts-rungs: cannot be read as it stands: "),
    ({"figures": {"rts-f4": {"runs": "ten"}}}, "figures.rts-f4: "),
]


@pytest.mark.parametrize(("over", "complaint"), WRONG, ids=[complaint for _, complaint in WRONG])
def test_one_line_names_the_key(over, complaint):
    with pytest.raises(ValueError, match=f"^configuration: {complaint}") as raised:
        catalogue_of(folder=ROOT, over=over)
    assert "\n" not in str(raised.value)


def test_no_model_of_a_figure_that_is_not_configured_is_a_traceback():
    config = checked(merged_configuration(folder=ROOT), ROOT / "workflow/schemas")
    for name, entry in config["figures"].items():
        for key in {"model", "models", "others", "fixed", "adaptive", "slow", "fast"} & entry.keys():
            wrong = "nobody" if isinstance(entry[key], str) else ["nobody", *entry[key][1:]]
            figures = {**config["figures"], name: {**entry, key: wrong}}
            with pytest.raises(ValueError, match=r"^configuration: figures.* 'nobody'"):
                Catalogue({**config, "figures": figures})


@pytest.mark.parametrize(
    "text", ["", "- a\n", "a: [\n", b"\xff", None], ids=["empty", "list", "broken", "bytes", "none"]
)
def test_a_file_that_is_no_yaml_is_one_line(tmp_path, text):
    file = tmp_path / "mine.yaml"
    if text is not None:
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=rf"^{re.escape(str(file))}: expected .*YAML") as raised:
        catalogue_of(str(file), folder=ROOT)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("targets", "made"),
    [([], True), (["all"], True), (["cost"], False), (["cost", "audit"], False), (["all", "cost"], True)],
)
def test_a_run_that_makes_something_beside_telling_makes_something(targets, made):
    assert makes_files(SimpleNamespace(dag_settings=SimpleNamespace(targets=set(targets)))) == made
