"""What a terminal shows of work that takes a while: it is gone when the work is done, and elsewhere nothing shows."""

from tqdm import tqdm


def bar(total, what, unit, progress, *, done=0):
    """A bar of `total` units of work, of which so many are done; to be closed. progress: whether it is wanted."""
    # None: only if stderr is a terminal.
    return tqdm(total=total, desc=what, unit=unit, initial=done, leave=False, disable=None if progress else True)


def stage(what, progress):
    """A line that says what is running, above the bars of it; to be closed. progress: whether it is wanted."""
    return tqdm(desc=what, bar_format="{desc} ...", leave=False, disable=None if progress else True)
