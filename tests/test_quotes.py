"""What pages quote of published results: as the results have it, in this repository too; marks that name nothing."""

import re
import shutil
from pathlib import Path

import pytest
from projects import ROOT

from logzoo.io.netcdf import read_artifact
from replication.reporting import quotes
from replication.reporting.quotes import requoted
from replication.reporting.scorecard import entries, summary
from replication.reporting.verdicts import NOT_REPRODUCED, NOT_TESTED, NUMBERS, UNDECIDED, VERDICTS, table_of_claims

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/[!_]*.md"))]
PAGE = "docs/page.md"
TABLE = "trk-cost"


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A project with published results."""
    root, parts = (
        tmp_path_factory.mktemp("quotes"),
        ("data/decisive/scorecard.nc", "data/decisive/manifest.json", "figures"),
    )
    for part in parts:
        source, target = ROOT / "results/decisive" / part, root / "results/decisive" / part
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copyfile)(source, target)
    return root


@pytest.fixture(scope="module")
def card(root):
    return read_artifact(root / "results/decisive/data/decisive/scorecard.nc", "scorecard")


def quoted(name, root):
    text = requoted(f"before <!-- decisive: {name} -->old<!-- / --> after <!-- no mark --> it", PAGE, root)
    start, end = f"before <!-- decisive: {name} -->", "<!-- / --> after <!-- no mark --> it"
    assert text.startswith(start) and text.endswith(end)
    return text.removeprefix(start).removesuffix(end)


def test_claims_are_quoted_by_number_and_verdict(root, card):
    for row in entries(card):
        assert quoted(row["id"], root) == row["number"]
        assert quoted(f"verdict {row['id']}", root) == VERDICTS[row["verdict"]]
    assert quoted("summary", root) == summary(card, "decisive")


def test_lists_have_every_claim_of_their_verdict_once(root, card):
    for name, verdict in (("findings", NOT_REPRODUCED), ("undecided", UNDECIDED), ("untested", NOT_TESTED)):
        lines = [line for line in quoted(name, root).splitlines() if line]
        of_it = [row for row in entries(card) if row["verdict"] == verdict]
        assert len(lines) == len(of_it)
        for line, row in zip(lines, of_it, strict=True):
            assert row["claim"] in line and f"`{row['id']}`" in line and row["reason"] in line
            assert verdict == NOT_TESTED or row["number"] in line
    rows = quoted("papers", root).strip().splitlines()[2:]
    counts = [[int(cell) for cell in row.split("|")[2:-1]] for row in rows]
    said = list(card["verdict"].values)
    assert [sum(column) for column in zip(*counts, strict=True)] == [said.count(verdict) for verdict in VERDICTS]


def test_pictures_are_linked_from_the_folder_of_the_page(root):
    links = re.findall(r"\]\(([^)]+)\)", "".join(quoted(name, root) for name in ("findings", "undecided")))
    assert links and all((root / "docs" / link).resolve().is_file() for link in links)


def test_a_table_is_that_of_the_results(root):
    rows = quoted(f"table {TABLE}", root).strip()
    assert (
        rows.startswith("| ") and rows in (root / f"results/decisive/figures/decisive/tracking/{TABLE}.md").read_text()
    )


@pytest.mark.parametrize("name", ["rts-f99-x", "verdict rts-f99-x", "table rts-f99", "words"])
def test_marks_that_name_nothing_are_refused(root, name):
    with pytest.raises(ValueError, match=rf"^docs/page.md: <!-- decisive: {name} -->: expected .*, found '{name}'$"):
        quoted(name, root)
    with pytest.raises(ValueError, match="results/huge/data/huge/scorecard.nc: no such file"):
        requoted(f"<!-- huge: {name} --><!-- / -->", PAGE, root)


@pytest.mark.parametrize(
    ("numbers", "times"),
    [
        # (value, low, high, at_least, at_most)
        ((1.0, 0.0, 2.0, 0.5, float("nan")), "4"),
        ((0.4, 0.2, 0.6, 0.5, float("nan")), "4"),
        ((3.0, 1.0, 5.0, float("nan"), 2.0), "4"),
        ((1.0, -1.0, 2.0, 0.0, 3.0), "4"),
        ((1.0, -2.0, 3.0, 0.0, 1.5), "16"),
        # of logarithms
        ((1.0, 0.25, 4.0, float("nan"), 2.0), "4"),
        ((1.0, 0.25, 4.0, -1.0, 2.0), "4"),
        ((4.0, 1.0, 16.0, 0.0, 2.0), "4"),
        ((1.0, 0.0, 2.0, 1.0, float("nan")), None),
        ((1.0, float("nan"), float("nan"), 0.5, float("nan")), None),
    ],
)
def test_how_many_repeats_would_decide(numbers, times):
    row = table_of_claims({"a": dict(zip(NUMBERS, numbers, strict=True))}, {}).sel(id="a")
    said = quotes._to_decide(row, 0.5)
    decided = f"Where the value stays as it is, {times} times the repeats decide it"
    assert said == f"{decided}, in at most {int(times) / 2:g} core-hours." if times else said.startswith("No number")
    assert quotes._to_decide(row) == (f"{decided}." if times else said)


def test_an_interval_that_ends_on_its_bound_is_all_but_decided():
    row = table_of_claims({"a": dict(zip(NUMBERS, (1.0, 1.0, 2.0, 2.0, float("nan")), strict=True))}, {}).sel(id="a")
    assert quotes._to_decide(row, 0.5).startswith("The interval ends on the bound")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_quote_the_published_results_as_they_are(page):
    text = page.read_text()
    assert requoted(text, str(page.relative_to(ROOT)), ROOT) == text


def test_a_typed_number_is_found(root, card):
    name = str(card["id"].values[0])
    text = requoted(f"It is <!-- decisive: {name} -->.<!-- / -->.", PAGE, root)
    assert requoted(text, PAGE, root) == text
    typed = text.replace(entries(card)[0]["number"], "0.123")
    assert typed != text and requoted(typed, PAGE, root) == text
    assert Path(root, PAGE).exists() is False
