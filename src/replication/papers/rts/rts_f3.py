"""RTS figure 3: log Z and its RMSE by RTS, AIS and RAISE, against sweeps and against seconds."""

from collections.abc import Mapping

import numpy as np

from replication.papers.declaration import Declaration, Here
from replication.papers.panels import add_legend
from replication.papers.rts.rts_comparison import CLAIMS, COMPARED, sizes, statistics
from replication.reporting import style
from replication.reporting.statistics import mean_with_band, rmse_with_band, seconds_of_budgets
from replication.types import Artifacts, Figure, Inputs, Names, Settings

# Half-height of the panel of means, relative to the largest mean error that the panel must show.
_ROOM = 1.5


def inputs(here: Here) -> Inputs:
    models, estimators, repeats = here.entry["models"], here.entry["estimators"], here.entry["repeats"]
    here.expect("estimators", {*COMPARED} <= {*estimators}, f"a list with {', '.join(COMPARED)}")
    longer = {model: _longer_runs(here, model, repeats) for model in models if here.entry["longer"].get(model)}
    return {**_runs_and_truths(here), "longer": longer}


def _runs_and_truths(here):
    models, estimators = here.entry["models"], here.entry["estimators"]
    return {
        "truths": {model: here.truth(model) for model in models},
        "estimates": {model: here.runs(model, estimators) for model in models},
    }


def _longer_runs(here, model, repeats):
    """Experiments {estimator: Experiment} with more sweeps than the budgets of the model, and fewer repeats."""
    budgets, chains, experiments = here.entry["longer"][model], here.chains_of(model), {}
    for name in here.entry["estimators"]:
        estimator = {key: here.config["estimators"][name][key] for key in ("method", "base", "options")}
        experiments[name] = here.experiment(
            "replication.papers.rts.rts_experiments:longer_runs",
            here.model_and_data(model),
            {"estimator": estimator, "budgets": budgets, "replicates": repeats, "chains": chains},
            f"runs/{model}.{name}-longer",
            stream=("longer-runs", model),
            work={"sampling": here.visits(model, sum(budgets) * repeats * chains)},
            methods=(estimator["method"],),
            checkpoints=True,
        )
    return experiments


def settings(here: Here) -> Settings:
    models = here.entry["models"]
    published = {name: here.config["models"][name].get("published", {}).get("log_z") for name in models}
    return {"titles": here.titles(models), "names": here.estimator_titles(), "published": published}


def draw(artifacts: Artifacts, *, titles: Names, names: Names, published: Mapping[str, float]) -> Figure:
    estimates, truths, longer = artifacts["estimates"], artifacts["truths"], artifacts.get("longer", {})
    figure = style.new_figure(3.8 * len(estimates) + 1.8, 5.6)
    axes = figure.subplots(2, len(estimates), sharex="col", squeeze=False)
    for column, (model, by_estimator) in enumerate(estimates.items()):
        truth = float(truths[model]["log_z"])
        upper, lower = axes[:, column]
        for position, (estimator, estimate) in enumerate(by_estimator.items()):
            runs = [estimate, longer[model][estimator]] if model in longer else [estimate]
            budgets = np.concatenate([part["budget"].values for part in runs])
            means = _joined([mean_with_band(part["log_z"].values) for part in runs])
            errors = _joined([rmse_with_band(part["log_z"].values, truth) for part in runs])
            look = {"label": names[estimator], **style.look_of(estimator, position)}
            style.draw_band(upper, budgets, means, **look)
            style.draw_band(lower, budgets, errors, **look)
        _draw_truth(upper, truths[model], published[model])
        _limit(upper, truth, by_estimator.values())
        _mark_outside(upper)
        upper.set_title(style.title_of(titles[model], truths[model]), loc="right")
        upper.ticklabel_format(axis="y", useOffset=False)
        style.count_ticks(lower, budgets)
        style.plain_logarithms(lower.yaxis)
        lower.set_xlabel("Gibbs sweeps per chain")
    axes[0, 0].set_ylabel(r"mean of $\log \hat Z$ [nat]")
    axes[1, 0].set_ylabel(r"RMSE of $\log \hat Z$ [nat]")
    add_legend(figure, axes[0], "outside right upper")
    return style.finished(figure, *truths.values(), panels=axes.flat)


def _joined(bands):
    """Concatenate the values (budget,) and bands (2, budget) of several lists of budgets."""
    values, band = (np.concatenate(parts, axis=-1) for parts in zip(*bands, strict=True))
    return values, band


def _limit(axis, truth, estimates):
    """Set limits that show at least half of the means of `estimates` at the first budget, and all at later budgets."""
    errors = [np.abs(estimate["log_z"].mean("replicate").values - truth) for estimate in estimates]
    reach = max(np.median([error[0] for error in errors]), *(error[1:].max(initial=0.0) for error in errors))
    if reach > 0.0:
        axis.set_ylim(truth - _ROOM * reach, truth + _ROOM * reach)


def _mark_outside(axis):
    """Draw a triangle at the edge of the panel for each mean outside the panel."""
    bottom, top = axis.get_ylim()
    for line in [line for line in axis.get_lines() if line.get_marker() != "None"]:
        x, y = line.get_data()
        for edge, beyond, marker in ((bottom, y < bottom, "v"), (top, y > top, "^")):
            if beyond.any():
                look = {"marker": marker, "linestyle": "", "markersize": 8, "clip_on": False, "zorder": 4}
                axis.plot(x[beyond], np.full(beyond.sum(), edge), color=line.get_color(), **look)
                axis.plot([], [], marker=marker, linestyle="", color="grey", label="beyond the panel")


def _draw_truth(axis, truth, published):
    log_z, error = float(truth["log_z"]), float(truth["std_error"])
    axis.axhline(log_z, color=style.TRUTH, linestyle="--", label=f"truth ({truth.attrs['truth_method']})")
    axis.axhspan(log_z - 2 * error, log_z + 2 * error, color=style.TRUTH, alpha=0.1, linewidth=0)
    if published is not None and "stand_in_for" not in truth.attrs:
        axis.axhline(published, color="grey", linestyle=":", label=f"published {published:g}")


def timed_inputs(here: Here) -> Inputs:
    figure = here.of(here.entry["figure"])
    models, estimators = figure.entry["models"], figure.entry["estimators"]
    timings = {model: here.timed_estimators(model, model, estimators, here.chains_of(model)) for model in models}
    return {**_runs_and_truths(figure), "timings": timings}


def draw_seconds(artifacts: Artifacts, *, titles: Names, names: Names) -> Figure:
    estimates, truths, timings = (artifacts[name] for name in ("estimates", "truths", "timings"))
    figure = style.new_figure(3.8 * len(estimates) + 0.6, 4.0)
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
        # The legend is below the panel, because lines may reach every corner.
        axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17))
    axes[0].set_ylabel(r"RMSE of $\log \hat Z$ [nat]")
    return style.finished(figure, *truths.values(), panels=axes)


FIGURES = {
    "rts-f3": Declaration(
        "Mean (top) and root mean square error (bottom) of log Z against Gibbs sweeps per chain, every sweep counted. "
        "Bands are 95% bootstrap intervals over replicates, which are fewer at more sweeps. The grey band extends "
        "two standard errors around the truth. Carlson et al. (2016), figure 3.",
        inputs,
        draw,
        settings=settings,
        claims=CLAIMS,
        statistics=statistics,
        sizes=sizes,
    ),
    "rts-f3-seconds": Declaration(
        "The errors of figure 3 against CPU seconds on one core, measured on this machine. Seconds grow linearly with "
        "sweeps. Times differ from run to run; the errors do not.",
        timed_inputs,
        draw_seconds,
    ),
}
