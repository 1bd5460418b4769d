"""Infinite swapping figure 3: likelihood and prediction accuracy, 12 visible and 4 hidden units.

Exact mean log-likelihood and prediction accuracy while training, their means and variances over repeats.
Hult et al. (2019), figure 3.
"""

from logzoo.papers.infinite_swapping import trainings

CLAIMS = trainings.claims("12 × 4")
inputs, settings = trainings.inputs, trainings.settings
statistics, draw = trainings.statistics, trainings.draw
