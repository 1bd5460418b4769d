"""What the page shows: pictures and tables with their captions and the attributes of what they were made from.

A place is {title, paper, files, artifacts}; records are {path of an artifact: its attributes}.
"""

from pathlib import Path

from logzoo.artifacts.netcdf import read_artifact
from logzoo.figures.page import Exhibit
from logzoo.figures.pictures import embedded
from logzoo.figures.tables import frame_of
from logzoo.figures.zoo import LIKELIHOODS, likelihood_rows


def figure_exhibit(place, caption, records):
    """A figure, whose first file is its PNG."""
    return _exhibit(place, caption, records)._replace(picture=embedded(Path(place["files"][0]).read_bytes()))


def table_exhibit(place, caption, records):
    """A table, whose first artifact holds its rows."""
    rows = read_artifact(place["artifacts"][0], "table")
    return _exhibit(place, caption, records)._replace(table=frame_of(rows))


def likelihoods_exhibit(truths, titles, published, place, records):
    """The table of log Z and likelihoods of {model: truth}."""
    frame, notes = likelihood_rows(truths, titles, published)
    return _exhibit(place, LIKELIHOODS, records)._replace(table=frame, notes=notes)


def _exhibit(place, caption, records):
    made_from = {path: records[path] for path in place["artifacts"]}
    return Exhibit(place["title"], place["paper"], caption, place["files"], made_from)
