"""The verdict on a claim, said on the figure that shows it."""

import textwrap

from logzoo.reporting.verdicts import NOT_REPRODUCED, REPRODUCED, bound_of, number_of, why_of

# Marks that need no key, and no colours: the word stands beside them.
_MARKS = {REPRODUCED: "\N{CHECK MARK}", NOT_REPRODUCED: "\N{BALLOT X}"}


def note_verdicts(figure, verdicts):
    """Say below a figure what the data say of each of its claims; verdicts: Dataset of `reporting.verdicts`."""
    width = int(figure.get_figwidth() * 16)
    lines = []
    for name in verdicts["id"].values:
        row = verdicts.sel(id=name)
        verdict = row["verdict"].item()
        text = f"{_MARKS.get(verdict, '?')} {verdict.upper()}: {row['claim'].item()}"
        if verdicts.attrs["untested"]:
            text += f" ({verdicts.attrs['untested']})"
        else:
            text += f". {row['statistic'].item()}: {number_of(row)}, claimed {bound_of(row)}. {why_of(row)}".rstrip()
        lines += textwrap.wrap(text, width, subsequent_indent="    ")
    figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=7.5)
