"""Las Vegas table 1: mean log-likelihoods by trainer, log Z enumerated or checked by enumeration.

Log-likelihoods are means in nats, with what was published beside them where there is anything. Savarese et al. (2018),
table 1.
"""

from replication.papers.las_vegas.trainings import claims, inputs, rows, settings, statistics

__all__ = ["CLAIMS", "inputs", "rows", "settings", "statistics"]

CLAIMS = claims(
    " (table 1)", {"cd-1": "33.3", "cd-10": "20.1", "pcd-1": "18.8", "pcd-10": "5.2", "k": "0.7", "k3": "0.4"}
)
