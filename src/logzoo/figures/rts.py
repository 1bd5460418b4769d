"""Figures of Carlson et al. (2016), Partition Functions from Rao-Blackwellized Tempered Sampling."""

import matplotlib
import numpy as np

from logzoo.figures.statistics import mean_with_band, rmse_with_band, seconds_of_budgets
from logzoo.figures.style import TRUTH, label_panels, look_of, mark_stand_in, new_figure, plain_logarithms, title_of

_VARIANT_TITLES = {"rao-blackwell": "Rao-Blackwellised, eq 9", "counts": "plain counts + 0.1"}


def figure_1(iterations, shown):
    """log Zhat_k and c_k over initial iterations, with and without Rao-Blackwellisation, and the exact curve.

    iterations: Dataset of `experiments.initial.initial_iterations`, of which the first replicate is drawn; shown: the
    iterations to draw.
    """
    iterations = iterations.isel(replicate=0)
    figure = new_figure(7.2, 5.6)
    axes = figure.subplots(2, 2, sharex=True, sharey="row")
    betas = iterations["inverse_temperature"]
    colours = _ramp(len(shown))
    for column, variant in enumerate(iterations["variant"].values):
        data = iterations.sel(variant=variant)
        upper, lower = axes[:, column]
        for colour, iteration in zip(colours, shown, strict=True):
            one = data.sel(iteration=iteration)
            upper.plot(betas, one["log_z"], color=colour, label=f"iteration {iteration}")
            lower.semilogy(betas, one["occupancy"].clip(min=1e-12), color=colour)
        upper.plot(betas, iterations["exact_log_z"], color=TRUTH, linestyle="--", label="exact")
        lower.axhline(1.0 / betas.size, color=TRUTH, linestyle="--", label="prior $r_k$")
        upper.set_title(_VARIANT_TITLES[variant], loc="right")
        lower.set_xlabel(r"inverse temperature $\beta_k$")
        lower.set_ylim(1e-7, 2.0)
    axes[0, 0].set_ylabel(r"$\log \hat Z_k - \log Z_1$ [nat]")
    axes[1, 0].set_ylabel(r"occupancy $\hat c_k$")
    axes[0, 0].legend()
    axes[1, 0].legend()
    label_panels(axes.flat)
    mark_stand_in(figure, iterations)
    return figure


def figure_3(estimates, truths, titles, names, published):
    """Mean and RMSE of log Z against sweeps per chain, a column for each model.

    estimates: {model: {estimator: Dataset}}; truths: {model: Dataset}; titles: {model: title}; names: {estimator:
    name}; published: {model: log Z or None}.
    """
    figure = new_figure(3.8 * len(estimates) + 1.8, 5.6)
    axes = figure.subplots(2, len(estimates), sharex="col", squeeze=False)
    for column, (model, by_estimator) in enumerate(estimates.items()):
        truth = float(truths[model]["log_z"])
        upper, lower = axes[:, column]
        for position, (estimator, estimate) in enumerate(by_estimator.items()):
            budgets, log_z = estimate["budget"].values, estimate["log_z"].values
            look = look_of(estimator, position)
            for axis, (values, band) in (
                (upper, mean_with_band(log_z)),
                (lower, rmse_with_band(log_z, truth)),
            ):
                axis.plot(budgets, values, label=names[estimator], **look)
                axis.fill_between(budgets, *band, color=look["color"], alpha=0.2, linewidth=0)
        _draw_truth(upper, truths[model], published.get(model))
        upper.set_title(title_of(titles[model], truths[model]), loc="right")
        upper.ticklabel_format(axis="y", useOffset=False)
        lower.set_xscale("log")
        lower.set_xticks(budgets, [f"{budget:,}" for budget in budgets], minor=False)
        lower.set_xticks([], minor=True)
        plain_logarithms(lower.yaxis)
        lower.set_xlabel("Gibbs sweeps per chain")
    axes[0, 0].set_ylabel(r"mean of $\log \hat Z$ [nat]")
    axes[1, 0].set_ylabel(r"RMSE of $\log \hat Z$ [nat]")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside right upper", fontsize=8)
    label_panels(axes.flat)
    mark_stand_in(figure, *truths.values())
    return figure


def figure_3_seconds(estimates, truths, timings, titles, names):
    """RMSE of log Z against seconds on one core, a panel for each model; arguments as for `figure_3`.

    timings: {model: Dataset of `experiments.timing.cost_of_sweeps`}.
    """
    figure = new_figure(3.8 * len(estimates) + 0.6, 3.4)
    axes = figure.subplots(1, len(estimates), squeeze=False)[0]
    for axis, (model, by_estimator) in zip(axes, estimates.items(), strict=True):
        for position, (estimator, estimate) in enumerate(by_estimator.items()):
            seconds, rate = seconds_of_budgets(timings[model], estimator, estimate["budget"].values)
            values, band = rmse_with_band(estimate["log_z"].values, float(truths[model]["log_z"]))
            look = look_of(estimator, position)
            axis.plot(seconds, values, label=f"{names[estimator]}, {1e3 * rate:.2g} ms a sweep", **look)
            axis.fill_between(seconds, *band, color=look["color"], alpha=0.2, linewidth=0)
        plain_logarithms(axis.xaxis, axis.yaxis)
        axis.set_xlabel(f"seconds on one core, {timings[model].attrs['chains']} chains")
        axis.set_title(title_of(titles[model], truths[model]), loc="right")
        axis.legend()
    axes[0].set_ylabel(r"RMSE of $\log \hat Z$ [nat]")
    label_panels(axes)
    mark_stand_in(figure, *truths.values())
    return figure


def _draw_truth(axis, truth, published):
    log_z, error = float(truth["log_z"]), float(truth["std_error"])
    axis.axhline(log_z, color=TRUTH, linestyle="--", label=f"truth ({truth.attrs['truth_method']})")
    axis.axhspan(log_z - 2 * error, log_z + 2 * error, color=TRUTH, alpha=0.1, linewidth=0)
    if published is not None:
        axis.axhline(published, color="grey", linestyle=":", label=f"published {published:g}")


def _ramp(count):
    """Colours from light to dark: later iterations stand out."""
    return matplotlib.colormaps["viridis_r"](np.linspace(0.1, 0.95, count))
