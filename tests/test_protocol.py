"""The protocol is complete, equals the committed file, and keeps false verdicts rare."""

import importlib
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from projects import ROOT, catalogue_of

from replication import project
from replication.claim import BOUNDS
from replication.protocol import PAGE, has_verdict, protocol_digest, protocol_page, standing
from replication.reporting.statistics import holm
from replication.reporting.verdicts import DECIDED, NOT_TESTED, judge, tail_of

PAPER = catalogue_of("config/paper.yaml")
NULLS = [importlib.import_module(f"nulls_{name}") for name in ("rts", "tracking", "swapping", "las_vegas")]
FAMILIES = 200


def test_the_committed_protocol_is_that_of_the_paper_scale():
    assert (ROOT / PAGE).read_text() == protocol_page(PAPER)
    command = [sys.executable, "-m", "replication", "protocol", "--configfile", "config/paper.yaml"]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout == protocol_page(PAPER)


@pytest.mark.parametrize("name", PAPER.claims)
def test_every_claim_says_what_decides_it(name):
    entry = PAPER.claims[name]
    assert entry["claim"] and entry["published"]
    if "not_tested" in entry:
        return
    assert entry["measured"] and entry["size"] and entry["level"] and entry["repeats"] > 0
    if any(bound in entry for bound in BOUNDS):
        assert entry["where"] and entry["bound"]
    if has_verdict(entry):
        assert 0.0 < entry["power"] <= 1.0 and entry["power_from"]


def test_the_digest_changes_with_a_bound_or_the_seed_and_not_with_a_cause():
    digest = protocol_digest(PAPER)
    assert digest != protocol_digest(project.catalogue_of("config/paper.yaml", folder=ROOT, over={"seed": 1}))
    changed = project.catalogue_of("config/paper.yaml", folder=ROOT)
    name = next(name for name, entry in changed.claims.items() if has_verdict(entry))
    shown = changed.shown[changed.claims[name]["figure"]]
    shown.claim_entries[name]["why"] = "of another cause"
    assert protocol_digest(changed) == digest
    shown.claim_entries[name]["bound"] = "other words"
    assert protocol_digest(changed) != digest


def test_verdicts_under_another_protocol_or_under_none_say_so(tmp_path):
    digest = protocol_digest(PAPER)
    assert standing(digest, "paper", ROOT).endswith(f"protocol {digest}.")
    assert "another protocol" in standing("0" * 16, "paper", ROOT)
    assert "No protocol" in standing(digest, "quick", ROOT) and "No protocol" in standing(digest, "paper", tmp_path)


def test_false_verdicts_are_rare_on_each_claim_and_on_all_together():
    """Every truth lies on its bound, so that each verdict is false."""
    generator, false, families = np.random.default_rng(20261128), Counter(), 0
    claims = {name: entry for name, entry in PAPER.claims.items() if has_verdict(entry)}
    for _ in range(FAMILIES):
        statistics = {name: value for module in NULLS for name, value in module.null_statistics(generator).items()}
        assert statistics.keys() >= claims.keys()
        verdicts = {name: judge(entry, statistics[name]) for name, entry in claims.items()}
        assert NOT_TESTED not in verdicts.values()
        decided = [name for name, verdict in verdicts.items() if verdict in DECIDED]
        holds = holm({name: tail_of(entry, statistics[name]) for name, entry in claims.items()})
        families += any(holds[name] for name in decided)
        false.update(decided)
    # Of 200 at 5%, more than 20 are decided with a probability of 0.001.
    assert max(false.values()) <= 20
    # The nulls of every paper can be decided.
    assert {name.partition("-")[0] for name in false} == {name.partition("-")[0] for name in claims}
    # Three standard errors above 5%.
    assert families / FAMILIES <= 0.05 + 3.0 * np.sqrt(0.05 * 0.95 / FAMILIES)
    # Without the correction some claim or other is decided in nearly every family.
    assert false.total() > FAMILIES
