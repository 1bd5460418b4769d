"""The jobs of the workflow as data: what each is given, and so what its outputs ought to record.

The workflow writes them as {"scale", "tasks": [task], "files": {path: [task, number]}}. A task is {"rule", "script",
"wildcards", "input", "output", "params"}; the last four are {"items": [...], "names": {name: value}}, without items for
wildcards and params, which all have names. A file that no rule makes has None.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from logzoo.artifacts.made import is_raw_manifest, recorded
from logzoo.reporting.printing import one_line

_KEYS = {"rule", "script", "wildcards", "input", "output", "params"}


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
            self.scale, self.files = self.content["scale"], self.content["files"]
            numbers = [of_file for of_file in self.files.values() if of_file is not None]
            fits = all(set(task) == _KEYS for task in self.content["tasks"])
            fits = fits and all(0 <= task < len(self.content["tasks"]) and output >= 0 for task, output in numbers)
        except (KeyError, TypeError, ValueError, AttributeError):
            fits = False
        if not fits:
            raise ValueError("expected the jobs of the workflow: scale, tasks, files")

    def of(self, path):
        """The task that makes a file; None for a file that no rule makes, or that the workflow did not know of."""
        task, number = self.files.get(path) or (None, None)
        return None if task is None else Task(self.content["tasks"][task], number)


class Named(list):
    """A list some of whose items have names, as scripts of Snakemake are given them."""

    def __init__(self, content):
        super().__init__(content["items"])
        vars(self).update(content["names"])

    def keys(self):
        return list(vars(self))

    def items(self):
        return list(vars(self).items())

    def get(self, name, default=None):
        return vars(self).get(name, default)

    def __getitem__(self, key):
        return vars(self)[key] if isinstance(key, str) else super().__getitem__(key)


def read_tasks(path):
    """Tasks from a file that `snakemake audit` wrote. Raises ValueError, one line naming the file, if it is none."""
    try:
        return Tasks(json.loads(Path(path).read_text()))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or one_line(error)
        raise ValueError(f"{path}: expected a file that snakemake audit wrote: {reason}") from None
