# Names and functions that the rules share; no rules here.
from pathlib import Path

from logzoo.artifacts.stamps import without_stamp
from logzoo.claims.registry import claims_module
from logzoo.claims.scorecard import without_links
from logzoo.configuration import grid_settings, zoo_models, zoo_places
from logzoo.estimators.registry import estimator_module
from logzoo.trainers.registry import trainer_module

DATA = f"data/{config['scale']}"
FIGURES = f"figures/{config['scale']}"
MATRIX = config["matrix"]
MATRIX_MODELS = [*MATRIX["models"], *zoo_models(config["zoo"])]
TRUTHS = expand(f"{DATA}/truths/{{model}}.nc", model=MATRIX_MODELS)
# The priority of the longest way through the workflow, to the figures of the zoo: what is left to the end then runs
# beside other things.
ZOO_FIRST = 1
SCORECARD = [f"{FIGURES}/scorecard.{form}" for form in ("md", "html", "csv")]
TEMPLATES = expand(
    "workflow/templates/{name}", name=["page.html", "scorecard.html", "parts.html", "style.css", "sort.js"]
)


def one_of_names(names):
    """A pattern for wildcards that any of these names matches, and nothing else if there are none."""
    return "|".join(sorted(names)) or "(?!)"


wildcard_constraints:
    source="|".join(config["sources"]),
    dataset="|".join(config["datasets"]),
    model="|".join(config["models"]),
    estimator="|".join(config["estimators"]),
    figure="|".join(config["figures"]),
    table=one_of_names(config["tables"]),
    comparison=one_of_names(config["comparisons"]),
    training=one_of_names(config["trainings"]),
    trainer=one_of_names(
        {
            name
            for section in ("comparisons", "trainings")
            for entry in config[section].values()
            for name in entry["trainers"]
        }
    ),


def model_entry(wildcards):
    return config["models"][wildcards.model]


def trained_models():
    return {name for name, entry in config["models"].items() if "import" not in entry}


def models_with_snapshots():
    """Models whose parameters on the way are kept, too."""
    return {name for name in trained_models() if config["models"][name]["train"].get("options", {}).get("snapshots")}


def start_of(wildcards):
    """The model that a training goes on from, if any."""
    entry = model_entry(wildcards)
    return {"start": f"{DATA}/models/{entry['start']}.nc"} if "start" in entry else {}


def grid_files(wildcards):
    """Models and traces of a grid on one data set."""
    numbers = range(len(grid_settings(config["grids"][wildcards.grid])))
    names = [f"{DATA}/models/{wildcards.grid}-{wildcards.dataset}-{number}" for number in numbers]
    return {"models": [f"{name}.nc" for name in names], "traces": [f"{name}.trace.nc" for name in names]}


def dataset_file(model):
    """The data set that a model belongs to."""
    return f"data/datasets/{config['models'][model]['dataset']}.nc"


def dataset_of(wildcards):
    return dataset_file(wildcards.model)


def digits_for(dataset):
    """The digits that stand in for a data set: with label units if it has them."""
    return "digits-labelled" if "label_units" in config["datasets"][dataset] else "digits"


def is_enumerable(model):
    entry = config["models"][model]
    return "import" not in entry and entry["train"]["hidden"] <= config["truth"]["enumerate_up_to"]


def estimate_settings(model, estimator):
    """What an estimate of one estimator on one model depends on, beside its inputs."""
    entry, of_model = config["estimators"][estimator], config["models"][model]
    return {
        "method": entry["method"],
        "base": entry["base"],
        "options": entry["options"],
        "budgets": entry.get("budgets", of_model.get("budgets", MATRIX["budgets"])),
        "replicates": MATRIX["replicates"],
        "chains": of_model.get("chains", MATRIX["chains"]),
        "seed": config["seed"],
    }


def settings_of(estimators):
    """A function of a job's wildcards: {estimator: settings} of the estimators that it runs."""
    return lambda wildcards: {name: estimate_settings(wildcards.model, name) for name in estimators}


def settings_of_one(wildcards):
    return {wildcards.estimator: estimate_settings(wildcards.model, wildcards.estimator)}


def long_run_settings(wildcards):
    settings = estimate_settings(wildcards.model, wildcards.estimator)
    return {wildcards.estimator: {**settings, "budgets": [config["truth"]["sweeps"]], "replicates": 1}}


def sources_of(estimators):
    """{estimator: digest of its code}."""
    modules = {name: estimator_module(config["estimators"][name]["method"]) for name in estimators}
    return {name: source_digest(module, "logzoo.estimators.matrix") for name, module in modules.items()}


def source_of_one(wildcards):
    return sources_of([wildcards.estimator])


def figure_file(name):
    return f"{FIGURES}/{config['figures'][name]['paper']}/{name}"


def figure_report(name):
    """A figure as it stands in the report."""
    entry = config["figures"][name]
    return report(
        f"{figure_file(name)}.png",
        caption=f"../report/{name}.rst",
        category=entry["paper"].upper(),
        labels={"figure": name, "title": entry["title"], "scale": config["scale"]},
    )


TITLES = {model: entry["title"] for model, entry in config["models"].items()}
SHORT_TITLES = {model: entry["short"] for model, entry in config["models"].items()}
ESTIMATOR_NAMES = {name: entry["title"] for name, entry in config["estimators"].items()}
PUBLISHED = {model: entry["published"] for model, entry in config["models"].items() if "published" in entry}


def verdict_on(figure):
    return f"{DATA}/verdicts/{figure}.nc"


def f3_models():
    return config["figures"]["rts-f3"]["models"]


def names_with_base():
    """Names of estimators for a figure that compares bases."""
    entries = config["estimators"].items()
    return {
        name: f"{entry['title']}, matched base" if entry["base"] == "matched" else entry["title"]
        for name, entry in entries
    }


def tracked_runs():
    """The trainings of tracking figure 3."""
    return [model for speed in ("slow", "fast") for model in config["figures"]["trk-f3"][speed]]


def f7_estimators():
    """Every estimator that some panel of the figure shows, once."""
    entry = config["figures"]["rts-f7"]
    return list(dict.fromkeys([*entry["estimators"], *entry["remedies"], *entry["matrices"]]))


def figure_settings(name, *keys):
    """Settings of a figure's experiment: those of its entry, with the seed and the chains of the matrix."""
    entry = config["figures"][name]
    return {**{key: entry[key] for key in keys}, "chains": MATRIX["chains"], "seed": config["seed"]}


def mixture_settings(name):
    """Settings of an experiment on the Gaussian mixture: all that its entry says beside its titles."""
    entry = {key: value for key, value in config["figures"][name].items() if key not in ("paper", "title")}
    return {**entry, "seed": config["seed"]}


def model_of(name):
    return config["figures"][name]["model"]


def likelihood_tables():
    """Tables of the best models of a grid, of one model by each trainer, or of runs of trainers."""
    kinds = {"grid", "zoo", "trainings"}
    return {name for name, entry in config["tables"].items() if kinds & set(entry)}


def rows_of(wildcards):
    """What the rows of a table are made of."""
    entry = config["tables"][wildcards.table]
    if "trainings" in entry:
        return list(training_files(entry["trainings"]).values())
    if "grid" in entry:
        datasets = config["grids"][entry["grid"]]["datasets"]
        return [f"{DATA}/best/{entry['grid']}.{dataset}.nc" for dataset in datasets]
    truths, traces = f"{DATA}/truths/{{model}}.nc", f"{DATA}/models/{{model}}.trace.nc"
    return expand([truths, traces], model=tabled_models(wildcards.table))


def tabled_models(table):
    """The models of the zoo that are rows of a table."""
    entry = config["tables"][table]
    return [*zoo_models({**config["zoo"], "hidden": [entry["zoo"]]})] if "zoo" in entry else []


def table_file(name):
    return f"{FIGURES}/{config['tables'][name]['paper']}/{name}"


def table_files():
    return [f"{table_file(name)}.{form}" for name in config["tables"] for form in ("md", "html", "csv")]


def table_report(name):
    """A table as it stands in the report."""
    entry = config["tables"][name]
    return report(
        f"{table_file(name)}.html",
        caption="../report/tables.rst",
        category=entry["paper"].upper(),
        labels={"figure": name, "title": entry["title"], "scale": config["scale"]},
    )


def print_summary():
    """Print the tables that a run ended in."""
    tables = [file for file in table_files() if file.endswith(".md")]
    for table in map(Path, [f"{FIGURES}/likelihoods.md", *tables, f"{FIGURES}/scorecard.md"]):
        if table.is_file():
            print(without_links(without_stamp(table.read_text())))
    page = Path(FIGURES) / "index.html"
    if not Path(FIGURES).is_dir():
        return
    print(f"Figures are in {FIGURES}/" + (f", all of them on one page: {page}" if page.is_file() else ""))
