"""RTS figure 4: RMSE against the number of rungs of the ladder.

Root mean square error of log Z against the number of rungs of the ladder. Every estimate is made from draws taken
with replacement from one long run a ladder; bands are 95% bootstrap intervals over estimates. The dotted line is how
well the truth itself is known. Carlson et al. (2016), figure 4. All estimates of one ladder share the error of its
long run: at the quick scale, where that run is short, it moves whole columns of points up or down.
"""

import numpy as np

from logzoo.papers.declaration import Claim
from logzoo.reporting.statistics import over_repeats, ratio_of_rmse, rmse_with_band
from logzoo.reporting.style import count_ticks, draw_band, finished, look_of, new_figure, title_of

CLAIMS = {
    "flat": Claim(
        "The error of RTS does not depend on the number of rungs once there are enough", "flat", at_most=1.25
    ),
    "ti": Claim("Thermodynamic integration needs many rungs", "large error at few rungs", at_least=2.0),
    "ti-rb": Claim("TI-RB tends to RTS as rungs are added", "same curve at many rungs", at_most=1.1),
    "ts": Claim("Plain counts degrade as rungs are added", "grows with the number of rungs", at_least=1.5),
}


def inputs(here):
    model = here.entry["model"]
    sizes = here.chosen("ladders", "sweeps", "samples", "estimates", "mbar_ladders", "mbar_estimates")
    rungs = here.experiment(
        "logzoo.papers.rts.rungs:run",
        here.model_and_data(model),
        {**sizes, "chains": here.chains},
        stream=("rungs",),
        work={
            "sampling": here.visits(model, sizes["sweeps"] * len(sizes["ladders"]) * here.chains),
            "solving": sizes["mbar_estimates"] * sizes["samples"] * sum(sizes["mbar_ladders"]),
            "resampling": sizes["estimates"] * sizes["samples"] * sum(sizes["ladders"]),
        },
    )
    return {"rungs": rungs, "truth": here.truth(model)}


def statistics(artifacts):
    """Ratios of RMSE at few and at many rungs K; for "flat" of the spread of RTS over samples, which, unlike the RMSE,
    leaves out what the samples of one long run share.
    """
    rungs, truth = artifacts["rungs"], artifacts["truth"]
    error = rungs["log_z"].transpose("estimator", "rungs", "estimate") - float(truth["log_z"])
    ladders = rungs["rungs"].values
    few, middle, many = ladders[0], ladders[len(ladders) // 2], ladders[-1]

    def ratio(estimator, count):
        errors = [error.sel(estimator=name, rungs=count).values for name in (estimator, "rts")]
        of = f"RMSE of {estimator} at K = {count} / RMSE of rts at K = {count}"
        return over_repeats(ratio_of_rmse, *errors, of=of)

    return {
        "flat": over_repeats(
            lambda errors, in_the_middle: errors.std(axis=-1) / in_the_middle.std(axis=-1),
            *(error.sel(estimator="rts", rungs=count).values for count in (many, middle)),
            of=f"spread of RTS over samples at K = {many} / at K = {middle}",
        ),
        "ti": ratio("ti-riemann", few),
        "ti-rb": ratio("ti-rb", many),
        "ts": ratio("ts", many),
    }


def draw(artifacts, *, title, names):
    """RMSE of log Z against the number of rungs K for every estimator."""
    rungs, truth = artifacts["rungs"], artifacts["truth"]
    figure = new_figure(6.0, 4.2)
    axis = figure.subplots()
    counts = rungs["rungs"].values
    for position, estimator in enumerate(rungs["estimator"].values):
        log_z = rungs["log_z"].sel(estimator=estimator).transpose("rungs", "estimate").values
        made = np.isfinite(log_z).sum(axis=1)
        for group in np.unique(made[made > 1]):
            chosen = made == group
            errors = rmse_with_band(log_z[chosen, :group], float(truth["log_z"]))
            label = f"{names[estimator]} ({group} estimates)"
            draw_band(axis, counts[chosen], errors, label=label, **look_of(estimator, position))
    axis.axhline(float(truth["std_error"]), color="grey", linestyle=":", label="uncertainty of the truth")
    axis.set_yscale("log")
    count_ticks(axis, counts)
    axis.yaxis.set_major_formatter("{x:g}")
    axis.set(xlabel="rungs of the ladder, K", ylabel=r"RMSE of $\log \hat Z$ [nat]")
    axis.set_title(f"{title_of(title, truth)}\n{rungs.attrs['samples']:,} draws an estimate", loc="left", fontsize=9)
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return finished(figure, truth)
