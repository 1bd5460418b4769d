"""The jobs of the workflow as data: what each is given, and so what its outputs ought to record.

The workflow writes them as {"scale", "tasks": [task]}. A task is {"rule", "script", "wildcards", "input", "output",
"params"}; the last four are {"items": [...], "names": {...}}. Wildcards and params all have names: {name: value}. Of
inputs and outputs names are places among the items: {name: place, or [first, end] of a list}. Of several tasks that
make a file it is the one with the fewest outputs that does. Files need not be there: they are what is expected.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from logzoo.artifacts.json_objects import json_object
from logzoo.artifacts.made import is_raw_manifest, recorded
from logzoo.reporting.printing import one_line

_TEXTS = ("rule", "script")
_PATHS = ("input", "output")
_GIVEN = ("wildcards", *_PATHS, "params")


@dataclass
class Task:
    """One job: its rule, script and what the script is given; `number` of the output that was asked for."""

    content: dict
    number: int

    def __post_init__(self):
        self.script = self.content["script"]
        self.inputs, self.outputs = self.content["input"]["items"], self.content["output"]["items"]
        self.params = self.content["params"]["names"]
        # Rules without a source digest make nothing that is recorded.
        records = {"source", "sources"} & set(self.params)
        self.parameters, self.source = recorded(self.params, self.number) if records else ({}, None)
        self.raw_manifests = [path for path in self.inputs if is_raw_manifest(path)]


class Tasks:
    """All jobs of a scale by the files that they make; ValueError, a phrase, for what no workflow writes."""

    def __init__(self, content):
        try:
            self.content = json.loads(json.dumps(content))  # tuples and keys as they will be read
            self.scale, tasks = self.content["scale"], self.content["tasks"]
            fits = isinstance(self.scale, str) and isinstance(tasks, list) and all(map(_is_task, tasks))
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
            fits = False
        if not fits:
            raise ValueError("expected the jobs of the workflow: scale, tasks")
        outputs = [task["output"]["items"] for task in tasks]
        self.files = {
            path: (task, number)
            for task in sorted(range(len(tasks)), key=lambda task: (-len(outputs[task]), -task))
            for number, path in enumerate(outputs[task])
        }

    def of(self, path):
        """The task that makes a file; None for a file that no rule makes, or that the workflow did not know of."""
        task, number = self.files.get(path) or (None, None)
        return None if task is None else Task(self.content["tasks"][task], number)

    @property
    def made(self):
        """All files that these jobs make, there or not."""
        return list(dict.fromkeys(path for task in self.content["tasks"] for path in task["output"]["items"]))


def _is_task(task):
    """Whether a part of JSON has the form of a task; what its params are for, its script knows."""
    if not (set(task) == {*_TEXTS, *_GIVEN} and all(isinstance(task[key], str) for key in _TEXTS)):
        return False
    if not all(isinstance(task[key]["names"], dict) and isinstance(task[key]["items"], list) for key in _GIVEN):
        return False
    if not all(_is_place(place, len(task[key]["items"])) for key in _PATHS for place in task[key]["names"].values()):
        return False
    params = task["params"]["names"]
    settings, sources = params.get("settings", {}), params.get("sources")
    if not isinstance(settings, dict) or not isinstance(params.get("source", ""), str):
        return False
    if sources is not None and not (isinstance(sources, dict) and _is_each(sources, settings, task["output"]["items"])):
        return False
    return all(isinstance(path, str) for key in _PATHS for path in task[key]["items"])


def _is_place(place, count):
    """Whether a name stands for one of so many items, or for some that follow each other."""
    if isinstance(place, list):
        return len(place) == 2 and all(type(end) is int for end in place) and 0 <= place[0] <= place[1] <= count
    return type(place) is int and 0 <= place < count


def _is_each(sources, settings, outputs):
    """Whether every output has a digest and settings of its own."""
    forms = ((sources, str), (settings, dict))
    fits = all(isinstance(value, form) for named, form in forms for value in named.values())
    return fits and len(sources) == len(settings) >= len(outputs)


class Named(list):
    """A list some of whose items have names, as scripts of Snakemake are given them."""

    def __init__(self, items, names):
        super().__init__(items)
        vars(self).update(names)

    def keys(self):
        return list(vars(self))

    def items(self):
        return list(vars(self).items())

    def get(self, name, default=None):
        return vars(self).get(name, default)

    def __getitem__(self, key):
        return vars(self)[key] if isinstance(key, str) else super().__getitem__(key)


def named_parts(content):
    """What a task is given, {part: Named}, from its content."""
    parts = {}
    for key in _GIVEN:
        items, names = content[key]["items"], content[key]["names"]
        if key in _PATHS:
            names = {
                name: items[slice(*place)] if isinstance(place, list) else items[place] for name, place in names.items()
            }
        parts[key] = Named(items, names)
    return parts


def read_tasks(path):
    """Tasks from a file that `snakemake audit` wrote. Raises ValueError, one line naming the file, if it is none."""
    try:
        return Tasks(json_object(Path(path).read_text()))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or one_line(error)
        raise ValueError(f"{path}: expected a file that snakemake audit wrote: {reason}") from None
