"""Recompute verdicts of the paper scale from published NetCDF files: python results/recompute [RESULTS].

The script imports nothing of logzoo. It follows the wording of docs/protocol.md: the statistic, its bounds and the rule
for verdicts. Intervals are percentiles of a bootstrap over independent repeats; most published intervals come
from jackknives. For every recomputed claim the script prints both results. At the end it prints the names of all other
claims.

Each paper has a module with a function `claims`, which yields (claim, statistic, arrays, together). `statistic` is a
function of the arrays, whose first axis is the independent repeats. `together` is true if the repeats of the arrays are
paired and therefore resampled together.
"""

import re
import sys
from pathlib import Path

import las_vegas
import numpy as np
import rts
import swapping
import tracking
import xarray as xr

ROOT = Path(__file__).parents[2]
SAMPLES, SEED = 2000, 777001


def interval(statistic, arrays, together, generator):
    """95% percentile interval of a statistic of arrays (repeat, ...) over resampled repeats."""
    values = np.empty(SAMPLES)
    for sample in range(SAMPLES):
        rows = [generator.integers(len(array), size=len(array)) for array in arrays]
        rows = rows[:1] * len(arrays) if together else rows
        values[sample] = statistic(*(array[row] for array, row in zip(arrays, rows, strict=True)))
    return np.percentile(values, [2.5, 97.5])


def bounds_in(protocol, name):
    """Bounds (low, high) of a claim in the text of the protocol; None for an estimate."""
    entry = protocol.split(f"**{name}**")[1].split("\n\n")[0]
    match = re.search(r"Reproduced if at (least|most) ([-\d.]+)", entry)
    if match is None:
        return None
    return (float(match[2]), np.inf) if match[1] == "least" else (-np.inf, float(match[2]))


def verdict(low, high, bounds):
    if bounds is None:
        return "estimate"
    if bounds[0] <= low and high <= bounds[1]:
        return "reproduced"
    return "not reproduced" if high < bounds[0] or low > bounds[1] else "undecided"


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "results/paper") / "data/paper"
    protocol, generator = (ROOT / "docs/protocol.md").read_text(), np.random.default_rng(SEED)
    published = {}
    for path in sorted(folder.glob("verdicts/*.nc")):
        with xr.open_dataset(path) as data:
            rows = zip(*(data[key].values for key in ("id", "value", "low", "high", "verdict")), strict=True)
            published |= {str(name): (value, low, high, str(text)) for name, value, low, high, text in rows}
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.nc")}
    recomputed, agreed = set(), 0
    papers = (rts, tracking, swapping, las_vegas)
    claims = [claim for paper in papers for claim in paper.claims(files) if claim[0] in published]
    claims = [claim for claim in claims if all(map(len, claim[2]))]
    for name, statistic, arrays, together in claims:
        value, (low, high) = statistic(*arrays), interval(statistic, arrays, together, generator)
        ours, theirs = verdict(low, high, bounds_in(protocol, name)), published[name]
        same = np.isclose(value, theirs[0], rtol=1e-9, atol=0.0) and theirs[3].startswith(ours)
        agreed, recomputed = agreed + same, recomputed | {name}
        print(f"{name:26} {value:10.5g} [{low:.4g}, {high:.4g}] {ours}", "" if same else "<- differs", flush=True)
        print(f"{'  published':26} {theirs[0]:10.5g} [{theirs[1]:.4g}, {theirs[2]:.4g}] {theirs[3]}")
    others = ", ".join(sorted(published.keys() - recomputed)) or "none"
    print(f"{agreed} of {len(recomputed)} agree; not recomputed: {others}")


if __name__ == "__main__":
    main()
