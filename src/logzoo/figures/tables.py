"""Tables: rows of numbers and words, and how they are written as Markdown, HTML, CSV and NetCDF."""

import numpy as np
import pandas as pd
import xarray as xr

from logzoo.artifacts.labels import labelled
from logzoo.claims.las_vegas import at_best_rate

# Columns: heading, units.
_BEST = {
    "hidden": ("hidden units", "1"),
    "kalman": ("tracked", "nat"),
    "kalman_three_sigma": ("± 3σ of tracker", "nat"),
    "ais": ("AIS", "nat"),
    "ais_three_sigma": ("± 3σ of the mean weight", "nat"),
    "ais_weight_three_sigma": ("± 3σ of one weight", "nat"),
    "published_kalman": ("published tracked", "nat"),
    "published_ais": ("published AIS", "nat"),
    "published_three_sigma": ("published ± 3σ", "nat"),
    "published_rbm_25": ("RBM, CD-25", "nat"),
    "published_nade": ("NADE", "nat"),
}
_TRAINERS = {
    "updates": ("updates", "1"),
    "chain_sweeps": ("chain-sweeps", "sweep"),
    "log_z": ("log Z", "nat"),
    "train": ("train", "nat"),
    "validation": ("validation", "nat"),
    "test": ("test", "nat"),
}
_TRAININGS = {
    "rate": ("learning rate", "1"),
    "train": ("train", "nat"),
    "train_error": ("± s.e.", "nat"),
    "test": ("test", "nat"),
    "test_error": ("± s.e. of test", "nat"),
    "lead": ("LVS-1 leads by", "nat"),
    "p": ("p, paired t-test", "1"),
    "published_rate": ("published rate", "1"),
    "published_train": ("published train", "nat"),
    "published_train_error": ("± published", "nat"),
    "published_test": ("published test", "nat"),
    "published_test_error": ("± published test", "nat"),
}
_SHORT = ("rate", "p", "published_rate")
_REFERENCE = "lvs-1"
_FEWEST_PAIRS = 2
_COUNTS = ("hidden", "updates", "chain_sweeps", "runs")
# Numbers of any size: two digits, not two decimals.
_ROUNDED = ("rmse", "rmse_low", "rmse_high", "seconds", "fastest_seconds")


def best_rows(best):
    """Rows of test log-likelihoods of the best model of each data set: {data set: Dataset of `experiments.best`}."""
    rows = {}
    for name, one in best.items():
        numbers = {key: value for key, value in one.attrs.items() if key.startswith("published_")}
        stand_in = " (STAND-IN: digits)" if "stand_in_for" in one.attrs else ""
        own = " (own split)" if name.endswith("-own-split") else ""
        rows[name.removesuffix("-own-split") + own + stand_in] = {
            "hidden": one.attrs["hidden"],
            "kalman": float(one["test_log_likelihood_tracked"]),
            "kalman_three_sigma": 3 * float(one["tracked_std_dev"]),
            "ais": float(one["test_log_likelihood_ais"]),
            "ais_three_sigma": 3 * float(one["ais_std_error"]),
            "ais_weight_three_sigma": 3 * float(one["ais_weight_spread"]),
            **numbers,
        }
    return table_of(rows, "data set", _BEST)


def trainer_rows(truths, traces, titles):
    """Rows of exact mean log-likelihoods by trainer: {model: truth}, {model: trace}, {model: title}."""
    rows = {}
    for model, truth in truths.items():
        stand_in = " (STAND-IN: digits)" if "stand_in_for" in truth.attrs else ""
        last = traces[model].isel(update=-1)
        likelihoods = {split: float(truth["log_likelihood"].sel(split=split)) for split in truth["split"].values}
        rows[titles[model] + stand_in] = {
            "updates": int(last["update"]) + 1,
            "chain_sweeps": int(last["chain_sweeps"]),
            "log_z": float(truth["log_z"]),
            **likelihoods,
        }
    return table_of(rows, "model", _TRAINERS)


def training_rows(trainings, trainers):
    """Rows of exact mean log-likelihoods over runs, by trainer, each at its best rate by validation likelihood.

    trainings: {trainer: Dataset of `experiments.likelihoods`}; trainers: {trainer: entry with title and published}.
    LVS-1 is compared on the test split, run by run, with every other trainer.
    """
    rows, tests = {}, {name: at_best_rate(one)[1].sel(split="test").values for name, one in trainings.items()}
    for name, entry in trainers.items():
        one = trainings[name]
        stand_in = " (STAND-IN: digits)" if "stand_in_for" in one.attrs else ""
        rate, likelihood = at_best_rate(one)
        row = {"rate": rate, **{f"published_{key}": value for key, value in entry["published"].items()}}
        for split in ("train", "test"):
            values = likelihood.sel(split=split).values
            row[split] = values.mean()
            row[f"{split}_error"] = values.std(ddof=1) / np.sqrt(values.size)
        if name != _REFERENCE and _REFERENCE in tests:
            row |= _lead(tests[_REFERENCE], tests[name])
        rows[entry["title"] + stand_in] = row
    return table_of(rows, "trainer", _TRAININGS)


def _lead(reference, other):
    from scipy.stats import ttest_rel  # takes long to import, and most tables have no pairs

    difference = reference - other
    enough = difference.size >= _FEWEST_PAIRS and np.ptp(difference) > 0.0
    p = float(ttest_rel(reference, other).pvalue) if enough else np.nan
    return {"lead": difference.mean(), "p": p}


def table_of(rows, what, columns):
    """Dataset over `row`: one variable for each column that any row fills; NaN, or "-" among words, where one does not.

    rows: {name: {column: number or word}}; what: heading of the names; columns: {column: (heading, units)}.
    """
    names = labelled("row", np.array(list(rows), dtype=object), what, "1")
    variables = {
        key: labelled("row", _values([row.get(key) for row in rows.values()]), heading, units)
        for key, (heading, units) in columns.items()
        if any(key in row for row in rows.values())
    }
    return xr.Dataset(variables, coords={"row": names})


def _values(entries):
    if any(isinstance(entry, str) for entry in entries):
        return np.array(["-" if entry is None else entry for entry in entries], dtype=object)
    return np.array([np.nan if entry is None else entry for entry in entries], dtype=float)


def frame_of(table):
    """A table as a DataFrame of texts, headings with their units."""
    columns = {table["row"].attrs["long_name"]: list(table["row"].values)}
    for key, variable in table.data_vars.items():
        units = variable.attrs["units"]
        heading = variable.attrs["long_name"] + (f" [{units}]" if units != "1" else "")
        columns[heading] = [_text(key, value) for value in variable.values]
    return pd.DataFrame(columns)


def _text(key, value):
    if isinstance(value, str):
        return value
    if np.isnan(value):
        return "-"
    if key in _SHORT:
        return f"{value:.2g}"
    if key in _ROUNDED:
        return two_digits(value)
    return f"{int(value):,}" if key in _COUNTS else f"{value:.2f}"


def two_digits(value):
    """A number rounded to two digits, without an exponent."""
    return np.format_float_positional(value, precision=2, fractional=False, trim="-")


def markdown(table, title):
    """A table in Markdown, its title above."""
    frame = frame_of(table)
    lines = [list(frame.columns), ["---"] * len(frame.columns), *frame.values.tolist()]
    return "\n".join([title, "", *(f"| {' | '.join(line)} |" for line in lines)]) + "\n"


def html(table, title):
    """A table as a page of its own."""
    style = "body{font:15px sans-serif}td,th{padding:.2em .7em;text-align:right}td:first-child{text-align:left}"
    body = frame_of(table).to_html(index=False, border=0)
    head = f'<meta charset="utf-8"><title>{title}</title><style>{style}</style>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body><h1>{title}</h1>\n{body}</body></html>\n'


def csv(table):
    """A table as comma-separated values, at full precision."""
    return table.to_dataframe().rename_axis(table["row"].attrs["long_name"]).to_csv()
