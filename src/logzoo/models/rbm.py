"""Restricted Boltzmann machines with binary units: parameters, energies, files.

xarray, netCDF4 and numba take long to import, and every plan of the workflow imports this module. Modules that need
these packages are therefore imported in the functions that use them.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from logzoo.checks import binary_matrix, finite_array, finite_number, one_of, real_array
from logzoo.io.schema import SCHEMAS, labelled
from logzoo.models.conversions import odd_against_even, two_layers
from logzoo.models.foreign import fitted_arrays, parameters_of, read_as
from logzoo.printing import html_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    import xarray as xr

    from logzoo.types import Array, ArrayLike, FilePath, Floats

_DIMENSIONS = {name: field.dimensions for name, field in SCHEMAS["model"].items()}
PARAMETERS = tuple(_DIMENSIONS)
# Largest rounding error, in nats, of a result that counts as exact.
MOST_ROUNDING = 1e-6
# Attribute a warning to the caller of a constructor that calls `read_as`.
_WARN = partial(warnings.warn, stacklevel=3)
# Number of examples per block, so that memory does not grow with the data.
_ROWS = 4096


@dataclass(frozen=True, eq=False)
class RBM:
    """A restricted Boltzmann machine with units of 0 and 1.

    The joint weight of a state is f(v, h) = exp(c.v + v W h + b.h), and Z is the sum of f over all states.

    Parameters
    ----------
    weights : array, shape (visible, hidden)
        The matrix W.
    visible_bias : array, shape (visible,)
        The vector c.
    hidden_bias : array, shape (hidden,)
        The vector b.

    Raises
    ------
    ValueError
        For entries that are not finite real numbers, and shapes that do not match.

    Examples
    --------
    >>> from logzoo import RBM
    >>> rbm = RBM([[2.0, -1.0], [0.5, 1.0]], [0.0, 0.1], [0.2, -0.3])
    >>> rbm
    RBM(2 visible x 2 hidden)
    >>> rbm.free_energy([[1, 0]]).round(4)
    array([-2.5461])
    """

    weights: np.ndarray
    visible_bias: np.ndarray
    hidden_bias: np.ndarray

    if TYPE_CHECKING:

        def __init__(self, weights: ArrayLike, visible_bias: ArrayLike, hidden_bias: ArrayLike) -> None: ...

    def __post_init__(self):
        for name, dimensions in _DIMENSIONS.items():
            array = real_array(name, getattr(self, name))
            if name != "weights" and array.ndim == 2 and 1 in array.shape:
                array = array.ravel()  # a row or a column
            array = finite_array(name, array, dimensions=len(dimensions))
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        for name, expected in (("visible_bias", self.visible), ("hidden_bias", self.hidden)):
            length = getattr(self, name).size
            if length != expected:
                raise ValueError(f"{name}: expected length {expected} to match the weights, found {length}")

    def __reduce__(self):
        # By default copies and pickles would have writeable arrays, and cached properties of the original.
        return type(self), (self.weights, self.visible_bias, self.hidden_bias)

    @property
    def visible(self) -> int:
        """Number of visible units."""
        return self.weights.shape[0]

    @property
    def hidden(self) -> int:
        """Number of hidden units."""
        return self.weights.shape[1]

    def __repr__(self) -> str:
        return f"RBM({self.visible} visible x {self.hidden} hidden)"

    def _repr_html_(self) -> str:
        """A table for notebooks: sizes, and the ranges of the parameters."""
        arrays = {name: getattr(self, name) for name in _DIMENSIONS}
        ranges = [(name, f"{array.min():.4g} to {array.max():.4g}") for name, array in arrays.items()]
        return html_table("RBM", [("units", f"{self.visible} visible x {self.hidden} hidden"), *ranges])

    @cached_property
    def transposed(self) -> RBM:
        """The RBM with its layers exchanged, which has the same joint distribution and the same Z."""
        return RBM(self.weights.T, self.hidden_bias, self.visible_bias)

    def energy(self, v: ArrayLike, h: ArrayLike) -> Floats:
        """Energies -log f(v, h) in nats, shape (n,), of states of 0 and 1, shapes (n, visible) and (n, hidden)."""
        v = binary_matrix("v", v, visible=self.visible).astype(np.float64)
        h = binary_matrix("h", h, visible=self.hidden).astype(np.float64)
        if len(h) != len(v):
            raise ValueError(f"h: expected as many rows as v has, {len(v)}, found {len(h)}")
        return -(v @ self.visible_bias + h @ self.hidden_bias + np.einsum("ni,ni->n", v @ self.weights, h))

    def free_energy(self, v: ArrayLike) -> Floats:
        """Free energies -log sum_h f(v, h) in nats, shape (n,), of states v of 0 and 1, shape (n, visible)."""
        return -self.log_f(binary_matrix("v", v, visible=self.visible))

    def log_f(self, v: ArrayLike) -> Floats:
        """log sum_h f(v, h) in nats, shape (n,), of the rows of v, shape (n, visible), with numbers from 0 to 1.

        Raises ValueError for other numbers and shapes, and where rounding could move a value by more than 1e-6 nat.
        """
        v = real_array("v", v)
        if v.ndim != 2 or v.shape[1] != self.visible:
            raise ValueError(f"v: expected a matrix of {self.visible} columns (visible units), found shape {v.shape}")
        if v.size and not (v.min() >= 0 and v.max() <= 1):
            raise ValueError("v: expected numbers from 0 to 1 only")
        from logzoo.kernels.elementary import add_softplus

        values = np.empty(len(v))
        for start in range(0, len(v), _ROWS):
            rows = v[start : start + _ROWS].astype(np.float64)
            inputs = rows @ self.weights + self.hidden_bias
            self._check_rounding(rows, inputs)
            values[start : start + _ROWS] = rows @ self.visible_bias
            add_softplus(inputs, values[start : start + _ROWS])
        return values

    @cached_property
    def rounding(self) -> float:
        """Largest rounding error of log f, in nats: machine epsilon times the sum of absolute parameters."""
        sizes = (float(np.abs(getattr(self, name)).sum()) for name in _DIMENSIONS)
        return float(np.finfo(np.float64).eps) * sum(sizes)

    def _check_rounding(self, rows, inputs):
        """Raise ValueError if rounding can move log f of a row by more than 1e-6 nat; inputs (row, hidden) in nats."""
        if self.rounding <= MOST_ROUNDING:
            return
        # A unit that is certainly off adds nothing, even if its input lost digits.
        on = np.exp(np.minimum(inputs, 0.0))
        moved = rows @ np.abs(self.weights) + np.abs(self.hidden_bias)
        # The product of 0 and an infinite sum would be NaN.
        moved = np.where(on == 0.0, 0.0, moved) * on
        largest = float((rows @ np.abs(self.visible_bias) + moved.sum(axis=1)).max()) * np.finfo(np.float64).eps
        if not largest <= MOST_ROUNDING:
            error = f"rounding could change log f by {largest:.2g} nat, expected at most {MOST_ROUNDING:g} nat"
            raise ValueError(f"weights, biases: too large: {error}")

    def log_likelihood(self, v: ArrayLike, log_z: float) -> Floats:
        """log p(v) = log f(v) - log Z in nats, shape (n,), of states v of 0 and 1, shape (n, visible)."""
        return -self.free_energy(v) - finite_number("log_z", log_z)

    def to_dataset(self) -> xr.Dataset:
        """The parameters as an xarray Dataset with the dimensions visible and hidden."""
        import xarray as xr

        arrays = {name: (dimensions, getattr(self, name)) for name, dimensions in _DIMENSIONS.items()}
        return xr.Dataset({name: labelled(*array, name.replace("_", " "), "1") for name, array in arrays.items()})

    @classmethod
    def from_dataset(cls, dataset: xr.Dataset) -> RBM:
        """The RBM in a Dataset from `to_dataset`, or in one snapshot of a training: ``snapshots.sel(update=...)``."""
        if "update" in dataset.dims or not {*PARAMETERS} <= {*dataset.data_vars}:
            raise ValueError(
                f"expected a Dataset with {', '.join(PARAMETERS)}, or one snapshot, as in snapshots.isel(update=-1)"
            )
        return cls(*(dataset[name].transpose(..., *dimensions).values for name, dimensions in _DIMENSIONS.items()))

    def save(self, path: FilePath) -> None:
        """Write the parameters to a NetCDF file. Raises ValueError for a bad path or a suffix other than .nc."""
        if Path(path).suffix.lower() != ".nc":
            raise ValueError(f"{path}: expected a file name ending in .nc, because models are saved as NetCDF")
        from logzoo.io.atomic import resolved_output
        from logzoo.io.netcdf import write_artifact

        origin = {"parameters": {}, "source": "", "inputs": {}, "seed_path": ""}
        write_artifact(self.to_dataset(), resolved_output(path), kind="model", **origin)

    @classmethod
    def load(cls, path: FilePath, names: str | Sequence[str] | None = None, *, transposed: bool | None = None) -> RBM:
        """Read an RBM from a file written by `save` or the workflow, or in a format of docs/your-own-rbm.md.

        Parameters
        ----------
        path : path
        names : str or sequence of three str, optional
            Names of weights, visible bias and hidden bias, such as ``"W,a,b"``, or their paths in groups, structs and
            dicts. By default the arrays are found by known names, or by shapes and names of biases.
        transposed : bool, optional
            Whether the weights are stored as (hidden, visible). By default the biases decide. If the weights are
            square, the package that uses these names decides.

        Returns
        -------
        RBM

        Raises
        ------
        ValueError
            If the file holds no RBM that can be read; the message is one line that names the file.

        Warns
        -----
        UserWarning
            If names or orientation are assumed or unusual, or if arrays of label units are left out.
        """
        return read_as(cls, path, names, transposed, tell=_WARN)

    @classmethod
    def load_spins(
        cls, path: FilePath, names: str | Sequence[str] | None = None, *, transposed: bool | None = None
    ) -> tuple[RBM, float]:
        """Read a model of spins as `load` reads an RBM; return the RBM and the constant of `from_spins`."""
        return read_as(cls.from_spins, path, names, transposed, spins=True, tell=_WARN)

    @classmethod
    def from_mat(cls, path: FilePath, names: str | Sequence[str] | None = None) -> RBM:
        """Read an RBM from a MATLAB file, as `load` does."""
        return read_as(cls, path, names, tell=_WARN)

    @classmethod
    def from_torch(
        cls,
        state_dict: Mapping[str, Any],
        names: str | Sequence[str] | None = None,
        *,
        transposed: bool | None = None,
    ) -> RBM:
        """The RBM in a state dict of PyTorch, or in any dict of arrays, which may be nested.

        ``names``, ``transposed`` and the warnings are as in `load`. Raises ValueError if names and shapes do not
        identify the arrays, and for arrays that do not fit.

        Examples
        --------
        >>> import numpy as np
        >>> from logzoo import RBM
        >>> RBM.from_torch({"rbm.W": np.zeros((2, 3)), "rbm.v_bias": np.zeros(3), "rbm.h_bias": np.zeros(2)})
        RBM(3 visible x 2 hidden)
        """
        parameters = parameters_of(state_dict, names, transposed=transposed)
        if parameters.note:
            warnings.warn(parameters.note, stacklevel=2)
        return cls(*parameters[:3])

    @classmethod
    def from_sklearn(cls, model: object) -> RBM:
        """The RBM of a fitted scikit-learn BernoulliRBM, or of a fitted Pipeline that ends in one.

        Earlier steps of a pipeline are left out. Raises ValueError for anything else.
        """
        return cls(*parameters_of(fitted_arrays(model))[:3])

    @classmethod
    def from_spins(
        cls, weights: ArrayLike, visible_bias: ArrayLike, hidden_bias: ArrayLike, *, layers: str = "both"
    ) -> tuple[RBM, float]:
        """The RBM of a model of spins -1 and +1, and a constant.

        The model has log f(s, t) = a.s + s J t + d.t, with visible spins s and hidden spins t.

        Parameters
        ----------
        weights, visible_bias, hidden_bias : array, shapes (visible, hidden), (visible,) and (hidden,)
            J, a and d.
        layers : str
            ``"visible"`` or ``"hidden"`` if only that layer has spins.

        Returns
        -------
        RBM, float
            log Z of the spins is log Z of the RBM plus the constant, in nats. In data, 0 stands for the spin -1.

        Raises
        ------
        ValueError
            As for `RBM`, and for other layers.

        Examples
        --------
        >>> from logzoo import RBM, exact_log_z
        >>> rbm, constant = RBM.from_spins([[1.0]], [0.0], [0.0])
        >>> round(exact_log_z(rbm) + constant, 4)  # log of 4 cosh(1)
        1.8201
        """
        spins = cls(weights, visible_bias, hidden_bias)
        one_of("layers", layers, ("both", "visible", "hidden"))
        # A spin is 2v - 1, any other unit is v; both are scale * v - shift.
        scale_v, shift_v = (1, 0) if layers == "hidden" else (2, 1)
        scale_h, shift_h = (1, 0) if layers == "visible" else (2, 1)
        rbm = cls(
            scale_v * scale_h * spins.weights,
            scale_v * (spins.visible_bias - shift_h * spins.weights.sum(axis=1)),
            scale_h * (spins.hidden_bias - shift_v * spins.weights.sum(axis=0)),
        )
        constant = shift_v * shift_h * spins.weights.sum()
        constant -= shift_v * spins.visible_bias.sum() + shift_h * spins.hidden_bias.sum()
        return rbm, float(constant)

    @classmethod
    def from_ising(cls, couplings: ArrayLike, field: ArrayLike) -> tuple[RBM, float, Array]:
        """The RBM that equals a bipartite Ising model, log f(s) = sum over i < j of J_ij s_i s_j + field.s.

        Parameters
        ----------
        couplings : array, shape (n, n)
            J, as a symmetric matrix or one triangle of it. The n spins are -1 and +1.
        field : array, shape (n,)

        Returns
        -------
        RBM, float, ndarray
            log Z of the spins is log Z of the RBM plus the constant, in nats. The array lists the spins that are
            visible units, in order; the other spins are hidden units.

        Raises
        ------
        ValueError
            For other arrays, and for loops of odd length, because such spins do not form two layers.

        Examples
        --------
        >>> from logzoo import RBM, exact_log_z
        >>> rbm, constant, visible = RBM.from_ising([[0, 1, 0], [0, 0, 1], [0, 0, 0]], [0, 0, 0])
        >>> round(exact_log_z(rbm) + constant, 4), visible.tolist()  # log of 8 cosh(1)^2
        (2.947, [0, 2])
        """
        parameters, visible = two_layers(couplings, field)
        return *cls.from_spins(*parameters), visible

    @classmethod
    def from_dbm(cls, layers: Sequence[ArrayLike]) -> RBM:
        """The RBM that equals a deep Boltzmann machine, with the same Z; `logzoo.dbm_log_likelihood` is for data.

        Parameters
        ----------
        layers : sequence of arrays
            Biases and weights in turn from the visible layer up, ``[bias_0, weights_1, bias_1, ...]``. Weights have
            the shape (lower layer, upper layer).

        Returns
        -------
        RBM
            Its visible units are the even layers (0, 2, ...) of the machine; its hidden units are the odd layers.

        Raises
        ------
        ValueError
            For arrays that do not fit.
        """
        return cls(*odd_against_even(layers))


def refuse_rounding(what: str, moved: float) -> None:
    """Raise ValueError if rounding could move log Z by more than 1e-6 nat; what: start of the message."""
    if not moved <= MOST_ROUNDING:
        error = f"rounding could change log Z by {moved:.2g} nat, expected at most {MOST_ROUNDING:g} nat"
        raise ValueError(f"{what}: the parameters are too large: {error}")


def snapshots_of(dataset: xr.Dataset) -> list[RBM]:
    """A list of the RBMs in a Dataset over `update`, such as the snapshots of a training; ValueError if it has none."""
    if not {"update", *PARAMETERS} <= {*dataset.dims, *dataset.data_vars}:
        raise ValueError("snapshots: expected the Dataset of a training, found a Dataset without RBMs over `update`")
    return [RBM.from_dataset(dataset.isel(update=number)) for number in range(dataset.sizes["update"])]
