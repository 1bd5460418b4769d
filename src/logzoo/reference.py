"""Reference RBMs whose log Z is known, and the score of any solver on them.

Each RBM has a JSON card in the folder reference_data; see `cards`.
"""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from logzoo.checks import one_of, shown
from logzoo.functions import resolved
from logzoo.io.reading import sha256_of
from logzoo.models.known.families import known
from logzoo.models.rbm import PARAMETERS, RBM
from logzoo.printing import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from logzoo.types import FilePath

# An answer is wrong if its error exceeds both limits: this many nats, and this many standard errors.
MOST_NATS, MOST_ERRORS = 0.5, 4.0
_FOLDER = Path(__file__).parent / "reference_data"


class Score(NamedTuple):
    """The answer of a solver for one reference RBM, in nats. `log_z` and the errors are NaN without an answer."""

    name: str
    log_z: float
    std_error: float
    error: float  # log_z minus the log_z of the card
    verdict: str  # "right", "refused" or "silently wrong"
    reason: str  # why the solver refused, or ""
    seconds: float  # processor time, child processes included


def cards() -> dict[str, dict[str, Any]]:
    """Read the cards of all reference RBMs: {name: card}, in order of visible units and log Z.

    A card has ``visible`` and ``hidden`` (units), ``log_z`` and ``std_error`` (nats; an error of 0 means exact),
    ``known_by``, ``origin``, ``licence`` and ``checks``.
    """
    paths = (path for path in _FOLDER.glob("*.json") if path.name != "croissant.json")
    listed = [json.loads(path.read_text("utf-8")) for path in paths]
    return {card["name"]: card for card in sorted(listed, key=lambda card: (card["visible"], card["log_z"]))}


def load_reference(name: str, file: FilePath | None = None) -> RBM:
    """Make or read a reference RBM.

    Parameters
    ----------
    name : str
        Name of a card.
    file : path, optional
        File of the parameters, for an RBM that is not part of logzoo. Its card has the address and the checksum.

    Returns
    -------
    RBM

    Raises
    ------
    ValueError
        For an unknown name, a file with another checksum, and a missing ``file`` of an RBM that is not part of logzoo.
    OSError
        For a file that cannot be read.
    """
    every = cards()
    card = every[one_of("reference", name, every)]
    if "family" in card:
        return known(card["family"], 0, **card["options"]).rbm
    path = file if "url" in card else _FOLDER / card["file"]
    if path is None:
        raise ValueError(f"{name}: not part of logzoo; download {card['url']} and load this file")
    if _checksum(path) != card["sha256"]:
        raise ValueError(f"{name}: the SHA-256 of {path} is not {card['sha256']}; download it again")
    return RBM.load(path, transposed=False)


def _checksum(path):
    """The SHA-256 of a file; its ValueError names the file."""
    try:
        return sha256_of(path)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def solver_from(text: str) -> Callable[..., Any]:
    """Return the function ``"module:function"``, which may be in the working folder, or a function that runs a command.

    A command gets the path of an .npz file (weights, visible_bias, hidden_bias) as its last argument. Its last line of
    output must hold log Z and the standard error. Raises ValueError if the function cannot be imported or called, or if
    the program does not exist or is not executable.
    """
    if re.fullmatch(r"[\w.]+:[\w.]+", text):
        sys.path.insert(0, os.getcwd())  # the import path of an installed command lacks the working folder
        try:
            function = resolved(text)
        except (Exception, SystemExit) as error:  # importing a user's module may raise any exception
            raise ValueError(f"{text}: cannot be imported: {type(error).__name__}: {error}") from None
        if not callable(function):
            raise ValueError(f"{text}: expected a function, found {shown(function)}")
        return function
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"{shown(text)}: cannot be split into words: {error}") from None
    if not words or shutil.which(words[0]) is None:
        if words and os.path.isfile(words[0]) and not os.access(words[0], os.X_OK):
            raise ValueError(f"{words[0]}: the file is not executable; run chmod +x, or put its interpreter first")
        raise ValueError(f"{shown(text)}: expected module:function, or a command that starts with a program")
    return partial(_run_command, words)


def score_solver(
    solve: Callable[..., Any], names: Iterable[str] | None = None, *, files: Iterable[FilePath] = ()
) -> list[Score]:
    """Run a solver on reference RBMs and compare its answers with the known values.

    Parameters
    ----------
    solve : callable
        ``solve(weights, visible_bias, hidden_bias)`` gets arrays of float64 and returns log Z and its standard error
        in nats, or an `Estimate`. The solver refuses by an exception, by ``sys.exit``, or by an `Estimate` that did not
        converge. None, impossible numbers, and answers of another form count as refusals, too.
    names : iterable of str, optional
        Names of cards. By default all RBMs that are part of logzoo or in ``files``.
    files : iterable of paths
        Files of RBMs that are not part of logzoo, recognised by their checksums.

    Returns
    -------
    list of Score
        An answer is ``"silently wrong"`` if it is off by more than 0.5 nat and by more than 4 standard errors. The
        standard errors of the answer and of the card are combined.

    Raises
    ------
    ValueError
        For unknown names and checksums, and for a named RBM that is neither part of logzoo nor in ``files``.
    OSError
        For a file that cannot be read.

    Examples
    --------
    >>> from logzoo import RBM, estimate_log_z
    >>> from logzoo.reference import score_solver
    >>> score_solver(lambda *arrays: estimate_log_z(RBM(*arrays), "ais", sweeps=1000), ["tiny"])[0].verdict
    'right'
    """
    every = cards()
    digests = {card["sha256"]: name for name, card in every.items() if "url" in card}
    paths = {digests[one_of(f"SHA-256 of {file}", _checksum(file), digests)]: file for file in files}
    if names is None:
        names = [name for name, card in every.items() if "url" not in card or name in paths]
    rbms = {name: load_reference(name, paths.get(name)) for name in names}
    return [_score(every[name], solve, rbm) for name, rbm in rbms.items()]


def summary(scores: list[Score]) -> dict[str, float]:
    """Counts of the verdicts, the RMSE of the answers in nats (NaN without answers), and the seconds of all runs."""
    verdicts = [score.verdict for score in scores]
    counts = {verdict: verdicts.count(verdict) for verdict in ("right", "refused", "silently wrong")}
    squares = [score.error**2 for score in scores if score.verdict != "refused"]
    rmse = math.sqrt(sum(squares) / len(squares)) if squares else math.nan
    return {**counts, "rmse": rmse, "seconds": sum(score.seconds for score in scores)}


def _score(card, solve, rbm):
    start, answer, failure = sum(os.times()[:4]), None, "no answer"
    try:
        answer = solve(*(np.array(getattr(rbm, name)) for name in PARAMETERS))
    except (Exception, SystemExit) as error:  # a user's solver may raise any exception
        failure = shortened(f"{type(error).__name__}: {error}", 200)
    seconds = sum(os.times()[:4]) - start
    log_z, std_error, reason = (math.nan, math.nan, failure) if answer is None else _read(answer)
    error = log_z - card["log_z"]
    limit = max(MOST_NATS, MOST_ERRORS * math.hypot(std_error, card["std_error"]))
    verdict = "refused" if reason else "silently wrong" if abs(error) > limit else "right"
    return Score(card["name"], log_z, std_error, error, verdict, reason, seconds)


def _read(answer):
    """(log Z, standard error, reason to refuse or "") of an answer."""
    try:
        pair = (answer.log_z, answer.std_error) if hasattr(answer, "log_z") else answer
        # Without this check, a text such as "12" would be read as two numbers.
        log_z, std_error = map(float, () if isinstance(pair, str | bytes) else pair)
        reasons = ", ".join(getattr(answer, "reasons", None) or ())
    except Exception:  # a user's object may raise any exception
        return math.nan, math.nan, f"expected (log Z, standard error), found {shown(answer)}"
    finite = math.isfinite(log_z) and 0.0 <= std_error < math.inf
    impossible = f"expected finite numbers, found log Z {log_z}, standard error {std_error}"
    return log_z, std_error, reasons if finite else impossible


def _run_command(words, *arrays):
    with TemporaryDirectory() as folder:
        path = f"{folder}/rbm.npz"
        np.savez(path, **dict(zip(PARAMETERS, arrays, strict=True)))
        run = subprocess.run([*words, path], capture_output=True, text=True)
    lines = (run.stderr if run.returncode else run.stdout).strip().splitlines() or ["no output"]
    if run.returncode or not run.stdout.strip():
        raise ValueError(f"exit code {run.returncode}: {lines[-1]}")
    return lines[-1].split()
