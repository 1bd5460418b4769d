"""The audit of a stranger's tree runs, writes, follows and asks for nothing that the tree names."""

import http.server
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hostile_trees import MOST_MEGABYTES, MUTATIONS, audited, draws_of, jobs_in_the_manifest, mutate, state_of
from projects import ROOT
from trees import Tree


@pytest.fixture(scope="module")
def server():
    """A server on loopback that counts requests."""
    requests = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            requests.append(self.path)
            self.send_error(404)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}/file", requests
        running.shutdown()


@pytest.fixture(scope="module")
def trees(tmp_path_factory):
    """A small tree, and the published results."""
    return Tree(tmp_path_factory.mktemp("hostile") / "small").write(), ROOT / "results/decisive"


def drilled(place, trees, server, number):
    """What went wrong in the audit of one mutated tree, as a list of texts."""
    url, requests = server
    draws, asked = draws_of(number), len(requests)
    outside, home, tree = place / "outside", place / "home", place / "outside/results"
    outside.mkdir(parents=True)
    home.mkdir()
    (outside / "precious.txt").write_text("precious")
    (home / "precious.txt").write_text("precious")
    # Every twentieth is of the published results, of which two files are regenerated.
    regenerates = number % 20 == 10
    shutil.copytree(trees[regenerates], tree)
    done = mutate(tree, outside, url, draws)
    before = state_of(place)
    arguments = ["--regenerate", "2", "--seed", str(number)] if regenerates else []
    code, output, peak = audited(tree, home, *arguments)
    wrong = [] if state_of(place) == before else [f"changed: {set(state_of(place).items()) ^ set(before.items())}"]
    wrong += [f"asked for {requests[asked:]}"] if len(requests) > asked else []
    wrong += [f"{peak:.0f} MB"] if peak > MOST_MEGABYTES else []
    wrong += [f"exit code {code}: {output[-300:]}"] if code not in (0, 1) or "Traceback" in output else []
    shutil.rmtree(place)
    return [f"{number} {done}: {text}" for text in wrong]


def test_hostile_trees_change_nothing_and_ask_for_nothing(tmp_path, trees, server):
    assert [text for number in range(10) for text in drilled(tmp_path / str(number), trees, server, number)] == []


@pytest.mark.nightly
def test_500_hostile_trees_change_nothing_and_ask_for_nothing(tmp_path, trees, server):
    assert [text for number in range(500) for text in drilled(tmp_path / str(number), trees, server, number)] == []


def test_the_drill_sees_a_planted_write_and_a_planted_request(tmp_path, trees, server):
    import urllib.error
    import urllib.request

    outside = tmp_path / "outside"
    outside.mkdir()
    before = state_of(tmp_path)
    (outside / "new").write_text("x")
    assert state_of(tmp_path) != before
    asked = len(server[1])
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(server[0])
    assert len(server[1]) == asked + 1


def test_jobs_that_a_manifest_names_are_no_jobs(tmp_path, trees, server):
    tree, precious = Path(shutil.copytree(trees[1], tmp_path / "tree")), tmp_path / "precious.txt"
    precious.write_text("precious")
    asked = len(server[1])
    jobs_in_the_manifest(tree, tmp_path, server[0], draws_of(0))
    code, output, _ = audited(tree, tmp_path)
    assert code == 1 and "not a manifest" in output
    assert precious.read_text() == "precious" and len(server[1]) == asked


def test_regenerating_writes_through_no_link(tmp_path, trees):
    tree, precious = Path(shutil.copytree(trees[1], tmp_path / "tree")), tmp_path / "precious.nc"
    linked = tree / "data/decisive/tables/lv-t1.nc"
    precious.write_bytes(linked.read_bytes())
    linked.unlink()
    linked.symlink_to(precious)
    before = state_of(tmp_path)
    code, output, _ = audited(tree, tmp_path, "--regenerate", "2")
    assert code == 1 and "a link" in output and "regenerated: 2 of" in output
    assert state_of(tmp_path) == before


def test_no_report_is_written_through_a_link_of_the_tree(tmp_path, trees):
    tree, precious = Path(shutil.copytree(trees[0], tmp_path / "tree")), tmp_path / "precious.txt"
    precious.write_text("precious")
    (tree / "audit.json").symlink_to(precious)
    assert audited(tree, tmp_path)[0] == 0
    assert precious.read_text() == "precious"


def test_memory_does_not_follow_the_size_of_files(tmp_path, trees):
    tree = Path(shutil.copytree(trees[0], tmp_path / "tree"))
    for path in ("data/tiny/models/a.nc", "figures/tiny/p/f.png", "data/tiny/manifest.json"):
        with (tree / path).open("r+b") as file:
            file.truncate(2 << 30)
    code, _, peak = audited(tree, tmp_path)
    assert code == 1 and peak < MOST_MEGABYTES
    limited = "import resource, sys; resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30)); "
    limited += "from logzoo.cli.main import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", limited, "info", str(tree / "data/tiny/models/a.nc")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and "it has no seal" in done.stderr


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_each_mutation_changes_a_tree(tmp_path, trees, mutation):
    tree = Path(shutil.copytree(trees[0], tmp_path / "tree"))
    (tmp_path / "precious.txt").write_text("precious")
    before = state_of(tree)
    mutation(tree, tmp_path, "http://127.0.0.1:9/", draws_of(1))
    assert state_of(tree) != before
