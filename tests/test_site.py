"""The site that Sphinx makes of docs/: it builds without a warning, and loads nothing from elsewhere."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest
from browser import Browser, find_chromium
from projects import ROOT, catalogue_of, closed_environment

import logzoo
from logzoo.estimators.estimator_registry import ESTIMATORS

# Attributes by which a page loads something at once; a link is followed when somebody asks.
_LOADING = ("src", "srcset", "data", "poster")
_BY_STYLE = re.compile(r"(?:url\(|@import)\s*['\"]?(?!data:)([a-z]+:)?//", re.IGNORECASE)
DOCS = ROOT / "docs"
EXTENSIONS = DOCS / "_extensions"


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
        """Addresses elsewhere from which pages and styles load."""
        found = [
            f"{name} loads {address}"
            for name, page in self.pages.items()
            for address in page.loaded
            if urlsplit(address).netloc or urlsplit(address).scheme not in ("", "data")
        ]
        styles = (path for path in self.folder.rglob("*.css") if _BY_STYLE.search(path.read_text()))
        return found + [f"{path.name} loads from a network" for path in styles]

    def broken(self):
        """Targets of links, and loaded files, that do not exist."""
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


def build(source, target):
    """Build a site, warnings being errors, with no way out to the network."""
    options = ["-q", "-W", "--keep-going", "-d", target.parent / "trees"]
    command = [sys.executable, "-m", "sphinx", *options, source, target]
    return subprocess.run(command, env=closed_environment(ROOT), capture_output=True, text=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site").resolve() / "html"
    done = build(DOCS, folder)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return Site(folder)


@pytest.fixture
def extensions(monkeypatch):
    monkeypatch.syspath_prepend(EXTENSIONS)


def test_every_file_has_its_page(site):
    pages = {path.relative_to(DOCS).with_suffix(".html").as_posix() for path in DOCS.rglob("*.md")}
    assert pages | {"search.html"} <= set(site.pages)
    # Content from elsewhere in the repository is shown, not only linked to.
    for page, words in {
        "index.html": "Two commands",
        "notebook.html": "Methods at the same budget",
        "reference/configuration.html": "missing_data: stand-in",
        "reference/data.html": "sha256 of every file of the last run",
        "reference/changes.html": f"{logzoo.__version__} (unreleased)",
    }.items():
        assert words in site.pages[page].text, page


def test_every_public_name_is_described_with_its_fields(site, extensions):
    from public_names import example_of

    page = site.pages["reference/api.html"]
    fields = {
        f"{name}.{field}"
        for name in logzoo.__all__
        if isinstance(obj := getattr(logzoo, name), type)
        for field in obj.__annotations__
    }
    assert {"Estimate.reasons", "TrainingRun.trace", "RBM.weights"} <= fields
    assert {f"logzoo.{name}" for name in {*logzoo.__all__, *fields}} <= page.ids
    assert "Alias for field" not in page.text
    # The summary: a row for each, with an example.
    rows = page.text.partition("example ")[2]
    for name in logzoo.__all__:
        assert f"#logzoo.{name}" in page.links and example_of(name) in rows, name


def test_every_estimator_has_a_page_that_says_how_to_call_it(site):
    pages = [page for name, page in site.pages.items() if name.startswith("estimators/") and "README" not in name]
    for method in ESTIMATORS:
        assert any(re.search(rf"(?<![\w-]){method}(?![\w-])", page.code) for page in pages), method


def test_every_figure_and_table_is_in_the_gallery_with_its_claims(site):
    page, catalogue = site.pages["gallery.html"], catalogue_of()
    assert {*catalogue.shown, *catalogue.config["papers"]} <= page.ids
    for shown in catalogue.shown.values():
        for text in (shown.title, shown.caption, *(claim.text for claim in shown.claims.values()), *shown.claims):
            assert " ".join(text.replace("`", "").split()) in page.text, text


def test_every_option_of_the_command_line_is_described(site, extensions):
    from command_line import commands

    page = site.pages["reference/command-line.html"]
    for name, parser in commands().items():
        assert name.replace(" ", "-") in page.ids
        for action in parser._actions:
            told = [*action.option_strings, parser._get_formatter()._expand_help(action)]
            assert all(" ".join(text.split()) in page.text for text in told), action


def test_every_setting_is_described_with_its_type(site, extensions):
    from settings_reference import sections, type_of

    page, found = site.pages["reference/configuration.html"], sections()
    assert {name: found[name][0] for name in ("Training", "KnownModel", "Address")} == {
        "Training": "models.<name>.train",
        "KnownModel": "models.<name>",
        "Address": "sources.<name>.files.<name>.sources.<number>",
    }
    for name, (path, schema) in found.items():
        assert f"settings-{name.lower()}" in page.ids and path in page.text
        for field in schema["properties"].values():
            texts = (field["description"], type_of(field))
            assert all(" ".join(text.replace("`", "").split()) in page.text for text in texts), field


def test_nothing_is_loaded_from_a_network_and_all_links_lead_somewhere(site):
    assert site.from_networks() == [] and site.broken() == []


@pytest.mark.skipif(find_chromium() is None, reason="no Chromium")
@pytest.mark.parametrize("name", ["index", "gallery", "reference/api"])
def test_a_browser_has_nothing_to_complain_of(site, name, tmp_path):
    with Browser(find_chromium(), tmp_path) as browser:
        for width in (360, 1280):
            browser.open((site.folder / f"{name}.html").as_uri(), width=width)
            assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert browser.complaints() == []
            blocks, buttons = (
                browser.evaluate(f"document.querySelectorAll('{one}').length") for one in (".highlight", ".copy")
            )
            assert buttons == blocks
            assert all(address.startswith("file:") for address in browser.requests())
