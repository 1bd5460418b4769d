"""Estimates as labelled arrays: what xarray shows of them, and that files keep it."""

import math

import numpy as np
import pytest
import xarray as xr

from logzoo import Estimate
from logzoo.estimators.result import DIAGNOSTICS, PROFILES, REASONS


def estimate(**changes):
    settings = {
        "log_z": 78.25,
        "std_error": 0.01,
        "interval": (78.2, 78.3),
        "bounds": (70.0, 80.0),
        "reasons": ("drift", "one-way"),
        "diagnostics": {"drift": 4.5},
        "profiles": {"transition_matrix": np.eye(3)},
        "rests_on": ("ais", "bar"),
        "method": "rts",
        "sweeps": 400,
        "chains": 10,
    }
    return Estimate(**settings | changes)


def test_everything_an_estimate_knows_is_in_its_dataset():
    found = estimate().to_dataset()
    assert (float(found.log_z), float(found.std_error), int(found.sweeps_spent)) == (78.25, 0.01, 400)
    assert found.interval.sel(bound=0.975) == 78.3 and found.bounds.sel(end="lower") == 70.0
    assert int(found.converged) == 0 and found.drift == 4.5
    assert found.transition_matrix.dims == PROFILES["transition_matrix"][2]
    assert found.transition_matrix.dtype == np.float32 and found.log_z.dtype == np.float64
    assert found.attrs == {
        "method": "rts",
        "chains": 10,
        "form": "marginal",
        "rests_on": "ais bar",
        "reasons": "drift one-way",
    }
    assert (found.log_z.units, found.bounds.units, found.drift.units) == ("nat", "nat", "1")
    assert found.drift.long_name == DIAGNOSTICS["drift"][0]
    for name, variable in found.variables.items():
        assert variable.attrs["long_name"] and variable.attrs["units"], name


@pytest.mark.parametrize("reasons", [(), ("drift",), ("share-missed", "few-effective"), tuple(REASONS)])
def test_flags_spell_the_reasons(reasons):
    found = estimate(reasons=reasons).to_dataset().reasons
    spelled = zip(found.flag_meanings.split(), found.flag_masks, strict=True)
    assert {name for name, mask in spelled if int(found) & mask} == set(reasons)


def test_a_file_keeps_it_and_estimates_join(tmp_path):
    one, other = estimate(), estimate(log_z=78.27, reasons=(), bounds=(-math.inf, math.inf))
    one.to_dataset().to_netcdf(tmp_path / "one.nc")
    with xr.open_dataset(tmp_path / "one.nc") as kept:
        assert kept.attrs == one.to_dataset().attrs and kept.equals(one.to_dataset())
    both = xr.concat([one.to_dataset(), other.to_dataset()], "run", combine_attrs="drop_conflicts")
    assert both.log_z.dims == ("run",) and both.converged.values.tolist() == [0, 1]
    assert both.log_z.units == "nat" and both.attrs["method"] == "rts" and "reasons" not in both.attrs
