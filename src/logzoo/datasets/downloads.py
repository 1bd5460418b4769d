"""HTTP downloads that cannot hang: bounded waits, few redirects, each unreachable host tried once."""

import queue
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

import requests
from tqdm import tqdm

from logzoo.datasets.unpacking import CHUNK_BYTES

MAX_REDIRECTS = 5
CONNECT_SECONDS = 3.0
STALL_SECONDS = 10.0


class DownloadFailed(Exception):
    """A URL did not give its bytes; the message is the short reason."""


class Downloader:
    """Streams URLs and remembers, for its own lifetime, which hosts cannot be reached.

    timeout: seconds; it bounds the wait for a connection (3 s at most) and for the next bytes (10 s at most).
    """

    def __init__(self, timeout: float, progress: bool):
        self._timeouts = (min(timeout, CONNECT_SECONDS), min(timeout, STALL_SECONDS))
        self._hide_progress = None if progress else True  # None: shown on a terminal only
        self._unreachable: set[str] = set()

    def chunks(self, url: str) -> Iterator[bytes]:
        """Yield the bytes of a URL as they arrive. Raises DownloadFailed."""
        response = self._open(url)
        with response:
            if response.status_code != 200:
                raise DownloadFailed(f"HTTP {response.status_code}")
            # Some servers label a stored .gz file as an encoding; the file is what comes over the wire.
            response.raw.headers.pop("Content-Encoding", None)
            length = response.headers.get("Content-Length", "")
            total = int(length) if length.isdecimal() else None
            name = urlsplit(url).path.rpartition("/")[2]
            with tqdm(desc=name, total=total, unit="B", unit_scale=True, disable=self._hide_progress) as bar:
                try:
                    for chunk in response.iter_content(CHUNK_BYTES):
                        bar.update(len(chunk))
                        yield chunk
                except requests.RequestException as error:
                    raise DownloadFailed("broke off") from error

    def _open(self, url: str) -> requests.Response:
        host = urlsplit(url).netloc
        if host in self._unreachable:
            raise DownloadFailed("host was unreachable before")
        # The timeouts of a request hold for each address of a host and each redirect, and not at all for name
        # look-up; waiting for a thread bounds them together. A thread given up ends by itself.
        answers: queue.SimpleQueue = queue.SimpleQueue()
        threading.Thread(target=self._request, args=(url, answers), daemon=True).start()
        try:
            answer = answers.get(timeout=sum(self._timeouts))
        except queue.Empty:
            answer = requests.Timeout()
        if isinstance(answer, requests.Response):
            return answer
        if isinstance(answer, requests.Timeout):
            self._unreachable.add(host)
            raise DownloadFailed("no answer in time")
        if isinstance(answer, requests.ConnectionError):
            self._unreachable.add(host)
            raise DownloadFailed("cannot connect")
        if isinstance(answer, requests.TooManyRedirects):
            raise DownloadFailed(f"more than {MAX_REDIRECTS} redirects")
        raise DownloadFailed(f"request failed: {type(answer).__name__}")

    def _request(self, url: str, answers: queue.SimpleQueue) -> None:
        try:
            with requests.Session() as session:
                session.max_redirects = MAX_REDIRECTS
                headers = {"Accept-Encoding": "identity"}
                answers.put(session.get(url, stream=True, timeout=self._timeouts, headers=headers))
        except Exception as error:  # handed to the waiting thread, which names it
            answers.put(error)
