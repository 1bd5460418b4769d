"""RTS figure 4: the cost of MBAR.

Left: seconds on one core of sampling draws, and of the estimates of figure 4 from these draws. Right: seconds of the
estimates divided by the seconds of sampling. Values are means of five timings on this machine, and differ from run to
run.
"""

from replication.claim import Claim, Size
from replication.papers.declaration import Here
from replication.papers.experiment import TIMINGS
from replication.reporting.statistics import over_repeats, ratio_of_means
from replication.reporting.style import count_ticks, finished, look_of, new_figure, plain_logarithms, title_of
from replication.types import Artifacts, Figure, Inputs, Statistics

CLAIMS = {
    "mbar": Claim(
        "MBAR is computationally prohibitive at many rungs",
        "section 4.3 and figure 4",
        published="prohibitive; not run beyond few rungs",
        measured="CPU seconds of MBAR / CPU seconds of sampling its draws, at the most rungs",
    )
}


def inputs(here: Here) -> Inputs:
    model, sizes = here.of(here.entry["figure"]).entry["model"], here.chosen("ladders", "samples")
    # A pilot of 20 times the sweeps, and a burn-in of as many sweeps as a timing, precede the timings.
    timings = here.experiment(
        "replication.papers.timing:rungs",
        here.model_and_data(model),
        {**sizes, "chains": here.chains},
        f"timings/{here.name}",
        stream=("time-of-rungs",),
        timed=True,
        work={
            "sampling": here.visits(model, (21 + TIMINGS) * sizes["samples"] * len(sizes["ladders"])),
            "solving": TIMINGS * sizes["samples"] * sum(sizes["ladders"]),
        },
    )
    return {"timings": timings}


def statistics(artifacts: Artifacts) -> Statistics:
    timings = artifacts["timings"]
    last = timings["seconds"].isel(rungs=-1)
    seconds = [last.sel(step=step).values for step in ("mbar", "sampling")]
    of = f"{seconds[0].mean():.2g} s, {timings.attrs['samples']:,} draws, K = {int(last['rungs'])}"
    return {"mbar": over_repeats(ratio_of_means, *seconds, note=of, scale="log")}


def sizes(here: Here) -> Size:
    """Our sizes beside the published sizes (figure 4)."""
    most, draws = max(here.entry["ladders"]), here.entry["samples"]
    return Size({"most rungs": (most, 1000), "draws": (draws, 10_000)}, TIMINGS)


def draw(artifacts: Artifacts, *, title: str) -> Figure:
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
        plain_logarithms(axis.yaxis)
        count_ticks(axis, counts)
    left.set_ylabel("seconds, one core")
    right.set_ylabel("times as long as\nsampling the same draws")
    right.axhline(1.0, color="grey", linestyle=":")
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    right.set_title(f"{title_of(title, timings)}\n{timings.attrs['samples']:,} draws", loc="right", fontsize=8)
    return finished(figure, timings, panels=(left, right))
