"""Table of all models: log Z and mean log-likelihoods beside the published values."""

from logzoo.papers.zoo.families import matrix_places
from logzoo.reporting.tables import Column, stand_in_note, table_of

CAPTION = """
Log Z that estimates are measured against, and the mean log-likelihoods that it gives, in nats, with what was published
beside them where there is anything.
"""
_COLUMNS = {
    "log_z": Column("log Z", "nat"),
    "std_error": Column("± s.e.", "nat"),
    "method": Column("from"),
    "train": Column("train", "nat"),
    "validation": Column("validation", "nat"),
    "test": Column("test", "nat"),
    "published_log_z": Column("published log Z", "nat", "g"),
    "published_test": Column("published test", "nat", "g"),
}


def inputs(here):
    return {"truths": {model: here.truth(model) for model in matrix_places(here.config)}}


def settings(here):
    models = {model: here.config["models"][model] for model in matrix_places(here.config)}
    return {
        "titles": {model: entry["title"] for model, entry in models.items()},
        "published": {model: entry["published"] for model, entry in models.items() if "published" in entry},
    }


def rows(artifacts, *, titles, published):
    """A row for each model; notes say what the published log Z makes of the likelihoods."""
    rows, notes = {}, []
    for model, truth in artifacts["truths"].items():
        known = {} if "stand_in_for" in truth.attrs else published.get(model, {})
        rows[titles[model] + stand_in_note(truth)] = {
            "log_z": float(truth["log_z"]),
            "std_error": float(truth["std_error"]),
            "method": truth.attrs["truth_method"],
            **{split: float(truth["log_likelihood"].sel(split=split)) for split in truth["split"].values},
            "published_log_z": known.get("log_z"),
            "published_test": known.get("test_log_likelihood"),
        }
        if "test_log_likelihood_at_published_log_z" in truth and "test_log_likelihood" in known:
            likelihood = float(truth["test_log_likelihood_at_published_log_z"])
            notes.append(
                f"{titles[model]}: with the published log Z = {known['log_z']:g} the mean test log-likelihood is "
                f"{likelihood:.2f} nat; published {known['test_log_likelihood']:g}."
            )
    return table_of(rows, "model", _COLUMNS).assign_attrs({"notes": "\n".join(notes)} if notes else {})
