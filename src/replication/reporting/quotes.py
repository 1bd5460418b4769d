"""Quotations of published results between marks in Markdown pages, computed from results/.

    The measured value is <!-- decisive: rts-f1-flat -->0.144 [0.110, 0.178]<!-- / -->.

A mark names a scale and a quotation. The id of a claim gives the measured value with its interval. `verdict ID` gives
the verdict of a claim. `summary` gives sentences, and `papers` a table, with counts of verdicts. `claims` gives a table
of all claims. `findings`, `undecided` and `untested` list the claims that were not reproduced, not decided and not
tested. Names of figures after these lists and tables limit them to the claims of these figures. `table NAME` gives a
table. If the run is unfinished, the published verdicts are quoted.
"""

import re
from collections.abc import Mapping
from functools import cached_property
from itertools import compress
from pathlib import Path, PurePosixPath

import numpy as np
import xarray as xr

from logzoo.io.atomic import check_replaceable
from logzoo.io.netcdf import read_artifact
from logzoo.io.reading import read_json
from logzoo.printing import one_line
from replication.reporting.scorecard import counts_by_paper, entries, link, summary
from replication.reporting.verdicts import BOUNDS, FAILED, NOT_TESTED, UNDECIDED, VERDICTS, why_of

_START = r"<!-- ([\w-]+): ([^>]+?) -->"
# A mark without end reaches to the next mark or the end of the page, and is refused.
_MARKED = re.compile(rf"({_START}).*?(<!-- / -->|(?={_START})|\Z)", re.DOTALL)


def requoted(text: str, page: str, root: Path, fresh: Mapping[str, Path] | None = None) -> str:
    """The text of a page, with quotations updated from the results published below `root`.

    page: path of the page relative to `root`. fresh: {scale: folder} with the results of a run that is being published.
    A mark without end, with an unknown name or without results raises a one-line ValueError with the page and the mark.
    """
    results = {}

    def renewed(mark):
        start, scale, name, end = mark.groups()[:4]
        try:
            if not end:
                raise ValueError("expected <!-- / --> before the next mark or the end of the page")
            if scale not in results:
                results[scale] = _Results(root, scale, (fresh or {}).get(scale))
            quotation = results[scale].quoted(name, page)
        except ValueError as error:
            raise ValueError(f"{page}: {one_line(start)}: {error}") from None
        return start + (quotation.replace("\n", "\r\n") if "\r\n" in text else quotation) + end

    return _MARKED.sub(renewed, text)


def pages(root: Path) -> list[Path]:
    """Paths of the pages that may quote results."""
    readmes = (Path(root, folder, "README.md") for folder in (".", "results"))
    return [*filter(Path.is_file, readmes), *sorted(Path(root, "docs").glob("**/[!_]*.md"))]


def changed_pages(root: Path, fresh: Mapping[str, Path] | None = None) -> dict[str, bytes]:
    """Returns {path: new content} of the `pages` below `root` that change. Arguments and errors as in `requoted`."""
    changed = {}
    for path in pages(root):
        page, old = path.relative_to(root).as_posix(), path.read_bytes()
        try:
            # Bytes keep their ends of lines.
            text = old.decode()
        except UnicodeDecodeError as error:
            raise ValueError(f"{page}: expected text in UTF-8: {error}") from None
        new = requoted(text, page, root, fresh).encode()
        if new != old:
            check_replaceable(path)
            changed[page] = new
    return changed


class _Results:
    """The published results of one scale."""

    def __init__(self, root, scale, files=None):
        self._scale, self._folder = scale, PurePosixPath("results", scale)
        self._files = Path(files or root / self._folder)

    @cached_property
    def _card(self):
        data = self._files / "data" / self._scale
        if Path(data, "scorecard.nc").is_file():
            return read_artifact(data / "scorecard.nc", "scorecard")
        # The scorecard is the last artifact of a run.
        tables = [read_artifact(path, "verdict") for path in sorted(data.glob("verdicts/*.nc"))]
        if not tables:
            raise ValueError(f"no published results of {self._scale}")
        return self._with_figures(xr.concat(tables, "id", combine_attrs="drop"))

    def _with_figures(self, card):
        """A table of verdicts with the columns `paper`, `picture` and `reason` of a scorecard."""
        folder = self._files
        written = [path for form in ("png", "html") for path in folder.glob(f"figures/{self._scale}/*/*.{form}")]
        paths = {path.stem: path.relative_to(folder).as_posix() for path in written}
        picture = [paths.get(figure, "") for figure in card["figure"].values]
        reason = [why_of(card.isel(id=row)) for row in range(card.sizes["id"])]
        columns = {"paper": [path.split("/")[-2] if path else "" for path in picture], "picture": picture}
        return card.assign({name: ("id", values) for name, values in (columns | {"reason": reason}).items()})

    @cached_property
    def _hours(self):
        return read_json(self._files / "data" / self._scale / "manifest.json")["hours"]

    @cached_property
    def _rows(self):
        return {row["id"]: row for row in entries(self._card)}

    def quoted(self, name, page):
        kind, _, of = name.partition(" ")
        if name in self._rows:
            return self._rows[name]["number"]
        if kind == "verdict" and of in self._rows:
            return VERDICTS[self._rows[of]["verdict"]]
        if name == "summary":
            return summary(self._card, self._scale)
        blocks = {"papers": self._papers, "claims": self._claims, "findings": self._findings}
        blocks |= {"undecided": self._undecided, "untested": self._untested}
        if kind in blocks:
            rows = self._of_figures(of.split())
            return "\n\n" + "\n".join(blocks[kind](rows, PurePosixPath(page).parent)) + "\n\n"
        written = list((self._files / "figures" / self._scale).glob(f"*/{of}.md"))
        if kind == "table" and len(written) == 1:
            rows = [line for line in written[0].read_text(encoding="utf-8").splitlines() if line.startswith("|")]
            return "\n\n" + "\n".join(rows) + "\n\n"
        expected = f"a claim, verdict CLAIM, table TABLE, summary, {', '.join(blocks)}"
        raise ValueError(f"expected {expected}, found {name!r}")

    def _of_figures(self, figures):
        """The rows of the claims of these figures, or of all figures if none is named."""
        known = {row["figure"] for row in self._rows.values()}
        if unknown := set(figures) - known:
            raise ValueError(f"expected figures of {self._scale} with claims, found {', '.join(sorted(unknown))}")
        return [row for row in self._rows.values() if row["figure"] in (figures or known)]

    def _papers(self, rows, _):
        by_paper = counts_by_paper(rows)
        seen = [any(counts) for counts in zip(*by_paper.values(), strict=True)]
        words = list(compress(VERDICTS.values(), seen))
        yield f"| paper | {' | '.join(words)} |"
        yield "|---|" + "---|" * len(words)
        for paper, counts in by_paper.items():
            yield f"| {paper} | {' | '.join(map(str, compress(counts, seen)))} |"

    def _claims(self, rows, folder):
        yield "| claim | measured | needs | verdict |"
        yield "|---|---|---|---|"
        for row in rows:
            name = self._linked(row, folder, row["id"])
            yield f"| {name} | {row['number']} | {row['claimed']} | {VERDICTS[row['verdict']]} |"

    def _findings(self, rows, folder):
        first = {"": ""}
        for row in _of_verdicts(rows, *FAILED):
            earlier = first.setdefault(row["reason"], row["id"])
            why = f"as for `{earlier}`." if earlier not in ("", row["id"]) else row["reason"]
            yield f"{self._opening(row, folder)} Why: {why or 'the cause is not known.'}"

    def _undecided(self, rows, folder):
        for row in _of_verdicts(rows, UNDECIDED):
            to_decide = _to_decide(self._card.sel(id=row["id"]), self._hours.get(row["figure"]))
            yield f"{self._opening(row, folder)} {to_decide}"

    def _untested(self, rows, _):
        for row in _of_verdicts(rows, NOT_TESTED):
            yield f"- **{row['claim']}** (`{row['id']}`): {row['reason']}"

    def _opening(self, row, folder):
        figure = self._linked(row, folder, row["figure"])
        return f"- `{row['id']}` ({figure}). Claim: {row['sentence']} Measured: {row['measured']}"

    def _linked(self, row, folder, text):
        """A link to the figure of a claim, if the figure is published."""
        return link(text, self._folder / row["picture"], folder) if row["picture"] else text


def _of_verdicts(rows, *verdicts):
    return [row for row in rows if row["verdict"] in verdicts]


def _to_decide(row, hours=None):
    """A sentence on the repeats that would decide a claim by the same value; hours: core-hours of repeats so far."""
    value, low, high = (float(row[name]) for name in ("value", "low", "high"))
    least, most = (float(row[name]) for name in BOUNDS)
    if not np.isfinite([value, low, high]).all() or value in (least, most):
        return "The number of repeats that would decide the claim is not known."
    if low > 0.0 and np.isclose(low * high, value**2, atol=0.0):
        # The interval is symmetric on the logarithmic scale. The logarithm of a bound below 0 is NaN, like an absent
        # bound.
        with np.errstate(divide="ignore", invalid="ignore"):
            value, low, high, least, most = np.log([value, low, high, least, most])
    reaches = [(value - low, value - least), (high - value, most - value)]
    if value < least:
        reaches = [(high - value, least - value)]
    elif value > most:
        reaches = [(value - low, value - most)]
    # Errors are proportional to one over the square root of the number of repeats. Absent bounds are NaN.
    times = max((reach / apart) ** 2 for reach, apart in reaches if not np.isnan(apart))
    if times <= 1.0:
        return "The interval ends on the bound, so a few more repeats would decide the claim."
    cost = f", in at most {times * hours:.2g} core-hours" if hours else ""
    return f"About {times:.2g} times the repeats would decide the claim{cost}."
