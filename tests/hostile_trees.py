"""Trees mutated at random, as by a stranger who wants the audit to run, write, read or request something.

Each mutation takes (tree, outside, url, draws): the tree, a folder of the user, the address of a server on loopback,
and a random generator.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import h5py
import netCDF4

from logzoo.io.netcdf import seal
from logzoo.io.reading import sha256_of
from logzoo.kernels import cache
from replication.layout import files_of

MOST_MEGABYTES = 500


def _some(tree, draws, suffix=""):
    files = [path for path in files_of(tree) if path.endswith(suffix)]
    return tree / files[int(draws.integers(len(files)))]


def _replaced(path, make):
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    make(path)


def _manifests(tree):
    """The manifests that are still regular files: links, FIFOs and devices would block the test itself."""
    paths = sorted(tree.glob("data/*/manifest.json"))
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def link_to(name):
    """A mutation that replaces a file by a link to the user's file `name`."""
    return lambda tree, outside, url, draws: _replaced(_some(tree, draws), lambda path: path.symlink_to(outside / name))


def link_to_a_folder(tree, outside, url, draws):
    (tree / "data" / f"more{draws.integers(99)}").symlink_to(draws.choice([str(outside), "/proc", "/", ".."]))


def report_is_a_link(tree, outside, url, draws):
    for name in ("audit.json", "ro-crate-metadata.json", "logs", ".snakemake", "jobs.json"):
        _replaced(tree / name, lambda path: path.symlink_to(outside / "precious.txt"))


def fifo(tree, outside, url, draws):
    _replaced(_some(tree, draws), os.mkfifo)


def device(tree, outside, url, draws):
    number = os.makedev(1, int(draws.choice([3, 5, 8])))  # null, zero, random
    _replaced(_some(tree, draws), lambda path: os.mknod(path, 0o600 | 0o020000, number))


def sparse(tree, outside, url, draws):
    """Turn any file, manifests included, into a sparse file of 2 GiB."""
    with _some(tree, draws).open("r+b") as file:
        file.truncate(2 << 30)


def large_artifact(tree, outside, url, draws):
    """A sealed file whose numbers unpack to a gigabyte."""
    path = _some(tree, draws, ".nc")
    path.unlink()
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", 1 << 27)
        file.createVariable("x", "f8", ("x",), zlib=True, chunksizes=(1 << 20,), fill_value=0.0)
        file.setncattr("content_sha256", "0" * 64)
    seal(path)


def values_in_a_fifo(tree, outside, url, draws, form=None):
    """A sealed artifact whose values are in a FIFO of the user."""
    path, target = _some(tree, draws, ".nc"), str(outside / "fifo")
    path.unlink()
    with h5py.File(path, "w", track_order=True) as file:
        match form or draws.choice(["storage", "virtual", "link"]):
            case "storage":
                file.create_dataset("x", (1,), "f8", external=[(target, 0, 8)])
            case "virtual":
                layout = h5py.VirtualLayout((1,), "f8")
                layout[:] = h5py.VirtualSource(target, "x", (1,))
                file.create_virtual_dataset("x", layout)
            case "link":
                file["x"] = h5py.ExternalLink(target, "x")
    seal(path)
    os.mkfifo(target)


def jobs_in_the_manifest(tree, outside, url, draws):
    """A manifest as earlier versions read it: scripts, parameters, inputs and outputs of the stranger's choice."""
    target = str(draws.choice([str(outside / "precious.txt"), "../../precious.txt", "~/precious.txt", url]))
    script = str(draws.choice(["audit.py", "publish.py", "fetch.py", "draw.py", "../evil.py", str(tree / "evil.py")]))
    parts = {key: {"items": [target], "names": {"start": 0}} for key in ("input", "output")}
    names = {"expected": target, "tasks": ["text"], "module": "os", "run": "os:system", "source": "0"}
    params = {"params": {"items": [], "names": names}, "wildcards": {"items": [], "names": {"source": url}}}
    task = {"rule": "audit", "script": f"workflow/scripts/{script}", **parts, **params}
    for path in _manifests(tree):
        content = json.loads(path.read_text()) if path.stat().st_size < 1 << 24 else {}
        content |= {"tasks": {"scale": path.parent.name, "tasks": [task]}, "sha256": "0" * 64}
        path.write_text(json.dumps(content, indent=0) + "\n")


def paths_in_the_manifest(tree, outside, url, draws):
    names = [str(outside / "precious.txt"), "../../precious.txt", "/dev/zero", url, "", ".", "data/../../x", "a\0b"]
    for path in _manifests(tree):
        content = {"files": dict.fromkeys(names, "0" * 64), "left_out": {}, "hours": {}, "scale": path.parent.name}
        path.write_text(json.dumps(content))


def deep_or_long_json(tree, outside, url, draws):
    text = str(draws.choice(["[" * 200_000, '{"a":' * 100_000, "[" + "[]," * 1_000_000 + "[]]", '{"files": 1e999}']))
    (_manifests(tree) or [tree / "data/x/manifest.json"])[0].write_text(text)


def addresses_in_raw_data(tree, outside, url, draws):
    entry = {"bytes": 5, "sha256": "0" * 64, "source": url, "sources": [{"url": url}]}
    text = json.dumps({"name": url, "files": {"../../../precious.txt": entry, "x": entry}})
    _replaced(tree / "data/raw/source/manifest.json", lambda path: path.write_text(text))


def provenance_that_leads_out(tree, outside, url, draws):
    path = _some(tree, draws, ".nc")
    if path.is_symlink() or not path.is_file() or path.stat().st_size > 1 << 24:
        return
    inputs = {str(outside / "precious.txt"): "0", "../../precious.txt": "0", url: "0"}
    try:
        with netCDF4.Dataset(path, "a") as file:
            file.setncattr("inputs_json", json.dumps(inputs))
            file.setncattr("parameters_json", json.dumps({"module": "os", "path": str(outside), "url": url}))
    except OSError:
        return
    seal(path)


def code_beside_the_data(tree, outside, url, draws):
    """Files that Python, Snakemake or matplotlib would load from the folder where they run."""
    evil = f"from pathlib import Path\nPath({str(outside / 'ran')!r}).write_text('ran')\n"
    names = ["sitecustomize.py", "usercustomize.py", "snakemake.py", "numpy.py", "logzoo/__init__.py", "Snakefile"]
    names += ["workflow/Snakefile", "workflow/scripts/draw.py", "workflow/profiles/default/config.yaml"]
    for name in names:
        _replaced(tree / name, lambda path: path.write_text(evil))
    (tree / "matplotlibrc").write_text("backend: module://evil\n")


def names_that_steer(tree, outside, url, draws):
    for name in (b"a\x1b[2J.nc", b"new\nline.nc", b"\xff.nc", b"-rf.nc", b"$(touch ran).nc"):
        Path(os.fsdecode(os.fsencode(tree / "data") + b"/" + name)).write_bytes(b"x")


def another_scale(tree, outside, url, draws):
    """The files under another scale's name: an unknown scale, or a scale of the checkout with other jobs."""
    path = _manifests(tree)[0].parent
    name = str(draws.choice(["paper", "quick", "..x", "$(touch ran)", "-n"]))
    if not (tree / "data" / name).exists():
        path.rename(tree / "data" / name)


MUTATIONS = (
    *(link_to("precious.txt"), link_to("made-by-the-audit.nc"), link_to_a_folder, report_is_a_link, fifo, device),
    *(sparse, large_artifact, values_in_a_fifo),
    *(jobs_in_the_manifest, paths_in_the_manifest, deep_or_long_json, addresses_in_raw_data, provenance_that_leads_out),
    *(code_beside_the_data, names_that_steer, another_scale),
)
BESIDE = {report_is_a_link, code_beside_the_data}


def state_of(folder):
    """The content of a folder: kind, size, time, and link target or hash (below 16 MiB) of everything below it."""
    state = {}
    for path in sorted(Path(folder).rglob("*")):
        status = path.lstat()
        small = path.is_file() and not path.is_symlink() and status.st_size < 1 << 24
        content = os.readlink(path) if path.is_symlink() else sha256_of(path) if small else ""
        state[str(path)] = (status.st_mode, status.st_size, status.st_mtime_ns, content)
    return state


def audited(tree, home, *arguments):
    """Run `replication audit` in a tree under a home folder: (exit code, output, peak megabytes of it and its jobs)."""
    # Use the compiled kernels of this process instead of compiling them below another home.
    environment = {**os.environ, "HOME": str(home), "NUMBA_CACHE_DIR": str(next(cache.bases()))}
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        environment.pop(name, None)
    wrapped = "import resource, subprocess, sys; code = subprocess.run(sys.argv[1:]).returncode; print(); "
    wrapped += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(code)"
    python = [sys.executable, "-P"]
    command = [*python, "-c", wrapped, *python, "-m", "replication", "audit", str(tree), *arguments]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, timeout=600)
    *shown, peak = done.stdout.decode(errors="replace").rstrip().split("\n")
    return done.returncode, "\n".join(shown) + done.stderr.decode(errors="replace"), int(peak) / 1024
