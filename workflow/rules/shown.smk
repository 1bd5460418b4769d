# What stands on the page, and what it was made from; no rules here.
from types import SimpleNamespace

from snakemake.io import is_callable


def made_from(file):
    """Artifacts that the rule which makes a file reads."""
    (rule,) = [rule for rule in workflow.rules if file in map(str, rule.output)]
    if any(map(is_callable, rule.input)):
        raise ValueError(f"{rule.name}: its inputs must be files, not functions, so that the page can name them")
    return [str(path) for path in rule.input if str(path).endswith(".nc")]


def behind_table(name):
    """Artifacts that the rows of a table are made from, by a rule of its own or by that of all tables."""
    rows = f"{DATA}/tables/{name}.nc"
    if any(rows in map(str, one.output) for one in workflow.rules):
        return made_from(rows)
    return rows_of(SimpleNamespace(table=name))


def shown():
    """All figures and tables: {name: settings of its place on the page}."""
    kinds = (("figures", figure_file, "png", "pdf"), ("tables", table_file, "html", "md", "csv"))
    return {
        name: {
            "title": entry["title"],
            "paper": entry["paper"],
            "files": [f"{file(name)}.{form}" for form in forms],
            "artifacts": [
                *made_from(f"{file(name)}.{forms[0]}"),
                *(behind_table(name) if kind == "tables" else []),
            ],
        }
        for kind, file, *forms in kinds
        for name, entry in config[kind].items()
    }


def likelihoods_place():
    """The place on the page of the table of all truths."""
    title = "Log partition functions and likelihoods of the models"
    return {"title": title, "paper": "zoo", "files": [f"{FIGURES}/likelihoods.md"], "artifacts": TRUTHS}


def shown_artifacts(wildcards):
    """Every artifact that some figure or table is made from, once."""
    return sorted({path for place in shown().values() for path in place["artifacts"]})


def shown_files():
    """All that the page shows or links to."""
    return [file for place in [*shown().values(), likelihoods_place()] for file in place["files"]] + SCORECARD


def files_of_all():
    """What a run makes if nothing is asked for by name."""
    return [*shown_files(), f"{DATA}/zoo.nc", f"{FIGURES}/index.html"]


def files_of_paper(paper):
    """What the target of a paper makes: its figures and tables, and the verdicts on its claims."""
    places = {name: place for name, place in shown().items() if place["paper"] == paper}
    files = [file for place in places.values() for file in place["files"]]
    judged = [verdict_on(name) for name in judged_figures() if name in places]
    return [*files, *judged, *([f"{DATA}/zoo.nc", *likelihoods_place()["files"]] if paper == "zoo" else [])]
