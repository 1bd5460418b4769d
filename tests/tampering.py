"""Edits of a finished tree: each makes one, and returns the files that a fault must name."""

import json
import os
import shutil
import socket

from damage import corrupt
from trees import task_of

from logzoo.audit import manifest as manifests
from logzoo.audit.layout import files_of, kind_of

DEEP = "[" * 100_000
# Contents of JSON files that are not what they should be.
CRAFTED = (
    "",
    "null",
    "[]",
    "5",
    DEEP,
    '{"files": ' + DEEP,
    '{"files": null}',
    '{"files": {"a": null}, "name": 1}',
    '{"files": {"../../../etc/passwd": {"bytes": [], "sha256": {}}}}',
    '{"files": [1], "scale": {}, "tasks": 3, "sha256": null}',
    '{"files": {}, "scale": "tiny", "tasks": {"scale": "tiny", "tasks": [], "files": {"a": 5}}, "sha256": "0"}',
    '{"files": {"\\ud800": "\\u001b[2J"}, "scale": "tiny", "tasks": {}, "sha256": 1e999}',
)
_STAMPS = (b'{"inputs":[[1]],"parameters":{},"source":3}', b'{"inputs":' + DEEP.encode(), b"{}")


def _one(draws, paths):
    return paths[int(draws.integers(len(paths)))]


def _of(folder, draws, *kinds):
    return _one(draws, [path for path in files_of(folder) if kind_of(path) in kinds])


def _place(folder, draws, name="entry.nc"):
    """A path for something new beside a file drawn at random."""
    beside = _one(draws, [path for path in files_of(folder) if kind_of(path) != "description"])
    return f"{beside.rpartition('/')[0]}/{name}"


def _in_place(make):
    """An edit that puts something new beside a file, or in its place."""

    def edit(folder, draws):
        path = _place(folder, draws)
        if draws.random() < 0.5:
            path = _of(folder, draws, "estimate", "model", "picture", "page", "table text", "raw manifest", "manifest")
            (folder / path).unlink()
        make(folder / path)
        return [path]

    edit.__name__ = make.__name__
    return edit


def a_fifo(path):
    os.mkfifo(path)


def a_socket(path):
    with socket.socket(socket.AF_UNIX) as made:
        here = os.open(path.parent, os.O_RDONLY)
        made.bind(f"/proc/self/fd/{here}/{path.name}")  # a path of a socket is short
        os.close(here)


def a_link_to_an_endless_device(path):
    path.symlink_to("/dev/zero")


def a_dangling_link(path):
    path.symlink_to("nowhere")


def a_link_to_itself(path):
    path.symlink_to(path.name)


def a_link_to_all_folders(path):
    path.symlink_to("../..")


def a_link_to_the_root(path):
    path.symlink_to("/")


def a_folder(path):
    path.mkdir()
    (path / "inside.nc").write_text("inside")


def a_name_that_is_not_utf8(folder, draws):
    path = _place(folder, draws, os.fsdecode(b"\xff.nc"))
    (folder / path).touch()
    return [path]


def a_name_with_an_escape(folder, draws):
    path = _place(folder, draws, "a\x1b[2J\n.nc")
    (folder / path).touch()
    return [path]


def an_added_data_set(folder, draws):
    shutil.copyfile(folder / _of(folder, draws, "dataset"), folder / "data/datasets/added.nc")
    return ["data/datasets/added.nc"]


def an_added_raw_folder(folder, draws):
    source = (folder / _of(folder, draws, "raw manifest")).parent
    shutil.copytree(source, source.with_name("added"))
    return [f"data/raw/added/{path.name}" for path in source.iterdir()]


def a_folder_moved_away(folder, draws):
    path = _of(folder, draws, "estimate", "model", "truth", "picture", "table", "dataset", "raw manifest")
    gone = path.rpartition("/")[0]
    lost = [one for one in files_of(folder) if one.startswith(f"{gone}/")]
    shutil.rmtree(folder / gone)
    return lost


def a_scale_moved_away(folder, draws):
    path = _of(folder, draws, "manifest")
    scale = path.split("/")[1]
    shutil.rmtree(folder / "data" / scale)
    shutil.rmtree(folder / "figures" / scale)
    return [path]


def a_figure_deleted_and_the_manifest_rewritten(folder, draws):
    path = _of(folder, draws, "picture", "table text")
    (folder / path).unlink()
    _rewrite(folder, draws, lambda content: content["files"].pop(path))
    return [path]


def a_job_struck_from_the_manifest(folder, draws):
    path = _of(folder, draws, "estimate", "model", "truth", "picture")
    _rewrite(folder, draws, lambda content: content["tasks"]["tasks"].remove(task_of(content["tasks"], path)))
    return [path]


def crafted_json(folder, draws):
    path = _of(folder, draws, "manifest", "raw manifest")
    text = _one(draws, CRAFTED)
    (folder / path).write_text(text)
    return [path]


def a_crafted_stamp(folder, draws):
    path = _of(folder, draws, "picture", "page")
    content = (folder / path).read_bytes()
    start = content.rindex(b'{"inputs":')
    (folder / path).write_bytes(content[:start] + _one(draws, _STAMPS) + content[start:])
    return [path]


def a_damaged_file(folder, draws):
    files = [path for path in files_of(folder) if kind_of(path) != "description"]
    path = _one(draws, files)
    corrupt(folder / path, draws, [folder / one for one in files if one != path and kind_of(one) != "manifest"])
    return [path]


def _rewrite(folder, draws, change):
    """Change the manifest of a run, and its hash with it."""
    path = folder / _of(folder, draws, "manifest")
    content = json.loads(path.read_text())
    content.pop("sha256")
    change(content)
    path.write_text(manifests._text(content))


_ENTRIES = (
    a_fifo,
    a_socket,
    a_link_to_an_endless_device,
    a_dangling_link,
    a_link_to_itself,
    a_link_to_all_folders,
    a_link_to_the_root,
    a_folder,
)
EDITS = (
    *map(_in_place, _ENTRIES),
    a_name_that_is_not_utf8,
    a_name_with_an_escape,
    an_added_data_set,
    an_added_raw_folder,
    a_folder_moved_away,
    a_scale_moved_away,
    a_figure_deleted_and_the_manifest_rewritten,
    a_job_struck_from_the_manifest,
    crafted_json,
    a_crafted_stamp,
    a_damaged_file,
)
