"""RTS figure 3: log Z and its RMSE by RTS, AIS and RAISE, against sweeps and against seconds."""

import numpy as np

from replication.claim import Claim
from replication.papers.declaration import Declaration, Here
from replication.papers.expected import expect
from replication.reporting import style
from replication.reporting.statistics import (
    mean_with_band,
    over_repeats,
    ratio_of_rmse,
    rmse_with_band,
    seconds_of_budgets,
    truth_of,
    untested,
)

# Limits of the y axis, in multiples of the largest mean error of a later budget.
_ROOM = 1.5
# The claim compares RTS at this budget, the least of the published curves, with AIS at ten times as many sweeps.
_FIRST_BUDGET = 1000
_TENFOLD = "At the same sweeps RTS errs less than AIS, but not by as much as tenfold sweeps bring AIS."

_FROM_DATA = (
    "RAISE starts from data: where the model does not have their law, its mean lies above log Z in short runs, and in "
    "long ones it may end below."
)


def _claims(key, size):
    return {
        f"bias{key}": Claim(f"The bias of RTS falls fastest ({size})", "faster than AIS and RAISE", at_most=1.0),
        f"tenfold{key}": Claim(
            f"AIS needs more than ten times the sweeps of RTS for the same RMSE ({size})",
            "more than ten times",
            at_least=1.0,
            why=_TENFOLD,
        ),
        f"below{key}": Claim(f"AIS underestimates log Z ({size})", "below", at_least=0.0),
        f"above{key}": Claim(
            f"RAISE overestimates log Z at any number of sweeps ({size})", "above", at_least=0.0, why=_FROM_DATA
        ),
    }


# Suffixes of the claims by model.
_KEYS = {"mnist-cd25-500": "", "mnist-100": "-small"}
CLAIMS = _claims("", "784 × 500") | _claims("-small", "784 × 100")
_COMPARED = ("rts", "ais", "raise")


def inputs(here: Here) -> dict:
    models, estimators = here.entry["models"], here.entry["estimators"]
    expect(here, "estimators", {*_COMPARED} <= {*estimators}, f"{', '.join(_COMPARED)} among them")
    return _runs_and_truths(here, models, estimators)


def _runs_and_truths(here, models, estimators):
    return {
        "truths": {model: here.truth(model) for model in models},
        "estimates": {model: here.runs(model, estimators) for model in models},
    }


def settings(here: Here) -> dict:
    models = here.entry["models"]
    published = {name: here.config["models"][name].get("published", {}).get("log_z") for name in models}
    return {"titles": here.titles(models), "names": here.estimator_titles(), "published": published}


def statistics(artifacts):
    """Statistics of the models of the claims that are shown; NaN without one, or budgets of 1,000 and 10,000 sweeps."""
    statistics = dict.fromkeys(CLAIMS, untested("its model is not shown"))
    for model, estimates in artifacts["estimates"].items():
        if model in _KEYS:
            of_model = _of_model(estimates, *truth_of(artifacts["truths"][model]))
            statistics |= {f"{name}{_KEYS[model]}": statistic for name, statistic in of_model.items()}
    return statistics


def _of_model(estimates, truth, truth_error):
    error = {name: estimate["log_z"].transpose("budget", "replicate") - truth for name, estimate in estimates.items()}
    others = [error[name].values for name in ("ais", "raise")]
    budgets = error["rts"]["budget"].values
    nothing = np.full_like(error["ais"].values[0], np.nan)

    def at(name, budget):
        return error[name].sel(budget=budget).values if budget in error[name]["budget"].values else nothing

    def falls(rts, *others):
        return _left(rts) / np.min([_left(other) for other in others], axis=0)

    listed = ", ".join(f"{budget:,}" for budget in budgets)
    first = min((budget for budget in budgets if budget >= _FIRST_BUDGET), default=budgets[-1])
    return {
        "bias": over_repeats(
            falls,
            error["rts"].values,
            *others,
            of=f"share of the |bias| at {budgets[0]:,} sweeps that is left later, RTS / smaller of AIS and RAISE",
            scale="log",
            truth_error=truth_error,
        ),
        "tenfold": over_repeats(
            ratio_of_rmse,
            at("ais", 10 * _FIRST_BUDGET),
            at("rts", _FIRST_BUDGET),
            of=f"RMSE of AIS at {10 * _FIRST_BUDGET:,} sweeps / RMSE of RTS at {_FIRST_BUDGET:,}",
            scale="log",
            truth_error=truth_error,
        ),
        "below": over_repeats(
            lambda ais: -ais.mean(axis=-1),
            at("ais", first),
            of=f"truth less the mean of AIS, {first:,} sweeps [nat]",
            truth_error=truth_error,
        ),
        "above": over_repeats(
            lambda raised: raised.mean(axis=-1).min(axis=-1),
            others[1],
            of=f"mean of RAISE less the truth, the least of {listed} sweeps [nat]",
            truth_error=truth_error,
        ),
    }


def _left(errors):
    """Size of the mean error at later budgets over that at the first: errors (resample, budget, replicate)."""
    bias = np.abs(errors.mean(axis=-1))
    return bias[:, 1:].mean(axis=-1) / bias[:, 0] if bias.shape[1] > 1 else np.full(len(bias), np.nan)


def draw(artifacts, *, titles, names, published):
    """Mean and RMSE of log Z against sweeps per chain, a column for each model."""
    estimates, truths = artifacts["estimates"], artifacts["truths"]
    figure = style.new_figure(3.8 * len(estimates) + 1.8, 5.6)
    axes = figure.subplots(2, len(estimates), sharex="col", squeeze=False)
    for column, (model, by_estimator) in enumerate(estimates.items()):
        truth = float(truths[model]["log_z"])
        upper, lower = axes[:, column]
        for position, (estimator, estimate) in enumerate(by_estimator.items()):
            budgets, log_z = estimate["budget"].values, estimate["log_z"].values
            look = {"label": names[estimator], **style.look_of(estimator, position)}
            style.draw_band(upper, budgets, mean_with_band(log_z), **look)
            style.draw_band(lower, budgets, rmse_with_band(log_z, truth), **look)
        _draw_truth(upper, truths[model], published[model])
        _limit(upper, truth, by_estimator.values())
        upper.set_title(style.title_of(titles[model], truths[model]), loc="right")
        upper.ticklabel_format(axis="y", useOffset=False)
        style.count_ticks(lower, budgets)
        style.plain_logarithms(lower.yaxis)
        lower.set_xlabel("Gibbs sweeps per chain")
    axes[0, 0].set_ylabel(r"mean of $\log \hat Z$ [nat]")
    axes[1, 0].set_ylabel(r"RMSE of $\log \hat Z$ [nat]")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside right upper", fontsize=8)
    return style.finished(figure, *truths.values(), panels=axes.flat)


def _limit(axis, truth, estimates):
    """Limits that show all means but half of those at the first budget, which may dwarf all others."""
    errors = [np.abs(estimate["log_z"].mean("replicate").values - truth) for estimate in estimates]
    reach = max(np.median([error[0] for error in errors]), *(error[1:].max(initial=0.0) for error in errors))
    if reach > 0.0:
        axis.set_ylim(truth - _ROOM * reach, truth + _ROOM * reach)


def _draw_truth(axis, truth, published):
    log_z, error = float(truth["log_z"]), float(truth["std_error"])
    axis.axhline(log_z, color=style.TRUTH, linestyle="--", label=f"truth ({truth.attrs['truth_method']})")
    axis.axhspan(log_z - 2 * error, log_z + 2 * error, color=style.TRUTH, alpha=0.1, linewidth=0)
    if published is not None and "stand_in_for" not in truth.attrs:
        axis.axhline(published, color="grey", linestyle=":", label=f"published {published:g}")


def timed_inputs(here: Here) -> dict:
    """Estimates and truths of figure 3, and the seconds of its estimators."""
    figure = here.of(here.entry["figure"]).entry
    models, estimators = figure["models"], figure["estimators"]
    chains = {model: here.config["models"][model].get("chains", here.chains) for model in models}
    return {
        **_runs_and_truths(here, models, estimators),
        "timings": {model: here.timed_estimators(model, model, estimators, chains[model]) for model in models},
    }


def draw_seconds(artifacts, *, titles, names):
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


FIGURES = {
    "rts-f3": Declaration(
        "Mean (top) and root mean square error (bottom) of log Z against Gibbs sweeps per chain, every sweep counted. "
        "Bands are 95% bootstrap intervals over replicates; the grey band around the truth is two standard errors. "
        "Carlson et al. (2016), figure 3.",
        inputs,
        draw,
        settings=settings,
        claims=CLAIMS,
        statistics=statistics,
    ),
    "rts-f3-seconds": Declaration(
        "The errors of figure 3 against CPU seconds on one core, measured on this machine: seconds grow linearly with "
        "sweeps. Times differ from run to run, the errors do not.",
        timed_inputs,
        draw_seconds,
    ),
}
