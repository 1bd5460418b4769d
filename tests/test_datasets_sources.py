"""Fetching raw files: order of sources, verification, failures, and that nothing half-written stays."""

import contextlib
import gzip
import hashlib
import logging
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


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.requests[self.path] += 1
        if self.path == "/good":
            self._answer(CONTENT)
        elif self.path == "/wrong":
            self._answer(CONTENT[::-1])
        elif self.path == "/packed":
            self._answer(PACKED, {"Content-Encoding": "gzip"})
        elif self.path == "/truncated":
            self._answer(CONTENT[:-9], {"Content-Length": str(len(CONTENT))})
        elif self.path == "/stall":
            self._answer(CONTENT[:100], {"Content-Length": str(len(CONTENT))})
            self.server.finished.wait(20)
        elif self.path == "/silent":
            self.server.finished.wait(20)
        elif self.path == "/flood":
            self._answer(b"", {"Content-Length": str(1 << 40)})
            self._send_on(b"0" * (1 << 16), 0.0)
        elif self.path == "/drip":
            self._answer(CONTENT[:1], {"Content-Length": str(len(CONTENT))})
            self._send_on(b"0" * 1000, 0.05)
        elif self.path == "/loop":
            self._answer(b"", {"Location": "/loop"}, 302)
        elif self.path == "/astray":
            self._answer(b"", {"Location": "http://[::1"}, 302)
        else:
            self._answer(b"no such file", status=404)

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


def fetch_quietly(entry: dict, folder: Path, mirrors=(), timeout=1.0) -> dict:
    return fetch("toy", entry, folder, mirrors=mirrors, timeout=timeout)


def test_mirror_folders_defaults_and_variable():
    assert mirror_folders({}) == [Path("data/mirror"), Path("../shared/datasets")]
    assert mirror_folders({"LOGZOO_MIRROR": ""}) == []
    assert mirror_folders({"LOGZOO_MIRROR": ":one::two/three:"}) == [Path("one"), Path("two/three")]


def test_digests_agree_with_git(tmp_path):
    found = digests(write(tmp_path / "hello", b"hello\n"))
    assert found.git_blob == "ce013625030ba8dba906f756967f9e9ca394464a"  # echo hello | git hash-object --stdin
    assert (found.sha256, found.bytes) == (sha256(b"hello\n"), 6)


def test_sources_are_tried_in_order_and_the_manifest_is_the_same_each_time(tmp_path, server):
    mirror = tmp_path / "mirror"
    write(mirror / "toy/a.txt", CONTENT)
    entry = files({"file": "toy/a.txt"}, {"url": f"{server.url}/good"})
    expected = {"sha256": sha256(CONTENT), "bytes": len(CONTENT), "source": "mirror:toy/a.txt"}
    for attempt in ("first", "second"):
        manifest = fetch_quietly(entry, tmp_path / attempt, [tmp_path / "absent", mirror])
        assert manifest == {"name": "toy", "files": {"a.txt": expected}}
    assert not server.requests
    assert (tmp_path / "first/a.txt").read_bytes() == CONTENT

    write(tmp_path / "third/a.txt", CONTENT[:-1])
    for expected in (f"{server.url}/good", "kept"):
        assert fetch_quietly(entry, tmp_path / "third")["files"]["a.txt"]["source"] == expected
    assert (tmp_path / "third/a.txt").read_bytes() == CONTENT and server.requests == {"/good": 1}


def test_wrong_bytes_are_rejected_by_name_and_the_next_source_is_used(tmp_path, server, caplog):
    write(tmp_path / "bad_mirror/a.txt", b"other")
    write(tmp_path / "good_mirror/a.txt", CONTENT)
    mirrors = [tmp_path / "bad_mirror", tmp_path / "good_mirror"]
    entry = files({"url": f"{server.url}/astray"}, {"url": f"{server.url}/wrong"}, {"file": "a.txt"})
    manifest = fetch_quietly(entry, tmp_path / "raw", mirrors)
    assert manifest["files"]["a.txt"]["source"] == "mirror:a.txt"
    assert (tmp_path / "raw/a.txt").read_bytes() == CONTENT
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert len(warnings) == 3 and "/astray" in warnings[0]
    for warning, label, content in zip(
        warnings[1:], [f"{server.url}/wrong", "mirror:a.txt"], [CONTENT[::-1], b"other"], strict=True
    ):
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
def test_a_failing_url_leaves_nothing_and_is_named(tmp_path, server, path, reason):
    started = time.monotonic()
    with pytest.raises(SourcesExhausted) as failure:
        fetch_quietly(files({"url": server.url + path}), tmp_path / "raw", timeout=0.4)
    assert time.monotonic() - started < 3
    assert f"{server.url}{path} ({reason})" in str(failure.value)
    assert list((tmp_path / "raw").iterdir()) == []


def test_a_source_that_never_ends_costs_a_bounded_time_and_its_host_is_left_alone(tmp_path, server):
    entry = files({"url": f"{server.url}/drip"}, {"url": f"{server.url}/good"})
    started = time.monotonic()
    with pytest.raises(SourcesExhausted, match=r"/drip \(too slow\); .*/good \(host was unreachable before\)"):
        fetch("toy", entry, tmp_path, mirrors=(), timeout=1.0, total=0.5)
    assert time.monotonic() - started < 3
    assert list(tmp_path.iterdir()) == []


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
    with pytest.raises(SourcesExhausted, match=r"/flood \(too long\)"):
        fetch_quietly(files({"url": f"{server.url}/flood"}), tmp_path / "no")
    assert list((tmp_path / "no").iterdir()) == []


def test_a_dead_host_is_tried_once_for_all_files(tmp_path, closed_port, monkeypatch):
    attempts = []
    get = requests.get

    def counted(url, **options):
        attempts.append(url)
        return get(url, **options)

    monkeypatch.setattr(requests, "get", counted)
    write(tmp_path / "mirror/a.txt", CONTENT)
    place = {"sha256": sha256(CONTENT), "sources": [{"url": f"{closed_port}/x"}, {"file": "a.txt"}]}
    started = time.monotonic()
    fetch_quietly({f"{number}.txt": place for number in range(4)}, tmp_path / "raw", [tmp_path / "mirror"])
    assert time.monotonic() - started < 3
    assert len(attempts) == 1
    assert len(list((tmp_path / "raw").iterdir())) == 4


def test_gzip_source_is_verified_before_and_after_unpacking(tmp_path, server):
    write(tmp_path / "mirror/a.gz", PACKED)
    packed = {"file": "a.gz", "gzip": True, "sha256": sha256(PACKED)}
    for source in (packed, {"url": f"{server.url}/packed", "gzip": True, "sha256": sha256(PACKED)}):
        folder = tmp_path / next(iter(source))
        fetch_quietly(files(source), folder, [tmp_path / "mirror"])
        assert (folder / "a.txt").read_bytes() == CONTENT
        assert [path.name for path in folder.iterdir()] == ["a.txt"]

    damaged = write(tmp_path / "mirror/damaged.gz", PACKED[:-20])
    cut = {"file": "damaged.gz", "gzip": True, "sha256": sha256(damaged.read_bytes())}
    for source, checksum, reason in [
        ({**packed, "sha256": "0" * 64}, sha256(CONTENT), "wrong bytes"),
        (packed, "0" * 64, "wrong bytes"),
        (cut, sha256(CONTENT), "does not unpack"),
    ]:
        with pytest.raises(SourcesExhausted, match=reason):
            fetch_quietly(files(source, sha256=checksum), tmp_path / "raw", [tmp_path / "mirror"])
    assert list((tmp_path / "raw").iterdir()) == []


def test_git_blob_can_stand_for_sha256(tmp_path):
    right = digests(write(tmp_path / "mirror/a.txt", CONTENT)).git_blob
    manifest = fetch_quietly(files({"file": "a.txt"}, git_blob=right), tmp_path / "raw", [tmp_path / "mirror"])
    assert manifest["files"]["a.txt"]["sha256"] == sha256(CONTENT)
    with pytest.raises(SourcesExhausted, match="wrong bytes"):
        fetch_quietly(files({"file": "a.txt"}, git_blob="0" * 40), tmp_path / "no", [tmp_path / "mirror"])


def test_another_accepted_form_is_stored_and_kept(tmp_path):
    other = write(tmp_path / "mirror/other.txt", CONTENT + b"more\n")
    source = {"file": "other.txt", "git_blob": digests(other).git_blob}
    for expected in ("mirror:other.txt", "kept"):
        manifest = fetch_quietly(files(source), tmp_path / "raw", [tmp_path / "mirror"])
        assert manifest["files"]["a.txt"]["source"] == expected
    assert (tmp_path / "raw/a.txt").read_bytes() == CONTENT + b"more\n"


def test_bytes_without_any_checksum_are_never_accepted(tmp_path):
    write(tmp_path / "mirror/a.txt", CONTENT)
    entry = {"a.txt": {"sources": [{"file": "a.txt"}]}}
    with pytest.raises(SourcesExhausted):
        fetch_quietly(entry, tmp_path / "raw", [tmp_path / "mirror"])
    assert list((tmp_path / "raw").iterdir()) == []
