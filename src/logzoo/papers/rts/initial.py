"""The initial iterations of simulated tempering, with and without Rao-Blackwellisation, beside the exact curve."""

import numpy as np
import xarray as xr

from logzoo.artifacts.labels import labelled
from logzoo.budgets import SweepLedger
from logzoo.models.exact import exact_log_z
from logzoo.models.rbm import RBM
from logzoo.papers.configured import matched_base
from logzoo.paths import base_of, inverse_temperatures, log_z_base, tempered_rbm
from logzoo.samplers import simulated_tempering

VARIANTS = ("rao-blackwell", "counts")


def run(artifacts, **settings):
    """The experiment on a model, from the base matched to its training data."""
    base = matched_base(artifacts["dataset"])
    return initial_iterations(RBM.from_dataset(artifacts["model"]), base, **settings)


def initial_iterations(rbm, base, *, rungs, sweeps, iterations, replicates, chains, stream):
    """Every iteration's log Zhat_k and occupancy c_k for both variants, and exact log Z_k, all from Zhat = 1.

    Returns a Dataset over (replicate, variant, iteration, rung); log Z relative to the base. Raises ValueError when the
    model is too large to enumerate. Source: Carlson et al. (2016), figure 1.
    """
    base = base_of(rbm, base)
    betas = inverse_temperatures("linear", rungs)
    runs = [
        [
            simulated_tempering.run(
                rbm,
                SweepLedger(sweeps * iterations, chains),
                stream.child(variant, replicate),
                base=base,
                rungs=rungs,
                rao_blackwell=variant == "rao-blackwell",
                initial_sweeps=sweeps,
                initial_iterations=iterations,
                final=False,
            )
            for variant in VARIANTS
        ]
        for replicate in range(replicates)
    ]
    reference = log_z_base(base, rbm.hidden)
    exact = np.array([exact_log_z(tempered_rbm(rbm, base, beta)) for beta in betas]) - reference
    cells = ("replicate", "variant", "iteration", "rung")

    def collected(name):
        return np.array([[getattr(run, name) for run in pair] for pair in runs])

    return xr.Dataset(
        {
            "log_z": labelled(cells, collected("initial_log_z"), "log Zhat_k - log Z_1", "nat"),
            "occupancy": labelled(cells, collected("initial_occupancy"), "share of samples at the rung, c_k", "1"),
            "exact_log_z": labelled(("rung",), exact, "exact log Z_k - log Z_1", "nat"),
            "inverse_temperature": labelled(("rung",), betas, "inverse temperature", "1"),
        },
        coords={
            "replicate": labelled(("replicate",), np.arange(replicates), "independent repeat", "1"),
            "variant": labelled(("variant",), np.array(VARIANTS, dtype=object), "what is averaged", "1"),
            "iteration": labelled(("iteration",), np.arange(1, iterations + 1), "initial iteration", "1"),
            "rung": labelled(("rung",), np.arange(1, rungs + 1), "rung of the ladder", "1"),
        },
    )
