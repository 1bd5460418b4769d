"""The published results of this repository: sound by themselves, and every claim that fails with its cause."""

import pytest
from projects import ROOT

from logzoo.artifacts.netcdf import read_artifact
from logzoo.audit.published import PUBLISHED, audit_published, read_published
from logzoo.reporting.scorecard import entries
from logzoo.reporting.verdicts import NOT_REPRODUCED, NOT_TESTED

RESULTS = ROOT / "results"
SCALES = sorted(path.parent.name for path in RESULTS.glob(f"*/{PUBLISHED}"))


def card_of(scale):
    return entries(read_artifact(RESULTS / scale / f"data/{scale}/scorecard.nc", "scorecard"))


def test_the_decisive_run_is_published_whole():
    assert "decisive" in SCALES
    assert read_published(RESULTS / "decisive")["complete"]


@pytest.mark.parametrize("scale", SCALES)
def test_an_audit_of_published_results_finds_no_fault(scale):
    assert audit_published(RESULTS / scale, remake=False).faults == []


@pytest.mark.nightly
@pytest.mark.parametrize("scale", SCALES)
def test_published_figures_and_verdicts_are_what_the_present_code_makes(scale):
    findings = audit_published(RESULTS / scale)
    assert findings.faults == []
    assert findings.checks["replay"] > 100


@pytest.mark.parametrize("scale", SCALES)
def test_claims_that_are_not_reproduced_or_tested_say_why(scale):
    silent = [
        row["id"] for row in card_of(scale) if row["verdict"] in (NOT_REPRODUCED, NOT_TESTED) and not row["reason"]
    ]
    assert silent == []
