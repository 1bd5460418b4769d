"""Made-up artifacts of the figures of Carlson et al. (2016), some with a truth on the bound of every claim."""

import numpy as np
import xarray as xr

from replication.papers.rts import rts_f1, rts_f3, rts_f4, rts_f5, rts_f7, rts_f8

BUDGETS = [1000, 3162, 10_000]
TRUTH = xr.Dataset({"log_z": 0.0, "std_error": 0.0})
# Estimators of figure 4, without TI-RB.
_NAMES = ("rts", "ts", "ti-trapezoid", "mbar")
MODELS = ("mnist-cd25-500", "mnist-spectral-100")


def runs(log_z, budgets):
    return xr.Dataset({"log_z": (("budget", "replicate"), log_z)}, coords={"budget": budgets})


def normal(generator, bias, spread, repeats):
    """Errors (budget, repeat) with a bias and a spread at each budget."""
    return np.asarray(bias)[:, None] + np.asarray(spread)[:, None] * generator.standard_normal((len(bias), repeats))


def first_iterations(errors, occupancy):
    """Iterations of figure 1, the last one only, from errors {variant: (replicate, rung)} and an occupancy of RTS."""
    log_z = np.stack([*errors.values()], axis=1)[:, :, None]
    cells = ("replicate", "variant", "iteration", "rung")
    shares = np.broadcast_to(occupancy[:, None, None], log_z.shape)
    content = {"log_z": (cells, log_z), "occupancy": (cells, shares)}
    content["exact_log_z"] = ("rung", np.zeros(log_z.shape[-1]))
    return {"iterations": xr.Dataset(content, {"variant": list(errors)})}


def rungs_of(log_z, ladders, converged=1):
    """Estimates {name: (rungs, estimate, run)} of figure 4; converged: a number, or one for each ladder."""
    values = np.stack([*log_z.values()])
    travelled = np.broadcast_to(np.reshape(converged, (-1, 1)), (len(ladders), values.shape[-1]))
    over = ("estimator", "rungs", "estimate", "run")
    content = {"log_z": (over, values), "converged": (("rungs", "run"), travelled)}
    return {"rungs": xr.Dataset(content, {"estimator": list(log_z), "rungs": ladders}), "truth": TRUTH}


def check(likelihood, off, error=0.1):
    """A check of a training: validation likelihoods by AIS, errors of tracked log Z, and the standard error of AIS."""
    log_z = -np.asarray(likelihood, float)
    content = {"log_z": log_z, "tracked_log_z": log_z + off, "tracked_std_dev": np.zeros(log_z.shape)}
    content["std_error"] = np.broadcast_to(error, log_z.shape)
    variables = {name: ("update", values) for name, values in content.items()}
    variables["mean_log_f"] = (("update", "split"), np.zeros((log_z.size, 2)))
    return xr.Dataset(variables, {"update": np.arange(log_z.size), "split": ["train", "validation"]})


def from_bases(uniform, matched, iterations, knots):
    """Artifacts of figure 7 from runs {estimator: Dataset}, initial iterations and fluxes of both bases."""
    for name, base, counts in (("rts-uniform", uniform, iterations[0]), ("rts", matched, iterations[1])):
        base[name] = base[name].assign(initial_iterations=(("budget", "replicate"), counts))
    fluxes = {"uniform": ("uniform_replicate", knots[0]), "matched": ("matched_replicate", knots[1])}
    of_knots = xr.Dataset(fluxes, attrs={"budget": BUDGETS[-1]})
    return {"truth": TRUTH, "estimators": uniform, "matched": matched, "knots": of_knots}


def stationary(errors, hidden, bias=0.0, variance=1.0):
    """Estimates {name: (budget, replicate)} of figure 8 by the sizes of its models, with predictions of eqs 15, 16."""
    log_z, cells = np.stack([*errors.values()]), ("budget", "replicate")
    variables = {"log_z": (("estimator", *cells), log_z)}
    variables |= {"bias": (cells, np.full(log_z.shape[1:], bias))}
    variables |= {"variance": (cells, np.full(log_z.shape[1:], variance))}
    return xr.Dataset(variables, {"estimator": list(errors)}, {"hidden": hidden})


def null_statistics(generator):
    """{claim id: Statistic} of every claim; the truth of each that has bounds lies on one of them."""
    results = {
        "rts-f1": rts_f1.statistics(_first_iterations(generator)),
        "rts-f3": rts_f3.statistics(_equal_sweeps(generator)),
        "rts-f4": rts_f4.statistics(_rungs(generator)),
        "rts-f5": rts_f5.statistics(_trainings(generator)),
        "rts-f7": rts_f7.statistics(_bases(generator)),
        "rts-f8": rts_f8.statistics(_stationary(generator)),
    }
    return {f"{figure}-{key}": one for figure, statistics in results.items() for key, one in statistics.items()}


def _first_iterations(generator):
    """Errors of the same law for every variant, in 40 repeats at 100 rungs."""
    sizes = {name: np.exp(generator.normal(0.0, 0.3, (40, 1))) for name in ("rao-blackwell", "counts", "stochastic")}
    errors = {name: size * generator.standard_normal((40, 100)) for name, size in sizes.items()}
    return first_iterations(errors, np.full((40, 100), 0.01))


def _equal_sweeps(generator):
    """Biases that fall alike, an RMSE of AIS at 10,000 sweeps equal to that of RTS at 1,000, and AIS as good as RTS."""
    # On 784 x 100 no estimator has a bias at 10,000 sweeps.
    estimates, longer = {}, {}
    for model, repeats, last in zip(MODELS, (260, 160), (1.0, 0.0), strict=True):
        spreads = [0.3, 0.3, np.sqrt(4.0 + 0.3**2 - last**2)]
        falling = np.array([2.0, 1.0, last])
        errors = {name: normal(generator, -falling, spreads, repeats) for name in ("rts", "ais")}
        errors["raise"] = normal(generator, 2.0 * falling, [0.3] * 3, repeats)
        estimates[model] = {name: runs(values, BUDGETS) for name, values in errors.items()}
        far = {name: normal(generator, [0.0] * 3, [0.1] * 3, 9) for name in errors}
        longer[model] = {name: runs(values, [31_623, 10**5, 10**6]) for name, values in far.items()}
    return {"truths": dict.fromkeys(MODELS, TRUTH), "estimates": estimates, "longer": longer}


def _rungs(generator):
    """Errors that depend neither on the number of rungs nor on the estimator; TI-RB always differs equally from RTS."""
    size = (3, 4, 90)
    errors = {name: generator.standard_normal((3, 1, 90)) + 0.3 * generator.standard_normal(size) for name in _NAMES}
    errors["ti-rb"] = errors["rts"] + 0.1 * generator.standard_normal(size)
    return rungs_of(errors, [50, 200, 1000])


def _trainings(generator):
    """Five trainings whose tracked likelihood is as high at the end as at the best point by AIS."""
    rising = np.concatenate([np.arange(12.0), np.full(8, 8.0)])
    tracked = {}
    for number in range(5):
        off = np.zeros(20)
        off[11], off[-1] = 3.0, generator.normal(0.0, 9.0)
        tracked[str(number)] = check(rising, off)
    return {"checks": tracked, "others": {"other": check(rising, np.linspace(0.1, 0.2, 20))}}


def _bases(generator):
    """RTS has the same final errors, fluxes and initial iterations from both bases; RTS and AIS lose bias alike."""
    sizes = {"rts": 1.0, "ais": 0.1, "raise": 0.1}
    uniform = {f"{name}-uniform": normal(generator, [-9.0, -3.0, 0.0], [1.0] * 3, 20) for name in sizes}
    matched = {name: normal(generator, [0.0] * 3, [size] * 3, 260) for name, size in sizes.items()}
    uniform, matched = ({name: runs(one, BUDGETS) for name, one in base.items()} for base in (uniform, matched))
    counts = [generator.random((3, repeats)) for repeats in (20, 260)]
    fluxes = [np.exp(generator.normal(0.0, 0.6, repeats)) for repeats in (20, 260)]
    return from_bases(uniform, matched, counts, fluxes)


def _stationary(generator):
    """RSD and RTS with errors of the same law, half of which they share."""
    models = {}
    for hidden in (10, 200):
        shared = generator.standard_normal((5, 50))
        errors = {name: shared + generator.standard_normal((5, 50)) for name in ("rts", "sd", "rsd")}
        models[str(hidden)] = stationary(errors, hidden)
    return {"stationary": models, "truths": dict.fromkeys(models, TRUTH)}
