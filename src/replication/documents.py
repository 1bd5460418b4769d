"""Where the documentation speaks of what the configuration names."""

import re
from pathlib import Path, PurePosixPath

_FOLDER = "docs/estimators"


def pages_of_estimators(estimators: dict[str, dict], folder: str | Path) -> dict[str, str]:
    """The pages {estimator: path} on the methods of configured estimators, as the table of all methods links them.

    Paths are from the folder of the project. Left out: methods that no row names.
    """
    table = Path(folder) / _FOLDER / "README.md"
    rows = [line for line in table.read_text().splitlines() if line.startswith("|")] if table.is_file() else []
    found = {name: _page_of(entry["method"], rows) for name, entry in estimators.items()}
    return {name: f"{_FOLDER}/{page}" for name, page in found.items() if page}


def _page_of(method: str, rows: list[str]) -> str:
    """The page that the row of a method links; of several the one of its name."""
    linked = [page for row in rows if f"`{method}`" in row for page in re.findall(r"\]\((\S+\.md)\)", row)]
    return max(linked, key=lambda page: PurePosixPath(page).stem == method, default="")
