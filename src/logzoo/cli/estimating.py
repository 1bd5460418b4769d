"""The command `estimate`: one method, all methods, or different methods until they agree."""

from __future__ import annotations

import time
from argparse import BooleanOptionalAction
from typing import TYPE_CHECKING, Any

from logzoo.cli.running import bold, count, warn, write
from logzoo.printing import json_line, table

if TYPE_CHECKING:
    from collections.abc import Callable

MODEL_HELP = (
    "an RBM: .nc (artifact of logzoo), or arrays in .npz (NumPy), .mat (MATLAB), .h5 (HDF5), .safetensors, .pt "
    "(PyTorch) or .skops (scikit-learn)"
)
DATA_HELP = "0/1 examples: .nc (dataset artifact) or .npy (matrix, one example per row)"
JSON: dict[str, Any] = {"dest": "as_json", "action": "store_true", "help": "print one JSON object"}
OPTION: dict[str, Any] = {
    "action": "append",
    "default": [],
    "metavar": "NAME=VALUE",
    "help": "option of the method; may be repeated",
}


# Names of bases, copied from `logzoo.samplers.base`, which takes long to import; a test compares the copies.
BASES = ("modes", "matched", "visible-bias", "uniform")
_FIELDS = (
    *("method", "rests_on", "form", "log_z", "std_error", "interval", "assumes", "bounds", "sweeps", "chains"),
    *("converged", "reasons", "diagnostics"),
)


def add_model(add: Callable[..., Any]) -> None:
    """Add the arguments that name a model and the arrays of its file."""
    add("model", metavar="MODEL", help=MODEL_HELP)
    add_roles(add)
    add("--spins", action="store_true", help="units of MODEL are -1 and +1; the result is log Z of these spins")


def add_roles(add: Callable[..., Any]) -> None:
    """Add the arguments that name the arrays of a file."""
    add("--names", metavar="W,A,B", help="names of the arrays: weights, visible bias, hidden bias, in this order")
    summary = "the weights are (hidden, visible); with --no-transposed (visible, hidden); default: by shapes and names"
    add("--transposed", action=BooleanOptionalAction, help=summary)


def add_arguments(add: Callable[..., Any]) -> None:
    """Add the arguments of the command by `add`, the `add_argument` of its parser."""
    add_model(add)
    summary = "one estimator; or all: every estimator in turn; or auto (default): different estimators until they agree"
    add("--method", default="auto", type=str.lower, metavar="NAME", help=f"{summary}; an unknown name lists all names")
    add("--tolerance", type=float, metavar="X", help="for auto: half-width in nats of the 95%% interval (default 0.1)")
    summary = "sweeps of each chain (default 10000); for auto an upper limit (default: by model size and chains)"
    add("--sweeps", type=count, metavar="N", help=summary)
    add("--chains", type=count, default=100, metavar="N", help="independent chains (default 100)")
    add("--seed", type=count, default=0, metavar="N", help="random seed (default 0)")
    summary = f"base distribution: {', '.join(BASES)} (default: marginals of the data; {BASES[0]} without data)"
    add("--base", metavar="NAME", help=summary)
    add("--base-data", metavar="DATA", help=f"match the base to the mean of {DATA_HELP}; not with --base")
    summary = f"{DATA_HELP}; for likelihood, evidence and methods that use data (test split), and base (training split)"
    add("--data", metavar="DATA", help=summary)
    summary = "a file with one or more RBMs from the training of MODEL; may be repeated, in order of training"
    add("--snapshots", metavar="FILE", action="append", help=f"{summary}; for the methods trajectory, trajectory-...")
    add("--checkpoint", metavar="FILE", help="file for the progress of auto, from which the same command continues")
    add("--option", **OPTION)
    add("--json", **JSON)


def run(
    model: str,
    method: str,
    data: str | None,
    base: str | None,
    base_data: str | None,
    snapshots: list[str] | None,
    tolerance: float | None,
    checkpoint: str | None,
    options: Any,
    as_json: bool,
    **settings: Any,
) -> None:
    """Estimate log Z of the model in a file, and print the result."""
    from logzoo.cli.files import check_checkpoint, read_data, read_either, read_snapshots
    from logzoo.estimators.estimator_registry import find, takes

    roles = {name: settings.pop(name) for name in ("names", "spins", "transposed")}
    every = method == "all"
    if every and options:
        raise ValueError("--option: expected none with --method all, because options belong to one method")
    if not every:
        find(method)  # refuses unknown names before a file is read
    for flag, value in (("tolerance", tolerance), ("checkpoint", checkpoint)):
        if value is not None and method != "auto":
            raise ValueError(f"--{flag}: expected --method auto, found {method}; leave --{flag} out")
        settings |= {} if value is None else {flag: value}
    if snapshots is not None and not (every or takes(method, "snapshots")):
        raise ValueError(f"--snapshots: expected a method that uses snapshots, such as trajectory, found {method}")
    check_checkpoint(checkpoint, model=model, data=data, base_data=base_data)
    rbm, constant = read_either(model, tell=warn, **roles)
    if snapshots is not None:
        settings["snapshots"] = read_snapshots(snapshots, tell=warn, **roles)
    examples = None if data is None else read_data(data, "test", visible=rbm.visible, tell=warn)[0]
    # The base comes from the training split if the file has splits.
    base_data = data if base is None and base_data is None else base_data
    settings |= {"base": _base(base, base_data, rbm), "data": examples, **options}
    if every:
        _all(rbm, constant, settings, examples, as_json)
    else:
        _single(rbm, constant, method, settings, examples, as_json)


def _base(base, base_data, rbm):
    if base is not None:
        from logzoo.checks import one_of

        one_of("--base", base, BASES)
    if None not in (base, base_data):
        raise ValueError("--base, --base-data: expected only one of the two options, found both")
    if base_data is None:
        return base
    from logzoo.cli.files import read_data
    from logzoo.paths import log_odds

    return log_odds(read_data(base_data, "train", visible=rbm.visible)[0])


def _single(rbm, constant, method, settings, examples, as_json):
    from logzoo.api import estimate_log_z
    from logzoo.scoring import mean_log_likelihood

    start = time.perf_counter()
    estimate = estimate_log_z(rbm, method, **settings)
    seconds = time.perf_counter() - start
    shifted = estimate.shifted(constant)
    mean = None if examples is None else mean_log_likelihood(rbm, examples, estimate)
    if not as_json:
        write(_text(shifted, seconds, mean, examples))
        return
    content = {name: getattr(shifted, name) for name in _FIELDS}
    content |= {"seed": settings["seed"], "seconds": seconds}
    if mean is not None and examples is not None:
        content |= {"mean_log_likelihood": mean.value, "mean_log_likelihood_interval": mean.interval}
        content |= {"mean_log_likelihood_std_error": mean.std_error, "examples": len(examples)}
    write(json_line(content))
    if not shifted.converged:
        warn(f"{shifted.method} did not converge; do not trust the interval: {', '.join(shifted.reasons)}")


def _text(estimate, seconds, mean, examples):
    """The Estimate as text: log Z, convergence and the likelihood; then the details."""
    from logzoo.estimators.result import REASONS

    state = "converged" if estimate.converged else "NOT CONVERGED; do not trust the interval:"
    lines = [bold(f"log Z = {estimate.log_z:.4f} nat, {estimate.interval_text}, {state}")]
    lines += [f"    {REASONS[name]} ({name})" for name in estimate.reasons]
    if mean is not None:
        interval = "95% interval {:.4f} to {:.4f}".format(*mean.interval)
        lines.append(bold(f"mean log-likelihood = {mean.value:.4f} nat, {interval}"))
    on = f", based on {', '.join(estimate.rests_on)}" if estimate.rests_on else ""
    rows = [
        ("method", f"{estimate.method}{on}"),
        ("densities", estimate.form),
        ("standard error", f"{estimate.std_error:.4f} nat"),
        ("rigorous bounds", "{:.4f} to {:.4f} nat".format(*estimate.bounds)),
        ("spent", f"{estimate.sweeps} sweeps x {estimate.chains} chains, {seconds:.1f} s"),
    ]
    if mean is not None:
        error = f"; standard error of the mean over examples {mean.std_error:.4f} nat" if len(examples) > 1 else ""
        rows.append(("examples", f"{len(examples)}{error}"))
    return "\n".join([*lines, "", table(rows)])


def _all(rbm, constant, settings, examples, as_json):
    from logzoo.cli.agreement import agreement_json, agreement_of, agreement_table, disagreement, headline, try_all

    attempts = [
        attempt._replace(estimate=attempt.estimate and attempt.estimate.shifted(constant))
        for attempt in try_all(rbm, **settings)
    ]
    agreement = agreement_of(attempts)
    mean_log_f = None if examples is None else float(rbm.log_f(examples).mean()) + constant
    if not as_json:
        write(f"{bold(headline(attempts, agreement))}\n\n{agreement_table(attempts, agreement, mean_log_f)}")
        return
    write(agreement_json(attempts, agreement, mean_log_f))
    if agreement.disagree:
        warn(disagreement(agreement))
    doubtful = [method for method, estimate, *_ in attempts if estimate is not None and not estimate.converged]
    if doubtful:
        warn(f"not converged; do not trust their intervals: {', '.join(doubtful)}")
