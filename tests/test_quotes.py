"""The published results of this repository are sound, and pages quote them as they are."""

import re
import shutil

import pytest
from projects import ROOT

from logzoo.io.netcdf import read_artifact
from replication.audit.manifest import read_manifest
from replication.audit.tree import audit
from replication.reporting import quotes
from replication.reporting.quotes import requoted
from replication.reporting.scorecard import entries, summary
from replication.reporting.verdicts import NOT_REPRODUCED, NOT_TESTED, NUMBERS, UNDECIDED, VERDICTS, table_of_claims

PAGES = quotes.pages(ROOT)
PAGE = "docs/page.md"
RESULTS = ROOT / "results/decisive"
NAN = float("nan")


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A project with published results."""
    root = tmp_path_factory.mktemp("quotes")
    for part in ("data/decisive/scorecard.nc", "data/decisive/manifest.json", "figures"):
        source, target = RESULTS / part, root / "results/decisive" / part
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copyfile)(source, target)
    return root


@pytest.fixture(scope="module")
def card():
    return read_artifact(RESULTS / "data/decisive/scorecard.nc", "scorecard")


def quoted(name, root):
    start, end = f"before <!-- decisive: {name} -->", "<!-- / --> after <!-- no mark --> it"
    text = requoted(f"{start}old{end}", PAGE, root)
    assert text.startswith(start) and text.endswith(end)
    return text.removeprefix(start).removesuffix(end)


def test_claims_are_quoted_by_number_and_verdict(root, card):
    expected = {"summary": summary(card, "decisive")}
    for row in entries(card):
        expected |= {row["id"]: row["number"], f"verdict {row['id']}": VERDICTS[row["verdict"]]}
    marks = "\n".join(f"<!-- decisive: {name} -->old<!-- / -->" for name in expected)
    texts = re.findall(r"-->(.*?)<!-- / -->", requoted(marks, PAGE, root))
    assert texts == list(expected.values())


def test_a_mark_without_end_is_refused(root):
    mark = "<!-- decisive: summary -->"
    for rest in ("kept", f"kept {mark}old<!-- / -->"):
        with pytest.raises(ValueError, match=f"^{PAGE}: {mark}: expected <!-- / --> before the next mark"):
            requoted(mark + rest, PAGE, root)


def test_lists_have_every_claim_of_their_verdict_once(root, card):
    for name, verdict in (("findings", NOT_REPRODUCED), ("undecided", UNDECIDED), ("untested", NOT_TESTED)):
        text = quoted(name, root)
        lines = [line for line in text.splitlines() if line]
        of_it = [row for row in entries(card) if row["verdict"] == verdict]
        assert of_it
        for line, row in zip(lines, of_it, strict=True):
            assert row["claim"] in line and f"`{row['id']}`" in line and row["reason"] in text
            assert verdict == NOT_TESTED or row["number"] in line
    rows = quoted("papers", root).strip().splitlines()[2:]
    counts = [[int(cell) for cell in row.split("|")[2:-1]] for row in rows]
    verdicts, totals = list(card["verdict"].values), [sum(column) for column in zip(*counts, strict=True)]
    assert totals == [count for verdict in VERDICTS if (count := verdicts.count(verdict))]


def test_lists_of_named_figures_have_their_claims_alone(root, card):
    whole, limited = (quoted(name, root).split("\n") for name in ("claims", "claims lv-t1 rts-f3"))
    own = [row["id"] for row in entries(card) if row["figure"] in ("lv-t1", "rts-f3")]
    assert limited == [line for line in whole if not line.startswith("| [") or any(f"[{name}]" in line for name in own)]
    with pytest.raises(ValueError, match="found rts-f33"):
        quoted("findings rts-f33", root)


def test_an_unfinished_run_is_quoted_from_its_verdicts_as_the_finished_run_is(root, card, tmp_path):
    for part in ("data/decisive/verdicts", "figures"):
        shutil.copytree(RESULTS / part, tmp_path / "results/decisive" / part)
    for name, least in (("claims", 100), ("findings", 20)):
        finished, unfinished = (quoted(name, folder).splitlines() for folder in (root, tmp_path))
        assert len(unfinished) > least and {*unfinished} <= {*finished}


def test_pictures_are_linked_from_the_folder_of_the_page(root):
    links = re.findall(r"\]\(([^)]+)\)", "".join(quoted(name, root) for name in ("findings", "undecided")))
    assert links and all((root / "docs" / link).resolve().is_file() for link in links)


@pytest.mark.parametrize(
    ("numbers", "times"),
    [
        # (value, low, high, at_least, at_most)
        ((0.4, 0.2, 0.6, 0.5, NAN), "4"),
        ((4e-5, 2e-5, 6e-5, 5e-5, NAN), "4"),  # of small numbers
        ((1.0, -2.0, 3.0, 0.0, 1.5), "16"),
        ((1.0, 0.25, 4.0, -1.0, 2.0), "4"),  # of logarithms
        ((1.0, 0.0, 2.0, 1.0, NAN), None),
        ((1.0, NAN, NAN, 0.5, NAN), None),
        ((1.0, 1.0, 2.0, 2.0, NAN), ""),  # an interval that ends on its bound
    ],
)
def test_how_many_repeats_would_decide(numbers, times):
    claim = dict.fromkeys(NUMBERS, NAN) | dict(zip(NUMBERS, numbers, strict=False))
    row = table_of_claims({"a": claim}, {}).sel(id="a")
    repeats = re.findall(r"[\d.]+\d|\d+", quotes._to_decide(row, 0.5))
    assert repeats == ([times, f"{int(times) / 2:g}"] if times else [])
    assert re.findall(r"\d+", quotes._to_decide(row)) == ([times] if times else [])
    assert ("few more" in quotes._to_decide(row)) == (times == "")


def test_pages_quote_the_published_results_as_they_are():
    texts = {str(page.relative_to(ROOT)): page.read_text() for page in PAGES}
    assert [page for page, text in texts.items() if requoted(text, page, ROOT) != text] == []


def test_no_quote_breaks_its_paragraph():
    """No quote begins a line, because in Markdown its mark would begin a block of HTML and end the paragraph."""
    lines = {page: re.findall(r"^ *<!--.*?-->\S.*", page.read_text(), re.M) for page in PAGES}
    assert {page: broken for page, broken in lines.items() if broken} == {}


def test_the_decisive_run_is_published_without_a_fault():
    assert read_manifest(RESULTS, "decisive").left_out
    assert audit(RESULTS).faults == []


def test_claims_that_are_not_reproduced_or_tested_say_why(card):
    silent = (NOT_REPRODUCED, NOT_TESTED)
    assert [row["id"] for row in entries(card) if row["verdict"] in silent and not row["reason"]] == []
