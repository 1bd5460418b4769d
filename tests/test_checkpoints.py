"""A file is a checkpoint of logzoo by its content: no other file is read, overwritten or removed."""

import os

import numpy as np
import pytest

from logzoo import RBM, train_rbm
from logzoo.cli.main import main
from logzoo.io.atomic import write_text
from logzoo.io.checkpoints import Checkpoint, discard_checkpoint, is_checkpoint, unfinished
from replication import cli
from replication.jobs import discard_beside

TRAIN = "train data.npy --hidden 3 --updates 4 --batch 5"
TRAINING = ["--hidden", "2", "--batch", "2"]
ESTIMATE = "estimate model.nc --data data.npy --base-data marginals.npy"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = np.random.default_rng(0).integers(0, 2, (20, 6)).astype(np.uint8)
    for name in ("data.npy", "marginals.npy"):
        np.save(name, data)
    RBM(np.zeros((6, 3)), np.zeros(6), np.zeros(3)).save("model.nc")
    np.savez("arrays.npz", data=data)
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "empty").touch()
    os.mkfifo("pipe")
    os.symlink("notes.txt", "link")
    os.link("data.npy", "hard.npy")
    os.symlink(".", "here")
    return tmp_path


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} | {"all": os.listdir(folder)}


@pytest.mark.parametrize(
    ("command", "checkpoint", "complaint"),
    [
        (f"{TRAIN} -o new.nc", "new.nc", "other than the output"),
        (f"{TRAIN} -o new.nc", "here/new.nc", "other than the output"),
        (f"{TRAIN} -o new.nc", "hard.npy", "other than the data"),
        (ESTIMATE, "model.nc", "other than the model"),
        (ESTIMATE, "data.npy", "other than the data"),
        (ESTIMATE, "marginals.npy", "other than the base data"),
        (f"{TRAIN} -o new.nc", "arrays.npz", "expected a checkpoint or a new name, found another file"),
        (ESTIMATE, "pipe", "expected a checkpoint or a new name, found another file"),
        (f"{TRAIN} -o new.nc", "a" * 300, "File name too long"),
    ],
)
def test_files_that_are_no_checkpoints_are_refused_before_any_work(folder, capfd, command, checkpoint, complaint):
    before = contents(folder)
    assert main([*command.split(), "--checkpoint", checkpoint]) == 1
    out, err = capfd.readouterr()
    assert out == "" and complaint in err and checkpoint[:9] in err and err.count("\n") == 1
    assert contents(folder) == before


def test_a_checkpoint_is_known_by_what_it_holds(folder):
    checkpoint = Checkpoint("named.nc", "mine")
    checkpoint.save(3, {})
    assert is_checkpoint("named.nc") and Checkpoint("named.nc", "mine").load({}) == 3
    content = (folder / "named.nc").read_bytes()
    (folder / "named.nc").write_bytes(content[: len(content) // 2])
    assert is_checkpoint("named.nc") and Checkpoint("named.nc", "mine").load({}) == 0  # damaged, but still a checkpoint
    for path in folder.iterdir():
        assert is_checkpoint(path) == (path.name == "named.nc")


def test_interrupted_cells_resume_after_the_last_save(folder, monkeypatch):
    monkeypatch.setattr("logzoo.io.checkpoints._SECONDS", 0.0)
    made, squares = [], np.zeros(5)
    for cell in unfinished(Checkpoint("cells.nc", "mine"), range(5), {"squares": squares}):
        if cell == 3:
            break  # the job is killed before it stores cell 3
        squares[cell] = cell**2
    squares = np.zeros(5)
    for cell in unfinished(Checkpoint("cells.nc", "mine"), range(5), {"squares": squares}):
        made.append(cell)
        squares[cell] = cell**2
    assert made == [3, 4] and squares.tolist() == [0, 1, 4, 9, 16]
    assert [*unfinished(None, "ab", {})] == ["a", "b"]


def test_what_comes_to_the_place_of_a_checkpoint_stays(folder, caplog):
    checkpoint = Checkpoint("later", "mine")
    (folder / "later").write_text("mine")
    checkpoint.save(1, {})
    assert "another program has put a file at this path" in caplog.text and checkpoint.load({}) == 0
    (folder / "model.nc.checkpoint.npz").write_text("mine")
    discard_checkpoint("later")
    discard_beside("model.nc")
    assert (folder / "later").read_text() == (folder / "model.nc.checkpoint.npz").read_text() == "mine"


def test_a_checkpoint_that_unpacks_to_more_is_not_read(folder, monkeypatch, caplog):
    monkeypatch.setattr("logzoo.io.reading._MOST_UNPACKED", 1 << 20)
    with open("bomb.npz", "wb") as file:
        np.savez_compressed(file, logzoo_checkpoint="mine", step=1, zeros=np.zeros(1 << 20))
    assert is_checkpoint("bomb.npz") and Checkpoint("bomb.npz", "mine").load({}) == 0
    assert "cannot be read as a checkpoint" in caplog.text


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.npy"
    np.save(path, np.eye(6, dtype=np.uint8))
    return str(path)


def make_device(path):
    os.mknod(path, 0o020666, os.makedev(1, 3))


def make_link(path):
    path.symlink_to("elsewhere.nc")


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, make_device, make_link])
def test_only_regular_files_are_replaced(tmp_path, make):
    path = tmp_path / "target.nc"
    make(path)
    before = path.lstat()
    with pytest.raises(ValueError, match="cannot write .*target.nc: it is a"):
        write_text(path, "text")
    assert path.lstat() == before and sorted(os.listdir(tmp_path)) == ["target.nc"]


def test_commands_refuse_such_targets_before_any_work(tmp_path, data, capfd):
    path = tmp_path / "target.nc"
    make_device(path)
    before = path.lstat()
    assert main(["train", data, *TRAINING, "--updates", "1", "-o", str(path)]) == 1
    assert cli.main(["audit", str(tmp_path), "--output", str(path)]) == 1
    assert capfd.readouterr().err.count(f"cannot write {path}") == 2
    assert path.lstat().st_mode == before.st_mode and path.lstat().st_rdev == before.st_rdev


def test_a_link_into_a_folder_that_does_not_exist_is_refused_before_the_first_update(tmp_path, data, capfd):
    (tmp_path / "m.nc").symlink_to(tmp_path / "nowhere/m.nc")
    assert main(["train", data, *TRAINING, "--updates", "1000000000", "-o", str(tmp_path / "m.nc")]) == 1
    error = capfd.readouterr().err
    assert "there is no folder" in error and "nowhere" in error and error.count("\n") == 1


def test_a_link_of_the_users_own_stays_a_link_to_the_new_content(tmp_path, data, monkeypatch):
    monkeypatch.setattr("logzoo.io.checkpoints._SECONDS", 0.0)
    (tmp_path / "disk").mkdir()
    (tmp_path / "m.nc").symlink_to("disk/m.nc")
    assert main(["train", data, *TRAINING, "--updates", "1", "-o", str(tmp_path / "m.nc")]) == 0
    assert (tmp_path / "m.nc").is_symlink() and RBM.load(tmp_path / "disk/m.nc").hidden == 2
    (tmp_path / "c.npz").symlink_to("disk/c.npz")
    run = train_rbm(np.eye(6), hidden=2, updates=1, batch=2, checkpoint=tmp_path / "c.npz")
    run.rbm.save(tmp_path / "m.nc")
    assert (tmp_path / "m.nc").is_symlink() and (tmp_path / "c.npz").is_symlink()
