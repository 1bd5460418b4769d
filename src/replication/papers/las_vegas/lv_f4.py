"""Las Vegas figure 4: log Z by tours as they accumulate, beside other estimators at equal cost.

Error of log Z by tours as they accumulate, with the 95% interval of one run, and its RMSE against chain-sweeps (draws
of the stopping set included) beside other estimators. Savarese et al. (2018), figure 4.
"""

import numpy as np

from replication.claim import Claim
from replication.papers.declaration import Here
from replication.papers.expected import expect
from replication.reporting.statistics import mean, over_repeats, rmse_with_band, share, truth_of, untested
from replication.reporting.style import TRUTH, draw_band, finished, look_of, new_figure, plain_logarithms

CLAIMS = {
    "converges": Claim("log Z by tours converges as they accumulate", "converges to the truth", at_most=0.5),
    "truth": Claim("It converges to the true log Z", "converges to the truth", at_most=0.1),
    "covers": Claim("The error is within what the spread of the tours says", "-", at_least=0.8),
}
_TOURS = "#332288"
# Largest share of tours that may be cut: each cut tour lowers log Z.
_CUT = 0.01
# Errors beyond so many times the spread of all intervals but the first ones are cut off.
_ROOM = 1.2


def inputs(here: Here) -> dict:
    models = here.entry["models"]
    return {
        "estimates": {model: _estimates(here, model) for model in models},
        "truths": {model: here.truth(model) for model in models},
    }


def _estimates(here, model):
    sizes = here.chosen("tours", "cap", "sweeps", "points", "replicates", "shares")
    entries = {name: here.config["estimators"][here.known("estimators", name)] for name in here.entry["estimators"]}
    matched = all(entry["base"] == "matched" for entry in entries.values())
    expect(here, "estimators", matched, "estimators from the matched base")
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


def statistics(artifacts: dict) -> dict:
    """Error at the end, also over that at the start, and whether intervals cover the truth, where tours return."""
    estimates = {
        model: by_tours
        for model, by_tours in artifacts["estimates"].items()
        if _share_cut(by_tours) <= _CUT and np.isfinite(truth_of(artifacts["truths"][model])[1])
    }
    if not estimates:
        of = f"of every model more than {_CUT:.0%} of the tours were cut, or the runs of its truth did not converge"
        return dict.fromkeys(CLAIMS, untested(of))
    sizes = " and ".join(f"{by_tours.attrs['hidden_units']:g}" for by_tours in estimates.values())
    where = f"of {sizes} hidden units, whose tours return"
    truths = [truth_of(artifacts["truths"][model]) for model in estimates]
    known = np.array([log_z for log_z, _ in truths])[:, None]
    truth_error = float(np.mean([error for _, error in truths]))
    log_z = np.stack([by_tours["log_z"].transpose("tours", "replicate").values for by_tours in estimates.values()])
    first, error = (log_z[:, point] - known for point in (0, -1))
    ends = [by_tours.isel(tours=-1) for by_tours in estimates.values()]
    low, high = (np.stack([end[name].values for end in ends]) for name in ("low", "high"))
    # An interval misses the truth only beyond the error of the truth.
    doubt = 2.0 * np.array([doubted for _, doubted in truths])[:, None]
    covered = (low - doubt <= known) & (known <= high + doubt)
    counts = next(iter(estimates.values()))["tours"].values
    tours = int(counts[-1])
    return {
        "truth": over_repeats(
            mean,
            np.abs(error),
            of=f"mean absolute error of log Z [nat] by {tours:,} tours, {where}",
            scale="log",
            truth_error=truth_error,
        ),
        "converges": over_repeats(
            lambda end, start: np.sqrt(np.square(end).mean(axis=(1, 2)) / np.square(start).mean(axis=(1, 2))),
            error,
            first,
            of=f"RMSE of log Z, {tours:,} tours / the first {int(counts[0])}, {where}",
            scale="log",
        ),
        "covers": share(covered.ravel(), of=f"share of 95% intervals that hold the true log Z, {where}"),
    }


def _share_cut(by_tours):
    """Share of all tours that were cut."""
    return float(by_tours["tours_cut"].mean()) / float(by_tours["tours"].max())


def draw(artifacts: dict, *, titles, names):
    """Errors of log Z by tours with their intervals against the number of tours; RMSE against chain-sweeps."""
    estimates, truths = artifacts["estimates"], artifacts["truths"]
    figure = new_figure(3.4 * len(estimates) + 0.6, 6.0)
    axes = figure.subplots(2, len(estimates), squeeze=False)
    for (above, below), (model, by_tours) in zip(axes.T, estimates.items(), strict=True):
        truth = float(truths[model]["log_z"])
        _draw_errors(above, by_tours, truth)
        share = _share_cut(by_tours)
        cut = f", {share:.1%} of tours cut" if share else ""
        above.set_title(f"{titles[model]}\nlog Z = {truth:.2f}{cut}", loc="right", fontsize=8)
        _draw_costs(below, by_tours, truth, names)
    for axis, label in zip(axes[:, 0], ("log Z by tours - truth [nat]", "RMSE of log Z [nat]"), strict=True):
        axis.set_ylabel(label)
        axis.legend(fontsize=8)
    return finished(figure, *estimates.values(), panels=axes.ravel())


def _draw_errors(axis, estimates, truth):
    tours = estimates["tours"].values
    first, others = estimates.isel(replicate=0), estimates.isel(replicate=slice(1, None))
    axis.plot(tours, first["log_z"] - truth, color=_TOURS, linewidth=1.6, label="one run")
    low, high = first["low"] - truth, first["high"] - truth
    axis.fill_between(tours, low, high, color=_TOURS, alpha=0.2, linewidth=0, label="its 95% interval")
    axis.plot(tours, others["log_z"].transpose("tours", ...) - truth, color=_TOURS, linewidth=0.7, alpha=0.5)
    axis.axhline(0.0, color=TRUTH, linewidth=1)
    later = estimates.isel(tours=slice(tours.size // 3, None))
    reach = _ROOM * max(np.abs(later[name].values - truth).max() for name in ("log_z", "low", "high"))
    axis.set(xscale="log", xlabel="tours", ylim=(-reach, reach))


def _draw_costs(axis, estimates, truth, names):
    sweeps = estimates["chain_sweeps"].mean("replicate").values
    errors = rmse_with_band(estimates["log_z"].transpose("tours", "replicate").values, truth)
    draw_band(axis, sweeps, errors, color=_TOURS, label="tours")
    for position, name in enumerate(estimates["estimator"].values):
        other = estimates.sel(estimator=name)
        spent = other["other_chain_sweeps"].mean("replicate").values
        errors = rmse_with_band(other["other_log_z"].transpose("share", "replicate").values, truth)
        draw_band(axis, spent, errors, label=names[name], **look_of(name, position))
    draws = float(estimates.attrs["draws"])
    axis.axvline(draws, color="#999999", linestyle=":", linewidth=1)
    beside = {"transform": axis.get_xaxis_transform(), "rotation": 90, "va": "bottom"}
    axis.text(draws, 0.03, " stopping set", fontsize=7, color="#666666", **beside)
    axis.set(xscale="log", xlabel="chain-sweeps")
    plain_logarithms(axis.yaxis)
