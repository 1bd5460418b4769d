"""RMSE of log Z of every estimator on every family of the zoo, against sweeps.

Root mean square error of log Z against Gibbs sweeps per chain, geometric mean over the models of a family. The band is
the 95% interval of the estimator found best at the largest budget, from resampled models (of a single model: its
replicates, taken as normal). Faint: estimators that are told from the best there, by the same resamples. Hollow
markers: some replicate reported that it had not converged. In the grey region errors are below the standard error of
the truth itself.
"""

from replication.papers.zoo.drawing import draw_errors
from replication.papers.zoo.families import combined
from replication.papers.zoo.statistics import families

inputs = combined


def draw(artifacts, *, names):
    """RMSE against sweeps per chain, a panel for each family."""
    zoo = artifacts["zoo"]
    figure = draw_errors(zoo, names, lambda family, estimator, budgets: budgets, "Gibbs sweeps per chain")
    for axis, part in zip(figure.axes, families(zoo).values(), strict=True):
        budgets = part["budget"].values
        axis.set_xticks(budgets, [f"{budget:,}" for budget in budgets])
        axis.set_xticks([], minor=True)
    return figure
