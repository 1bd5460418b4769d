"""The commands `reference` and `score`: RBMs of known log Z, and the errors of a solver on them."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from logzoo.cli.estimating import JSON
from logzoo.cli.running import count, write
from logzoo.printing import columns, json_line, table

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def add_reference(add: Callable[..., Any]) -> None:
    """Add the arguments of `reference` by `add`, the `add_argument` of its parser."""
    summary = "list (all RBMs), show (the card of an RBM) or get (write the parameters of an RBM)"
    add("action", choices=("list", "show", "get"), metavar="ACTION", help=summary)
    add("name", nargs="?", metavar="NAME", help="name of a reference RBM")
    add("-o", "--output", metavar="FILE", help="for get: .npz file to write")


def add_score(add: Callable[..., Any]) -> None:
    """Add the arguments of `score` by `add`, the `add_argument` of its parser."""
    summary = "module:function with (weights, visible_bias, hidden_bias) -> (log_z, std_error), or a command that gets"
    summary += " the path of an .npz file and prints log_z and std_error in its last line"
    add("solver", metavar="SOLVER", help=summary)
    add("--only", action="append", metavar="NAME", help="a reference RBM; may be repeated (default: all available)")
    summary = "downloaded file of an RBM that is not part of logzoo, recognised by its checksum; may be repeated"
    add("--file", action="append", default=[], dest="files", metavar="FILE", help=summary)
    add("--method", default="ais", type=str.lower, help="estimator of logzoo to compare with (default ais)")
    add("--sweeps", type=count, metavar="N", help="sweeps of that estimator for each of 100 chains (default 10000)")
    add("--json", **JSON)


def run_reference(action: str, name: str | None, output: str | None) -> None:
    """List the reference RBMs, print the card of an RBM, or write its parameters."""
    import numpy as np

    from logzoo.checks import one_of, shown
    from logzoo.io.atomic import resolved_output, written_whole
    from logzoo.reference import cards, load_reference

    if action == "list":
        heads = ("name", "visible", "hidden", "log Z [nat]", "std error", "title")
        rows = []
        for card in cards().values():
            error = f"{card['std_error']:.4f}" if card["std_error"] else "exact"
            rows.append((card["name"], card["visible"], card["hidden"], f"{card['log_z']:.4f}", error, card["title"]))
        write(columns(heads, rows, words=True))
        return
    if name is None:
        raise ValueError(f"reference {action}: expected a NAME; logzoo reference list prints all names")
    card = cards()[one_of("reference", name, cards())]
    if action == "show":
        write(json.dumps(card, indent=2, ensure_ascii=False) + "\n")
        return
    if output is None or not output.lower().endswith(".npz"):
        raise ValueError(f"reference get: expected -o FILE.npz, found {'no -o' if output is None else shown(output)}")
    rbm = load_reference(name)  # before the file is created, because loading may raise ValueError
    target = resolved_output(output)
    with written_whole(target) as path, path.open("wb") as stream:
        np.savez(stream, weights=rbm.weights, visible_bias=rbm.visible_bias, hidden_bias=rbm.hidden_bias)
    write(table([("written", target)]))


def run_score(
    solver: str, only: list[str] | None, files: list[str], method: str, sweeps: int | None, as_json: bool
) -> int:
    """Score a solver and an estimator of logzoo. Returns 1 if the solver is silently wrong on any RBM, else 0."""
    from logzoo.api import estimate_log_z
    from logzoo.budgets import SweepLedger
    from logzoo.estimators.estimator_registry import find
    from logzoo.models.rbm import RBM
    from logzoo.reference import score_solver, solver_from, summary

    # Unknown methods and impossible budgets are refused before anything runs.
    find(method)
    SweepLedger(sweeps, chains=1)
    with redirect_stdout(sys.stderr):  # a solver may print, and stdout is for the result
        theirs = score_solver(solver_from(solver), only, files=files)
        ours = score_solver(lambda *arrays: estimate_log_z(RBM(*arrays), method, sweeps=sweeps), only, files=files)
    totals = {solver: summary(theirs), f"logzoo {method}": summary(ours)}
    if as_json:
        rows = {name: [row._asdict() for row in scores] for name, scores in zip(totals, (theirs, ours), strict=True)}
        write(json_line({"summary": totals, "scores": rows}))
    else:
        write(_text(theirs, ours, totals))
    return int(totals[solver]["silently wrong"] > 0)


def _text(theirs, ours, totals):
    """A text with errors and verdicts for each RBM, the reasons of refusals, and totals for each solver."""
    heads = ("error [nat]", "std error", "verdict")
    heads = ("reference", *heads, *(f"logzoo: {head}" for head in heads))
    rows = [(row.name, *_cells(row), *_cells(other)) for row, other in zip(theirs, ours, strict=True)]
    reasons = [(row.name, f"refused: {row.reason}") for row in theirs if row.reason]
    reasons += [(row.name, f"logzoo refused: {row.reason}") for row in ours if row.reason]
    counts = [(name, *map("{:.5g}".format, total.values())) for name, total in totals.items()]
    of_solvers = columns(("solver", "right", "refused", "silently wrong", "RMSE [nat]", "CPU seconds"), counts)
    return "\n".join(filter(None, (columns(heads, rows), table(reasons), of_solvers)))


def _cells(score):
    numbers = f"{score.error:+z.4f}", f"{score.std_error:.4f}"
    return *("-" if number.endswith("nan") else number for number in numbers), score.verdict
