"""Figures 2 and 6 of Carlson et al. (2016): a mixture of two Gaussians, sampled by Hamiltonian Monte Carlo."""

import numpy as np

from logzoo.figures.statistics import mean_with_band, rmse_with_band
from logzoo.figures.style import TRUTH, label_panels, look_of, mark_stand_in, new_figure

_STEP_COLOURS = {"fixed": "#D55E00", "adaptive": "#0072B2"}
# Rules whose limit is off by less than this many nats are drawn without it.
_VISIBLE_LIMIT = 0.05


def figure_2(mixture, names):
    """RMSE and mean of log Z of every estimator against the number of samples.

    mixture: Dataset of `experiments.mixture.estimators_experiment`; names: {estimator: name}.
    """
    figure = new_figure(9.2, 3.9)
    left, right = figure.subplots(1, 2)
    samples, exact = mixture["samples"].values, float(mixture["exact_log_z"])
    estimators = mixture["estimator"].values
    for position, estimator in enumerate(estimators):
        one = mixture.sel(estimator=estimator)
        log_z = one["log_z"].transpose("samples", "replicate").values
        look = look_of(estimator, position)
        # Side by side, for lines that all but coincide.
        shift = (position - 0.5 * (len(estimators) - 1)) * 0.012 * np.ptp(samples)
        for axis, (values, band) in ((left, rmse_with_band(log_z, exact)), (right, mean_with_band(log_z))):
            axis.plot(samples + shift, values, label=names[estimator], **look)
            axis.vlines(samples + shift, *band, color=look["color"], alpha=0.45, linewidth=1.2)
        limit = float(one["limit"])
        if abs(limit - exact) > _VISIBLE_LIMIT:
            right.axhline(limit, color=look["color"], linestyle=":", linewidth=1.0)
            label = f"{names[estimator]}: endless samples"
            place = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "bottom"}
            right.annotate(label, (1.0, limit), fontsize=7, **place)
    right.axhline(exact, color=TRUTH, linestyle="--", label="exact")
    for axis in (left, right):
        axis.set_xticks(samples, [f"{count:,}" for count in samples])
        axis.set_xlabel("samples")
    left.set_ylim(bottom=0.0)
    left.set_ylabel(r"RMSE of $\log \hat Z$ [nat]")
    right.set_ylabel(r"mean of $\log \hat Z$ [nat]")
    left.set_title(f"{mixture.sizes['replicate']} repeats, 95% bootstrap bars", loc="right", fontsize=8)
    right.set_title(f"K = {mixture.sizes['rung']}, {mixture.attrs['ladder']} ladder", loc="right", fontsize=8)
    handles, labels = right.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center")
    label_panels((left, right))
    mark_stand_in(figure, mixture)
    return figure


def figure_6(mixture):
    """Mixing along the ladder with a fixed and an adaptive step, log Z, step sizes and acceptance.

    mixture: Dataset of `experiments.mixture.steps_experiment`.
    """
    figure = new_figure(9.2, 5.6)
    rows = figure.subplot_mosaic([["fixed"] * 3 + ["adaptive"] * 3, ["z", "z", "step", "step", "rate", "rate"]])
    rungs = mixture["inverse_temperature"].size
    for rule in ("fixed", "adaptive"):
        axis, one = rows[rule], mixture.sel(step_rule=rule)
        axis.plot(one["draw"], one["trace"], color=_STEP_COLOURS[rule], linewidth=0.6)
        time = float(one["autocorrelation_time"].mean())
        axis.set_title(f"{rule} step: autocorrelation time {time:.0f} draws", loc="right", fontsize=9)
        axis.set_xlabel("draw of one chain")
        axis.set_ylim(0, rungs + 1)
    rows["fixed"].set_ylabel(r"rung $k$ ($\beta_1 = 0, \beta_K = 1$)")
    _draw_estimates(rows["z"], mixture)
    _draw_by_rung(rows["step"], mixture, "step_size")
    rows["step"].set_ylabel(r"leapfrog step $\epsilon_k$")
    rows["step"].set_ylim(bottom=0.0)
    rows["step"].set_title(f"{mixture.attrs['ladder']} ladder", loc="right", fontsize=8)
    rows["step"].legend()
    _draw_by_rung(rows["rate"], mixture, "acceptance")
    rows["rate"].set_ylabel("acceptance rate")
    rows["rate"].set_ylim(0.0, 1.05)
    label_panels(rows.values())
    mark_stand_in(figure, mixture)
    return figure


def _draw_estimates(axis, mixture):
    """Every repeat's log Z, beside their mean and RMSE."""
    exact = float(mixture["exact_log_z"])
    rules = list(mixture["step_rule"].values)
    for place, rule in enumerate(rules):
        log_z = mixture["log_z"].sel(step_rule=rule).values
        # Spread in a fixed order, so that a redrawn figure is the same.
        spread = np.linspace(-0.22, 0.22, log_z.size)
        axis.plot(place + spread, log_z, ".", color=_STEP_COLOURS[rule], alpha=0.7, markersize=5)
        axis.hlines(log_z.mean(), place - 0.32, place + 0.32, color=_STEP_COLOURS[rule], linewidth=2)
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
