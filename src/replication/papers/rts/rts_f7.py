"""RTS figure 7: a uniform base, the knot in its ladder, and what unties it.

log Z from a base distribution of uniform units: mean and root mean square error against sweeps, what an adapted
ladder and a path of averaged moments do about it at the same budgets, and the empirical transition matrices of the
inverse temperature at the largest budget. Where the band around the diagonal thins out, chains hardly pass: the knot.
Carlson et al. (2016), figure 7.
"""

import numpy as np

from replication.claim import Claim
from replication.papers.declaration import Here
from replication.papers.expected import expect
from replication.reporting import style
from replication.reporting.statistics import (
    mean_with_band,
    over_repeats,
    ratio_of_means,
    ratio_of_rmse,
    rmse_with_band,
    truth_of,
)

CLAIMS = {
    "worse": Claim("From a uniform base RTS is much worse", "significantly worse", at_least=2.0),
    "worse-ais": Claim("From a uniform base AIS is much worse", "significantly worse", at_least=2.0),
    "worse-raise": Claim("From a uniform base RAISE is much worse", "significantly worse", at_least=2.0),
    "knot": Claim(
        "The transition matrix from a uniform base shows a knot", "a knot that prohibits mixing", at_most=0.5
    ),
    "first": Claim(
        "From a uniform base the bias of RTS falls faster than that of AIS at first",
        "faster",
        at_most=1.0,
        why="The initial iterations end at half the sweeps, before log Zhat has settled: chains then hardly move along "
        "the ladder.",
    ),
    "alike": Claim(
        "From a uniform base RTS and AIS err alike after many sweeps",
        "similar behavior up to 100,000 sweeps",
        at_least=0.5,
        at_most=2.0,
        why="Most runs of RTS come as far as those of AIS or less far, and a few overshoot log Z by tens or hundreds "
        "of nats and make the error; none of these converges. Published after ten times the sweeps of the decisive "
        "scale.",
    ),
    "longer": Claim("From a uniform base the initial iterations take longer", "significantly longer", at_least=1.0),
}
_PANELS = ("estimators", "remedies", "matrices")
# Estimators from a uniform base, and the same from a matched one.
_MATCHED = {"rts-uniform": "rts", "ais-uniform": "ais", "raise-uniform": "raise"}
_SMALLEST_SHARE = 1e-5
# A run this many nats above log Z overshoots.
_FAR = 10.0


def inputs(here: Here) -> dict:
    model = here.entry["model"]
    panels = {panel: here.runs(model, here.entry[panel]) for panel in _PANELS}
    methods = [here.config["estimators"][name]["method"] for name in panels["matrices"]]
    expect(here, "estimators", {*_MATCHED} <= {*panels["estimators"]}, f"{', '.join(_MATCHED)} among them")
    expect(here, "remedies", panels["remedies"], "one estimator or more")
    expect(here, "matrices", {*methods} == {"rts"}, "one estimator or more, all by RTS")
    matched = here.runs(model, _MATCHED.values())
    tempered = here.estimates(model, ("rts-uniform", "rts"))
    bases = {"uniform": tempered["rts-uniform"], "matched": tempered["rts"]}
    knots = here.experiment("replication.papers.rts.rts_experiments:knots", bases, {})
    return {"truth": here.truth(model), "matched": matched, "knots": knots, **panels}


def settings(here: Here) -> dict:
    model, estimators = here.entry["model"], here.config["estimators"]
    titles = here.estimator_titles().items()
    names = {name: title + ", matched base" * (estimators[name]["base"] == "matched") for name, title in titles}
    return {"title": here.titles([model])[model], "names": names}


def statistics(artifacts):
    """From a uniform base over from a matched one, at the largest common budget; first: RTS over AIS at the least."""
    truth, truth_error = truth_of(artifacts["truth"])
    uniform, matched = artifacts["estimators"], artifacts["matched"]
    budget = _largest_common_budget([*uniform.values(), *matched.values()])
    bases = [estimates.sel(budget=budget) for estimates in (uniform["rts-uniform"], matched["rts"])]
    exact = {"scale": "log", "truth_error": truth_error}

    def error(estimate, at):
        return estimate["log_z"].sel(budget=at).values - truth

    def worse(name):
        errors = error(uniform[name], budget), error(matched[_MATCHED[name]], budget)
        of = f"RMSE of {_MATCHED[name].upper()} from a uniform / a matched base at {budget:,} sweeps"
        return over_repeats(ratio_of_rmse, *errors, of=of + _overshoot(errors[0]), **exact)

    least = int(uniform["rts-uniform"]["budget"].values[0])
    return {
        "worse": worse("rts-uniform"),
        "worse-ais": worse("ais-uniform"),
        "worse-raise": worse("raise-uniform"),
        "knot": over_repeats(
            ratio_of_means,
            *(artifacts["knots"][base].values for base in ("uniform", "matched")),
            of="flux of beta at the narrowest place of the ladder, over that from a matched base there, "
            f"uniform / matched base, at {artifacts['knots'].attrs['budget']:,} sweeps",
        ),
        "first": over_repeats(
            lambda rts, ais: np.abs(rts.mean(axis=-1) / ais.mean(axis=-1)),
            *(error(uniform[name], least) for name in ("rts-uniform", "ais-uniform")),
            of=f"|bias| from a uniform base, RTS / AIS, at {least:,} sweeps",
            **exact,
        ),
        "alike": over_repeats(
            ratio_of_rmse,
            *(error(uniform[name], budget) for name in ("rts-uniform", "ais-uniform")),
            of=f"RMSE from a uniform base, RTS / AIS, at {budget:,} sweeps",
            **exact,
        ),
        "longer": over_repeats(
            ratio_of_means,
            *(base["initial_iterations"].values for base in bases),
            of=f"initial iterations of RTS, uniform / matched base, at {budget:,} sweeps",
            scale="log",
        ),
    }


def _overshoot(errors):
    """The number of runs far above log Z, in words; empty for none. A few of them may dominate an RMSE."""
    number = np.count_nonzero(errors > _FAR)
    return f" ({number} of {errors.size} runs lie more than {_FAR:g} nats above log Z)" if number else ""


def _largest_common_budget(estimates):
    common = set.intersection(*({int(budget) for budget in estimate["budget"].values} for estimate in estimates))
    if not common:
        raise ValueError("budgets: expected one that all estimates have, of a uniform and of a matched base")
    return max(common)


def draw(artifacts, *, title, names):
    """Mean and RMSE of log Z from a uniform base, remedies at the same budgets, and transition matrices of beta."""
    from matplotlib.ticker import LogLocator

    estimates, remedies, matrices = (artifacts[panel] for panel in _PANELS)
    truth = artifacts["truth"]
    figure = style.new_figure(10.4, 8.2)
    grid = figure.add_gridspec(2, 6)
    mean, error, remedy = (figure.add_subplot(grid[0, 2 * part : 2 * part + 2]) for part in range(3))
    log_z = float(truth["log_z"])
    mean.axhline(log_z, color=style.TRUTH, linestyle="--", label="truth")
    for axis, group in ((error, estimates), (remedy, remedies)):
        for position, (estimator, estimate) in enumerate(group.items()):
            look = {"label": names[estimator], **style.look_of(estimator, position)}
            budgets, values = estimate["budget"].values, estimate["log_z"].values
            style.draw_band(axis, budgets, rmse_with_band(values, log_z), **look)
            if axis is error:
                style.draw_band(mean, budgets, mean_with_band(values), **look)
        style.plain_logarithms(axis.yaxis)
        axis.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_ylabel(r"RMSE of $\log \hat Z$ [nat]")
        _label_budgets(axis, group)
    mean.set_ylabel(r"mean of $\log \hat Z$ [nat]")
    mean.ticklabel_format(axis="y", useOffset=False)
    _label_budgets(mean, estimates)
    for axis, label in ((mean, "uniform base"), (error, "uniform base"), (remedy, "remedies")):
        axis.set_title(label, loc="right")
    lower = _draw_matrices(figure, grid, {names[name]: estimate for name, estimate in matrices.items()})
    figure.suptitle(style.title_of(title, truth), fontsize=10)
    return style.finished(figure, truth, panels=(mean, error, remedy, *lower))


def _label_budgets(axis, group):
    """The budgets of a group of estimates below a panel, and its legend below them."""
    budgets = np.unique(np.concatenate([estimate["budget"].values for estimate in group.values()]))
    style.count_ticks(axis, budgets)
    axis.set_xlabel("Gibbs sweeps per chain")
    axis.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.22))


def _draw_matrices(figure, grid, matrices):
    """A panel for each transition matrix, on one scale; a knot is a place where the band around the diagonal thins."""
    from matplotlib.colors import LogNorm

    width = 6 // len(matrices)
    budget = _largest_common_budget(matrices.values())
    axes = []
    for part, (label, estimate) in enumerate(matrices.items()):
        axis = figure.add_subplot(grid[1, width * part : width * (part + 1)])
        matrix = estimate["transition_matrix"].sel(budget=budget).values
        look = {"norm": LogNorm(_SMALLEST_SHARE, 1.0), "cmap": "magma", "origin": "lower", "extent": (0, 1, 0, 1)}
        image = axis.imshow(np.maximum(matrix, _SMALLEST_SHARE), **look)
        axis.set_title(f"{label}\n{budget:,} sweeps", loc="right", fontsize=9)
        axis.set(xlabel=r"$\beta$ after a sweep", ylabel=r"$\beta$ before it")
        axes.append(axis)
    figure.colorbar(image, ax=axes, label="share of moves (log scale)")
    return axes
