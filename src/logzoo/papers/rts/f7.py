"""RTS figure 7: a uniform base, the knot in its ladder, and what unties it.

log Z from a base distribution of uniform units: mean and root mean square error against sweeps, what an adapted
ladder and a path of averaged moments do about it at the same budgets, and the empirical transition matrices of the
inverse temperature at the largest budget. Where the band around the diagonal thins out, chains hardly pass: the knot.
Carlson et al. (2016), figure 7.
"""

import numpy as np

from logzoo.papers.declaration import Claim
from logzoo.reporting.statistics import bootstrapped, mean_with_band, over_all, rmse_with_band
from logzoo.reporting.style import (
    TRUTH,
    count_ticks,
    draw_band,
    label_panels,
    look_of,
    mark_stand_in,
    new_figure,
    plain_logarithms,
    title_of,
)

CLAIMS = {
    "worse": Claim("From a uniform base every estimate is much worse", "significantly worse", at_least=2.0),
    "knot": Claim(
        "The transition matrix from a uniform base shows a knot", "a knot that prohibits mixing", at_most=0.5
    ),
}
_PANELS = ("estimators", "remedies", "matrices")
_SMALLEST_SHARE = 1e-5


def inputs(here):
    model = here.entry["model"]
    panels = {panel: here.estimates(model, here.entry[panel]) for panel in _PANELS}
    return {"truth": here.truth(model), **panels}


def settings(here):
    model, entries = here.entry["model"], here.config["estimators"].items()
    names = {
        name: f"{entry['title']}, matched base" if entry["base"] == "matched" else entry["title"]
        for name, entry in entries
    }
    return {"title": here.titles([model])[model], "names": names}


def statistics(artifacts):
    """RTS from a matched and from a uniform base. Worse: RMSE from the uniform base over that from the matched one at
    the largest common budget; knot: the smallest flux of beta across a place of the ladder, uniform over matched.
    """
    bases = [artifacts["remedies"][name] for name in ("rts-uniform", "rts")]
    budget = max(set.intersection(*(set(estimates["budget"].values) for estimates in bases)))
    uniform, matched = (estimates.sel(budget=budget) for estimates in bases)
    errors = [estimates["log_z"].values - float(artifacts["truth"]["log_z"]) for estimates in (uniform, matched)]
    fluxes = [smallest_flux(estimates["transition_matrix"].values) for estimates in (uniform, matched)]
    return {
        "worse": bootstrapped(
            lambda of_uniform, of_matched: over_all(of_uniform) / over_all(of_matched),
            *errors,
            of=f"RMSE of RTS from a uniform / a matched base at {budget:,} sweeps",
        ),
        "knot": bootstrapped(
            lambda of_uniform, of_matched: of_uniform.mean(axis=-1) / of_matched.mean(axis=-1),
            *fluxes,
            of="smallest flux of beta across the ladder, uniform / matched base",
        ),
    }


def smallest_flux(transitions):
    """The smallest share of moves across any place of the ladder (...,), from matrices (..., part, part).

    Rows are weighed equally: the prior is uniform.
    """
    parts = transitions.shape[-1]
    boundary = np.arange(1, parts)
    upward = np.arange(parts)[None, :, None] < boundary[:, None, None]
    across = upward & (np.arange(parts)[None, None, :] >= boundary[:, None, None])
    return np.min((transitions[..., None, :, :] * across).sum(axis=(-2, -1)), axis=-1) / parts


def draw(artifacts, *, title, names):
    """Mean and RMSE of log Z from a uniform base, remedies at the same budgets, and transition matrices of beta."""
    estimates, remedies, matrices = (artifacts[panel] for panel in _PANELS)
    truth = artifacts["truth"]
    figure = new_figure(9.6, 7.2)
    grid = figure.add_gridspec(2, 6)
    mean, error, remedy = (figure.add_subplot(grid[0, 2 * part : 2 * part + 2]) for part in range(3))
    log_z = float(truth["log_z"])
    mean.axhline(log_z, color=TRUTH, linestyle="--", label="truth")
    for axis, group in ((error, estimates), (remedy, remedies)):
        for position, (estimator, estimate) in enumerate(group.items()):
            look = {"label": names[estimator], **look_of(estimator, position)}
            budgets, values = estimate["budget"].values, estimate["log_z"].values
            draw_band(axis, budgets, rmse_with_band(values, log_z), **look)
            if axis is error:
                draw_band(mean, budgets, mean_with_band(values), **look)
        plain_logarithms(axis.yaxis)
        axis.set_ylabel(r"RMSE of $\log \hat Z$ [nat]")
        _label_budgets(axis, group)
    mean.set_ylabel(r"mean of $\log \hat Z$ [nat]")
    mean.ticklabel_format(axis="y", useOffset=False)
    _label_budgets(mean, estimates)
    mean.set_title("uniform base", loc="right")
    error.set_title("uniform base", loc="right")
    remedy.set_title("remedies", loc="right")
    lower = _draw_matrices(figure, grid, {names[name]: estimate for name, estimate in matrices.items()})
    label_panels((mean, error, remedy, *lower))
    figure.suptitle(title_of(title, truth), fontsize=10)
    mark_stand_in(figure, truth)
    return figure


def _label_budgets(axis, group):
    """The budgets of a group of estimates below a panel, and its legend below them."""
    count_ticks(axis, sorted({int(budget) for estimate in group.values() for budget in estimate["budget"].values}))
    axis.set_xlabel("Gibbs sweeps per chain")
    axis.legend(fontsize=6.5, loc="upper center", bbox_to_anchor=(0.5, -0.28))


def _draw_matrices(figure, grid, matrices):
    """A panel for each transition matrix, on one scale; a knot is a place where the band around the diagonal thins."""
    from matplotlib.colors import LogNorm

    width = 6 // len(matrices)
    budget = max(
        set.intersection(*({int(value) for value in estimate["budget"].values} for estimate in matrices.values()))
    )
    axes = []
    for part, (label, estimate) in enumerate(matrices.items()):
        axis = figure.add_subplot(grid[1, width * part : width * (part + 1)])
        matrix = estimate["transition_matrix"].sel(budget=budget).mean("replicate").values
        image = axis.imshow(
            np.maximum(matrix, _SMALLEST_SHARE),
            origin="lower",
            norm=LogNorm(_SMALLEST_SHARE, 1.0),
            cmap="magma",
            extent=(0, 1, 0, 1),
        )
        axis.set_title(f"{label}\n{budget:,} sweeps", loc="right", fontsize=9)
        axis.set_xlabel(r"$\beta$ after a sweep")
        axis.set_ylabel(r"$\beta$ before it")
        axes.append(axis)
    figure.colorbar(image, ax=axes, label="share of moves (log scale)")
    return axes
