"""The site that Sphinx makes of docs/: it builds without a warning, and everything is on it by itself."""

import re
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest
from browser import Browser, find_chromium
from PIL import Image
from projects import ROOT, catalogue_of, closed_environment
from sites import Site

import logzoo
from logzoo.estimators.estimator_registry import ESTIMATORS
from replication.papers.declaration import Claim

DOCS = ROOT / "docs"
EXTENSIONS = DOCS / "_extensions"


def build(source, target):
    """Build a site, warnings being errors, with no way out to the network."""
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-d",
        target.parent / "trees",
        source,
        target,
    ]
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
    # What stands elsewhere in the repository is shown, not only linked to.
    for page, words in {
        "index.html": "Two commands",
        "notebook.html": "Methods at the same budget",
        "reference/configuration.html": "missing_data: stand-in",
        "reference/data.html": "sha256 of every file of the last run",
        "reference/changes.html": f"{logzoo.__version__} (unreleased)",
    }.items():
        assert words in site.pages[page].text, page


def test_every_public_name_is_described_with_its_fields(site):
    page = site.pages["reference/api.html"]
    fields = {
        f"{name}.{field}"
        for name in logzoo.__all__
        if isinstance(obj := getattr(logzoo, name), type)
        for field in obj.__annotations__
    }
    assert {"Estimate.reasons", "TrainingRun.trace", "RBM.weights"} <= fields
    assert {f"logzoo.{name}" for name in {*logzoo.__all__, *fields}} <= page.ids
    assert 'The default is 10,000 for one method and 200,000 for "auto"' in page.text
    assert "Rigorous bounds of log Z in nats" in page.text and "Alias for field" not in page.text
    assert "2**min(visible, hidden) states" in page.text


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


def test_types_of_settings_are_in_words(extensions):
    from settings_reference import sections, type_of

    fields = {name: schema["properties"] for name, (_, schema) in sections().items()}
    assert {key: type_of(fields["TrainedModel"][key]) for key in ("train", "replicates", "validate", "budgets")} == {
        "train": "section training",
        "replicates": "whole number ≥ 1 or whole number ≥ 1, by name",
        "validate": "true or false",
        "budgets": "list of whole number ≥ 1",
    }
    assert type_of(fields["Race"]["keep"]) == "number > 0 and ≤ 1"
    assert type_of(fields["Settings"]["missing_data"]) == "`stand-in` or `stop`"
    assert all(field["description"] for section in fields.values() for field in section.values())


def test_nothing_is_loaded_from_a_network_and_all_links_lead_somewhere(site):
    assert site.from_networks() == [] and site.broken() == []


def test_links_that_lead_nowhere_and_loads_are_seen(tmp_path):
    (tmp_path / "a.html").write_text(
        '<p id="here"><a href="#there">1</a><a href="#here">2</a><a href="b.html">3</a><img src="//x.org/a.png">'
    )
    (tmp_path / "c.css").write_text("@import 'https://x.org/font.css';")
    found = Site(tmp_path)
    assert sorted(found.broken()) == ["a.html: #there", "a.html: b.html"]
    assert found.from_networks() == ["a.html loads //x.org/a.png", "c.css loads from a network"]


@pytest.mark.skipif(find_chromium() is None, reason="no Chromium")
@pytest.mark.parametrize("name", ["index", "gallery", "reference/api", "estimators/rts"])
def test_a_browser_has_nothing_to_complain_of(site, name, tmp_path):
    with Browser(find_chromium(), tmp_path) as browser:
        for width in (360, 1280):
            browser.open((site.folder / f"{name}.html").as_uri(), width=width)
            assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert browser.complaints() == []
            assert all(address.startswith("file:") for address in browser.requests())


def test_a_repository_is_linked_by_rule_and_a_dead_link_stops_the_build(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (tmp_path / "code").mkdir()
    (tmp_path / "code/README.md").write_text(
        "# Code\n\n[a file](a.py), [a page](../docs/page.md#part), [all](../code)\n"
    )
    (tmp_path / "code/a.py").write_text("answer = 42\n")
    (tmp_path / "NOTES.md").write_text("No page shows this.\n")
    (docs / "code.md").write_text("[Code](../code/README.md)\n")
    (docs / "page.md").write_text(
        "# Page\n\n## Part\n\n[code](../code/README.md), [a](../code/a.py), [notes](../NOTES.md)\n\n    import a\n"
    )
    (docs / "index.md").write_text("# Index\n\n```{toctree}\ncode\npage\n```\n")
    conf = f"import sys\nsys.path.append({str(EXTENSIONS)!r})\nextensions = ['myst_parser', 'repository', 'blocks']\n"
    (docs / "conf.py").write_text(f"{conf}highlight_language, myst_heading_anchors = 'none', 4\n")
    done = build(docs, tmp_path / "html")
    assert done.returncode == 0, done.stderr
    found = Site(tmp_path / "html")
    assert found.broken() == []
    assert {"page.html#part", "#"} <= set(found.pages["code.html"].links)
    assert "code.html" in found.pages["page.html"].links
    assert "highlight-python" in (tmp_path / "html/page.html").read_text()
    assert {path.name for path in (tmp_path / "html/_downloads").rglob("*.*")} == {"a.py", "NOTES.md"}
    (docs / "page.md").write_text("# Page\n\n[nothing](../code/b.py)\n")
    dead = build(docs, tmp_path / "html")
    assert dead.returncode == 1 and "../code/b.py" in dead.stderr


def test_the_gallery_shows_the_best_run_that_is_there(extensions, tmp_path):
    import gallery

    shown = SimpleNamespace(paper="rts", name="rts-f1", is_table=False)
    assert gallery.made(shown, tmp_path) is None
    for run in reversed(gallery.RUNS):
        picture = tmp_path / run / "rts/rts-f1.png"
        picture.parent.mkdir(parents=True)
        Image.new("L", (2, 2)).save(picture)
        assert gallery.made(shown, tmp_path) == picture
    assert gallery.verdicts_beside(picture) == {}
    (picture.parent.parent / "scorecard.csv").write_text(
        "id,verdict,statistic,value,low,high,reason\nrts-f1-exact,reproduced,error [nat],0.25,0.125,0.5,as it should\n"
    )
    row = gallery.verdicts_beside(picture)["rts-f1-exact"]
    claim = Claim("It is small", "none visible", at_most=1.0, why="It was large.")
    published, verdict, reason = gallery.said_of(claim, row)
    assert (published, reason) == ("Published: none visible.", "As it should.")
    assert verdict == "Reproduced: error [nat], 0.25 [0.125, 0.5], claimed at most 1."
    assert gallery.said_of(claim, None)[1:] == [
        "Holds if its statistic is at most 1.",
        "Where it is not reproduced: It was large.",
    ]
    assert gallery.said_of(Claim("a", "b", not_tested="no data."), None)[1:] == ["Not tested: no data."]


def test_blocks_are_taken_for_what_they_are(extensions):
    from blocks import language_of

    languages = [language_of(text) for text in ("a = b()", "log Z = 3 nat", "pip install x", "word")]
    assert languages == ["python", "none", "bash", "none"]


def test_an_estimator_without_a_page_is_noticed(site, tmp_path):
    shutil.copytree(site.folder / "estimators", tmp_path / "estimators")
    (tmp_path / "estimators/ti.html").unlink()
    with pytest.raises(AssertionError, match="ti-"):
        test_every_estimator_has_a_page_that_says_how_to_call_it(Site(tmp_path))
