"""Check pages by parsing them; faults are listed one per line."""

import base64
import io
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from PIL import Image

# JavaScript that lists texts of too little contrast.
LOOK = Path(__file__).with_name("look.js").read_text()
VOID = {"meta", "img", "input", "br", "link", "hr"}
HEADINGS = [f"h{level}" for level in range(1, 7)]
REFERENCES = ("aria-labelledby", "aria-describedby", "for")


class Element:
    def __init__(self, tag, attributes, parent):
        self.tag, self.attributes, self.parent, self.text = tag, attributes, parent, ""

    def inside(self, tag):
        one = self.parent
        while one is not None and one.tag != tag:
            one = one.parent
        return one


class Page(HTMLParser):
    """All elements of a page in order, each with its text, and tags that do not match."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.faults, self._open = [], [], []
        self.feed(text)
        self.close()
        self.faults += [f"<{one.tag}> is not closed" for one in self._open]

    def handle_starttag(self, tag, attributes):
        element = Element(tag, dict(attributes), self._open[-1] if self._open else None)
        if len(element.attributes) < len(attributes):
            self.faults.append(f"<{tag}> has an attribute twice")
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag):
        if not self._open or self._open[-1].tag != tag:
            self.faults.append(f"</{tag}> where {self._open[-1].tag if self._open else 'nothing'} is open")
        else:
            self._open.pop()

    def handle_data(self, data):
        for one in self._open:
            one.text += data

    def all(self, *tags):
        return [one for one in self.elements if one.tag in tags]


def faults(path):
    """All faults of the page at this path, whose links are followed."""
    page = Page(Path(path).read_text())
    found = page.faults + _of_the_document(page) + _of_ids(page) + _of_images(page) + _of_tables(page)
    ids = {one.attributes.get("id") for one in page.elements}
    pictured = {one.inside("a") for one in page.all("img")}
    for one in page.all("a"):
        found += _of_link(one, ids, pictured, Path(path).parent)
    for one in page.elements:
        for key in ("src", "srcset", "action", "data", "poster"):
            if one.tag != "img" and key in one.attributes:
                found.append(f"<{one.tag}> loads {one.attributes[key]}")
    return found


def _of_the_document(page):
    found = []
    if [one.attributes.get("lang") for one in page.all("html")] != ["en"]:
        found.append("no language")
    if not any(one.attributes.get("name") == "viewport" for one in page.all("meta")):
        found.append("no viewport")
    if len(page.all("title")) != 1 or not page.all("title")[0].text.strip():
        found.append("no title")
    found += [f"{len(page.all(tag))} of <{tag}>" for tag in ("main", "header", "h1") if len(page.all(tag)) != 1]
    levels = [HEADINGS.index(one.tag) for one in page.all(*HEADINGS)]
    if any(after > before + 1 for before, after in zip([-1, *levels], levels, strict=False)):
        found.append("a level of headings is left out")
    found += [f"<{one.tag}> is empty" for one in page.all(*HEADINGS) if not one.text.strip()]
    found += [f"<{one.tag}>" for one in page.all("link", "iframe", "object", "embed", "base")]
    return found


def _of_ids(page):
    ids = [one.attributes["id"] for one in page.elements if "id" in one.attributes]
    found = [f"id {one} twice" for one in set(ids) if ids.count(one) > 1]
    for one in page.elements:
        for key in REFERENCES:
            found += [f"{key}={name} leads nowhere" for name in one.attributes.get(key, "").split() if name not in ids]
    labelled = {one.attributes.get("for") for one in page.all("label")}
    controls = page.all("input", "select")
    return found + [f"<{one.tag}> has no label" for one in controls if one.attributes.get("id") not in labelled]


def _of_images(page):
    found = []
    for one in page.all("img"):
        source, described = one.attributes.get("src", ""), one.attributes.get("alt", "").strip()
        link = one.inside("a") or one.inside("summary")
        if not described and not (link and link.text.strip()):
            found.append("an image has no alternative text")
        if not source.startswith("data:image/webp;base64,"):
            found.append(f"an image is loaded from {source[:60]}")
            continue
        try:
            image = Image.open(io.BytesIO(base64.b64decode(source.partition(",")[2], validate=True)))
            image.load()
        except (OSError, ValueError) as error:
            found.append(f"an image does not decode: {error}")
            continue
        if [str(size) for size in image.size] != [one.attributes.get(key) for key in ("width", "height")]:
            found.append("an image has another size than it says")
    return found


def _of_tables(page):
    found = []
    for table in page.all("table"):
        own = [one for one in page.elements if one.inside("table") is table]
        if not any(one.tag == "caption" and one.text.strip() for one in own):
            found.append("a table has no caption")
        scopes = [one.attributes.get("scope") for one in own if one.tag == "th"]
        if not {"row", "col"} <= set(scopes) or None in scopes:
            found.append("a table has no header cells")
        in_rows = [one.inside("tr") for one in own if one.tag in ("th", "td")]
        if len({in_rows.count(one) for one in own if one.tag == "tr"}) != 1:
            found.append("rows of a table differ in length")
    return found


def _of_link(link, ids, pictured, folder):
    address = link.attributes.get("href", "")
    parts = urlsplit(address)
    if parts.scheme or parts.netloc or address.startswith("/") or not address:
        return [f"a link to {address!r}"]
    if not link.text.strip() and link not in pictured:
        return [f"a link to {address} says nothing"]
    exists = (folder / unquote(parts.path)).is_file() if parts.path else parts.fragment in ids
    return [] if exists else [f"a link to {address}, which is not there"]
