"""RMSE of log Z of every estimator on every family of the zoo, against seconds.

The same against measured seconds of an estimate on one core, on one model of each family.
"""

from replication.papers.zoo.drawing import draw_errors
from replication.papers.zoo.families import combined_and_timed
from replication.reporting.statistics import seconds_of_budgets

inputs = combined_and_timed


def draw(artifacts, *, names):
    """RMSE against the seconds of an estimate, a panel for each family."""

    def seconds(family, estimator, budgets):
        return seconds_of_budgets(artifacts["timings"][family], estimator, budgets)[0]

    return draw_errors(artifacts["zoo"], names, seconds, "seconds of an estimate, one core")
