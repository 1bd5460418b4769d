"""The trackers, by name."""

from logzoo.checks import one_of
from logzoo.trackers.kalman import KalmanTracker
from logzoo.trackers.rts import RtsTracker

TRACKERS = {"kalman": KalmanTracker, "rts": RtsTracker}


def tracker(method):
    """A new tracker of that name; ValueError if unknown."""
    return TRACKERS[one_of("tracker", method, TRACKERS)]()
