"""Estimates as labelled arrays: what xarray shows of them, and that files keep it."""

import math

import numpy as np
import pytest
import xarray as xr

from logzoo import Estimate
from logzoo.estimators.result import DIAGNOSTICS, PROFILES, REASONS


def estimate(**changes):
    settings = {"log_z": 78.25, "std_error": 0.01, "interval": (78.2, 78.3), "bounds": (70.0, 80.0)}
    settings |= {"reasons": ("drift", "one-way"), "diagnostics": {"drift": 4.5}, "rests_on": ("ais", "bar")}
    settings |= {"profiles": {"transition_matrix": np.eye(3)}, "method": "rts", "sweeps": 400, "chains": 10}
    return Estimate(**settings | changes)


def test_everything_an_estimate_knows_is_in_its_dataset():
    result = estimate().to_dataset()
    assert (float(result.log_z), float(result.std_error), int(result.sweeps_spent)) == (78.25, 0.01, 400)
    assert result.interval.sel(bound=0.975) == 78.3 and result.bounds.sel(end="lower") == 70.0
    assert int(result.converged) == 0 and result.drift == 4.5
    assert result.transition_matrix.dims == PROFILES["transition_matrix"][2]
    assert result.transition_matrix.dtype == np.float32 and result.log_z.dtype == np.float64
    attributes = {"method": "rts", "chains": 10, "form": "marginal", "rests_on": "ais bar", "reasons": "drift one-way"}
    assert result.attrs == attributes
    assert (result.log_z.units, result.bounds.units, result.drift.units) == ("nat", "nat", "1")
    assert result.drift.long_name == DIAGNOSTICS["drift"][0]
    for name, variable in result.variables.items():
        assert variable.attrs["long_name"] and variable.attrs["units"], name


@pytest.mark.parametrize("reasons", [(), ("drift",), ("share-missed", "few-effective"), tuple(REASONS)])
def test_flags_spell_the_reasons(reasons):
    result = estimate(reasons=reasons).to_dataset().reasons
    spelled = zip(result.flag_meanings.split(), result.flag_masks, strict=True)
    assert {name for name, mask in spelled if int(result) & mask} == set(reasons)


def test_a_file_keeps_it_and_estimates_join(tmp_path):
    first, other = estimate(), estimate(log_z=78.27, reasons=(), bounds=(-math.inf, math.inf))
    first.to_dataset().to_netcdf(tmp_path / "one.nc")
    with xr.open_dataset(tmp_path / "one.nc") as stored:
        assert stored.attrs == first.to_dataset().attrs and stored.equals(first.to_dataset())
    both = xr.concat([first.to_dataset(), other.to_dataset()], "run", combine_attrs="drop_conflicts")
    assert both.log_z.dims == ("run",) and both.converged.values.tolist() == [0, 1]
    assert both.log_z.units == "nat" and both.attrs["method"] == "rts" and "reasons" not in both.attrs
