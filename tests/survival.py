"""A run of the workflow in a folder of its own that is disturbed again and again, and what must be true after each."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from projects import TIMED, closed_environment

from logzoo.io.netcdf import read_artifact
from replication.artifacts import read_stamp
from replication.layout import STAMPED, files_of, is_unfinished, kind_of

# What shows or lists measured times differs with them.
_TIMED_TOO = re.compile(r"ins-many\.pdf|/index\.html$|/manifest\.json$")
KINDS = ("job", "snakemake", "group", "disk")
MOMENTS = ("any", "young job", "write")
_FULL_SECONDS = 20
# Bytes left when a disk is filled: none, too little for any file, enough for small ones.
_LEFT = (0, 0, 3_000, 20_000, 200_000)


class Run:
    """`snakemake --rerun-incomplete` in a folder, in a process group of its own; its output goes to a file outside.

    mirror: folder of the sources, "" for none.
    """

    def __init__(self, folder, arguments, output, mirror=""):
        self.folder, self.output = folder, output
        command = [sys.executable, "-m", "snakemake", "--cores", "2", "--rerun-incomplete", *arguments]
        environment = closed_environment(folder) | {"LOGZOO_MIRROR": mirror}
        with output.open("a") as stream:
            self.process = subprocess.Popen(
                command, cwd=folder, env=environment, stdout=stream, stderr=subprocess.STDOUT, start_new_session=True
            )

    def jobs(self):
        """Process numbers of the scripts at work."""
        return [number for number, command in self._group() if b"/.snakemake/scripts/" in command]

    def alive(self):
        """Whether any process of the group is there, snakemake itself or what it started."""
        return bool(self._group())

    def over(self):
        """Whether snakemake has ended."""
        return self.process.poll() is not None

    def wait(self, seconds=3600):
        """Wait until snakemake and all it started have ended; returns its exit code."""
        code = self.process.wait(seconds)
        end = time.monotonic() + seconds
        while self.alive() and time.monotonic() < end:
            time.sleep(0.05)
        return code

    def kill(self):
        """End all of it at once."""
        if self.alive():
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def _group(self):
        """(process number, command line) of all processes of the group that are not dead already."""
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                state, _, group = (place / "stat").read_text().rpartition(")")[2].split()[:3]
                if int(group) == self.process.pid and state not in "ZX":
                    found.append((int(place.name), (place / "cmdline").read_bytes()))
            except (OSError, ValueError):
                continue  # it has ended
        return found


# Of a PNG, a PDF, and a page with its stamp.
_ENDS = (b"IEND\xaeB`\x82", b"%%EOF\n", b"-->\n")


def wait_for_moment(run, draws, moments):
    """Wait for a moment drawn from some of MOMENTS: any, in the first second of a job, or while a file is written.

    Returns its name, or None if the run has ended before.
    """
    name = str(draws.choice(moments))
    if name == "any":
        until(lambda: run.over(), float(draws.uniform(0.5, 8.0)))
    elif name == "young job":
        until(lambda: run.over() or run.jobs(), 60, step=0.05)
        old = set(run.jobs())
        until(lambda: run.over() or set(run.jobs()) - old, 30, step=0.02)
        time.sleep(float(draws.uniform(0.0, 1.0)))
    else:
        time.sleep(float(draws.uniform(0.0, 5.0)))
        until(lambda: run.over() or unfinished(run.folder), 60, step=0.01)
        time.sleep(float(draws.choice([0.0, 0.0, 0.01, 0.03])))
    return None if run.over() else name


def until(happened, seconds, step=0.1):
    """Wait until something has happened, at most so many seconds; returns whether it did."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if happened():
            return True
        time.sleep(step)
    return False


def unfinished(folder):
    """Temporary files and checkpoints below data/ and figures/."""
    return [path for path in files_of(folder) if is_unfinished(path)]


def disturb(run, kind, draws, ballast=None):
    """Disturb a run, and wait until it has ended or, on a full disk, for 20 seconds; returns what was done in words."""
    if kind == "disk":
        return _fill(run, ballast, int(draws.choice(_LEFT)))
    if kind == "job":
        until(lambda: run.over() or run.jobs(), 60, step=0.01)
        jobs = run.jobs()
        if jobs:
            os.kill(int(draws.choice(jobs)), signal.SIGKILL)
        return f"job killed, snakemake ended in {run.wait()}"
    jobs = run.jobs()
    if kind == "group":
        run.kill()
        return f"all killed, {len(jobs)} jobs among them"
    os.kill(run.process.pid, signal.SIGKILL)
    run.process.wait()
    if draws.random() < 0.5:
        return f"snakemake killed, the next run at once, {len(run.jobs())} of {len(jobs)} jobs still alive"
    until(lambda: not run.alive(), 60, step=0.02)
    return f"snakemake killed, its {len(jobs)} jobs waited for, {len(run.jobs())} still alive"


def _fill(run, ballast, left):
    with ballast.open("wb") as file:
        _fill_up(file, left)
    ended = until(run.over, _FULL_SECONDS)
    ballast.unlink()
    return f"disk filled up to {left} bytes, " + (f"snakemake ended in {run.wait()}" if ended else "the run went on")


def _fill_up(file, left):
    """Make a file as large as the disk allows but for so many bytes, while others write, too."""
    for step in range(100):
        space = os.fstatvfs(file.fileno())
        size = space.f_bavail * space.f_frsize - left - step * space.f_frsize
        try:
            os.posix_fallocate(file.fileno(), 0, max(size, 1))
            return
        except OSError:
            continue
    raise AssertionError("the disk cannot be filled")


def losses(folder, reference, *, complete=False):
    """What is wrong in a folder, one line each; `reference` is the folder of an undisturbed run.

    Files at their final names must have the bytes of the reference, those that depend on measured times be whole.
    complete: no file may be missing, and no temporary file or checkpoint left.
    """
    expected = {path for path in files_of(reference) if kind_of(path) is not None}
    found = []
    there = files_of(folder)
    for path in there:
        if is_unfinished(path):
            found += [f"{path}: left over"] if complete else []
        elif path not in expected:
            found.append(f"{path}: not in the undisturbed run")
        else:
            found += [f"{path}: {fault}" for fault in [_fault(folder / path, reference / path, path)] if fault]
    return found + ([f"{path}: missing" for path in sorted(expected - set(there))] if complete else [])


def _fault(path, wanted, name):
    try:
        content = path.read_bytes()
        if content == wanted.read_bytes():
            return None
        if not (TIMED.search(name) or _TIMED_TOO.search(name)):
            return f"other bytes than in the undisturbed run ({len(content)} of them)"
        if path.suffix == ".nc":
            read_artifact(path)
        elif kind_of(name) in STAMPED:
            read_stamp(name, content)
            if not content.endswith(_ENDS):
                return "does not end as such a file does"
        elif not content.endswith((b"\n", b"\r\n")):
            return "does not end with a line"
    except FileNotFoundError:
        return None  # gone since the files were listed
    except ValueError as error:
        return str(error)
    return None


def tracebacks(output):
    """Tracebacks of jobs, not of snakemake itself, in the output of runs: their last lines."""
    found = []
    for part in output.split("Traceback (most recent call last):")[1:]:
        if "/.snakemake/scripts/" in part.partition("\nRuleException")[0][:4000]:
            lines = [line for line in part.splitlines()[1:] if line and not line.startswith(" ")]
            found.append(lines[0] if lines else part[:200])
    return found
