"""Claims of Hult et al. (2019)."""

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


def claims(files):
    """The claims of all figures whose data are among the files {path in the folder of data: path}."""
    for figure in ("ins-f2", "ins-f4"):
        if f"figures/{figure}.nc" in files:
            yield from gradients(xr.load_dataset(files[f"figures/{figure}.nc"]), figure)
    for figure, stem in (("ins-f3", "toy-4-4"), ("ins-f5", "toy-4-8")):
        paths = {name: f"comparisons/{stem}.{name}.nc" for name in ("ins", "pcd", "pt", "exact")}
        if files.keys() >= set(paths.values()):
            yield from trainings({name: xr.load_dataset(files[path]) for name, path in paths.items()}, figure)
