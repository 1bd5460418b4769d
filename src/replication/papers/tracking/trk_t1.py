"""Tracking table 1: test log-likelihoods on the data sets of the NADE benchmark.

Log-likelihoods are means in nats, beside the published values if there are any. The spread of one AIS weight is √n
times the standard error of the mean of n weights, one for each chain. Papers quote either number. The published models
are the best models with up to 1,000 hidden units. Desjardins et al. (2011), table 1.
"""

import numpy as np

from replication.claim import Claim, Power, Size
from replication.papers.declaration import Here
from replication.papers.repeats import over_finite
from replication.papers.tracking.trk_checks import KNOWN
from replication.papers.tracking.trk_text import grid_size, inputs, rows
from replication.reporting.statistics import mean
from replication.types import Artifacts, Statistics

__all__ = ["CLAIMS", "inputs", "rows", "sizes", "statistics"]

_KNOWN = f"data sets on whose best model the standard error of AIS is at most {KNOWN:g} nats"
CLAIMS = {
    "close": Claim(
        "The tracker performs very well in comparison with AIS, on all data sets",
        "section 4, table 1",
        "|tracked - AIS| is 1.56 nats on average, 0.46 to 4.19",
        f"mean |tracked - AIS| of the test log-likelihood [nat] over {_KNOWN}",
    ),
    "level": Claim(
        "Test likelihoods of the best models, by AIS",
        "section 4, table 1",
        "-15.70 to -271.23, mean difference 0",
        f"mean test log-likelihood [nat] by AIS less the published one, over {_KNOWN}",
    ),
    "rungs": Claim(
        "As many as 1e5 intermediate distributions do not lower the variance of AIS",
        "section 4, table 1",
        "proved unsuccessful",
        "spread of one AIS weight over their mean with 1e5 distributions, over that with 21,000, of the best model of a"
        " data set; geometric mean over data sets. A quick run takes fewer of both",
        at_least=1.0,
        bound="unsuccessful: the variance is not lower",
        scale="log",
        power=Power(1.25, 0.2, "a factor of 1.25; spread of eight short pilots, 0.08, and room for heavier tails"),
    ),
}


def sizes(here: Here) -> Size:
    """Our sizes beside the published sizes (section 4). The paper does not print the number of updates."""
    grid = here.config["grids"][here.entry["grid"]]
    published = {"hidden units": 1_000, "updates": None, "settings of a data set": 192}
    return grid_size(here, published, repeats=len(grid["datasets"]))


def statistics(artifacts: Artifacts) -> Statistics:
    models = artifacts["best"].values()
    tracked, ais, error, spread, further = (
        np.array([float(best.get(name, np.nan)) for best in models])
        for name in (
            "test_log_likelihood_tracked",
            "test_log_likelihood_ais",
            "ais_std_error",
            "ais_weight_spread",
            "ais_weight_spread_long",
        )
    )
    # Published numbers do not apply to stand-in data.
    published = np.array([best.attrs.get("published_ais", np.nan) for best in models])
    known = error <= KNOWN
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(further / spread)
    return {
        "close": over_finite(mean, np.abs(tracked - ais)[known], scale="log"),
        "level": over_finite(mean, (ais - published)[known]),
        "rungs": over_finite(lambda values: np.exp(mean(values)), ratio, scale="log"),
    }
