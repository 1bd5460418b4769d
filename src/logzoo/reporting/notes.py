"""The verdict on a claim, said on the figure that shows it."""

import textwrap

from logzoo.reporting.verdicts import bound_of, number_of

_COLOURS = {"reproduced": "#00693E", "not reproduced": "#B22222"}


def note_verdicts(figure, verdicts):
    """Say below a figure what the data say of each of its claims; verdicts: Dataset of `reporting.verdicts`."""
    width = int(figure.get_figwidth() * 16)
    lines = []
    for name in verdicts["id"].values:
        one = verdicts.sel(id=name)
        text = f"{one['claim'].item()}: {one['verdict'].item().upper()}"
        if verdicts.attrs["untested"]:
            text += f" ({verdicts.attrs['untested']})"
        else:
            text += f". {one['statistic'].item()}: {number_of(one)}, claimed {bound_of(one)}."
        lines += textwrap.wrap(text, width)
    figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=7.5, color=_colour(verdicts))


def _colour(verdicts):
    """One colour when all verdicts agree, else that of plain text."""
    said = set(verdicts["verdict"].values)
    return _COLOURS.get(said.pop(), "black") if len(said) == 1 else "black"
