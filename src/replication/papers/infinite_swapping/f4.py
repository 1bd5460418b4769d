"""Infinite swapping figure 4: distance to the exact gradient, 20 visible and 6 hidden units.

As figure 2, on toy data of 20 visible units. Hult et al. (2019), figure 4.
"""

from replication.papers.infinite_swapping import f2

CLAIMS = f2.claims("20 × 6")
inputs, settings, statistics, draw = f2.inputs, f2.settings, f2.statistics, f2.draw
