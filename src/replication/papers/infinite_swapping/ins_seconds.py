"""Infinite swapping over seconds: against its rivals at equal seconds, and with many temperatures."""

from replication.claim import Claim
from replication.papers.declaration import Declaration, Here
from replication.papers.expected import expect
from replication.papers.infinite_swapping.ins_distances import (
    DISTANCE,
    LATER,
    draw_mean,
    geometric_ratio,
    look_of,
    settings,
)
from replication.papers.infinite_swapping.ins_experiments import (
    compared,
    comparison_of,
    gradients,
    timings,
    trainers_of,
)
from replication.papers.infinite_swapping.ins_trainings import LABELS, limit_after_rise, values_of
from replication.reporting.statistics import mean_with_band, over_repeats, ratio_of_means
from replication.reporting.style import draw_band, finished, new_figure

_CLAIMS_EQUAL = {
    "time": Claim(
        "At five temperatures a step of INS takes as long as one of PT",
        "no notable difference in running time",
        at_least=0.8,
        at_most=1.25,
        why="A step of INS sums over all assignments of its temperatures, which takes as long whatever the size of the "
        "model: in one of 20 × 6 units, as here, that tells beside the sweeps; at 784 × 500 the two cost the same.",
    )
}


def _inputs_equal(here: Here) -> dict:
    return {
        "gradients": gradients(here.of(here.entry["gradients"])),
        "runs": compared(here, here.entry["comparison"], here.entry["shown"]),
        "timings": timings(here),
    }


def _settings_equal(here: Here) -> dict:
    comparison = here.entry["comparison"]
    entries = trainers_of(here, comparison, here.entry["shown"])
    names = {name: entry["title"] for name, entry in entries.items()}
    return {"title": comparison_of(here, comparison)["title"], "names": names}


def _statistics_equal(artifacts: dict) -> dict:
    """Seconds of a step of all chains by INS over those by PT."""
    seconds = [artifacts["timings"]["step_seconds"].sel(sampler=name).values for name in ("ins", "pt")]
    of = "seconds of a step of all chains, INS / PT, K = 5"
    return {"time": over_repeats(ratio_of_means, *seconds, of=of, scale="log")}


def draw_equal(artifacts: dict, *, title, names):
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
    return finished(figure, gradients, *runs.values(), panels=axes.ravel())


_CLAIMS_MANY = {
    "more": Claim(
        "More temperatures than five change nothing (12 against 5, 20 × 6)",
        "no significant difference",
        at_least=0.8,
        at_most=1.25,
        why="Twelve chains average more states than five: of independent ones the ratio of distances would be the "
        "root of 5 / 12. At equal chain-sweeps the two are alike.",
    ),
    "fewer": Claim(
        "With fewer temperatures a training may degenerate",
        "for certain parameter setups",
        not_tested="the paper does not say in which setups",
    ),
}


def _inputs_many(here: Here) -> dict:
    # The seconds were measured with the ladders and the model of the figures on gradients.
    timed = here.of(here.of("ins-equal").entry["gradients"]).entry
    for key in ("model", "ladders"):
        expect(here, key, here.entry[key] == timed[key], f"that of the timed samplers, {timed[key]}")
    return {"gradients": gradients(here), "timings": timings(here)}


def _statistics_many(artifacts: dict) -> dict:
    """Distance to the exact gradient with 12 temperatures over that with 5, over the later steps."""
    distance = artifacts["gradients"]["distance"].sel(state="late")
    later = distance.sel(step=distance["step"] >= LATER * distance["step"].values[-1])
    values = [later.sel(sampler=name).transpose("step", "repeat").values for name in ("ins-12", "ins-5")]
    of = "distance to the exact gradient, INS with 12 / with 5 temperatures, late in training"
    return {"more": over_repeats(geometric_ratio, *values, of=of, scale="log")}


def draw_many(artifacts: dict, *, title, names):
    """Distance to the exact gradient late in training by INS, PINS and PT, over sweeps and over seconds."""
    gradients, timings = artifacts["gradients"], artifacts["timings"]
    figure = new_figure(9.0, 4.0)
    axes = figure.subplots(1, 2, sharey=True)
    steps = gradients["step"].values
    for sampler, name in names.items():
        seconds = steps * float(timings["step_seconds"].sel(sampler=sampler).mean())
        for axis, x in zip(axes, (steps, seconds), strict=True):
            draw_mean(axis, x, gradients["distance"], "late", sampler, label=name)
    axes[0].set(xlabel="Gibbs sweeps of every chain", ylabel=DISTANCE)
    axes[1].set_xlabel("seconds, one core")
    axes[0].legend(fontsize=8)
    axes[1].set_title(f"{title}, last parameters", loc="right", fontsize=9)
    return finished(figure, gradients, panels=axes)


FIGURES = {
    "ins-equal": Declaration(
        """\
PCD, parallel tempering and infinite swapping compared at equal chain-sweeps and at equal seconds, which the paper
leaves open.""",
        _inputs_equal,
        draw_equal,
        settings=_settings_equal,
        claims=_CLAIMS_EQUAL,
        statistics=_statistics_equal,
    ),
    "ins-many": Declaration(
        """\
Infinite swapping of 5, 8 and 12 temperatures at once, against swapping within groups, over sweeps and seconds.""",
        _inputs_many,
        draw_many,
        settings=settings,
        claims=_CLAIMS_MANY,
        statistics=_statistics_many,
    ),
}
