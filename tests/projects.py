"""Copies of the project that tests may change, and commands run in them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def copy_project(target):
    """A fresh clone, but for the numba cache: tracked and new files, nothing that was made."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target / name)
    return target


def snakemake(folder, *arguments):
    """Run snakemake in `folder`, as `run_module`."""
    return run_module(folder, "snakemake", *arguments)


def run_module(folder, *arguments):
    """Run a module of Python in `folder`, in its closed environment."""
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=folder,
        env=closed_environment(folder),
        capture_output=True,
        text=True,
    )


def closed_environment(folder, base=os.environ):
    """An environment in which `folder` uses its own copy of the package: no mirror, no way out to the network."""
    closed = "http://127.0.0.1:9"
    environment = {**base, "PYTHONPATH": str(folder / "src"), "LOGZOO_MIRROR": ""}
    environment |= {name: closed for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")}
    environment.pop("no_proxy", None)
    return environment
