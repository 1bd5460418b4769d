"""What the declaration of a figure or table is made of.

A figure is a module `replication.papers.<paper>.<figure>`, an entry of that name in config/papers/<paper>.yaml, and
nothing else. The module has

    a docstring                         of a line, and below it the caption: what is shown, in sentences
    inputs(here)                        {name: artifact}; an artifact is a path, an `Experiment` that makes it, or a
                                        dict of these
    draw(artifacts, *, ...)             the matplotlib figure; of a table `rows(artifacts, *, ...)`, a Dataset
    settings(here)                      the keyword arguments of `draw` or `rows`; left out where they are settings of
                                        the entry, or `title` (short, of its model), `titles` (of its models), or of
                                        those of the `figure` that it names, and `names` (of the estimators)
    CLAIMS, statistics(artifacts)       {key: Claim} and {key: Statistic} of the claims that can be tested (may be left
                                        out); the claim's id is <figure>-<key>

where `artifacts` holds Datasets under the names of the inputs. Modules are imported whenever the workflow starts, so
they import what takes long (matplotlib, scipy) where they use it, and name experiments by text.
"""

from inspect import Parameter, signature
from typing import NamedTuple

from logzoo.checks import one_of
from logzoo.training.trainers import TRAINERS
from replication.papers.signatures import option_defaults

# What a sweep of a chain costs beside its weights, in weights looked at: it tells in small models.
SWEEP = 50_000
# Sweeps of a tour of `lvs` on average, at most, where none are given.
MOST_TOUR = 10_000
# Weights whose sweeps tell in the seconds of an estimate; of fewer, budgets that are timed grow up to so much.
TELLING_WEIGHTS, MOST_LARGER = 50_000, 3
# Independent timings of whatever a claim on seconds is about.
TIMINGS = 5
# Trainers whose chains travel the rungs, instead of one at each.
_ALONG_THE_LADDER = {"rms-spectral", "rmsprop"}
# Temperatures of chains that swap them, where the settings do not say.
_TEMPERATURES = 5


class Claim(NamedTuple):
    """A published claim: a statistic is at least, at most, or between, what it says; or why that cannot be tested."""

    text: str
    published: str
    at_least: float | None = None
    at_most: float | None = None
    not_tested: str = ""
    why: str = ""  # where it is not reproduced: the cause, in a sentence with its numbers

    @property
    def bounds(self):
        """What is claimed of the statistic: {"at_least": number, "at_most": number}, or one of them."""
        return {name: bound for name in ("at_least", "at_most") if (bound := getattr(self, name)) is not None}


def claims_of(figure, module):
    """The Claims of a figure by id, {<figure>-<key>: Claim}, as its module declares them."""
    return {f"{figure}-{key}" if key else figure: claim for key, claim in getattr(module, "CLAIMS", {}).items()}


def claim_entries(figure, module):
    """The claims of a figure by id, as `replication.reporting` takes them."""
    entries = {}
    for name, claim in claims_of(figure, module).items():
        said = {"figure": figure, "claim": claim.text, "published": claim.published}
        entries[name] = said | ({"not_tested": claim.not_tested} if claim.not_tested else {"why": claim.why})
        entries[name] |= {} if claim.not_tested else claim.bounds
    return entries


class Experiment(NamedTuple):
    """A job that makes one artifact: run(artifacts, stream=..., **settings) -> Dataset.

    `run` is "module:function"; `inputs` are named as in a declaration; `stream` are the names of the random stream
    below the seed, empty for work without randomness; `methods` are estimators or trainers that it runs by name, whose
    code shapes the result, too; `work` is its cost, {kind of `replication.costs`: weights looked at}; `most` is
    what it never goes beyond, whatever the data, where that is more: it ends there, and says so.
    """

    path: str
    run: str
    inputs: dict
    settings: dict
    stream: tuple = ()
    kind: str = "trace"
    title: str = ""
    work: dict = {}
    most: dict = {}
    methods: tuple = ()
    timed: bool = False  # seconds are measured: on a cluster the job has a node to itself
    checkpoints: bool = False  # run takes checkpoint(name), a Checkpoint of a part of the work


class Entry(dict):
    """The settings of a figure, which knows those that nobody read.

    Raises ValueError, one line naming the figure and the key, for a setting that is not there.
    """

    def __init__(self, name, settings):
        super().__init__(settings)
        self.name, self.unread = name, set(settings) - {"paper", "title"}

    def __getitem__(self, key):
        if key not in self:
            raise ValueError(f"configuration: figures.{self.name}: expected the setting {key!r}, found no such key")
        self.unread.discard(key)
        return super().__getitem__(key)

    def get(self, key, default=None):
        """As of a dict; the setting is known whether it is there or not."""
        self.unread.discard(key)
        return super().get(key, default)


class Here:
    """What a declaration is told: its entry of the configuration, all the rest of it, and where artifacts are.

    Names of models, data sets and estimators are looked up: ValueError, one line, for one that is not configured.
    """

    def __init__(self, name, config):
        self.name, self.config = name, config
        self.entry = config["figures"][self.known("figures", name)]
        self.chains = config["matrix"]["chains"]
        self.data = f"data/{config['scale']}"

    def known(self, section, name):
        """A name that is in a section of the configuration."""
        return one_of(f"configuration: figures.{self.name}: {section}", name, self.config[section])

    def of(self, name):
        """The same for another figure."""
        return Here(name, self.config)

    def chosen(self, *keys):
        """Settings of the entry by name."""
        return {key: self.entry[key] for key in keys}

    def model(self, name):
        """Parameters of a model."""
        return f"{self.data}/models/{self.known('models', name)}.nc"

    def trace(self, name):
        """The trace of a model's training."""
        return f"{self.data}/models/{self.known('models', name)}.trace.nc"

    def snapshots(self, name):
        """Parameters on the way of a model's training."""
        return f"{self.data}/models/{self.known('models', name)}.snapshots.nc"

    def dataset(self, name):
        """A data set."""
        return f"data/datasets/{self.known('datasets', name)}.nc"

    def model_and_data(self, name):
        """A model and the data set that it belongs to: inputs `model` and `dataset`."""
        model = self.model(name)
        return {"model": model, "dataset": self.dataset(self.config["models"][name]["dataset"])}

    def truth(self, model):
        """log Z of a model taken as true."""
        return f"{self.data}/truths/{self.known('models', model)}.nc"

    def estimates(self, model, estimators):
        """Estimates {estimator: path} of log Z of a model."""
        folder = f"{self.data}/estimates/{self.known('models', model)}"
        return {name: f"{folder}/{self.known('estimators', name)}.nc" for name in estimators}

    def visits(self, model, chain_sweeps):
        """Weights that so many sweeps of single chains look at, and what a sweep costs beside them; for `work`."""
        visible, hidden = self.shape(model)
        return chain_sweeps * (visible * hidden + SWEEP)

    def settings_of(self, function):
        """The keyword arguments of the function that draws, where a declaration does not say."""
        parameters = signature(function).parameters.items()
        wanted = [name for name, parameter in parameters if parameter.kind == Parameter.KEYWORD_ONLY]

        def shown(key):
            return self.of(self.entry.get("figure", self.name)).entry[key]

        given = {
            "title": lambda: self.titles([shown("model")])[shown("model")],
            "titles": lambda: self.titles(shown("models")),
            "names": self.estimator_titles,
        }
        return {name: given[name]() if name in given else self.entry[name] for name in wanted}

    def titles(self, models):
        """Short titles {model: title}."""
        return {name: self.config["models"][name]["short"] for name in models}

    def estimator_titles(self):
        """{estimator: title} of all estimators."""
        return {name: entry["title"] for name, entry in self.config["estimators"].items()}

    def shape(self, model):
        """(visible, hidden) units of a model."""
        return shape_of(self.config, self.known("models", model))

    def examples(self, model):
        """Examples in the training split of a model's data set."""
        return self.config["datasets"][self.config["models"][model]["dataset"]]["splits"]["train"]

    def timed_estimators(self, key, model, estimators, chains):
        """The experiment that takes the seconds of estimators on one model, at the budgets of the entry.

        On a small model they are larger: sweeps must not drown in what else an estimate does.
        """
        visible, hidden = self.shape(model)
        factor = min(max(TELLING_WEIGHTS // (visible * hidden), 1), MOST_LARGER)
        entries, budgets = self.config["estimators"], [factor * budget for budget in self.entry["budgets"]]
        visits = self.visits(model, 4 * sum(budgets) * len(estimators) * chains)
        return self.experiment(
            "replication.papers.timing:estimators",
            self.model_and_data(model),
            {"budgets": budgets, "chains": chains, "estimators": {name: entries[name] for name in estimators}},
            f"timings/{self.name}.{key}",
            stream=("time-of-sweeps",),
            methods=tuple(entries[name]["method"] for name in estimators),
            timed=True,
            work={"sampling": visits},
        )

    def experiment(self, run, inputs, settings, path=None, **more):
        """An `Experiment` whose artifact is <path>.nc below the folder of the scale, figures/<figure> by default."""
        return Experiment(f"{self.data}/{path or f'figures/{self.name}'}.nc", run, inputs, settings, **more)


def shape_of(config, model):
    """(visible, hidden) units of a model."""
    entry = config["models"][model]
    # The training of an imported model only stands in for it.
    hidden = next(entry[origin]["hidden"] for origin in ("import", "known", "train") if origin in entry)
    return config["datasets"][entry["dataset"]]["visible"], hidden


def training_work(train, visible):
    """Work of one training, with the trainer's own sizes where its settings do not say others."""
    said = {**option_defaults(TRAINERS[train["method"]]), **train, **train.get("options", {})}
    hidden, updates = said["hidden"], said["updates"]
    if train["method"] == "exact":
        return {"enumeration": updates * 2.0 ** min(visible, hidden) * max(visible, hidden)}
    chains = said.get("particles") or said["batch"]
    if "temperatures" in said:
        chains *= len(said["temperatures"] or ()) or _TEMPERATURES
    elif train["method"] not in _ALONG_THE_LADDER:
        chains *= said.get("rungs") or 1
    sweeps = said["batch"] + chains * (said.get("k") or 1) + (said.get("walkers") or 0)
    return {"training": updates * sweeps * (visible * hidden + SWEEP)}


def training_most(train, visible, examples):
    """What a training never goes beyond: by tours, a stopping set may be drawn anew for every update."""
    work = training_work(train, visible)
    if train["method"] != "lvs":
        return work
    train = {**train, **train.get("options", {})}
    chains = max(train["batch"], train.get("particles", train["batch"]))
    sweeps = train["updates"] * (train["batch"] + chains * (train.get("k", 1) or MOST_TOUR) + examples)
    return {"training": sweeps * (visible * train["hidden"] + SWEEP)}


def named_paths(artifacts, prefix=""):
    """Paths by name, "estimates/rts" for one in a dict: {name: path}."""
    paths = {}
    for name, artifact in artifacts.items():
        if isinstance(artifact, dict):
            paths |= named_paths(artifact, f"{prefix}{name}/")
        else:
            paths[f"{prefix}{name}"] = artifact.path if isinstance(artifact, Experiment) else artifact
    return paths


def nested(named):
    """What was named by `named_paths` in dicts again."""
    result = {}
    for name, value in named.items():
        *folders, last = name.split("/")
        level = result
        for folder in folders:
            level = level.setdefault(folder, {})
        level[last] = value
    return result
