"""Texts of tables, which follow from their artifacts."""

from pathlib import PurePosixPath

from logzoo.artifacts.netcdf import read_artifact


def check_text(findings, folder, path):
    """Enter whether the text of a table is what its artifact gives."""
    table = PurePosixPath(path)
    is_scorecard = len(table.parts) == 3
    source = f"data/{table.parts[1]}/{'scorecard' if is_scorecard else f'tables/{table.stem}'}.nc"
    try:
        passed = (folder / path).read_bytes() == _text(table, read_artifact(folder / source), is_scorecard).encode()
        reason = "another text"
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        passed, reason = False, f"no table from {source}: {error}"
    findings.check(path, "text", passed, reason, f"the text that {source} gives")


def _text(table, rows, is_scorecard):
    # Imported here: the libraries that draw take long to import.
    from logzoo.reporting import scorecard, tables

    if not is_scorecard:
        return tables.text_of(rows, table.suffix[1:])
    return scorecard.csv(rows) if table.suffix == ".csv" else scorecard.markdown(rows, table.parent)
