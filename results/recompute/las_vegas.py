"""Claims of Savarese et al. (2018).

Tours end in the smallest stopping set unless a claim names another; the protocol leaves this open. Shares of lv-f2b are
means over trainings before their ratio is taken. The mean of ratios, tried first, is not the published value.

The best learning rate of a trainer of table 2 is the rate with the largest mean validation log-likelihood over runs.
"""

import re

import numpy as np
import xarray as xr
from shared import datasets, geometric, matching, of_means

SIZES = (16, 25, 32)
TRAINERS = ("cd-1", "cd-10", "pcd-1", "pcd-10", "lvs-1", "lvs-3", "lvs-10")
PUBLISHED = {
    "lv-t1": (-166.6, -153.4, -152.1, -138.5, -133.3, -132.9, -132.6),
    "lv-t2": (-169.0, -155.6, -147.0, -146.7, -137.5, -137.5, -137.4),
}
EXTREMES = {"large": ("cd-1", "pcd-1"), "small": ("lvs-1",)}
PRINTED_RATES = (0.01, 0.01, 0.01, 0.01, 0.1, 0.1, 0.1)


def summaries(trainings, quantity, pick=min):
    """A quantity (training, ...) of tours back to one stopping set, the smallest or the largest."""
    tours = (data.sel(visible="means", rounds=pick(data.rounds.values)) for data in trainings)
    return np.array([quantity(data) for data in tours], dtype=float)


def chosen(values, tours):
    """Sum of the values of chosen tours, and the number of these tours."""
    return values.where(tours).sum(), tours.sum()


def share(sums):
    """A ratio of sums over trainings, from (training, [numerator, denominator])."""
    return sums[:, 0].sum() / sums[:, 1].sum()


def returns(tours, low, high):
    """Number of tours that return at ages in (low, high], and sweeps of all tours at these ages; limits are floored."""
    low, high, length = int(low), int(high), tours.length
    return ((tours.finished == 1) & (length > low) & (length <= high)).sum(), (length.clip(low, high) - low).sum()


def lv_f2a(few, middle, many):
    """Claims of figure 2a from the trainings of three sizes; trainings of the same number are paired."""
    logs = [summaries(size, lambda t: np.log(t.length).mean()) for size in (few, middle, many)]
    yield "lv-f2a-longer", lambda *y: np.polyfit(np.log(SIZES), [a.mean() for a in y], 1)[0], logs, True
    yield "lv-f2a-one", lambda a: (a > 0.5).mean(), [summaries(few, lambda t: (t.length == 1).mean())], True
    yield "lv-f2a-heavy", np.mean, [summaries(many, lambda t: (t.length > 1000).mean())], True
    medians = summaries(many, lambda t: t.length.where(t.length > 1).median())
    yield "lv-f2a-apart", geometric, [medians], True
    same = sum(summaries(size, lambda t: chosen(t.same, t.length == 1)) for size in (few, middle, many))
    yield "lv-f2a-same", lambda a: (a[:, 0] / a[:, 1]).mean(), [same], True
    ages = [summaries(many, lambda t, k=k: returns(t, t.cap / k, 10 * t.cap / k)) for k in (10, 100)]
    yield "lv-f2a-geometric", lambda a, b: share(a) / share(b), ages, True


def lv_f2_f3(many):
    """Claims of figures 2b, 2c and 3 from the trainings of the largest size."""
    longer = [summaries(many, lambda t: (t.length > 1).mean(), pick) for pick in (max, min)]
    yield "lv-f2b-shorter", of_means, longer, True
    digits = summaries(many, lambda t: [np.log(t.length).where(t.label == d).mean() for d in (1, 6, 4, 8)])
    yield "lv-f2c-digits", lambda a: (a @ [0.5, 0.5, -0.5, -0.5]).mean(), [digits], True
    cases = [lambda t: t.length == 1, lambda t: t.finished == 0]
    strokes = [summaries(many, lambda t, case=case: chosen(t.stroke, case(t))) for case in cases]
    yield "lv-f3-thick", lambda a, b: share(a) - share(b), strokes, True
    alike = [xr.corr(t.image.astype(float), t.first_draw.astype(float), "unit").mean("shown") for t in many]
    likeness = np.array([a.sel(kind="short") - a.sel(kind="long") for a in alike])
    yield "lv-f3-unlike", np.mean, [likeness], True


def lv_f4(pairs):
    """Claims of figure 4 from {(training, state): (tours, truth)}; models without a known true log Z are left out."""
    trainings = sorted({training for training, _ in pairs})
    values = np.full((len(trainings), 2, 3, max(data.sizes["replicate"] for data, _ in pairs.values())), np.nan)
    for (training, state), (data, truth) in pairs.items():
        if int(truth.attrs.get("converged", 1)) == 1 and np.isfinite(truth.log_z):
            errors, end = data.log_z - truth.log_z, data.isel(tours=-1)
            held = (end.low <= truth.log_z) & (truth.log_z <= end.high)
            parts = [errors.sel(tours=10).values, errors.isel(tours=-1).values, held.values]
            values[trainings.index(training), state, :, : data.sizes["replicate"]] = parts
    values = values[np.isfinite(values[:, :, 2]).any(axis=(1, 2))]

    def growth(errors):
        return np.sqrt(np.nanmean(errors[:, :, 1] ** 2) / np.nanmean(errors[:, :, 0] ** 2))

    yield "lv-f4-converges", growth, [values[:, :, :2]], True
    yield "lv-f4-truth", np.nanmean, [np.abs(values[:, :, 1])], True
    yield "lv-f4-covers", np.nanmean, [values[:, :, 2]], True


def lv_table(table, trainings, extremes):
    """Claims of tables 1 and 2 from the runs of the seven trainers; runs of the same number are paired."""
    runs = range(min(data.sizes["run"] for data in trainings))
    data = [training.log_likelihood.isel(run=runs) for training in trainings]

    def at(rates, split):
        """Log-likelihoods (run, trainer) of a split at one learning rate of each trainer."""
        pairs = zip(data, rates, strict=True)
        return np.stack([values.sel(rate=rate, split=split).values for values, rate in pairs], axis=1)

    levels = [values.sel(split="validation").mean("run", skipna=False).fillna(-np.inf) for values in data]
    best = [float(level.rate[level.argmax("rate")]) for level in levels]
    test = at(best, "test")
    yield f"{table}-better", lambda a: a[:, 4].mean() - a[:, :4].mean(axis=0).max(), [test], True
    yield f"{table}-levels", lambda a: np.abs(a.mean(axis=0) - PUBLISHED[table]).mean(), [test], True
    yield f"{table}-k", lambda a: (a[:, 6] - a[:, 4]).mean(), [test], True
    if table == "lv-t1":
        sweeps = [trainings[place].chain_sweeps.isel(rate=0, run=runs).values for place in (6, 1)]
        yield "lv-t1-complexity", of_means, sweeps, True
        return
    others = [0.1 if rate == 0.01 else 0.01 for rate in PRINTED_RATES]
    gains = at(PRINTED_RATES, "validation") - at(others, "validation")
    yield "lv-t2-rates", lambda a: a.mean(axis=0).min(), [gains], True
    large = [extremes[name] for name in EXTREMES["large"] if name in extremes]
    if len(large) == 2:
        at_one = [values.log_likelihood.sel(rate=1.0, split="test").isel(run=runs).values for values in large]
        losses = test[:, [0, 2]] - np.stack(at_one, axis=1)
        yield "lv-t2-diverge", lambda a: a.mean(axis=0).min(), [losses], True
    if "tours_finished" in extremes.get("lvs-1", ()):
        yield "lv-t2-small", np.mean, [extremes["lvs-1"].tours_finished.sel(rate=0.001).values], True


def claims(files):
    """The claims of all figures whose data are among the files {path in the folder of data: path}."""

    if chains := matching(files, r"figures/lv-f1\.lv-32(-\d+)?\.nc"):
        yield "lv-f1-inspection", np.mean, [np.array([np.log(t["held"] / t["first"]).mean() for t in chains])], True
    trainings = [matching(files, rf"tours/lv-{size}(-\d+)?\.nc") for size in SIZES]
    yield from lv_f2_f3(trainings[-1]) if trainings[-1] else ()
    yield from lv_f2a(*trainings) if len(set(map(len, trainings))) == 1 and trainings[0] else ()
    pairs = {}
    for state, model in enumerate(("lv-32-cd", "lv-32")):
        for path in files:
            if match := re.fullmatch(rf"figures/lv-f4\.{model}(-\d+)?\.nc", path):
                number = match[1] or ""
                if pair := datasets(files, [path, f"truths/{model}{number}.nc"]):
                    pairs[number, state] = pair
    yield from lv_f4(pairs) if {state for _, state in pairs} == {0, 1} else ()
    for table in PUBLISHED:
        paths = {name: f"trainings/{table}-{rate}.{name}.nc" for rate, names in EXTREMES.items() for name in names}
        extremes = {name: data for name, path in paths.items() for data in datasets(files, [path])}
        if trainings := datasets(files, [f"trainings/{table}.{name}.nc" for name in TRAINERS]):
            yield from lv_table(table, trainings, extremes)
