"""Figures and tables over all models and estimators."""

import numpy as np
import pandas as pd
from matplotlib.colors import LogNorm

from logzoo.figures.style import draw_map, mark_stand_in, name_columns, new_figure
from logzoo.figures.tables import two_digits
from logzoo.zoo import rmse, unconverged

LIKELIHOODS = "Log partition functions and mean log-likelihoods [nat]"
_COLUMNS = ("model", "log Z", "from", "train", "validation", "test", "published log Z", "published test")


def rmse_heat_map(zoo, titles, names):
    """RMSE of log Z of every estimator (column) on every model (row), a panel below another for each budget.

    zoo: the combined Dataset; titles: {model: title}; names: {estimator: name}. A cross marks cells where some
    replicate reported that it had not converged; a line divides families.
    """
    errors, doubtful = rmse(zoo), unconverged(zoo) > 0
    panels = [errors.sel(budget=budget).dropna("model", how="all") for budget in errors["budget"].values]
    figure = new_figure(3.6 + 0.62 * errors.sizes["estimator"], 1.6 + sum(0.5 + 0.24 * len(one) for one in panels))
    axes = figure.subplots(len(panels), 1, squeeze=False, height_ratios=[1 + len(one) for one in panels])[:, 0]
    finite = errors.values[np.isfinite(errors.values) & (errors.values > 0)]
    norm = LogNorm(finite.min(), max(finite.max(), finite.min() * 1.01))
    for axis, panel in zip(axes, panels, strict=True):
        crossed = doubtful.sel(budget=panel["budget"], model=panel["model"]).values
        texts = [
            [two_digits(value) + (" ×" if cross else "") for value, cross in zip(*row, strict=True)]
            for row in zip(panel.values, crossed, strict=True)
        ]
        image = draw_map(axis, panel.values, texts, norm, "cividis_r")
        axis.set_title(f"{int(panel['budget']):,} sweeps per chain", loc="left")
        name_columns(axis, [names[name] for name in panel["estimator"].values], shown=axis is axes[-1])
        axis.set_yticks(range(len(panel)), [titles[model] for model in panel["model"].values])
        family = panel["family"].values
        for row in np.flatnonzero(family[1:] != family[:-1]):
            axis.axhline(row + 0.5, color="black", linewidth=0.8)
    figure.colorbar(image, ax=axes, label="RMSE of log Z [nat]   (× not converged)", shrink=0.5)
    mark_stand_in(figure, zoo)
    return figure


def likelihood_rows(truths, titles, published):
    """Log Z and mean log-likelihoods of every model beside the published values: (DataFrame of texts, notes)."""
    rows, notes = [], []
    for model, truth in truths.items():
        stand_in = "stand_in_for" in truth.attrs
        values = [f"{float(truth['log_likelihood'].sel(split=split)):.2f}" for split in truth["split"].values]
        known = {} if stand_in else published.get(model, {})
        log_z = f"{float(truth['log_z']):.2f} ± {float(truth['std_error']):.2f}"
        quoted = [_quoted(known.get(key)) for key in ("log_z", "test_log_likelihood")]
        title = titles[model] + (" (STAND-IN: digits)" if stand_in else "")
        rows.append([title, log_z, truth.attrs["truth_method"], *values, *quoted])
        if "test_log_likelihood_at_published_log_z" in truth and "test_log_likelihood" in known:
            found = float(truth["test_log_likelihood_at_published_log_z"])
            notes.append(
                f"{titles[model]}: with the published log Z = {known['log_z']:g} the mean test log-likelihood is "
                f"{found:.2f} nat; published {known['test_log_likelihood']:g}."
            )
    return pd.DataFrame(rows, columns=list(_COLUMNS)), notes


def likelihood_table(truths, titles, published):
    """The same as a table in Markdown."""
    frame, notes = likelihood_rows(truths, titles, published)
    lines = [list(frame.columns), ["---"] * len(frame.columns), *frame.values.tolist()]
    return "\n".join([LIKELIHOODS, "", *(f"| {' | '.join(line)} |" for line in lines), "", *notes]).rstrip() + "\n"


def _quoted(value):
    return "-" if value is None else f"{value:g}"
