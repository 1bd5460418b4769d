"""How the chains of RTS pass the narrowest place of the ladder, beside those from a matched base.

At the ends of the ladder the flux is small from any base, so that it is compared place by place.
"""

import numpy as np
import xarray as xr

from logzoo.io.schema import coordinate, labelled

_LONG_NAME = "smallest ratio, over the places of the ladder, of the flux there to the mean one from a matched base"


def run(artifacts):
    """The experiment on estimates by RTS from a `uniform` and a `matched` base, at the largest budget of both.

    A Dataset of the narrowest place of every run: of those from a uniform base, and of those from a matched one.
    """
    matrices = {name: estimate["transition_matrix"] for name, estimate in artifacts.items()}
    budget = max(set.intersection(*({*matrix["budget"].values.tolist()} for matrix in matrices.values())))
    fluxes = {name: flux(matrix.sel(budget=budget).values) for name, matrix in matrices.items()}
    reference = fluxes["matched"].mean(axis=0)
    passed = reference > 0.0
    return xr.Dataset(
        {
            name: labelled(f"{name}_replicate", narrowest(values[:, passed] / reference[passed]), _LONG_NAME, "1")
            for name, values in fluxes.items()
        },
        coords={
            f"{name}_replicate": coordinate(f"{name}_replicate", range(len(values)), f"repeat from a {name} base")
            for name, values in fluxes.items()
        },
        attrs={"budget": budget},
    )


def narrowest(ratios):
    """The smallest of the ratios (run, place) of every run; NaN where there is no place."""
    return ratios.min(axis=-1) if ratios.shape[-1] else np.full(len(ratios), np.nan)


def flux(transitions):
    """Share of the moves that cross each place of the ladder upwards (..., part - 1), from (..., part, part) matrices.

    Rows are weighed equally: the prior is uniform.
    """
    parts = transitions.shape[-1]
    boundary = np.arange(1, parts)
    upwards = np.flip(np.flip(transitions, -1).cumsum(axis=-1, dtype=np.float64), -1).cumsum(axis=-2)
    return upwards[..., boundary - 1, boundary] / parts
