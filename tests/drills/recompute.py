"""Recompute published verdicts from published NetCDF files: python tests/drills/recompute.py [RESULTS].

The script imports nothing of logzoo. It follows the wording of docs/protocol.md: the statistic, its bounds and the rule
for verdicts. Intervals are percentiles of a bootstrap over independent repeats; the published intervals come from
jackknives. It prints both results of every claim that it has, and the names of all other claims.
"""

import re
import sys
from pathlib import Path

import numpy as np
import xarray as xr

ROOT = Path(__file__).parents[2]
SAMPLES, SEED = 2000, 777001


def rms(errors):
    return np.sqrt(np.mean(np.square(errors)))


def rts_f1(data):
    """(value, arrays with the repeats first, whether arrays are resampled together) by claim."""
    errors = {name: (data.log_z - data.exact_log_z).sel(variant=name)[:, -1].values for name in data.variant.values}
    plain, smooth, stochastic = (errors[name] for name in ("counts", "rao-blackwell", "stochastic"))
    shares = data.occupancy.sel(variant="rao-blackwell")[:, -1].values
    yield "rts-f1-exact", lambda e: np.abs(e).max(axis=1).mean(), [smooth], True
    yield "rts-f1-flat", lambda c: np.abs(1.0 - c.shape[1] * c).max(axis=1).mean(), [shares], True
    yield "rts-f1-noise", lambda a, b: rms(np.diff(a)) / rms(np.diff(b)), [plain, smooth], False
    yield "rts-f1-stochastic", lambda a, b: rms(a) / rms(b), [stochastic, smooth], False


def rts_f2(data):
    errors = (data.log_z - data.exact_log_z).transpose("replicate", "estimator", "samples").values

    def levels(e):
        return np.exp(0.5 * np.log((e**2).mean(axis=0)).mean(axis=1))

    yield "rts-f2-same", lambda e: levels(e).max() / levels(e).min(), [errors], True


def rts_f6(data):
    pairs = [data.sel(step_rule=rule) for rule in ("fixed", "adaptive")]
    times, errors = (
        [pair.autocorrelation_time.values for pair in pairs],
        [pair.log_z - pair.exact_log_z for pair in pairs],
    )
    yield "rts-f6-mixing", lambda a, b: a.mean() / b.mean(), times, False
    yield "rts-f6-error", lambda a, b: rms(a) / rms(b), [error.values for error in errors], False


def gradients(data, figure):
    """Claims of Hult et al., figures 2 and 4; the ten trainings are the independent unit."""
    distance = data.distance.transpose("training", "repeat", "step", "state", "sampler")
    steps = data.step.values.astype(float)

    def area(curves):
        return np.trapezoid(curves, steps, axis=-1) / (steps[-1] - steps[0])

    def mean(state, sampler):
        return area(distance.sel(state=state, sampler=sampler).values).mean(axis=1)

    def variance(state, sampler):
        return area(distance.sel(state=state, sampler=sampler).values.var(axis=1, ddof=1))

    def ratio(a, b):
        return a.mean() / b.mean()

    def harder(a, b, c, d):
        return min(a.mean() / b.mean(), c.mean() / d.mean())

    yield f"{figure}-late", ratio, [mean("late", "ins"), mean("late", "pt")], True
    yield f"{figure}-pcd", ratio, [mean("late", "ins"), mean("late", "pcd")], True
    yield f"{figure}-early", ratio, [mean("early", "ins"), mean("early", "pt")], True
    yield f"{figure}-spread", ratio, [variance("early", "ins"), variance("early", "pt")], True
    four = [mean(state, sampler) for sampler in ("pt", "ins") for state in ("late", "early")]
    yield f"{figure}-harder", harder, four, True


def trainings(runs, figure):
    """Claims of Hult et al., figures 3 and 5; every trainer has its own independent repeats."""
    late = runs["ins"]["update"].values >= 8000

    def curves_of(name, quantity="log_likelihood"):
        return runs[name][quantity].transpose("repeat", "update").values.astype(float)

    def lead(i, *rivals):
        return i.mean() - max(rival.mean() for rival in rivals)

    def spread(i, *rivals):
        of_ins, *others = (curves.var(axis=0, ddof=1).mean() for curves in (i, *rivals))
        return of_ins / min(others)

    def fall(curves):
        mean = curves.mean(axis=0)
        return mean[~late].max() - mean[late].mean()

    for key, quantity in (("likelihood", "log_likelihood"), ("accuracy", "accuracy")):
        curves = [
            runs[name][quantity].transpose("repeat", "update").values.astype(float) for name in ("ins", "pcd", "pt")
        ]
        yield f"{figure}-{key}", lead, [array.mean(axis=1) for array in curves], False
        yield f"{figure}-{key}-spread", spread, curves, False
        if key == "likelihood":
            yield f"{figure}-degenerate", fall, curves[1:2], True
    means = [curves_of(name).mean(axis=1) for name in ("exact", "ins")]
    yield f"{figure}-exact", lambda a, b: a.mean() - b.mean(), means, False


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


def known_claims(folder):
    """The claims of all figures whose data are in the folder."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.nc")}
    for figure, claims in {"rts-f1": rts_f1, "rts-f2": rts_f2, "rts-f6": rts_f6}.items():
        if f"figures/{figure}.nc" in files:
            yield from claims(xr.load_dataset(files[f"figures/{figure}.nc"]))
    for figure in ("ins-f2", "ins-f4"):
        if f"figures/{figure}.nc" in files:
            yield from gradients(xr.load_dataset(files[f"figures/{figure}.nc"]), figure)
    for figure, stem in (("ins-f3", "toy-4-4"), ("ins-f5", "toy-4-8")):
        paths = {name: f"comparisons/{stem}.{name}.nc" for name in ("ins", "pcd", "pt", "exact")}
        if files.keys() >= set(paths.values()):
            yield from trainings({name: xr.load_dataset(files[path]) for name, path in paths.items()}, figure)


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "results/paper") / "data/paper"
    protocol, generator = (ROOT / "docs/protocol.md").read_text(), np.random.default_rng(SEED)
    published = {}
    for path in sorted(folder.glob("verdicts/*.nc")):
        with xr.open_dataset(path) as data:
            rows = zip(*(data[key].values for key in ("id", "value", "low", "high", "verdict")), strict=True)
            published |= {str(name): (value, low, high, str(text)) for name, value, low, high, text in rows}
    recomputed, agreed = set(), 0
    for name, statistic, arrays, together in known_claims(folder):
        value, (low, high) = statistic(*arrays), interval(statistic, arrays, together, generator)
        ours, theirs = verdict(low, high, bounds_in(protocol, name)), published[name]
        same = np.isclose(value, theirs[0], rtol=1e-9) and theirs[3].startswith(ours)
        agreed, recomputed = agreed + same, recomputed | {name}
        print(f"{name:26} {value:10.5g} [{low:.4g}, {high:.4g}] {ours}", "" if same else "<- differs", flush=True)
        print(f"{'  published':26} {theirs[0]:10.5g} [{theirs[1]:.4g}, {theirs[2]:.4g}] {theirs[3]}")
    others = ", ".join(sorted(published.keys() - recomputed)) or "none"
    print(f"{agreed} of {len(recomputed)} agree; not recomputed: {others}")


if __name__ == "__main__":
    main()
