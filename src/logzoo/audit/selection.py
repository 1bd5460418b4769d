"""What of a run is published: by the kinds of its files, and by what their jobs were given."""

from logzoo.audit.layout import kind_of

# What is shown; the artifacts that it is made from are published beside it.
_SHOWN = ("picture", "page", "table text", "table", "verdict", "scorecard")
_ALWAYS = (*_SHOWN, "zoo")
_NEVER = ("model", "snapshots", "dataset", "raw file", "raw manifest")


def selection(made, files):
    """Those of the files of a run that are published, sorted; made: `Tasks` that make them."""
    kinds = {path: kind_of(path) for path in files}
    taken = {path for path, kind in kinds.items() if kind in _ALWAYS}
    # Not of what is there alone: in a run that is not finished, artifacts come before what they are for.
    for path in [path for path in made.files if kind_of(path) in _SHOWN]:
        task = made.of(path)
        taken |= set() if task is None else set(task.inputs)
    return sorted(path for path in taken & set(kinds) if kinds[path] not in _NEVER and not path.endswith(".pdf"))
