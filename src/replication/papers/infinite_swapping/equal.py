"""Infinite swapping at equal chain-sweeps and at equal seconds.

PCD, parallel tempering and infinite swapping compared at equal chain-sweeps and at equal seconds, which the paper
leaves open.
"""

from replication.papers.declaration import Claim
from replication.papers.infinite_swapping.drawing import LABELS, draw_mean, limit_after_rise, look_of, values_of
from replication.papers.infinite_swapping.experiments import compared, comparison_of, gradients, timings, trainers_of
from replication.reporting.statistics import mean_with_band, over_repeats, ratio_of_means
from replication.reporting.style import draw_band, label_panels, mark_stand_in, new_figure

CLAIMS = {
    "time": Claim(
        "At five temperatures a step of INS takes as long as one of PT",
        "no notable difference in running time",
        at_least=0.8,
        at_most=1.25,
        why="A step of INS sums over all assignments of its temperatures, which takes as long whatever the size of the "
        "model: in one of 20 × 6 units, as here, that tells beside the sweeps; at 784 × 500 the two cost the same.",
    )
}


def inputs(here):
    return {
        "gradients": gradients(here.of(here.entry["gradients"])),
        "runs": compared(here, here.entry["comparison"], here.entry["shown"]),
        "timings": timings(here),
    }


def settings(here):
    comparison = here.entry["comparison"]
    entries = trainers_of(here, comparison, here.entry["shown"])
    names = {name: entry["title"] for name, entry in entries.items()}
    return {"title": comparison_of(here, comparison)["title"], "names": names}


def statistics(artifacts):
    """Seconds of a step of all chains by INS over those by PT."""
    seconds = [artifacts["timings"]["step_seconds"].sel(sampler=name).values for name in ("ins", "pt")]
    of = "seconds of a step of all chains, INS / PT, K = 5"
    return {"time": over_repeats(ratio_of_means, *seconds, of=of, logarithmic=True)}


def draw(artifacts, *, title, names):
    """Distance to the exact gradient late in training, and likelihood, at equal chain-sweeps and at equal seconds."""
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
    for axis, label in zip(axes[:, 0], ("distance to the\nexact gradient", LABELS["log_likelihood"]), strict=True):
        axis.set_ylabel(label)
    for row, what in ((axes[0], "estimating"), (axes[1], "training")):
        row[0].set_xlabel(f"chain-sweeps spent on {what}")
        row[1].set_xlabel(f"seconds of {what}, one core")
    limit_after_rise(axes[1, 0], [values_of(runs[name], "log_likelihood") for name in names])
    axes[0, 1].set_title(f"{title}, last parameters", loc="right", fontsize=9)
    axes[1, 1].set_title(title, loc="right", fontsize=9)
    axes[0, 0].legend(fontsize=8)
    label_panels(axes.ravel())
    mark_stand_in(figure, gradients, *runs.values())
    return figure
