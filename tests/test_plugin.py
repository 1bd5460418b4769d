"""An estimator of another package: examples/plugin, found by its entry point."""

import sys
import tomllib

import numpy as np
import pytest
from projects import ROOT
from twins import normal_rbm

from logzoo import draw_samples, estimate_log_z, exact_log_z, read_log_z
from logzoo.cli.main import main
from logzoo.estimators.estimator_registry import ESTIMATORS, estimate_together
from logzoo.streams import root_stream

FOLDER = ROOT / "examples/plugin"
PROJECT = tomllib.loads((FOLDER / "pyproject.toml").read_text())["project"]
NAME = "ti-simpson"
SMALL = normal_rbm(6, 8, 5, 0.5)


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The package as it is after `pip install`: its module and its metadata on the path."""
    metadata = tmp_path / f"logzoo_simpson-{PROJECT['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {PROJECT['name']}\nVersion: 0.1.0\n")
    ((group, names),) = PROJECT["entry-points"].items()
    lines = [f"{name} = {target}" for name, target in {**names, "broken": "logzoo_absent:x"}.items()]
    (metadata / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines, ""]))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.syspath_prepend(FOLDER)
    yield
    sys.modules.pop("logzoo_simpson", None)


def test_it_is_found_by_name_and_checked_as_the_listed_ones_are(installed):
    assert NAME not in ESTIMATORS
    estimate = estimate_log_z(SMALL, NAME, sweeps=2000)
    assert estimate.method == NAME and estimate.converged and np.isfinite(estimate.bounds).all()
    assert abs(estimate.log_z - exact_log_z(SMALL)) < 4.0 * estimate.std_error < 0.1


def test_it_reads_the_draws_of_listed_estimators(installed):
    import logzoo_simpson

    draws = draw_samples(SMALL, "rts", sweeps=500, chains=20)
    by_name, by_object = read_log_z(draws, NAME), read_log_z(draws, logzoo_simpson.ESTIMATOR)
    assert by_name.log_z == by_object.log_z and by_object.method == "TI-RB (Simpson)"
    assert 0.0 < abs(by_name.log_z - read_log_z(draws, "ti-rb").log_z) < by_name.std_error
    result = estimate_together(SMALL, {name: (name, {}) for name in ("ti-rb", NAME)}, 200, 10, root_stream(0))
    # Both read one run, so their random errors are the same.
    assert abs(result["ti-rb"].log_z - result[NAME].log_z) < result[NAME].std_error
    assert result["ti-rb"] == estimate_together(SMALL, {"ti-rb": ("ti-rb", {})}, 200, 10, root_stream(0))["ti-rb"]


def test_unknown_names_and_options_and_broken_entry_points_are_refused(installed):
    for name, options, match in (
        ("ti-simpsn", {}, "unknown value 'ti-simpsn'; did you mean 'ti-simpson'.*expected one of"),
        (NAME, {"draws": 7}, "ti-simpson: unknown option 'draws'"),
        ("broken", {}, "broken: entry point 'logzoo_absent:x' cannot be loaded: No module named"),
    ):
        with pytest.raises(ValueError, match=match):
            estimate_log_z(SMALL, name, **options)


def test_the_command_line_has_it(installed, tmp_path, capsys):
    SMALL.save(tmp_path / "model.nc")
    code = main(["estimate", str(tmp_path / "model.nc"), "--method", NAME, "--sweeps", "500", "--chains", "20"])
    assert not code and NAME in capsys.readouterr().out
