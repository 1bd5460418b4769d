"""RTS figure 6: fixed and adaptive steps of Hamiltonian Monte Carlo.

Simulated tempering with Hamiltonian Monte Carlo on a mixture of two Gaussians: the path of the inverse temperature
with one step size for all rungs and with a step size adapted to each, and log Z after 10,000 draws by both. Carlson
et al. (2016), figure 6.
"""

from typing import Any

import numpy as np

from replication.papers.declaration import Claim
from replication.reporting.statistics import over_repeats, ratio_of_means, ratio_of_rmse
from replication.reporting.style import TRUTH, finished, new_figure

CLAIMS = {
    "mixing": Claim(
        "The adaptive step mixes faster in beta than a fixed one (geometric ladder)", "visibly faster", at_least=1.0
    ),
    "error": Claim(
        "The adaptive step gives a more accurate log Z (geometric ladder)",
        "more accurate after 10,000 samples",
        at_least=1.0,
    ),
}
_STEP_COLOURS = {"fixed": "#D55E00", "adaptive": "#0072B2"}


def inputs(here):
    sizes = here.chosen("draws", "replicates", "chains", "rungs", "ladder", "initial_draws", "initial_iterations")
    draws = 2 * sizes["draws"] * sizes["replicates"] * sizes["chains"]
    settings = {"stream": ("mixture", here.name), "work": {"Hamiltonian": draws}}
    return {"mixture": here.experiment("replication.papers.rts.mixture:steps", {}, sizes, **settings)}


def statistics(artifacts):
    """Fixed over adaptive step. Mixing: autocorrelation times of beta; error: RMSE of log Z."""
    mixture = artifacts["mixture"]
    rules = [mixture.sel(step_rule=rule) for rule in ("fixed", "adaptive")]
    errors = [(by_rule["log_z"] - by_rule["exact_log_z"]).values for by_rule in rules]
    times = [by_rule["autocorrelation_time"].values for by_rule in rules]
    return {
        "mixing": over_repeats(
            ratio_of_means, *times, of="autocorrelation time of beta, fixed / adaptive step", logarithmic=True
        ),
        "error": over_repeats(ratio_of_rmse, *errors, of="RMSE of log Z, fixed / adaptive step", logarithmic=True),
    }


def draw(artifacts):
    """Mixing along the ladder with a fixed and an adaptive step, log Z, step sizes and acceptance."""
    mixture = artifacts["mixture"]
    figure = new_figure(9.2, 5.6)
    # Any: the type of matplotlib has no place for lists of lists of names.
    mosaic: Any = [["fixed"] * 3 + ["adaptive"] * 3, ["z", "z", "step", "step", "rate", "rate"]]
    rows = figure.subplot_mosaic(mosaic)
    rungs = mixture["inverse_temperature"].size
    for rule in ("fixed", "adaptive"):
        axis, by_rule = rows[rule], mixture.sel(step_rule=rule)
        axis.plot(by_rule["draw"], by_rule["trace"], color=_STEP_COLOURS[rule], linewidth=0.6)
        time = float(by_rule["autocorrelation_time"].mean())
        axis.set_title(f"{rule} step: autocorrelation time {time:.0f} draws", loc="right", fontsize=9)
        axis.set(xlabel="draw of one chain", ylim=(0, rungs + 1))
    rows["fixed"].set_ylabel(r"rung $k$ ($\beta_1 = 0, \beta_K = 1$)")
    _draw_estimates(rows["z"], mixture)
    _draw_by_rung(rows["step"], mixture, "step_size")
    rows["step"].set(ylabel=r"leapfrog step $\epsilon_k$", ylim=(0.0, None))
    rows["step"].set_title(f"{mixture.attrs['ladder']} ladder", loc="right", fontsize=8)
    rows["step"].legend()
    _draw_by_rung(rows["rate"], mixture, "acceptance")
    rows["rate"].set(ylabel="acceptance rate", ylim=(0.0, 1.05))
    return finished(figure, mixture, panels=rows.values())


def _draw_estimates(axis, mixture):
    """Every repeat's log Z, beside their mean and RMSE."""
    exact = float(mixture["exact_log_z"])
    rules = list(mixture["step_rule"].values)
    for position, rule in enumerate(rules):
        log_z = mixture["log_z"].sel(step_rule=rule).values
        # Spread in a fixed order, so that a redrawn figure is the same.
        spread = np.linspace(-0.22, 0.22, log_z.size)
        axis.plot(position + spread, log_z, ".", color=_STEP_COLOURS[rule], alpha=0.7, markersize=5)
        axis.hlines(log_z.mean(), position - 0.32, position + 0.32, color=_STEP_COLOURS[rule], linewidth=2)
    axis.axhline(exact, color=TRUTH, linestyle="--", label="exact")
    errors = [float(np.sqrt(((mixture["log_z"].sel(step_rule=rule) - exact) ** 2).mean())) for rule in rules]
    axis.set_xticks(range(len(rules)), [f"{rule}\nRMSE {error:.2g}" for rule, error in zip(rules, errors, strict=True)])
    axis.set_xlim(-0.5, len(rules) - 0.5)
    samples = mixture.attrs["chains"] * mixture.attrs["draws"]
    axis.set_ylabel(r"$\log \hat Z$" + f" after {samples:,} samples [nat]")
    axis.legend(loc="best", fontsize=8)


def _draw_by_rung(axis, mixture, name):
    rungs = np.arange(1, mixture["inverse_temperature"].size + 1)
    for rule in mixture["step_rule"].values:
        axis.plot(rungs, mixture[name].sel(step_rule=rule), color=_STEP_COLOURS[rule], label=rule)
    axis.set_xlabel(r"rung $k$")
