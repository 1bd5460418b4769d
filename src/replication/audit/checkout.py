"""The jobs that this checkout declares, and the regeneration of some files by these jobs.

Snakemake runs the checkout's own Snakefile in a scratch folder, without code of the audited tree. A regeneration copies
inputs to this folder, and may run only the rules that make the picked files. None of these rules downloads anything.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import xarray
import yaml

from logzoo.checks import shown
from logzoo.io.netcdf import check_seal, load_raw
from logzoo.io.reading import open_regular, read_bytes
from logzoo.io.schema import SCHEMAS
from logzoo.kernels import cache
from logzoo.printing import one_line
from logzoo.types import FilePath
from replication.artifacts import ROOT, without_stamp
from replication.audit.findings import Findings
from replication.forks import COMPILES_LATER
from replication.layout import files_of, is_timed, kind_of, scale_of

_COMPARED = (*SCHEMAS, "picture", "page", "table text")
OTHER_CODE = "made by another version of the code"
# Attributes that may differ although all numbers are equal. Parameters are compared in `replication.audit.tree`.
_OF_THE_CODE = {"source_sha256", "software_json", "parameters_json", "content_sha256"}


def configuration_files(configfile: FilePath | None = None) -> dict[str, Any]:
    """Returns {scale: path} of the configuration files of the checkout and the user; empty without a checkout.

    Raises a one-line ValueError for a file that is not YAML with keys, and for a user's file without a scale.
    """
    if not (ROOT / "Snakefile").is_file():
        return {}
    users = None if configfile is None else Path(configfile).resolve()
    files = [*sorted((ROOT / "config").glob("*.yaml")), *([] if users is None else [users])]
    scales = {}
    for path in files:
        try:
            scale = yaml.safe_load(read_bytes(path)).get("scale")
        except (OSError, ValueError, AttributeError, RecursionError, yaml.YAMLError) as error:
            raise ValueError(f"{path}: expected a configuration with a scale: {one_line(error)}") from None
        if isinstance(scale, str):
            scales[scale] = path
        elif path == users:
            raise ValueError(f"{path}: scale: expected a name, such as mine, found {shown(scale)}")
    return scales


def jobs_of_scale(scale: str, configfile: FilePath) -> dict[str, Any]:
    """Returns {path: job} of all files of a configuration, from `replication.tasks.jobs_of_files`.

    Raises a one-line ValueError with Snakemake's last error line if Snakemake fails.
    """
    with tempfile.TemporaryDirectory() as scratch:
        failure = _snakemake(scratch, configfile, "jobs")
        if failure:
            raise ValueError(f"the jobs of {scale} cannot be listed: {failure}")
        return json.loads(Path(scratch, f"logs/{scale}/jobs.json").read_text())


def regenerate(
    findings: Findings, folder: FilePath, jobs: Mapping[str, Any], configfiles: dict[Any, Any], count: int, seed: int
) -> None:
    """Regenerate up to `count` files, drawn at random with `seed`, and enter differences in the findings.

    A file is drawn only if its inputs exist, and if the file and its inputs are undamaged. A stale file is drawn only
    if a change of the code made it stale.
    """
    regenerable = {path: job for known in jobs.values() for path, job in _regenerable(folder, known).items()}
    # Nothing runs on files that are damaged, or so large that their numbers were not checked.
    avoided = {fault.file for fault in findings.faults} | findings.large
    names = sorted(
        path
        for path, job in regenerable.items()
        if not avoided & {path, *job["inputs"]} and findings.stale.get(path, OTHER_CODE) == OTHER_CODE
    )
    generator = np.random.Generator(np.random.Philox(key=seed))
    picked = sorted(generator.choice(names, min(count, len(names)), replace=False).tolist()) if names else []
    for scale in {scale_of(path) for path in picked}:
        chosen = [path for path in picked if scale_of(path) == scale]
        with tempfile.TemporaryDirectory() as scratch:
            for path in chosen:
                _copy_inputs(Path(folder), Path(scratch), regenerable[path]["inputs"])
            allowed = ["--allowed-rules", *{regenerable[path]["rule"] for path in chosen}]
            options = ["--keep-going", "--rerun-triggers", "mtime", *allowed, "--forcerun", *chosen, "--", *chosen]
            failure = _snakemake(scratch, configfiles[scale], *options)
            for path in chosen:
                with findings.recorded(path):
                    difference = _difference(Path(folder, path), Path(scratch, path), failure)
                    if path in findings.stale:
                        findings.stale[path] += f"; regenerated: {difference or 'the same'}"
                    else:
                        expected = "the output of the current code"
                        findings.check(path, "regenerated", not difference, difference, expected)
    findings.notes.append(f"regenerated: {len(picked)} of {len(names)} files with all inputs: {', '.join(picked)}")


def _regenerable(folder, known):
    """The jobs {path: job} of files with all inputs in `folder`; PDFs, data sets and files with times are left out."""
    timed = {path for path in known if is_timed(path)}
    while more := {path for path in known if timed & set(known[path]["inputs"])} - timed:
        timed |= more
    compared = {path for path in known if kind_of(path) in _COMPARED and scale_of(path) and not path.endswith(".pdf")}
    here = set(files_of(folder))
    # Inputs without a kind are templates of pages in the checkout.
    return {path: known[path] for path in compared - timed if here >= {path, *filter(kind_of, known[path]["inputs"])}}


def _copy_inputs(folder, scratch, inputs):
    for name in filter(kind_of, inputs):
        (scratch / name).parent.mkdir(parents=True, exist_ok=True)
        with open_regular(folder / name) as source, open(scratch / name, "wb") as copy:
            shutil.copyfileobj(source, copy)
        # All copies get the same modification time, so that none counts as older than its inputs.
        os.utime(scratch / name, (0, 0))


def _difference(file, again, failure):
    """The difference between a file and its regenerated copy, in words; empty if there is none."""
    if not again.is_file():
        return f"not regenerated: {failure or 'no such file'}"
    if file.suffix == ".nc":
        check_seal(file)
        artifacts = [load_raw(path) for path in (file, again)]
        for artifact in artifacts:
            artifact.attrs = {name: value for name, value in artifact.attrs.items() if name not in _OF_THE_CODE}
        return "" if _agree(*artifacts) else "different numbers or attributes"
    if file.suffix == ".png":
        return "" if np.array_equal(_pixels(file), _pixels(again)) else "different pixels"
    texts = [without_stamp(read_bytes(path).decode()) for path in (file, again)]
    return "" if texts[0] == texts[1] else "a different text"


def _agree(dataset, again):
    """Whether two datasets differ at most by rounding, which depends on the processor."""
    with contextlib.suppress(AssertionError):
        xarray.testing.assert_allclose(dataset, again, rtol=1e-10, atol=1e-10)
        return xarray.zeros_like(dataset).identical(xarray.zeros_like(again))
    return False


def _pixels(file):
    from PIL import Image

    with Image.open(file, formats=["PNG"]) as image:
        return np.asarray(image.convert("RGBA"))


def _snakemake(scratch, configfile, *arguments):
    """Run the checkout's workflow in a scratch folder. Returns its last error line, or an empty string on success."""
    # With -P, Python does not look for modules in the working folder.
    command = [sys.executable, "-P", "-m", "snakemake", "--snakefile", f"{ROOT}/Snakefile", "--directory", scratch]
    command += ["--configfile", str(configfile), "--cores", str(os.cpu_count()), "--profile", "none"]
    command += ["--workflow-profile", "none", *arguments]
    # XDG_CACHE_HOME and MPLCONFIGDIR keep Snakemake and matplotlib from writing to the user's home. The cache of
    # compiled kernels is the usual one.
    environment = {**os.environ, "XDG_CACHE_HOME": f"{scratch}/.cache", "MPLCONFIGDIR": scratch, "LOGZOO_MIRROR": ""}
    environment |= {"NUMBA_CACHE_DIR": str(next(cache.bases())), COMPILES_LATER: "1"}
    done = subprocess.run(
        command, cwd=scratch, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    lines = [line for line in done.stderr.splitlines() if line.strip()] or ["snakemake failed without a message"]
    return one_line(([line for line in lines if "rror" in line] or lines)[-1]) if done.returncode else ""
