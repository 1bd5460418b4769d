"""RMSE of log Z of every estimator on every family of the zoo, against seconds.

The same against measured seconds of an estimate on one core, on one model of each family.
"""

from logzoo.papers.zoo.drawing import draw_errors
from logzoo.papers.zoo.families import combined, timings
from logzoo.papers.zoo.statistics import name_of_family
from logzoo.reporting.statistics import seconds_of_budgets


def inputs(here):
    return {"zoo": combined(here), "timings": timings(here)}


def draw(artifacts, *, names):
    """RMSE against the seconds of an estimate, a panel for each family."""

    def seconds(part, estimator):
        return seconds_of_budgets(artifacts["timings"][name_of_family(part)], estimator, part["budget"].values)[0]

    return draw_errors(artifacts["zoo"], names, seconds, "seconds of an estimate, one core")
