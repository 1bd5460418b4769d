"""Artifacts: written whole or not at all, read back as written, refused if their content does not fit."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import xarray

from logzoo.io import schema
from logzoo.io.netcdf import content_sha256, read_artifact, write_artifact
from logzoo.io.reading import sha256_of
from replication.artifacts import named_hashes

PROVENANCE = {"kind": "estimate", "inputs": {"model": "1" * 64}, "source": "0" * 64, "seed_path": "0/small/rts"}
PROVENANCE["parameters"] = {"method": "rts", "chains": 100, "budgets": [10, 20]}


def labelled(dims, values, units="1", **attributes):
    return dims, np.asarray(values), {"long_name": "a quantity", "units": units, **attributes}


def estimate(value=451.25):
    runs, shape = ("budget", "replicate"), (2, 3)
    log_z = np.full(shape, value)
    log_z[1, 2] = np.nan
    return xarray.Dataset(
        {
            "log_z": labelled(runs, log_z, "nat"),
            "std_error": labelled(runs, np.full(shape, 0.5), "nat"),
            "interval": labelled((*runs, "bound"), np.zeros((*shape, 2)), "nat"),
            "sweeps_spent": labelled(runs, np.full(shape, 10), "sweep"),
            "converged": labelled(runs, np.full(shape, True)),
            "estimator": labelled(("replicate",), ["rts", "ais", "naïve"]),
            "rung": labelled(("none",), np.zeros(0, dtype="float32"), flags=[1, 2], names=["a", "b"], one=[3]),
        },
        {
            "budget": labelled(("budget",), [10, 20], "sweep"),
            "replicate": labelled(("replicate",), [0, 1, 2]),
            "bound": labelled(("bound",), ["lower", "upper"]),
            "ladder": labelled(("budget",), ["short", "longer"]),
            "base": labelled((), 2.5),
        },
        {"title": "a test", "version": 3, "step": np.float32(0.1), "empty": ""},
    )


def write(path, dataset=None, **changes):
    write_artifact(estimate() if dataset is None else dataset, path, **PROVENANCE | changes)
    return path


def test_reading_gives_back_what_was_written(tmp_path):
    written, path = estimate(), write(tmp_path / "a.nc")
    found = read_artifact(path, "estimate")
    xarray.testing.assert_equal(found, written)
    assert found.converged.dtype == bool and found.rung.dtype == np.float32
    assert set(found.coords) == set(written.coords)
    assert all("_FillValue" not in variable.attrs for variable in found.variables.values())
    assert found.attrs["Conventions"] == "CF-1.11" and found.attrs["artifact_schema"] == "estimate/1"
    assert found.attrs["parameters_json"] == '{"budgets":[10,20],"chains":100,"method":"rts"}'
    assert json.loads(found.attrs["inputs_json"]) == PROVENANCE["inputs"]
    assert set(json.loads(found.attrs["software_json"])) >= {"numpy", "numba", "xarray", "netCDF4", "logzoo"}
    assert found.attrs["content_sha256"] == content_sha256(found)
    assert "content_sha256" not in written.attrs, "the caller's dataset was changed"
    # Equal input gives equal bytes.
    assert path.read_bytes() == write(tmp_path / "b.nc").read_bytes() == write(tmp_path / "c.nc", found).read_bytes()


def test_threads_may_read_and_write_at_once(tmp_path):
    code = """
from concurrent.futures import ThreadPoolExecutor
from logzoo import RBM
def save_and_load(number):
    RBM([[number]], [0.0], [0.0]).save(f"{number}.nc")
    return RBM.load(f"{number}.nc").weights[0, 0] == number
with ThreadPoolExecutor(4) as pool:
    assert all(pool.map(save_and_load, range(40)))
"""
    # In a process of its own, because HDF5 crashes without the lock.
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, timeout=120)


def test_content_hash_notices_every_edit_but_neither_memory_layout_nor_itself():
    edits = [
        estimate(1.0 + 1e-12),
        estimate(1.0),
        estimate().assign(log_z=estimate().log_z.assign_attrs(long_name="another")),
        estimate().rename(std_error="error"),
        estimate().drop_vars("interval"),
        estimate().transpose(),
        estimate().assign_attrs(title="another"),
        estimate().assign_coords(ladder=labelled(("budget",), ["shortl", "onger"])),
        estimate().assign(sweeps_spent=estimate().sweeps_spent.astype("int32")),
    ]
    hashes = {content_sha256(dataset) for dataset in [estimate(), *edits]}
    assert len(hashes) == 1 + len(edits)
    dataset = estimate()
    swapped = dataset.copy()
    swapped["log_z"] = dataset.log_z.copy(data=np.asfortranarray(dataset.log_z).astype(">f8"))
    swapped["estimator"] = dataset.estimator.astype("<U40").astype(object)
    assert content_sha256(swapped.assign_attrs(content_sha256="x")) == content_sha256(dataset)


def test_variables_of_more_than_four_kilobytes_are_compressed(tmp_path):
    datasets = (estimate().assign(many=labelled(("step",), np.arange(float(count)))) for count in (500, 2000))
    sizes = [write(tmp_path / "a.nc", dataset).stat().st_size for dataset in datasets]
    assert sizes[1] < sizes[0] + 4000


def test_files_that_are_not_the_artifact_are_refused(tmp_path):
    path = write(tmp_path / "a.nc")
    truncated, text, foreign = (tmp_path / name for name in ("cut.nc", "text.nc", "foreign.nc"))
    truncated.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    text.write_text("not NetCDF")
    estimate().to_netcdf(foreign)
    for wrong, kind, reason in [
        (tmp_path / "missing.nc", "model", "no such file .expected a model artifact"),
        (tmp_path, None, "no such file .expected a logzoo artifact"),
        (truncated, "estimate", "damaged or edited .* no seal at its end .expected an estimate artifact"),
        (text, None, "not a readable NetCDF file .expected a logzoo artifact"),
        (foreign, None, "not a logzoo artifact"),
        (path, "model", "expected a model artifact, found an estimate artifact"),
    ]:
        with pytest.raises(ValueError, match=reason) as caught:
            read_artifact(wrong, kind)
        assert str(caught.value).startswith(f"{wrong}: ") and "\n" not in str(caught.value)


@pytest.mark.parametrize("failure", [KeyboardInterrupt, OSError, None])
def test_a_failed_write_leaves_the_target_alone(tmp_path, monkeypatch, failure):
    path = write(tmp_path / "a.nc")
    before = path.read_bytes()
    original = xarray.Dataset.to_netcdf

    def fail(dataset, *arguments, **options):
        original(dataset.assign(log_z=dataset.log_z + 1), *arguments, **options)
        if failure:
            raise failure

    monkeypatch.setattr(xarray.Dataset, "to_netcdf", fail)
    # Without an exception the file does not hold what was to be written.
    with pytest.raises(failure or ValueError):
        write(path, estimate(1.0))
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["a.nc"]


@pytest.mark.parametrize("value", [True, None, []])
def test_attributes_that_netcdf_cannot_hold_are_refused(tmp_path, value):
    log_z = estimate().log_z.assign_attrs(flag=value)
    with pytest.raises(ValueError, match="attribute 'flag' of variable 'log_z'"):
        write(tmp_path / "a.nc", estimate().assign(log_z=log_z))
    with pytest.raises(ValueError, match="global attribute 'flag'"):
        write(tmp_path / "a.nc", estimate().assign_attrs(flag=value))
    assert os.listdir(tmp_path) == []


def test_unusable_arguments_and_absolute_paths_are_refused(tmp_path):
    path = "/home/me/model.nc"
    for changes, reason in [
        ({"parameters": {"a": object()}}, "parameters cannot be written as JSON"),
        ({"parameters": {"a": float("nan")}}, "parameters cannot be written as JSON"),
        ({"kind": "plot"}, "unknown kind of artifact 'plot': expected one of dataset, model"),
        ({"source": None}, "global attribute 'source_sha256' is None"),
        ({"parameters": {"files": [{"model": path}]}}, "absolute path"),
        ({"inputs": {"C:\\models\\a.nc": "0"}}, "absolute path"),
        ({"seed_path": path}, "absolute path"),
    ]:
        with pytest.raises(ValueError, match=reason):
            write(tmp_path / "a.nc", **changes)
    with pytest.raises(ValueError, match="there is no folder"):
        write(tmp_path / "nowhere" / "a.nc")
    write(tmp_path / "a.nc", parameters={"model": "data/quick/models/a.nc", "ratio": "1/2"})


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda data: data.drop_vars("std_error"), "needs the variable 'std_error'"),
        (lambda data: data.transpose(), "'log_z' needs the dimensions"),
        (lambda data: data.assign(log_z=data.log_z.assign_attrs(units="bit")), "needs units 'nat', found 'bit'"),
        (lambda data: data.assign(rung=data.rung.drop_attrs()), "variable 'rung' needs .*long_name"),
        (lambda data: data.assign(rung=data.rung.assign_attrs(units="")), "variable 'rung' needs .*units"),
        (lambda data: data.drop_vars(list(data)), "holds no data"),
    ],
)
def test_schema_names_what_is_wrong(change, reason):
    schema.check(estimate(), "estimate")
    with pytest.raises(ValueError, match=reason) as caught:
        schema.check(change(estimate()), "estimate")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", schema.SCHEMAS)
def test_every_kind_round_trips(tmp_path, kind):
    fields, variables = schema.SCHEMAS[kind] or {"free": schema.Field(("update",), "1")}, {}
    for name, field in fields.items():
        variables[name] = labelled(field.dimensions, np.zeros((2,) * len(field.dimensions)), field.units or "1")
    path = write(tmp_path / "a.nc", xarray.Dataset(variables), kind=kind)
    assert set(read_artifact(path, kind).variables) == set(fields)
    assert read_artifact(path).attrs["artifact_schema"] == f"{kind}/1"


def test_no_artifact_is_made_from_a_raw_file_that_changed(tmp_path):
    manifest = tmp_path / "raw" / "mine" / "manifest.json"
    manifest.parent.mkdir(parents=True)
    (file := manifest.with_name("a.txt")).write_text("1 0\n")
    manifest.write_text(json.dumps({"files": {"a.txt": {"sha256": sha256_of(file)}}}))
    assert named_hashes([manifest]) == {str(file): sha256_of(file)}
    for change in (lambda: file.write_text("0 0\n"), file.unlink):
        change()
        with pytest.raises(ValueError, match=r"a.txt: not as it was fetched; remove .*manifest.json"):
            named_hashes([manifest])
