"""RTS figure 2: estimators on a mixture of two Gaussians.

Root mean square error of log Z against the number of draws, by six estimators on the same draws of simulated tempering
with Hamiltonian Monte Carlo from a ten-dimensional mixture of two Gaussians. Bands are 95% bootstrap intervals over
repeats. Carlson et al. (2016), figure 2.
"""

import numpy as np

from replication.papers.declaration import Claim
from replication.reporting.statistics import mean_with_band, over_repeats, rmse_with_band, root_mean_square
from replication.reporting.style import TRUTH, finished, look_of, new_figure

CLAIMS = {
    "same": Claim(
        "On a mixture of two Gaussians all estimators are nearly the same (geometric ladder)",
        "all curves close together",
        at_most=1.5,
    )
}
# Rules whose limit is off by less than this many nats are drawn without it.
_VISIBLE_LIMIT = 0.05


def inputs(here):
    sizes = here.chosen("samples", "replicates", "chains", "rungs", "ladder", "initial_draws", "initial_iterations")
    draws = sum(sizes["samples"]) * sizes["replicates"] * sizes["chains"]
    settings = {"stream": ("mixture", here.name), "work": {"Hamiltonian": draws}}
    return {"mixture": here.experiment("replication.papers.rts.mixture:estimators", {}, sizes, **settings)}


def statistics(artifacts):
    """The largest RMSE of any estimator over the smallest, over all numbers of samples."""
    mixture = artifacts["mixture"]
    error = mixture["log_z"].transpose("estimator", "samples", "replicate").values - float(mixture["exact_log_z"])

    def ratio(errors):
        over_samples = np.log(root_mean_square(errors)).mean(axis=-1)
        return np.exp(over_samples.max(axis=1) - over_samples.min(axis=1))

    return {
        "same": over_repeats(
            ratio, error, of="largest / smallest RMSE of the estimators, geometric means", logarithmic=True
        )
    }


def draw(artifacts, *, names):
    """RMSE and mean of log Z of every estimator against the number of samples."""
    mixture = artifacts["mixture"]
    figure = new_figure(9.2, 3.9)
    left, right = figure.subplots(1, 2)
    samples, exact = mixture["samples"].values, float(mixture["exact_log_z"])
    estimators = mixture["estimator"].values
    for position, estimator in enumerate(estimators):
        estimates = mixture.sel(estimator=estimator)
        log_z = estimates["log_z"].transpose("samples", "replicate").values
        look = look_of(estimator, position)
        # Side by side, for lines that all but coincide.
        shift = (position - 0.5 * (len(estimators) - 1)) * 0.012 * np.ptp(samples)
        for axis, (values, band) in ((left, rmse_with_band(log_z, exact)), (right, mean_with_band(log_z))):
            axis.plot(samples + shift, values, label=names[estimator], **look)
            axis.vlines(samples + shift, *band, color=look["color"], alpha=0.45, linewidth=1.2)
        limit = float(estimates["limit"])
        if abs(limit - exact) > _VISIBLE_LIMIT:
            right.axhline(limit, color=look["color"], linestyle=":", linewidth=1.0, label=f"{names[estimator]}, limit")
    right.axhline(exact, color=TRUTH, linestyle="--", label="exact")
    for axis in (left, right):
        axis.set_xticks(samples, [f"{count:,}" for count in samples])
        axis.set_xlabel("samples")
    left.set(ylim=(0.0, None), ylabel=r"RMSE of $\log \hat Z$ [nat]")
    right.set_ylabel(r"mean of $\log \hat Z$ [nat]")
    left.set_title(f"{mixture.sizes['replicate']} repeats, 95% bootstrap bars", loc="right", fontsize=8)
    right.set_title(f"K = {mixture.sizes['rung']}, {mixture.attrs['ladder']} ladder", loc="right", fontsize=8)
    figure.legend(*right.get_legend_handles_labels(), loc="outside right center")
    return finished(figure, mixture, panels=(left, right))
