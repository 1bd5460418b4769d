"""RTS figure 1: initial iterations of log Zhat, with and without Rao-Blackwellisation, beside the exact curve.

Initial iterations of simulated tempering on an RBM with 10 hidden units. Top: log Zhat, with the exact curve dashed.
Bottom: occupancy of the rungs. Left: Rao-Blackwellised occupancy. Middle: plain counts. Right: stochastic approximation
(eq 19), which the paper discusses but does not plot. The picture shows one repeat; the claims average over repeats.
Carlson et al. (2016), figure 1.
"""

from collections.abc import Sequence

import numpy as np

from logzoo.checks import whole_number
from replication.claim import Claim, Power, Size
from replication.papers.declaration import Here
from replication.papers.panels import add_legend
from replication.reporting.statistics import mean, over_repeats, ratio_of_rmse
from replication.reporting.style import TRUTH, finished, new_figure
from replication.types import Artifacts, Figure, Inputs, Statistics

_EARLIER = "effect: a factor of 1.25; spread: 20 repeats at the decisive scale, earlier seed"
CLAIMS = {
    "exact": Claim(
        "The Rao-Blackwellised curve of log Zhat lies on the exact one after eight iterations",
        "figure 1, top left",
        published="on the exact curve, on an axis of 120 nats",
        measured="max_k |log Zhat_k - exact| at the last iteration [nat], mean over repeats",
    ),
    "flat": Claim(
        "The Rao-Blackwellised occupancy c_k after eight iterations is very close to the prior r_k",
        "figure 1, caption",
        published="very close",
        measured="K max_k |r_k - c_k| at the last iteration, mean over repeats (section 2.4 stops below 0.1)",
    ),
    "noise": Claim(
        "Rao-Blackwellisation reduces the noise of the counts",
        "section 2.4 and figure 1",
        published="dramatically reduced noise",
        measured="RMS jump of the error of log Zhat_k from rung to rung at the last iteration, plain counts / "
        "Rao-Blackwellised",
        at_least=1.0,
        bound="'reduces the noise in the estimator'",
        scale="log",
        power=Power(1.25, 0.46, _EARLIER),
    ),
    "stochastic": Claim(
        "Far from the truth, updates by eq 12 dominate over those of stochastic approximation by eq 19",
        "section 3.3",
        published="dominates",
        measured="RMSE of log Zhat_k over all rungs at the last iteration from Zhat = 1, eq 19 / eq 12",
        at_least=1.0,
        bound="'our update (12) dominates over (19)'",
        scale="log",
        power=Power(1.25, 0.35, _EARLIER),
    ),
}
_VARIANT_TITLES = {
    "rao-blackwell": "Rao-Blackwellised, eq 9",
    "counts": "plain counts + 0.1",
    "stochastic": "stochastic approximation, eq 19",
}


def inputs(here: Here) -> Inputs:
    model, sizes = here.entry["model"], here.chosen("rungs", "sweeps", "iterations", "replicates")
    for iteration in here.entry["shown"]:
        whole_number(f"configuration: figures.{here.name}.shown", iteration, maximum=sizes["iterations"])
    sweeps = sizes["sweeps"] * sizes["iterations"] * sizes["replicates"]
    iterations = here.experiment(
        "replication.papers.rts.rts_experiments:initial_iterations",
        here.model_and_data(model),
        {**sizes, "chains": here.chains},
        stream=("initial-iterations",),
        work={"sampling": here.visits(model, len(_VARIANT_TITLES) * sweeps * here.chains)},
    )
    return {"iterations": iterations}


def statistics(artifacts: Artifacts) -> Statistics:
    last = artifacts["iterations"].isel(iteration=-1)
    error = (last["log_z"] - last["exact_log_z"]).transpose("variant", "rung", "replicate")
    rao_blackwell, counts, stochastic = (error.sel(variant=variant).values for variant in _VARIANT_TITLES)
    occupancy = last["occupancy"].sel(variant="rao-blackwell").transpose("rung", "replicate").values
    distance = np.max(np.abs(occupancy * len(occupancy) - 1.0), axis=0)
    return {
        "exact": over_repeats(mean, np.abs(rao_blackwell).max(axis=0), scale="log"),
        "flat": over_repeats(mean, distance, scale="log"),
        "noise": over_repeats(
            ratio_of_rmse, *(np.diff(errors, axis=0) for errors in (counts, rao_blackwell)), scale="log"
        ),
        "stochastic": over_repeats(ratio_of_rmse, stochastic, rao_blackwell, scale="log"),
    }


def sizes(here: Here) -> Size:
    """Our sizes beside the published sizes (caption of figure 1)."""
    settings = {
        "hidden units": (here.shape(here.entry["model"])[1], 10),
        "rungs": (here.entry["rungs"], 100),
        "chains": (here.chains, 100),
        "sweeps of an iteration": (here.entry["sweeps"], 50),
        "iterations": (here.entry["iterations"], 8),
    }
    return Size(settings, here.entry["replicates"], trainings=1)


def draw(artifacts: Artifacts, *, shown: Sequence[int]) -> Figure:
    import matplotlib

    iterations = artifacts["iterations"].isel(replicate=0)
    figure = new_figure(9.6, 5.6)
    axes = figure.subplots(2, len(_VARIANT_TITLES), sharex=True, sharey="row")
    betas = iterations["inverse_temperature"]
    colours = matplotlib.colormaps["viridis_r"](np.linspace(0.1, 0.95, len(shown)))
    for column, variant in enumerate(_VARIANT_TITLES):
        data = iterations.sel(variant=variant)
        upper, lower = axes[:, column]
        for colour, iteration in zip(colours, shown, strict=True):
            state = data.sel(iteration=iteration)
            upper.plot(betas, state["log_z"], color=colour, label=f"iteration {iteration}")
            lower.semilogy(betas, state["occupancy"].clip(min=1e-12), color=colour)
        upper.plot(betas, iterations["exact_log_z"], color=TRUTH, linestyle="--", label="exact")
        lower.axhline(1.0 / betas.size, color=TRUTH, linestyle="--", label="prior $r_k$")
        upper.set_title(_VARIANT_TITLES[variant], loc="right")
        lower.set(xlabel=r"inverse temperature $\beta_k$", ylim=(1e-7, 2.0))
    for axis, label in zip(axes[:, 0], (r"$\log \hat Z_k - \log Z_1$ [nat]", r"occupancy $\hat c_k$"), strict=True):
        axis.set_ylabel(label)
    add_legend(figure, axes[:, 0], "outside lower center", ncols=4)
    return finished(figure, iterations, panels=axes.flat)
