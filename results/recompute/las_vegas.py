"""Claims of Savarese et al. (2018), figures 1 to 3.

Tours end in the smallest stopping set unless a claim names another; the protocol leaves this open. Shares of lv-f2b are
means over trainings before their ratio is taken. The mean of ratios, tried first, is not the published value.
"""

import re

import numpy as np
import xarray as xr

SIZES = (16, 25, 32)


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
    """Tours that return at ages in (low, high], and their sweeps at these ages; limits are rounded down."""
    low, high, length = int(low), int(high), tours.length
    return ((tours.finished == 1) & (length > low) & (length <= high)).sum(), (length.clip(low, high) - low).sum()


def lv_f2a(few, middle, many):
    """Claims of figure 2a from the trainings of three sizes; trainings of equal number are taken together."""
    logs = [summaries(size, lambda t: np.log(t.length).mean()) for size in (few, middle, many)]
    yield "lv-f2a-longer", lambda *y: np.polyfit(np.log(SIZES), [a.mean() for a in y], 1)[0], logs, True
    yield "lv-f2a-one", lambda a: (a > 0.5).mean(), [summaries(few, lambda t: (t.length == 1).mean())], True
    yield "lv-f2a-heavy", np.mean, [summaries(many, lambda t: (t.length > 1000).mean())], True
    medians = summaries(many, lambda t: t.length.where(t.length > 1).median())
    yield "lv-f2a-apart", lambda a: np.exp(np.log(a).mean()), [medians], True
    same = sum(summaries(size, lambda t: chosen(t.same, t.length == 1)) for size in (few, middle, many))
    yield "lv-f2a-same", lambda a: (a[:, 0] / a[:, 1]).mean(), [same], True
    ages = [summaries(many, lambda t, k=k: returns(t, t.cap / k, 10 * t.cap / k)) for k in (10, 100)]
    yield "lv-f2a-geometric", lambda a, b: share(a) / share(b), ages, True


def lv_f2_f3(many):
    """Claims of figures 2b, 2c and 3 from the trainings of the largest size."""
    longer = [summaries(many, lambda t: (t.length > 1).mean(), pick) for pick in (max, min)]
    yield "lv-f2b-shorter", lambda a, b: a.mean() / b.mean(), longer, True
    digits = summaries(many, lambda t: [np.log(t.length).where(t.label == d).mean() for d in (1, 6, 4, 8)])
    yield "lv-f2c-digits", lambda a: (a @ [0.5, 0.5, -0.5, -0.5]).mean(), [digits], True
    cases = [lambda t: t.length == 1, lambda t: t.finished == 0]
    strokes = [summaries(many, lambda t, case=case: chosen(t.stroke, case(t))) for case in cases]
    yield "lv-f3-thick", lambda a, b: share(a) - share(b), strokes, True
    alike = [xr.corr(t.image.astype(float), t.first_draw.astype(float), "unit").mean("shown") for t in many]
    likeness = np.array([a.sel(kind="short") - a.sel(kind="long") for a in alike])
    yield "lv-f3-unlike", np.mean, [likeness], True


def claims(files):
    """The claims of all figures whose data are among the files {path in the folder of data: path}."""

    def matching(stem):
        return [xr.load_dataset(files[path]) for path in sorted(files) if re.fullmatch(rf"{stem}(-\d+)?\.nc", path)]

    if chains := matching(r"figures/lv-f1\.lv-32"):
        yield "lv-f1-inspection", np.mean, [np.array([np.log(t["held"] / t["first"]).mean() for t in chains])], True
    trainings = [matching(f"tours/lv-{size}") for size in SIZES]
    yield from lv_f2_f3(trainings[-1]) if trainings[-1] else ()
    yield from lv_f2a(*trainings) if len(set(map(len, trainings))) == 1 and trainings[0] else ()
