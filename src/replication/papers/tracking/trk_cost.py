"""What tracking log Z costs: seconds of an update of SML-PT with each tracker and without.

Seconds of an update of parameters on one core, means of five timings, on the model of figure 4. Measured on this
machine; times differ from run to run. The Kalman filter is that of Desjardins et al. (2011); the other tracker reads
the same chains by RTS, Carlson et al. (2016), section 4.4.
"""

from replication.artifacts import stand_in_note
from replication.claim import Claim
from replication.papers.declaration import TIMINGS, Here, training_work
from replication.reporting.statistics import over_repeats, ratio_of_means
from replication.reporting.tables import DIGITS, Column, table_of

CLAIMS = {
    "kalman": Claim(
        "An update that the Kalman filter follows costs about what one of training alone does",
        "similar, a small overhead",
        at_most=2.0,
    ),
    "rts": Claim("Tracking log Z by RTS costs almost nothing extra", "minimal additional cost", at_most=1.1),
}
_TITLES = {"none": "training alone", "kalman": "Kalman filter", "rts": "RTS"}
_COLUMNS = {
    "seconds": Column("seconds of an update", "s", DIGITS),
    "ratio": Column("over training alone"),
    "low": Column("95% interval from"),
    "high": Column("to"),
}


def inputs(here: Here) -> dict:
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
    return {"timings": timings}


def _ratio(artifacts, tracker):
    seconds = [artifacts["timings"]["seconds"].sel(tracker=name).values for name in (tracker, "none")]
    return over_repeats(ratio_of_means, *seconds, of="seconds of an update, tracked / not tracked", scale="log")


def statistics(artifacts: dict) -> dict:
    """Seconds of an update with each tracker over those without."""
    return {tracker: _ratio(artifacts, tracker) for tracker in CLAIMS}


def rows(artifacts: dict):
    """A row for training alone and for each tracker."""
    table = {}
    for name, title in _TITLES.items():
        row = {"seconds": float(artifacts["timings"]["seconds"].sel(tracker=name).mean())}
        if name in CLAIMS:
            row |= dict(zip(("ratio", "low", "high"), _ratio(artifacts, name)[:3], strict=True))
        table[title + stand_in_note(artifacts["timings"])] = row
    return table_of(table, "tracker", _COLUMNS)
