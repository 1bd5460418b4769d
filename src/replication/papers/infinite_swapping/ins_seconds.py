"""Infinite swapping compared with its rivals at equal cost, and infinite swapping with many temperatures."""

from replication.claim import Claim, Size
from replication.papers.declaration import Declaration, Here
from replication.papers.experiment import TIMINGS
from replication.papers.infinite_swapping import ins_experiments
from replication.papers.infinite_swapping.ins_distances import DISTANCE, add_legend, draw_mean, look_of, settings
from replication.papers.infinite_swapping.ins_trainings import LABELS, LIKELIHOOD, limit_after_rise, values_of
from replication.reporting.statistics import difference_of_means, mean_with_band, over_repeats, ratio_of_means
from replication.reporting.style import draw_band, finished, label_counts, new_figure
from replication.types import Artifacts, Figure, Inputs, Names, Settings, Statistics

_CLAIMS_EQUAL = {
    key: Claim(
        f"At five temperatures INS takes as long as PT ({size})",
        "section 4.2.5",
        "no notable difference, no number",
        "CPU seconds of an update of the parameters on one core, mean over timings, INS / PT, five temperatures, "
        f"{size} units",
    )
    for key, size in (("time", "20 × 6"), ("time-large", "794 × 500"))
}


def _inputs_equal(here: Here) -> Inputs:
    return {
        "gradients": ins_experiments.gradients(here.of(here.entry["gradients"])),
        "runs": ins_experiments.compared(here, here.entry["comparison"], here.entry["shown"]),
        "timings": ins_experiments.timings(here),
        "larger": ins_experiments.timings_of_large(here),
    }


def _settings_equal(here: Here) -> Settings:
    comparison = here.entry["comparison"]
    names = ins_experiments.titles_of_trainers(here, comparison, here.entry["shown"])
    return {"title": ins_experiments.comparison_of(here, comparison)["title"], "names": names}


def _statistics_equal(artifacts: Artifacts) -> Statistics:
    small, large = (artifacts[name]["update_seconds"] for name in ("timings", "larger"))
    return {
        "time": _ratio_of_seconds(small, trainer=["ins", "pt"]),
        "time-large": _ratio_of_seconds(large, trainer=["ins", "pt"]),
    }


def _ratio_of_seconds(seconds, **names):
    """Ratio of the mean seconds of two samplers or trainers, the first over the second."""
    return over_repeats(ratio_of_means, *seconds.sel(names).transpose(..., "repeat").values, scale="log")


def _sizes_equal(here: Here) -> dict[str, Size]:
    names = {"time": here.entry["comparison"], "time-large": here.entry["larger"]}
    return {
        key: ins_experiments.size_of_comparison(here, name)._replace(repeats=TIMINGS, trainings=0)
        for key, name in names.items()
    }


def draw_equal(artifacts: Artifacts, *, title: str, names: Names) -> Figure:
    gradients, runs, timings = (artifacts[name] for name in ("gradients", "runs", "timings"))
    figure = new_figure(9.0, 6.6)
    axes = figure.subplots(2, 2, sharey="row")
    steps = gradients["step"].values
    for name, label in names.items():
        chains = float(gradients["chains"].sel(sampler=name))
        seconds = float(timings["step_seconds"].sel(sampler=name).mean())
        for axis, scale in zip(axes[0], (chains, seconds), strict=True):
            draw_mean(axis, steps * scale, gradients["distance"], "late", name, label)
        run = runs[name]
        likelihood = mean_with_band(values_of(run, "log_likelihood"))
        seconds = float(timings["update_seconds"].sel(trainer=name).mean())
        for axis, x in zip(axes[1], (run["chain_sweeps"].values, run["update"].values * seconds), strict=True):
            draw_band(axis, x, likelihood, label=label, **look_of(name))
    for axis, label in zip(axes[:, 0], (DISTANCE, LABELS["log_likelihood"]), strict=True):
        axis.set_ylabel(label)
    for row, what in ((axes[0], "estimating"), (axes[1], "training")):
        row[0].set_xlabel(f"chain-sweeps spent on {what}")
        row[1].set_xlabel(f"seconds of {what}, one core")
    limit_after_rise(axes[1, 0], [values_of(runs[name], "log_likelihood") for name in names])
    axes[0, 1].set_title(f"{title}, last parameters", loc="right", fontsize=9)
    axes[1, 1].set_title(title, loc="right", fontsize=9)
    label_counts(axes[1, 0].xaxis, 4)
    add_legend(figure, axes[0, 0])
    return finished(figure, gradients, *runs.values(), panels=axes.ravel())


_CLAIMS_MANY = {
    "more": Claim(
        "More than five temperatures make no significant difference for the training by INS",
        "section 4.2.5",
        "no significant difference, no number",
        LIKELIHOOD.format(
            "12 temperatures with 4 chains at each less 5 with 10 (48 and 50 sweeps of a chain an update)"
        ),
    ),
    "slower": Claim(
        "With many temperatures PT is considerably faster than INS",
        "section 4.2.5",
        "considerably faster, no number",
        "CPU seconds of a step of all chains of 20 × 6 units on one core, mean over timings, INS / PT, 12 temperatures",
    ),
    "fewer": Claim(
        "With fewer temperatures a training may degenerate",
        "section 4.2.5",
        "degenerate behaviour for certain parameter setups",
        not_tested="the paper does not say in which setups",
    ),
}


def _inputs_many(here: Here) -> Inputs:
    # The timed samplers have the ladders and the model of the figure that `ins-equal` names under `gradients`.
    timed = here.of(here.of("ins-equal").entry["gradients"]).entry
    for key in ("model", "ladders"):
        here.expect(key, here.entry[key] == timed[key], f"the value of the timed samplers, {timed[key]}")
    runs = ins_experiments.compared(here, here.entry["comparison"], ["ins", "ins-12"])
    return {"gradients": ins_experiments.gradients(here), "timings": ins_experiments.timings(here), "runs": runs}


def _statistics_many(artifacts: Artifacts) -> Statistics:
    levels = [values_of(artifacts["runs"][name], "log_likelihood") for name in ("ins-12", "ins")]
    seconds = artifacts["timings"]["step_seconds"]
    return {
        "more": over_repeats(difference_of_means, *levels),
        "slower": _ratio_of_seconds(seconds, sampler=["ins-12", "pt-12"]),
    }


def _sizes_many(here: Here) -> dict[str, Size]:
    why = "12 temperatures are ours, the paper does not say how many"
    size = ins_experiments.size_of_comparison(here, here.entry["comparison"])._replace(exploratory=why)
    return {"more": size, "slower": size._replace(repeats=TIMINGS, trainings=0)}


def draw_many(artifacts: Artifacts, *, title: str, names: Names) -> Figure:
    gradients, timings = artifacts["gradients"], artifacts["timings"]
    figure = new_figure(9.0, 4.0)
    axes = figure.subplots(1, 2, sharey=True)
    steps = gradients["step"].values
    for number, (sampler, name) in enumerate(names.items()):
        seconds = steps * float(timings["step_seconds"].sel(sampler=sampler).mean())
        for axis, x in zip(axes, (steps, seconds), strict=True):
            bars = {"every": len(names), "start": number}
            draw_mean(axis, x, gradients["distance"], "late", sampler, label=name, **bars)
    axes[0].set(xlabel="Gibbs sweeps per chain", ylabel=DISTANCE)
    axes[1].set_xlabel("seconds, one core")
    add_legend(figure, axes[0], "bars: 95% interval of the mean")
    axes[1].set_title(f"{title}, last parameters", loc="right", fontsize=9)
    return finished(figure, gradients, panels=axes)


FIGURES = {
    "ins-equal": Declaration(
        """\
PCD, parallel tempering and infinite swapping, compared at equal chain-sweeps and at equal seconds. Top: estimates of
the gradient. Bottom: trainings. The paper has no such comparison.""",
        _inputs_equal,
        draw_equal,
        settings=_settings_equal,
        claims=_CLAIMS_EQUAL,
        statistics=_statistics_equal,
        sizes=_sizes_equal,
    ),
    "ins-many": Declaration(
        """\
Errors of the gradient against sweeps and against seconds. Infinite swapping of 5, 8 and 12 temperatures is compared
with swapping within groups of temperatures, and with parallel tempering.""",
        _inputs_many,
        draw_many,
        settings=settings,
        claims=_CLAIMS_MANY,
        statistics=_statistics_many,
        sizes=_sizes_many,
    ),
}
