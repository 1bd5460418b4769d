"""Texts of tables, which follow from their artifacts."""

from pathlib import PurePosixPath

from logzoo.artifacts.netcdf import read_artifact


def check_text(findings, folder, path):
    """Enter whether the text of a table is what its artifact gives."""
    # Imported here: the libraries that draw take long to import.
    from logzoo.reporting import scorecard, tables

    table = PurePosixPath(path)
    form, is_scorecard = table.suffix[1:], len(table.parts) == 3
    source = f"data/{table.parts[1]}/{'scorecard' if is_scorecard else f'tables/{table.stem}'}.nc"
    try:
        rows = read_artifact(folder / source)
        if is_scorecard:
            text = scorecard.csv(rows) if form == "csv" else scorecard.markdown(rows, table.parent)
        else:
            text = tables.text_of(rows, form)
        passed, reason = (folder / path).read_bytes() == text.encode(), "another text"
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        passed, reason = False, f"no table from {source}: {error}"
    findings.check(path, "text", passed, reason, f"the text that {source} gives")
