"""Experiments: the jobs that make the data behind figures, the paths of their artifacts, and their expected costs.

The workflow imports this module at every start. The module therefore imports no slow package.
"""

import ast
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

from logzoo.training.trainers import TRAINERS
from replication.artifacts import PACKAGES
from replication.types import Inputs

# Fixed cost of a sweep of a chain, in weights read; it dominates in small models.
SWEEP = 50_000
# Assumed largest mean length of a tour of `lvs`, in sweeps, if `k` is None.
MOST_TOUR = 10_000
# Number of independent timings for a claim on seconds.
TIMINGS = 5
# Trainers whose chains move between the rungs. All other trainers with rungs keep chains at each rung.
_ALONG_THE_LADDER = {"rms-spectral", "rmsprop"}
# Number of temperatures of swapping chains, if the settings have none.
_TEMPERATURES = 5


class Experiment(NamedTuple):
    """A job that makes one artifact: run(artifacts, stream=..., **settings) -> Dataset.

    `run` is "module:function"; `inputs` are named as in a declaration. `stream` holds the names that derive the random
    stream from the seed, and is empty for work without randomness. `methods` are the estimators or trainers that the
    job runs by name. Their code enters the source digest of the job. `work` is the expected cost of the job, {kind:
    units}, with the kinds and units of `replication.costs`. `most` is the largest possible cost, if larger than `work`.
    """

    path: str
    run: str
    inputs: dict
    settings: dict
    stream: tuple = ()
    kind: str = "trace"
    title: str = ""
    work: dict = {}
    most: dict = {}
    methods: tuple = ()
    timed: bool = False  # the job measures seconds: on a cluster it has a node to itself
    checkpoints: bool = False  # `run` takes checkpoint(name), the Checkpoint of a part of the work


def named_paths(artifacts: Inputs, prefix: str = "") -> dict[str, str]:
    """The paths {name: path} of artifacts in nested dicts, with names such as "estimates/rts"."""
    paths = {}
    for name, artifact in artifacts.items():
        if isinstance(artifact, dict):
            paths |= named_paths(artifact, f"{prefix}{name}/")
        else:
            paths[f"{prefix}{name}"] = artifact.path if isinstance(artifact, Experiment) else artifact
    return paths


def nested(named: dict[str, Any]) -> dict:
    """The inverse of `named_paths`: nested dicts from names such as "estimates/rts"."""
    result = {}
    for name, value in named.items():
        *folders, last = name.split("/")
        level = result
        for folder in folders:
            level = level.setdefault(folder, {})
        level[last] = value
    return result


def names_of_trainings(name: str, entry: dict) -> list[str]:
    """The names of a model and of its repeated trainings: mnist, mnist-2, mnist-3."""
    return [name, *(f"{name}-{number}" for number in range(2, entry.get("trainings", 1) + 1))]


def shape_of(config: dict, model: str) -> tuple[int, int]:
    """Numbers (visible, hidden) of units of a model."""
    entry = config["models"][model]
    # An imported model may also have a training, which makes its stand-in.
    hidden = next(entry[origin]["hidden"] for origin in ("import", "known", "train") if origin in entry)
    return config["datasets"][entry["dataset"]]["visible"], hidden


def training_work(train: dict, visible: int) -> dict[str, float]:
    """Expected cost of a training, {kind: weights read}; missing settings are the trainer's defaults."""
    settings = {**option_defaults(*TRAINERS[train["method"]].functions), **train, **train.get("options", {})}
    hidden, updates = settings["hidden"], settings["updates"]
    if train["method"] == "exact":
        return {"enumeration": updates * 2.0 ** min(visible, hidden) * max(visible, hidden)}
    chains = settings.get("particles") or settings["batch"]
    if "temperatures" in settings:
        chains *= len(settings["temperatures"] or ()) or _TEMPERATURES
    elif train["method"] not in _ALONG_THE_LADDER:
        chains *= settings.get("rungs") or 1
    sweeps = settings["batch"] + chains * (settings.get("k") or 1) + (settings.get("walkers") or 0)
    return {"training": updates * sweeps * (visible * hidden + SWEEP)}


def training_most(train: dict, visible: int, examples: int) -> dict[str, float]:
    """Largest possible cost of a training. With `lvs`, every update may draw a new stopping set."""
    if train["method"] != "lvs":
        return training_work(train, visible)
    train = {**train, **train.get("options", {})}
    chains = max(train["batch"], train.get("particles", train["batch"]))
    sweeps = train["updates"] * (train["batch"] + chains * (train.get("k", 1) or MOST_TOUR) + examples)
    return {"training": sweeps * (visible * train["hidden"] + SWEEP)}


def option_defaults(*functions: Any) -> dict[str, Any]:
    """Returns {name: default} of the options of functions of a method; None without a literal default.

    The defaults are read from the source code, because imports of estimators and trainers would delay every start
    of the workflow.
    """
    defaults = {}
    for function in functions:
        definition = _definition(function)
        if definition is None:
            continue  # an observer, or a function with preset arguments: neither has options
        arguments = definition.args
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            defaults.setdefault(argument.arg, None if default is None else _value_of(default))
    return defaults


def _value_of(expression):
    with suppress(ValueError):
        return ast.literal_eval(expression)
    return None


@cache
def _definition(function):
    """The definition of a function, named as "package.module:function"; None for classes and variables."""
    module, _, name = function.partition(":")
    source = (PACKAGES[1].parent / f"{module.replace('.', '/')}.py").read_bytes()
    nodes = (node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
    return next((node for node in nodes if node.name == name), None)
