"""The terminal output of a run of Snakemake: one line of progress, and at the end a summary.

Snakemake's own messages go to its log file. Only its public log events are read.
"""

import logging
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from logzoo.printing import is_terminal, shortened

LOGGER = "snakemake.logging"
# Seconds between two lines of progress, on a terminal and in a file.
_PERIODS = {True: 1.0, False: 30.0}
# Expected seconds of work after which the measured speed counts as much as the assumed speed.
_ASSUMED = 20.0
_MOST_FAILURES = 5


class Progress(logging.Handler):
    """Count the finished jobs of a run by their expected seconds, and estimate its end from the speed so far.

    expected: function from a file to the expected seconds of its job. total: function from {rule: number of jobs} to
    the expected seconds of all jobs, and of the longest job.
    """

    def __init__(self, expected: Callable[[str], float], total: Callable[[Mapping[str, int]], tuple[float, float]]):
        super().__init__()
        self.expected, self.total = expected, total
        self.work, self.longest, self.done, self.took, self.jobs, self.finished = 0.0, 0.0, 0.0, 0.0, 0, 0
        self.running: dict[int, tuple[float, float]] = {}  # job: expected seconds, start
        self.outputs: list[str] = []
        self.failures: list[str] = []
        self.started = self.last = time.monotonic()
        self.shown, self.cores = False, 1
        self.is_terminal = is_terminal(sys.stderr)

    def emit(self, record: logging.LogRecord) -> None:
        """Handle a log event of Snakemake."""
        event = str(getattr(record, "event", ""))
        if event == "resources_info":
            # Snakemake logs its resources before jobs run, and never in a dry run.
            self.shown, self.cores = True, getattr(record, "cores", self.cores)
        elif not self.shown:
            return
        elif event == "run_info" and not self.jobs:
            counts = {name: int(count) for name, count in getattr(record, "stats", {}).items() if name != "total"}
            self.jobs, (self.work, self.longest) = sum(counts.values()), self.total(counts)
            self.started = time.monotonic()
        elif event == "job_info":
            self._start(record)
        elif event == "job_finished":
            self._finish(record)
        elif event == "job_error":
            self._fail(record)

    def start_jobs(self) -> None:
        """Start the clock, and print the number of jobs with their expected time."""
        self.started = time.monotonic()
        expected = duration(max(self.work / self.cores, self.longest))
        self.tell(f"logzoo: {self.jobs} jobs, about {expected} on {self.cores} cores; kernels may be compiled first")

    def _start(self, record: Any) -> None:
        paths = [str(path).split(" ")[0] for path in record.output]
        self.running[record.jobid] = (self.expected(paths[0]) if paths else 0.0, time.monotonic())
        self.outputs += paths
        self.show()

    def _finish(self, record: Any) -> None:
        now = time.monotonic()
        seconds, start = self.running.pop(record.job_id, (0.0, now))
        self.done, self.took, self.finished = self.done + seconds, self.took + now - start, self.finished + 1
        self.show()

    def _fail(self, record: Any) -> None:
        self.running.pop(record.jobid, None)
        log = Path(str(record.log[0]).split(" ")[0]) if record.log else None
        lines = log.read_text(errors="replace").split("\n") if log is not None and log.is_file() else []
        last = next((line for line in reversed(lines) if line.strip()), "no message")
        self.failures.append(f"{record.rule_name}: {shortened(last, 200)} (see {log})")
        self.tell(f"logzoo: failed: {self.failures[-1]}")

    def remaining(self, now: float) -> float:
        """Estimated seconds until the end, from the speed so far; at least the seconds that any running job needs."""
        done = self.done + sum(min(seconds, now - start) for seconds, start in self.running.values())
        speed = (done + _ASSUMED) / (now - self.started + _ASSUMED / self.cores)
        # A job runs on one core, so it is as fast as the finished jobs were, even if other cores were idle.
        slowness = (self.took + _ASSUMED) / (self.done + _ASSUMED)
        longest = [slowness * seconds - (now - start) for seconds, start in self.running.values()]
        return max((self.work - done) / speed, *longest, 0.0)

    def show(self) -> None:
        """Print the line of progress if the period in `_PERIODS` has passed since the last line."""
        now = time.monotonic()
        if now - self.last < _PERIODS[self.is_terminal]:
            return
        self.last = now
        share = min(self.done / self.work, 1.0) if self.work else 1.0
        left = f"{self.finished} of {self.jobs} jobs, about {duration(self.remaining(now))} left"
        self.tell(f"logzoo: {share:4.0%} of the work, {left}", lasting=not self.is_terminal)

    def tell(self, text: str, *, lasting: bool = True) -> None:
        """Write a line to stderr. On a terminal, the next line overwrites a line that is not `lasting`."""
        if sys.stderr is not None:
            before = "\r\033[K" if self.is_terminal else ""
            print(f"{before}{text}", end="\n" if lasting else "", file=sys.stderr, flush=True)


def attach(expected: Callable[[str], float], total: Callable[[Mapping[str, int]], tuple[float, float]]) -> Progress:
    """Show the progress of a run in place of Snakemake's messages, which still go to its log file.

    A dry run prints its usual plan. Warnings and errors are printed, too, except the report of a failed job.
    """
    progress, logger = Progress(expected, total), logging.getLogger(LOGGER)
    for handler in logger.handlers:
        if isinstance(handler, logging.StreamHandler) and not isinstance(handler, logging.FileHandler):
            handler.addFilter(lambda record: not progress.shown or _is_for_terminal(record))
    # This handler comes first, because it decides whether an event is printed.
    logger.handlers.insert(0, progress)
    return progress


def _is_for_terminal(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.WARNING and str(getattr(record, "event", "")) not in ("job_error", "group_error")


def duration(seconds: float) -> str:
    """Seconds in human units: 40 s, 3 min, 2.5 h."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 99.5 * 60 else f"{seconds / 3600:.1f} h"


def ending(progress: Progress, folder: str, claims: str, log: str, success: bool) -> str:
    """At most twelve lines at the end of a run: files made, path of the page, failures, command to continue.

    folder: folder of the figures. claims: text on the verdicts, empty without a scorecard. log: Snakemake's log file.
    """
    files = [path for path in progress.outputs if Path(path).is_file()]
    pictures = sorted({str(Path(path).with_suffix("")) for path in files if Path(path).parent.parent == Path(folder)})
    papers = sorted({Path(path).parent.name for path in pictures})
    took = duration(time.monotonic() - progress.started)
    lines = [f"logzoo: {progress.finished} of {progress.jobs} jobs done in {took}, {len(progress.failures)} failed"]
    if pictures:
        lines.append(f"  made      {len(pictures)} figures and tables of {', '.join(papers)}, in {folder}/")
    page = Path(folder) / "index.html"
    if str(page) in files or (success and len(papers) != 1 and page.is_file()):
        lines.append(f"  page      {page}: all figures, tables and verdicts")
    if claims:
        lines.append(f"  claims    {claims}")
    lines += [f"  failed    {line}" for line in progress.failures[:_MOST_FAILURES]]
    if len(progress.failures) > _MOST_FAILURES:
        lines.append(f"  failed    and {len(progress.failures) - _MOST_FAILURES} more")
    if not success:
        lines.append("  continue  the same command with --rerun-incomplete; --keep-going runs independent jobs first")
    lines.append(f"  log       {log}")
    return "\n".join(lines)
