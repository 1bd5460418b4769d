# Names and functions that the rules share; no rules here.
from pathlib import Path
from types import SimpleNamespace

from snakemake.io import is_callable

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


def estimators_alone():
    """Estimators that run by themselves."""
    return set(config["estimators"]).difference(*MATRIX["jobs"])


def figure_file(name):
    return f"{FIGURES}/{config['figures'][name]['paper']}/{name}"


def figure_files():
    return [f"{figure_file(name)}.{form}" for name in config["figures"] for form in ("png", "pdf")]


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


def comparison_settings(wildcards):
    """What the repeats of one trainer in a comparison depend on, beside the data."""
    entry = config["comparisons"][wildcards.comparison]
    trainer = entry["trainers"][wildcards.trainer]
    train = {**entry["train"], "method": trainer["method"], **trainer["options"]}
    return {"train": train, **{key: entry[key] for key in ("repeats", "points", "subset")}, "seed": config["seed"]}


def compared(figure):
    """The comparison that a figure shows, where it is one."""
    return config["comparisons"][config["figures"][figure]["comparison"]]


def _comparisons_of(figure):
    entry = config["figures"][figure]
    return entry.get("comparisons") or [entry["comparison"]]


def _trainers_of(figure):
    entry = config["figures"][figure]
    return entry.get("trainers") or entry["shown"]


def comparison_files(figure):
    names = {"comparison": _comparisons_of(figure), "trainer": _trainers_of(figure)}
    return expand(f"{DATA}/comparisons/{{comparison}}.{{trainer}}.nc", **names)


def comparison_titles(figure):
    return {name: config["comparisons"][name]["title"] for name in _comparisons_of(figure)}


def trainer_names(figure):
    """Titles of the trainers that a figure shows."""
    trainers = config["comparisons"][_comparisons_of(figure)[0]]["trainers"]
    return {name: trainers[name]["title"] for name in _trainers_of(figure)}


def sampler_names(figure):
    return {name: entry["title"] for name, entry in config["figures"][figure]["samplers"].items()}


def associated_names():
    entry = config["figures"]["ins-association"]
    return {name: sampler_names(entry["gradients"])[name] for name in entry["samplers"]}


def _samplers_of(figure):
    """Settings of the samplers of a figure, without their titles."""
    samplers = config["figures"][figure]["samplers"].items()
    return {name: {key: value for key, value in entry.items() if key != "title"} for name, entry in samplers}


def gradients_settings(figure):
    """What the distances of gradients depend on, beside the states."""
    entry = config["figures"][figure]
    sizes = {key: entry[key] for key in ("states", "ladders", "steps", "repeats", "points")}
    return {**sizes, "samplers": _samplers_of(figure), "seed": config["seed"]}


def swapping_timings():
    """What is timed for the figures over seconds: samplers of two of them, trainers of one comparison."""
    figure, entry = config["figures"]["ins-equal"], compared("ins-equal")
    trainers = {name: entry["trainers"][name] for name in figure["shown"]}
    return {
        "samplers": {**_samplers_of(figure["gradients"]), **_samplers_of("ins-many")},
        "trainings": {
            name: {**entry["train"], "method": one["method"], **one["options"]} for name, one in trainers.items()
        },
        "ladders": config["figures"][figure["gradients"]]["ladders"],
        "steps": figure["steps"],
        "seed": config["seed"],
    }


def toured_models():
    """Models whose tours are run: those of a figure of many, and of figures of one."""
    figures = config["figures"]
    return list(dict.fromkeys([*figures["lv-f2a"]["models"], *map(model_of, ("lv-f2b", "lv-f2c", "lv-f3"))]))


def tour_settings(wildcards):
    """What the tours of one model depend on, beside the model and its data."""
    figures, model = config["figures"], wildcards.model
    return {
        **{key: figures["lv-f2a"][key] for key in ("batches", "batch", "cap")},
        "rounds": figures["lv-f2b"]["rounds"] if model == model_of("lv-f2b") else [1],
        "visible": ["draws", "means"] if model in figures["lv-f2a"]["means"] else ["draws"],
        "shown": figures["lv-f3"]["shown"],
        "seed": config["seed"],
    }


def drawn_models(figure):
    """The models that a figure of tours shows."""
    entry = config["figures"][figure]
    return entry.get("models") or [entry["model"]]


def drawn_estimators(figure):
    """Titles of the estimators that a figure of tours compares them with."""
    return {name: ESTIMATOR_NAMES[name] for name in config["figures"][figure].get("estimators", [])}


def drawn_tours(figure):
    """What a figure of tours is drawn from: a file for each of its models."""
    if figure == "lv-f1":
        return [f"{DATA}/figures/lv-f1.nc"]
    files = f"{DATA}/figures/lv-f4.{{model}}.nc" if figure == "lv-f4" else f"{DATA}/tours/{{model}}.nc"
    return expand(files, model=drawn_models(figure))


def chain_settings():
    entry = config["figures"]["lv-f1"]
    return {**{key: entry[key] for key in ("digits", "sweeps", "candidates")}, "seed": config["seed"]}


def tour_estimate_settings():
    """What log Z by tours, and by other estimators at the same cost, depends on, beside the model and its data."""
    entry = config["figures"]["lv-f4"]
    others = {name: config["estimators"][name] for name in entry["estimators"]}
    return {
        **figure_settings("lv-f4", "tours", "cap", "points", "replicates", "shares"),
        "others": {name: (one["method"], one["options"]) for name, one in others.items()},
    }


def training_entry(wildcards):
    return config["trainings"][wildcards.training]


def training_settings(wildcards):
    """What the runs of one trainer depend on, beside the data."""
    entry = training_entry(wildcards)
    trainer = entry["trainers"][wildcards.trainer]
    train = {key: value for key, value in entry["train"].items() if key not in ("learning_rate", "options")}
    return {
        "train": {**train, **entry["train"]["options"], **trainer["options"]},
        "method": trainer["method"],
        "rates": entry["train"]["learning_rate"],
        "runs": entry["runs"],
        "seed": config["seed"],
    }


def training_files(name):
    """Likelihoods of every trainer of a table."""
    return {trainer: f"{DATA}/trainings/{name}.{trainer}.nc" for trainer in config["trainings"][name]["trainers"]}


def table_trainers(wildcards):
    """Titles and published numbers of the trainers of a table of trainings; nothing for other tables."""
    name = config["tables"][wildcards.table].get("trainings")
    trainers = {} if name is None else config["trainings"][name]["trainers"]
    return {key: {"title": one["title"], "published": one["published"]} for key, one in trainers.items()}


def table_title(wildcards):
    """The title of a table, with the sizes of its trainings if it shows any."""
    entry = config["tables"][wildcards.table]
    if "trainings" not in entry:
        return entry["title"]
    trainings = config["trainings"][entry["trainings"]]
    train, runs = trainings["train"], trainings["runs"]
    values = {"grey": "grey levels", "binary": "binary data"}[train["values"]]
    return f"{entry['title']}: {values}, {train['hidden']} hidden units, {train['updates']:,} updates, {runs} runs"


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
    return expand([truths, traces], model=[*zoo_models({**config["zoo"], "hidden": [entry["zoo"]]})])


# Figures of the zoo, and the modules that draw them.
ZOO_FIGURES = {
    "zoo-rmse": "logzoo.figures.zoo",
    "zoo-sweeps": "logzoo.figures.zoo_lines",
    "zoo-seconds": "logzoo.figures.zoo_lines",
    "zoo-ranks": "logzoo.figures.zoo_ranks",
    "zoo-bias": "logzoo.figures.zoo_errors",
    "zoo-coverage": "logzoo.figures.zoo_errors",
    "zoo-trainers": "logzoo.figures.zoo_trainers",
}


def place_of(model):
    """What a model is selected by in zoo.nc; one that is not of the zoo is a family of its own."""
    entry = config["models"][model]
    trainer = "imported" if "import" in entry else entry["train"]["method"]
    own = {"family": model, "dataset": entry["dataset"], "trainer": trainer}
    return zoo_places(config["zoo"]).get(model, own)


MATRIX_PLACES = {model: place_of(model) for model in MATRIX_MODELS}
FAMILIES = list(dict.fromkeys(place["family"] for place in MATRIX_PLACES.values()))


def first_in_family(wildcards):
    return next(model for model, place in MATRIX_PLACES.items() if place["family"] == wildcards.family)


def timed_in_family(wildcards):
    model = first_in_family(wildcards)
    return {"model": f"{DATA}/models/{model}.nc", "dataset": dataset_file(model)}


def family_timing_settings(wildcards):
    chains = config["models"][first_in_family(wildcards)].get("chains", MATRIX["chains"])
    return {**figure_settings("zoo-seconds", "budgets"), "chains": chains}


def family_timings():
    return expand(f"{DATA}/timings/zoo.{{family}}.nc", family=FAMILIES)


def zoo_figure_inputs(name):
    timings = {"timings": family_timings()} if name == "zoo-seconds" else {}
    return {"zoo": f"{DATA}/zoo.nc", **timings}


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


def print_summary():
    """Print the tables that a run ended in."""
    tables = [file for file in table_files() if file.endswith(".md")]
    for table in map(Path, [f"{FIGURES}/likelihoods.md", *tables, f"{FIGURES}/scorecard.md"]):
        if table.is_file():
            print(without_links(table.read_text()))
    page = Path(FIGURES) / "index.html"
    print(f"Figures are in {FIGURES}/" + (f", all of them on one page: {page}" if page.is_file() else ""))
