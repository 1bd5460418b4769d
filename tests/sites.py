"""A site of HTML pages: what is on it, what its pages load, and links that lead nowhere."""

import re
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

# Attributes by which a page loads something at once; a link is followed when somebody asks.
_LOADING = ("src", "srcset", "data", "poster")
_BY_STYLE = re.compile(r"(?:url\(|@import)\s*['\"]?(?!data:)([a-z]+:)?//", re.IGNORECASE)


class Page(HTMLParser):
    """The ids, links, text and code of a page, and the addresses that it loads."""

    def __init__(self, path):
        super().__init__()
        self.path, self.ids, self.links, self.loaded = path, set(), [], []
        self._texts, self._codes, self._in_code = [], [], 0
        self.feed(path.read_text())
        self.text, self.code = (" ".join("".join(texts).split()) for texts in (self._texts, self._codes))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self._in_code += tag == "code"
        self.ids.add(found.get("id"))
        self.loaded += [found[key] for key in _LOADING if found.get(key)]
        if "href" in found:
            (self.links if tag == "a" else self.loaded).append(found["href"])

    def handle_endtag(self, tag):
        self._in_code -= tag == "code"
        self._codes.append(" ")

    def handle_data(self, data):
        self._texts.append(data)
        if self._in_code:
            self._codes.append(data)


class Site:
    """All pages below a folder, by path from there."""

    def __init__(self, folder):
        self.folder = folder
        paths = sorted(folder.rglob("*.html"))
        self.pages = {path.relative_to(folder).as_posix(): Page(path) for path in paths}

    def from_networks(self):
        """What pages and styles load from elsewhere."""
        found = [
            f"{name} loads {address}"
            for name, page in self.pages.items()
            for address in page.loaded
            if urlsplit(address).netloc or urlsplit(address).scheme not in ("", "data")
        ]
        styles = (path for path in self.folder.rglob("*.css") if _BY_STYLE.search(path.read_text()))
        return found + [f"{path.name} loads from a network" for path in styles]

    def broken(self):
        """Links, and what is loaded, that are not there."""
        return [
            f"{name}: {address}"
            for name, page in self.pages.items()
            for address in {*page.links, *page.loaded}
            if not self._leads_somewhere(page, address)
        ]

    def _leads_somewhere(self, page, address):
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            return True
        path = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
        if not path.is_file():
            return False
        target = self.pages.get(path.relative_to(self.folder).as_posix())
        return target is None or not parts.fragment or unquote(parts.fragment) in target.ids
