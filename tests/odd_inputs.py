"""Odd inputs of every kind, drawn at random: files of strange arrays, values of options, command lines."""

import contextlib
import datetime
import io
import warnings
import zipfile
from decimal import Decimal

import netCDF4
import numpy as np
import scipy.io
import xarray as xr

from logzoo import RBM, estimate_log_z, exact_log_z, lower_bound, mean_log_likelihood, sample_gibbs, train_rbm
from logzoo.cli.files import description, read_data, read_model
from logzoo.cli.main import main
from logzoo.estimators.estimator_registry import ESTIMATORS
from logzoo.io.netcdf import write_artifact
from logzoo.io.seals import seal
from logzoo.trainers.registry import TRAINERS

VISIBLE, HIDDEN = 7, 3
SIDES = (VISIBLE, HIDDEN)
REAL = ("?", "i1", "u1", "i2", "u4", "i8", "f4", "f8", ">f8")
STRANGE = ("f2", "c8", "c16", "M8[D]", "m8[s]", "U3", "S3", "O", "V8", "i4,f8", "g")
KNOWN = (("weights", "visible_bias", "hidden_bias"), ("vishid", "visbiases", "hidbiases"))
ATTRIBUTES = ("scale_factor", "add_offset", "missing_value", "valid_min", "valid_range", "_Unsigned", "units")


def chosen(generator, choices):
    return choices[int(generator.integers(len(choices)))]


def array(generator, shape):
    """Numbers of that shape, mostly; else of another type, or shape, or with entries that are none."""
    if generator.random() < 0.1:
        shape = tuple(generator.integers(0, 5, generator.integers(0, 4)))
    values = np.asarray(generator.integers(0, 3, shape))
    values = values.astype(chosen(generator, REAL if generator.random() < 0.85 else STRANGE))
    if values.dtype.kind == "f" and values.size and generator.random() < 0.1:
        values.flat[0] = chosen(generator, (np.nan, np.inf, -1e300, 1e308))
    return np.ma.array(values, mask=True) if generator.random() < 0.03 else values


def arrays(generator):
    """Arrays by name: a model, with names that are known, or two such sets, or unknown ones; some left out or more."""
    named = {}
    for names in KNOWN[: 1 + int(generator.random() < 0.1)] if generator.random() < 0.9 else (("W", "a", "b"),):
        shapes = (SIDES, SIDES[:1], SIDES[1:])
        named |= {name: array(generator, shape) for name, shape in zip(names, shapes, strict=True)}
    if generator.random() < 0.1:
        named.pop(chosen(generator, list(named)))
    if generator.random() < 0.2:
        named[chosen(generator, ("more", "x" * 200, "a/b", "model_type", "\x1b[2J"))] = array(generator, (2, 2))
    return named


def npz_file(path, generator):
    named = arrays(generator)
    np.savez_compressed(path, **named)
    if generator.random() < 0.2:  # a header that claims more than there is, or anything, or an array that is twice
        shape = tuple(int(10 ** generator.uniform(0, 9)) for _ in range(2))
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(header, {"shape": shape, "fortran_order": False, "descr": "<f8"})
        with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings(action="ignore"):
            name = chosen(generator, [*named, "new"])
            archive.writestr(f"{name}.npy", header.getvalue() + bytes(int(generator.integers(0, 1 << 22))))
        return None
    return named


def npy_file(path, generator):
    shape = chosen(generator, ((20, VISIBLE), (20,), (), (0, VISIBLE), (2, 3, 4)))
    data = array(generator, shape)
    np.save(path, np.ma.getdata(data), allow_pickle=True)


def mat_file(path, generator):
    named = {name[:30]: np.ma.getdata(values) for name, values in arrays(generator).items()}
    named = {name: values for name, values in named.items() if values.dtype.char not in "mMgV?O"}
    scipy.io.savemat(path, named, do_compression=bool(generator.random() < 0.5))
    return named


def h5_file(path, generator):
    with netCDF4.Dataset(path, "w") as file:
        named = arrays(generator)
        for number, (name, values) in enumerate(named.items()):
            if values.dtype.kind not in "biuf" or values.dtype.char in "eg?" or "/" in name:
                continue
            sides = []
            for axis, size in enumerate(values.shape):
                claim = int(10 ** generator.uniform(3, 6)) if generator.random() < 0.03 else max(int(size), 1)
                sides.append(f"n{number}_{axis}")
                file.createDimension(sides[-1], claim)
            fill = 1 if generator.random() < 0.1 else None
            variable = file.createVariable(name.replace("\x1b", "e"), values.dtype, sides, fill_value=fill, zlib=True)
            if variable.shape == values.shape and values.size:
                variable[...] = np.ma.getdata(values)
            if generator.random() < 0.1:
                variable.setncattr(
                    chosen(generator, ATTRIBUTES), chosen(generator, (2.0, 0.0, "x", "true", [1.0, 2.0]))
                )


def nc_file(path, generator):
    """An artifact that is sealed, whatever it holds."""
    labels = {"long_name": "x", "units": "1"}
    named = dict(zip(KNOWN[0], (SIDES, SIDES[:1], SIDES[1:]), strict=True))
    variables = {}
    for name, shape in named.items():
        values = np.ma.getdata(array(generator, shape))
        dimensions = ("visible", "hidden") if name == "weights" else (name.partition("_")[0],)
        if values.ndim == len(dimensions):
            more = {chosen(generator, ATTRIBUTES): 2.0} if generator.random() < 0.05 else {}
            variables[name] = (dimensions, values, labels | more)
    try:
        save = {"kind": "model", "parameters": {}, "source": "", "inputs": {}, "seed_path": ""}
        write_artifact(xr.Dataset(variables), path, **save)
    except (ValueError, TypeError, OSError, RuntimeError):
        xr.Dataset({"x": ("x", np.ones(3))}).to_netcdf(path)
        seal(path)


FILES = {".npz": npz_file, ".npy": npy_file, ".mat": mat_file, ".h5": h5_file, ".nc": nc_file}


def file_case(folder, generator):
    """(what it is, how it is read): reading ends well, with the numbers that were written, or in a ValueError."""
    suffix = chosen(generator, list(FILES))
    path = folder / f"odd{suffix}"
    with warnings.catch_warnings(action="ignore"):
        named = FILES[suffix](path, generator)

    def read(_):
        if suffix == ".npy":
            found, _ = read_data(path, "train")
            return None if found.dtype == np.uint8 and found.max() <= 1 else "no 0/1 matrix"
        rbm = read_model(path, tell=lambda note: None)
        description(path)
        weights = [named[names[0]] for names in KNOWN if named and set(names) <= named.keys()]
        same = (np.array_equal(rbm.weights, each.astype(float).reshape(rbm.weights.shape)) for each in weights)
        return None if all(same) else "other weights than were written"

    return f"file {suffix}", read


def odd_value(generator):
    """Anything; no number that is possible and makes work for more than a moment."""
    kind = int(generator.integers(6))
    if kind == 0:
        return chosen(generator, (None, True, False, 1j, b"x", object(), object, print, Decimal(1), datetime.date.max))
    if kind == 1:
        return chosen(generator, (-1, 0, 1, 2, 3, 10**13, 10**24, 10**400, -(10**400), np.int8(3), np.uint64(2**63)))
    if kind == 2:
        floats = (-1.0, -0.0, 0.5, 1.0, 1.5, 1e24, 1e308, 1e-308, np.nan, np.inf, -np.inf)
        return chosen(generator, (float, np.float32, np.longdouble, np.float64))(chosen(generator, floats))
    if kind == 3:
        return chosen(generator, ("", "x", "auto", "rts", "\x1b[2J", "two\nlines", "é", "\udcff", "a" * 5000, "\0"))
    if kind == 4:
        return array(generator, chosen(generator, (SIDES, SIDES[:1], (4, VISIBLE), (2,))))
    items = [odd_value(generator) for _ in range(generator.integers(0, 4))]
    return chosen(generator, (items, tuple(items), {str(number): item for number, item in enumerate(items)}))


def model():
    return RBM(np.linspace(-1.0, 1.0, VISIBLE * HIDDEN).reshape(SIDES), np.zeros(VISIBLE), np.zeros(HIDDEN))


def examples():
    return np.random.default_rng(2).integers(0, 2, (20, VISIBLE)).astype(np.uint8)


ESTIMATE = {"method": "ais", "sweeps": 20, "chains": 4, "check": False}
TRAIN = {"data": examples(), "method": "pcd", "hidden": 2, "updates": 3, "batch": 5}
# Functions, the settings that all get, and which of them are replaced by odd values.
CALLS = (
    (RBM, {"weights": np.zeros(SIDES), "visible_bias": np.zeros(VISIBLE), "hidden_bias": np.zeros(HIDDEN)}, ()),
    (
        RBM.from_spins,
        {"weights": np.zeros(SIDES), "visible_bias": np.zeros(VISIBLE), "hidden_bias": [0.0] * 3},
        "layers",
    ),
    (exact_log_z, {"rbm": model()}, ("threads",)),
    (lower_bound, {"rbm": model(), "draws": 20, "starts": 4}, ("steps", "seed", "data", "threads")),
    (sample_gibbs, {"rbm": model(), "chains": 2, "sweeps": 2}, ("beta", "start", "seed", "threads")),
    (mean_log_likelihood, {"rbm": model(), "data": examples(), "estimate": 3.0}, ()),
    (lambda **given: model().log_likelihood(**given), {"v": examples(), "log_z": 3.0}, ()),
    (lambda **given: model().energy(**given), {"v": examples()[:, :VISIBLE], "h": np.zeros((20, HIDDEN))}, ()),
)


def api_case(folder, generator):
    """A call with odd values: it ends well, or in a ValueError or TypeError of one line, or without memory."""
    kind = generator.random()
    if kind < 0.4:
        method = chosen(generator, list(ESTIMATORS))
        settings = (
            {"rbm": model()} | ESTIMATE | {"method": method, "data": examples() if method == "las-vegas" else None}
        )
        known = {*settings, "seed", "base", *ESTIMATORS[method].options}
        function = estimate_log_z
    elif kind < 0.8:
        method = chosen(generator, list(TRAINERS))
        settings, function = TRAIN | {"method": method}, train_rbm
        known = {*settings, "seed", *TRAINERS[method].options} - {"stream", "progress"}
    else:
        function, settings, more = chosen(generator, CALLS)
        known = {*settings, *((more,) if isinstance(more, str) else more)}
    odd = {chosen(generator, sorted(known)): odd_value(generator) for _ in range(1 + int(generator.random() < 0.2))}
    if isinstance(odd.get("checkpoint"), str):  # a name, which makes a file here
        odd["checkpoint"] = folder / "x"

    def call(_):
        try:
            with warnings.catch_warnings(action="ignore"):
                function(**settings | odd)
        except (ValueError, TypeError) as error:
            text = str(error)
            return None if "\n" not in text and 0 < len(text) < 1000 else f"message: {text!r:.300}"
        except MemoryError:
            return None
        return None

    shown = ", ".join(f"{name}={type(value).__name__} {ascii(str(value)[:40])}" for name, value in small(odd).items())
    return f"api {settings.get('method', '')}: {shown}", call


def small(values):
    """Values without whole numbers that cannot be shown."""
    return {
        name: "huge" if isinstance(value, int) and abs(value) > 10**300 else repr(value)
        for name, value in values.items()
    }


TEXTS = ("1e400", "[1]", "[[0,1]]", "{}", "null", "true", "NaN", "1e24", "9" * 400, "9" * 5000, "-1", "0", "0.5", "1j")
TEXTS += (
    "\x1b[2J",
    "",
    "[" * 5000,
    "é",
    "\udcff",
    "auto",
    "model.nc",
    "data.npy",
    "absent",
    "/dev/null",
    "x" * 300,
    ".",
    "a,b",
)
FLAGS = {
    "estimate": (
        "--sweeps",
        "--chains",
        "--seed",
        "--base",
        "--base-data",
        "--data",
        "--checkpoint",
        "--tolerance",
        "--names",
    ),
    "train": ("--hidden", "--updates", "--batch", "--learning-rate", "--seed", "--checkpoint", "--output", "--method"),
    "exact": ("--names",),
    "info": (),
}


def cli_case(folder, generator):
    """A command line with odd values: exit code 0, or 1 and one line."""
    command = chosen(generator, list(FLAGS))
    method = chosen(generator, list({"estimate": ESTIMATORS, "train": TRAINERS}.get(command, ("",))))
    file = "data.npy" if command == "train" else chosen(generator, ("model.nc", *TEXTS))
    argv = [command, file]
    if command == "estimate":
        argv += ["--sweeps", "20", "--chains", "4", "--method", method]
    if command == "train":
        argv += ["--hidden", "2", "--updates", "3", "--batch", "5", "--method", method, "-o", "new.nc"]
    for _ in range(generator.integers(1, 3)):
        if method and generator.random() < 0.6:
            options = sorted({"estimate": ESTIMATORS, "train": TRAINERS}[command][method].options)
            argv += ["--option", f"{chosen(generator, options)}={chosen(generator, TEXTS)}"]
        elif FLAGS[command]:
            flag, text = chosen(generator, FLAGS[command]), chosen(generator, TEXTS)
            argv += [] if (flag, text) == ("--output", "model.nc") else [f"{flag}={text}"]  # which writes that file

    def call(_):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as err:
            code = main(argv)
        errors = [line for line in err.getvalue().splitlines() if line.startswith("logzoo: error: ")]
        if code not in (0, 1) or len(errors) != code or "Traceback" in err.getvalue():
            return f"exit code {code}: {err.getvalue()!r:.300}"
        return None

    return f"cli {ascii(' '.join(argv))[:200]}", call


CASES = (file_case, api_case, cli_case)
