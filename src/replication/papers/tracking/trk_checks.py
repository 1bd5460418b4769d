"""Checks of the log Z that was tracked while a model trained: as experiments, and statistics of claims on them.

A check holds log Z by enumeration or AIS at some updates of a training, beside what was tracked; a trace has a row of
numbers every so many updates. AIS judges a tracker only where its standard error is at most KNOWN nats. Where nothing
can be judged the statistics are NaN, that is, not tested.
"""

import numpy as np

from replication.papers.expected import expect
from replication.reporting.statistics import DEVIATE, FEWEST_REPEATS, Statistic, over_repeats, ratio_of_sums, untested

# Variables of a check: log Z and its standard deviation, by the tracker and by AIS.
TRACKED = ("tracked_log_z", "tracked_std_dev")
AIS = ("log_z", "std_error")
SIGMAS = 3.0
# Largest standard error of AIS, in nats, at which it can judge a tracker.
KNOWN = 0.5
# Share of a training that counts as its beginning, and as its end.
BURN_IN = 0.1
# Blocks must outlast correlations: a trace of a hundred rows has just enough in each third.
_CHECKS_PER_BLOCK = 2
_BLOCK = "block of check points"
_MOST_BLOCKS = 12
_FEWEST_CHECKS = 5


def after_burn_in(dataset):
    """Which rows of a Dataset over `update` lie after the first tenth of the updates."""
    return in_last(dataset, 1.0 - BURN_IN)


def in_last(dataset, share):
    """Which rows of a Dataset over `update` lie in the last share of the updates."""
    update = dataset["update"].values
    return update >= (1.0 - share) * update.max(initial=0)


def mean_of_groups(*groups):
    """Average over groups (..., training) of their means over trainings: each group counts the same."""
    return np.mean([group.mean(axis=-1) for group in groups], axis=0)


def ratio_of_groups(*groups):
    """Ratio of the first to the second number of groups (..., 2, training), each averaged as by `mean_of_groups`."""
    above, below = np.moveaxis(mean_of_groups(*groups), -1, 0)
    return above / below


def over_trainings(statistic, *numbers, **options):
    """`over_repeats` over the trainings (..., training) whose numbers are all finite; NaN without any."""
    finite = [values[..., np.isfinite(values).all(axis=tuple(range(values.ndim - 1)))] for values in numbers]
    return over_repeats(statistic, *finite, **options) if all(part.shape[-1] for part in finite) else untested()


def mean_of_known(values):
    """Mean of the values that are numbers, NaN without any."""
    known = values[np.isfinite(values)]
    return known.mean() if known.size else np.nan


def known_likelihood(check, split):
    """Mean log-likelihood (update,) of a split by AIS, NaN where AIS does not know log Z."""
    return np.where(is_known(check), likelihood(check, split, AIS[0]), np.nan)


def is_known(check):
    """Whether (update,) AIS knows log Z: its standard error is at most KNOWN nats."""
    return check["std_error"].values <= KNOWN


def units(runs):
    """Totals by independent part, and the name of a part: a run, with correlated errors; a block of a single run."""
    usable = [run for run in runs if np.isfinite(run).any()]
    if len(usable) == 1:
        return _blocks(usable[0], _CHECKS_PER_BLOCK), _BLOCK
    return _totals(usable), "run"


def blocks(runs):
    """Totals of the blocks of check points of every run, and the name of a part; for statistics of these runs alone."""
    parts = [_blocks(run, _CHECKS_PER_BLOCK) for run in runs]
    return np.concatenate([part for part in parts if part.size] or [np.zeros((2, 0))], axis=-1), _BLOCK


def _blocks(values, rows):
    """Totals of blocks of at least `rows` consecutive rows; none if there would be too few blocks."""
    values = values[np.isfinite(values)]
    count = min(len(values) // rows, _MOST_BLOCKS)
    return _totals(np.array_split(values, count) if count >= FEWEST_REPEATS else [])


def _totals(parts):
    """Sum and number (2, part) of the finite values of each part."""
    finite = [part[np.isfinite(part)] for part in parts]
    return np.array([[part.sum() for part in finite], [part.size for part in finite]], float)


def mean_of_totals(totals):
    """Mean of all values behind totals (..., 2, part)."""
    return ratio_of_sums(totals[..., 0, :], totals[..., 1, :])


def ratio(above, below):
    """Mean behind totals over that behind others, NaN where that is 0."""
    over, under = mean_of_totals(above), mean_of_totals(below)
    return np.divide(over, under, out=np.full_like(over, np.nan), where=under > 0)


def over_parts(statistic, *totals, of, **options):
    """`over_repeats` over the parts of totals; NaN unless all have some."""
    if not all(sums.size for sums in totals):
        return untested(of)
    return over_repeats(statistic, *totals, of=of, **options)


def likelihood(check, split, log_z):
    """Mean log-likelihood (update,) of a split under one of the log Z of a check."""
    column = list(check["split"].values).index(split)
    return check["mean_log_f"].values[:, column] - check[log_z].values


def best_and_last(check, by):
    """Indices of the best validation likelihood, before the last tenth of the updates, and of the end.

    Both None if that cannot be said. A likelihood that climbs to the end is lower at the best than there.
    """
    update = check["update"].values
    validation = likelihood(check, "validation", by[0])
    before = (update < (1.0 - BURN_IN) * update.max(initial=0)) & np.isfinite(validation)
    if update.size < _FEWEST_CHECKS or not before.any():
        return None, None
    return int(np.argmax(np.where(before, validation, -np.inf))), update.size - 1


def difference(check, split, by, point, other, of):
    """Likelihood of a split at a check point less at the other, with log Z and its error by `by`."""
    if point is None:
        return untested(of)
    values, error = likelihood(check, split, by[0]), check[by[1]].values
    return Statistic(*normal(values[point] - values[other], np.hypot(error[point], error[other])), of=of)


def normal(value, error, below=np.inf, above=np.inf):
    """A value and the ends of its normal interval, no farther than so much below and above; all NaN unless finite."""
    numbers = float(value), float(value - min(DEVIATE * error, below)), float(value + min(DEVIATE * error, above))
    return numbers if np.isfinite(numbers).all() else (np.nan,) * 3


def agreement(check):
    """Share of check points where tracked log Z and AIS differ by no more than their stated errors.

    Of those where AIS knows log Z: elsewhere its error holds whatever was tracked.
    """
    error = np.hypot(check["std_error"], check["tracked_std_dev"]).values
    known = np.isfinite(apart(check)) & np.isfinite(error) & (check["std_error"].values <= KNOWN)
    agreed, unit = units([np.where(known, apart(check) <= DEVIATE * error, np.nan)])
    where = f"{known.sum()} check points where AIS errs by at most {KNOWN:g} nats"
    of = f"share of {where}, at which |tracked - AIS| of log Z is within 95% of both errors, by {unit}"
    return over_parts(mean_of_totals, agreed, of=of)


def apart(check):
    """|tracked - AIS| of log Z (update,), NaN where AIS does not know log Z."""
    return np.where(is_known(check), np.abs(check["tracked_log_z"].values - check["log_z"].values), np.nan)


def times_apart(checks, others, of):
    """Statistic: mean |tracked - AIS| of log Z of checks over that of others, by blocks of check points."""
    (above, block), (below, _) = (blocks(list(map(apart, group))) for group in (checks, others))
    return over_parts(ratio, above, below, of=f"mean |tracked - AIS| of log Z, {of}, by {block}", scale="log")


def distance(check, when):
    """Mean |tracked - AIS| of log Z, and so of all likelihoods, at all check points; when: their description."""
    error, unit = units([apart(check)])
    of = f"mean |tracked - AIS| of log Z [nat] {when}, by {unit}"
    return over_parts(mean_of_totals, error, of=of, scale="log")


def halves(check, best):
    """The check points up to the index `best`, and the later ones; all and none if it is None."""
    number = check.sizes["update"] if best is None else best + 1
    return check.isel(update=slice(number)), check.isel(update=slice(number, None))


def last_known(check, first):
    """Index of the last check point before AIS errs by more than KNOWN; None if it does not exceed `first`."""
    unknown = np.flatnonzero(~is_known(check))
    last = (int(unknown[0]) if unknown.size else check.sizes["update"]) - 1
    return None if first is None or last <= first else last


def all_checked(here, key):
    """Checks by AIS of all trainings of the models that a setting of a figure names, one or more, by their names."""
    models = here.entry[key]
    expect(here, key, models, "a model or more")
    return {name: checked(here, name, "ais") for model in models for name in here.trainings(model)}


def checked(here, model, check):
    """The experiment that finds log Z at the snapshots of a training: `exact`, or by `ais`."""
    snapshots = here.config["models"][model]["train"]["options"]["snapshots"]
    settings = {}
    if check == "exact":
        visible, hidden = here.shape(model)
        work = {"enumeration": snapshots * 2 ** min(visible, hidden) * max(visible, hidden)}
    else:
        settings = here.config["checks"]["ais"]
        work = {"sampling": here.visits(model, snapshots * settings["sweeps"] * settings["chains"])}
    return here.experiment(
        "replication.papers.tracking.trk_runs:checks",
        {
            "snapshots": here.snapshots(model),
            "trace": here.trace(model),
            "dataset": here.dataset(here.config["models"][model]["dataset"]),
        },
        {**settings, "check": check},
        f"checks/{model}.{check}",
        stream=("checks", model, check),
        kind="check",
        work=work,
        methods=() if check == "exact" else ("ais",),
    )
