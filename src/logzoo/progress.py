"""What a terminal shows of work that takes a while: it is gone when the work is done, and elsewhere nothing shows."""

import sys

from tqdm import tqdm


def bar(total, what, unit, progress, *, done=0):
    """A bar of `total` units of work, of which so many are done; to be closed. progress: whether it is wanted."""
    return tqdm(total=total, desc=what, unit=unit, initial=done, leave=False, disable=_disable(progress))


def stage(what, progress):
    """A line that says what is running, above the bars of it; to be closed. progress: whether it is wanted."""
    return tqdm(desc=what, bar_format="{desc} ...", leave=False, disable=_disable(progress))


def _disable(progress):
    # None: only if stderr is a terminal. Without a stderr tqdm would look for one.
    return None if progress and sys.stderr is not None else True
