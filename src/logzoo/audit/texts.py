"""Texts of tables, which follow from their artifacts."""

from pathlib import Path, PurePosixPath

from logzoo.artifacts.netcdf import read_artifact


def check_text(findings, folder, path):
    """Enter whether the text of a table is what its artifact gives."""
    scale = PurePosixPath(path).parts[1]
    name = "scorecard" if _is_scorecard(path) else f"tables/{PurePosixPath(path).stem}"
    source = f"data/{scale}/{name}.nc"
    try:
        text = _text(path, read_artifact(folder / source))
        passed, found = (folder / path).read_bytes() == text.encode(), "another text"
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        passed, found = False, f"no table from {source}: {error}"
    findings.check(path, "text", passed, found, f"the text that {source} gives")


def _text(path, rows):
    # Imported here: the libraries that draw take long to import.
    from logzoo.reporting import scorecard, tables

    form = PurePosixPath(path).suffix[1:]
    if _is_scorecard(path):
        return scorecard.markdown(rows, Path(path).parent) if form == "md" else scorecard.csv(rows)
    return tables.text_of(rows, form)


def _is_scorecard(path):
    return len(PurePosixPath(path).parts) == 3
