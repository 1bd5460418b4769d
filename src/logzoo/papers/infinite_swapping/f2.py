"""Infinite swapping figure 2: distance to the exact gradient, 12 visible and 4 hidden units.

Distance of the running estimate of the gradient to the exact one against Gibbs sweeps, at the first and the last
parameters of a training by exact gradients; mean over repeats, 95% band. Hult et al. (2019), figure 2.
"""

from logzoo.papers.infinite_swapping import distances

CLAIMS = distances.claims("12 × 4")
inputs, settings = distances.inputs, distances.settings
statistics, draw = distances.statistics, distances.draw
