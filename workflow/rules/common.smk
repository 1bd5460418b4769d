# Names and functions that the rules share.
import csv
import functools
import re
from collections import Counter

from replication import models, tasks
from replication.papers.experiment import named_paths
from replication.papers.zoo.families import arenas_of, matrix_places
from replication.catalogue import modules_of
from replication.artifacts import PUBLISHED, code_digest
from replication.project import pages_of_estimators
from replication.protocol import protocol_digest, standing

SCALE = config["scale"]
PROTOCOL = protocol_digest(CATALOGUE)
DATA = CATALOGUE.data
FIGURES = CATALOGUE.folder
LOGS = f"logs/{SCALE}"
SCORECARD = expand(f"{FIGURES}/scorecard.{{form}}", form=["md", "html", "csv"])
# Paths start at the working folder of Snakemake, even if another workflow imports this one.
TEMPLATES = sorted(
    os.path.relpath(path) for path in (ROOT / "workflow/templates").iterdir() if path.suffix in (".html", ".css", ".js")
)
# The page of the zoo has the inputs of this figure.
ZOO = CATALOGUE.shown["zoo-seconds"]
ZOO_FIGURES = {
    exhibit["title"]: exhibit["files"][0] for exhibit in CATALOGUE.exhibits.values() if exhibit["paper"] == ZOO.paper
}
# The priority of jobs on the longest path through the workflow, which ends in the figures of the zoo. If these jobs start
# first, short jobs of other figures remain for the end, and all cores stay busy.
ZOO_FIRST = 1


def one_of_names(names):
    """Return a pattern for wildcards that matches only these names, or nothing if there are no names."""
    return "|".join(map(re.escape, sorted(names))) or "(?!)"


digest = functools.cache(code_digest)


def script_source(name, *modules, files=()):
    """Digest the code of a job: its script, these modules with all their imports, and further files such as templates."""
    return digest(*modules, scripts=(f"{ROOT}/workflow/scripts/{name}.py", *files))


def rising(amount):
    """Request `amount` MB or minutes, multiplied by the number of the attempt."""
    return lambda wildcards, attempt: amount * attempt


def entries_of(dataset):
    """Return {"entry": entry of a data set, "digits": entry of its stand-in}, each with the settings of its source.

    The stand-in is the data set of digits. It has label units if the data set has label units.
    """
    entry, digits = config["datasets"][dataset], config["datasets"]["digits"]
    if "label_units" in entry:
        digits = config["datasets"]["digits-labelled"]
    origins = config["sources"]
    return {"entry": {**origins[entry["source"]], **entry}, "digits": {**origins["digits"], **digits}}


def start_of(wildcards):
    """Return {"start": path of the model from which a training starts}, or {} for a training without `start`."""
    entry = config["models"][wildcards.model]
    return {"start": f"{DATA}/models/{entry['start']}.nc"} if "start" in entry else {}


def settings_of(estimators):
    """Return a function that maps the wildcards of a job to the settings of these estimators."""
    return lambda wildcards: models.estimate_settings(config, wildcards.model, estimators)


def snapshots_of(wildcards):
    """Return {"snapshots": path of the snapshots of a model}, or {} if the training stores no snapshots."""
    kept = wildcards.model in models.with_snapshots(config)
    return {"snapshots": f"{DATA}/models/{wildcards.model}.snapshots.nc"} if kept else {}


def dataset_of(wildcards):
    return f"data/datasets/{config['models'][wildcards.model]['dataset']}.nc"


def trainer_source(script, *modules):
    """Return a function that maps wildcards to the digest of a script, these modules and the trainer of the model."""
    return lambda wildcards: script_source(
        script, *modules_of([config["models"][wildcards.model]["train"]["method"]]), *modules
    )


def long_runs_of(wildcards):
    if models.truth_from(config, wildcards.model) != "long runs":
        return {}
    return {f"long_runs/{name}": f"{DATA}/truths/{wildcards.model}.{name}.nc" for name in config["truth"]["estimators"]}


def experiment_at(wildcards):
    return CATALOGUE.experiments[f"{DATA}/{wildcards.experiment}.nc"]


def in_report(wildcards):
    return {"figure": wildcards.shown, "title": CATALOGUE.shown[wildcards.shown].title, "scale": SCALE}


def published_verdicts():
    """Return rows [paper, verdict, number of claims] of the published run, or no rows if no run is published."""
    path = ROOT / f"{PUBLISHED}.csv"
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as lines:
        counts = Counter((row["paper"], row["verdict"]) for row in csv.DictReader(lines))
    return [[*key, number] for key, number in counts.items()]


wildcard_constraints:
    source=one_of_names(config["sources"]),
    dataset=one_of_names(config["datasets"]),
    model=one_of_names(config["models"]),
    estimator=one_of_names(config["estimators"]),
    paper=one_of_names(config["papers"]),
