"""Tables of numbers and words, and functions that write them as Markdown, HTML and CSV."""

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any, NamedTuple

import numpy as np

from logzoo.io.schema import labelled
from replication.types import DataFrame, Dataset


class Column(NamedTuple):
    """A column of a table: its heading, its units, and the format of its numbers.

    The format is a format specification, or "digits" for two significant digits.
    """

    heading: str
    units: str = "1"
    form: str = ".2f"


COUNT = ",.0f"
DIGITS = "digits"


def table_of(rows: Mapping[str, Mapping[str, Any]], what: str, columns: Mapping[str, Column]) -> Dataset:
    """A Dataset along `row`, with a variable for each column that any row fills.

    Missing numbers are NaN, and missing words are "-". rows: {name: {column: number or word}}. what: heading of the
    names. columns: {column: Column}.
    """
    import xarray as xr  # takes long to import, and the workflow imports this module at every start

    variables = {}
    for key, column in columns.items():
        entries = [row.get(key) for row in rows.values()]
        if any(key in row for row in rows.values()):
            blank, kind = ("-", object) if any(isinstance(entry, str) for entry in entries) else (np.nan, float)
            values = np.array([blank if entry is None else entry for entry in entries], kind)
            dimensions, values, attributes = labelled("row", values, column.heading, column.units)
            variables[key] = dimensions, values, {**attributes, "number_format": column.form}
    return xr.Dataset(variables, {"row": labelled("row", np.array(list(rows), dtype=object), what, "1")})


def frame_of(table: Dataset) -> DataFrame:
    """A table as a DataFrame of texts, with the units in the headings."""
    import pandas as pd

    columns = {table["row"].attrs["long_name"]: list(table["row"].values)}
    for variable in table.data_vars.values():
        units = variable.attrs["units"]
        heading = variable.attrs["long_name"] + (f" [{units}]" if units != "1" else "")
        columns[heading] = [_text(value, variable.attrs["number_format"]) for value in variable.values]
    return pd.DataFrame(columns)


def _text(value, form):
    if isinstance(value, str):
        return value
    if np.isnan(value):
        return "-"
    return two_digits(value) if form == DIGITS else format(value, form)


def two_digits(value: float) -> str:
    """A number rounded to two significant digits, without an exponent."""
    return np.format_float_positional(value, precision=2, fractional=False, trim="-")


def markdown(frame: DataFrame, title: str, notes: Iterable[str] = ()) -> str:
    """A DataFrame of texts in Markdown, with its title above and notes below."""
    rows = [list(frame.columns), ["---"] * len(frame.columns), *frame.values.tolist()]
    lines = [f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    return "\n".join([title, "", *lines, *(["", *notes] if notes else [])]) + "\n"


def html(frame: DataFrame, title: str, notes: Iterable[str] = ()) -> str:
    """A DataFrame of texts as a complete HTML page, with notes below the table."""
    title, below = escape(title), "".join(f"\n<p>{escape(note)}</p>" for note in notes)
    style = "body{font:15px sans-serif}td,th{padding:.2em .7em;text-align:right}td:first-child{text-align:left}"
    head = f'<meta charset="utf-8"><title>{title}</title><style>{style}</style>'
    body = f"<body><h1>{title}</h1>\n{frame.to_html(index=False, border=0)}{below}</body>"
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n{body}</html>\n'


def text_of(table: Dataset, form: str) -> str:
    """A table as the text of a file: md, html or csv. The attributes of the table hold its title and any notes."""
    if form == "csv":
        return csv(table)
    frame, title = frame_of(table), table.attrs["title"]
    return (html if form == "html" else markdown)(frame, title, notes_of(table))


def notes_of(table: Dataset) -> list[str]:
    """The lines of notes below a table."""
    return table.attrs.get("notes", "").splitlines()


def csv(table: Dataset) -> str:
    """A table as comma-separated values, at full precision."""
    return table.to_dataframe().rename_axis(table["row"].attrs["long_name"]).to_csv()
