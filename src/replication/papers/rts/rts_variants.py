"""RTS figure 8 and sections 2.4 and 5: variants of RTS against the plain one."""

from typing import Any

import numpy as np

from replication.artifacts import stand_in_note
from replication.claim import Claim, Power, Size
from replication.papers.declaration import Declaration, Here
from replication.papers.expected import expect
from replication.papers.rts.rts_comparison import run_sizes
from replication.reporting import style
from replication.reporting.statistics import (
    difference_of_means,
    over_repeats,
    rmse_with_band,
    root_mean_square,
    truth_of,
    untested,
)
from replication.reporting.tables import COUNT, DIGITS, Column, table_of

_EARLIER = "spread: the decisive scale, earlier seed"
_RATIO = "RMSE of log Z by {} of the same draws, geometric mean over numbers of sweeps"
CLAIMS = {
    "small": Claim(
        "RSD improves on RTS by about 10% at 10 hidden units",
        "supplement G and figure 8, left",
        published="about 10%",
        measured=_RATIO.format("RSD / RTS"),
        at_most=1.0,
        bound="'improves performance'",
        scale="log",
        power=Power(0.9, 0.25, f"effect: published; {_EARLIER}"),
    ),
    "large": Claim(
        "RSD does not improve on RTS at 200 hidden units",
        "supplement G and figure 8, right",
        published="no performance improvements",
        measured=_RATIO.format("RSD / RTS"),
        at_least=1.0,
        bound="'no performance improvements'",
        scale="log",
        power=Power(1.25, 0.3, f"effect: a factor of 1.25; {_EARLIER}"),
        why="RSD is a tenth better here, too; the 20 repeats of the paper could not show it.",
    ),
    "counted": Claim(
        "The stationary distribution of the counted transitions (SD, TM in the figure) at 10 hidden units",
        "figure 8, left",
        published="drawn, without a number",
        measured=_RATIO.format("SD / RTS"),
        scale="log",
    ),
}
_BEST = "RMSE of log Z by RTS, {} / uniform prior, geometric mean over numbers of sweeps"
TEXT_CLAIMS = {
    "mixed": Claim(
        "Updates by eq 12 between initial iterations are as effective as the likelihood of blocks with different log "
        "Zhat",
        "section 2.4 and supplement A",
        published="equally effective",
        measured="RMSE of log Z by RTS, blocks mixed / by eq 12, geometric mean over numbers of sweeps",
        scale="log",
    ),
    "prior": Claim(
        "No other prior of the inverse temperature outperforms the uniform one",
        "section 5",
        published="no alternative consistently outperformed",
        measured=_BEST.format("rising or falling prior, the better one,"),
        scale="log",
    ),
    "rising": Claim(
        "The rising prior of section 4.4 gives a less accurate log Z",
        "section 5",
        published="a less accurate estimate",
        measured=_BEST.format("rising"),
        scale="log",
    ),
    "bias": Claim(
        "Eq 15 approximates the bias of RTS",
        "section 2.5 and supplement B",
        published="can be approximated",
        measured="mean of the bias by eq 15, from the spread over chains, less the mean error of RTS [nat], at the "
        "fewest sweeps",
    ),
    "variance": Claim(
        "Eq 16 approximates the variance of RTS",
        "section 2.5 and supplement B",
        published="can be approximated",
        measured="mean of the variance by eq 16, from the spread over chains / variance of RTS over runs, geometric "
        "mean over numbers of sweeps",
        scale="log",
    ),
    "subtracted": Claim(
        "Subtracting the estimated bias does not improve RTS",
        "section 5",
        published="did not improve the results",
        measured="RMSE of log Z by RTS less its bias by eq 15 / RMSE of RTS, geometric mean over numbers of sweeps",
        scale="log",
    ),
    "continuous": Claim(
        "A continuous inverse temperature gives less accurate estimates",
        "section 5",
        published="less accurate",
        not_tested="the paper does not describe the continuous formulation that it tried",
    ),
    "control": Claim(
        "Control variates do not reduce the variance",
        "section 5",
        published="no reduction",
        not_tested="the paper does not name the functions that it used as control variates",
    ),
}
# Hidden units of the models that the claims name.
_KEYS = {10: "small", 200: "large"}
_PLAIN, _MIXED, _RISING = "rts", "rts-mixed", "rts-rising"
_COLUMNS = {
    "sweeps": Column("sweeps per chain", form=COUNT),
    "runs": Column("runs", form=COUNT),
    "rmse": Column("RMSE", "nat", DIGITS),
    "bias": Column("bias", "nat", DIGITS),
    "bias_error": Column("± s.e.", "nat", DIGITS),
}


def inputs(here: Here) -> dict:
    models = here.entry["models"]
    return {
        "stationary": {model: _stationary(here, model) for model in models},
        "truths": {model: here.truth(model) for model in models},
    }


def _stationary(here, model):
    sizes = here.chosen("rungs", "budgets", "replicates")
    sweeps = sum(sizes["budgets"]) * sizes["replicates"]
    return here.experiment(
        "replication.papers.rts.rts_experiments:occupancies",
        here.model_and_data(model),
        {**sizes, "chains": here.chains},
        f"figures/{here.name}.{model}",
        stream=("stationary", model),
        work={"sampling": here.visits(model, sweeps * here.chains)},
    )


def sizes(here: Here) -> dict[str, Size]:
    """Numbers of figure 8; its procedure is that of figure 3, whose curves end at 100,000 sweeps."""
    entry, by_hidden = here.entry, {here.shape(model)[1]: model for model in here.entry["models"]}
    by_key = {}
    for hidden, key in _KEYS.items():
        if hidden in by_hidden:
            settings = {
                "hidden units": (hidden, hidden),
                "most sweeps": (max(entry["budgets"]), 100_000),
                "rungs": (entry["rungs"], 100),
                "chains": (here.chains, 100),
                "repeats": (entry["replicates"], 20),
            }
            by_key[key] = Size(settings, entry["replicates"], trainings=1)
    return by_key | ({"counted": by_key["small"]} if "small" in by_key else {})


def statistics(artifacts):
    """RMSE of RSD, and of SD, over that of RTS, over all budgets, of the models of the sizes in the claims."""
    statistics = dict.fromkeys(CLAIMS, untested("no model of as many hidden units is shown"))
    for model, estimates in artifacts["stationary"].items():
        hidden = estimates.attrs["hidden"]
        if hidden not in _KEYS:
            continue
        truth, truth_error = truth_of(artifacts["truths"][model])
        error = estimates["log_z"].transpose("estimator", "budget", "replicate") - truth
        rts, sd, rsd = (error.sel(estimator=name).values for name in ("rts", "sd", "rsd"))
        exact: dict[str, Any] = {"scale": "log", "truth_error": truth_error}
        statistics[_KEYS[hidden]] = over_repeats(_times, rsd, rts, **exact)
        if _KEYS[hidden] == "small":
            statistics["counted"] = over_repeats(_times, sd, rts, **exact)
    return statistics


def _times(errors, others):
    """RMSE of errors (resample, budget, repeat) over that of others, geometric mean over budgets."""
    return np.exp(np.log(root_mean_square(errors) / root_mean_square(others)).mean(axis=-1))


def draw(artifacts, *, titles, names):
    """RMSE of log Z by RTS, SD and RSD against sweeps, a panel for each model."""
    stationary, truths = artifacts["stationary"], artifacts["truths"]
    figure = style.new_figure(3.8 * len(stationary) + 1.8, 3.6)
    axes = figure.subplots(1, len(stationary), squeeze=False)[0]
    for axis, (model, estimates) in zip(axes, stationary.items(), strict=True):
        budgets, truth = estimates["budget"].values, truths[model]
        for position, estimator in enumerate(estimates["estimator"].values):
            log_z = estimates["log_z"].sel(estimator=estimator).transpose("budget", "replicate").values
            errors = rmse_with_band(log_z, float(truth["log_z"]))
            style.draw_band(axis, budgets, errors, label=names[estimator], **style.look_of(estimator, position))
        if float(truth["std_error"]) > 0:
            axis.axhline(float(truth["std_error"]), color="grey", linestyle=":", label="uncertainty of the truth")
        style.plain_logarithms(axis.yaxis)
        style.count_ticks(axis, budgets)
        axis.set_xlabel("Gibbs sweeps per chain")
        axis.set_title(style.title_of(titles[model], truth), loc="right")
    axes[0].set_ylabel(r"RMSE of $\log \hat Z$ [nat]")
    handles = {label: handle for axis in axes for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc="outside right upper", fontsize=8)
    return style.finished(figure, *truths.values(), panels=axes)


def text_inputs(here: Here) -> dict:
    """Runs of RTS, of its likelihood of blocks and of the other priors, and the predictions of eqs 15 and 16."""
    model = here.entry["model"]
    estimators = [_PLAIN, _MIXED, *here.entry["priors"]]
    figure = here.of(here.entry["figure"])
    expect(here, "figure", model in figure.entry["models"], f"a figure of {model}")
    return {
        "truth": here.truth(model),
        "estimates": here.runs(model, estimators),
        "predicted": _stationary(figure, model),
    }


def text_sizes(here: Here) -> dict[str, Size]:
    """The paper does not say on which model and at how many sweeps these were tried."""
    unnamed = "the paper names neither the model nor the sweeps"
    _, replicates, _ = run_sizes(here, here.entry["model"], [_PLAIN, _MIXED, *here.entry["priors"]])
    hidden: dict[str, tuple[float, float | None]] = {"hidden units": (here.shape(here.entry["model"])[1], None)}
    runs = Size(hidden, replicates, 1, unnamed)
    predicted = Size(hidden, here.of(here.entry["figure"]).entry["replicates"], 1, unnamed)
    predictions = ("bias", "variance", "subtracted")
    return {
        key: predicted if key in predictions else runs for key, claim in TEXT_CLAIMS.items() if not claim.not_tested
    }


def text_statistics(artifacts):
    """Ratios of RMSE over that of RTS, geometric means over budgets, and eqs 15 and 16 beside bias and variance."""
    truth, truth_error = truth_of(artifacts["truth"])
    errors = {name: estimates["log_z"].values - truth for name, estimates in artifacts["estimates"].items()}
    plain, mixed = errors.pop(_PLAIN), errors.pop(_MIXED)
    predicted = artifacts["predicted"]
    bias, variance = (predicted[name].transpose("budget", "replicate").values for name in ("bias", "variance"))
    error = predicted["log_z"].sel(estimator="rts").transpose("budget", "replicate").values - truth

    def best(plain, *others):
        return np.min([_times(other, plain) for other in others], axis=0)

    def variance_ratio(variance, error):
        return np.exp(np.log(variance.mean(axis=-1) / error.var(axis=-1, ddof=1)).mean(axis=-1))

    exact: dict[str, Any] = {"scale": "log", "truth_error": truth_error}
    return {
        "mixed": over_repeats(_times, mixed, plain, **exact),
        "prior": over_repeats(best, plain, *errors.values(), **exact),
        "rising": over_repeats(_times, errors[_RISING], plain, **exact) if _RISING in errors else untested(),
        "bias": over_repeats(difference_of_means, bias[0], error[0], truth_error=truth_error),
        "variance": over_repeats(variance_ratio, variance, error, scale="log"),
        "subtracted": over_repeats(_times, error - bias, error, **exact),
    }


def rows(artifacts, *, names):
    """A row for each variant and budget."""
    truth, table = artifacts["truth"], {}
    for name, estimates in artifacts["estimates"].items():
        for budget in estimates["budget"].values:
            error = estimates["log_z"].sel(budget=budget).values - float(truth["log_z"])
            table[f"{names[name]}, {budget:,} sweeps{stand_in_note(truth)}"] = {
                "sweeps": int(budget),
                "runs": error.size,
                "rmse": float(root_mean_square(error)),
                "bias": float(error.mean()),
                "bias_error": float(error.std(ddof=1) / np.sqrt(error.size)),
            }
    return table_of(table, "variant", _COLUMNS)


FIGURES = {
    "rts-f8": Declaration(
        "Root mean square error of log Z by RTS and by the stationary distribution of the transition matrix of the "
        "inverse temperature, counted (SD) and Rao-Blackwellised (RSD), all from the same draws. Carlson et al. "
        "(2016), figure 8.",
        inputs,
        draw,
        claims=CLAIMS,
        statistics=statistics,
        sizes=sizes,
    ),
    "rts-text": Declaration(
        "Root mean square error and bias of log Z, in nats, by RTS, by its likelihood of blocks with different log "
        "Zhat (supplement A), and under priors of the inverse temperature that rise or fall. Carlson et al. (2016).",
        text_inputs,
        rows=rows,
        claims=TEXT_CLAIMS,
        statistics=text_statistics,
        sizes=text_sizes,
    ),
}
