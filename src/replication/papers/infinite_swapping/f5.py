"""Infinite swapping figure 5: likelihood and prediction accuracy, 20 visible and 6 hidden units.

As figure 3, on toy data of 20 visible units. Hult et al. (2019), figure 5.
"""

from replication.papers.infinite_swapping import f3

CLAIMS = f3.claims("20 × 6")
inputs, settings, statistics, draw = f3.inputs, f3.settings, f3.statistics, f3.draw
