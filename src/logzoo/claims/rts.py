"""Statistics of the claims of Carlson et al. (2016), Partition Functions from Rao-Blackwellized Tempered Sampling."""

import numpy as np

from logzoo.claims.verdicts import Statistic, bootstrapped


def figure_1(iterations):
    """From the Dataset of `experiments.initial`: how far log Zhat and c are off at the last iteration.

    rts-f1-exact: largest error of the Rao-Blackwellised log Zhat_k; rts-f1-noise: RMS jumps of the error
    from rung to rung, with plain counts over those without; rts-f1-flat: K max_k |r_k - c_k|.
    """
    last = iterations.isel(iteration=-1)
    error = (last["log_z"] - last["exact_log_z"]).transpose("variant", "rung", "replicate").values
    rao_blackwell, counts = error[_variant(last, "rao-blackwell")], error[_variant(last, "counts")]
    occupancy = last["occupancy"].sel(variant="rao-blackwell").transpose("rung", "replicate").values
    distance = np.max(np.abs(occupancy * len(occupancy) - 1.0), axis=0)
    return {
        "rts-f1-exact": bootstrapped(
            lambda values: np.abs(values).max(axis=1).mean(axis=-1),
            rao_blackwell,
            of="max_k |log Zhat_k - exact| at the last iteration [nat], mean over repeats",
        ),
        "rts-f1-noise": bootstrapped(
            lambda plain, smooth: _rms(np.diff(plain, axis=1)) / _rms(np.diff(smooth, axis=1)),
            counts,
            rao_blackwell,
            of="jumps of the error of log Zhat_k from rung to rung, plain counts / Rao-Blackwellised",
        ),
        "rts-f1-flat": bootstrapped(
            lambda values: values.mean(axis=-1), distance, of="K max_k |r_k - c_k| at the last iteration"
        ),
    }


def figure_2(mixture):
    """From the Dataset of `experiments.mixture.estimators_experiment`.

    rts-f2-same: the largest RMSE of any estimator over the smallest, over all numbers of samples.
    """
    error = mixture["log_z"].transpose("estimator", "samples", "replicate").values - float(mixture["exact_log_z"])

    def ratio(values):
        over_samples = np.log(_rms(values, over=-1)).mean(axis=-1)
        return np.exp(over_samples.max(axis=1) - over_samples.min(axis=1))

    return {"rts-f2-same": bootstrapped(ratio, error, of="largest / smallest RMSE of the estimators, geometric means")}


def figure_6(mixture):
    """From the Dataset of `experiments.mixture.steps_experiment`, fixed over adaptive step.

    rts-f6-mixing: autocorrelation times of beta; rts-f6-error: RMSE of log Z.
    """
    error = mixture["log_z"] - mixture["exact_log_z"]
    fixed, adaptive = (error.sel(step_rule=rule).values for rule in ("fixed", "adaptive"))
    times = [mixture["autocorrelation_time"].sel(step_rule=rule).values for rule in ("fixed", "adaptive")]
    return {
        "rts-f6-mixing": bootstrapped(
            lambda a, b: a.mean(axis=-1) / b.mean(axis=-1),
            *times,
            of="autocorrelation time of beta, fixed / adaptive step",
        ),
        "rts-f6-error": bootstrapped(
            lambda a, b: _rms(a) / _rms(b), fixed, adaptive, of="RMSE of log Z, fixed / adaptive step"
        ),
    }


def figure_3(truth, **estimates):
    """From estimates by name (`rts`, `ais`, perhaps `raise`; Datasets over (budget, replicate)) and a truth.

    rts-f3-bias: |bias| of RTS over the smaller of those of AIS and RAISE at the smallest budget; rts-f3-tenfold: RMSE
    of AIS at ten times the sweeps over that of RTS (NaN when no budget is ten times the smallest); rts-f3-sandwich: how
    far RAISE lies above AIS at the smallest budget (NaN without RAISE).
    """
    error = {name: estimate["log_z"].values - float(truth["log_z"]) for name, estimate in estimates.items()}
    budgets = estimates["rts"]["budget"].values
    tenfold = np.flatnonzero(budgets == 10 * budgets[0])
    others = [error[name][0] for name in ("ais", "raise") if name in error]

    def bias_ratio(rts, *rest):
        return np.abs(rts.mean(axis=-1)) / np.min([np.abs(other.mean(axis=-1)) for other in rest], axis=0)

    above = error["raise"][0] if "raise" in error else np.full_like(error["ais"][0], np.nan)
    ais = error["ais"][tenfold[0]] if tenfold.size else np.full_like(error["ais"][0], np.nan)
    return {
        "rts-f3-bias": bootstrapped(
            bias_ratio,
            error["rts"][0],
            *others,
            of=f"|bias of RTS| / smaller |bias| of AIS and RAISE at {budgets[0]:,} sweeps",
        ),
        "rts-f3-tenfold": bootstrapped(
            lambda one, other: _rms(one) / _rms(other),
            ais,
            error["rts"][0],
            of=f"RMSE of AIS at {10 * budgets[0]:,} sweeps / RMSE of RTS at {budgets[0]:,}",
        ),
        "rts-f3-sandwich": bootstrapped(
            lambda one, other: one.mean(axis=-1) - other.mean(axis=-1),
            above,
            error["ais"][0],
            of=f"sandwich gap: mean of RAISE less mean of AIS at {budgets[0]:,} sweeps [nat]",
        ),
    }


def figure_4(rungs, truth):
    """From the Dataset of `experiments.rungs` and a truth: RMSE against the number of rungs K.

    rts-f4-flat: spread of RTS over samples (which, unlike the RMSE, leaves out what the samples of one long run share)
    at the largest K over that at the middle one; others are ratios of RMSE. rts-f4-ti: TI over RTS at the smallest K;
    rts-f4-ti-rb: TI-RB over RTS at the largest; rts-f4-ts: TS over RTS at the largest.
    """
    error = rungs["log_z"].transpose("estimator", "rungs", "estimate") - float(truth["log_z"])
    ladders = rungs["rungs"].values
    few, middle, many = ladders[0], ladders[len(ladders) // 2], ladders[-1]

    def ratio(one, other):
        chosen = [error.sel(estimator=name, rungs=count).values for name, count in (one, other)]
        of = " / ".join(f"RMSE of {name} at K = {count}" for name, count in (one, other))
        return bootstrapped(lambda a, b: _rms(a) / _rms(b), *chosen, of=of)

    return {
        "rts-f4-flat": bootstrapped(
            lambda a, b: a.std(axis=-1) / b.std(axis=-1),
            *(error.sel(estimator="rts", rungs=count).values for count in (many, middle)),
            of=f"spread of RTS over samples at K = {many} / at K = {middle}",
        ),
        "rts-f4-ti": ratio(("ti-riemann", few), ("rts", few)),
        "rts-f4-ti-rb": ratio(("ti-rb", many), ("rts", many)),
        "rts-f4-ts": ratio(("ts", many), ("rts", many)),
    }


def figure_7(matched, uniform, truth):
    """From RTS from a matched and from a uniform base (Datasets over (budget, replicate)) and a truth.

    rts-f7-worse: RMSE from the uniform base over that from the matched one at the largest common budget; rts-f7-knot:
    the smallest flux of beta across a place of the ladder, uniform over matched.
    """
    budget = max(set(matched["budget"].values) & set(uniform["budget"].values))
    chosen = [one.sel(budget=budget) for one in (uniform, matched)]
    errors = [one["log_z"].values - float(truth["log_z"]) for one in chosen]
    fluxes = [smallest_flux(one["transition_matrix"].values) for one in chosen]
    return {
        "rts-f7-worse": bootstrapped(
            lambda a, b: _rms(a) / _rms(b),
            *errors,
            of=f"RMSE of RTS from a uniform / a matched base at {budget:,} sweeps",
        ),
        "rts-f7-knot": bootstrapped(
            lambda a, b: a.mean(axis=-1) / b.mean(axis=-1),
            *fluxes,
            of="smallest flux of beta across the ladder, uniform / matched base",
        ),
    }


def figure_8(small, large, small_truth, large_truth):
    """From Datasets of `experiments.stationary` for a small and a large model, and their truths.

    rts-f8-small, rts-f8-large: RMSE of RSD over that of RTS, over all budgets.
    """
    found = {}
    for key, one, truth in (("rts-f8-small", small, small_truth), ("rts-f8-large", large, large_truth)):
        error = one["log_z"].transpose("estimator", "budget", "replicate") - float(truth["log_z"])
        found[key] = bootstrapped(
            lambda a, b: np.exp(np.log(_rms(a, over=-1) / _rms(b, over=-1)).mean(axis=-1)),
            error.sel(estimator="rsd").values,
            error.sel(estimator="rts").values,
            of=f"RMSE of RSD / RTS at {one.attrs['hidden']} hidden units, geometric mean over budgets",
        )
    return found


def cost_of_mbar(timings):
    """From the Dataset of `experiments.timing.cost_of_rungs`.

    rts-f4-mbar: time of MBAR over that of sampling its draws, at the most rungs; one measurement, so no interval.
    """
    last = timings["seconds"].isel(rungs=-1)
    ratio = float(last.sel(step="mbar") / last.sel(step="sampling"))
    rungs = int(last["rungs"])
    return {"rts-f4-mbar": Statistic(ratio, ratio, ratio, f"seconds of MBAR / of sampling its draws at K = {rungs}")}


def smallest_flux(transitions):
    """The smallest share of moves across any place of the ladder (...,), from matrices (..., part, part).

    Rows are weighed equally: the prior is uniform.
    """
    parts = transitions.shape[-1]
    place = np.arange(1, parts)
    upward = np.arange(parts)[None, :, None] < place[:, None, None]
    across = upward & (np.arange(parts)[None, None, :] >= place[:, None, None])
    return np.min((transitions[..., None, :, :] * across).sum(axis=(-2, -1)), axis=-1) / parts


def _variant(dataset, name):
    return list(dataset["variant"].values).index(name)


def _rms(errors, over=None):
    """Root mean square over all axes but the first (resample), or over one."""
    axes = tuple(range(1, errors.ndim)) if over is None else over
    return np.sqrt((errors**2).mean(axis=axes))
