"""The trackers, by name; their kernels are imported when one is made."""

from logzoo.checks import one_of

TRACKERS: tuple[str, ...] = ("kalman", "rts")


def tracker(given):
    """A new tracker of that name, or the tracker that is given itself; ValueError for any other."""
    from logzoo.trackers.kalman import KalmanTracker
    from logzoo.trackers.rts import RtsTracker

    classes = dict(zip(TRACKERS, (KalmanTracker, RtsTracker), strict=True))
    if isinstance(given, tuple(classes.values())):
        return given
    return classes[one_of("tracker", given, TRACKERS)]()
