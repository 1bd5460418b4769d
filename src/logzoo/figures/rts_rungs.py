"""Figure 4 of Carlson et al. (2016): the error of log Z against the number of rungs, and what MBAR costs."""

import numpy as np
from matplotlib.ticker import FuncFormatter, NullLocator

from logzoo.figures.statistics import rmse_with_band
from logzoo.figures.style import label_panels, look_of, mark_stand_in, new_figure, title_of


def figure_4(rungs, truth, title, names):
    """RMSE of log Z against the number of rungs K for every estimator.

    rungs: Dataset of `experiments.rungs`; truth: Dataset with log_z; names: {estimator: name}.
    """
    figure = new_figure(6.0, 4.2)
    axis = figure.subplots()
    counts = rungs["rungs"].values
    for position, estimator in enumerate(rungs["estimator"].values):
        log_z = rungs["log_z"].sel(estimator=estimator).transpose("rungs", "estimate").values
        made = np.isfinite(log_z).sum(axis=1)
        for group in np.unique(made[made > 1]):
            chosen = made == group
            values, band = rmse_with_band(log_z[chosen, :group], float(truth["log_z"]))
            look = look_of(estimator, position)
            axis.plot(counts[chosen], values, label=f"{names[estimator]} ({group} estimates)", **look)
            axis.fill_between(counts[chosen], *band, color=look["color"], alpha=0.2, linewidth=0)
    axis.axhline(float(truth["std_error"]), color="grey", linestyle=":", label="uncertainty of the truth")
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xticks(counts, [f"{count:,}" for count in counts])
    axis.xaxis.set_minor_locator(NullLocator())
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_xlabel("rungs of the ladder, K")
    axis.set_ylabel(r"RMSE of $\log \hat Z$ [nat]")
    axis.set_title(f"{title_of(title, truth)}\n{rungs.attrs['samples']:,} draws an estimate", loc="left", fontsize=9)
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    mark_stand_in(figure, truth)
    return figure


def figure_4_cost(timings, title):
    """Seconds that each estimator takes on the same draws, against the number of rungs, and over those of RTS.

    timings: Dataset of `experiments.timing.cost_of_rungs`: seconds over (step, rungs).
    """
    figure = new_figure(7.2, 3.4)
    left, right = figure.subplots(1, 2, sharex=True)
    counts = timings["rungs"].values
    for position, step in enumerate(timings["step"].values):
        seconds = timings["seconds"].sel(step=step).values
        look = look_of(step, position)
        left.loglog(counts, seconds, label=timings["title"].sel(step=step).item(), **look)
        if step != "sampling":
            right.loglog(counts, seconds / timings["seconds"].sel(step="sampling").values, **look)
    for axis in (left, right):
        axis.set_xlabel("rungs of the ladder, K")
        axis.set_xticks(counts, [f"{count:,}" for count in counts])
        axis.xaxis.set_minor_locator(NullLocator())
    left.set_ylabel("seconds, one core")
    right.set_ylabel("share of the time that\nsampling the same draws took")
    right.axhline(1.0, color="grey", linestyle=":")
    figure.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=3)
    right.set_title(f"{title}, {timings.attrs['samples']:,} draws", loc="right", fontsize=8)
    label_panels((left, right))
    return figure
