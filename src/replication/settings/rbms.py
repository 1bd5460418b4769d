"""Settings of RBMs and of their training: single models, grids, the zoo, comparisons and repeated trainings."""

from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from logzoo.training.trainers import TRAINERS
from replication.settings.fields import (
    AtLeastTwo,
    Count,
    Counts,
    Name,
    Number,
    Options,
    Positive,
    Scaled,
    Section,
    Several,
    WrongSetting,
    check_options,
)


class Updates(Section):
    """Settings of the updates of a training."""

    updates: Count = Field(description="Updates of the parameters.")
    batch: Count = Field(description="Examples of a mini-batch.")
    learning_rate: Positive = Field(description="Initial learning rate.")


class Sizes(Updates):
    """Settings of a training that every trainer takes."""

    hidden: Count = Field(description="Hidden units.")


class _Trainer(Section):
    method: str = Field(description="Trainer.")
    options: Options = Field(description="Options of the trainer.")

    @model_validator(mode="after")
    def _options(self):
        check_options(TRAINERS, self.method, self.options, [*_Trainer.model_fields, "title", *Sizes.model_fields])
        return self


class Training(Sizes, _Trainer):
    """The training of one RBM."""

    options: Options = Field({}, description="Options of the trainer.")


class Known(Section):
    """The RBM from which a data set of the reader `known` is drawn."""

    hidden: Count = Field(description="Hidden units, for the estimate of costs and the sizes of claims.")


class Import(Known):
    """A published file with the parameters of a model. If it is not available, the model is trained."""

    source: str = Field(description="Source of the file.")
    file: str = Field(description="File of the source.")


class PublishedModel(Section):
    """Published numbers of a model."""

    log_z: Number | None = Field(None, description="log Z in nats.")
    test_log_likelihood: Number | None = Field(None, description="Mean test log-likelihood in nats.")


class _Model(Scaled):
    title: str = Field(description="Title.")
    short: str = Field(description="Short title, for axes and panels.")
    dataset: str = Field(description="Data set of the training, of the matched base and of likelihoods.")
    family: Name | None = Field(None, description="Models of one family share a panel in the figures of the zoo.")
    budgets: Counts | None = Field(None, description="Budgets of the estimates, in place of the budgets of `matrix`.")
    chains: AtLeastTwo | None = Field(None, description="Chains of an estimate, in place of the chains of `matrix`.")
    replicates: Count | dict[str, Count] | None = Field(
        None, description="Replicates of all estimates, or of some estimators by name, in place of `matrix.replicates`."
    )


class TrainedModel(_Model):
    """An RBM that is trained, or imported from a published file."""

    train: Training = Field(description="Training.")
    truth_sweeps: Count | None = Field(None, description="Sweeps of each long run for log Z; see `truth.sweeps`.")
    with_validation: bool | None = Field(None, alias="validate", description="The trainer reads the validation split.")
    trainings: Count = Field(
        1, description="Independent trainings. The second is the model `<name>-2`, the third `<name>-3`, and so on."
    )
    start: str | None = Field(None, description="Model whose parameters the training starts from.")
    import_: Import | None = Field(None, alias="import", description="Published file.")
    published: PublishedModel | None = Field(None, description="Published numbers.")


class KnownModel(_Model):
    """An RBM of a family whose log Z is known. The data set of the entry is drawn from the RBM."""

    known: Known = Field(description="The RBM. The data set sets its family and options.")


Model = Annotated[
    Annotated[TrainedModel, Tag("trained model")] | Annotated[KnownModel, Tag("known model")],
    Discriminator(lambda entry: "known model" if isinstance(entry, dict) and "known" in entry else "trained model"),
]


class FullAnnealing(Section):
    """Sizes of AIS."""

    sweeps: Count = Field(description="Budget in sweeps per chain.")
    chains: AtLeastTwo = Field(description="Number of chains.")


class Annealing(Section):
    """Sizes of AIS. Missing sizes come from `ais` of the data set, else of the grid, else from `checks.ais`."""

    sweeps: Count | None = Field(None, description="Budget in sweeps per chain.")
    chains: AtLeastTwo | None = Field(None, description="Number of chains.")


class GridTraining(Section):
    """Trainings of a grid: one setting for each combination of elements of its lists, also of lists in `options`."""

    method: str | Several[str] = Field(description="Trainer.")
    hidden: Count | Several[Count] = Field(description="Hidden units.")
    updates: Count | Several[Count] = Field(description="Updates of the parameters.")
    batch: Count | Several[Count] = Field(description="Examples of a mini-batch.")
    learning_rate: Positive | Several[Positive] = Field(description="Initial learning rate.")
    options: Options = Field(description="Options of the trainer.")

    @model_validator(mode="after")
    def _options(self):
        for option, value in self.options.items():
            if value == []:
                raise WrongSetting("expected at least one value, found []", f"options.{option}")
        for method in self.method if isinstance(self.method, list) else [self.method]:
            check_options(TRAINERS, method, self.options, GridTraining.model_fields)
        return self


class GridDataset(Section):
    """A data set of a grid."""

    published: dict[str, Number] = Field(
        description="Published numbers by name, such as mean test log-likelihoods in nats."
    )
    ais: Annealing | None = Field(None, description="AIS for this data set.")


class Grid(Scaled):
    """A grid of RBMs: one for each data set and setting, named `<grid>-<data set>-<number of the setting>`.

    Its table shows the best model of each data set, by validation likelihood under AIS.
    """

    title: str = Field(description="Title.")
    train: GridTraining = Field(description="Settings of the trainings.")
    datasets: dict[str, GridDataset] = Field(min_length=1, description="Data sets by name. `null` leaves one out.")
    ais: Annealing | None = Field(None, description="AIS that selects the models.")
    judge: Annealing | None = Field(None, description="AIS that judges the best model. The default is `ais`.")
    long_sweeps: Count | None = Field(None, description="Budget of a further AIS of the best model.")


class Trainer(_Trainer):
    """A trainer that is compared with other trainers."""

    title: str = Field(description="Title.")


class ZooTrainer(Trainer, Updates):
    """A trainer of the zoo."""


class Zoo(Section):
    """The zoo: an RBM for each trainer, data set and size, named `<data set>-<hidden units>-<trainer>`."""

    datasets: dict[Name, str] = Field(
        min_length=1, description="Data sets, by the name that begins the names of their models."
    )
    hidden: Counts = Field(description="Numbers of hidden units.")
    budgets: Counts = Field(description="Budgets of the estimates in sweeps per chain.")
    chains: AtLeastTwo = Field(description="Chains of an estimate.")
    replicates: Count | None = Field(None, description="Replicates of an estimate, in place of `matrix.replicates`.")
    truth_sweeps: Count | None = Field(None, description="Sweeps of each long run for log Z; see `truth.sweeps`.")
    trainers: dict[Name, ZooTrainer] = Field(min_length=1, description="Trainers by name. `null` leaves one out.")


class Comparison(Scaled):
    """Repeated trainings of one RBM by several trainers, on labelled data, compared by likelihood and accuracy."""

    title: str = Field(description="Title.")
    dataset: str = Field(description="Data set with label units.")
    repeats: AtLeastTwo = Field(description="Repetitions of each training.")
    points: AtLeastTwo = Field(description="Evaluations during a training.")
    subset: Count = Field(description="Examples for the prediction accuracy.")
    paired: bool = Field(False, description="Trainers share the initial weights and the mini-batches of a repetition.")
    train: Sizes = Field(description="Sizes of the trainings.")
    trainers: dict[Name, Trainer] = Field(min_length=1, description="Trainers by name.")


class RepeatedSizes(Section):
    """Settings that all trainers of a table share."""

    hidden: Count = Field(description="Hidden units.")
    updates: Count = Field(description="Updates of the parameters.")
    batch: Count = Field(description="Examples of a mini-batch.")
    learning_rate: Several[Positive] = Field(description="Initial learning rates.")
    values: Literal["grey", "binary"] = Field(
        description="Binary data, or grey levels, for which visible units take means in place of draws."
    )
    options: Options = Field(description="Options of all trainers.")


class RepeatedTrainer(Trainer):
    """A trainer of a table of log-likelihoods."""

    runs: AtLeastTwo | None = Field(None, description="Runs, in place of the runs of the table.")
    published: dict[str, Number] = Field(
        description="Published learning rate, mean log-likelihoods in nats, and their spreads."
    )


class RepeatedTrainings(Scaled):
    """Trainings of a table of log-likelihoods: every trainer at each learning rate, several runs each.

    Runs of the same number share their initial parameters and mini-batches.
    """

    dataset: str = Field(description="Data set.")
    runs: AtLeastTwo = Field(description="Runs of each trainer.")
    published: dict[str, Number] = Field(description="Published sizes.")
    annealed: FullAnnealing | None = Field(
        None, description="AIS for log Z. Only the first RBM, and RBMs on which AIS fails, are enumerated."
    )
    train: RepeatedSizes = Field(description="Settings that the trainers share.")
    trainers: dict[Name, RepeatedTrainer] = Field(min_length=1, description="Trainers by name.")

    @model_validator(mode="after")
    def _shared_options(self):
        for trainer in self.trainers.values():
            taken = [*RepeatedSizes.model_fields, "method"]
            check_options(TRAINERS, trainer.method, self.train.options, taken, "train.options")
        return self
