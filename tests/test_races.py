"""Races of grids: who goes on, what is trained and counted then, and that nothing changes without a race."""

import numpy as np
import pytest
import xarray as xr
from projects import ROOT, catalogue_of, merged_configuration
from test_trackers import patterns

from logzoo.io.schema import check
from logzoo.streams import root_stream
from logzoo.training.trainers import train_rbm
from replication import costs
from replication.configuration import checked
from replication.papers.declaration import named_paths
from replication.papers.tracking import trk_runs
from replication.papers.tracking.trk_races import Race, goes_on, grid_models, groups_of, number_kept, race, races_of

RACE = {"updates": 1000, "keep": 0.5}
# Six settings of the grid at the quick scale, in two groups, on two data sets.
RACING = {
    "hidden": [50, 100, 200],
    "options": {"schedule": "inverse", "alpha": 500},
}
FEW = {name: None for name in ("connect4", "mushrooms", "nips", "ocr-letters", "rcv1-own-split", "web-own-split")}


def racing(race=RACE, **train):
    """What changes in the configuration where the grid of table 1 races."""
    return {"grids": {"trk-t1": {"train": {**RACING, **train}, "datasets": FEW, "race": race}}}


def raced(likelihoods, rates=None, keep=0.5):
    """Names of those that go on, of trials whose best likelihoods are these."""
    traces = {
        name: xr.Dataset(attrs={} if value is None else {"best_log_likelihood": value})
        for name, value in likelihoods.items()
    }
    outcome = race({"trials": traces}, keep=keep, rates=rates or dict.fromkeys(likelihoods, 0.01))
    check(outcome, "trace")
    return [name for name in likelihoods if goes_on(outcome, name)]


def test_the_best_of_each_group_go_on():
    likelihoods = {"a": -9.0, "b": -7.0, "c": -8.0, "d": -20.0, "e": -30.0, "f": -25.0}
    rates = dict(zip(likelihoods, [0.1, 0.1, 0.1, 0.001, 0.001, 0.001], strict=True))
    assert groups_of(rates) == [["a", "b", "c"], ["d", "e", "f"]]
    assert raced(likelihoods, rates, keep=1 / 3) == ["b", "d"]
    assert raced(likelihoods, rates, keep=2 / 3) == ["b", "c", "d", "f"]
    # In one group the slow ones would lose to all others.
    assert raced(likelihoods, keep=1 / 3) == ["b", "c"]


def test_one_of_a_group_goes_on_at_least_and_all_where_all_are_kept():
    assert [number_kept(64, keep) for keep in (0.001, 0.2, 0.5, 1)] == [1, 13, 32, 64]
    assert raced({"a": -2.0, "b": -1.0, "c": -3.0}, keep=0.01) == ["b"]
    assert raced({"a": -2.0, "b": -1.0}, keep=1) == ["a", "b"]
    assert raced({"a": -2.0, "b": -1.0, "c": -1.0}, keep=1 / 3) == ["b"]


@pytest.mark.parametrize("bad", [np.nan, np.inf, None])
def test_a_likelihood_that_is_no_finite_number_loses(bad):
    assert raced({"a": bad, "b": -1e9}) == ["b"]
    assert raced({"a": -1e9, "b": bad}) == ["a"]
    # One goes on at least, even if nothing is known of any.
    assert raced({"a": bad, "b": bad}) == ["a"]


def grid_of(**changes):
    train = {"method": "sml-pt", "hidden": 6, "updates": 40, "batch": 20, "learning_rate": [0.1, 0.01]}
    train |= {"options": {"particles": [5, 10], "schedule": "inverse", "alpha": 10, "patience": 40}}
    return {"title": "Grid", "train": train, "datasets": {"dna": {"published": {}}}, **changes}


def test_a_grid_that_races_has_a_trial_of_each_model_and_the_same_models():
    plain, both = (grid_models({"t1": grid}) for grid in (grid_of(), grid_of(race={"updates": 7, "keep": 0.5})))
    assert {name: both[name] for name in plain} == plain
    assert {*both} - {*plain} == {f"{name}-trial" for name in plain} and len(plain) == 4
    for name, entry in plain.items():
        trial = both[f"{name}-trial"]
        assert trial["train"] == {**entry["train"], "updates": 7} and trial["title"].endswith("trial")
        assert (trial["dataset"], trial["validate"]) == ("dna", True)
    assert grid_models({"t1": grid_of(race=None)}) == plain
    assert races_of({"t1": grid_of()}) == races_of({"t1": grid_of(race=None)}) == {}
    rates = {"t1-dna-0": 0.1, "t1-dna-1": 0.1, "t1-dna-2": 0.01, "t1-dna-3": 0.01}
    assert races_of({"t1": grid_of(race=RACE)}) == {"t1.dna": Race("t1", RACE["keep"], rates)}
    assert {name: plain[name]["train"]["learning_rate"] for name in plain} == rates
    again = races_of({"t1": grid_of(race=RACE, repeats=2)})
    assert list(again) == ["t1.dna", "t1.dna-again-2"]
    assert list(again["t1.dna-again-2"].rates) == [f"{name}-again-2" for name in rates]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (racing({"updates": 10, "keep": 0}), r"grids\.trk-t1\.race\.keep: expected .* above 0, found 0"),
        (
            racing({"updates": 3000, "keep": 0.5}),
            r"grids\.trk-t1\.race\.updates: expected less than 3000 \(train\.updates\), found 3000",
        ),
        (
            racing(options={"schedule": ["inverse", "linear"]}),
            r"grids\.trk-t1\.train\.options\.schedule: expected another schedule than linear",
        ),
    ],
)
def test_a_race_that_cannot_be_is_one_line(change, complaint):
    with pytest.raises(ValueError, match=rf"^configuration: {complaint}.*$"):
        checked(merged_configuration(change), ROOT / "config")


def jobs_of(catalogue):
    paths = named_paths(catalogue.shown["trk-t1"].inputs).values()
    return {path.removeprefix("data/quick/"): job for path, job in costs.jobs_behind(catalogue, paths).items()}


def test_a_race_costs_all_trials_and_the_share_that_goes_on():
    plain, both = (jobs_of(catalogue_of(racing(race=race))) for race in (None, RACE))
    full = {path: costs.seconds_of(job.work) - costs.START for path, job in plain.items() if path.startswith("models/")}
    assert len(full) == 12 and {*both} - {*plain} == {
        *(path.replace(".nc", "-trial.nc") for path in full),
        *(f"races/trk-t1.{dataset}.nc" for dataset in ("adult", "dna")),
    }
    # Two of three in each of the groups of three: half of them, rounded.
    assert number_kept(3, RACE["keep"]) == 2
    for path, seconds in full.items():
        trial = both[path.replace(".nc", "-trial.nc")]
        assert trial.seconds == trial.most_seconds == pytest.approx(costs.START + seconds / 3)
        assert both[path].seconds == pytest.approx(costs.START + seconds * 2 / 3)
        # The dearest may go on: of 50, 100 and 200 hidden units, settings by twos, not the first.
        small = path.endswith(("-0.nc", "-1.nc"))
        assert both[path].most_seconds == pytest.approx(costs.START if small else costs.START + seconds)
    best_of = [jobs["best/trk-t1.dna.nc"].work["sampling"] for jobs in (plain, both)]
    assert best_of[1] == pytest.approx(best_of[0] * 2 / 3)


def test_the_paper_scale_costs_at_most_200_core_hours():
    """On average over who goes on; only its grid of table 1 races, and no other scale."""
    catalogue = catalogue_of("config/paper.yaml")
    hours = float(costs.table_of_costs(catalogue).splitlines()[-1].split()[-3].replace(",", ""))
    assert 150 < hours <= 200
    assert {grid for grid, entry in catalogue.config["grids"].items() if entry.get("race")} == {"trk-t1"}
    assert not any(catalogue_of(*files).races for files in ((), ("config/decisive.yaml",)))


SETTINGS = {"hidden": 6, "batch": 20, "learning_rate": 0.05, "particles": 10, "rungs": 4, "tracker": "kalman"}


def trained(updates, seed="0/name", **options):
    data = patterns(150)
    more = {"patience": 400, "validation": data[100:], "alpha": 20, "schedule": "inverse", **options}
    return train_rbm(data[:100], "sml-pt", updates=updates, seed=seed, **SETTINGS, **more)


@pytest.mark.parametrize(("schedule", "same"), [("inverse", True), ("linear", False)])
def test_a_trial_is_the_beginning_of_the_full_training(schedule, same):
    """Not by the schedule that is refused: it knows how long the training will be."""
    trial, full = (trained(updates, schedule=schedule).trace for updates in (100, 400))
    updates = [update for update in full["update"].values if update in trial["update"]]
    assert len(updates) >= 25
    assert trial.sel(update=updates).drop_attrs().equals(full.sel(update=updates).drop_attrs()) == same


def test_the_best_model_is_looked_for_among_those_that_go_on(monkeypatch):
    runs = {name: trained(100, seed=name) for name in ("a", "b", "c")}
    splits = np.split(patterns(200), [100, 150])
    split = np.repeat(range(3), [len(examples) for examples in splits])
    content = {"data": (("example", "visible"), np.concatenate(splits)), "split": ("example", split)}
    dataset = xr.Dataset(content, attrs={"title": "patterns"})
    settings = {"published": {}, "sweeps": 100, "chains": 10, "stream": root_stream(1)}
    artifacts = {
        "models": {name: one.rbm.to_dataset() for name, one in runs.items()},
        "traces": {name: one.trace for name, one in runs.items()},
        "dataset": dataset,
    }
    annealed, anneal = [], trk_runs.ais_numbers

    def counted(rbm, *arguments):
        annealed.append(next(name for name, one in runs.items() if np.array_equal(one.rbm.weights, rbm.weights)))
        return anneal(rbm, *arguments)

    def race(*kept):
        model, numbers = ("model", [*runs]), ("model", [int(name in kept) for name in runs])
        return xr.Dataset({"kept": numbers}, {"model": model})

    monkeypatch.setattr(trk_runs, "ais_numbers", counted)
    of_all = trk_runs.best(artifacts, **settings)
    winner = of_all.attrs["model"]
    assert sorted(annealed) == ["a", "b", "c"]
    annealed.clear()
    others = sorted({*runs} - {winner})
    without = trk_runs.best_of_race({"race": race(*others), **artifacts}, **settings)
    assert sorted(annealed) == others and without.attrs["model"] in others
    # Where all go on, and where the winner does, its numbers are those of a grid without a race.
    for kept in ([*runs], [winner, others[0]]):
        assert trk_runs.best_of_race({"race": race(*kept), **artifacts}, **settings).identical(of_all)
