"""Broken and hostile input files, thousands of them, each read in a process of its own.

python tests/drills/fuzz.py [--cases N] [--seed N] [--format NAME ...] [--seconds N]

Every case must end in a ValueError of one line that names the file, or in a correct read; never in a crash, a hang, a
program of the file's being run, memory far beyond the size of the file, another exception, wrong values from a file
that carries a checksum, or anything written. Prints how many cases of each format ended how. Exit code 1 if any was
lost.
"""

import argparse
import collections
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import hostile_files

# Memory (MiB) that a case may take beyond what this process has: address space, and what it really touches.
ADDRESS_SPACE, TOUCHED = 1024, 128
GOOD = ("read", "refused")


def run_case(reader, folder, seconds):
    """How reading a folder of files ends, in a process of its own: (outcome, detail)."""
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    # What is here now, not the most that ever was: the child begins with no more.
    resident = _resident()
    down, up = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(down)
        os.write(up, _read(reader, folder, seconds).encode()[:4000])
        os._exit(0)
    os.close(up)
    with os.fdopen(down, "rb") as pipe:
        answer = pipe.read().decode(errors="replace")
    _, status, usage = os.wait4(child, 0)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return ("hang" if number in (signal.SIGALRM, signal.SIGXCPU) else "crash"), signal.Signals(number).name
    if not answer:
        return "crash", f"exit code {os.waitstatus_to_exitcode(status)}"
    outcome, _, detail = answer.partition("\t")
    touched = (usage.ru_maxrss >> 10) - resident
    if touched > TOUCHED:
        return "memory", f"{touched} MiB for files of {sum(map(len, before.values()))} bytes; {outcome}: {detail}"
    after = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    if after != before:
        return "written", f"the folder changed; {outcome}: {detail}"
    return outcome, detail


def _resident():
    """Memory of this process in MiB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() >> 20


def _read(reader, folder, seconds):
    """What the child does: outcome, a tab and the detail."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(seconds)
    space = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + (ADDRESS_SPACE << 20)
    resource.setrlimit(resource.RLIMIT_AS, (space, space))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 2)
    os.dup2(silence, 1)
    try:
        with warnings.catch_warnings(action="error", category=RuntimeWarning):
            wrong = reader(folder)
    except ValueError as error:
        text = str(error)
        names = [path.name for path in folder.iterdir()]
        if "\n" in text or len(text) > 1000 or not any(name in text for name in names):
            return f"message\t{text!r}"
        return f"refused\t{text}"
    except BaseException as error:
        return f"exception\t{type(error).__name__}: {error}"
    return f"wrong\t{wrong}" if wrong else "read\t"


def reported(names, counts, cases, lost, start):
    """Print how often each of `names` ended how, {(name, end): count}, and the sum; the exit code."""
    for name in names:
        ends = ", ".join(f"{count} {end}" for (one, end), count in sorted(counts.items()) if one == name)
        print(f"{name:12s} {ends}")
    print(f"{cases} cases, {lost} lost, {time.monotonic() - start:.0f} s")
    return 1 if lost else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--format", action="append", choices=hostile_files.FORMATS)
    parser.add_argument("--seconds", type=int, default=20, help="longest that a case may take")
    arguments = parser.parse_args()
    counts, lost, start = collections.Counter(), [], time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        formats = hostile_files.prepared(folder / "seeds", arguments.format or list(hostile_files.FORMATS))
        for number in range(arguments.cases):
            name = list(formats)[number % len(formats)]
            generator = np.random.default_rng([arguments.seed, number])
            case = folder / "case"
            tried = hostile_files.broken(formats[name], case, generator)
            outcome, detail = run_case(formats[name].read, case, arguments.seconds)
            counts[name, outcome] += 1
            if outcome not in GOOD:
                lost.append(f"{name} {number} ({tried}): {outcome}: {detail}")
                print(lost[-1], flush=True)
            shutil.rmtree(case)
    return reported(formats, counts, arguments.cases, len(lost), start)


if __name__ == "__main__":
    sys.exit(main())
