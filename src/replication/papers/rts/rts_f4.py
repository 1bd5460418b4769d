"""RTS figure 4: RMSE against the number of rungs of the ladder.

Each ladder has several independent runs, and each estimate resamples the draws of one run. Bands are 95% intervals over
the runs. The dotted line is the standard error of the truth. Carlson et al. (2016), figure 4.
"""

from functools import partial

import numpy as np

from logzoo.checks import whole_number
from replication.claim import Claim, Power, Size
from replication.papers.declaration import Here
from replication.reporting.statistics import over_repeats, ratio_of_rmse, root_mean_square, truth_of, untested
from replication.reporting.style import (
    count_ticks,
    draw_band,
    draw_truth_error,
    finished,
    look_of,
    new_figure,
    plain_logarithms,
    title_of,
)
from replication.types import Artifacts, Figure, Inputs, Names, Statistics

_FIRST = "the fewest rungs at which the chains of all runs travel the ladder"
_EARLIER = "spread: 126 runs at the decisive scale, earlier seed"
CLAIMS = {
    "flat": Claim(
        "The error of RTS is not greatly affected by more rungs, once there are enough for good mixing",
        "section 4.3 and figure 4",
        published="not greatly affected",
        measured=f"RMSE of RTS at the most rungs / at {_FIRST}",
    ),
    "ti": Claim(
        "RTS is less sensitive to the number of rungs than thermodynamic integration",
        "section 3.4 and figure 4",
        published="much less sensitive",
        measured=f"RMSE at {_FIRST} / RMSE at the most, by TI (trapezoid) / the same by RTS",
        at_least=1.0,
        bound="'less sensitive to the number of temperatures'",
        scale="log",
        power=Power(2.0, 1.0, f"effect: the least that 'much' means; {_EARLIER}"),
    ),
    "ti-rb": Claim(
        "RTS and TI-RB become more similar as rungs are added",
        "section 4.3 and figure 4",
        published="increasingly similar",
        measured=f"RMS difference between TI-RB and RTS of the same draws at the most rungs / at {_FIRST}",
        at_most=1.0,
        bound="'increasingly similar'",
        scale="log",
        power=Power(0.8, 0.12, f"effect: a factor of 1.25; {_EARLIER}"),
    ),
    "ts": Claim(
        "Estimates from plain counts become unstable as rungs are added",
        "section 4.3 and figure 4",
        published="eventually unstable",
        measured=f"RMSE of TS at the most rungs / at {_FIRST}",
        at_least=1.0,
        bound="'eventually become unstable': the error grows",
        scale="log",
        power=Power(2.0, 0.9, f"effect: the least that 'unstable' means; {_EARLIER}"),
    ),
    "mbar": Claim(
        "The expected shares of the rungs that RTS uses improve its accuracy over that of MBAR",
        "section 3.3 and figure 4",
        published="helps to improve accuracy",
        measured="RMSE of RTS / RMSE of MBAR at the most rungs at which MBAR ran and the chains travelled the ladder",
        at_most=1.0,
        bound="'helps to improve estimator accuracy'",
        scale="log",
        power=Power(0.8, 0.75, f"effect: a factor of 1.25; {_EARLIER}"),
    ),
}


def inputs(here: Here) -> Inputs:
    model = here.entry["model"]
    sizes = here.chosen("ladders", "runs", "sweeps", "samples", "estimates", "mbar_ladders", "mbar_estimates")
    solved = sizes["mbar_ladders"]
    here.expect("ladders", sizes["ladders"] == sorted(sizes["ladders"]), "rising numbers of rungs")
    here.expect("mbar_ladders", solved and {*solved} <= {*sizes["ladders"]}, "one or more of `ladders`")
    whole_number(f"configuration: figures.{here.name}.mbar_estimates", sizes["mbar_estimates"])
    runs, samples = sizes["runs"], sizes["runs"] * sizes["samples"]
    rungs = here.experiment(
        "replication.papers.rts.rungs:run",
        here.model_and_data(model),
        {**sizes, "chains": here.chains},
        stream=("rungs",),
        checkpoints=True,
        work={
            "sampling": here.visits(model, runs * sizes["sweeps"] * len(sizes["ladders"]) * here.chains),
            "solving": sizes["mbar_estimates"] * samples * sum(solved),
            "resampling": sizes["estimates"] * samples * sum(sizes["ladders"]),
        },
    )
    return {"rungs": rungs, "truth": here.truth(model)}


def sizes(here: Here) -> Size:
    """Our sizes beside the published sizes (figure 4 and its caption)."""
    entry = here.entry
    settings = {
        "hidden units": (here.shape(entry["model"])[1], 500),
        "most rungs": (max(entry["ladders"]), 1000),
        "draws with a ladder": (entry["runs"] * entry["sweeps"] * here.chains, 3_000_000),
        "draws of an estimate": (entry["samples"], 10_000),
        "estimates": (entry["runs"] * entry["estimates"], 200),
    }
    return Size(settings, entry["runs"])


def statistics(artifacts: Artifacts) -> Statistics:
    """Ratios of errors at many and at few rungs, over independent runs.

    The statistics use only ladders on which the chains of every run average at least one round trip. On other ladders
    all estimators miss the same states, so that their errors are alike.
    """
    rungs, (truth, truth_error) = artifacts["rungs"], truth_of(artifacts["truth"])
    log_z = rungs["log_z"].transpose("estimator", "rungs", "estimate", "run")
    ladders = rungs["rungs"].values
    travelled = ladders[rungs["converged"].transpose("rungs", "run").values.all(axis=1)]
    solved = ladders[np.isfinite(log_z.sel(estimator="mbar")).any(["estimate", "run"])]
    nothing = untested("the chains of some runs did not travel the ladder")
    if travelled.size < 2:
        return dict.fromkeys(CLAIMS, nothing)
    many, few = travelled[-1], travelled[0]
    ratio = partial(over_repeats, ratio_of_rmse, scale="log", truth_error=truth_error)

    def error(name, count):
        return _finite((log_z.sel(estimator=name, rungs=count) - truth).values)

    def grown(name):
        return error(name, many), error(name, few)

    def apart(count):
        return (log_z.sel(estimator="ti-rb", rungs=count) - log_z.sel(estimator="rts", rungs=count)).values

    def sensitivity(ti_many, ti_few, rts_many, rts_few):
        return ratio_of_rmse(ti_few, ti_many) / ratio_of_rmse(rts_few, rts_many)

    both = [count for count in solved if count in travelled]
    of = f"K = {few} and {many}"
    errors = (*grown("ti-trapezoid"), *grown("rts"))
    return {
        "flat": ratio(*grown("rts"), note=of),
        "ti": over_repeats(sensitivity, *errors, note=of, scale="log", truth_error=truth_error),
        "ti-rb": over_repeats(ratio_of_rmse, apart(many), apart(few), note=of, scale="log"),
        "ts": ratio(*grown("ts"), note=of),
        "mbar": ratio(error("rts", both[-1]), error("mbar", both[-1]), note=f"K = {both[-1]}") if both else nothing,
    }


def _finite(errors):
    """Errors (estimate, run) without the missing estimates."""
    return errors[np.isfinite(errors).all(axis=1)]


def draw(artifacts: Artifacts, *, title: str, names: Names) -> Figure:
    rungs, truth = artifacts["rungs"], artifacts["truth"]
    rms = partial(root_mean_square, axis=(1, 2))
    figure = new_figure(6.0, 4.2)
    axis = figure.subplots()
    error = rungs["log_z"].transpose("estimator", "rungs", "estimate", "run") - float(truth["log_z"])
    for position, estimator in enumerate(rungs["estimator"].values):
        of_one = error.sel(estimator=estimator)
        by_count = {count: _finite(of_one.sel(rungs=count).values) for count in rungs["rungs"].values}
        rmse = {count: over_repeats(rms, values, scale="log") for count, values in by_count.items() if len(values)}
        if not rmse:
            continue
        bands = np.array([statistic[:3] for statistic in rmse.values()]).T
        most = max(map(len, by_count.values()))
        label = f"{names[estimator]} ({rungs.sizes['run']} runs × {most} estimates)"
        # TI-RB coincides with RTS at many rungs, so its line is broad and lies below the other lines.
        strength = {"linewidth": 5, "alpha": 0.6} if estimator == "ti-rb" else {"zorder": 3}
        draw_band(axis, list(rmse), (bands[0], bands[1:]), label=label, **look_of(estimator, position) | strength)
    draw_truth_error(axis, truth)
    plain_logarithms(axis.yaxis)
    count_ticks(axis, rungs["rungs"].values)
    axis.set(xlabel="rungs of the ladder, K", ylabel=r"RMSE of $\log \hat Z$ [nat]")
    axis.set_title(f"{title_of(title, truth)}\n{rungs.attrs['samples']:,} draws per estimate", loc="right", fontsize=9)
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return finished(figure, truth)
