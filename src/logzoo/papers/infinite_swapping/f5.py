"""Infinite swapping figure 5: likelihood and prediction accuracy, 20 visible and 6 hidden units.

As figure 3, on toy data of 20 visible units. Hult et al. (2019), figure 5.
"""

from logzoo.papers.infinite_swapping import trainings

CLAIMS = trainings.claims("20 × 6")
inputs, settings = trainings.inputs, trainings.settings
statistics, draw = trainings.statistics, trainings.draw
