"""Statistics of the claims of Savarese et al. (2018), From Monte Carlo to Las Vegas.

Artifacts are those of `experiments.tours` (lengths over visible, rounds, batch, tour), of `experiments.tour_estimates`
and of `experiments.likelihoods` (log-likelihoods over rate, run, split), one of the latter for each trainer.
"""

import numpy as np

from logzoo.claims.verdicts import bootstrapped

_SHORT, _LONG = (1, 6), (4, 8)
# Tours longer than this are the tail of the lengths.
_TAIL = 10


def figure_2a(**tours):
    """From tours by model: how lengths grow with the hidden units, and the one-sweep tours of the smallest."""
    ordered = sorted(tours.values(), key=lambda one: one.attrs["hidden_units"])
    size = np.log([one.attrs["hidden_units"] for one in ordered])
    slope = (size - size.mean()) / max(np.square(size - size.mean()).sum(), np.finfo(float).tiny)
    small, hidden = ordered[0], ordered[0].attrs["hidden_units"]

    def grown(*values):
        return sum(weight * one.mean(axis=-1) for weight, one in zip(slope, values, strict=True))

    def by_batch(one, visible="draws"):
        return one["length"].sel(visible=visible).isel(rounds=0)

    logs = [np.log(by_batch(one)).mean("tour").values for one in ordered]
    tails = [(by_batch(one) > _TAIL).mean("tour").values for one in ordered]
    found = {
        "lv-f2a-heavy": bootstrapped(grown, *tails, of=f"share of tours longer than {_TAIL} sweeps, slope on log H"),
        "lv-f2a-longer": bootstrapped(grown, *logs, of="mean log length, slope on log H"),
    }
    for visible, name in (("draws", "lv-f2a-one"), ("means", "lv-f2a-one-means")):
        one_sweep = (by_batch(small, visible) == 1).mean("tour").values
        found[name] = bootstrapped(_mean, one_sweep, of=f"share of tours of one sweep, H = {hidden}, visible {visible}")
    home = (small["same"] * (small["length"] == 1) * small["finished"]).sel(visible="means").isel(rounds=0)
    single = ((small["length"] == 1) * small["finished"]).sel(visible="means").isel(rounds=0)
    sums = home.sum("tour").values, single.sum("tour").values
    found["lv-f2a-same"] = bootstrapped(_ratio, *sums, of=f"share of these that end where they began, H = {hidden}")
    return found


def figure_2b(tours):
    """Share of tours longer than one sweep back to the largest stopping set, over that back to the smallest."""
    longer = (tours["length"].sel(visible="draws") > 1).mean("tour")
    first, last = (longer.isel(rounds=place).values for place in (0, -1))
    rounds = tours["rounds"].values
    of = f"share of tours longer than one sweep, R = {rounds[-1]} / R = {rounds[0]}"
    return {"lv-f2b-shorter": bootstrapped(_ratio, last, first, of=of)}


def figure_2c(tours):
    """Mean log length of tours from some digits less that from all others, and of 1 and 6 less that of 4 and 8."""
    logs = np.log(tours["length"].sel(visible="draws").isel(rounds=0))

    def sums(classes):
        chosen = tours["label"].isin(classes)
        return [(logs * chosen).sum("tour").values, chosen.sum("tour").values]

    every = np.unique(tours["label"].values)
    found = {}
    for name, classes in (("lv-f2c-short", _SHORT), ("lv-f2c-long", _LONG)):
        others = np.setdiff1d(every, classes)
        digits = " and ".join(map(str, classes))
        of = f"mean log length of tours from {digits}, less that from the other digits"
        found[name] = bootstrapped(_difference, *sums(classes), *sums(others), of=of)
    return found


def figure_3(tours):
    """How images that start tours of more than ten sweeps differ from those that start tours of one."""
    lengths = tours["length"].sel(visible="draws").isel(rounds=0)

    def sums(variable, chosen):
        return [(tours[variable] * chosen).sum("tour").values, chosen.sum("tour").values]

    short, long = lengths == 1, lengths > _TAIL
    said = f"images of tours of one sweep less that of tours of more than {_TAIL}"
    return {
        "lv-f3-odd": bootstrapped(
            _difference, *sums("log_f", short), *sums("log_f", long), of=f"mean log f [nat], {said}"
        ),
        "lv-f3-thick": bootstrapped(
            _difference, *sums("ink", short), *sums("ink", long), of=f"mean grey value, {said}"
        ),
    }


def figure_4(**estimates):
    """From estimates by model: bias at the end, whether intervals cover the truth, and the error against AIS."""
    last = {name: one.isel(tours=-1) for name, one in estimates.items()}
    error = np.stack([(one["log_z"] - one["exact"]).values for one in last.values()])
    covered = np.stack([((one["low"] <= one["exact"]) & (one["exact"] <= one["high"])).values for one in last.values()])
    first = np.stack([(one["log_z"] - one["exact"]).isel(tours=0).values for one in estimates.values()])
    tours = int(next(iter(last.values()))["tours"])
    return {
        "lv-f4-truth": bootstrapped(
            lambda values: np.abs(values).mean(axis=(1, 2)),
            error,
            of=f"mean absolute error of log Z [nat] by {tours:,} tours",
        ),
        "lv-f4-converges": bootstrapped(
            lambda end, start: np.sqrt(np.square(end).mean(axis=(1, 2)) / np.square(start).mean(axis=(1, 2))),
            error,
            first,
            of=f"RMSE of log Z, {tours:,} tours / the first {int(next(iter(estimates.values()))['tours'][0])}",
        ),
        "lv-f4-covers": bootstrapped(
            lambda values: values.mean(axis=(1, 2)), covered, of="share of 95% intervals that hold the exact log Z"
        ),
    }


def table(name):
    """A function of the artifacts of table 1 or 2, one for each trainer, by the claims' names.

    <table>-<rival>: mean test log-likelihood by LVS-1 less that by the rival; <table>-k: by LVS-10 less that by LVS-1.
    Runs are paired: they share their mini-batches and first weights. Each trainer is taken at its best learning rate.
    """

    def statistics(**trainings):
        test = {trainer: at_best_rate(one)[1].sel(split="test").values for trainer, one in trainings.items()}

        def lead(one, other, text):
            of = f"mean test log-likelihood [nat], {text}"
            return bootstrapped(lambda a, b: (a - b).mean(axis=-1), test[one], test[other], of=of)

        rivals = {"cd-1": "CD-1", "cd-10": "CD-10", "pcd-1": "PCD-1", "pcd-10": "PCD-10"}
        found = {f"{name}-{rival}": lead("lvs-1", rival, f"LVS-1 - {text}") for rival, text in rivals.items()}
        return found | {f"{name}-k": lead("lvs-10", "lvs-1", "LVS-10 - LVS-1")}

    return statistics


def at_best_rate(trainings):
    """(learning rate, log-likelihoods over run and split) at the rate of the best mean validation log-likelihood.

    A rate at which any run diverged is left out, unless every rate is such a one.
    """
    likelihood = trainings["log_likelihood"]
    mean = likelihood.sel(split="validation").mean("run", skipna=False).values
    best = int(np.nanargmax(mean)) if np.isfinite(mean).any() else 0
    return float(trainings["rate"][best]), likelihood.isel(rate=best)


def _mean(values):
    return values.mean(axis=-1)


def _ratio(above, below):
    """Ratio of sums over batches, NaN where nothing was counted."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return above.sum(axis=-1) / below.sum(axis=-1)


def _difference(total, count, other_total, other_count):
    """Ratio of sums over batches less that of other sums."""
    return _ratio(total, count) - _ratio(other_total, other_count)
