"""The initial iterations of simulated tempering, by three rules, beside the exact curve."""

import numpy as np
import xarray as xr

from logzoo.budgets import SweepLedger
from logzoo.io.labels import coordinate, labelled
from logzoo.models.exact import exact_log_z
from logzoo.models.rbm import RBM
from logzoo.paths import inverse_temperatures, kernel_parameters, log_z_base, tempered_rbm
from logzoo.samplers import tempering_runs
from logzoo.samplers.tempering_chains import SimulatedTempering, mean_occupancy
from replication.papers.configured import matched_base

VARIANTS = ("rao-blackwell", "counts", "stochastic")


def run(artifacts, *, rungs, sweeps, iterations, replicates, chains, stream):
    """Every iteration's log Zhat_k and occupancy c_k for all variants, and exact log Z_k, all from Zhat = 1.

    The base is matched to the training data. Returns a Dataset over (replicate, variant, iteration, rung); log Z
    relative to the base. Raises ValueError when the model is too large to enumerate. Source: Carlson et al. (2016),
    figure 1.
    """
    rbm, base = RBM.from_dataset(artifacts["model"]), matched_base(artifacts["dataset"])
    betas = inverse_temperatures("linear", rungs)
    settings = {"base": base, "rungs": rungs, "initial_sweeps": sweeps, "initial_iterations": iterations}
    log_z, occupancy = np.empty((2, replicates, len(VARIANTS), iterations, rungs))
    for replicate in range(replicates):
        for column, variant in enumerate(VARIANTS):
            ledger, path = SweepLedger(sweeps * iterations, chains), stream.child(variant, replicate)
            if variant == "stochastic":
                sampler = SimulatedTempering(kernel_parameters(rbm, base), betas, ledger, path, "marginal", 1)
                found = _by_stochastic_approximation(sampler, sweeps, iterations)
            else:
                smooth = variant == "rao-blackwell"
                draws = tempering_runs.run(rbm, ledger, path, rao_blackwell=smooth, final=False, **settings)
                found = draws.initial_log_z, draws.initial_occupancy
            log_z[replicate, column], occupancy[replicate, column] = found
    exact = np.array([exact_log_z(tempered_rbm(rbm, base, beta)) for beta in betas]) - log_z_base(base, rbm.hidden)
    cells = ("replicate", "variant", "iteration", "rung")
    return xr.Dataset(
        {
            "log_z": labelled(cells, log_z, "log Zhat_k - log Z_1", "nat"),
            "occupancy": labelled(cells, occupancy, "share of samples at the rung, c_k", "1"),
            "exact_log_z": labelled("rung", exact, "exact log Z_k - log Z_1", "nat"),
            "inverse_temperature": labelled("rung", betas, "inverse temperature", "1"),
        },
        coords={
            "replicate": coordinate("replicate", range(replicates), "independent repeat"),
            "variant": coordinate("variant", VARIANTS, "what is averaged"),
            "iteration": coordinate("iteration", range(1, iterations + 1), "initial iteration"),
            "rung": coordinate("rung", range(1, rungs + 1), "rung of the ladder"),
        },
    )


def _by_stochastic_approximation(sampler, sweeps, iterations):
    """log Zhat and occupancy (iteration, rung) by eq 19, from Zhat = 1: iteration t adds c_k / (t r_k) to log Zhat."""
    rungs = sampler.betas.size
    log_z_hat, prior, history = np.zeros(rungs), np.full(rungs, 1.0 / rungs), []
    for number in range(1, iterations + 1):
        occupancy = mean_occupancy(sampler.advance(np.log(prior) - log_z_hat, sweeps, "initial iterations"), True)
        step = occupancy / (number * prior)
        log_z_hat = log_z_hat + step - step[0]
        history.append((log_z_hat, occupancy))
        sampler.restart()
    return tuple(np.array(part) for part in zip(*history, strict=True))
