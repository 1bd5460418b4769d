"""Estimates for several numbers of rungs, on bootstrapped samples of runs (Carlson et al. 2016, figure 4)."""

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
import xarray as xr
from scipy.sparse import csr_array

from logzoo.budgets import SweepLedger
from logzoo.estimators import mbar, ti
from logzoo.estimators.tempering_estimates import SETTLING
from logzoo.io.checkpoints import unfinished
from logzoo.io.schema import coordinate, labelled
from logzoo.models.rbm import RBM
from logzoo.samplers import tempering_runs
from logzoo.samplers.observers import Stretch
from logzoo.samplers.tempering_chains import COUNT_FLOOR
from logzoo.samplers.tempering_runs import SimulatedTemperingDraws
from logzoo.types import Array
from replication.papers.configured import matched_base
from replication.types import Artifacts, Stream

ESTIMATORS = ("rts", "ts", "ti-trapezoid", "ti-rb", "mbar")
# Number of draws whose densities at all rungs are in memory at once.
_CHUNK = 4096


class StoredDraws:
    """An observer that stores every draw: values (draw, value) as in `Stretch`, and rungs (draw,)."""

    reads_values = True

    def start(self, chains: int, rungs: int, sweeps: int) -> None:
        """Begin a sampling phase."""
        self._values, self._rungs = [], []

    def add(self, stretch: Stretch) -> None:
        """Store the draws of a stretch of sweeps, with the rung that was drawn given each draw."""
        self._values.append(stretch.values.reshape(-1, stretch.values.shape[-1]))
        self._rungs.append(stretch.rungs[:, 1:].ravel())
        self.tables = stretch.readout, stretch.slopes
        self.offset = stretch.offset

    def finish(self) -> None:
        """Join the draws of all stretches."""
        self.values, self.rungs = np.concatenate(self._values), np.concatenate(self._rungs)


def run(
    artifacts: Artifacts,
    *,
    ladders: Sequence[int],
    runs: int,
    sweeps: int,
    chains: int,
    samples: int,
    estimates: int,
    mbar_ladders: Sequence[int],
    mbar_estimates: int,
    stream: Stream,
    checkpoint: Callable,
) -> xr.Dataset:
    """log Z (estimator, rungs, estimate, run) for linear ladders with different numbers of rungs.

    Each run of `sweeps` sweeps is resampled `estimates` times with replacement, `samples` draws at a time. `mbar` makes
    only `mbar_estimates` estimates of each run, on the ladders `mbar_ladders`; its other entries are NaN. The base is
    matched to the training data.
    """
    rbm, base = RBM.from_dataset(artifacts["model"]), matched_base(artifacts["dataset"])
    log_z = np.full((len(ESTIMATORS), len(ladders), estimates, runs), np.nan)
    converged = np.zeros((len(ladders), runs), np.int8)
    cells = product(enumerate(ladders), range(runs))
    for (position, rungs), number in unfinished(checkpoint("runs"), cells, {"log_z": log_z, "converged": converged}):
        stored = StoredDraws()
        path = stream.child(rungs, number)
        settings = {"base": base, "rungs": rungs, "settling": SETTLING}
        draws = tempering_runs.run(rbm, SweepLedger(sweeps, chains), path, observers=(stored,), **settings)
        stored.finish()
        converged[position, number] = draws.round_trips.mean() >= 1.0
        chosen = path.child("bootstrap").generator().integers(stored.rungs.size, size=(estimates, samples))
        log_ratios = estimates_of_samples(draws, stored, chosen)
        if rungs in mbar_ladders:
            log_ratios["mbar"] = np.array([mbar_of_sample(draws, stored, sample) for sample in chosen[:mbar_estimates]])
        for name, values in log_ratios.items():
            row = ESTIMATORS.index(name)
            log_z[row, position, : len(values), number] = draws.log_z_base + values
    return xr.Dataset(
        {
            "log_z": labelled(("estimator", "rungs", "estimate", "run"), log_z, "estimate of log Z", "nat"),
            "converged": labelled(("rungs", "run"), converged, "1 if the chains made a round trip on average", "1"),
        },
        coords={
            "estimator": coordinate("estimator", ESTIMATORS, "estimator of log Z"),
            "rungs": coordinate("rungs", ladders, "inverse temperatures in the ladder"),
            "estimate": coordinate("estimate", range(estimates), "bootstrapped sample of a run"),
            "run": coordinate("run", range(runs), "independent run"),
        },
        attrs={"samples": samples, "sweeps": sweeps, "chains": chains},
    )


def estimates_of_samples(draws: SimulatedTemperingDraws, stored: StoredDraws, chosen: Array) -> dict[str, Array]:
    """Returns {estimator: log Z_K - log Z_1 (sample,)} for all estimators but MBAR; chosen: indices (sample, draw)."""
    occupancy, slope_sums = weighted_sums(stored, chosen, draws.betas.size)
    rungs = stored.rungs[chosen]
    visits = _per_rung(rungs, np.ones(rungs.shape), draws.betas.size)
    slopes = np.einsum("nv,nv->n", stored.values, stored.tables[1].T[stored.rungs])
    with np.errstate(invalid="ignore"):
        means = _per_rung(rungs, slopes[chosen], draws.betas.size) / visits
        rao_blackwell = slope_sums / occupancy
    return {
        "rts": _updated(draws, occupancy),
        "ts": _updated(draws, visits + COUNT_FLOOR),
        "ti-trapezoid": ti.log_ratio(draws.betas, means, rule="trapezoid"),
        "ti-rb": ti.log_ratio(draws.betas, rao_blackwell, rule="trapezoid"),
    }


def mbar_of_sample(draws: SimulatedTemperingDraws, stored: StoredDraws, chosen: Array) -> float:
    """log Z_K - log Z_1 by MBAR from the chosen draws."""
    chosen = chosen[np.argsort(stored.rungs[chosen], kind="stable")]
    counts = np.bincount(stored.rungs[chosen], minlength=draws.betas.size)
    log_f = stored.values[chosen] @ stored.tables[0]
    return float(mbar.log_ratios(log_f, counts, draws.log_z_hat)[-1])


def weighted_sums(stored: StoredDraws, chosen: Array, rungs: int) -> tuple[Array, Array]:
    """Sums of q(beta_k | x) and of q(beta_k | x) d log f_k / d beta for every sample: two arrays (sample, rung)."""
    samples, draws = len(chosen), stored.rungs.size
    owner = np.repeat(np.arange(samples), chosen.shape[1])
    # The number of times that each draw is in each sample; csr_array adds up repeated entries.
    multiplicity = csr_array((np.ones(chosen.size), (chosen.ravel(), owner)), shape=(draws, samples))
    occupancy, slope_sums = np.zeros((2, samples, rungs))
    for first in range(0, draws, _CHUNK):
        part = slice(first, min(first + _CHUNK, draws))
        q = stored.values[part] @ stored.tables[0] + stored.offset
        q -= q.max(axis=1, keepdims=True)
        np.exp(q, out=q)
        q /= q.sum(axis=1, keepdims=True)
        occupancy += multiplicity[part].T @ q
        q *= stored.values[part] @ stored.tables[1]
        slope_sums += multiplicity[part].T @ q
    return occupancy, slope_sums


def _per_rung(rungs, values, count):
    """Sums (sample, rung) of values (sample, draw) over the draws at each rung."""
    sums = np.zeros((len(rungs), count))
    np.add.at(sums, (np.arange(len(rungs))[:, None], rungs), values)
    return sums


def _updated(draws, sums):
    ends = np.log(sums[:, -1]) - np.log(sums[:, 0])
    return draws.log_z_hat[-1] + np.log(draws.prior[0] / draws.prior[-1]) + ends
