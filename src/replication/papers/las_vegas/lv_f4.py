"""Las Vegas figure 4: log Z by tours as they accumulate, beside other estimators at equal cost.

Top: error of log Z by tours as they accumulate, with the 95% interval of one run. Bottom: RMSE against chain-sweeps,
including the draws of the stopping set, beside other estimators. Each column is one training. Where the truth is a mean
of long runs, the titles and the grey lines show its standard error. The claims leave out a training whose long runs did
not converge. Savarese et al. (2018), figure 4.
"""

import numpy as np

from replication.claim import Claim, Power, Size
from replication.papers.declaration import Here
from replication.papers.panels import add_legend
from replication.papers.repeats import first_of
from replication.reporting.statistics import mean, over_repeats, ratio_of_rmse, rmse_with_band, truth_of, untested
from replication.reporting.style import TRUTH, doubt_of, draw_band, finished, look_of, new_figure, plain_logarithms
from replication.types import Artifacts, Figure, Inputs, Names, Statistics

_STATES = (
    "over trainings, replicates, and the states after 15 epochs of CD-1 and after LVS-1; trainings whose true log Z is"
    " not known, as its long runs did not converge, are left out"
)
# Hidden units, tours and longest tour in the authors' code.
_HIDDEN, _TOURS_PUBLISHED, _CAP = 32, 1_000, 100_000
CLAIMS = {
    "converges": Claim(
        "log Z by tours converges to the true value as tours accumulate",
        "Estimating the partition function, figure 4; theorem 3",
        "converges to the truth",
        f"RMSE of log Z by all tours over that by the first ten, {_STATES}",
        at_most=1.0,
        bound="consistent: the estimate tends to the true value as tours accumulate",
        scale="log",
        power=Power(
            0.1, 0.35, "errors that fall as the root of the tours (theorem 3); spread of a ratio of two RMSE of 20"
        ),
    ),
    "truth": Claim(
        "The estimate ends at the true log Z",
        "Estimating the partition function, figure 4",
        "the true value",
        f"mean absolute error [nat] of log Z by all tours, {_STATES}",
    ),
    "covers": Claim(
        "The spread of the tours gives the error of log Z",
        measured=f"share of 95% intervals by all tours that hold the true log Z, {_STATES}",
    ),
}
_TOURS = "#332288"
# Half-height of the panel of errors, relative to the largest error or interval end after the first third of the points.
_ROOM = 1.2


def inputs(here: Here) -> Inputs:
    trainings = {model: here.trainings(model) for model in here.entry["models"]}
    return {
        "estimates": {model: {name: _estimates(here, name) for name in names} for model, names in trainings.items()},
        "truths": {model: {name: here.truth(name) for name in names} for model, names in trainings.items()},
    }


def sizes(here: Here) -> Size:
    models = here.entry["models"]
    trainings = min(len(here.trainings(model)) for model in models)
    settings: dict[str, tuple[float, float | None]] = {
        "hidden units": (min(here.train(model)["hidden"] for model in models), _HIDDEN),
        "tours": (here.entry["tours"], _TOURS_PUBLISHED),
        "longest tour": (here.entry["cap"], _CAP),
        "sweeps of all tours": (here.entry["sweeps"], _TOURS_PUBLISHED * _CAP),
    }
    return Size(settings, trainings, trainings)


def _estimates(here, model):
    sizes = here.chosen("tours", "cap", "sweeps", "points", "replicates", "shares")
    entries = {name: here.config["estimators"][here.known("estimators", name)] for name in here.entry["estimators"]}
    matched = all(entry["base"] == "matched" for entry in entries.values())
    here.expect("estimators", matched, "estimators whose base is `matched`")
    others = {name: [entry["method"], entry["options"]] for name, entry in entries.items()}
    sweeps, most = (sizes["replicates"] * sizes[key] for key in ("tours", "sweeps"))
    draws = sizes["replicates"] * here.examples(model)
    share = len(entries) * sum(sizes["shares"])
    return here.experiment(
        "replication.papers.las_vegas.lv_estimates:by_tours",
        here.model_and_data(model),
        {**sizes, "chains": here.chains, "others": others},
        f"figures/{here.name}.{model}",
        stream=("lv-f4", model),
        work={"tours": here.visits(model, sweeps), "sampling": here.visits(model, share * sweeps)},
        most={"sampling": here.visits(model, (1 + share) * (most + draws))},
        methods=tuple(entry["method"] for entry in entries.values()),
    )


def statistics(artifacts: Artifacts) -> Statistics:
    ends, starts, held, doubts = [], [], [], []
    for model, trainings in artifacts["estimates"].items():
        truths = {name: truth_of(artifacts["truths"][model][name]) for name in trainings}
        known = [(by_tours, *truths[name]) for name, by_tours in trainings.items() if np.isfinite(truths[name][1])]
        errors = [by_tours["log_z"].transpose("tours", "replicate").values - truth for by_tours, truth, _ in known]
        ends.append([of_tours[-1] for of_tours in errors])
        starts.append([of_tours[0] for of_tours in errors])
        held.append([_share_held(by_tours, *truth) for by_tours, *truth in known])
        doubts += [doubt for *_, doubt in known]
    # Arrays (model, replicate, training), with the same number of trainings for each model.
    fewest = min(map(len, ends))
    if not fewest:
        return dict.fromkeys(CLAIMS, untested())
    end, start = (np.array([state[:fewest] for state in part]).transpose(0, 2, 1) for part in (ends, starts))
    doubt = float(np.mean(doubts))
    return {
        "converges": over_repeats(ratio_of_rmse, end, start, scale="log", truth_error=doubt),
        "truth": over_repeats(lambda errors: mean(np.abs(errors)), end, scale="log", truth_error=doubt),
        "covers": over_repeats(mean, np.array([shares[:fewest] for shares in held]), scale="share"),
    }


def _share_held(by_tours, truth, doubt):
    """Share of intervals by all tours that cover the truth, with a tolerance of two standard errors of the truth."""
    low, high = (by_tours[name].transpose("tours", "replicate").values[-1] for name in ("low", "high"))
    return np.mean((low - 2.0 * doubt <= truth) & (truth <= high + 2.0 * doubt))


def draw(artifacts: Artifacts, *, titles: Names, names: Names) -> Figure:
    estimates = {model: first_of(trainings) for model, trainings in artifacts["estimates"].items()}
    figure = new_figure(3.4 * len(estimates) + 0.6, 6.0)
    axes = figure.subplots(2, len(estimates), squeeze=False)
    for (above, below), (model, by_tours) in zip(axes.T, estimates.items(), strict=True):
        true = first_of(artifacts["truths"][model])
        truth, error = float(true["log_z"]), float(true["std_error"])
        _draw_errors(above, by_tours, truth, error)
        share = float(by_tours["tours_cut"].mean()) / float(by_tours["tours"].max())
        cut = f", {share:.1%} of tours cut" if share else ""
        known = f"log Z = {truth:.2f}{f' ± {error:.2g} s.e.' if error else ''}{doubt_of(true)}"
        above.set_title(f"{titles[model]}\n{known}{cut}", loc="right", fontsize=8)
        _draw_costs(below, by_tours, truth, error, names)
    for axis, label in zip(axes[:, 0], ("log Z by tours − truth [nat]", "RMSE of log Z [nat]"), strict=True):
        axis.set_ylabel(label)
    add_legend(figure, axes.ravel(), "outside lower center", ncols=4)
    return finished(figure, *estimates.values(), panels=axes.ravel())


def _draw_errors(axis, estimates, truth, error):
    tours = estimates["tours"].values
    first, others = estimates.isel(replicate=0), estimates.isel(replicate=slice(1, None))
    axis.plot(tours, first["log_z"] - truth, color=_TOURS, linewidth=1.6, label="one run")
    low, high = first["low"] - truth, first["high"] - truth
    axis.fill_between(tours, low, high, color=_TOURS, alpha=0.2, linewidth=0, label="95% interval of this run")
    lines = axis.plot(tours, others["log_z"].transpose("tours", ...) - truth, color=_TOURS, linewidth=0.7, alpha=0.5)
    for line in lines[:1]:
        line.set_label("other runs")
    axis.axhline(0.0, color=TRUTH, linewidth=1)
    if error:
        axis.axhspan(-2.0 * error, 2.0 * error, color=TRUTH, alpha=0.1, linewidth=0, label="truth ± 2 s.e.")
    later = estimates.isel(tours=slice(tours.size // 3, None))
    reach = _ROOM * max(np.abs(later[name].values - truth).max() for name in ("log_z", "low", "high"))
    axis.set(xlabel="tours", ylim=(-reach, reach))
    plain_logarithms(axis.xaxis)


def _draw_costs(axis, estimates, truth, error, names):
    sweeps = estimates["chain_sweeps"].mean("replicate").values
    errors = rmse_with_band(estimates["log_z"].transpose("tours", "replicate").values, truth)
    draw_band(axis, sweeps, errors, color=_TOURS, label="log Z by tours, 95% interval")
    for position, name in enumerate(estimates["estimator"].values):
        other = estimates.sel(estimator=name)
        spent = other["other_chain_sweeps"].mean("replicate").values
        errors = rmse_with_band(other["other_log_z"].transpose("share", "replicate").values, truth)
        draw_band(axis, spent, errors, label=names[name], **look_of(name, position))
    if error:
        axis.axhline(error, color="grey", linestyle=":", label="standard error of the truth")
    draws = float(estimates.attrs["draws"])
    axis.axvline(draws, color="#666666", linestyle=":", linewidth=1, label="draws of the stopping set")
    axis.set_xlabel("chain-sweeps")
    plain_logarithms(axis.xaxis, axis.yaxis)
