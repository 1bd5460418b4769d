"""What a terminal shows of work that takes a while: it is gone when the work is done, and elsewhere nothing shows."""

from __future__ import annotations

import sys

from tqdm import tqdm


def bar(total: int, what: str, unit: str, progress: bool, *, done: int = 0) -> tqdm:
    """A bar of `total` units of work, of which so many are done; to be closed. progress: whether it is wanted."""
    return tqdm(total=total, desc=what, unit=unit, initial=done, leave=False, disable=_disable(progress))


def stage(what: str, progress: bool) -> tqdm:
    """A line that says what is running, above the bars of it; to be closed. progress: whether it is wanted."""
    return tqdm(desc=what, bar_format="{desc} ...", leave=False, disable=_disable(progress))


def _disable(progress):
    # None: only if stderr is a terminal. Without a stderr tqdm would look for one.
    return None if progress and sys.stderr is not None else True
