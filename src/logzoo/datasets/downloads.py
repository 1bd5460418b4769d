"""Downloads by pooch with limits: on size and time of a file, and one attempt for a host that does not answer."""

import time
from urllib.parse import urlsplit

import pooch
import requests

CONNECT_SECONDS = 3.0
STALL_SECONDS = 10.0
# For one file: the largest of ours at 130 kB/s.
TOTAL_SECONDS = 600.0


class Rejected(Exception):
    """A source gave no usable bytes; the arguments are the short reason and, where there is one, its detail."""


class TooSlow(Rejected):
    """A source did not give the whole file in time."""


class LimitedFile:
    """An open file for pooch to write to: it takes at most `most` bytes, and none after `seconds`."""

    def __init__(self, file, most, seconds):
        self._file, self._left, self._seconds = file, most, seconds
        self._end = time.monotonic() + seconds

    def write(self, piece):
        self._left -= len(piece)
        if self._left < 0:
            raise Rejected("too long", "more bytes than it should have")
        if time.monotonic() > self._end:
            raise TooSlow("too slow", f"not complete after {self._seconds:g} s")
        self._file.write(piece)

    def flush(self):
        """Leave it to the file, for pooch calls this after each kilobyte."""


class Downloader:
    """Downloads files and remembers, for its own lifetime, which hosts cannot be reached or are too slow.

    timeout: seconds; it bounds the wait for a connection (3 s at most) and for the next bytes (10 s at most).
    """

    def __init__(self, timeout):
        self._unreachable = set()
        timeouts = (min(timeout, CONNECT_SECONDS), min(timeout, STALL_SECONDS))
        options = {"headers": {"Accept-Encoding": "identity"}, "hooks": {"response": _without_encoding}}
        self._download = pooch.HTTPDownloader(timeout=timeouts, **options)

    def __call__(self, url, file):
        """Write the bytes of a URL to a LimitedFile. Raises Rejected."""
        host = urlsplit(url).netloc
        if host in self._unreachable:
            raise Rejected("host was unreachable before")
        try:
            self._download(url, file, None)
        except requests.HTTPError as error:
            status = "error" if error.response is None else error.response.status_code
            raise Rejected(f"HTTP {status}") from error
        except TooSlow:
            self._unreachable.add(host)
            raise
        # A redirect may lead to any text; requests lets ValueErrors of urllib3 and of codecs through.
        except (requests.RequestException, ValueError) as error:
            if isinstance(error, requests.ConnectionError | requests.Timeout):
                self._unreachable.add(host)
            raise Rejected(type(error).__name__, " ".join(str(error).split())) from error


def _without_encoding(response, **_):
    # Some servers label a stored .gz file as an encoding; the file is what comes over the wire.
    response.raw.headers.pop("Content-Encoding", None)
