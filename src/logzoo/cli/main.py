"""The command line: estimate, exact, train, info, methods, reference, score.

Slow imports are inside the commands, so that help is printed at once.
"""

from __future__ import annotations

import json
from argparse import REMAINDER, RawDescriptionHelpFormatter
from functools import partial
from typing import TYPE_CHECKING

from logzoo import __version__
from logzoo.cli import estimating, referencing
from logzoo.cli.estimating import DATA_HELP, JSON, OPTION, add_model, add_roles
from logzoo.cli.running import Parser, adder, count, run_command, warn, write
from logzoo.printing import json_line, table

if TYPE_CHECKING:
    from collections.abc import Sequence

_EXAMPLES = """examples:
  logzoo estimate model.nc --tolerance 0.1 --data test.npy
  logzoo train data.npy --hidden 100 --updates 5000 -o model.nc"""
# Names that --option refuses, in addition to the other arguments of the command.
_RESERVED = {"json", "options", "progress", "rbm", "stream"}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line on `argv` (the arguments of the process when None). Returns the exit code."""
    return run_command(command_parser(), argv, _parse_options)


def command_parser() -> Parser:
    """Make the parser of the command `logzoo`, with all subcommands."""
    parser = Parser(
        prog="logzoo",
        description="Log partition functions of restricted Boltzmann machines.",
        epilog=_EXAMPLES,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"logzoo {__version__}")
    command = adder(parser.add_subparsers(metavar="COMMAND", required=True))
    summary = "Estimate log Z of an RBM to a tolerance, or within a budget of Gibbs sweeps."
    estimating.add_arguments(command("estimate", estimating.run, summary))
    add = command("exact", _exact, "Compute log Z of a small RBM by enumerating its smaller layer.")
    add_model(add)
    add("--json", **JSON)
    _add_train(command("train", _train, "Train an RBM on 0/1 data."))
    add = command("info", _info, "Describe the content and the origin of a file.")
    add("file", metavar="FILE", help="any artifact of logzoo (.nc), or an RBM in another format")
    add_roles(add)
    command("methods", _methods, "List the estimators and the trainers: names, titles and options.")
    add = command("reference", referencing.run_reference, "List, show or write RBMs whose log Z is known.")
    referencing.add_reference(add)
    summary = "Compare a solver's log Z with known values and with logzoo; exit code 1 if the solver is silently wrong."
    referencing.add_score(command("score", referencing.run_score, summary))
    # Former commands of logzoo: the message names the present command.
    for name in ("audit", "crate"):
        add = command(name, partial(_moved, name), f"See `replication {name}`.")
        add("arguments", nargs=REMAINDER, metavar="ARGUMENTS", help="arguments of that command")
    return parser


def _add_train(add):
    add("data", metavar="DATA", help=f"{DATA_HELP}; the training split of an artifact is used")
    add("--method", default="pcd", type=str.lower, help="trainer (default pcd); an unknown name lists all names")
    add("--hidden", type=count, required=True, metavar="N", help="hidden units")
    add("--updates", type=count, required=True, metavar="N", help="parameter updates")
    add("--batch", type=count, default=100, metavar="N", help="examples in a mini-batch (default 100)")
    add("--learning-rate", type=float, default=0.05, metavar="X", help="learning rate (default 0.05)")
    add("--seed", type=count, default=0, metavar="N", help="random seed (default 0)")
    add("--option", **OPTION)
    add("--checkpoint", metavar="FILE", help="file for the progress, from which the same command continues")
    add("-o", "--output", required=True, metavar="MODEL", help="file to write (.nc)")


def _parse_options(arguments):
    """Replace the --option settings by a dict; JSON values are parsed, and other values stay strings."""
    if "option" not in arguments:
        return
    settings, options, flags = arguments.pop("option"), {}, arguments.keys() - {"run"}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not (name and equals):
            raise ValueError(f"--option: expected NAME=VALUE, found {setting!r:.80}")
        if name in flags | _RESERVED:
            raise ValueError(f"--option {name}: expected an option of the method, found a setting of the command")
        try:
            options[name] = json.loads(text)
            json.dumps(options[name], allow_nan=False)
        except (ValueError, RecursionError):
            options[name] = text
    arguments["options"] = options


def _exact(model, as_json, **roles):
    from logzoo.cli.files import read_either
    from logzoo.models.exact_sums import exact_log_z

    rbm, constant = read_either(model, tell=warn, **roles)
    log_z = exact_log_z(rbm) + constant
    if as_json:
        write(json_line({"method": "exact", "log_z": log_z, "visible": rbm.visible, "hidden": rbm.hidden}))
    else:
        states = f"2**{min(rbm.visible, rbm.hidden)} states"
        write(table([("method", "exact"), ("log Z", f"{log_z:.6f} nat"), ("enumerated", states)]))


def _train(data, output, checkpoint, options, **settings):
    from logzoo.cli.files import check_checkpoint, file_label, read_data, writable_model_file
    from logzoo.io.checkpoints import discard_checkpoint
    from logzoo.io.netcdf import write_artifact
    from logzoo.io.provenance import source_digest
    from logzoo.streams import root_stream
    from logzoo.training.trainers import train_rbm, trainer_module

    method, name = settings["method"], file_label(data)
    source = source_digest(trainer_module(method), "logzoo.training.trackers")
    check_checkpoint(checkpoint, data=data, output=output)
    output = writable_model_file(output, data)
    if options.get("values", "binary") != "binary":
        raise ValueError(
            "--option values: expected binary, because the command reads zeros and ones; use logzoo.train_rbm"
        )
    snapshots = output.with_suffix(".snapshots.nc") if options.get("snapshots") else None
    if snapshots is not None:
        writable_model_file(snapshots, data)
    examples, origin = read_data(data, "train", tell=warn)
    settings |= options
    run = train_rbm(examples, checkpoint=checkpoint, **settings)
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
    if snapshots is not None:
        run.save_snapshots(snapshots)
    if checkpoint is not None:
        discard_checkpoint(checkpoint)
    updates, sweeps = (int(run.trace[name][-1]) for name in ("update", "chain_sweeps"))
    spent = f"{updates + 1} updates, {sweeps} sweeps over all chains"
    rows = [("method", method), ("units", f"{run.rbm.visible} visible x {run.rbm.hidden} hidden"), ("spent", spent)]
    if "log_z" in run.trace:
        # With patience, the model that is written has the parameters of the best update.
        best = run.trace.attrs.get("best_update")
        row = run.trace.sel(update=updates if best is None else best)
        tracked, error = (float(row[name]) for name in ("log_z", "log_z_std_dev"))
        when = ", before the last update" if best is None else ""
        rows.append(("tracked log Z", f"{tracked:.4f} +- {error:.4f} nat{when}"))
    write(table([*rows, *(("written", path) for path in (output, snapshots) if path is not None)]))


def _info(file, **roles):
    from logzoo.cli.files import description

    write(table(description(file, **roles)))


def _methods():
    from logzoo.api import methods
    from logzoo.training.trainers import trainers

    write(f"Estimators\n\n{methods()}\n\nTrainers\n\n{trainers()}\n")


def _moved(name, arguments):
    raise ValueError(f"{name} is a command of the replication: {' '.join(['replication', name, *arguments])}")
