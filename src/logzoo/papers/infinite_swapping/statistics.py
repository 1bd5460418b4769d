"""Statistics of the claims of Hult et al. (2019), Infinite Swapping Algorithm for Training RBMs.

Artifacts are those of `experiments.gradients` (distances over state, sampler, repeat, step) and of
`experiments.comparisons` (accuracy and likelihood over repeat, update), one of the latter for each trainer.
"""

import numpy as np

from logzoo.claims.verdicts import bootstrapped

# Distances are compared from this share of all steps on; a training's beginning and end are these shares of it.
_LATER = 0.1
_START = 1.0 / 3.0
_END = 0.2
_RIVALS = ("pcd", "pt")
# Fewer have no variance worth the name.
_FEWEST_REPEATS = 4


def distances(figure):
    """A function of the artifacts of figure 2 or 4, by the claims' names.

    <figure>-late: distance to the exact gradient late in training, INS / PT; <figure>-pcd: PT / PCD-1 there;
    <figure>-early: INS / PT early in training. Geometric means over the later steps.
    """

    def statistics(gradients):
        later = gradients.sel(step=gradients["step"] >= _LATER * gradients["step"].values[-1])

        def ratio(state, one, other, names):
            values = (
                later["distance"].sel(state=state, sampler=name).transpose("step", "repeat") for name in (one, other)
            )
            of = f"distance to the exact gradient, {names}, {state} in training"
            return bootstrapped(_ratio_of_means, *(array.values for array in values), of=of)

        return {
            f"{figure}-late": ratio("late", "ins", "pt", "INS / PT"),
            f"{figure}-pcd": ratio("late", "pt", "pcd", "PT / PCD-1"),
            f"{figure}-early": ratio("early", "ins", "pt", "INS / PT"),
        }

    return statistics


def trainings(figure):
    """A function of the artifacts of figure 3 or 5, one for each trainer, by the claims' names.

    Over the last fifth of the updates, rivals being PCD-1 and PT: <figure>-likelihood, -accuracy: INS less the best
    rival; <figure>-likelihood-spread, -accuracy-spread: variance over repeats of INS over that of the steadiest rival.
    <figure>-degenerate: what PCD-1 loses of its best mean likelihood by then.
    """

    def statistics(**artifacts):
        found = {}
        for quantity, variable in (("likelihood", "log_likelihood"), ("accuracy", "accuracy")):
            end = {name: _part(one, variable, 1.0 - _END, 1.0) for name, one in artifacts.items()}
            found[f"{figure}-{quantity}"] = _lead(end, f"mean {quantity} [nat] over the last fifth")
            found[f"{figure}-{quantity}-spread"] = _spread(end, f"variance of the {quantity} over repeats, last fifth")
        likelihood = artifacts["pcd"]["log_likelihood"].transpose("update", "repeat").values
        last = len(_part(artifacts["pcd"], "log_likelihood", 1.0 - _END, 1.0))
        found[f"{figure}-degenerate"] = bootstrapped(
            lambda values: values.mean(axis=-1).max(axis=1) - values[:, -last:].mean(axis=(1, 2)),
            likelihood,
            of="best mean likelihood of PCD-1 on the way less that over the last fifth [nat]",
        )
        return found

    return statistics


def figure_6(**artifacts):
    """From artifacts `<comparison>_<trainer>` of MNIST (`mnist`) and the larger toy data (`toy`).

    ins-f6-spread: variance of the accuracy on MNIST over the first third, INS over the steadiest rival; ins-f6-mnist,
    ins-f6-toy: mean accuracy over the last fifth, INS less PCD-1; ins-f6-later: INS less the best rival, toy data.
    """
    by_data = {data: {name: artifacts[f"{data}_{name}"] for name in (*_RIVALS, "ins")} for data in ("mnist", "toy")}
    early = {name: _part(one, "accuracy", 0.0, _START) for name, one in by_data["mnist"].items()}
    end = {
        data: {name: _part(one, "accuracy", 1.0 - _END, 1.0) for name, one in runs.items()}
        for data, runs in by_data.items()
    }

    def gain(data):
        return bootstrapped(
            lambda ins, pcd: ins.mean(axis=(1, 2)) - pcd.mean(axis=(1, 2)),
            end[data]["ins"],
            end[data]["pcd"],
            of="mean accuracy [nat] over the last fifth, INS - PCD-1",
        )

    return {
        "ins-f6-spread": _spread(early, "variance of the accuracy over repeats, first third"),
        "ins-f6-mnist": gain("mnist"),
        "ins-f6-toy": gain("toy"),
        "ins-f6-later": _lead(end["toy"], "mean accuracy [nat] over the last fifth"),
    }


def _part(one, variable, first, last):
    """Values (update, repeat) of a part of a training, given by shares of its updates."""
    update = one["update"].values
    chosen = (update >= first * update[-1]) & (update <= last * update[-1])
    return one[variable].transpose("update", "repeat").values[chosen]


def _lead(values, of):
    """INS less the best rival, of {trainer: (update, repeat)}."""
    rivals = [values[name] for name in _RIVALS]
    return bootstrapped(
        lambda own, *others: own.mean(axis=(1, 2)) - np.max([one.mean(axis=(1, 2)) for one in others], axis=0),
        values["ins"],
        *rivals,
        of=f"{of}, INS - best of PCD-1 and PT",
    )


def _spread(values, of):
    """Variance over repeats, a geometric mean over updates, of INS over that of the steadiest rival."""
    rivals = [values[name] for name in _RIVALS]

    def spread(array):
        # A draw of equal repeats has no spread at all.
        variance = np.maximum(array.var(axis=-1), np.finfo(float).tiny)
        return np.exp(np.log(variance).mean(axis=1))

    def ratio(own, *others):
        found = spread(own) / np.min([spread(one) for one in others], axis=0)
        return np.where(enough, found, np.nan)

    enough = min(array.shape[-1] for array in (values["ins"], *rivals)) >= _FEWEST_REPEATS
    return bootstrapped(ratio, values["ins"], *rivals, of=f"{of}, INS / smaller of PCD-1 and PT")


def _ratio_of_means(one, other):
    """Geometric mean over steps of the ratio of means over repeats; arrays (resample, step, repeat)."""
    return np.exp(np.log(one.mean(axis=-1) / other.mean(axis=-1)).mean(axis=1))
