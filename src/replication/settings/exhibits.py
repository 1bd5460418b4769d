"""Settings of papers, figures and tables (config/papers)."""

# `either` makes types.
# pyright: reportInvalidTypeForm=false
from typing import Annotated

from pydantic import ConfigDict, Field, model_validator

from replication.settings.fields import (
    AtLeastTwo,
    Count,
    Counts,
    Name,
    Names,
    Scaled,
    Section,
    Share,
    WrongSetting,
    either,
)


class Paper(Section):
    """A paper, or another group of figures and tables."""

    place: int = Field(description="Place on the page and in the scorecard.")
    title: str = Field(description="Title.")
    source: str = Field(description="Authors and year.")
    question: str | None = Field(None, description="Question that opens the page of a run. Requires `answers`.")
    answers: Names | None = Field(None, description="Figures and tables below the question. Requires `question`.")

    @model_validator(mode="after")
    def _question_and_answers(self):
        if (self.question is None) != (self.answers is None):
            raise WrongSetting("expected both keys 'question' and 'answers' or neither")
        return self


class Figure(Scaled):
    """A figure or table. Its declaration, `src/replication/papers/<paper>/<figure>.py`, determines its settings.

    The settings below mean the same in all declarations that read them; others are settings of one declaration.
    A setting that the declaration does not read is refused.
    """

    model_config = ConfigDict(extra="allow")

    paper: Name = Field(description="Paper.")
    title: str = Field(description="Title.")
    module: Name | None = Field(None, description="Module that declares it, where that has another name.")
    model: str | None = Field(None, description="Model.")
    models: Names | None = Field(None, description="Models.")
    estimators: Names | None = Field(None, description="Estimators.")
    lower: Names | None = Field(None, description="Methods that estimate log Z from below.")
    of_papers: Names | None = Field(None, description="Estimators that the four papers use.")
    budgets: Counts | None = Field(None, description="Budgets in sweeps per chain.")
    rungs: AtLeastTwo | None = Field(None, description="Rungs of a ladder.")
    ladders: either(Count, Counts) | None = Field(None, description="Number of ladders, or numbers of rungs.")
    chains: AtLeastTwo | None = Field(None, description="Chains of an estimate.")
    sweeps: Count | None = Field(None, description="Sweeps per chain.")
    steps: Count | None = Field(None, description="Steps of a sampler.")
    draws: Count | None = Field(None, description="Draws of each chain.")
    tours: Count | None = Field(None, description="Number of tours.")
    cap: Count | None = Field(None, description="Sweeps after which a tour is cut.")
    points: AtLeastTwo | None = Field(None, description="Points of a curve.")
    iterations: Count | None = Field(None, description="Initial iterations.")
    initial_draws: Count | None = Field(None, description="Draws of an initial iteration.")
    initial_iterations: Count | None = Field(None, description="Number of initial iterations.")
    estimates: AtLeastTwo | None = Field(None, description="Number of estimates.")
    repeats: AtLeastTwo | None = Field(None, description="Number of repetitions.")
    replicates: Count | None = Field(None, description="Number of replicates.")
    runs: Count | None = Field(None, description="Number of runs.")
    samples: either(Count, Counts) | None = Field(None, description="Number of samples, or several numbers.")
    rounds: Counts | None = Field(None, description="Hidden states drawn for each training image in a stopping set.")
    batches: AtLeastTwo | None = Field(None, description="Number of mini-batches.")
    batch: Count | None = Field(None, description="Examples of a mini-batch.")
    updates: Count | None = Field(None, description="Number of updates.")
    digits: Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=1)] | None = Field(
        None, description="Digits that are shown."
    )
    shares: Annotated[list[Share], Field(min_length=1)] | None = Field(
        None, description="Budgets of the other estimators, as shares of the sweeps of all tours."
    )
    candidates: Count | None = Field(None, description="Number of tours that one is chosen from.")
