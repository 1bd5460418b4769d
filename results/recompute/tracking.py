"""Claims of Desjardins et al. (2011).

Shares of a training are relative to the update in the last row of its trace. A mean over trainings is taken before a
ratio of means; a training without a check point where AIS is known is left out. The last tenth of the exchanges begins
with the first row of the trace in the last tenth. trk-cost-point is missing, because no published file has the time of
AIS.
"""

import re

import numpy as np
from shared import datasets, geometric, matching, of_means


def trk_f3(checks, traces):
    """Claims of Desjardins et al., figure 3, from {setting: datasets of its trainings}; trainings are independent."""

    def rows(name, quantity):
        """A quantity (training, check point) after the first tenth of the trainings of a setting."""
        pairs = zip(checks[name], traces.get(name, checks[name]), strict=True)
        values = [(data["update"], quantity(data, trace)) for data, trace in pairs]
        return np.array([row.values[(update > 0.1 * update[-1]).values] for update, row in values])

    def error(data, trace):
        return np.abs(data.tracked_log_z - data.log_z)

    def change(name):
        return np.diff(rows(name, lambda data, _: data.mean_log_f.sel(split="test") - data.log_z)).std(axis=1)

    def covered(data, trace):
        return error(data, trace) <= 3.0 * data.tracked_std_dev

    def average(*arrays):
        return np.mean([array.mean() for array in arrays])

    def fails(worst, *fitting):
        return worst.mean() / average(*fitting)

    def alone(*settings):
        tracked, *others = np.mean([setting.mean(axis=(0, 2)) for setting in settings], axis=0)
        return min(others) / tracked

    (share,) = rows("fast-low", lambda data, _: data["update"] / data["update"][-1])[:1]
    dip = (share >= 40 / 300) & (share <= 60 / 300)
    fitting = ["slow-low", "slow-mid", "slow-high", "fast-low", "fast-mid"]
    *slow, low, middle = (rows(name, error) for name in fitting)
    yield "trk-f3-fit-slow", average, slow, False
    yield "trk-f3-fit-fast", average, [low, middle], False
    yield "trk-f3-particles", average, [rows("twenty-fast-mid", error)], False
    dips = [low, middle]
    yield "trk-f3-dip", lambda *e: sum(a[:, dip].mean() for a in e) / sum(a[:, ~dip].mean() for a in e), dips, False
    yield "trk-f3-oscillates", fails, [rows("fast-high", error), low, middle], False
    yield "trk-f3-unstable", fails, [change(name) for name in ("fast-high", *fitting[3:])], False
    kinds = [error, lambda data, trace: np.abs(trace.bridged_log_z - data.log_z)]
    kinds.append(lambda data, trace: np.abs(trace.summed_log_z - data.log_z))
    errors = [np.stack([rows(name, kind) for kind in kinds], axis=1) for name in fitting]
    yield "trk-f3-alone", alone, errors, False
    yield "trk-f3-cover", average, [rows(name, covered) for name in fitting], False


def gap(training, after):
    """Mean |tracked - AIS| of log Z after a share of a training, where the standard error of AIS is at most 0.5."""
    trace, check = training
    chosen = (check.std_error <= 0.5) & (check["update"] > after * trace["update"][-1])
    return float(np.abs(check.tracked_log_z - check.log_z).where(chosen).mean())


def known(values):
    """The values of the trainings that have one."""
    return np.array(values)[np.isfinite(values)]


def trk_f4a(adaptive, linear, growing):
    """Claims of Desjardins et al., figure 4 left, from lists of trainings (trace, check); trainings are independent."""

    def thirds(name):
        """Means of |value| (training, third) over the rows of the traces after the first tenth."""
        rows = [trace[name][(trace["update"] > 0.1 * trace["update"][-1]).values].values for trace, _ in adaptive]
        return np.array([[np.abs(part).mean() for part in np.array_split(row, 3)] for row in rows])

    def grown(means):
        return means[:, 2].mean() / means[:, 0].mean()

    def exchanges(trace, check):
        rows = trace.isel(update=(trace["update"] >= 0.9 * trace["update"][-1]).values)
        made, tried = (rows[name][-1] - rows[name][0] for name in ("exchanges_made", "exchanges_tried"))
        return (made / tried).min()

    def bridge(trace, check):
        return trace.bridged_log_z_std_dev.where(trace["update"] >= trace["update"][-1] * 2 / 3).mean()

    def likelihood(trace, check):
        chosen = (check.std_error <= 0.5) & (check["update"] >= 0.5 * trace["update"][-1])
        return (check.mean_log_f.sel(split="test") - check.log_z).where(chosen).mean()

    def both(quantity):
        return [known([float(quantity(*training)) for training in kind]) for kind in (linear, adaptive)]

    yield "trk-f4a-bias", grown, [thirds("bias")], True
    yield "trk-f4a-variance", grown, [thirds("bridged_log_z_std_dev")], True
    yield "trk-f4a-change", grown, [thirds("observed_change_std_dev")], True
    yield "trk-f4a-close", np.mean, [known([gap(training, 2 / 3) for training in adaptive])], True
    yield "trk-f4a-exchange", of_means, both(exchanges), False
    yield "trk-f4a-bridge", of_means, both(bridge), False
    yield "trk-f4a-likelihood", lambda a, b: b.mean() - a.mean(), both(likelihood), False
    yield "trk-f4a-adaptive", of_means, both(lambda *training: gap(training, 0.1)), False
    yield "trk-f4a-growing", np.mean, [known([gap(training, 0.1) for training in growing])], True


def trk_f4b(trainings):
    """Claims of Desjardins et al., figure 4 right, from trainings (trace, check)."""

    def fall(trace, name):
        """Mean tracked likelihood around the middle of a training, minus its mean in the last tenth."""
        share, values = trace["update"] / trace["update"][-1], trace[f"log_likelihood_{name}"]
        return float(values.where((share >= 0.45) & (share <= 0.55)).mean() - values.where(share >= 0.9).mean())

    def best(trace):
        return float(trace["update"][trace.log_likelihood_validation.argmax("update")] / trace["update"][-1])

    traces = [trace for trace, _ in trainings]
    yield "trk-f4b-turn", np.mean, [np.array([fall(trace, "validation") for trace in traces])], True
    yield "trk-f4b-epoch", np.mean, [np.array([best(trace) for trace in traces])], True
    yield "trk-f4b-train", np.mean, [np.array([-fall(trace, "train") for trace in traces])], True
    yield "trk-f4b-close", np.mean, [known([gap(training, 0.1) for training in trainings])], True


def trk_cost(data):
    """Claims on the cost of tracking, from timings of updates."""
    alone, kalman, rts = (data.seconds.sel(tracker=name).values for name in ("none", "kalman", "rts"))
    yield "trk-cost-kalman", of_means, [kalman, alone], True
    yield "trk-cost-rts", of_means, [rts, alone], True


def trk_text(name, data):
    """Claims of Desjardins et al., section 4, on one best model; there are none where AIS is too uncertain."""
    ais, published = data.test_log_likelihood_ais.values, float(data.attrs["published_ais"])
    if data.ais_std_error <= 0.5:
        yield f"trk-text-{name}", np.mean, [np.atleast_1d(data.test_log_likelihood_tracked.values - ais)], True
        yield f"trk-text-{name}-level", np.mean, [np.atleast_1d(ais - published)], True


def trk_t1(best, table):
    """Claims of Desjardins et al., table 1; the data sets are the independent unit."""
    likelihoods = [f"test_log_likelihood_{name}" for name in ("tracked", "ais")]
    names = (*likelihoods, "ais_std_error", "ais_weight_spread", "ais_weight_spread_long")
    tracked, ais, errors, spread, longer = (np.array([float(data[name]) for data in best]) for name in names)
    known = errors <= 0.5
    yield "trk-t1-close", lambda a, b: np.abs(a - b).mean(), [tracked[known], ais[known]], True
    yield "trk-t1-level", lambda a, b: (a - b).mean(), [ais[known], table.published_ais.values[known]], True
    yield "trk-t1-rungs", lambda a, b: geometric(a / b), [longer, spread], True


def claims(files):
    """The claims of all figures whose data are among the files {path in the folder of data: path}."""

    def trainings(model):
        """Pairs (trace, check) of the trainings of a model."""
        numbers = [re.fullmatch(rf"models/{model}(-\d+)?\.trace\.nc", path) for path in sorted(files)]
        stems = [f"{model}{match[1] or ''}" for match in numbers if match]
        pairs = [datasets(files, [f"models/{stem}.trace.nc", f"checks/{stem}.ais.nc"]) for stem in stems]
        return [pair for pair in pairs if pair]

    yield from trk_f4a(*(trainings(f"trk-f4a{kind}") for kind in ("", "-fixed", "-growing")))
    yield from trk_f4b(trainings("trk-f4b"))
    for data in datasets(files, ["timings/trk-cost.nc"]):
        yield from trk_cost(data)
    for name, stem in (("mnist", "mnist-fixed"), ("caltech", "caltech")):
        for data in datasets(files, [f"best/trk-text.{stem}.nc"]):
            yield from trk_text(name, data)
    if "verdicts/trk-f3.nc" in files:
        names = [f"{rate}-{alpha}" for rate in ("slow", "fast") for alpha in ("low", "mid", "high")]
        traces = {name: matching(files, rf"models/trk-f3-{name}(-\d+)?\.trace\.nc") for name in names}
        names.append("twenty-fast-mid")
        yield from trk_f3({name: matching(files, rf"checks/trk-f3-{name}(-\d+)?\.exact\.nc") for name in names}, traces)
    if "verdicts/trk-t1.nc" in files:
        yield from trk_t1(matching(files, r"best/trk-t1\..*\.nc"), *datasets(files, ["tables/trk-t1.nc"]))
