"""What the declaration of a figure or table is made of.

A figure is a module `logzoo.papers.<paper>.<figure>`, an entry of that name in config/papers/<paper>.yaml, and nothing
else. The module has

    CAPTION                             what is shown, in sentences
    inputs(here)                        {name: artifact}; an artifact is a path, an `Experiment` that makes it, or a
                                        dict of these
    settings(here)                      what drawing depends on beside the artifacts (may be left out)
    draw(artifacts, **settings)         the matplotlib figure; of a table `rows(artifacts, **settings)`, a Dataset
    CLAIMS, statistics(artifacts)       {key: Claim} and {key: Statistic} of the claims that can be tested (may be left
                                        out); the claim's id is <figure>-<key>

where `artifacts` holds Datasets under the names of the inputs. Modules are imported whenever the workflow starts, so
they import what takes long (matplotlib, scipy) where they use it, and name experiments by text.
"""

from typing import NamedTuple


class Claim(NamedTuple):
    """A published claim: a statistic is at least, or at most, a threshold; or the reason why that cannot be tested."""

    text: str
    published: str
    at_least: float | None = None
    at_most: float | None = None
    not_tested: str = ""

    @property
    def direction(self):
        """`at_least`, `at_most`, or nothing for a claim that is not tested."""
        if self.not_tested:
            return ""
        return "at_most" if self.at_least is None else "at_least"

    @property
    def threshold(self):
        """The bound of the direction; None for a claim that is not tested."""
        return self.at_most if self.at_least is None else self.at_least


class Experiment(NamedTuple):
    """A job that makes one artifact: run(artifacts, stream=..., **settings) -> Dataset.

    `run` is "module:function"; `inputs` are named as in a declaration; `stream` are the names of the random stream
    below the seed, empty for work without randomness; `methods` are estimators or trainers that it runs by name, whose
    code shapes the result, too; `work` is its cost, {kind of `logzoo.pipeline.costs`: weights looked at}.
    """

    path: str
    run: str
    inputs: dict
    settings: dict
    stream: tuple = ()
    kind: str = "trace"
    work: dict = {}
    methods: tuple = ()
    timed: bool = False  # seconds are measured: the job has the machine to itself
    checkpoints: bool = False  # run takes checkpoint(name), a Checkpoint of a part of the work


class Here:
    """What a declaration is told: its entry of the configuration, all the rest of it, and where artifacts are."""

    def __init__(self, name, config):
        self.name, self.config = name, config
        self.entry = config["figures"][name]
        self.chains = config["matrix"]["chains"]
        self.data = f"data/{config['scale']}"

    def of(self, name):
        """The same for another figure."""
        return Here(name, self.config)

    def chosen(self, *keys):
        """Settings of the entry by name."""
        return {key: self.entry[key] for key in keys}

    def model(self, name):
        """Parameters of a model."""
        return f"{self.data}/models/{name}.nc"

    def trace(self, name):
        """The trace of a model's training."""
        return f"{self.data}/models/{name}.trace.nc"

    def snapshots(self, name):
        """Parameters on the way of a model's training."""
        return f"{self.data}/models/{name}.snapshots.nc"

    def dataset(self, name):
        """A data set."""
        return f"data/datasets/{name}.nc"

    def model_and_data(self, name):
        """A model and the data set that it belongs to: inputs `model` and `dataset`."""
        return {"model": self.model(name), "dataset": self.dataset(self.config["models"][name]["dataset"])}

    def truth(self, model):
        """log Z of a model taken as true."""
        return f"{self.data}/truths/{model}.nc"

    def estimates(self, model, estimators):
        """Estimates {estimator: path} of log Z of a model."""
        return {name: f"{self.data}/estimates/{model}/{name}.nc" for name in estimators}

    def titles(self, models):
        """Short titles {model: title}."""
        return {name: self.config["models"][name]["short"] for name in models}

    def estimator_titles(self):
        """{estimator: title} of all estimators."""
        return {name: entry["title"] for name, entry in self.config["estimators"].items()}

    def shape(self, model):
        """(visible, hidden) units of a model."""
        entry = self.config["models"][model]
        hidden = entry["import"]["hidden"] if "import" in entry else entry["train"]["hidden"]
        return self.config["datasets"][entry["dataset"]]["visible"], hidden

    def timed_estimators(self, key, model, estimators, chains):
        """The experiment that takes the seconds of estimators on one model, at the budgets of the entry."""
        entries, budgets = self.config["estimators"], self.entry["budgets"]
        visible, hidden = self.shape(model)
        visits = 4 * sum(budgets) * len(estimators) * chains * visible * hidden
        return self.experiment(
            "logzoo.papers.timing:estimators",
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
