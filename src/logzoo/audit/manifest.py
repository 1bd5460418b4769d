"""The manifest of a run: the sha256 of every file that it left, and the jobs that make them.

The last step of the workflow writes it to data/<scale>/manifest.json. It fixes what no other file vouches for:
pictures, tables, and artifacts that nothing was made from. It states the sha256 of its own content, to keep elsewhere.
"""

import hashlib
import json
from pathlib import Path

from logzoo.artifacts.atomic import write_text
from logzoo.artifacts.json_objects import json_object
from logzoo.audit.layout import files_of, kind_of, scale_of
from logzoo.audit.tasks import Tasks
from logzoo.reporting.printing import one_line

UNLISTED = (None, "description", "manifest")


def manifest_path(scale):
    """Where the manifest of a scale lies, from the folder of the project."""
    return f"data/{scale}/manifest.json"


def listed_files(folder, scale):
    """The files of a project that the manifest of a scale lists: its own, data sets and raw files."""
    files = [path for path in files_of(Path(folder)) if kind_of(path) not in UNLISTED]
    return [path for path in files if scale_of(path) in (scale, None)]


def write_manifest(folder, scale, tasks):
    """List all files of a scale as they are now, with the tasks that make them, in one step. Returns the sha256.

    Of data sets and raw files, which scales share, those that the tasks make.
    """
    listed = [path for path in listed_files(folder, scale) if scale_of(path) == scale or _made_by(tasks, path)]
    files = {path: sha256_of(Path(folder, path)) for path in listed}
    text = manifest_text(files, scale, tasks)
    write_text(Path(folder, manifest_path(scale)), text)
    return json.loads(text)["sha256"]


def _made_by(tasks, path):
    """Whether tasks make a file, or, for a raw file, fetch it with the manifest beside it."""
    beside = f"{path.rsplit('/', 1)[0]}/manifest.json"
    return tasks.of(path) is not None or (kind_of(path) == "raw file" and tasks.of(beside) is not None)


def manifest_text(files, scale, tasks):
    """The manifest of a scale that lists files ({path: sha256}) and the tasks that make them."""
    return _text({"files": files, "scale": scale, "tasks": tasks.content})


def read_manifest(folder, scale):
    """The files ({path: sha256}), tasks and sha256 of a manifest; ValueError, one line, if it is not as written."""
    path = manifest_path(scale)
    try:
        text = Path(folder, path).read_text()
        content = json_object(text)
        stated = content.pop("sha256")
        intact = _text(content) == text and content["scale"] == scale
        files, tasks = content["files"], Tasks(content["tasks"])
        intact = intact and all(isinstance(digest, str) for digest in files.values())
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path}: not a manifest: {getattr(error, 'strerror', None) or one_line(error)}") from None
    if not intact:
        raise ValueError(f"{path}: other content than its sha256 says, the file is damaged or was edited")
    return files, tasks, stated


def deviations(listed, digests, scale):
    """The files that are not as the manifest of a scale lists them ({path: sha256}): changed, missing or not listed.

    digests: {path: sha256} of the files that are there. What other scales add to shared folders does not count.
    """
    added = [path for path in digests if path not in listed and scale_of(path) == scale]
    return [path for path in listed if digests.get(path) != listed[path]] + added


def sha256_of(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _text(content):
    # Not sorted: jobs go by the order of what they are given.
    digest = hashlib.sha256(json.dumps(content).encode()).hexdigest()
    return json.dumps({**content, "sha256": digest}, indent=0) + "\n"
