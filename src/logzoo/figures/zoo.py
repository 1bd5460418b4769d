"""Figures and tables over all models and estimators."""

import numpy as np
import pandas as pd
from matplotlib.colors import LogNorm

from logzoo.figures.style import mark_stand_in, new_figure
from logzoo.zoo import rmse

LIKELIHOODS = "Log partition functions and mean log-likelihoods [nat]"
_COLUMNS = ("model", "log Z", "from", "train", "validation", "test", "published log Z", "published test")


def rmse_heat_map(zoo, titles, names):
    """RMSE of log Z of every estimator (column) on every model (row), a panel for each budget.

    zoo: the combined Dataset; titles: {model: title}; names: {estimator: name}. A cross marks cells where some
    replicate reported that it had not converged.
    """
    errors = rmse(zoo)
    converged = zoo["converged"].min("replicate")
    models, estimators, budgets = (zoo[name].values for name in ("model", "estimator", "budget"))
    figure = new_figure(2.8 + max(1.4, 0.6 * len(estimators)) * len(budgets), 1.4 + 0.5 * len(models))
    axes = figure.subplots(1, len(budgets), sharey=True, squeeze=False)[0]
    finite = errors.values[np.isfinite(errors.values) & (errors.values > 0)]
    norm = LogNorm(finite.min(), max(finite.max(), finite.min() * 1.01))
    for axis, budget in zip(axes, budgets, strict=True):
        panel = errors.sel(budget=budget).values
        image = axis.imshow(panel, norm=norm, cmap="cividis_r", aspect="auto")
        for (row, column), value in np.ndenumerate(panel):
            if np.isfinite(value):
                fine = converged.sel(budget=budget).values[row, column]
                dark = norm(value) > 0.6
                text = f"{value:.2g}" + ("" if fine else " ×")
                axis.text(column, row, text, ha="center", va="center", color="white" if dark else "black")
        axis.set_title(f"{budget:,} sweeps")
        axis.set_xticks(range(len(estimators)), [names[name] for name in estimators])
        axis.set_yticks(range(len(models)), [titles[model] for model in models])
        axis.tick_params(length=0)
        axis.spines[:].set_visible(False)
    figure.colorbar(image, ax=axes, label="RMSE of log Z [nat]\n(× not converged)")
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
