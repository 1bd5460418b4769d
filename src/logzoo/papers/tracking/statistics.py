"""Statistics of the claims of Desjardins et al. (2011), On Tracking the Partition Function.

Figure 5 of Carlson et al. (2016) is judged here too: it shows a tracked log Z beside that of AIS as well. A check holds
log Z by enumeration or AIS at some updates of a training, beside what was tracked; a trace has a row of numbers every
so many updates. Where there are too few of them the statistics are NaN, that is, not tested.
"""

import numpy as np

from logzoo.checks import one_of
from logzoo.claims.verdicts import Statistic, bootstrapped

SPEEDS = ("slow", "fast")
DECAYS = ("low", "mid", "high")
_FASTEST = ("fast", "high")
# What log Z is by, and its standard deviation: variables of a check.
_TRACKED = ("tracked_log_z", "tracked_std_dev")
_AIS = ("log_z", "std_error")
# Share of a training that its beginning, or its end, is taken to be.
_EDGE = 0.1
# Blocks must outlast correlations, and fewer than four have no interval to speak of: a trace of a hundred rows has just
# enough of both in each third.
_ROWS_PER_BLOCK = 7
_CHECKS_PER_BLOCK = 2
_FEWEST_BLOCKS = 4
_MOST_BLOCKS = 12
_FEWEST_CHECKS = 5
_FEWEST_RANKED = 4
_DRAWS = 2000
_SIGMAS = 3.0
# Normal deviate of a central 95% interval.
_DEVIATE = 1.959964


def figure_3(**checks):
    """From exact checks by run, `trk-f3-<speed>-<decay>`: learning rate 0.001 or 0.01; alpha 1e3, 1e4 or 1e5.

    All after the first tenth of a run. trk-f3-fit: mean |tracked - exact| of all runs but fast-high; trk-f3-cover:
    share of their check points within 3 stated standard deviations; trk-f3-oscillates: mean |tracked - exact| of
    fast-high over that of the other fast runs.
    """
    settled = {_speed_and_decay(name): _after_burn_in(check) for name, check in checks.items()}
    error = {run: np.abs(check["tracked_log_z"] - check["log_z"]).values for run, check in settled.items()}
    others = [run for run in settled if run != _FASTEST]
    errors, unit = _units([error[run] for run in others])
    shares, _ = _units([_covered(settled[run]) for run in others])
    fastest_errors, fastest_unit = _units([error[run] for run in settled if run == _FASTEST])
    fast_errors, fast_unit = _units([error[run] for run in others if run[0] == "fast"])
    of = f"of all runs but fast-high, resampled by {unit}"
    ratio = f"fast-high / other fast runs, resampled by {fastest_unit} / by {fast_unit}"
    return {
        "trk-f3-fit": _resampled(_mean, errors, of=f"mean |tracked - exact log Z| [nat] {of}"),
        "trk-f3-cover": _resampled(
            _mean, shares, of=f"share of check points within {_SIGMAS:g} stated standard deviations {of}"
        ),
        "trk-f3-oscillates": _resampled(
            _ratio, fastest_errors, fast_errors, of=f"mean |tracked - exact log Z|, {ratio}"
        ),
    }


def figure_4a(trace, check):
    """From the trace of a training, rows of the filter at work; the check is drawn, not judged.

    trk-f4a-bias: mean |bias| over the last third of the rows over that of the third where it is largest;
    trk-f4a-variance, trk-f4a-change: mean standard deviations of the bridged log Z and of the observed change, last
    third over first, the first tenth of the updates left out.
    """
    bias = _thirds(np.abs(trace["bias"].values))
    # The bias starts from 0, so it need not be largest in the first third; the largest of all rows would be noise.
    largest = max(bias, key=lambda totals: _mean(totals) if totals.size else -np.inf)
    settled = _after_burn_in(trace)

    def growth(name, of):
        first, _, last = _thirds(settled[name].values)
        of = f"mean standard deviation of the {of}, last / first third of the rows, resampled by block"
        return _resampled(_ratio, last, first, of=of)

    return {
        "trk-f4a-bias": _resampled(
            _ratio, bias[-1], largest, of="mean |bias|, last / largest third of the rows, resampled by block"
        ),
        "trk-f4a-variance": growth("bridged_log_z_std_dev", "bridged log Z"),
        "trk-f4a-change": growth("observed_change_std_dev", "observed change"),
    }


def figure_4b(trace, check):
    """From the AIS check of a training that over-fits; the trace is drawn, not judged.

    Best is the check point, before the last tenth of the updates, of the highest tracked validation likelihood. AIS had
    no part in that choice, so its noise does not flatter the gain. trk-f4b-turn: validation likelihood by AIS at the
    best less at the end; trk-f4b-train: training likelihood by AIS at the end less at the best; trk-f4b-agree: share
    of check points whose tracked likelihood lies in the 95% interval of AIS; trk-f4b-close: mean distance of the two.
    """
    best, last = _best_and_last(check, _TRACKED)
    return {
        "trk-f4b-turn": _difference(
            check, "validation", _AIS, best, last, of="validation likelihood by AIS [nat]: best tracked one - end"
        ),
        "trk-f4b-train": _difference(
            check, "train", _AIS, last, best, of="training likelihood by AIS [nat]: end - best tracked validation"
        ),
        "trk-f4b-agree": _agreement(check),
        "trk-f4b-close": _distance(check),
    }


def rts_figure_5(trace, check):
    """From the AIS check of a training that over-fits, log Z tracked by RTS; the trace is drawn, not judged.

    rts-f5-agree: share of check points whose tracked likelihood lies in the 95% interval of AIS; rts-f5-close: mean
    distance of the two; rts-f5-overfit:
    tracked validation likelihood at the check point, before the last tenth of the updates, that AIS finds best, less
    at the end: negative if it climbs to the end.
    """
    best, last = _best_and_last(check, _AIS)
    return {
        "rts-f5-agree": _agreement(check),
        "rts-f5-close": _distance(check),
        "rts-f5-overfit": _difference(
            check, "validation", _TRACKED, best, last, of="tracked validation likelihood [nat]: best by AIS - end"
        ),
    }


def text(mnist, caltech):
    """From the best model of each data set.

    trk-text-above: the smaller of the two differences of test likelihood, tracked less by AIS.
    """
    # Above on both: the smallest ends make the whole interval positive only if both intervals are.
    ends = np.min([_tracked_above_ais(one) for one in (mnist, caltech)], axis=0)
    return {"trk-text-above": Statistic(*map(float, ends), "test likelihood [nat]: tracked - AIS, smaller of the two")}


def table_1(**datasets):
    """From the best model of each data set.

    trk-t1-agree: share of data sets whose tracked test likelihood lies within 3 standard deviations, of AIS and of the
    tracker added up, of that by AIS; trk-t1-order: rank correlation of test likelihoods by AIS and published ones.
    """
    names = ("test_log_likelihood_ais", "ais_std_error", "test_log_likelihood_tracked", "tracked_std_dev")
    ais, error, tracked, std_dev = (np.array([float(one[name]) for one in datasets.values()]) for name in names)
    # Of stand-in data nothing was published.
    published = np.array([one.attrs.get("published_ais", np.nan) for one in datasets.values()])
    known = np.isfinite(ais) & np.isfinite(error)
    agree = np.abs(tracked - ais) <= _SIGMAS * (error + std_dev)
    ranked = known & np.isfinite(published)
    return {
        "trk-t1-agree": _share(agree[known], of=f"share of data sets where |tracked - AIS| <= {_SIGMAS:g} sigma"),
        "trk-t1-order": _rank_correlation(ais[ranked], error[ranked], published[ranked]),
    }


def _speed_and_decay(name):
    """(speed, decay) of a run's name, which may have underscores for hyphens."""
    speed, decay = name.replace("_", "-").split("-")[-2:]
    return one_of("speed", speed, SPEEDS), one_of("decay", decay, DECAYS)


def _after_burn_in(dataset):
    """A Dataset over `update` without the first tenth of the updates."""
    update = dataset["update"].values
    return dataset.isel(update=update >= _EDGE * update.max(initial=0))


def _covered(check):
    """1 or 0 (update,): is the truth within 3 stated standard deviations? NaN where there is no truth.

    A tracked value that is not a number has failed, so it is 0.
    """
    within = np.abs(check["tracked_log_z"] - check["log_z"]) <= _SIGMAS * check["tracked_std_dev"]
    return within.where(np.isfinite(check["log_z"])).values


def _units(runs):
    """Totals to resample, and what one of them is: a run, as its errors go together, but blocks of a single one."""
    usable = [run for run in runs if np.isfinite(run).any()]
    if len(usable) == 1:
        return _blocks(usable[0], _CHECKS_PER_BLOCK), "block of check points"
    return _totals(usable), "run"


def _thirds(values):
    """Totals of the blocks of each third of the rows."""
    return [_blocks(third, _ROWS_PER_BLOCK) for third in np.array_split(values, 3)]


def _blocks(values, rows):
    """Totals of blocks of at least so many rows that follow each other; none if that makes too few blocks."""
    values = values[np.isfinite(values)]
    count = min(len(values) // rows, _MOST_BLOCKS)
    return _totals(np.array_split(values, count) if count >= _FEWEST_BLOCKS else [])


def _totals(parts):
    """Sum and number (2, part) of the finite values of each part."""
    finite = [part[np.isfinite(part)] for part in parts]
    return np.array([[part.sum() for part in finite], [part.size for part in finite]], float)


def _mean(totals):
    """Mean of all values behind totals (..., 2, part)."""
    return totals[..., 0, :].sum(axis=-1) / totals[..., 1, :].sum(axis=-1)


def _ratio(one, other):
    """Mean behind one over that behind the other, NaN where that is 0."""
    over, under = _mean(one), _mean(other)
    return np.divide(over, under, out=np.full_like(over, np.nan), where=under > 0)


def _resampled(statistic, *totals, of):
    """`bootstrapped` over the parts of totals; NaN unless all have several."""
    if min(one.shape[-1] for one in totals) < 2:
        return _untested(of)
    return bootstrapped(statistic, *totals, of=of)


def _likelihood(check, split, log_z):
    """Mean log-likelihood (update,) of a split under one of the log Z of a check."""
    return (check["mean_log_f"].sel(split=split) - check[log_z]).values


def _best_and_last(check, by):
    """Places of the best validation likelihood, before the last tenth of the updates, and of the end.

    Both None if that cannot be said. A likelihood that climbs to the end is lower at the best than there.
    """
    update = check["update"].values
    validation = _likelihood(check, "validation", by[0])
    before = (update < (1.0 - _EDGE) * update.max(initial=0)) & np.isfinite(validation)
    if update.size < _FEWEST_CHECKS or not before.any():
        return None, None
    return int(np.argmax(np.where(before, validation, -np.inf))), update.size - 1


def _difference(check, split, by, one, other, of):
    """Likelihood of a split at one place less at the other, with what `by` says of log Z there."""
    if one is None:
        return _untested(of)
    likelihood, error = _likelihood(check, split, by[0]), check[by[1]].values
    return Statistic(*_normal(likelihood[one] - likelihood[other], np.hypot(error[one], error[other])), of)


def _tracked_above_ais(best):
    value = best["test_log_likelihood_tracked"] - best["test_log_likelihood_ais"]
    return _normal(float(value), np.hypot(float(best["ais_std_error"]), float(best["tracked_std_dev"])))


def _normal(value, error):
    """A value and the ends of its normal interval, all NaN unless finite."""
    numbers = float(value), float(value - _DEVIATE * error), float(value + _DEVIATE * error)
    return numbers if np.isfinite(numbers).all() else (np.nan,) * 3


def _agreement(check):
    """Share of check points whose tracked log Z lies in the interval of AIS, and so do all likelihoods."""
    low, tracked, high = (check[name].values for name in ("log_z_low", "tracked_log_z", "log_z_high"))
    known = np.isfinite(low) & np.isfinite(high)
    inside = (low <= tracked) & (tracked <= high)
    return _share(inside[known], of="share of check points where the tracked log Z lies in the 95% interval of AIS")


def _distance(check):
    """Mean |tracked - AIS| of log Z, and so of all likelihoods."""
    apart = np.abs(check["tracked_log_z"] - check["log_z"]).where(np.isfinite(check["std_error"]))
    error, unit = _units([apart.values])
    return _resampled(_mean, error, of=f"mean |tracked - AIS| of log Z [nat], resampled by {unit}")


def _share(hits, of):
    """Share of hits with its binomial interval (Wilson 1927); NaN of none."""
    count = hits.size
    if count == 0:
        return _untested(of)
    share, squared = float(hits.mean()), _DEVIATE**2 / count
    center = (share + 0.5 * squared) / (1.0 + squared)
    half = np.sqrt(share * (1.0 - share) * squared + 0.25 * squared**2) / (1.0 + squared)
    # Rounding must not put the share itself outside.
    return Statistic(share, min(share, float(center - half)), max(share, float(center + half)), f"{of}, of {count}")


def _rank_correlation(ais, error, published):
    """Rank correlation with the published numbers, its interval from the standard errors of ours.

    The data sets are the published ones, not a sample of some, so they are not resampled.
    """
    of = f"rank correlation of test likelihoods by AIS, ours and published, over {ais.size} data sets"
    if ais.size < _FEWEST_RANKED:
        return _untested(of)
    generator = np.random.Generator(np.random.Philox(key=1))
    drawn = ais + error * generator.standard_normal((_DRAWS, ais.size))
    low, high = np.quantile(_spearman(drawn, published), (0.025, 0.975))
    return Statistic(float(_spearman(ais, published)), float(low), float(high), of)


def _spearman(values, others):
    """Rank correlation of values (..., item) with others (item,)."""
    from scipy.stats import rankdata  # takes long to import, and every verdict would wait for it

    one, other = (rankdata(array, axis=-1) - 0.5 * (others.size + 1) for array in (values, others))
    return (one * other).sum(axis=-1) / np.sqrt((one**2).sum(axis=-1) * (other**2).sum(axis=-1))


def _untested(of):
    return Statistic(np.nan, np.nan, np.nan, of)
