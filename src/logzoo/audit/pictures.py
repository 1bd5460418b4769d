"""Pictures, pages and tables: stamps that hold, and texts that follow from their artifacts."""

from pathlib import Path, PurePosixPath

from logzoo.artifacts.netcdf import read_artifact
from logzoo.artifacts.stamps import read_stamp


def check_stamp(findings, path, kind, content):
    """Enter whether a picture or a page is what was stamped; returns its stamp, None if it does not hold."""
    try:
        stamp = read_stamp(path, content)
    except ValueError as error:
        findings.check(path, kind, "stamp", False, error, "a stamp that the bytes agree with")
        return None
    findings.check(path, kind, "stamp", True, "", "")
    return stamp


def rows_of(path):
    """The artifact that the text of a table is written from."""
    place = PurePosixPath(path)
    scale = place.parts[1]
    return f"data/{scale}/scorecard.nc" if len(place.parts) == 3 else f"data/{scale}/tables/{place.stem}.nc"


def check_text(findings, folder, path, content, artifacts):
    """Enter whether the text of a table is what its artifact gives; artifacts: those that can be read."""
    rows = rows_of(path)
    if rows not in artifacts:
        findings.check(
            path, "table text", "text", False, f"no {rows} that can be read", "the artifact it is written from"
        )
        return
    try:
        wanted = _text(path, read_artifact(folder / rows, verify=False))
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        findings.check(path, "table text", "text", False, f"{rows} gives no table: {error}", "rows of a table")
        return
    findings.check(
        path, "table text", "text", content == wanted.encode(), "another text", f"the text that {rows} gives"
    )


def _text(path, rows):
    # Here, for the libraries that they draw on take long to import.
    from logzoo.reporting import scorecard, tables

    place = PurePosixPath(path)
    if len(place.parts) == 3:
        return scorecard.markdown(rows, Path(place.parent)) if place.suffix == ".md" else scorecard.csv(rows)
    return tables.text_of(rows, place.suffix[1:])
