"""Copies of the project that tests may change, and commands run in them."""

import json
import os
import shutil
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

from snakemake.utils import update_config

from replication import project
from replication.catalogue import Catalogue
from replication.configuration import checked

ROOT = Path(__file__).parents[1]
# The toy scale, at which a run takes minutes.
CONFIGURATION = ("--configfile", "tests/tiny.yaml")


def merged_configuration(*more):
    """The configuration that Snakemake would merge, with further files, and dicts over all files."""
    over = {}
    for part in more:
        if isinstance(part, dict):
            update_config(over, part)
    return project.merged_configuration(*(part for part in more if isinstance(part, str)), folder=ROOT, over=over)


def catalogue_of(*more):
    """The `Catalogue` of the configuration with further files, and dicts."""
    return _catalogue_of(json.dumps(more))


@cache
def _catalogue_of(more):
    return Catalogue(checked(merged_configuration(*json.loads(more)), ROOT / "config"))


def copy_project(target):
    """A fresh clone: tracked and new files, no generated files."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.check_output(command, cwd=ROOT, text=True).splitlines():
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target / name)
    return target


def snakemake(folder, *arguments):
    return run_module(folder, "snakemake", *arguments)


def run_module(folder, *arguments):
    """Run a module of Python in `folder`, in its `closed_environment`."""
    command, environment = [sys.executable, "-m", *arguments], closed_environment(folder)
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def closed_environment(folder, base=os.environ):
    """Environment of a process that uses the package in a folder, without a mirror and without network access."""
    closed = "http://127.0.0.1:9"
    environment = {**base, "PYTHONPATH": str(folder / "src"), "LOGZOO_MIRROR": ""}
    environment |= {name: closed for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")}
    environment.pop("no_proxy", None)
    return environment


def wait_for(happened):
    """Wait until `happened()` is true; fail after 30 seconds."""
    end = time.monotonic() + 30.0
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.01)
