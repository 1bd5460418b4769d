"""What the page shows: pictures and tables with their captions and the attributes of what they were made from."""

from pathlib import Path

from logzoo.artifacts.netcdf import read_artifact
from logzoo.reporting.page import Exhibit
from logzoo.reporting.pictures import embedded
from logzoo.reporting.tables import frame_of, notes_of


def exhibit_of(shown, records):
    """An `Exhibit` of {title, paper, caption, files, artifacts}: of a picture its PNG, of a table its rows come first.

    records: {path of an artifact: its attributes}.
    """
    made_from = {path: records[path] for path in shown["artifacts"]}
    exhibit = Exhibit(shown["title"], shown["paper"], shown["caption"], shown["files"], made_from)
    first = shown["files"][0]
    if first.endswith(".png"):
        return exhibit._replace(picture=embedded(Path(first).read_bytes()))
    rows = read_artifact(shown["artifacts"][0], "table")
    return exhibit._replace(table=frame_of(rows), notes=notes_of(rows))
