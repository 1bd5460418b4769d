"""Runs that several estimators read: made once for all that ask for the same.

An estimator that reads a run is a generator: it yields the `Wanted` run, is sent its draws, and returns the Estimate.
What it observes does not change the draws, so that who else reads them cannot change its answer.
"""

from collections.abc import Callable
from functools import wraps
from typing import NamedTuple

# Settings that change no bit of a run, and what the stream's name says already.
_UNNAMED = {"base", "threads", "progress"}


class Wanted(NamedTuple):
    """A run that an estimator asks for: sampler(rbm, ledger, stream, observers, **settings)."""

    sampler: Callable
    observers: tuple
    settings: dict

    @property
    def name(self):
        """What the run is, as names below a stream: runs of one name, rbm, base and budget are the same."""
        module = self.sampler.__module__.rpartition(".")[2]
        named = (f"{key}={value}" for key, value in sorted(self.settings.items()) if key not in _UNNAMED)
        return f"{module}.{self.sampler.__name__}", " ".join(named)


def reads(generator):
    """An estimator that makes the run which it reads itself; `generator` is its attribute of that name."""

    @wraps(generator)
    def estimate(rbm, ledger, stream, **options):
        reader = generator(rbm, ledger, stream, **options)
        wanted = next(reader)
        return _answer(reader, wanted.sampler(rbm, ledger, stream, wanted.observers, **wanted.settings))

    estimate.generator = generator
    return estimate


def read_together(rbm, readers, stream):
    """{name: Estimate} of readers {name: (generator, ledger)}; their runs start from the same base.

    A run has the stream of its name below `stream`, whoever reads it, and is charged to each reader in full.
    """
    runs = {}
    for name, (reader, ledger) in readers.items():
        wanted = next(reader)
        runs.setdefault(wanted.name, []).append((name, reader, ledger, wanted))
    estimates = {}
    for names, together in runs.items():
        _, _, first, (sampler, _, settings) = together[0]
        observers = tuple(observer for *_, wanted in together for observer in wanted.observers)
        draws = sampler(rbm, first, stream.child(*names), observers, **settings)
        for name, reader, ledger, _ in together:
            ledger.by_purpose = first.by_purpose
            estimates[name] = _answer(reader, draws)
    return estimates


def _answer(reader, draws):
    """The Estimate that a reader returns when it is sent its draws."""
    try:
        reader.send(draws)
    except StopIteration as end:
        return end.value
    raise TypeError(f"{reader.__name__}: expected one run and an Estimate")
