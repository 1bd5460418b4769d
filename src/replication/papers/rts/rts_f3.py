"""RTS figure 3: log Z and its RMSE by RTS, AIS and RAISE, against sweeps and against seconds."""

from collections.abc import Iterable, Mapping
from functools import partial

import numpy as np

from logzoo.types import Array
from replication.claim import Claim, Power, Size
from replication.papers.declaration import Declaration, Here
from replication.papers.panels import add_legend
from replication.reporting import style
from replication.reporting.statistics import (
    mean_with_band,
    over_repeats,
    ratio_of_rmse,
    rmse_with_band,
    root_mean_square,
    seconds_of_budgets,
    truth_of,
    untested,
)
from replication.types import Artifacts, Figure, Inputs, Names, Settings, Statistics

# Smallest budget of the published curves. The claims `tenfold` compare RTS at this budget with AIS at ten times the
# sweeps.
_FIRST_BUDGET = 1000
# Models of the claims: suffix of their keys, size in words, hidden units, and most sweeps of the published curves.
_MODELS = {
    "mnist-cd25-500": ("", "784 × 500", 500, 100_000),
    "mnist-spectral-100": ("-small", "784 × 100", 100, 1_000_000),
}
BIAS_LEFT = "share of the |bias| at the least number of sweeps (1,000) that is left at the next (3,162)"
_CAPTION = "figure 3, caption"
_EARLIER = "spread: the decisive scale, earlier seed"


def _of_models(key, words, measured, powers, **parts):
    """The same claim on each model, {key: Claim}; each key ends in the suffix of its model."""
    return {
        f"{key}{suffix}": Claim(f"{words} ({size})", _CAPTION, measured=measured, scale="log", power=power, **parts)
        for (suffix, size, *_), power in zip(_MODELS.values(), powers, strict=True)
    }


CLAIMS = {
    **_of_models(
        "bias",
        "The bias of RTS decreases more quickly than those of AIS and RAISE",
        f"{BIAS_LEFT}, RTS / smaller of AIS and RAISE",
        (
            Power(0.5, 4.0, f"effect: half as much left, the least that a figure of means shows; {_EARLIER}"),
            Power(0.5, 15.0, f"effect: half as much left; {_EARLIER}, a model trained by PCD-1"),
        ),
        published="quicker",
        at_most=1.0,
        bound="'the bias from RTS decreases quicker': less of it is left",
    ),
    **_of_models(
        "tenfold",
        "The RMSE of AIS does not reach that of RTS at 1,000 sweeps until over ten times the sweeps",
        "RMSE of AIS at 10,000 sweeps / RMSE of RTS at 1,000",
        (
            Power(1.25, 1.6, f"effect: a factor of 1.25; {_EARLIER}"),
            Power(1.25, 0.9, f"effect: a factor of 1.25; {_EARLIER}, a model trained by PCD-1"),
        ),
        published="over an order of magnitude later",
        at_least=1.0,
        bound="'until over an order of magnitude later': at ten times the sweeps the RMSE of AIS is still the larger",
        why="At equal sweeps the RMSE of RTS is smaller, but AIS with ten times the sweeps is more accurate.",
    ),
    "accurate": Claim(
        "RTS provides more accurate estimates than AIS at equal sweeps",
        "abstract; section 4",
        published="more accurate; clearly dominates",
        measured="RMSE of AIS / RMSE of RTS at equal sweeps, geometric mean over all numbers of sweeps of both models",
        at_least=1.0,
        bound="'more accurate'",
        scale="log",
        power=Power(1.25, 0.23, "effect: a factor of 1.25; spread: that of ratios of normal RMSEs at 12 budgets"),
    ),
    "below": Claim(
        "AIS underestimates log Z",
        "sections 2.5 and 3.2",
        published="a negative bias",
        measured="true log Z less the mean of AIS [nat] at 1,000, 3,162 and 10,000 sweeps, the least of both models",
        at_least=0.0,
        bound="'underestimates log Z'",
        power=Power(0.002, 0.09, f"effect: that of 10,000 sweeps on 784 × 100; {_EARLIER}"),
    ),
    "above": Claim(
        "RAISE overestimates log Z",
        "sections 2.5 and 3.2",
        published="a positive bias in these examples",
        measured="mean of RAISE less true log Z [nat] at 1,000, 3,162 and 10,000 sweeps, the least of both models",
        at_least=0.0,
        bound="'a positive bias'",
        why="A possible cause, not tested: RAISE starts from data, and the model may have mass far from the data.",
        power=Power(0.04, 0.11, f"effect: the bias of -0.04 on 784 × 100 with the other sign; {_EARLIER}"),
    ),
}
COMPARED = ("rts", "ais", "raise")


def sizes(here: Here) -> dict[str, Size]:
    """Units, chains and sweeps of both models. Section 4.2 states 100 chains; figure 3 shows the sweeps."""
    models = [name for name in _MODELS if name in here.entry["models"]]
    both, by_key = Size({}, 0), {}
    for name in models:
        suffix, size, hidden, sweeps = _MODELS[name]
        budgets, repeats, chains = run_sizes(here, name, COMPARED)
        settings: dict[str, tuple[float, float | None]] = {
            f"hidden units ({size})": (here.shape(name)[1], hidden),
            f"most sweeps ({size})": (max(*budgets, *here.entry["longer"].get(name, [])), sweeps),
            f"chains ({size})": (chains, 100),
        }
        trained = int("import" not in here.config["models"][name])
        by_key |= {f"{key}{suffix}": Size(settings, repeats, trained) for key in ("bias", "tenfold")}
        both = Size(both.settings | settings, min(repeats, both.repeats or repeats), both.trainings + trained)
    return by_key | {"below": both, "above": both, "accurate": both._replace(repeats=here.entry["repeats"])}


def run_sizes(here: Here, model: str, estimators: Iterable[str]) -> tuple[list[int], int, int]:
    """Returns (budgets, smallest number of replicates, number of chains) of the estimates of a model.

    Budgets that the configuration sets for a single estimator are ignored.
    """
    entry, matrix = here.config["models"][model], here.config["matrix"]
    replicates = entry.get("replicates", matrix["replicates"])
    by_name = replicates if isinstance(replicates, dict) else dict.fromkeys(estimators, replicates)
    fewest = min(by_name.get(name, matrix["replicates"]) for name in estimators)
    return entry.get("budgets", matrix["budgets"]), fewest, here.chains_of(model)


def statistics(artifacts: Artifacts) -> Statistics:
    statistics = dict.fromkeys(CLAIMS, untested("the figure leaves out the model of this claim"))
    models = [model for model in artifacts["estimates"] if model in _MODELS]
    ends = {"below": [], "above": []}
    for model in models:
        estimates, (truth, truth_error) = artifacts["estimates"][model], truth_of(artifacts["truths"][model])
        suffix = _MODELS[model][0]
        exact = partial(over_repeats, truth_error=truth_error)
        error = {name: _errors(estimate, truth) for name, estimate in estimates.items()}
        ais, rts = _at(error["ais"], 10 * _FIRST_BUDGET), _at(error["rts"], _FIRST_BUDGET)
        statistics[f"bias{suffix}"] = exact(bias_left_ratio, *(error[name].values for name in COMPARED), scale="log")
        statistics[f"tenfold{suffix}"] = exact(ratio_of_rmse, ais, rts, scale="log")
        ends["below"].append(exact(lambda ais: (-ais.mean(axis=-1)).min(axis=-1), error["ais"].values))
        ends["above"].append(exact(lambda raised: raised.mean(axis=-1).min(axis=-1), error["raise"].values))
    if models:
        least = {key: min(of_models, key=lambda statistic: statistic.value) for key, of_models in ends.items()}
        statistics |= {**least, "accurate": _accuracy(artifacts, models)}
    return statistics


def _errors(estimate, truth):
    return estimate["log_z"].transpose("budget", "replicate") - truth


def _at(error, budget):
    """Errors at a budget; NaN if the estimate lacks that budget."""
    known = budget in error["budget"].values
    return error.sel(budget=budget).values if known else np.full(error.sizes["replicate"], np.nan)


def bias_left_ratio(rts: Array, *others: Array) -> Array:
    """|Bias| at the second budget as a share of the |bias| at the first: RTS divided by the smallest of `others`."""
    return _left(rts) / np.min([_left(other) for other in others], axis=0)


def _left(errors):
    """|Mean error| at the second budget / |mean error| at the first budget; errors (resample, budget, replicate)."""
    bias = np.abs(errors.mean(axis=-1))
    return bias[:, 1] / bias[:, 0] if bias.shape[1] > 1 else np.full(len(bias), np.nan)


def _accuracy(artifacts, models):
    """RMSE of AIS divided by the RMSE of RTS, as a geometric mean over all budgets of all models."""
    errors, truth_errors = [], []
    for model in models:
        truth, truth_error = truth_of(artifacts["truths"][model])
        # Errors are in units of the standard error of the truth, because `over_repeats` takes one standard error for
        # all models.
        unit = truth_error if 0.0 < truth_error < np.inf else 1.0
        truth_errors.append(truth_error / unit)
        for runs in (artifacts["estimates"][model], artifacts.get("longer", {}).get(model, {})):
            errors += [_errors(runs[name], truth).values / unit for name in ("ais", "rts") if name in runs]

    def ratio(*errors):
        logs = [np.log(root_mean_square(error)) for error in errors]
        return np.exp(
            np.concatenate([ais - rts for ais, rts in zip(logs[::2], logs[1::2], strict=True)], 1).mean(axis=1)
        )

    return over_repeats(ratio, *errors, scale="log", truth_error=max(truth_errors))


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
            # The longer runs may have fewer sweeps than the largest of the other budgets.
            order = np.argsort(budgets, kind="stable")
            budgets = budgets[order]
            means = _joined([mean_with_band(part["log_z"].values) for part in runs], order)
            errors = _joined([rmse_with_band(part["log_z"].values, truth) for part in runs], order)
            look = {"label": names[estimator], **style.look_of(estimator, position)}
            style.draw_band(upper, budgets, means, **look)
            style.draw_band(lower, budgets, errors, **look)
        _draw_truth(upper, truths[model], published[model])
        _limit(upper, truth, by_estimator.values())
        _mark_outside(upper)
        # In one line the title of a stand-in would overlap the letter of the panel.
        title = style.title_of(titles[model], truths[model]).replace("stand-in for ", "stand-in for\n")
        upper.set_title(title, loc="right")
        upper.ticklabel_format(axis="y", useOffset=False)
        style.count_ticks(lower, budgets)
        style.plain_logarithms(lower.yaxis)
        lower.set_xlabel("Gibbs sweeps per chain")
    axes[0, 0].set_ylabel(r"mean of $\log \hat Z$ [nat]")
    axes[1, 0].set_ylabel(r"RMSE of $\log \hat Z$ [nat]")
    add_legend(figure, axes[0], "outside right upper")
    return style.finished(figure, *truths.values(), panels=axes.flat)


def _joined(bands, order):
    """Concatenate the values (budget,) and bands (2, budget) of several lists of budgets, and put them in order."""
    values, band = (np.concatenate(parts, axis=-1)[..., order] for parts in zip(*bands, strict=True))
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
    label = f"truth ({truth.attrs['truth_method']}){style.doubt_of(truth)}"
    axis.axhline(log_z, color=style.TRUTH, linestyle="--", label=label)
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
            label = f"{names[estimator]}, {1e3 * rate:.2g} ms per sweep"
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
        "Mean (top) and root mean square error (bottom) of log Z against Gibbs sweeps per chain, including burn-in. "
        "Bands are 95% bootstrap intervals over replicates; fewer than five replicates have no band. The largest "
        "numbers of sweeps may have fewer replicates. The grey band extends two standard errors around the truth. "
        "Carlson et al. (2016), figure 3.",
        inputs,
        draw,
        settings=settings,
        claims=CLAIMS,
        statistics=statistics,
        sizes=sizes,
    ),
    "rts-f3-seconds": Declaration(
        "The RMSE of figure 3 against CPU seconds on one core. Seconds are from a line fitted to times measured on "
        "this machine. Times differ from run to run; the errors do not.",
        timed_inputs,
        draw_seconds,
    ),
}
