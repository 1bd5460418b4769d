"""The verdict on a claim, said below the figure that shows it."""

import textwrap

from logzoo.reporting.verdicts import SIGNS, bound_of, number_of, why_of

_SIZE, _SPACING, _GAP = 7.5, 1.3, 8.0  # of the letters, in points; of lines, in letters; above and below, in points


def note_verdicts(figure, verdicts):
    """Hang below a figure what the data say of each of its claims; returns the inches that this takes.

    The figure stays as it is: what hangs below its edge is saved with it where room for it is asked for. verdicts:
    Dataset of `reporting.verdicts`.
    """
    width = int(figure.get_figwidth() * 16)
    lines = []
    for name in verdicts["id"].values:
        row = verdicts.sel(id=name)
        verdict = row["verdict"].item()
        text = f"{SIGNS[verdict]} {verdict.upper()}: {row['claim'].item()}"
        if verdicts.attrs["untested"]:
            text += f" ({verdicts.attrs['untested']})"
        else:
            text += f". {row['statistic'].item()}: {number_of(row)}, claimed {bound_of(row)}. {why_of(row)}".rstrip()
        lines += textwrap.wrap(text, width, subsequent_indent="    ")
    below = _GAP / 72 / figure.get_figheight()
    figure.text(0.01, -below, "\n".join(lines), va="top", fontsize=_SIZE, linespacing=_SPACING)
    return (len(lines) * _SIZE * _SPACING + 2 * _GAP) / 72
