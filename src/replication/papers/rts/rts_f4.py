"""RTS figure 4: RMSE against the number of rungs of the ladder, and what the estimates cost."""

import numpy as np

from logzoo.checks import whole_number
from replication.claim import Claim
from replication.papers.declaration import Declaration, Here
from replication.papers.expected import expect
from replication.reporting.statistics import over_repeats, ratio_of_means, ratio_of_rmse, root_mean_square, truth_of
from replication.reporting.style import count_ticks, draw_band, finished, look_of, new_figure, title_of

CLAIMS = {
    "flat": Claim(
        "The error of RTS does not depend on the number of rungs once there are enough", "flat", at_most=1.25
    ),
    "ti": Claim("Thermodynamic integration needs many rungs", "large error at few rungs", at_least=2.0),
    "ti-rb": Claim("TI-RB tends to RTS as rungs are added", "same curve at many rungs", at_most=1.1),
    "ts": Claim("Plain counts degrade as rungs are added", "grows with the number of rungs", at_least=1.5),
    "mbar": Claim(
        "RTS is no worse than MBAR where that was run", "the information that RTS adds improves accuracy", at_most=1.1
    ),
}


def inputs(here: Here) -> dict:
    model = here.entry["model"]
    sizes = here.chosen("ladders", "runs", "sweeps", "samples", "estimates", "mbar_ladders", "mbar_estimates")
    solved = sizes["mbar_ladders"]
    expect(here, "ladders", sizes["ladders"] == sorted(sizes["ladders"]), "rising numbers of rungs")
    expect(here, "mbar_ladders", solved and {*solved} <= {*sizes["ladders"]}, "one or more of `ladders`")
    whole_number(f"configuration: figures.{here.name}.mbar_estimates", sizes["mbar_estimates"])
    runs, samples = sizes["runs"], sizes["runs"] * sizes["samples"]
    rungs = here.experiment(
        "replication.papers.rts.rungs:run",
        here.model_and_data(model),
        {**sizes, "chains": here.chains},
        stream=("rungs",),
        work={
            "sampling": here.visits(model, runs * sizes["sweeps"] * len(sizes["ladders"]) * here.chains),
            "solving": sizes["mbar_estimates"] * samples * sum(solved),
            "resampling": sizes["estimates"] * samples * sum(sizes["ladders"]),
        },
    )
    return {"rungs": rungs, "truth": here.truth(model)}


def statistics(artifacts):
    """Ratios of RMSE at few, some and many rungs K, over independent runs."""
    rungs, (truth, truth_error) = artifacts["rungs"], truth_of(artifacts["truth"])
    error = rungs["log_z"].transpose("estimator", "rungs", "estimate", "run") - truth
    ladders = rungs["rungs"].values
    few, middle, many = ladders[0], ladders[len(ladders) // 2], ladders[-1]
    solved = ladders[np.isfinite(error.sel(estimator="mbar")).any(["estimate", "run"])]

    def ratio(above, below, *, at_least=False):
        errors = [_finite(error.sel(estimator=name, rungs=count).values) for name, count in (above, below)]
        of = "RMSE of {} at K = {} / RMSE of {} at K = {}".format(*above, *below)
        statistic = over_repeats(ratio_of_rmse, *errors, of=of, scale="log", truth_error=truth_error)
        # Draws that did not travel the ladder miss the same states for both methods: the errors become alike.
        if at_least or rungs["converged"].sel(rungs=[above[1], below[1]]).values.all():
            return statistic
        return statistic._replace(low=np.nan, high=np.nan, of=f"{of}; some runs did not travel the ladder")

    return {
        "flat": ratio(("rts", many), ("rts", middle)),
        "ti": ratio(("ti-riemann", few), ("rts", few), at_least=True),
        "ti-rb": ratio(("ti-rb", many), ("rts", many)),
        "ts": ratio(("ts", many), ("rts", many)),
        "mbar": ratio(("rts", solved[-1]), ("mbar", solved[-1])),
    }


def _finite(errors):
    """Errors (estimate, run) without the missing estimates."""
    return errors[np.isfinite(errors).all(axis=1)]


def draw(artifacts, *, title, names):
    """RMSE of log Z against the number of rungs K for every estimator."""
    rungs, truth = artifacts["rungs"], artifacts["truth"]
    figure = new_figure(6.0, 4.2)
    axis = figure.subplots()
    error = rungs["log_z"].transpose("estimator", "rungs", "estimate", "run") - float(truth["log_z"])
    for position, estimator in enumerate(rungs["estimator"].values):
        by_count = {
            count: _finite(error.sel(estimator=estimator, rungs=count).values) for count in rungs["rungs"].values
        }
        rmse = {count: _rmse(values) for count, values in by_count.items() if len(values)}
        bands = np.array([statistic[:3] for statistic in rmse.values()]).T
        most = max(len(values) for values in by_count.values())
        label = f"{names[estimator]} ({rungs.sizes['run']} runs × {most} estimates)"
        draw_band(axis, list(rmse), (bands[0], bands[1:]), label=label, **look_of(estimator, position))
    axis.axhline(float(truth["std_error"]), color="grey", linestyle=":", label="uncertainty of the truth")
    axis.set_yscale("log")
    count_ticks(axis, rungs["rungs"].values)
    axis.yaxis.set_major_formatter("{x:g}")
    axis.set(xlabel="rungs of the ladder, K", ylabel=r"RMSE of $\log \hat Z$ [nat]")
    axis.set_title(f"{title_of(title, truth)}\n{rungs.attrs['samples']:,} draws an estimate", loc="left", fontsize=9)
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return finished(figure, truth)


def _rmse(errors):
    """Root mean square of errors (estimate, run), with its interval over runs."""
    return over_repeats(lambda values: root_mean_square(values, axis=(1, 2)), errors, of="RMSE", scale="log")


def cost_inputs(here: Here) -> dict:
    """Timings of the estimates of figure 4 and of sampling their draws."""
    model, sizes = here.of(here.entry["figure"]).entry["model"], here.chosen("ladders", "samples")
    timings = here.experiment(
        "replication.papers.timing:rungs",
        here.model_and_data(model),
        {**sizes, "chains": here.chains},
        f"timings/{here.name}",
        stream=("time-of-rungs",),
        timed=True,
        work={
            "sampling": here.visits(model, 26 * sizes["samples"] * len(sizes["ladders"])),
            "solving": 5 * sizes["samples"] * sum(sizes["ladders"]),
        },
    )
    return {"timings": timings}


def cost_statistics(artifacts):
    """Time of MBAR over that of sampling its draws, at the most rungs."""
    timings = artifacts["timings"]
    last = timings["seconds"].isel(rungs=-1)
    seconds = [last.sel(step=step).values for step in ("mbar", "sampling")]
    draws = f"{timings.attrs['samples']:,} draws"
    of = f"seconds of MBAR ({seconds[0].mean():.2g}) / of sampling its {draws} at K = {int(last['rungs'])}"
    return {"mbar": over_repeats(ratio_of_means, *seconds, of=of, scale="log")}


def draw_cost(artifacts, *, title):
    """Seconds that each estimator takes on the same draws, against the number of rungs, and over those of sampling."""
    timings = artifacts["timings"]
    figure = new_figure(7.2, 3.4)
    left, right = figure.subplots(1, 2, sharex=True)
    counts, mean_seconds = timings["rungs"].values, timings["seconds"].mean("repeat")
    for position, step in enumerate(timings["step"].values):
        seconds = mean_seconds.sel(step=step).values
        look = look_of(step, position)
        left.loglog(counts, seconds, label=timings["title"].sel(step=step).item(), **look)
        if step != "sampling":
            right.loglog(counts, seconds / mean_seconds.sel(step="sampling").values, **look)
    for axis in (left, right):
        axis.set_xlabel("rungs of the ladder, K")
        count_ticks(axis, counts)
    left.set_ylabel("seconds, one core")
    right.set_ylabel("times as long as\nsampling the same draws")
    right.axhline(1.0, color="grey", linestyle=":")
    figure.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=3)
    right.set_title(f"{title}, {timings.attrs['samples']:,} draws", loc="right", fontsize=8)
    return finished(figure, panels=(left, right))


FIGURES = {
    "rts-f4": Declaration(
        "Root mean square error of log Z against the number of rungs of the ladder. Every estimate is made from draws "
        "taken with replacement from one of several independent runs a ladder; bands are 95% intervals over these "
        "runs. The dotted line is how well the truth itself is known. Carlson et al. (2016), figure 4.",
        inputs,
        draw,
        claims=CLAIMS,
        statistics=statistics,
    ),
    "rts-f4-cost": Declaration(
        "Seconds on one core that the estimates of figure 4 take, from the same draws, and over the time that drawing "
        "them took; means of five timings. Measured on this machine; times differ from run to run.",
        cost_inputs,
        draw_cost,
        claims={
            "mbar": Claim(
                "At many rungs MBAR takes more than ten times as long as sampling its draws",
                "not run beyond few rungs",
                at_least=10.0,
            )
        },
        statistics=cost_statistics,
    ),
}
