"""RBMs from other programs: other names, transposed weights, HDF5, spins, scikit-learn."""

import fcntl
import re
import sys
import textwrap
import warnings
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse
from hdf5_files import checkpoint_content, write_hdf5
from sklearn.decomposition import PCA
from sklearn.neural_network import BernoulliRBM
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Binarizer
from tensors import Tensor
from twins import all_states, normal_rbm

from logzoo import RBM, exact_log_z
from logzoo.cli.files import read_either
from logzoo.cli.main import main
from logzoo.models.roles import CONVENTIONS

VISIBLE, HIDDEN = 6, 4
ROW = (1, -1)
ASKED = "--names WEIGHTS,VISIBLE_BIAS,HIDDEN_BIAS"


def random_rbm(visible=VISIBLE, hidden=HIDDEN):
    return normal_rbm([0, visible, hidden], visible, hidden, 0.7)


def same(first, other):
    names = ("weights", "visible_bias", "hidden_bias")
    return all(np.array_equal(getattr(first, name), getattr(other, name)) for name in names)


def write(path, content):
    """Write arrays in the format of the suffix."""
    if path.name.endswith("7.3.mat"):
        stored = {name: np.atleast_2d(array).T for name, array in content.items()}
        write_hdf5(path, stored, before=b"MATLAB 7.3 MAT-file".ljust(124) + b"\0\2IM")
        return path
    writers = {".npz": lambda: np.savez(path, **content), ".mat": lambda: scipy.io.savemat(path, content)}
    writers.get(path.suffix, lambda: write_hdf5(path, content))()
    return path


def read(path, names=None):
    """The RBM in a file, and the notes to the user."""
    notes = []
    return read_either(path, names, tell=notes.append)[0], notes


def notes_on(path, rbm, names=None):
    """The notes of reading a file that holds this RBM."""
    found, notes = read(path, names)
    assert same(found, rbm)
    return notes


def named(names, rbm, shape=(-1,), *, turned=False):
    """{name: array} of the weights, perhaps transposed, and of the biases, of any shape."""
    arrays = rbm.weights.T if turned else rbm.weights, rbm.visible_bias.reshape(shape), rbm.hidden_bias.reshape(shape)
    return dict(zip(names.split(",") if isinstance(names, str) else names, arrays, strict=True))


def refusal(path, names=None):
    with pytest.raises(ValueError) as caught:
        read_either(path, names, tell=lambda note: pytest.fail(note))
    text = str(caught.value)
    assert text.startswith(f"{path}: ") and "\n" not in text and len(text) < 600
    return text


@pytest.fixture(params=[".npz", ".mat", "7.3.mat", ".h5"])
def path(request, tmp_path):
    return tmp_path / f"model{request.param}"


KNOWN = ["weights,visible_bias,hidden_bias", "vishid,visbiases,hidbiases", "weight_matrix,vbias,hbias"]


@pytest.mark.parametrize(("names", "shape"), list(zip(KNOWN, [(-1,), ROW, (-1, 1)], strict=True)))
def test_known_names_are_read_in_silence(path, names, shape):
    rbm = random_rbm()
    write(path, named(names, rbm, shape) | {"other": np.zeros((9, 9)), "learning": np.ones(3)})
    assert notes_on(path, rbm) == []


@pytest.mark.parametrize("names", ["W,a,b", ["W", "a", "b"]])
def test_names_are_in_the_order_weights_visible_hidden(path, names):
    rbm = random_rbm()
    write(path, {"b": rbm.hidden_bias, "a": rbm.visible_bias, "W": rbm.weights, "W_old": rbm.weights})
    assert notes_on(path, rbm, names) == []


@pytest.mark.parametrize("names", [None, "W,a,b"])
def test_transposed_weights_are_told_by_the_biases_and_said(path, names):
    rbm = random_rbm()
    (note,) = notes_on(write(path, named(names or KNOWN[0], rbm, ROW, turned=True)), rbm, names)
    assert f"({HIDDEN} x {VISIBLE}) is taken as (hidden, visible)" in note


def test_other_names_are_guessed_from_the_shapes_and_said(path):
    rbm = random_rbm()
    content = {"a": rbm.visible_bias, "step": np.ones(1), "W": rbm.weights, "b": rbm.hidden_bias, "errors": np.ones(50)}
    (note,) = notes_on(write(path, content), rbm)
    pattern = rf"{re.escape(str(path))}: .*'W' \(6 x 4\).* weights, 'a' .* visible bias, 'b' .* hidden bias; .*{ASKED}"
    assert re.fullmatch(pattern, note)


@pytest.mark.parametrize("names", ["kernel,v_bias,h_bias", "rbm.W,rbm.b,rbm.hbias", "W,a,b"])
def test_biases_named_the_other_way_round_turn_the_weights(tmp_path, names):
    rbm, path = random_rbm(), tmp_path / "model.npz"
    (note,) = notes_on(write(path, named(names, rbm, ROW, turned=True)), rbm)
    assert "guessed from the shapes and names" in note
    assert "(hidden, visible)" in note
    # If names are uninformative, or the same for both biases, the shapes decide.
    assert notes_on(write(path, named("W,h1_bias,h_bias", rbm, ROW)), rbm)


def test_weights_to_label_units_are_not_dropped_in_silence(tmp_path):
    rbm = random_rbm()
    labels = {"labhid": np.ones((3, HIDDEN)), "labbiases": np.ones(3), "epoch": np.ones(1)}
    (note,) = notes_on(write(tmp_path / "model.npz", named(KNOWN[1], rbm, ROW) | labels), rbm)
    assert "'labhid', 'labbiases': not read" in note


def test_a_guess_warns_a_program(tmp_path):
    rbm = random_rbm()
    path = write(tmp_path / "model.mat", named("W,a,b", rbm))
    for load in (RBM.load, RBM.from_mat):
        with pytest.warns(UserWarning, match="guessed from the shapes") as caught:
            assert same(load(path), rbm)
        assert caught[0].filename == __file__
    with warnings.catch_warnings(action="error"):
        assert same(RBM.from_mat(path, "W,a,b"), rbm)


def test_square_weights_need_names(path):
    rbm = random_rbm(5, 5)
    write(path, named("W,p,q", rbm))
    assert "'W' (5 x 5)" in refusal(path) and refusal(path).endswith(ASKED)
    (note,) = notes_on(path, rbm, "W,p,q")
    assert "(visible, hidden)" in note and "--transposed" in note
    assert not same(read(path, "W,q,p")[0], rbm)


def test_the_orientation_of_square_weights_is_said_or_known(tmp_path, capfd):
    path, arrays = tmp_path / "q.npz", ([[3, 3], [0, 0]], [1, -2], [0, 0])
    np.savez(path, **dict(zip(KNOWN[0].split(","), arrays, strict=True)))
    printed = []
    for flags in ([], ["--no-transposed"], ["--transposed"]):
        assert main(["exact", str(path), *flags]) == 0
        printed.append(capfd.readouterr())
    assert [bool(err) for _, err in printed] == [True, False, False] and "--transposed" in printed[0].err
    assert ["7.2274" in printed[0].out, "7.2274" in printed[1].out, "6.0447" in printed[2].out] == [True] * 3
    rbm = random_rbm(5, 5)
    cases = [(names, turned, noted) for (names, (turned, fixed)) in CONVENTIONS.items() for noted in [not fixed]]
    cases.append((["rbm_am.weights", "rbm_am.visible_bias", "rbm_am.hidden_bias"], True, False))
    for names, turned, noted in cases:
        np.savez(path, **named(names, rbm, turned=turned))
        assert len(notes_on(path, rbm)) == noted, names
        assert same(read(path, names)[0], rbm)


def test_names_that_contradict_the_shapes_are_refused_with_the_way_out(tmp_path):
    rbm, path = random_rbm(), tmp_path / "model.npz"
    write(path, named("components_,intercept_visible_,intercept_hidden_", rbm))
    assert "--no-transposed" in refusal(path)
    assert same(RBM.load(path, transposed=False), rbm)
    with pytest.raises(ValueError, match="--no-transposed"):
        RBM.load(path, transposed=True)


def test_arrays_in_groups_and_structs_are_listed_and_named_by_path(path):
    rbm, separator = random_rbm(), "." if path.name == "model.mat" else "/"
    if path.suffix == ".npz":
        pytest.skip("has no groups")
    names = [f"net{separator}{name}" for name in ("W", "p", "q")]
    arrays = named("W,p,q", rbm) | {"more": np.ones((9, 8))}
    inside = {f"net/{name}": array for name, array in arrays.items()}
    write(path, {"net": arrays} if path.name == "model.mat" else inside)
    text = refusal(path)
    assert all(f"{name!r} (" in text for name in names)
    assert same(read(path, names)[0], rbm)
    if path.name.endswith(".mat"):
        # Older and newer files of MATLAB take the same names.
        assert same(read(path, [name.replace("/", ".") for name in names])[0], rbm)


@pytest.mark.parametrize(("visible", "hidden"), [(4, 1), (1, 3), (1, 1)])
def test_structs_keep_matrices_of_one_row_or_column(tmp_path, visible, hidden):
    rbm = random_rbm(visible, hidden)
    path = write(tmp_path / "model.mat", {"net": named(KNOWN[1], rbm)})
    assert notes_on(path, rbm) == []
    path = write(tmp_path / "model.mat", {"net": named("W,b,c", rbm, turned=True)})
    assert same(RBM.load(path, "net.W,net.b,net.c", transposed=True), rbm)


def test_a_struct_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    path, zeros = tmp_path / "model.mat", np.zeros((600, 500))
    scipy.io.savemat(path, {"net": named(KNOWN[1], RBM(zeros, zeros[:, 0], zeros[0]))}, do_compression=True)
    monkeypatch.setattr("logzoo.io.reading._MOST_UNPACKED", 1 << 20)
    monkeypatch.setattr("scipy.io.loadmat", lambda *_, **__: pytest.fail("unpacked"))
    assert "bytes of memory; the limit" in refusal(path)


def test_state_dicts_are_read_at_any_depth():
    rbm = random_rbm()
    arrays = named("rbm.W,rbm.v_bias,rbm.h_bias", rbm, turned=True)
    state = {name: Tensor(array) for name, array in arrays.items()}
    momentum = {"state": [{"momentum": Tensor(rbm.weights)}], "lr": 0.1}
    for content in (state, {"epoch": 3, "model": state, "optimizer": momentum}):
        with warnings.catch_warnings(action="error"):
            assert same(RBM.from_torch(content), rbm)
    qucumber = named(KNOWN[0], rbm, turned=True)
    phase = {name: 2 * array for name, array in qucumber.items()}
    assert same(RBM.from_torch({"rbm_am": qucumber, "rbm_ph": phase}), rbm)
    assert same(RBM(Tensor(rbm.weights), Tensor(rbm.visible_bias[:, None]), rbm.hidden_bias[None]), rbm)
    assert same(RBM(pd.DataFrame(rbm.weights), pd.DataFrame(rbm.visible_bias), pd.Series(rbm.hidden_bias)), rbm)
    assert RBM(Tensor(np.ones((2, 2), np.float16)), [0, 0], [0, 0]).weights.sum() == 4.0
    with pytest.raises(ValueError, match="expected a dict of arrays, found int"):
        RBM.from_torch(3)
    with pytest.raises(ValueError, match="expected a dict of arrays or tensors, found neither; convert lists"):
        RBM.from_torch({name: array.tolist() for name, array in named(KNOWN[0], rbm).items()})


@pytest.mark.parametrize("weights", ["W", "W_orig"])
def test_masks_are_not_dropped_in_silence(tmp_path, weights):
    """As torch.nn.utils.prune stores them."""
    arrays = named([weights, "v_bias", "h_bias"], random_rbm()) | {"W_mask": np.ones((VISIBLE, HIDDEN))}
    for names in (None, [weights, "v_bias", "h_bias"]):
        with pytest.raises(ValueError, match="^'W_mask': masks are not applied; .*torch.nn.utils.prune.remove"):
            RBM.from_torch(arrays, names)
    assert "'W_mask': masks are not applied" in refusal(write(tmp_path / "model.npz", arrays))


def test_a_checkpoint_is_no_finished_model(tmp_path):
    path, rbm = tmp_path / "training.npz", random_rbm()
    np.savez(path, logzoo_checkpoint="", step=3, **named([f"values/{name}" for name in KNOWN[0].split(",")], rbm))
    assert "a checkpoint of unfinished work" in refusal(path)
    assert same(RBM.load(path, ",".join(f"values/{name}" for name in KNOWN[0].split(","))), rbm)


@pytest.mark.parametrize("library", ["torch", "safetensors.numpy", "skops.io"])
def test_the_content_of_a_file_decides_who_reads_it(tmp_path, library):
    rbm, path, module = random_rbm(), tmp_path / "model.h5", pytest.importorskip(library)
    state = {"W": rbm.weights.T.copy(), "v_bias": rbm.visible_bias, "h_bias": rbm.hidden_bias}
    if library == "torch":
        module.save({"state": {name: module.tensor(array) for name, array in state.items()}}, path)
    elif library == "skops.io":
        fitted = BernoulliRBM(4, n_iter=1).fit(np.eye(6))
        fitted.components_, fitted.intercept_visible_, fitted.intercept_hidden_ = state.values()
        module.dump(fitted, path)
    else:
        module.save_file(state, path)
    assert same(RBM.load(path), rbm)


def test_a_file_that_a_training_writes_is_named(tmp_path):
    path = write(tmp_path / "model.h5", {"weights": np.zeros((6, 4))})
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # as HDF5 does in the process that writes
        assert "another program" in refusal(path)


def test_without_a_library_one_line_names_it(tmp_path, monkeypatch):
    path = write(tmp_path / "model.h5", {"weights": np.zeros((6, 4))})
    for library in ("torch", "h5py"):
        monkeypatch.setitem(sys.modules, library, None)
    with zipfile.ZipFile(tmp_path / "model.pt", "w") as archive:
        archive.writestr("archive/data.pkl", b"")
    assert "pip install torch" in refusal(tmp_path / "model.pt")
    assert "h5py" in refusal(path) and "logzoo[files]" in refusal(path)


@pytest.mark.parametrize("more", [{"W2": np.zeros((6, 4))}, {"c": np.zeros(6)}])
def test_what_the_shapes_leave_open_needs_names(path, more):
    text = refusal(write(path, named("W,a,b", random_rbm()) | more))
    assert "weights, visible_bias, hidden_bias" in text and text.endswith(ASKED)


@pytest.mark.parametrize("names", ["W,a", "W,a,a", ["W", "a", 3], [["W"], "a", "b"], 5])
def test_names_must_be_three(tmp_path, names):
    path = write(tmp_path / "model.npz", {"W": np.zeros((2, 3))})
    with pytest.raises(ValueError, match="^names: expected the names of three different arrays: weights, visible"):
        RBM.load(path, names)


@pytest.mark.parametrize("transposed", ["yes", 2, [True]])
def test_transposed_is_true_or_false(tmp_path, transposed):
    arrays = named("W,a,b", random_rbm())
    with pytest.raises(ValueError, match="^transposed: expected true or false, found "):
        RBM.from_torch(arrays, "W,a,b", transposed=transposed)
    with pytest.raises(ValueError, match="model.npz: transposed: expected true or false, found "):
        RBM.load(write(tmp_path / "model.npz", arrays), transposed=transposed)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ({"b": np.zeros(5)}, "hidden_bias: expected length 4 to match the weights, found 5"),
        ({"a": np.zeros((2, 3))}, "'a': expected a vector, found 2 x 3"),
        ({"a": np.full(6, np.nan)}, "visible_bias: expected finite numbers, found 6 NaN"),
        ({"W": np.zeros((6, 4, 1))}, "weights: expected a non-empty array of 2 dimension(s)"),
    ],
)
def test_named_arrays_that_do_not_fit_are_refused(tmp_path, content, complaint):
    good = {"W": np.zeros((6, 4)), "a": np.zeros(6), "b": np.zeros(4)}
    assert complaint in refusal(write(tmp_path / "model.npz", good | content), "W,a,b")


@pytest.mark.parametrize("wrong", [np.ones((6, 4)) * 1j, np.full((6, 4), "x"), np.full((6, 4), True).astype(object)])
def test_what_is_no_real_number_is_refused_by_name_and_never_guessed(tmp_path, wrong):
    biases = {"a": np.zeros(6), "b": np.zeros(4)}
    path = write(tmp_path / "model.npz", {"W": wrong, **biases})
    assert "real numbers" in refusal(path, "W,a,b") and "W" in refusal(path, "W,a,b")
    with pytest.raises(ValueError, match=f"{re.escape(ASKED)}$"):
        RBM.load(path)


def test_the_last_checkpoint_is_read_or_a_named_one(tmp_path):
    rbm, path = random_rbm(), tmp_path / "checkpoints.h5"
    write_hdf5(path, checkpoint_content(rbm, updates=(1, 9, 10, 100)))
    assert notes_on(path, rbm) == []
    found, notes = read(path, [f"update_9/params/{name}" for name in ("weight_matrix", "vbias", "hbias")])
    assert np.array_equal(found.weights, 0.5 * rbm.weights) and notes == []


def test_checkpoints_of_spins_and_of_other_models(tmp_path):
    rbm, path = random_rbm(), tmp_path / "model.h5"
    write_hdf5(path, checkpoint_content(rbm, kind="IIRBM"))
    assert "its units are -1 and +1: pass --spins (in Python: RBM.load_spins)" in refusal(path)
    found, constant = RBM.load_spins(path)
    expected, shift = RBM.from_spins(rbm.weights, rbm.visible_bias, rbm.hidden_bias)
    assert same(found, expected) and constant == shift
    write_hdf5(path, checkpoint_content(rbm, kind="BGRBM"))
    assert "'BGRBM'" in refusal(path)
    write_hdf5(path, checkpoint_content(rbm))
    with pytest.raises(ValueError, match="its units are 0 and 1"):
        RBM.load_spins(path)


def test_packed_hdf5(tmp_path):
    rbm, path = random_rbm(), tmp_path / "packed.h5"
    with h5py.File(path, "w") as file:
        for name in ("weights", "visible_bias", "hidden_bias"):
            file.create_dataset(name, data=getattr(rbm, name), compression="gzip", shuffle=True)
    assert same(read(path)[0], rbm)
    with h5py.File(path, "a") as file:
        file["weights"].attrs["scale_factor"] = 2.0
    assert "'weights'" in refusal(path) and "scale_factor" in refusal(path)


def spin_log_f(weights, visible_bias, hidden_bias, layers="both"):
    """log f of all pairs of states, -1 and +1 in the layers of spins."""
    states = {"visible": all_states(len(visible_bias)), "hidden": all_states(len(hidden_bias))}
    s, t = (2 * states[name] - 1 if layers in ("both", name) else states[name] for name in ("visible", "hidden"))
    return (s @ visible_bias)[:, None] + s @ weights @ t.T + t @ hidden_bias


@pytest.mark.parametrize("layers", ["both", "visible", "hidden"])
def test_spins_have_the_log_z_of_the_rbm_and_a_constant(layers):
    arrays = named(KNOWN[0], random_rbm(5, 3)).values()
    rbm, constant = RBM.from_spins(*arrays, layers=layers)
    expected = np.logaddexp.reduce(spin_log_f(*arrays, layers).ravel())
    assert exact_log_z(rbm) + constant == pytest.approx(expected, abs=1e-12)


def test_spins_have_the_probabilities_of_the_rbm():
    arrays = named(KNOWN[0], random_rbm()).values()
    (rbm, _), log_f = RBM.from_spins(*arrays), spin_log_f(*arrays)
    expected = np.logaddexp.reduce(log_f, axis=1) - np.logaddexp.reduce(log_f.ravel())
    np.testing.assert_allclose(rbm.log_likelihood(all_states(VISIBLE), exact_log_z(rbm)), expected, atol=1e-12)


def test_spins_are_checked():
    with pytest.raises(ValueError, match="hidden_bias: expected length 2"):
        RBM.from_spins(np.zeros((3, 2)), np.zeros(3), np.zeros(3))
    with pytest.raises(ValueError, match="layers: unknown value 'all'; expected one of both, hidden, visible"):
        RBM.from_spins(np.zeros((3, 2)), np.zeros(3), np.zeros(2), layers="all")


def test_the_last_step_of_a_fitted_pipeline_is_taken():
    data = np.random.default_rng(0).random((40, 6))
    pipeline = Pipeline([("to bits", Binarizer(threshold=0.5)), ("rbm", BernoulliRBM(4, n_iter=2, random_state=0))])
    with pytest.raises(ValueError, match="^Pipeline that ends in BernoulliRBM: expected a fitted BernoulliRBM"):
        RBM.from_sklearn(pipeline)
    pipeline.fit(data)
    assert same(RBM.from_sklearn(pipeline), RBM.from_sklearn(pipeline[-1]))


def test_other_objects_are_refused_in_one_line():
    fitted = PCA(2).fit(np.random.default_rng(0).random((9, 3)))
    for model, what in ((fitted, "PCA"), (Pipeline([("pca", fitted)]), "Pipeline that ends in PCA"), (3, "int")):
        with pytest.raises(ValueError, match=f"^{what}: expected a fitted BernoulliRBM, .*found no ") as caught:
            RBM.from_sklearn(model)
        assert "\n" not in str(caught.value)


def test_what_the_page_says_runs(tmp_path, monkeypatch, capfd):
    """Every snippet of docs/your-own-rbm.md, in order: lines of a shell, of Python, or a formula, which is skipped."""
    monkeypatch.chdir(tmp_path)
    model = random_rbm()
    model.save("model.nc")
    for name, names in (("model.mat", KNOWN[1]), ("model.npz", "W,a,b"), ("spins.npz", "J,a,d")):
        write(tmp_path / name, named(names, model))
    write_hdf5("rbms.h5", checkpoint_content(model))
    data = np.random.default_rng(0).integers(0, 2, (30, VISIBLE))
    names = named("W,c,b", model) | named("J,a,d", model) | {"W2": np.ones((HIDDEN, 2)), "b2": np.zeros(2)}
    names |= {"data": data, "couplings": np.triu([[0, 1], [1, 0]]), "field": np.zeros(2)}
    names["fitted"] = BernoulliRBM(4, n_iter=2, random_state=0).fit(data)
    page = (Path(__file__).parents[1] / "docs" / "your-own-rbm.md").read_text()
    ran = {"shell": 0, "python": 0}
    for block in re.findall(r"(?:^(?:    .*)?\n)*^    .*\n", page, re.MULTILINE):
        lines = textwrap.dedent(block).strip()
        if lines.startswith("logzoo "):
            for line in lines.splitlines():
                assert main(line.split()[1:]) == 0, capfd.readouterr().err
                ran["shell"] += 1
        elif not lines.startswith("W = "):
            exec(lines, names)
            ran["python"] += 1
    assert ran == {"shell": 5, "python": 7}
    assert names["search"].best_score_ < 0.0 and isinstance(names["rbm"], RBM)
