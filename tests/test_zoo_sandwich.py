"""log Z from both sides: below and above the truth on average, unless the exact draws at the start miss a mode."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from logzoo.budgets import SweepLedger
from logzoo.models.known.exact_draws import exact_draws, groups
from logzoo.models.known.families import known
from logzoo.paths import log_odds
from logzoo.streams import root_stream
from replication.papers.zoo.zoo_experiments import both_sides, upper_side

REPLICATES, CHAINS, SWEEPS = 400, 10, 20
SMALL = {"twins": {"visible": 40, "hidden": 20, "odds": 2.0}, "ising-torus": {"side": 6, "coupling": 0.5}}


def made(family, **options):
    """RBM, its log Z, and exact draws."""
    rbm, log_z, _ = known(family, 0, **options)
    return rbm, log_z, exact_draws(rbm, 2000, np.random.default_rng(0))


@pytest.mark.parametrize("family", SMALL)
def test_the_truth_lies_between_the_two_sides(family, monkeypatch):
    rbm, log_z, data = made(family, **SMALL[family])
    monkeypatch.setattr("replication.papers.zoo.zoo_experiments.matched_base", lambda dataset: log_odds(dataset))
    sizes = {"lower": ["ais", "smc"], "budgets": [SWEEPS], "replicates": REPLICATES, "chains": CHAINS}
    result = both_sides({"model": rbm.to_dataset(), "dataset": data}, stream=root_stream(1), **sizes)
    errors = result["log_z"].sel(budget=SWEEPS).values - log_z
    low, resampled, high = ttest_1samp(errors, 0.0, axis=-1).statistic
    assert low < -3.0 and resampled < -3.0 and high > 3.0
    # Without bias before the logarithm: Zhat from below, 1 / Zhat from above.
    for side, sign in enumerate((1.0, 1.0, -1.0)):
        ratio = np.exp(sign * errors[side])
        assert abs(ratio.mean() - 1.0) < 4.0 * ratio.std() / np.sqrt(REPLICATES)


def test_draws_of_one_mode_alone_are_no_upper_side():
    """From draws of the narrow mode alone log Z is too low, by at most the mass of the wide mode."""
    odds = 3.0
    rbm, log_z, data = made("wide-narrow", visible=200, hidden=100, odds=odds)
    along = np.abs((data - 0.5) @ groups(rbm)[0][:, 0])
    narrow = along > 0.5 * along.max()
    assert narrow.mean() == pytest.approx(1.0 / (1.0 + odds), abs=0.05)
    errors = {}
    for name, starts in (("all", data), ("narrow", data[narrow])):
        upper = [
            upper_side(rbm, SweepLedger(400, CHAINS), root_stream(2).child(name, number), part, log_odds(data))
            for number, part in enumerate(np.array_split(starts[: 20 * CHAINS], 20))
        ]
        errors[name] = np.array(upper) - log_z
    assert abs(ttest_1samp(errors["all"], 0.0).statistic) < 4.0
    assert ttest_1samp(errors["narrow"], 0.0).statistic < -6.0
    # log Z loses at most the mass of the wide mode.
    assert -np.log(1.0 + odds) - 0.2 < errors["narrow"].mean()
