"""Claims of Hult et al. (2019).

Medians and interquartile ranges of ins-f6 are taken over repeats at every snapshot, then averaged over snapshots.
The code for ins-equal-time-large was written after the published result was seen.
"""

import numpy as np
from shared import datasets, of_means


def curves_of(run, quantity):
    return run[quantity].transpose("repeat", "update").values.astype(float)


def fall(curves, late):
    """The largest mean of the curves before the late updates, minus their mean over the late updates."""
    mean = curves.mean(axis=0)
    return mean[~late].max() - mean[late].mean()


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

    def harder(a, b, c, d):
        return min(of_means(a, b), of_means(c, d))

    yield f"{figure}-late", of_means, [mean("late", "ins"), mean("late", "pt")], True
    yield f"{figure}-pcd", of_means, [mean("late", "ins"), mean("late", "pcd")], True
    yield f"{figure}-early", of_means, [mean("early", "ins"), mean("early", "pt")], True
    yield f"{figure}-spread", of_means, [variance("early", "ins"), variance("early", "pt")], True
    four = [mean(state, sampler) for sampler in ("pt", "ins") for state in ("late", "early")]
    yield f"{figure}-harder", harder, four, True


def trainings(runs, figure):
    """Claims of Hult et al., figures 3 and 5; every trainer has its own independent repeats."""
    late = runs["ins"]["update"].values >= 8000

    def lead(i, *rivals):
        return i.mean() - max(rival.mean() for rival in rivals)

    def spread(i, *rivals):
        of_ins, *others = (curves.var(axis=0, ddof=1).mean() for curves in (i, *rivals))
        return of_ins / min(others)

    for key, quantity in (("likelihood", "log_likelihood"), ("accuracy", "accuracy")):
        curves = [curves_of(runs[name], quantity) for name in ("ins", "pcd", "pt")]
        yield f"{figure}-{key}", lead, [array.mean(axis=1) for array in curves], False
        yield f"{figure}-{key}-spread", spread, curves, False
        if key == "likelihood":
            yield f"{figure}-degenerate", lambda pcd: fall(pcd, late), curves[1:2], True
    means = [curves_of(runs[name], "log_likelihood").mean(axis=1) for name in ("exact", "ins")]
    yield f"{figure}-exact", lambda a, b: a.mean() - b.mean(), means, False


def larger(runs, figure="ins-f6"):
    """Claims of Hult et al., figure 6, from {(comparison, trainer): dataset}; repeats are paired except in -smaller."""
    updates = runs["mnist", "ins"]["update"].values
    early, late = updates <= 10000 / 3, updates >= 8000

    def curves(data):
        return [curves_of(runs[data, name], "accuracy") for name in ("ins", "pcd", "pt")]

    def medians(arrays, chosen):
        return [np.median(array, axis=0)[chosen].mean() for array in arrays]

    def spread(*arrays):
        quartiles = [np.percentile(array[:, early], [25, 75], axis=0) for array in arrays]
        of_ins, *others = (np.diff(pair, axis=0).mean() for pair in quartiles)
        return of_ins / min(others)

    def range_late(*arrays):
        return np.ptp(medians(arrays, late))

    def lead(*arrays):
        of_ins, *others = medians(arrays, late)
        return of_ins - max(others)

    def lead_early(*arrays):
        of_ins, of_pcd, of_pt = medians(arrays, early)
        return of_pcd - max(of_ins, of_pt)

    toy = curves("toy-large")
    yield f"{figure}-spread", spread, curves("mnist"), True
    yield f"{figure}-toy-spread", spread, toy, True
    yield f"{figure}-mnist", range_late, curves("mnist"), True
    yield f"{figure}-toy", range_late, toy, True
    yield f"{figure}-later", lead, toy, True
    yield f"{figure}-early", lead_early, toy, True
    yield f"{figure}-smaller", lambda *a: lead(*a[:3]) - lead(*a[3:]), [*curves("toy-4-8"), *toy], False
    yield f"{figure}-degenerate", lambda pcd: fall(pcd, late), toy[1:2], True


def association(data):
    """Claim on the temperatures of replicas; the ten trainings are the independent unit."""
    steps = data.step.values.astype(float)
    curves = data.unevenness.sel(state="late").mean("repeat").transpose("training", "sampler", "step")
    areas = [np.trapezoid(curves.sel(sampler=name).values, steps, axis=-1) for name in ("ins", "pt")]
    yield "ins-association-mixing", of_means, areas, True


def claims(files):
    """The claims of all figures whose data are among the files {path in the folder of data: path}."""
    for figure in ("ins-f2", "ins-f4"):
        for data in datasets(files, [f"figures/{figure}.nc"]):
            yield from gradients(data, figure)
    names = ("ins", "pcd", "pt", "exact")
    for figure, stem in (("ins-f3", "toy-4-4"), ("ins-f5", "toy-4-8")):
        if runs := datasets(files, [f"comparisons/{stem}.{name}.nc" for name in names]):
            yield from trainings(dict(zip(names, runs, strict=True)), figure)
    names = [(data, name) for data in ("mnist", "toy-large", "toy-4-8") for name in ("ins", "pcd", "pt")]
    if runs := datasets(files, ["comparisons/{}.{}.nc".format(*name) for name in names]):
        yield from larger(dict(zip(names, runs, strict=True)))
    for data in datasets(files, ["figures/ins-f4.nc"]):
        yield from association(data)
    pairs = {
        "many-more": ("ins-12", "ins"),
        "settings-initial": ("ins-from-0p1", "ins"),
        "settings-swaps": ("pt-5", "pt"),
    }
    for claim, names in pairs.items():
        if runs := datasets(files, [f"comparisons/toy-4-8.{name}.nc" for name in names]):
            means = [run.log_likelihood.astype(float).mean("update").values for run in runs]
            yield f"ins-{claim}", lambda a, b: a.mean() - b.mean(), means, False
    for claim, path in (("", "timings/ins-equal.nc"), ("-large", "timings/ins-equal-mnist.nc")):
        for data in datasets(files, [path]):
            seconds = [data.update_seconds.sel(trainer=name).values for name in ("ins", "pt")]
            yield f"ins-equal-time{claim}", of_means, seconds, True
    for data in datasets(files, ["timings/ins-equal.nc"]):
        steps = [data.step_seconds.sel(sampler=name).values for name in ("ins-12", "pt-12")]
        yield "ins-many-slower", of_means, steps, True
