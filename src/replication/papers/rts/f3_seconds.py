"""RTS figure 3 against seconds.

The errors of figure 3 against CPU seconds on one core, measured on this machine: seconds grow linearly with sweeps.
Times differ from run to run, the errors do not.
"""

from replication.papers.rts.runs import runs_of
from replication.reporting import style
from replication.reporting.statistics import rmse_with_band, seconds_of_budgets


def inputs(here):
    shown = here.of(here.entry["figure"]).entry
    models, estimators = shown["models"], shown["estimators"]
    chains = {model: here.config["models"][model].get("chains", here.chains) for model in models}
    return {
        "truths": {model: here.truth(model) for model in models},
        "estimates": {model: runs_of(here, model, estimators) for model in models},
        "timings": {model: here.timed_estimators(model, model, estimators, chains[model]) for model in models},
    }


def draw(artifacts, *, titles, names):
    """RMSE of log Z against seconds on one core, a panel for each model."""
    estimates, truths, timings = (artifacts[name] for name in ("estimates", "truths", "timings"))
    figure = style.new_figure(3.8 * len(estimates) + 0.6, 3.4)
    axes = figure.subplots(1, len(estimates), squeeze=False)[0]
    for axis, (model, by_estimator) in zip(axes, estimates.items(), strict=True):
        for position, (estimator, estimate) in enumerate(by_estimator.items()):
            seconds, rate = seconds_of_budgets(timings[model], estimator, estimate["budget"].values)
            errors = rmse_with_band(estimate["log_z"].values, float(truths[model]["log_z"]))
            label = f"{names[estimator]}, {1e3 * rate:.2g} ms a sweep"
            style.draw_band(axis, seconds, errors, label=label, **style.look_of(estimator, position))
        style.plain_logarithms(axis.xaxis, axis.yaxis)
        axis.set_xlabel(f"seconds on one core, {timings[model].attrs['chains']} chains")
        axis.set_title(style.title_of(titles[model], truths[model]), loc="right")
        axis.legend()
    axes[0].set_ylabel(r"RMSE of $\log \hat Z$ [nat]")
    return style.finished(figure, *truths.values(), panels=axes)
