"""The published results of this repository: sound by themselves, and every claim that fails with its cause."""

import pytest
from projects import ROOT

from logzoo.io.netcdf import read_artifact
from replication.audit.manifest import read_manifest
from replication.audit.tree import audit
from replication.reporting.scorecard import entries
from replication.reporting.verdicts import NOT_REPRODUCED, NOT_TESTED

RESULTS = ROOT / "results"
SCALES = sorted(path.parent.name for path in RESULTS.glob("*/data"))


def card_of(scale):
    return entries(read_artifact(RESULTS / scale / f"data/{scale}/scorecard.nc", "scorecard"))


def test_the_decisive_run_is_published():
    assert "decisive" in SCALES and read_manifest(RESULTS / "decisive", "decisive").left_out


@pytest.mark.parametrize("scale", SCALES)
def test_an_audit_of_published_results_finds_no_fault(scale):
    assert audit(RESULTS / scale).faults == []


@pytest.mark.parametrize("scale", SCALES)
def test_claims_that_are_not_reproduced_or_tested_say_why(scale):
    silent = [
        row["id"] for row in card_of(scale) if row["verdict"] in (NOT_REPRODUCED, NOT_TESTED) and not row["reason"]
    ]
    assert silent == []
