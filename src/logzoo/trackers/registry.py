"""The trackers, by name."""

from logzoo.checks import one_of
from logzoo.trackers.kalman import KalmanTracker
from logzoo.trackers.rts import RtsTracker

TRACKERS = {"kalman": KalmanTracker, "rts": RtsTracker}


def tracker(given):
    """A new tracker of that name, or the tracker that is given itself; ValueError for any other."""
    if isinstance(given, tuple(TRACKERS.values())):
        return given
    return TRACKERS[one_of("tracker", given, TRACKERS)]()
