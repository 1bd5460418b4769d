"""Files are written whole, to regular files alone, and where a user's own link leads."""

import os

import numpy as np
import pytest

from logzoo import RBM, train_rbm
from logzoo.cli.main import main
from logzoo.io.atomic import write_text
from replication import cli

TRAINING = ["--hidden", "2", "--batch", "2"]


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
