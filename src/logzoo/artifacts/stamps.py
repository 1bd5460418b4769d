"""Stamps of pictures and pages: what they were made from, and a hash that shows whether they were changed since.

A stamp is {"inputs": {path: content hash}, "parameters": digest, "source": digest}. It lies in a text chunk of a PNG,
in the keywords of a PDF, in a comment at the end of HTML or Markdown, each time beside the sha256 of all the rest.
"""

import hashlib
import json
import re
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path

# Of a picture that no job drew.
UNKNOWN = {"inputs": {}, "parameters": "", "source": ""}
_PNG_END = b"\0\0\0\0IEND\xaeB`\x82"
_PNG_KEY = b"logzoo\0"
_NO_DIGEST = "0" * 64
_IN_PDF = re.compile(rb'/Keywords \(logzoo (\{[^()\\]*"sha256":")([0-9a-f]{64})("[^()\\]*\})\)')
_IN_TEXT = re.compile(r"<!-- logzoo (\{[^\n]*\}) -->\n\Z")


def stamped_png(content: bytes, stamp: Mapping) -> bytes:
    """Put a stamp into the bytes of a PNG that has none."""
    text = _json(stamp, hashlib.sha256(content + _json(stamp).encode()).hexdigest()).encode()
    chunk = b"tEXt" + _PNG_KEY + text
    block = struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
    return content.removesuffix(_PNG_END) + block + _PNG_END


def keywords(stamp: Mapping) -> str:
    """Keywords that a PDF must be written with, so that `stamped_pdf` finds where the hash belongs."""
    return f"logzoo {_json(stamp, _NO_DIGEST)}"


def stamped_pdf(content: bytes) -> bytes:
    """Put the hash of a PDF into the keywords that it was written with."""
    found = _IN_PDF.search(content)
    digest = hashlib.sha256(content).hexdigest().encode()
    return content[: found.start(2)] + digest + content[found.end(2) :]


def stamped_text(text: str, stamp: Mapping) -> str:
    """Put a stamp at the end of HTML or Markdown that has none."""
    digest = hashlib.sha256((text + _json(stamp)).encode()).hexdigest()
    # Two hyphens would end the comment.
    comment = _json(stamp, digest).replace("--", "\\u002d\\u002d")
    return f"{text}<!-- logzoo {comment} -->\n"


def without_stamp(text: str) -> str:
    """HTML or Markdown without its stamp, if it has one."""
    return _IN_TEXT.sub("", text)


def read_stamp(name: str, content: bytes) -> dict:
    """The stamp of a file from its bytes; `name` ends in .png, .pdf, .html or .md.

    Raises ValueError, a phrase, if there is none, or if the file is not what was stamped.
    """
    read = {".png": _from_png, ".pdf": _from_pdf}.get(Path(name).suffix, _from_text)
    try:
        stamp, again = read(content)
    except (ValueError, KeyError, TypeError, AttributeError, struct.error):
        raise ValueError("no stamp that can be read") from None
    if again != content:
        raise ValueError("other bytes than were stamped")
    return stamp


def _from_png(content: bytes) -> tuple[dict, bytes]:
    """The stamp, and what the file must be if nothing was changed."""
    tail = content.removesuffix(_PNG_END)
    start = tail.rindex(b"tEXt" + _PNG_KEY)
    stamp = _stamp_of(tail[start + 4 + len(_PNG_KEY) : -4])
    return stamp, stamped_png(tail[: start - 4] + _PNG_END, stamp)


def _from_pdf(content: bytes) -> tuple[dict, bytes]:
    found = _IN_PDF.search(content)
    stamp = _stamp_of(b"".join(found.groups()))
    return stamp, stamped_pdf(content[: found.start(2)] + _NO_DIGEST.encode() + content[found.end(2) :])


def _from_text(content: bytes) -> tuple[dict, bytes]:
    text = content.decode()
    found = _IN_TEXT.search(text)
    stamp = _stamp_of(found[1].encode())
    return stamp, stamped_text(text[: found.start()], stamp).encode()


def _stamp_of(text: bytes) -> dict:
    content = json.loads(text)
    return {key: content[key] for key in ("inputs", "parameters", "source")}


def _json(stamp: Mapping, digest: str | None = None) -> str:
    content = dict(stamp) if digest is None else {**stamp, "sha256": digest}
    return json.dumps(content, sort_keys=True, separators=(",", ":"))
