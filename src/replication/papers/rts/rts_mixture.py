"""RTS figures 2 and 6: estimators and step sizes of Hamiltonian Monte Carlo on a mixture of two Gaussians."""

from typing import Any

import numpy as np

from replication.claim import Claim, Size
from replication.papers.declaration import Declaration, Here
from replication.reporting.statistics import (
    mean_with_band,
    over_repeats,
    ratio_of_means,
    ratio_of_rmse,
    rmse_with_band,
    root_mean_square,
)
from replication.reporting.style import TRUTH, finished, label_counts, look_of, new_figure
from replication.types import Artifacts, Figure, Inputs, Names, Statistics

# Limits of estimators are drawn if they differ from the exact log Z by more than this, in nats.
_VISIBLE_LIMIT = 0.05
_LADDER = "the paper names neither the number nor the spacing of the rungs"
_STEP_COLOURS = {"fixed": "#D55E00", "adaptive": "#0072B2"}


def estimator_inputs(here: Here) -> Inputs:
    return _inputs(here, "estimators", "samples", sum(here.entry["samples"]))


def step_inputs(here: Here) -> Inputs:
    return _inputs(here, "steps", "draws", 2 * here.entry["draws"])


def _inputs(here, function, key, draws):
    sizes = here.chosen(key, "replicates", "chains", "rungs", "ladder", "initial_draws", "initial_iterations")
    run, stream = f"replication.papers.rts.mixture:{function}", ("mixture", here.name)
    work = {"Hamiltonian": draws * sizes["replicates"] * sizes["chains"]}
    return {"mixture": here.experiment(run, {}, sizes, stream=stream, work=work)}


def estimator_statistics(artifacts: Artifacts) -> Statistics:
    mixture = artifacts["mixture"]
    error = mixture["log_z"].transpose("estimator", "samples", "replicate").values - float(mixture["exact_log_z"])

    def ratio(errors):
        over_samples = np.log(root_mean_square(errors)).mean(axis=-1)
        return np.exp(over_samples.max(axis=1) - over_samples.min(axis=1))

    return {"same": over_repeats(ratio, error, scale="log")}


def estimator_sizes(here: Here) -> Size:
    """Our sizes beside the published sizes (figure 2)."""
    return Size({"most samples": (max(here.entry["samples"]), 4000)}, here.entry["replicates"], exploratory=_LADDER)


def draw_estimators(artifacts: Artifacts, *, names: Names) -> Figure:
    mixture = artifacts["mixture"]
    figure = new_figure(9.2, 3.9)
    left, right = figure.subplots(1, 2)
    samples, exact = mixture["samples"].values, float(mixture["exact_log_z"])
    estimators = mixture["estimator"].values
    for position, estimator in enumerate(estimators):
        estimates = mixture.sel(estimator=estimator)
        log_z = estimates["log_z"].transpose("samples", "replicate").values
        look = look_of(estimator, position)
        # Points are shifted sideways, because the lines nearly coincide.
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


def step_statistics(artifacts: Artifacts) -> Statistics:
    mixture = artifacts["mixture"]
    rules = [mixture.sel(step_rule=rule) for rule in ("fixed", "adaptive")]
    errors = [(by_rule["log_z"] - by_rule["exact_log_z"]).values for by_rule in rules]
    times = [by_rule["autocorrelation_time"].values for by_rule in rules]
    return {
        "mixing": over_repeats(ratio_of_means, *times, scale="log"),
        "error": over_repeats(ratio_of_rmse, *errors, scale="log"),
    }


def step_sizes(here: Here) -> Size:
    """Our sizes beside the published sizes (figure 6)."""
    samples = here.entry["draws"] * here.entry["chains"]
    return Size({"samples": (samples, 10_000)}, here.entry["replicates"], exploratory=_LADDER)


def draw_steps(artifacts: Artifacts) -> Figure:
    mixture = artifacts["mixture"]
    figure = new_figure(9.2, 5.6)
    # Any, because matplotlib's type does not accept nested lists of names.
    mosaic: Any = [["fixed"] * 3 + ["adaptive"] * 3, ["z", "z", "step", "step", "rate", "rate"]]
    rows = figure.subplot_mosaic(mosaic)
    rungs = mixture["inverse_temperature"].size
    for rule in ("fixed", "adaptive"):
        axis, by_rule = rows[rule], mixture.sel(step_rule=rule)
        axis.plot(by_rule["draw"], by_rule["trace"], color=_STEP_COLOURS[rule], linewidth=0.6)
        time = float(by_rule["autocorrelation_time"].mean())
        axis.set_title(f"{rule} step: autocorrelation time {time:.0f} draws", loc="right", fontsize=9)
        axis.set(xlabel="draw of one chain", ylim=(0, rungs + 1))
        label_counts(axis.xaxis)
    rows["fixed"].set_ylabel(r"rung $k$ ($\beta_1 = 0, \beta_K = 1$)")
    _draw_estimates(rows["z"], mixture)
    _draw_by_rung(rows["step"], mixture, "step_size")
    rows["step"].set(ylabel=r"leapfrog step $\epsilon_k$", ylim=(0.0, None))
    rows["step"].set_title(f"{mixture.attrs['ladder']} ladder", loc="right", fontsize=8)
    rows["step"].legend()
    _draw_by_rung(rows["rate"], mixture, "acceptance")
    rows["rate"].set(ylabel="acceptance rate", ylim=(0.0, 1.05))
    return finished(figure, mixture, panels=rows.values())


def _draw_estimates(axis, mixture):
    """Draw log Z of every repeat, with the mean and the RMSE."""
    exact = float(mixture["exact_log_z"])
    rules = list(mixture["step_rule"].values)
    for position, rule in enumerate(rules):
        log_z = mixture["log_z"].sel(step_rule=rule).values
        # The horizontal offsets are fixed, so that a redrawn figure is the same.
        spread = np.linspace(-0.22, 0.22, log_z.size)
        axis.plot(position + spread, log_z, ".", color=_STEP_COLOURS[rule], alpha=0.7, markersize=5)
        axis.hlines(log_z.mean(), position - 0.32, position + 0.32, color=_STEP_COLOURS[rule], linewidth=2)
    axis.axhline(exact, color=TRUTH, linestyle="--", label="exact")
    errors = [float(np.sqrt(((mixture["log_z"].sel(step_rule=rule) - exact) ** 2).mean())) for rule in rules]
    axis.set_xticks(range(len(rules)), [f"{rule}\nRMSE {error:.2g}" for rule, error in zip(rules, errors, strict=True)])
    axis.set_xlim(-0.5, len(rules) - 0.5)
    samples = mixture.attrs["chains"] * mixture.attrs["draws"]
    axis.set_ylabel(r"$\log \hat Z$" + f" after {samples:,} samples [nat]")
    axis.legend(loc="best", fontsize=8)


def _draw_by_rung(axis, mixture, name):
    rungs = np.arange(1, mixture["inverse_temperature"].size + 1)
    for rule in mixture["step_rule"].values:
        axis.plot(rungs, mixture[name].sel(step_rule=rule), color=_STEP_COLOURS[rule], label=rule)
    axis.set_xlabel(r"rung $k$")


FIGURES = {
    "rts-f2": Declaration(
        "Root mean square error (left) and mean (right) of log Z against the number of draws, by six estimators on the "
        "same draws. Simulated tempering with Hamiltonian Monte Carlo samples a ten-dimensional mixture of two "
        "Gaussians. Bars are 95% bootstrap intervals over repeats. Dotted: limits of biased estimators for infinitely "
        "many draws. Carlson et al. (2016), figure 2.",
        estimator_inputs,
        draw_estimators,
        claims={
            "same": Claim(
                "On a mixture of two Gaussians all estimators perform nearly identically",
                "section 4.1 and figure 2",
                published="nearly identical performance",
                measured="largest / smallest RMSE of log Z by six estimators, geometric means over numbers of samples",
            )
        },
        statistics=estimator_statistics,
        sizes=estimator_sizes,
    ),
    "rts-f6": Declaration(
        "Simulated tempering with Hamiltonian Monte Carlo on a mixture of two Gaussians. One step size for all rungs "
        "is compared with a step size adapted to each rung. Top: the rung of one chain. Bottom: log Z after all draws, "
        "and the step sizes and acceptance rates by rung. Carlson et al. (2016), figure 6.",
        step_inputs,
        draw_steps,
        claims={
            "mixing": Claim(
                "With an adaptive step beta mixes faster than with a fixed one",
                "supplement E.1 and figure 6",
                published="visibly faster",
                measured="autocorrelation time of beta, fixed / adaptive step",
            ),
            "error": Claim(
                "With an adaptive step log Z is more accurate than with a fixed one",
                "supplement E.1 and figure 6",
                published="more accurate after 10,000 samples",
                measured="RMSE of log Z by RTS, fixed / adaptive step",
            ),
            "metropolis": Claim(
                "Proposals adapted to the rung improve random-walk Metropolis as much",
                "supplement E.1",
                published="similar improvements",
                not_tested="the paper names neither the covariances of the proposals nor a rule that adapts them",
            ),
        },
        statistics=step_statistics,
        sizes=step_sizes,
    ),
}
