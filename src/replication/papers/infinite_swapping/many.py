"""Many temperatures: infinite swapping against partial.

Infinite swapping of 5, 8 and 12 temperatures at once, against swapping within groups, over sweeps and seconds.
"""

from replication.papers.declaration import Claim
from replication.papers.expected import expect
from replication.papers.infinite_swapping import f2
from replication.papers.infinite_swapping.drawing import DISTANCE, draw_mean
from replication.papers.infinite_swapping.experiments import gradients, timings
from replication.reporting.statistics import over_repeats
from replication.reporting.style import label_panels, mark_stand_in, new_figure

CLAIMS = {
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
settings = f2.settings


def inputs(here):
    # Seconds are those of the ladders and the model of the figures on gradients.
    timed = here.of(here.of("ins-equal").entry["gradients"]).entry
    for key in ("model", "ladders"):
        expect(here, key, here.entry[key] == timed[key], f"that of the timed samplers, {timed[key]}")
    return {"gradients": gradients(here), "timings": timings(here)}


def statistics(artifacts):
    """Distance to the exact gradient with 12 temperatures over that with 5, over the later steps."""
    distance = artifacts["gradients"]["distance"].sel(state="late")
    later = distance.sel(step=distance["step"] >= f2.LATER * distance["step"].values[-1])
    values = [later.sel(sampler=name).transpose("step", "repeat").values for name in ("ins-12", "ins-5")]
    of = "distance to the exact gradient, INS with 12 / with 5 temperatures, late in training"
    return {"more": over_repeats(f2.geometric_ratio, *values, of=of, logarithmic=True)}


def draw(artifacts, *, title, names):
    """Distance to the exact gradient late in training by INS, PINS and PT, over sweeps and over seconds."""
    gradients, timings = artifacts["gradients"], artifacts["timings"]
    figure = new_figure(9.0, 4.0)
    axes = figure.subplots(1, 2, sharey=True)
    steps = gradients["step"].values
    for sampler, name in names.items():
        seconds = steps * float(timings["step_seconds"].sel(sampler=sampler).mean())
        for axis, x in zip(axes, (steps, seconds), strict=True):
            draw_mean(axis, x, gradients["distance"], "late", sampler, label=name)
    axes[0].set_ylabel(DISTANCE)
    axes[0].set_xlabel("Gibbs sweeps of every chain")
    axes[1].set_xlabel("seconds, one core")
    axes[0].legend(fontsize=8)
    axes[1].set_title(f"{title}, last parameters", loc="right", fontsize=9)
    label_panels(axes)
    mark_stand_in(figure, gradients)
    return figure
