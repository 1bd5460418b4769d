"""The site that Sphinx makes of docs/: it builds without a warning, and loads nothing from elsewhere."""

import re
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest
from projects import ROOT, catalogue_of, run_module

import logzoo
from logzoo.estimators.estimator_registry import ESTIMATORS
from replication.claim import Claim

# Attributes whose addresses a page loads at once, unlike those of links.
_LOADING = ("src", "srcset", "data", "poster")
_BY_STYLE = re.compile(r"(?:url\(|@import)\s*['\"]?(?!data:)([a-z]+:)?//", re.IGNORECASE)
DOCS = ROOT / "docs"
EXTENSIONS = DOCS / "_extensions"


class Page(HTMLParser):
    """The ids, links, text and code of a page, and the addresses that it loads."""

    def __init__(self, path):
        super().__init__()
        self.path, self.ids, self.links, self.loaded, self._texts = path, set(), [], [], []
        content = path.read_text()
        self.feed(content)
        self.text = " ".join("".join(self._texts).split())
        self.code = re.sub(r"<[^>]*>", " ", " ".join(re.findall(r"<code\b.*?</code>", content, re.DOTALL)))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.ids.add(values.get("id"))
        self.loaded += [values[key] for key in _LOADING if values.get(key)]
        if "href" in values:
            (self.links if tag == "a" else self.loaded).append(values["href"])

    def handle_data(self, data):
        self._texts.append(data)


class Site:
    """All pages below a folder, by path from there."""

    def __init__(self, folder):
        self.folder = folder
        self.pages = {path.relative_to(folder).as_posix(): Page(path) for path in folder.rglob("*.html")}

    def from_networks(self):
        """Addresses elsewhere from which pages and styles load."""
        loaded = {(name, address) for name, page in self.pages.items() for address in page.loaded}
        styles = {(path.name, "a network") for path in self.folder.rglob("*.css") if _BY_STYLE.search(path.read_text())}
        local = ("", "data")
        return styles | {row for row in loaded if urlsplit(row[1]).netloc or urlsplit(row[1]).scheme not in local}

    def broken(self):
        """Targets of links, and loaded files, that do not exist."""
        links = [(page, address) for page in self.pages.values() for address in {*page.links, *page.loaded}]
        return [(str(page.path), address) for page, address in links if not self._leads_somewhere(page, address)]

    def _leads_somewhere(self, page, address):
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            return True
        path = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
        if not path.is_file():
            return False
        target = self.pages.get(path.relative_to(self.folder).as_posix())
        return target is None or not parts.fragment or unquote(parts.fragment) in target.ids


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built with warnings as errors and without network access."""
    folder = tmp_path_factory.mktemp("site").resolve() / "html"
    done = run_module(ROOT, "sphinx", "-q", "-W", "--keep-going", "-d", folder.parent / "trees", DOCS, folder)
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
        "reference/data.html": "SHA-256 of every file of the last run",
        "reference/changes.html": f"{logzoo.__version__} (unreleased)",
    }.items():
        assert words in site.pages[page].text, page


def test_every_public_name_is_described_with_its_fields(site, extensions):
    from public_names import example_of

    page = site.pages["reference/api.html"]
    classes = {name: obj for name in logzoo.__all__ if isinstance(obj := getattr(logzoo, name), type)}
    fields = {f"{name}.{field}" for name, obj in classes.items() for field in obj.__annotations__}
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


def test_the_gallery_shows_a_verdict_with_the_claim_and_bounds_that_the_run_tested(extensions):
    from gallery import said_of

    row = {"claim": "twice", "at_least": "2.0", "at_most": "", "value": "3.0", "low": "2.5", "high": "3.5"}
    row |= {"verdict": "reproduced", "statistic": "ratio", "reason": ""}
    text = " ".join(said_of(Claim("more", published="more", at_least=1.0), row))
    assert "earlier form of the claim: twice." in text and "3 [2.5, 3.5], claimed at least 2." in text
    assert "earlier" not in " ".join(said_of(Claim("twice", at_least=2.0), row))


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
    paths = ["models.<name>.train", "models.<name>", "sources.<name>.files.<name>.sources.<number>"]
    assert [found[name][0] for name in ("Training", "KnownModel", "Address")] == paths
    for name, (path, schema) in found.items():
        assert f"settings-{name.lower()}" in page.ids and path in page.text
        for field in schema["properties"].values():
            texts = (field["description"], type_of(field))
            assert all(" ".join(text.replace("`", "").split()) in page.text for text in texts), field


def test_nothing_is_loaded_from_a_network_and_all_links_lead_somewhere(site):
    assert site.from_networks() == set() and site.broken() == []


@pytest.mark.parametrize("name", ["index", "gallery", "reference/api"])
def test_a_browser_has_nothing_to_complain_of(site, browser, name):
    count = "document.querySelectorAll('{}').length"
    for width in (360, 1280):
        browser.open((site.folder / f"{name}.html").as_uri(), width=width)
        assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert browser.complaints() == []
        assert browser.evaluate(count.format(".highlight")) == browser.evaluate(count.format(".copy"))
        assert all(address.startswith("file:") for address in browser.requests())
