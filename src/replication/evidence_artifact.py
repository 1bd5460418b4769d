"""Evidence on log Z as an artifact, which the jobs of estimates read."""

import numpy as np
import xarray as xr

from logzoo.estimators.evidence import Evidence
from logzoo.io.schema import labelled


def as_dataset(evidence: Evidence) -> xr.Dataset:
    """The Evidence as an artifact."""
    log_z, std_error = np.reshape(evidence.masses, (-1, 2)).T
    return xr.Dataset(
        {
            "lower": labelled((), evidence.lower, "rigorous lower bound of log Z", "nat"),
            "upper": labelled((), evidence.upper, "rigorous upper bound of log Z", "nat"),
            "mass": labelled("run", log_z, "log of the mass (part of Z) that a run found", "nat"),
            "mass_std_error": labelled("run", std_error, "standard error of the log of the mass", "nat"),
        }
    )


def from_dataset(dataset: xr.Dataset) -> Evidence:
    """The Evidence in an artifact."""
    masses = zip(dataset["mass"].values.tolist(), dataset["mass_std_error"].values.tolist(), strict=True)
    return Evidence(float(dataset["lower"]), float(dataset["upper"]), tuple(masses))
