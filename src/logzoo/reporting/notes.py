"""The verdict on a claim, said on the figure that shows it."""

import textwrap

from logzoo.reporting.verdicts import bound_of, number_of, why_of

_COLOURS = {"reproduced": "#00693E", "not reproduced": "#B22222"}


def note_verdicts(figure, verdicts):
    """Say below a figure what the data say of each of its claims; verdicts: Dataset of `reporting.verdicts`."""
    width = int(figure.get_figwidth() * 16)
    lines = []
    for name in verdicts["id"].values:
        row = verdicts.sel(id=name)
        text = f"{row['claim'].item()}: {row['verdict'].item().upper()}"
        if verdicts.attrs["untested"]:
            text += f" ({verdicts.attrs['untested']})"
        else:
            text += f". {row['statistic'].item()}: {number_of(row)}, claimed {bound_of(row)}. {why_of(row)}".rstrip()
        lines += textwrap.wrap(text, width)
    said = set(verdicts["verdict"].values)
    colour = _COLOURS.get(said.pop(), "black") if len(said) == 1 else "black"
    figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=7.5, color=colour)
