"""HTTP downloads that cannot hang: bounded waits and time, few redirects, each unreachable host tried once."""

import queue
import threading
import time
from urllib.parse import urlsplit

import requests

from logzoo.datasets.unpacking import CHUNK_BYTES

MAX_REDIRECTS = 5
CONNECT_SECONDS = 3.0
STALL_SECONDS = 10.0
# For one file, from the request to its last byte: the largest of ours at 130 kB/s.
TOTAL_SECONDS = 600.0
# Pieces that wait to be written.
_AHEAD = 4


class Rejected(Exception):
    """A source gave no usable bytes; the arguments are the short reason and, where there is one, its detail."""


class Downloader:
    """Streams URLs and remembers, for its own lifetime, which hosts cannot be reached or are too slow.

    timeout: seconds; it bounds the wait for a connection (3 s at most) and for the next bytes (10 s at most); total:
    seconds for a whole file.
    """

    def __init__(self, timeout, total=TOTAL_SECONDS):
        self._timeouts = (min(timeout, CONNECT_SECONDS), min(timeout, STALL_SECONDS))
        self._total = total
        self._unreachable = set()
        self._session = requests.Session()
        self._session.max_redirects = MAX_REDIRECTS
        self._session.headers["Accept-Encoding"] = "identity"

    def chunks(self, url):
        """Yield the bytes of a URL as they arrive. Raises Rejected.

        Another thread waits for them: a server may keep it busy a byte at a time, even before the first of the file.
        """
        if urlsplit(url).netloc in self._unreachable:
            raise Rejected("host was unreachable before")
        arrived, over = queue.Queue(_AHEAD), threading.Event()
        end = time.monotonic() + self._total
        threading.Thread(target=self._send, args=(url, arrived, over), daemon=True).start()
        try:
            while chunk := self._next(url, arrived, end):
                yield chunk
        finally:
            over.set()

    def _next(self, url, arrived, end):
        """The next piece, empty at the end of the file; an error of the other thread is raised here."""
        try:
            item = arrived.get(timeout=max(end - time.monotonic(), 0.0))
        except queue.Empty:
            self._unreachable.add(urlsplit(url).netloc)
            raise Rejected("too slow", f"not complete after {self._total:g} s") from None
        if isinstance(item, Exception):
            raise item
        return item

    def _send(self, url, arrived, over):
        """Put the pieces of a URL into a queue, at the end an empty one or the error, until nobody wants them."""

        def put(item):
            while not over.is_set():
                try:
                    return arrived.put(item, timeout=0.1)
                except queue.Full:
                    continue

        try:
            with self._open(url) as response:
                for chunk in self._pieces(response):
                    put(chunk)
                    if over.is_set():
                        return
            put(b"")
        except Exception as error:
            put(error)

    @staticmethod
    def _pieces(response):
        if response.status_code != 200:
            raise Rejected(f"HTTP {response.status_code}")
        # Some servers label a stored .gz file as an encoding; the file is what comes over the wire.
        response.raw.headers.pop("Content-Encoding", None)
        try:
            yield from filter(None, response.iter_content(CHUNK_BYTES))
        except requests.RequestException as error:
            raise Rejected("broke off") from error

    def _open(self, url):
        host = urlsplit(url).netloc
        try:
            return self._session.get(url, stream=True, timeout=self._timeouts)
        except (requests.ConnectionError, requests.Timeout) as error:
            self._unreachable.add(host)
            reason = "no answer in time" if isinstance(error, requests.Timeout) else "cannot connect"
            raise Rejected(reason) from error
        except requests.TooManyRedirects as error:
            raise Rejected(f"more than {MAX_REDIRECTS} redirects") from error
        except (requests.RequestException, ValueError) as error:
            # A redirect may lead to any text; requests lets ValueErrors of urllib3 and of codecs through.
            raise Rejected(f"request failed: {type(error).__name__}") from error
