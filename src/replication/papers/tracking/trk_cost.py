"""Cost of tracking log Z: seconds of an update of SML-PT without a tracker and with each tracker.

Seconds of a parameter update on one core, as means of five timings, at the sizes of the model of figure 4. Times differ
from run to run. The Kalman filter follows Desjardins et al. (2011). The other tracker applies RTS to the same chains
(Carlson et al. 2016, section 4.4).
"""

from replication.artifacts import stand_in_note
from replication.claim import Claim, Power, Size
from replication.papers.declaration import Here
from replication.papers.experiment import TIMINGS, training_work
from replication.reporting.statistics import mean, over_repeats, ratio_of_means, seconds_of_budgets
from replication.reporting.tables import DIGITS, Column, table_of
from replication.types import Artifacts, Dataset, Inputs, Statistics

_RATIO = "mean CPU seconds of an update"
CLAIMS = {
    "kalman": Claim(
        "Tracking log Z by the Kalman filter adds a small overhead to the cost of training",
        "abstract, section 5",
        "similar to that required for training alone; a small overhead",
        f"{_RATIO}: with the Kalman filter over without a tracker",
    ),
    "rts": Claim(
        "Tracking log Z by RTS, from the same chains, adds a small overhead to the cost of training",
        measured=f"{_RATIO}: with RTS over without a tracker",
    ),
    "point": Claim(
        "The tracker estimates log Z at a cost per point well below that of AIS",
        "section 5",
        "well below",
        "mean CPU seconds of an update with the Kalman filter, its training included, over those of one AIS estimate of"
        " a model of the same shape",
        at_most=1.0,
        bound="below",
        scale="log",
        power=Power(0.8, 0.1, "a factor of 1.25; spread of five timings of an earlier run"),
    ),
}
_TITLES = {"none": "training alone", "kalman": "Kalman filter", "rts": "RTS"}
_TRACKERS = ("kalman", "rts")
# Distributions of AIS in the paper, footnote 5.
_DISTRIBUTIONS = 21_000
_COLUMNS = {
    "seconds": Column("seconds of an update", "s", DIGITS),
    "ratio": Column("ratio to training alone"),
    "low": Column("95% interval from"),
    "high": Column("to"),
}


def inputs(here: Here) -> Inputs:
    model = here.config["models"][here.known("models", here.entry["model"])]
    train, visible = model["train"], here.config["datasets"][model["dataset"]]["visible"]
    plain = {key: train[key] for key in ("hidden", "batch", "learning_rate")}
    plain |= {key: train["options"][key] for key in ("particles", "rungs")}
    updates = here.entry["updates"]
    timed = {**plain, "method": "sml-pt", "updates": 4 * TIMINGS * len(_TITLES) * updates}
    timings = here.experiment(
        "replication.papers.timing:trackers",
        {"dataset": here.dataset(model["dataset"])},
        {"train": plain, "updates": updates},
        f"timings/{here.name}",
        stream=("time-of-tracking",),
        methods=("sml-pt",),
        timed=True,
        work=training_work(timed, visible),
    )
    return {"timings": timings, "ais": here.timed_estimators("ais", here.entry["annealed"], ["ais"], here.chains)}


def sizes(here: Here) -> Size:
    """Our sizes beside the published sizes (section 4 and footnote 5)."""
    hidden = min(here.shape(here.entry[name])[1] for name in ("model", "annealed"))
    size = {"hidden units": (hidden, 500), "chains of AIS": (here.chains, 100)}
    return Size(size, TIMINGS)


def _seconds(artifacts, tracker):
    return artifacts["timings"]["seconds"].sel(tracker=tracker).values


def _ratio(artifacts, tracker):
    return over_repeats(ratio_of_means, _seconds(artifacts, tracker), _seconds(artifacts, "none"), scale="log")


def statistics(artifacts: Artifacts) -> Statistics:
    ais = seconds_of_budgets(artifacts["ais"], "ais", [_DISTRIBUTIONS])[0][0]
    point = over_repeats(mean, _seconds(artifacts, "kalman") / ais, scale="log")
    return {**{tracker: _ratio(artifacts, tracker) for tracker in _TRACKERS}, "point": point}


def rows(artifacts: Artifacts) -> Dataset:
    table = {}
    for name, title in _TITLES.items():
        row = {"seconds": float(artifacts["timings"]["seconds"].sel(tracker=name).mean())}
        if name in _TRACKERS:
            row |= dict(zip(("ratio", "low", "high"), _ratio(artifacts, name)[:3], strict=True))
        table[title + stand_in_note(artifacts["timings"])] = row
    return table_of(table, "tracker", _COLUMNS)
