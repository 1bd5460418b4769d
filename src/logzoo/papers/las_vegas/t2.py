"""Las Vegas table 2: exact mean log-likelihoods by trainer, each at its best learning rate.

Log-likelihoods are means in nats, with what was published beside them where there is anything. Savarese et al. (2018),
table 2.
"""

from logzoo.papers.las_vegas.trainings import claims, inputs, rows, settings, statistics

__all__ = ["CLAIMS", "inputs", "rows", "settings", "statistics"]

CLAIMS = claims(
    ", each at its best learning rate (table 2)",
    {"cd-1": "31.5", "cd-10": "18.1", "pcd-1": "9.5", "pcd-10": "9.2", "k": "0.1"},
)
