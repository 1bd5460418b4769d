"""Log-likelihoods while a model trains, under a tracked log Z and by a check of it."""

from replication.papers.tracking.drawing import DEVIATIONS, draw_checked, draw_tracked, label_updates, limit, name_of
from replication.reporting.style import finished, new_figure, title_of

_COLOURS = {"train": "#E69F00", "validation": "#0072B2"}


def draw_likelihoods(trace, check, title, tracker_name):
    """A panel of the train and validation log-likelihood by a tracker of that name, and by the check."""
    figure = new_figure(8.0, 3.8)
    axis = figure.subplots()
    drawn = []
    for split, colour in _COLOURS.items():
        label = f"{split}, {tracker_name}, ±{DEVIATIONS:g} s.d."
        values = trace[f"log_likelihood_{split}"], trace["log_z_std_dev"]
        drawn.append(draw_tracked(axis, *values, color=colour, label=label))
    for split in _COLOURS:
        label = f"{split}, {name_of(check)}"
        drawn.append(draw_checked(axis, check, split, color=_COLOURS[split], markerfacecolor="white", label=label))
    if "best_update" in trace.attrs:
        best = int(trace.attrs["best_update"])
        label = f"best tracked validation,\nupdate {best:,}"
        axis.axvline(best, color="black", linestyle=":", linewidth=1.0, label=label)
    limit(axis, drawn)
    label_updates(axis)
    axis.set_ylabel("mean log-likelihood [nat]")
    axis.set_title(title_of(title, trace), loc="left")
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8)
    return finished(figure, trace, check)
