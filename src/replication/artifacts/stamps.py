"""Stamps of pictures and pages: what they were made from.

A stamp is {"inputs": {path: content hash}, "parameters": digest, "source": digest}, as JSON. It lies in a text chunk of
a PNG, in the keywords of a PDF, in a comment at the end of HTML or Markdown.
"""

import json
import re
from pathlib import Path

# Of a picture that no job drew.
UNKNOWN = {"inputs": {}, "parameters": "", "source": ""}
_BEFORE = {".png": b"tEXtlogzoo\0", ".pdf": b"/Keywords (logzoo "}
_BEFORE_IN_TEXT = b"<!-- logzoo "
_IN_TEXT = re.compile(r"<!-- logzoo \{[^\n]*\} -->\n\Z")


def picture_metadata(stamp):
    """Metadata with a stamp for matplotlib to write into a PNG and a PDF."""
    return {"png": {"logzoo": _json(stamp)}, "pdf": {"Keywords": f"logzoo {_json(stamp)}"}}


def stamped_text(text, stamp):
    """Put a stamp at the end of HTML or Markdown that has none."""
    # Two hyphens would end the comment.
    comment = _json(stamp).replace("--", "\\u002d\\u002d")
    return f"{text}<!-- logzoo {comment} -->\n"


def without_stamp(text):
    """HTML or Markdown without its stamp, if it has one."""
    return _IN_TEXT.sub("", text)


def read_stamp(name, content):
    """The stamp in the bytes of a .png, .pdf, .html or .md file of that name; ValueError, a phrase, if none."""
    before = _BEFORE.get(Path(name).suffix, _BEFORE_IN_TEXT)
    try:
        start = content.rindex(before) + len(before)
        stamp, _ = json.JSONDecoder().raw_decode(content[start:].decode("latin-1"))
        stamp = {key: stamp[key] for key in UNKNOWN}
        texts = [*stamp["inputs"].values(), stamp["parameters"], stamp["source"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ValueError("no stamp that can be read") from None
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("no stamp that can be read")
    return stamp


def _json(stamp):
    return json.dumps(stamp, sort_keys=True, separators=(",", ":"))
