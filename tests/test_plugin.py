"""An estimator of another package: examples/plugin, found by its entry point."""

import sys
import tomllib

import numpy as np
import pytest
from projects import ROOT

from logzoo import RBM, draw_samples, estimate_log_z, exact_log_z, read_log_z
from logzoo.cli.main import main
from logzoo.estimators.estimator_registry import ESTIMATORS, estimate_together
from logzoo.streams import root_stream

FOLDER = ROOT / "examples/plugin"
PROJECT = tomllib.loads((FOLDER / "pyproject.toml").read_text())["project"]
NAME = "ti-simpson"


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


@pytest.fixture(scope="module")
def rbm():
    draws = np.random.default_rng(6)
    return RBM(draws.normal(0.0, 0.5, (8, 5)), draws.normal(0.0, 0.5, 8), draws.normal(0.0, 0.5, 5))


def test_it_is_found_by_name_and_checked_as_the_listed_ones_are(installed, rbm):
    assert NAME not in ESTIMATORS
    estimate = estimate_log_z(rbm, NAME, sweeps=2000)
    assert estimate.method == NAME and estimate.converged and np.isfinite(estimate.bounds).all()
    assert abs(estimate.log_z - exact_log_z(rbm)) < 4.0 * estimate.std_error < 0.1


def test_it_reads_the_draws_of_listed_estimators(installed, rbm):
    import logzoo_simpson

    draws = draw_samples(rbm, "rts", sweeps=500, chains=20)
    by_name, by_object = read_log_z(draws, NAME), read_log_z(draws, logzoo_simpson.ESTIMATOR)
    assert by_name.log_z == by_object.log_z and by_object.method == "TI-RB (Simpson)"
    assert 0.0 < abs(by_name.log_z - read_log_z(draws, "ti-rb").log_z) < by_name.std_error
    result = estimate_together(rbm, {name: (name, {}) for name in ("ti-rb", NAME)}, 200, 10, root_stream(0))
    # Both read one run, so their random errors are the same.
    assert abs(result["ti-rb"].log_z - result[NAME].log_z) < result[NAME].std_error
    assert result["ti-rb"] == estimate_together(rbm, {"ti-rb": ("ti-rb", {})}, 200, 10, root_stream(0))["ti-rb"]


def test_unknown_names_and_options_are_refused_with_its_name_among_the_known(installed, rbm):
    with pytest.raises(ValueError, match="unknown value 'ti-simpsn'; did you mean 'ti-simpson'.*expected one of"):
        estimate_log_z(rbm, "ti-simpsn")
    with pytest.raises(ValueError, match="ti-simpson: unknown option 'draws'"):
        estimate_log_z(rbm, NAME, draws=7)


def test_an_entry_point_that_cannot_be_loaded_is_named(installed, rbm):
    with pytest.raises(ValueError, match="broken: entry point 'logzoo_absent:x' cannot be loaded: No module named"):
        estimate_log_z(rbm, "broken")


def test_the_command_line_has_it(installed, rbm, tmp_path, capsys):
    rbm.save(tmp_path / "model.nc")
    code = main(["estimate", str(tmp_path / "model.nc"), "--method", NAME, "--sweeps", "500", "--chains", "20"])
    assert not code and NAME in capsys.readouterr().out
