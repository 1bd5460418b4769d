"""Claims of Hult et al. (2019).

Medians and interquartile ranges of ins-f6 are over repeats at every snapshot, and the mean over snapshots follows.
ins-equal-time-large is missing, because no published file has the timings of updates of 794 x 500 units.
"""

import numpy as np
import xarray as xr


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


def larger(runs, figure="ins-f6"):
    """Claims of Hult et al., figure 6, from {(comparison, trainer): dataset}; trainers of large data share repeats."""
    updates = runs["mnist", "ins"]["update"].values
    early, late = updates <= 10000 / 3, updates >= 8000

    def curves(data):
        names = [(data, name) for name in ("ins", "pcd", "pt")]
        return [runs[name].accuracy.transpose("repeat", "update").values.astype(float) for name in names]

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

    def fall(array):
        mean = array.mean(axis=0)
        return mean[~late].max() - mean[late].mean()

    toy = curves("toy-large")
    yield f"{figure}-spread", spread, curves("mnist"), True
    yield f"{figure}-toy-spread", spread, toy, True
    yield f"{figure}-mnist", range_late, curves("mnist"), True
    yield f"{figure}-toy", range_late, toy, True
    yield f"{figure}-later", lead, toy, True
    yield f"{figure}-early", lead_early, toy, True
    yield f"{figure}-smaller", lambda *a: lead(*a[:3]) - lead(*a[3:]), [*curves("toy-4-8"), *toy], False
    yield f"{figure}-degenerate", fall, toy[1:2], True


def association(data):
    """Claim on the temperatures of replicas; the ten trainings are the independent unit."""
    steps = data.step.values.astype(float)
    curves = data.unevenness.sel(state="late").mean("repeat").transpose("training", "sampler", "step")
    areas = [np.trapezoid(curves.sel(sampler=name).values, steps, axis=-1) for name in ("ins", "pt")]
    yield "ins-association-mixing", lambda a, b: a.mean() / b.mean(), areas, True


def claims(files):
    """The claims of all figures whose data are among the files {path in the folder of data: path}."""
    for figure in ("ins-f2", "ins-f4"):
        if f"figures/{figure}.nc" in files:
            yield from gradients(xr.load_dataset(files[f"figures/{figure}.nc"]), figure)
    for figure, stem in (("ins-f3", "toy-4-4"), ("ins-f5", "toy-4-8")):
        paths = {name: f"comparisons/{stem}.{name}.nc" for name in ("ins", "pcd", "pt", "exact")}
        if files.keys() >= set(paths.values()):
            yield from trainings({name: xr.load_dataset(files[path]) for name, path in paths.items()}, figure)
    names = [(data, name) for data in ("mnist", "toy-large", "toy-4-8") for name in ("ins", "pcd", "pt")]
    paths = {name: "comparisons/{}.{}.nc".format(*name) for name in names}
    if files.keys() >= set(paths.values()):
        yield from larger({name: xr.load_dataset(files[path]) for name, path in paths.items()})
    if "figures/ins-f4.nc" in files:
        yield from association(xr.load_dataset(files["figures/ins-f4.nc"]))
    pairs = {
        "many-more": ("ins-12", "ins"),
        "settings-initial": ("ins-from-0p1", "ins"),
        "settings-swaps": ("pt-5", "pt"),
    }
    for claim, names in pairs.items():
        paths = [f"comparisons/toy-4-8.{name}.nc" for name in names]
        if files.keys() >= set(paths):
            means = [xr.load_dataset(files[path]).log_likelihood.astype(float).mean("update").values for path in paths]
            yield f"ins-{claim}", lambda a, b: a.mean() - b.mean(), means, False
    if "timings/ins-equal.nc" in files:
        data = xr.load_dataset(files["timings/ins-equal.nc"])
        updates = [data.update_seconds.sel(trainer=name).values for name in ("ins", "pt")]
        steps = [data.step_seconds.sel(sampler=name).values for name in ("ins-12", "pt-12")]
        for claim, seconds in (("ins-equal-time", updates), ("ins-many-slower", steps)):
            yield claim, lambda a, b: a.mean() / b.mean(), seconds, True
