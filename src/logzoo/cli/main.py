"""The command line: estimate, exact, train, info, audit, crate.

Whatever is wrong with the input ends in one line on stderr and exit code 1. What takes long to import is imported
inside the commands, so that help comes at once.
"""

import argparse
import json
import os
import sys
import warnings
from pathlib import Path

from logzoo.reporting.printing import json_line, one_line, table

BASES = ("matched", "visible-bias", "uniform")
MODEL_HELP = (
    "an RBM: .nc (artifact of logzoo), .npz (weights, visible_bias, hidden_bias), .mat (MATLAB: vishid, visbiases, "
    "hidbiases) or .h5 (checkpoint of rbms)"
)
NAMES = {"metavar": "W,A,B", "help": "names of the arrays in MODEL: weights, visible bias, hidden bias, in this order"}
SPINS = {"action": "store_true", "help": "units of MODEL are -1 and +1: log Z is that of the spins"}
DATA_HELP = "0/1 examples: .nc (dataset artifact) or .npy (matrix, one example a row)"
FOLDER = {"metavar": "PATH", "nargs": "?", "default": ".", "help": "folder of the project (default: this one)"}
JSON = {"dest": "as_json", "action": "store_true", "help": "print one JSON object"}
OPTION = {"action": "append", "default": [], "metavar": "NAME=VALUE", "help": "option of the method; may be repeated"}
# Arguments of the library's functions that are neither flags here nor options of a method.
_RESERVED = {"json", "options", "progress", "rbm", "stream"}


def main(argv=None):
    """Run the command line on `argv` (the arguments of the process when None). Returns the exit code."""
    try:
        # Arithmetic that overflows ends in an error or a warning of our own.
        with warnings.catch_warnings(action="ignore"):
            arguments = vars(_parser().parse_args(argv))
            if "option" in arguments:
                arguments["options"] = _options(arguments.pop("option"), arguments.keys() - {"run"})
            return arguments.pop("run")(**arguments) or 0
    except SystemExit:  # --help; bad usage raises ValueError
        return 0
    except KeyboardInterrupt:
        print("logzoo: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 141  # as a shell reports a process that SIGPIPE ended
    except (ValueError, OSError, MemoryError, OverflowError) as error:
        hint = "too large a number or size: " if isinstance(error, MemoryError | OverflowError) else ""
        print(f"logzoo: error: {hint}{one_line(error)}", file=sys.stderr)
        return 1


class _Parser(argparse.ArgumentParser):
    """A parser that leaves bad usage, and output that cannot be written, to its caller."""

    def error(self, message):
        raise ValueError(f"{message} (see {self.prog} --help)")

    def print_help(self, file=None):
        _write(self.format_help())


def _parser():
    parser = _Parser(prog="logzoo", description="Log partition functions of restricted Boltzmann machines.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(name, run, summary):
        added = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        added.set_defaults(run=run)
        return added.add_argument

    _add_estimate(command("estimate", _estimate, "Estimate log Z of an RBM within a budget of Gibbs sweeps."))
    add = command("exact", _exact, "Compute log Z of a small RBM by enumerating its smaller layer.")
    add("model", metavar="MODEL", help=MODEL_HELP)
    add("--names", **NAMES)
    add("--spins", **SPINS)
    add("--json", **JSON)
    _add_train(command("train", _train, "Train an RBM on 0/1 data."))
    add = command("info", _info, "Say what a file holds and where it comes from.")
    add("file", metavar="FILE", help="any artifact of logzoo (.nc), or an RBM of .npz, .mat, .h5")
    add = command("audit", _audit, "Check every artifact, picture and table of a project.")
    add("folder", **FOLDER)
    add("--expected", metavar="FILE", help="what is asked for: logs/<scale>/expected.json of snakemake audit")
    add("--replay", type=int, default=0, metavar="N", help="make N artifacts once more, to the same bits (default 0)")
    add("--seed", type=int, default=0, metavar="N", help="seed of which artifacts are made once more (default 0)")
    add("--output", metavar="FILE", help="where to write what was found (default PATH/audit.json)")
    add = command("crate", _crate, "Describe a finished run for archives: ro-crate-metadata.json in its project.")
    add("folder", **FOLDER)
    add("--scale", default="quick", metavar="NAME", help="scale of the run (default quick)")
    add("--agent", metavar="NAME", help="the person who ran it")
    return parser


def _add_estimate(add):
    add("model", metavar="MODEL", help=MODEL_HELP)
    add("--names", **NAMES)
    add("--method", default="rts", help="estimator (default rts), or all of them: all; an unknown name lists them")
    add("--sweeps", type=int, default=10_000, metavar="N", help="sweeps of each chain (default 10000)")
    add("--chains", type=int, default=100, metavar="N", help="independent chains (default 100)")
    add("--seed", type=int, default=0, metavar="N", help="random seed (default 0)")
    add("--base", metavar="NAME", help=f"base distribution: {', '.join(BASES)} (default {BASES[0]}, to the model)")
    add("--base-data", metavar="DATA", help=f"match the base to the mean of {DATA_HELP}; not with --base")
    summary = f"give the mean log-likelihood of (the test split of) {DATA_HELP}; raise, las-vegas start from it"
    add("--data", metavar="DATA", help=summary)
    add("--option", **OPTION)
    add("--json", **JSON)


def _add_train(add):
    add("data", metavar="DATA", help=f"{DATA_HELP}; of an artifact, the training split")
    add("--method", default="pcd", help="trainer (default pcd); an unknown name lists them all")
    add("--hidden", type=int, required=True, metavar="N", help="hidden units")
    add("--updates", type=int, required=True, metavar="N", help="parameter updates")
    add("--batch", type=int, default=100, metavar="N", help="examples in a mini-batch (default 100)")
    add("--learning-rate", type=float, default=0.05, metavar="X", help="learning rate (default 0.05)")
    add("--seed", type=int, default=0, metavar="N", help="random seed (default 0)")
    add("--option", **OPTION)
    add("--checkpoint", metavar="FILE", help="progress, written now and then: the same command goes on from it")
    add("-o", "--output", required=True, metavar="MODEL", help="file to write (.nc)")


def _options(settings, flags):
    """The --option settings by name; values are JSON where they can be read so, else text."""
    options = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not (name and equals):
            raise ValueError(f"--option: expected NAME=VALUE, found {setting!r}")
        if name in flags | _RESERVED:
            hint = "an argument of its own" if name in flags else "not to be set"
            raise ValueError(f"--option {name}: expected an option of the method, {name} is {hint}")
        try:
            options[name] = json.loads(text)
            json.dumps(options[name], allow_nan=False)
        except (ValueError, RecursionError):
            options[name] = text
    return options


def _estimate(model, names, method, data, base, base_data, options, as_json, **settings):
    from logzoo.cli.files import read_model
    from logzoo.estimators.registry import starts_from_data

    every = method == "all"
    if every and options:
        raise ValueError("--option: expected none beside --method all, options belong to one method")
    needs_data = every or starts_from_data(method)
    rbm = read_model(model, names, tell=_warn)
    examples = None if data is None else _data(data, "test", visible=rbm.visible)[0]
    settings |= {"base": _base(base, base_data, rbm), "data": examples if needs_data else None, **options}
    settings["progress"] = True  # on a terminal only
    if every:
        _estimate_all(rbm, settings, as_json)
    else:
        _estimate_once(rbm, method, settings, examples, as_json)


def _base(base, base_data, rbm):
    if base not in (None, *BASES):
        raise ValueError(f"--base: unknown value {base!r}; expected one of {', '.join(BASES)}")
    if None not in (base, base_data):
        raise ValueError("--base: expected no --base-data beside it, the base is matched to one thing")
    if base_data is not None:
        from logzoo.paths import log_odds

        return log_odds(_data(base_data, "train", visible=rbm.visible)[0])
    return None if base == "matched" else base


def _estimate_once(rbm, method, settings, examples, as_json):
    from logzoo.api import estimate_log_z

    estimate = estimate_log_z(rbm, method, **settings)
    names = ("method", "form", "log_z", "std_error", "interval", "sweeps", "chains", "diagnostics")
    content = {name: getattr(estimate, name) for name in names}
    content |= {"seed": settings["seed"], "converged": bool(estimate.converged)}
    rows = [
        ("method", estimate.method),
        ("densities", estimate.form),
        ("log Z", f"{estimate.log_z:.4f} +- {estimate.std_error:.4f} nat"),
        ("95% interval", "{:.4f} to {:.4f} nat".format(*estimate.interval)),
        ("spent", f"{estimate.sweeps} sweeps x {estimate.chains} chains"),
        ("converged", "yes" if estimate.converged else "no"),
    ]
    if examples is not None:
        likelihood = float(rbm.log_likelihood(examples, estimate.log_z).mean())
        content |= {"mean_log_likelihood": likelihood, "examples": len(examples)}
        rows.append(("mean log-likelihood", f"{likelihood:.4f} nat ({len(examples)} examples)"))
    _write(json_line(content) if as_json else table(rows))
    if not estimate.converged:
        signs = ", ".join(f"{name} {value:.4g}" for name, value in estimate.diagnostics.items())
        _warn(f"{estimate.method} did not converge ({signs}): do not trust the interval, raise --sweeps or --chains")


def _estimate_all(rbm, settings, as_json):
    from logzoo.cli.agreement import agreement_json, agreement_of, agreement_table, try_all

    show = sys.stderr.isatty()
    attempts = try_all(rbm, tell=lambda method: show and print(f"{method} ...", file=sys.stderr), **settings)
    agreement = agreement_of(attempts)
    _write((agreement_json if as_json else agreement_table)(attempts, agreement))
    if agreement.disagree:
        first, second = agreement.apart
        _warn(f"{first} and {second} lie {agreement.sigmas:.1f} standard errors apart: some interval here is wrong")
    doubtful = [method for method, estimate, *_ in attempts if estimate is not None and not estimate.converged]
    if doubtful:
        _warn(f"not converged, do not trust their intervals: {', '.join(doubtful)}")


def _exact(model, names, spins, as_json):
    from logzoo.cli.files import read_either
    from logzoo.models.exact import exact_log_z

    rbm, constant = read_either(model, names, spins, tell=_warn)
    log_z = exact_log_z(rbm, progress=True) + constant
    content = {"method": "exact", "log_z": log_z, "visible": rbm.visible, "hidden": rbm.hidden}
    states = f"2**{min(rbm.visible, rbm.hidden)} states"
    rows = [("method", "exact"), ("log Z", f"{log_z:.6f} nat"), ("enumerated", states)]
    _write(json_line(content) if as_json else table(rows))


def _train(data, output, checkpoint, options, **settings):
    from logzoo.api import train_rbm
    from logzoo.artifacts.atomic import discard
    from logzoo.artifacts.netcdf import write_artifact
    from logzoo.artifacts.provenance import source_digest
    from logzoo.cli.files import writable_model_file
    from logzoo.streams import root_stream
    from logzoo.trainers.registry import trainer_module

    method, name = settings["method"], Path(data).name
    source = source_digest(trainer_module(method))
    output = writable_model_file(output, data)
    examples, origin = _data(data, "train")
    settings |= options
    run = train_rbm(examples, progress=True, checkpoint=checkpoint, **settings)
    title = f"RBM with {run.rbm.hidden} hidden units trained by {method} on {name}"
    notices = {key: value for key, value in origin.items() if key.startswith("stand_in")}
    write_artifact(
        run.rbm.to_dataset().assign_attrs(title=title, **notices),
        output,
        kind="model",
        parameters=settings,
        source=source,
        inputs={name: origin["content_sha256"]},
        seed_path=str(root_stream(settings["seed"]).child("train", method)),
    )
    if checkpoint is not None:
        discard(checkpoint)
    units = f"{run.rbm.visible} visible x {run.rbm.hidden} hidden"
    spent = f"{settings['updates']} updates, {int(run.trace['chain_sweeps'][-1])} sweeps over all chains"
    _write(table([("method", method), ("units", units), ("spent", spent), ("written", output)]))


def _info(file):
    from logzoo.cli.files import description

    _write(table(description(file)))


def _audit(**arguments):
    from logzoo.audit.tree import run_audit

    text, passed = run_audit(**arguments)
    _write(text)
    return 0 if passed else 1


def _crate(folder, scale, agent):
    from logzoo.audit.crate import write_crate

    _write(table([("written", write_crate(folder, scale, agent=agent))]))


def _data(path, split, *, visible=None):
    """As `read_data`, with a warning when the data stand in for others."""
    from logzoo.cli.files import read_data

    data, attributes = read_data(path, split, visible=visible)
    if "stand_in_for" in attributes:
        _warn(f"{path}: NOT {attributes['stand_in_for']} but a stand-in for it, see logzoo info {path}")
    return data, attributes


def _warn(text):
    print(f"logzoo: warning: {one_line(text)}", file=sys.stderr)


def _write(text):
    """Write to stdout, now."""
    try:
        print(text, end="", flush=True)
    except OSError:
        # Python would try the buffered rest again when it exits, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise
