"""HTTP downloads that cannot hang: bounded waits, few redirects, each unreachable host tried once."""

from urllib.parse import urlsplit

import requests

from logzoo.datasets.unpacking import CHUNK_BYTES

MAX_REDIRECTS = 5
CONNECT_SECONDS = 3.0
STALL_SECONDS = 10.0


class Rejected(Exception):
    """A source gave no usable bytes; the arguments are the short reason and, where there is one, its detail."""


class Downloader:
    """Streams URLs and remembers, for its own lifetime, which hosts cannot be reached.

    timeout: seconds; it bounds the wait for a connection (3 s at most) and for the next bytes (10 s at most).
    """

    def __init__(self, timeout):
        self._timeouts = (min(timeout, CONNECT_SECONDS), min(timeout, STALL_SECONDS))
        self._unreachable = set()
        self._session = requests.Session()
        self._session.max_redirects = MAX_REDIRECTS
        self._session.headers["Accept-Encoding"] = "identity"

    def chunks(self, url):
        """Yield the bytes of a URL as they arrive. Raises Rejected."""
        with self._open(url) as response:
            if response.status_code != 200:
                raise Rejected(f"HTTP {response.status_code}")
            # Some servers label a stored .gz file as an encoding; the file is what comes over the wire.
            response.raw.headers.pop("Content-Encoding", None)
            try:
                yield from response.iter_content(CHUNK_BYTES)
            except requests.RequestException as error:
                raise Rejected("broke off") from error

    def _open(self, url):
        host = urlsplit(url).netloc
        if host in self._unreachable:
            raise Rejected("host was unreachable before")
        try:
            return self._session.get(url, stream=True, timeout=self._timeouts)
        except (requests.ConnectionError, requests.Timeout) as error:
            self._unreachable.add(host)
            reason = "no answer in time" if isinstance(error, requests.Timeout) else "cannot connect"
            raise Rejected(reason) from error
        except requests.TooManyRedirects as error:
            raise Rejected(f"more than {MAX_REDIRECTS} redirects") from error
        except requests.RequestException as error:
            raise Rejected(f"request failed: {type(error).__name__}") from error
