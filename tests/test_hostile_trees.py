"""The audit of a stranger's tree runs, writes, follows and asks for nothing that the tree names."""

import http.server
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hostile_trees import BESIDE, MOST_MEGABYTES, MUTATIONS, audited, state_of, values_in_a_fifo
from projects import ROOT


@pytest.fixture(scope="module")
def server():
    """A server on loopback that counts requests."""
    requests = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            requests.append(self.path)
            self.send_error(404)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}/file", requests
        running.shutdown()


@pytest.mark.parametrize("number", range(3))
def test_hostile_trees_change_nothing_and_ask_for_nothing(tmp_path, pristine, server, number):
    audit_mutated(tmp_path, pristine, server, number, MUTATIONS[number::3])


@pytest.mark.nightly
@pytest.mark.parametrize("number", range(500))
def test_500_hostile_trees_change_nothing_and_ask_for_nothing(tmp_path, pristine, server, number):
    draws = np.random.default_rng(1000 + number)
    chosen = draws.permutation(len(MUTATIONS))[: draws.integers(1, 5)]
    audit_mutated(tmp_path, pristine, server, number, [MUTATIONS[index] for index in sorted(chosen)])


def audit_mutated(tmp_path, source, server, number, mutations):
    """Audit a copy of a tree after some mutations. Files are replaced last, because other mutations read them."""
    url, requests = server
    draws, before = np.random.default_rng(number), len(requests)
    outside, home, tree = tmp_path / "outside", tmp_path / "home", tmp_path / "outside/results"
    for folder in (outside, home):
        folder.mkdir()
        (folder / "precious.txt").write_text("precious")
    shutil.copytree(source, tree)
    for mutation in reversed(mutations):
        mutation(tree, outside, url, draws)
    state = state_of(tmp_path)
    code, output, peak = audited(tree, home)
    # Files beside data/ and figures/ are no fault.
    assert code == bool({*mutations} - BESIDE) and "Traceback" not in output and peak < MOST_MEGABYTES
    assert state_of(tmp_path) == state and len(requests) == before


@pytest.mark.parametrize("form", ["storage", "virtual", "link"])
def test_values_in_another_file_are_a_fault_and_are_not_read(tmp_path, tree, form):
    values_in_a_fifo(tree, tmp_path, "", np.random.default_rng(0), form)
    assert "'x' is a link, or its values" in audited(tree, tmp_path)[1]


def test_regenerating_writes_through_no_link(tmp_path):
    published = Path(shutil.copytree(ROOT / "results/decisive", tmp_path / "published"))
    linked = published / "data/decisive/tables/lv-t1.nc"
    linked.symlink_to(linked.rename(tmp_path / "precious.nc"))
    before = state_of(tmp_path)
    code, output, _ = audited(published, tmp_path, "--regenerate", "1")
    assert code == 1 and "a link" in output and "regenerated: 1 of" in output
    assert state_of(tmp_path) == before


def test_memory_does_not_follow_the_size_of_files(tmp_path, tree):
    for path in ("data/tiny/models/a.nc", "figures/tiny/p/f.png", "data/tiny/manifest.json"):
        with (tree / path).open("r+b") as file:
            file.truncate(1 << 30)
    code, _, peak = audited(tree, tmp_path)
    assert code == 1 and peak < MOST_MEGABYTES
    limited = "import resource, sys; resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30)); "
    limited += "from logzoo.cli.main import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", limited, "info", str(tree / "data/tiny/models/a.nc")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and "it has no seal" in done.stderr
