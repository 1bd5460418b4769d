"""log Z by tours as they accumulate: figure 4 of Savarese et al. (2018), beside other estimators at equal cost.

Estimates are {model: Dataset of `experiments.tour_estimates`}; titles: of models, names: of the other estimators.
"""

import numpy as np

from logzoo.figures.statistics import rmse_with_band
from logzoo.figures.style import TRUTH, label_panels, look_of, mark_stand_in, new_figure

_TOURS = "#332288"
# Errors beyond so many times the spread of all intervals but the first ones are cut off.
_ROOM = 1.2


def figure_4(estimates, titles, names):
    """Errors of log Z by tours with their intervals against the number of tours; RMSE against chain-sweeps."""
    figure = new_figure(3.4 * len(estimates) + 0.6, 6.0)
    axes = figure.subplots(2, len(estimates), squeeze=False)
    for (above, below), (model, one) in zip(axes.T, estimates.items(), strict=True):
        _draw_errors(above, one)
        above.set_title(f"{titles[model]}\nlog Z = {float(one['exact']):.2f}", loc="right", fontsize=8)
        _draw_costs(below, one, names)
    axes[0, 0].set_ylabel("log Z by tours - exact [nat]")
    axes[1, 0].set_ylabel("RMSE of log Z [nat]")
    axes[0, 0].legend(fontsize=8)
    axes[1, 0].legend(fontsize=8)
    label_panels(axes.ravel())
    mark_stand_in(figure, *estimates.values())
    return figure


def _draw_errors(axis, one):
    exact = float(one["exact"])
    tours = one["tours"].values
    for replicate in one["replicate"].values:
        run = one.sel(replicate=replicate)
        first = replicate == one["replicate"].values[0]
        look = {"color": _TOURS, "linewidth": 1.6 if first else 0.7, "alpha": 1.0 if first else 0.5}
        axis.plot(tours, run["log_z"] - exact, label="one run" if first else None, **look)
        if first:
            low, high = run["low"] - exact, run["high"] - exact
            axis.fill_between(tours, low, high, color=_TOURS, alpha=0.2, linewidth=0, label="its 95% interval")
    axis.axhline(0.0, color=TRUTH, linewidth=1)
    axis.set_xscale("log")
    axis.set_xlabel("tours")
    middle = one["tours"].size // 3
    reach = _ROOM * max(
        np.abs(one[name].isel(tours=slice(middle, None)).values - exact).max() for name in ("log_z", "low", "high")
    )
    axis.set_ylim(-reach, reach)


def _draw_costs(axis, one, names):
    exact = float(one["exact"])
    sweeps = one["chain_sweeps"].mean("replicate").values
    rmse, band = rmse_with_band(one["log_z"].transpose("tours", "replicate").values, exact)
    axis.plot(sweeps, rmse, color=_TOURS, label="tours")
    axis.fill_between(sweeps, *band, color=_TOURS, alpha=0.2, linewidth=0)
    for place, (name, title) in enumerate(names.items()):
        other = one.sel(estimator=name)
        spent = other["other_chain_sweeps"].mean("replicate").values
        rmse, _ = rmse_with_band(other["other_log_z"].transpose("share", "replicate").values, exact)
        axis.plot(spent, rmse, label=title, **look_of(name, place))
    draws = float(one.attrs["draws"])
    axis.axvline(draws, color="#999999", linestyle=":", linewidth=1)
    axis.text(
        draws, 1.02, "stopping set", fontsize=7, color="#666666", ha="center", transform=axis.get_xaxis_transform()
    )
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlabel("chain-sweeps")
