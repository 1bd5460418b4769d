"""RTS figure 7: a uniform base, the knot in its ladder, and remedies.

log Z from a base distribution of uniform units. Top: mean and root mean square error against sweeps. The right panel
shows remedies: an adapted ladder, a path of averaged moments, and a matched base. Bottom: empirical transition matrices
of the inverse temperature at the largest budget. Rows and columns are groups of neighbouring rungs. Their position
equals β only if the rungs are at equal distances in β, as in ladders that are not adapted. Chains rarely pass the knot,
where the band around the diagonal is thin. Carlson et al. (2016), figure 7.
"""

from functools import partial

import numpy as np

from replication.claim import Claim, Power, Size
from replication.papers.declaration import Here
from replication.papers.panels import add_legend, draw_estimates
from replication.papers.rts.rts_f3 import BIAS_LEFT, bias_left_ratio, run_sizes
from replication.reporting import style
from replication.reporting.statistics import (
    mean_with_band,
    over_repeats,
    ratio_of_means,
    rmse_with_band,
    share,
    truth_of,
)
from replication.types import Artifacts, Figure, Inputs, Names, Settings, Statistics

_WHERE = "supplement F and figure 7"
_EARLIER = "spread: the decisive scale, earlier seed"
CLAIMS = {
    "worse": Claim(
        "From a uniform base RTS, AIS and RAISE are all much worse than from a matched one",
        _WHERE,
        published="significantly worse",
        measured="geometric mean of |error of log Z|, uniform / matched base, at the most sweeps that all have, the "
        "least of the three estimators",
        at_least=1.0,
        bound="'all estimators behave significantly worse'",
        scale="log",
        power=Power(2.0, 0.56, f"effect: the least that 'significantly' means; {_EARLIER}"),
    ),
    "knot": Claim(
        "From a uniform base the transition matrix of the inverse temperature has a knot",
        _WHERE,
        published="a knot that prohibits effective mixing",
        measured="flux of beta at the narrowest place of the ladder, over the mean flux from a matched base there, "
        "mean over runs, uniform / matched base",
        at_most=1.0,
        bound="'a knot that is prohibiting effective mixing': less flux than without it",
        scale="log",
        power=Power(0.5, 0.64, f"effect: the least that 'prohibits' means; {_EARLIER}"),
    ),
    "first": Claim(
        "From a uniform base the bias of RTS at first decreases faster than that of AIS",
        _WHERE,
        published="faster",
        measured=f"{BIAS_LEFT}, RTS / AIS, uniform base",
        at_most=1.0,
        bound="'initially RTS decreases bias faster': less of it is left",
        scale="log",
        power=Power(0.8, 0.3, f"effect: a factor of 1.25; {_EARLIER}"),
    ),
    "alike": Claim(
        "From a uniform base RTS and AIS behave similarly after many sweeps",
        _WHERE,
        published="similar behavior up to 100,000 sweeps",
        measured="geometric mean of |error of log Z| from a uniform base, RTS / AIS, at the most sweeps that both have",
    ),
    "longer": Claim(
        "From a uniform base the initial iterations of RTS take longer",
        _WHERE,
        published="significantly longer",
        measured="share of runs from a uniform base with more initial iterations than the mean of those from a matched "
        "base, at the most sweeps that both have",
        at_least=0.5,
        bound="'takes significantly longer': most runs take longer",
        scale="share",
        power=Power(0.9, 0.5, "effect: nine runs in ten; spread: that of a share"),
    ),
}
_PANELS = ("estimators", "remedies", "matrices")
# {estimator with a uniform base: the same estimator with a matched base}.
_MATCHED = {"rts-uniform": "rts", "ais-uniform": "ais", "raise-uniform": "raise"}
_SMALLEST_SHARE = 1e-5


def inputs(here: Here) -> Inputs:
    model = here.entry["model"]
    panels = {panel: here.runs(model, here.entry[panel]) for panel in _PANELS}
    methods = [here.config["estimators"][name]["method"] for name in panels["matrices"]]
    here.expect("estimators", {*_MATCHED} <= {*panels["estimators"]}, f"a list with {', '.join(_MATCHED)}")
    here.expect("remedies", panels["remedies"], "one estimator or more")
    here.expect("matrices", {*methods} == {"rts"}, "one estimator or more, all by RTS")
    matched = here.runs(model, _MATCHED.values())
    tempered = here.estimates(model, ("rts-uniform", "rts"))
    bases = {"uniform": tempered["rts-uniform"], "matched": tempered["rts"]}
    knots = here.experiment("replication.papers.rts.rts_experiments:knots", bases, {})
    return {"truth": here.truth(model), "matched": matched, "knots": knots, **panels}


def settings(here: Here) -> Settings:
    model, estimators = here.entry["model"], here.config["estimators"]
    titles = here.estimator_titles().items()
    names = {name: title + " (matched base)" * (estimators[name]["base"] == "matched") for name, title in titles}
    return {"title": here.titles([model])[model], "names": names}


def sizes(here: Here) -> dict[str, Size]:
    """Our sizes beside the published sizes (section 4.2 and supplement F)."""
    model, estimators = here.entry["model"], here.config["estimators"]
    budgets, fewest, chains = run_sizes(here, model, [*_MATCHED, *_MATCHED.values()])
    longest = {name: estimators[name].get("budgets", budgets) for name in _MATCHED}

    def size(*lists):
        most = max(set.intersection(*map(set, lists)), default=0)
        return Size(
            {"hidden units": (here.shape(model)[1], 500), "most sweeps": (most, 100_000), "chains": (chains, 100)},
            fewest,
        )

    rts, ais = longest["rts-uniform"], longest["ais-uniform"]
    return {
        "worse": size(*longest.values(), budgets),
        **dict.fromkeys(("knot", "longer"), size(rts, budgets)),
        **dict.fromkeys(("first", "alike"), size(rts, ais)),
    }


def statistics(artifacts: Artifacts) -> Statistics:
    truth, truth_error = truth_of(artifacts["truth"])
    uniform, matched = artifacts["estimators"], artifacts["matched"]
    rts, ais = uniform["rts-uniform"], uniform["ais-uniform"]

    def ratio(statistic, estimates, at, note=""):
        errors = (estimate["log_z"].sel(budget=at).transpose(..., "replicate").values - truth for estimate in estimates)
        return over_repeats(statistic, *errors, note=note, scale="log", truth_error=truth_error)

    budget = _largest_common_budget([*uniform.values(), *matched.values()])
    last = _largest_common_budget([rts, ais])
    longest = _largest_common_budget([rts, matched["rts"]])
    iterations, reference = (base["initial_iterations"].sel(budget=longest).values for base in (rts, matched["rts"]))
    early = sorted({*rts["budget"].values} & {*ais["budget"].values})[:2]
    ratios = [
        ratio(_times_typical, (uniform[name], matched[other]), budget, f"{other.upper()}, {budget:,} sweeps")
        for name, other in _MATCHED.items()
    ]
    knots = artifacts["knots"]
    fluxes = [knots[base].values for base in ("uniform", "matched")]
    return {
        "worse": min(ratios, key=lambda ratio: ratio.value),
        "knot": over_repeats(ratio_of_means, *fluxes, note=f"{knots.attrs['budget']:,} sweeps", scale="log"),
        "first": ratio(bias_left_ratio, (rts, ais), early),
        "alike": ratio(_times_typical, (rts, ais), last, f"{last:,} sweeps"),
        "longer": share(iterations > reference.mean()),
    }


def _times_typical(errors, others):
    """Geometric mean of |errors| (resample, repeat) / geometric mean of |others|, robust against a few large errors."""
    return np.exp(np.log(np.abs(errors)).mean(axis=-1) - np.log(np.abs(others)).mean(axis=-1))


def _largest_common_budget(estimates):
    common = set.intersection(*({int(budget) for budget in estimate["budget"].values} for estimate in estimates))
    if not common:
        raise ValueError("budgets: expected a budget that all estimates share, found none; set a common budget")
    return max(common)


def draw(artifacts: Artifacts, *, title: str, names: Names) -> Figure:
    from matplotlib.ticker import LogLocator

    estimates, remedies, matrices = (artifacts[panel] for panel in _PANELS)
    truth = artifacts["truth"]
    figure = style.new_figure(10.4, 7.0)
    grid = figure.add_gridspec(2, 6)
    mean, error, remedy = (figure.add_subplot(grid[0, 2 * part : 2 * part + 2]) for part in range(3))
    log_z = float(truth["log_z"])
    mean.axhline(log_z, color=style.TRUTH, linestyle="--", label=f"truth{style.doubt_of(truth)}")
    draw_estimates(mean, estimates, mean_with_band, names)
    for axis, group in ((error, estimates), (remedy, remedies)):
        draw_estimates(axis, group, partial(rmse_with_band, truth=log_z), names)
        style.plain_logarithms(axis.yaxis)
        axis.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_ylabel(r"RMSE of $\log \hat Z$ [nat]")
        _label_budgets(axis, group)
    mean.set_ylabel(r"mean of $\log \hat Z$ [nat]")
    mean.ticklabel_format(axis="y", useOffset=False)
    _label_budgets(mean, estimates)
    for axis, label in ((mean, "uniform base"), (error, "uniform base"), (remedy, "remedies")):
        axis.set_title(label, loc="right")
    add_legend(figure, (mean, error, remedy), "outside lower center", ncols=4)
    lower = _draw_matrices(figure, grid, {names[name]: estimate for name, estimate in matrices.items()})
    figure.suptitle(style.title_of(title, truth), fontsize=10)
    return style.finished(figure, truth, panels=(mean, error, remedy, *lower))


def _label_budgets(axis, group):
    """Label the x axis of a panel with the budgets of a group of estimates."""
    budgets = np.unique(np.concatenate([estimate["budget"].values for estimate in group.values()]))
    style.count_ticks(axis, budgets)
    axis.set_xlabel("Gibbs sweeps per chain")


def _draw_matrices(figure, grid, matrices):
    """Draw each transition matrix in a panel, on a common scale."""
    from matplotlib.colors import LogNorm

    width = 6 // len(matrices)
    budget = _largest_common_budget(matrices.values())
    axes = []
    for part, (label, estimate) in enumerate(matrices.items()):
        axis = figure.add_subplot(grid[1, width * part : width * (part + 1)])
        matrix = estimate["transition_matrix"].sel(budget=budget).values
        look = {"norm": LogNorm(_SMALLEST_SHARE, 1.0), "cmap": "magma", "origin": "lower", "extent": (0, 1, 0, 1)}
        image = axis.imshow(np.maximum(matrix, _SMALLEST_SHARE), **look)
        axis.set_title(f"{label}\n{budget:,} sweeps", loc="right", fontsize=8)
        axis.set(
            xlabel="position in the ladder after a sweep\n(share of the rungs)", ylabel="position before the sweep"
        )
        axes.append(axis)
    figure.colorbar(image, ax=axes, label="share of transitions (log scale)")
    return axes
