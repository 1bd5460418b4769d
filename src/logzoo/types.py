"""Type aliases for annotations."""

from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
ArrayLike = npt.ArrayLike
Bits = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
FilePath = str | PathLike[str]
Generator = np.random.Generator
Seed = int | str
