"""The best RBM of a grid whose settings raced: of those that were trained in full."""

from replication.papers.tracking import best
from replication.papers.tracking.race import goes_on


def run(artifacts, **settings):
    """The experiment of `replication.papers.tracking.best` without the models that the race rejected."""
    race, others = artifacts["race"], {name: part for name, part in artifacts.items() if name != "race"}
    kept = {
        kind: {model: each for model, each in others[kind].items() if goes_on(race, model)}
        for kind in ("models", "traces")
    }
    return best.run({**others, **kept}, **settings)
