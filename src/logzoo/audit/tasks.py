"""The jobs of the workflow as data: what each is given, and so what its outputs ought to record.

The workflow writes them (workflow/rules/made.smk) as {"scale", "tasks": [task], "files": {path: [task, number]}}. A
task is {"rule", "script", "wildcards", "input", "output", "params"}; what may have names is {"items": [...], "names":
{name: [first, end or None]}}. A file that no rule makes has None.
"""

import json
from pathlib import Path

from logzoo.artifacts.made import digest_of, is_raw_manifest, recorded

_KEYS = {"rule", "script", "wildcards", "input", "output", "params"}


class Task:
    """One job: its rule, script and what the script is given; `number` of the output that was asked for."""

    def __init__(self, content, number):
        self.content, self.number = content, number
        self.rule, self.script = content["rule"], content["script"]
        params = Named(content["params"])
        self.inputs = [str(path) for path in Named(content["input"])]
        self.outputs = [str(path) for path in Named(content["output"])]
        self.params = dict(params.items())
        # Rules without a source digest make nothing that is recorded.
        records = {"source", "sources"} & set(self.params)
        self.parameters, self.source = recorded(self.params, number) if records else ({}, None)

    @property
    def parameters_digest(self):
        return digest_of(self.parameters)

    @property
    def recorded_inputs(self):
        """Artifacts that the outputs record as inputs; raw files come on top, where `raw_manifests` lists any."""
        return [path for path in self.inputs if path.endswith(".nc")]

    @property
    def raw_manifests(self):
        return [path for path in self.inputs if is_raw_manifest(path)]


class Tasks:
    """All jobs of a scale by the files that they make.

    Raises ValueError, a phrase, if the content is not what the workflow writes.
    """

    def __init__(self, content):
        try:
            content = json.loads(json.dumps(content))  # tuples and keys as they will be read
            self.scale, self.files = content["scale"], content["files"]
            tasks = content["tasks"]
            wrong = [task for task in tasks if set(task) != _KEYS]
            places = [place for place in self.files.values() if place is not None]
            fits = all(0 <= task < len(tasks) and number >= 0 for task, number in places)
        except (KeyError, TypeError, ValueError, AttributeError):
            wrong, fits = [None], False
        if wrong or not fits:
            raise ValueError("expected the jobs of the workflow: scale, tasks, files")
        self.content = content

    def of(self, path):
        """The task that makes a file; None for a file that no rule makes, or that the workflow did not know of."""
        place = self.files.get(path)
        return None if place is None else Task(self.content["tasks"][place[0]], place[1])


class Named(list):
    """A list some of whose items have names, as scripts of Snakemake are given them."""

    def __init__(self, content):
        super().__init__(content["items"])
        self._names = list(content["names"])
        for name, (first, end) in content["names"].items():
            value = self[first] if end is None else Named({"items": self[first:end], "names": {}})
            setattr(self, name, value)

    def keys(self):
        return list(self._names)

    def items(self):
        return [(name, getattr(self, name)) for name in self._names]

    def get(self, name, default=None):
        return getattr(self, name) if name in self._names else default

    def __getitem__(self, place):
        return getattr(self, place) if isinstance(place, str) else super().__getitem__(place)


def read_tasks(path):
    """Tasks from a file that `snakemake audit` wrote. Raises ValueError, one line naming the file, if it is none."""
    try:
        return Tasks(json.loads(Path(path).read_text()))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else " ".join(str(error).split())
        raise ValueError(f"{path}: expected a file that snakemake audit wrote: {reason}") from None
