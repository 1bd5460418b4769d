"""Experiments of Carlson et al. (2016): initial iterations, parts of estimates, flux along the ladder, occupancies."""

from collections.abc import Callable
from itertools import product

import numpy as np
import xarray as xr

from logzoo.budgets import SweepLedger
from logzoo.estimators.tempered_sampling import delta_method
from logzoo.estimators.tempering_estimates import SETTLING, end_ratio
from logzoo.estimators.transitions import smoothed, stationary
from logzoo.io.checkpoints import unfinished
from logzoo.io.schema import coordinate, labelled
from logzoo.models.exact_sums import exact_log_z
from logzoo.models.rbm import RBM
from logzoo.paths import inverse_temperatures, kernel_parameters, log_z_base, tempered_rbm
from logzoo.samplers import tempering_runs
from logzoo.samplers.observers import GroupedMoves
from logzoo.samplers.tempering_chains import SimulatedTempering, mean_occupancy
from replication.matrix import estimate_matrix
from replication.papers.configured import estimator_options, matched_base
from replication.types import Artifacts, Stream

VARIANTS = ("rao-blackwell", "counts", "stochastic")
ESTIMATORS = ("rts", "sd", "rsd")
_FLUX = "smallest ratio along the ladder of the flux to the mean flux from a matched base"


def initial_iterations(
    artifacts: Artifacts, *, rungs: int, sweeps: int, iterations: int, replicates: int, chains: int, stream: Stream
) -> xr.Dataset:
    """log Zhat_k and occupancy c_k after every initial iteration of all variants, beside exact log Z_k.

    All variants start from Zhat = 1. The base is matched to the training data. Source: Carlson et al. (2016), figure 1.
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
                curves = _by_stochastic_approximation(sampler, sweeps, iterations)
            else:
                smooth = variant == "rao-blackwell"
                draws = tempering_runs.run(rbm, ledger, path, rao_blackwell=smooth, final=False, **settings)
                curves = draws.initial_log_z, draws.initial_occupancy
            log_z[replicate, column], occupancy[replicate, column] = curves
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
            "variant": coordinate("variant", VARIANTS, "variant of the update"),
            "iteration": coordinate("iteration", range(1, iterations + 1), "initial iteration"),
            "rung": coordinate("rung", range(1, rungs + 1), "rung of the ladder"),
        },
    )


def _by_stochastic_approximation(sampler, sweeps, iterations):
    """log Zhat and occupancy (iteration, rung) by eq 19 from Zhat = 1: iteration t adds c_k / (t r_k) + constant."""
    rungs = sampler.betas.size
    log_z_hat, prior, history = np.zeros(rungs), np.full(rungs, 1.0 / rungs), []
    for number in range(1, iterations + 1):
        occupancy = mean_occupancy(sampler.advance(np.log(prior) - log_z_hat, sweeps, "initial iterations"), True)
        step = occupancy / (number * prior)
        log_z_hat = log_z_hat + step - step[0]
        history.append((log_z_hat, occupancy))
        sampler.restart()
    return tuple(np.array(part) for part in zip(*history, strict=True))


def runs(artifacts: Artifacts) -> xr.Dataset:
    """The part of an `estimate` that figures read, as a Dataset with log Z over (budget, replicate).

    If the estimate has transition matrices, the Dataset also has the numbers of initial iterations and the mean matrix.
    Row i of the mean matrix is the mean over the runs with a move from part i of the ladder. Parts are groups of rungs.
    """
    estimate = artifacts["estimate"]
    if "transition_matrix" not in estimate:
        return estimate[["log_z"]].drop_attrs(deep=False)
    matrix = estimate["transition_matrix"]
    # If a run has no move from a part of the ladder, that row of its matrix is zero.
    left = (matrix > 0.0).any("part_after").sum("replicate")
    mean = (matrix.sum("replicate", dtype=np.float64) / np.maximum(left, 1)).astype(matrix.dtype)
    variables = estimate[["log_z", "initial_iterations"]].drop_attrs(deep=False)
    return variables.assign(transition_matrix=mean.assign_attrs(matrix.attrs))


def longer_runs(
    artifacts: Artifacts,
    *,
    estimator: dict,
    budgets: list[int],
    replicates: int,
    chains: int,
    stream: Stream,
    checkpoint: Callable,
) -> xr.Dataset:
    """log Z over (budget, replicate), as in `runs`, by a configured estimator at further budgets."""
    method, dataset = estimator["method"], artifacts["dataset"]
    options = estimator_options({method: estimator}, dataset)[method]
    sizes = {"method": method, "options": options, "budgets": budgets, "replicates": replicates}
    rbm = RBM.from_dataset(artifacts["model"])
    estimates = estimate_matrix(rbm, {method: sizes}, chains=chains, stream=stream, checkpoint=checkpoint("runs"))
    return estimates[method][["log_z"]].drop_attrs(deep=False)


def knots(artifacts: Artifacts) -> xr.Dataset:
    """The smallest `flux` along the ladder in each RTS run, from a `uniform` and from a `matched` base.

    The budget is the largest that both estimates have. The flux falls towards the ends of the ladder with any base.
    The flux of each run is therefore divided by the mean flux from the matched base at the same boundary.
    """
    matrices = {name: estimate["transition_matrix"] for name, estimate in artifacts.items()}
    budget = max(set.intersection(*({*matrix["budget"].values.tolist()} for matrix in matrices.values())))
    fluxes = {name: flux(matrix.sel(budget=budget).values) for name, matrix in matrices.items()}
    reference = fluxes["matched"].mean(axis=0)
    passed = reference > 0.0
    variables, coordinates = {}, {}
    for name, values in fluxes.items():
        replicate = f"{name}_replicate"
        # `initial` lets `min` accept an empty array. If the mean flux is zero everywhere, NaN replaces this infinity.
        narrowest = (values[:, passed] / reference[passed]).min(axis=-1, initial=np.inf)
        variables[name] = labelled(replicate, np.where(passed.any(), narrowest, np.nan), _FLUX, "1")
        coordinates[replicate] = coordinate(replicate, range(len(values)), f"repeat from a {name} base")
    return xr.Dataset(variables, coordinates, {"budget": budget})


def flux(transitions: np.ndarray) -> np.ndarray:
    """Share (..., part - 1) of the moves that cross each boundary between parts of the ladder upwards.

    transitions: matrices (..., part, part). All rows have equal weight, because the prior is uniform.
    """
    parts = transitions.shape[-1]
    boundary = np.arange(1, parts)
    upwards = np.flip(np.flip(transitions, -1).cumsum(axis=-1, dtype=np.float64), -1).cumsum(axis=-2)
    return upwards[..., boundary - 1, boundary] / parts


def occupancies(
    artifacts: Artifacts,
    *,
    rungs: int,
    budgets: list[int],
    replicates: int,
    chains: int,
    stream: Stream,
    checkpoint: Callable,
) -> xr.Dataset:
    """log Z (estimator, budget, replicate) by RTS, SD and RSD from the same draws (Carlson et al. 2016, figure 8).

    The bias and variance of RTS by eqs 15 and 16 are computed as well. The base is matched to the training data.
    """
    rbm, base = RBM.from_dataset(artifacts["model"]), matched_base(artifacts["dataset"])
    settings = {"base": base, "rungs": rungs, "settling": SETTLING}
    log_z = np.empty((len(ESTIMATORS), len(budgets), replicates))
    predicted = np.empty((2, len(budgets), replicates))
    cells = product(enumerate(budgets), range(replicates))
    arrays = {"log_z": log_z, "predicted": predicted}
    for (row, budget), replicate in unfinished(checkpoint("runs"), cells, arrays):
        counted, weighed = GroupedMoves(1, rao_blackwell=False), GroupedMoves(1, rao_blackwell=True)
        ledger, path = SweepLedger(budget, chains), stream.child(budget, replicate)
        draws = tempering_runs.run(rbm, ledger, path, observers=(counted, weighed), **settings)
        by_moves = (stationary(smoothed(moves.sums[0])) for moves in (counted, weighed))
        shares = (draws.occupancy.sum(axis=(0, 1)), *by_moves)
        log_z[:, row, replicate] = [end_ratio(draws, occupancy[[0, -1]]) for occupancy in shares]
        bias, std_error = delta_method(draws.occupancy.sum(axis=0)[:, [0, -1]])
        predicted[:, row, replicate] = bias, std_error**2
    bias, variance = predicted
    return xr.Dataset(
        {
            "log_z": labelled(("estimator", "budget", "replicate"), log_z, "estimate of log Z", "nat"),
            "bias": labelled(("budget", "replicate"), bias, "bias of RTS by eq 15", "nat"),
            "variance": labelled(("budget", "replicate"), variance, "variance of RTS by eq 16", "nat2"),
        },
        coords={
            "estimator": coordinate("estimator", ESTIMATORS, "estimator of log Z"),
            "budget": coordinate("budget", budgets, "budget in Gibbs sweeps per chain", "sweep"),
            "replicate": coordinate("replicate", range(replicates), "independent repeat"),
        },
        attrs={"chains": chains, "hidden": rbm.hidden},
    )
