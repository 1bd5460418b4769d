"""Every error of a user ends in one line that names it, with exit code 1 and nothing written."""

import pickle
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import xarray as xr

from logzoo import RBM
from logzoo.cli.main import main
from logzoo.io.netcdf import write_artifact

VISIBLE, HIDDEN = 8, 3
BUDGET = "--sweeps 50 --chains 2"
TRAINING = "--hidden 2 --updates 5 --batch 5"
ORIGIN = {"parameters": {}, "source": "", "inputs": {}, "seed_path": ""}

# The command, and words that its one error line must contain.
CASES = [
    # Usage
    ("estimate", "required: MODEL"),
    ("estimate model.nc --sweeps many", "--sweeps: expected a whole number such as 10000 or 1e4, found 'many'"),
    ("estimat model.nc", "unknown value 'estimat'; did you mean 'estimate'? expected one of audit, "),
    ("estimate model.nc --metod=ais", "unknown option '--metod'; did you mean '--method'? expected one of --base, "),
    ("estimate model.nc --base mods", "--base: unknown value 'mods'; did you mean 'modes'? expected one of matched, "),
    (f"train data.nc {TRAINING}", "required: -o/--output"),
    ("estimate model.nc extra", "unexpected arguments: extra; usage: logzoo estimate [options] MODEL"),
    ("estimate -- model.nc --json", "unexpected arguments: --json; usage: logzoo estimate [options] MODEL"),
    ("audit figures --output new.json", "replication audit figures --output new.json"),
    # Methods and their options
    ("estimate model.nc --method guess", "method: unknown value 'guess'; expected one of ais, "),
    (f"train data.nc {TRAINING} --method guess -o new.nc", "method: unknown value 'guess'; expected one of cd, "),
    (f"estimate model.nc {BUDGET} --method rts --option rungz=5", "unknown option 'rungz'; did you mean 'rungs'? "),
    (f"estimate model.nc {BUDGET} --method rts --option rungs=many", "rungs: expected a whole number of at least 2"),
    (f"train data.nc {TRAINING} --option kk=5 -o new.nc", "pcd: unknown option 'kk'; did you mean 'k'? "),
    # Sizes
    ("estimate model.nc --sweeps 0", "sweeps: expected a whole number of at least 1, found 0"),
    ("estimate model.nc --method rts --chains 1000000000000000", "chains: expected a whole number of at most 1,000,0"),
    ("estimate model.nc --method rts --chains 999999999999", "too large"),
    ("train data.nc --hidden 2 --updates 5 --batch 99 -o new.nc", "batch: expected at most 10"),
    (f"train data.nc {TRAINING} --learning-rate nan -o new.nc", "learning_rate: expected a finite number above 0"),
    ("exact large.nc", "smaller layer has 40 units"),
    # Models
    ("exact absent.nc", "absent.nc: no such file"),
    ("exact model.pt", "model.pt: reading a pickle runs any program in it"),
    ("info model.pt", "import joblib; RBM.from_sklearn(joblib.load('model.pt')).save('model.nc')"),
    ("exact data.npy", "data.npy: one array of NumPy, but an RBM has three: np.savez("),
    ("info table.csv", "table.csv: a text file; in Python read its numbers by np.loadtxt, then np.savez("),
    ("exact other.npz", "other.npz: expected the arrays weights, visible_bias, hidden_bias or the arrays of a known"),
    ("exact model.nc --transposed", "model.nc: the weights of an artifact are (visible, hidden): leave"),
    ("exact model.mat --names W,a,b", "model.mat: the arrays 'W', 'a', 'b' are missing; found 'v"),
    ("exact model.nc --spins", "model.nc: its units are 0 and 1"),
    ("exact folder.nc", "folder.nc: expected a file, found a folder"),
    ("exact data.nc", "data.nc: expected a model artifact, found a dataset artifact"),
    ("exact truncated.nc", "truncated.nc: not a logzoo artifact, or damaged"),
    ("exact nan.nc", "nan.nc: weights: expected finite numbers, found 1 NaN"),
    ("exact huge.nc", "exact log Z: the parameters are too large"),
    ("exact truncated.mat", "truncated.mat: expected a whole MATLAB file"),
    (f"estimate huge.nc {BUDGET}", ""),  # any message
    # Data
    (f"train data.csv {TRAINING} -o new.nc", "data.csv: expected data in a .nc"),
    (f"train model.nc {TRAINING} -o new.nc", "model.nc: expected a dataset artifact, found a model artifact"),
    (f"train objects.npy {TRAINING} -o new.nc", "objects.npy: not a readable .npy file"),
    (f"train counts.npy {TRAINING} -o new.nc", "counts.npy: expected zeros and ones only; found 2 to 2"),
    (f"train signs.npy {TRAINING} -o new.nc", "signs.npy: expected zeros and ones only; found -1 and 1: pass (x + 1)"),
    (f"train halves.npy {TRAINING} -o new.nc", "expected zeros and ones only; found grey levels: pass x >="),
    (f"train grey.nc {TRAINING} -o new.nc", "grey.nc: expected zeros and ones only"),
    (f"train test_only.nc {TRAINING} -o new.nc", "test_only.nc: dataset: no examples in split train"),
    (f"estimate model.nc {BUDGET} --data wide.npy", "wide.npy: expected 8 columns (visible units), found 9"),
    (f"estimate model.nc {BUDGET} --data train_only.nc", "train_only.nc: dataset: no examples in split test"),
    # Where to write
    (f"train data.nc {TRAINING} -o absent/new.nc", "cannot write absent/new.nc: there is no folder absent"),
    (f"train data.nc {TRAINING} -o folder.nc", "cannot write folder.nc: it is a folder"),
    (f"train data.nc {TRAINING} -o new.mat", "new.mat: expected the name of a .nc file"),
    (f"train data.nc {TRAINING} -o data.nc", "cannot write data.nc: "),
]


def ones(examples, visible=VISIBLE):
    return np.ones((examples, visible), np.uint8)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder of files, good and bad, that no command may change."""
    folder = tmp_path_factory.mktemp("files")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_models()
        write_datasets()
        write_arrays()
        for name in ("model.nc", "model.mat"):
            content = (folder / name).read_bytes()
            (folder / name).with_stem("truncated").write_bytes(content[: len(content) // 2])
        (folder / "folder.nc").mkdir()
        yield folder


def rbm(visible=VISIBLE, hidden=HIDDEN, weight=0.1):
    return RBM(np.full((visible, hidden), weight), np.zeros(visible), np.zeros(hidden))


def write_models():
    for name, model in (("model.nc", rbm()), ("huge.nc", rbm(weight=1e308)), ("large.nc", rbm(40, 40))):
        model.save(name)
    broken = rbm().to_dataset().copy(deep=True)
    broken["weights"][0, 0] = np.nan
    write_artifact(broken, "nan.nc", kind="model", **ORIGIN)
    content = {"vishid": rbm().weights, "visbiases": np.zeros(VISIBLE), "hidbiases": np.zeros(HIDDEN)}
    scipy.io.savemat("model.mat", content)


def write_datasets():
    both = np.repeat(np.array([0, 2], np.int8), 10)
    write_dataset("data.nc", ones(20), both)
    write_dataset("train_only.nc", ones(20), 0 * both)
    write_dataset("test_only.nc", ones(20), 0 * both + 2)
    write_dataset("grey.nc", 100 * ones(20), both, value_scale=255)


def write_dataset(path, data, split, value_scale=1):
    labels, scale = {"long_name": "test data", "units": "1"}, {"value_scale": value_scale}
    variables = {"data": (("example", "visible"), data, labels | scale), "split": ("example", split, labels)}
    write_artifact(xr.Dataset(variables), path, kind="dataset", **ORIGIN)


def write_arrays():
    arrays = {"data": ones(20), "wide": ones(20, VISIBLE + 1), "counts": 2 * ones(20), "signs": -1.0 * ones(20)}
    for name, array in (arrays | {"halves": 0.5 * ones(20), "objects": np.array([[None]])}).items():
        np.save(f"{name}.npy", array, allow_pickle=True)
    Path("model.pt").write_bytes(pickle.dumps({"weights": 1}))
    Path("table.csv").write_text("0.5,1.5\n")
    np.savez("other.npz", weights=ones(3))


def contents(folder):
    return {path.name: path.read_bytes() if path.is_file() else list(path.iterdir()) for path in folder.iterdir()}


@pytest.mark.parametrize(("command", "complaint"), CASES, ids=[command for command, _ in CASES])
def test_one_line_and_nothing_written(files, capfd, command, complaint):
    before = contents(files)
    assert main(command.split()) == 1
    out, err = capfd.readouterr()
    assert out == "" and complaint in err and "Traceback" not in err and len(err) < 600
    assert err.startswith("logzoo: error: ") and err.endswith("\n") and err.count("\n") == 1, err
    assert contents(files) == before
