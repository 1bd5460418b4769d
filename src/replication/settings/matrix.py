"""Settings of estimators, of the matrix of all estimates, and of the values that these are compared with."""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from logzoo.estimators.estimator_registry import ESTIMATORS
from replication.settings.fields import (
    AtLeastTwo,
    Count,
    Counts,
    Names,
    Options,
    Scaled,
    Section,
    check_known,
    check_options,
)
from replication.settings.rbms import FullAnnealing


class Estimator(Scaled):
    """An estimator of log Z. Every method has an estimator of its own name, whose settings an entry changes."""

    title: str = Field(description="Title in tables and figures.")
    method: str = Field(description="Method (`logzoo methods` lists them).")
    base: Literal["matched", "modes", "uniform", "visible-bias"] = Field(
        "matched",
        description="Base: marginals of the training data, mean-field modes, units at 1/2, or the visible bias.",
    )
    options: Options = Field({}, description="Options of the method.")
    budgets: Counts | None = Field(None, description="Budgets, in place of those of the model and of `matrix`.")

    @model_validator(mode="after")
    def _options(self):
        check_options(ESTIMATORS, self.method, self.options, Estimator.model_fields)
        return self


def _all_or_names(value: Any) -> str:
    return "several" if isinstance(value, list) else "single"


class Matrix(Section):
    """All estimates: every estimator on every model of this list and of the zoo."""

    models: Names = Field(description="Models, besides those of the zoo.")
    estimators: Annotated[
        Annotated[Literal["all"], Tag("single")] | Annotated[Names, Tag("several")], Discriminator(_all_or_names)
    ] = Field(description="A list of estimators, or all methods without `left_out` and with `added`.")
    left_out: list[str] = Field([], description="Methods that are not estimators of the matrix.")
    added: list[str] = Field([], description="Estimators besides the methods.")
    together: bool = Field(description="The estimators of a model share one job.")
    budgets: Counts = Field(description="Budgets in sweeps per chain.")
    replicates: Count = Field(description="Replicates of an estimate at each budget.")
    chains: AtLeastTwo = Field(description="Chains of an estimate.")

    @model_validator(mode="after")
    def _left_out_methods(self):
        check_known(self.left_out, ESTIMATORS, "left_out")
        return self


class Truth(Section):
    """How log Z of a model is found that estimates are compared with."""

    enumerate_up_to: Count = Field(description="log Z is enumerated up to this many units in the smaller layer.")
    estimators: Names = Field(description="Estimators whose long runs are averaged for larger models.")
    sweeps: Count = Field(description="Budget of each long run in sweeps per chain.")


class Checks(Section):
    """How log Z is estimated at the snapshots of a training."""

    ais: FullAnnealing = Field(description="AIS, for models that are not enumerated.")
