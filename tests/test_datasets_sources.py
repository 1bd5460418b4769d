"""Fetching raw files: order of sources, verification, failures, and that nothing half-written stays."""

import contextlib
import gzip
import hashlib
import logging
import re
import socket
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests

from logzoo.datasets import sources
from logzoo.datasets.sources import SourcesExhausted, digests, fetch, mirror_folders

CONTENT = b"0 1 1 0\n" * 5000
PACKED = gzip.compress(CONTENT, mtime=0)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


WHOLE = {"Content-Length": str(len(CONTENT))}
# What the server answers: content, headers and status.
ANSWERS = {
    "/good": (CONTENT,),
    "/wrong": (CONTENT[::-1],),
    "/packed": (PACKED, {"Content-Encoding": "gzip"}),
    "/truncated": (CONTENT[:-9], WHOLE),
    "/stall": (CONTENT[:100], WHOLE),
    "/flood": (b"", {"Content-Length": str(1 << 40)}),
    "/drip": (CONTENT[:1], WHOLE),
    "/loop": (b"", {"Location": "/loop"}, 302),
    "/astray": (b"", {"Location": "http://[::1"}, 302),
}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.requests[self.path] += 1
        if self.path != "/silent":
            self._answer(*ANSWERS[self.path])
        if self.path in ("/stall", "/silent"):
            self.server.finished.wait(20)
        elif self.path in ("/flood", "/drip"):
            self._send_on(*((b"0" * (1 << 16), 0.0) if self.path == "/flood" else (b"0" * 1000, 0.05)))

    def _answer(self, content, headers=(), status=200):
        self.send_response(status)
        for key, value in {"Content-Length": str(len(content)), **dict(headers)}.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(content)

    def _send_on(self, content, pause):
        with contextlib.suppress(OSError):  # until the client closes the connection
            while not self.server.finished.wait(pause):
                self.wfile.write(content)
                self.server.sent += len(content)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "*")
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.requests, running.finished, running.sent = Counter(), threading.Event(), 0
        running.url = f"http://127.0.0.1:{running.server_port}"
        thread = threading.Thread(target=running.serve_forever, args=(0.02,))
        thread.start()
        yield running
        running.finished.set()
        running.shutdown()
        thread.join()


@pytest.fixture
def closed_port(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "*")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{probe.getsockname()[1]}"  # bound but not listening: connections are refused


def write(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def files(*sources: dict, **checksum: str) -> dict:
    return {"a.txt": {**(checksum or {"sha256": sha256(CONTENT)}), "sources": list(sources)}}


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(sources, "TIMEOUTS", (1.0, 1.0))


def fetch_quietly(entry: dict, folder: Path, *mirrors: Path) -> dict:
    return fetch("toy", entry, folder, mirrors=mirrors)


def assert_exhausted(entry: dict, folder: Path, *mirrors: Path, match: str = "") -> None:
    """Fetching fails, and leaves nothing."""
    with pytest.raises(SourcesExhausted, match=match or None):
        fetch("toy", entry, folder, mirrors=mirrors)
    assert list(folder.iterdir()) == []


def test_mirror_folders_defaults_and_variable():
    assert mirror_folders({}) == [Path("data/mirror"), Path("../shared/datasets")]
    assert mirror_folders({"LOGZOO_MIRROR": ""}) == []
    assert mirror_folders({"LOGZOO_MIRROR": ":one::two/three:"}) == [Path("one"), Path("two/three")]


def test_digests_agree_with_git(tmp_path):
    blob = "ce013625030ba8dba906f756967f9e9ca394464a"  # echo hello | git hash-object --stdin
    found = digests(write(tmp_path / "hello", b"hello\n"))
    assert (found.git_blob, found.sha256, found.bytes) == (blob, sha256(b"hello\n"), 6)


def test_sources_are_tried_in_order_and_the_manifest_is_the_same_each_time(tmp_path, server):
    write(tmp_path / "mirror/toy/a.txt", CONTENT)
    entry = files({"file": "toy/a.txt"}, {"url": f"{server.url}/good"})
    expected = {"sha256": sha256(CONTENT), "bytes": len(CONTENT), "source": "mirror:toy/a.txt"}
    for attempt in ("first", "second"):
        manifest = fetch_quietly(entry, tmp_path / attempt, tmp_path / "absent", tmp_path / "mirror")
        assert manifest == {"name": "toy", "files": {"a.txt": expected}}
    assert not server.requests and (tmp_path / "first/a.txt").read_bytes() == CONTENT
    write(tmp_path / "third/a.txt", CONTENT[:-1])
    for expected in (f"{server.url}/good", "kept"):
        assert fetch_quietly(entry, tmp_path / "third")["files"]["a.txt"]["source"] == expected
    assert (tmp_path / "third/a.txt").read_bytes() == CONTENT and server.requests == {"/good": 1}


def test_wrong_bytes_are_rejected_by_name_and_the_next_source_is_used(tmp_path, server, caplog):
    contents = {"bad": b"other", "good": CONTENT}
    mirrors = [write(tmp_path / name / "a.txt", content).parent for name, content in contents.items()]
    entry = files({"url": f"{server.url}/astray"}, {"url": f"{server.url}/wrong"}, {"file": "a.txt"})
    manifest = fetch_quietly(entry, tmp_path / "raw", *mirrors)
    assert manifest["files"]["a.txt"]["source"] == "mirror:a.txt"
    assert (tmp_path / "raw/a.txt").read_bytes() == CONTENT
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert len(warnings) == 3 and "/astray" in warnings[0]
    rejected = ((f"{server.url}/wrong", CONTENT[::-1]), ("mirror:a.txt", b"other"))
    for warning, (label, content) in zip(warnings[1:], rejected, strict=True):
        assert all(part in warning for part in ("a.txt", label, sha256(CONTENT), sha256(content)))


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/truncated", "ChunkedEncodingError"),
        ("/stall", "ConnectionError"),
        ("/silent", "ReadTimeout"),
        ("/loop", "TooManyRedirects"),
    ],
)
def test_a_failing_url_leaves_nothing_and_is_named(tmp_path, server, monkeypatch, path, reason):
    monkeypatch.setattr(sources, "TIMEOUTS", (0.4, 0.4))
    started, match = time.monotonic(), re.escape(f"{server.url}{path} ({reason})")
    assert_exhausted(files({"url": server.url + path}), tmp_path / "raw", match=match)
    assert time.monotonic() - started < 3


def test_a_source_that_never_ends_costs_a_bounded_time_and_its_host_is_left_alone(tmp_path, server, monkeypatch):
    monkeypatch.setattr(sources, "TOTAL_SECONDS", 0.5)
    entry = files({"url": f"{server.url}/drip"}, {"url": f"{server.url}/good"})
    started = time.monotonic()
    match = r"/drip \(too slow\); .*/good \(host was unreachable before\)"
    assert_exhausted(entry, tmp_path, match=match)
    assert time.monotonic() - started < 3


@pytest.mark.parametrize("stated", [True, False])
def test_no_more_is_read_than_a_file_should_have(tmp_path, server, monkeypatch, stated):
    monkeypatch.setattr(sources, "MOST_BYTES", 2 * len(CONTENT))
    entry = files({"url": f"{server.url}/flood"}, {"url": f"{server.url}/good"})
    entry["a.txt"] |= {"bytes": len(CONTENT)} if stated else {}
    assert fetch_quietly(entry, tmp_path)["files"]["a.txt"]["source"] == f"{server.url}/good"
    # The server notices that the client has gone after the data on its way has arrived: a moment, on a busy machine.
    sent, end = -1, time.monotonic() + 10
    while sent != server.sent and time.monotonic() < end:
        sent = server.sent
        time.sleep(0.2)
    assert server.sent == sent < 1 << 26
    assert_exhausted(files({"url": f"{server.url}/flood"}), tmp_path / "no", match=r"/flood \(too long\)")


def test_a_dead_host_is_tried_once_for_all_files(tmp_path, closed_port, monkeypatch):
    attempts, get = [], requests.get
    monkeypatch.setattr(requests, "get", lambda url, **options: attempts.append(url) or get(url, **options))
    write(tmp_path / "mirror/a.txt", CONTENT)
    entry, started = files({"url": f"{closed_port}/x"}, {"file": "a.txt"})["a.txt"], time.monotonic()
    fetch_quietly({f"{number}.txt": entry for number in range(4)}, tmp_path / "raw", tmp_path / "mirror")
    assert time.monotonic() - started < 3
    assert len(attempts) == 1 and len(list((tmp_path / "raw").iterdir())) == 4


def test_gzip_source_is_verified_before_and_after_unpacking(tmp_path, server):
    write(tmp_path / "mirror/a.gz", PACKED)
    packed = {"file": "a.gz", "gzip": True, "sha256": sha256(PACKED)}
    for source in (packed, {"url": f"{server.url}/packed", "gzip": True, "sha256": sha256(PACKED)}):
        folder = tmp_path / next(iter(source))
        fetch_quietly(files(source), folder, tmp_path / "mirror")
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"a.txt": CONTENT}
    damaged = write(tmp_path / "mirror/damaged.gz", PACKED[:-20])
    cut = {"file": "damaged.gz", "gzip": True, "sha256": sha256(damaged.read_bytes())}
    for source, checksum, reason in [
        ({**packed, "sha256": "0" * 64}, sha256(CONTENT), "wrong bytes"),
        (packed, "0" * 64, "wrong bytes"),
        (cut, sha256(CONTENT), "unpacked"),
    ]:
        assert_exhausted(files(source, sha256=checksum), tmp_path / "raw", tmp_path / "mirror", match=reason)


def test_git_blob_can_stand_for_sha256(tmp_path):
    right = digests(write(tmp_path / "mirror/a.txt", CONTENT)).git_blob
    manifest = fetch_quietly(files({"file": "a.txt"}, git_blob=right), tmp_path / "raw", tmp_path / "mirror")
    assert manifest["files"]["a.txt"]["sha256"] == sha256(CONTENT)
    wrong = files({"file": "a.txt"}, git_blob="0" * 40)
    assert_exhausted(wrong, tmp_path / "no", tmp_path / "mirror", match="wrong bytes")


def test_another_accepted_form_is_stored_and_kept(tmp_path):
    other = write(tmp_path / "mirror/other.txt", CONTENT + b"more\n")
    source = {"file": "other.txt", "git_blob": digests(other).git_blob}
    for expected in ("mirror:other.txt", "kept"):
        manifest = fetch_quietly(files(source), tmp_path / "raw", tmp_path / "mirror")
        assert manifest["files"]["a.txt"]["source"] == expected
    assert (tmp_path / "raw/a.txt").read_bytes() == CONTENT + b"more\n"


def test_bytes_without_any_checksum_are_never_accepted(tmp_path):
    write(tmp_path / "mirror/a.txt", CONTENT)
    assert_exhausted({"a.txt": {"sources": [{"file": "a.txt"}]}}, tmp_path / "raw", tmp_path / "mirror")
