"""Figure 8 of Carlson et al. (2016): the occupancy from a transition matrix, against RTS on the same draws."""

from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from logzoo.figures.statistics import rmse_with_band
from logzoo.figures.style import label_panels, look_of, mark_stand_in, new_figure, title_of


def figure_8(stationary, truths, titles, names):
    """RMSE of log Z by RTS, SD and RSD against sweeps, a panel for each model.

    stationary: {model: Dataset of `experiments.stationary`}; truths: {model: Dataset}; titles, names: for models and
    estimators.
    """
    figure = new_figure(3.8 * len(stationary), 3.6)
    axes = figure.subplots(1, len(stationary), squeeze=False)[0]
    for axis, (model, one) in zip(axes, stationary.items(), strict=True):
        budgets, truth = one["budget"].values, truths[model]
        for position, estimator in enumerate(one["estimator"].values):
            log_z = one["log_z"].sel(estimator=estimator).transpose("budget", "replicate").values
            values, band = rmse_with_band(log_z, float(truth["log_z"]))
            look = look_of(estimator, position)
            axis.plot(budgets, values, label=names[estimator], **look)
            axis.fill_between(budgets, *band, color=look["color"], alpha=0.2, linewidth=0)
        if float(truth["std_error"]) > 0:
            axis.axhline(float(truth["std_error"]), color="grey", linestyle=":", label="uncertainty of the truth")
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_xticks(budgets, [f"{budget:,}" for budget in budgets])
        axis.xaxis.set_minor_locator(NullLocator())
        axis.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.yaxis.set_minor_formatter(NullFormatter())
        axis.set_xlabel("Gibbs sweeps per chain")
        axis.set_title(title_of(titles[model], truth), loc="right")
    axes[0].set_ylabel(r"RMSE of $\log \hat Z$ [nat]")
    handles = {label: handle for axis in axes for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)}
    axes[-1].legend(handles.values(), handles.keys(), loc="upper right", fontsize=8)
    label_panels(axes)
    mark_stand_in(figure, *truths.values())
    return figure
