"""Log Z taken as true, and mean log-likelihoods, of every model of the matrix.

Log Z of every model, exact or from long runs of unlike estimators, the mean log-likelihoods of its data under it, and
what was published where there is anything.
"""

from replication.artifacts import stand_in_note
from replication.papers.zoo.families import matrix_places
from replication.reporting.tables import Column, table_of

_COLUMNS = {
    "log_z": Column("log Z", "nat"),
    "std_error": Column("± s.e.", "nat"),
    "method": Column("from"),
    "train": Column("train", "nat"),
    "validation": Column("validation", "nat"),
    "test": Column("test", "nat"),
    "published_log_z": Column("published log Z", "nat"),
    "published_test": Column("published test", "nat"),
}
_PUBLISHED = {"log_z": "log_z", "test": "test_log_likelihood"}


def inputs(here):
    return {model: here.truth(model) for model in matrix_places(here.config)}


def settings(here):
    models = here.config["models"]
    shown = matrix_places(here.config)
    return {
        "titles": {model: models[model]["title"] for model in shown},
        "published": {model: models[model]["published"] for model in shown if "published" in models[model]},
    }


def rows(artifacts, *, titles, published):
    """A row for each model; notes say what its published log Z gives with our own free energies."""
    table, notes = {}, []
    for model, truth in artifacts.items():
        known = {} if "stand_in_for" in truth.attrs else published.get(model, {})
        table[titles[model] + stand_in_note(truth)] = {
            "log_z": float(truth["log_z"]),
            "std_error": float(truth["std_error"]),
            "method": truth.attrs["truth_method"],
            **{split: float(truth["log_likelihood"].sel(split=split)) for split in truth["split"].values},
            **{f"published_{key}": known[name] for key, name in _PUBLISHED.items() if name in known},
        }
        if "test_log_likelihood_at_published_log_z" in truth and "test_log_likelihood" in known:
            likelihood = float(truth["test_log_likelihood_at_published_log_z"])
            notes.append(
                f"{titles[model]}: with the published log Z = {known['log_z']:g} the mean test log-likelihood is "
                f"{likelihood:.2f} nat; published {known['test_log_likelihood']:g}."
            )
    return table_of(table, "model", _COLUMNS).assign_attrs({"notes": "\n".join(notes)} if notes else {})
