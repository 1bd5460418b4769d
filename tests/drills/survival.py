"""Kill a run of the workflow, and fill its disk, at random moments again and again, and see what is lost; run by hand.

    python tests/drills/survival.py [--moments 30] [--seed 0] [--configfile tests/tiny.yaml] [--targets TARGET ...]
        [--mirror FOLDER] [--reference FOLDER] [--room MIB] [--kind KIND ...] [--moment MOMENT ...] [--plant]

At each moment one of these: `kill -9` of a job, of snakemake alone, of all of it, or a full disk (a small tmpfs, where
one can be mounted). After each, what lies at its final name must be what an undisturbed run makes, byte for byte, but
for measured times; after the last, `snakemake --rerun-incomplete` must end in all of it, with nothing left over and no
fault that the audit finds. `--mirror`: of the sources; without one, other data stand in for them. `--reference`: folder
of an undisturbed run of the same targets, made there if it has no file `finished`. `--room`: of the small disk, in MiB.
`--plant`: files are not moved to their places but copied, slowly, and the drill must notice. Ends in 1 if anything was
lost.
"""

import argparse
import contextlib
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from projects import copy_project, fingerprints, run_module  # noqa: E402
from survival import KINDS, MOMENTS, Run, disturb, losses, tracebacks, unfinished, until, wait_for_moment  # noqa: E402

from replication.layout import files_of  # noqa: E402

# In place of os.replace, by the name that Python imports first of all.
_PLANTED = """
import os, time
real = os.replace
def replace(source, target):
    if "/data/" not in os.path.abspath(target) and "/figures/" not in os.path.abspath(target):
        return real(source, target)
    with open(source, "rb") as file, open(target, "wb") as copy:
        content = file.read()
        copy.write(content[: len(content) // 2])
        copy.flush()
        time.sleep(0.5)
        copy.write(content[len(content) // 2 :])
    os.unlink(source)
os.replace = replace
"""


@contextlib.contextmanager
def small_disk(folder, room):
    """Give a folder on a tmpfs of so many MiB, and whether it is one: who may not mount gets a plain folder."""
    folder.mkdir(parents=True)
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={room}m", "survival", str(folder)], capture_output=True, text=True
    )
    try:
        yield folder, done.returncode == 0
    finally:
        if done.returncode == 0:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


def reference_of(folder, arguments, output, mirror):
    """Make the undisturbed run, where it is not there already."""
    if (folder / "finished").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    if Run(copy_project(folder), arguments, output, mirror).wait():
        sys.exit(f"the undisturbed run failed:\n{output.read_text()[-3000:]}")
    (folder / "finished").touch()
    print(f"undisturbed: {len(files_of(folder))} files in {time.monotonic() - start:.0f} s", flush=True)
    return folder


class Drill:
    """Disturbances of one project after another, and what they lost."""

    def __init__(self, folder, reference, arguments, output, mirror, draws, kinds, moments):
        self.folder, self.reference, self.arguments = folder, reference, arguments
        self.output, self.mirror = output, mirror
        self.draws, self.kinds, self.moments = draws, kinds, moments
        self.ballast = folder / "ballast"
        self.tried, self.lost, self.runs, self.left = Counter(), [], 0, 0
        self.run = None

    def disturbances(self, count):
        """Disturb runs at so many moments, each kind as often, and look at all files after each.

        Moments are spread over the whole run, by the number of files that are made.
        """
        order = np.concatenate([self.draws.permutation(len(self.kinds)) for _ in range(-(-count // len(self.kinds)))])
        spread = np.sort(self.draws.uniform(0.0, 0.95 * len(files_of(self.reference)), count))
        for number, kind in enumerate(self.kinds[place] for place in order[:count]):
            moment = self._moment(spread[number])
            done = disturb(self.run, kind, self.draws, self.ballast)
            self.left = max(self.left, len(unfinished(self.folder)))
            self.tried[kind, moment] += 1
            self._look(f"{number + 1} {kind}, {moment}")
            print(f"{number + 1:3} {moment:9} {done}; {self._made()} files made", flush=True)

    def finish(self):
        """Let the last run make everything, and see that it is all there and right."""
        if self.run is None or self.run.over():
            self._start()
        code = self.run.wait()
        if code:
            # It was there when the last job was killed or had no room, and may end with that.
            self._start()
            code = self.run.wait()
        if code:
            self.lost.append(f"the last run: exit code {code}")
        self._look("the end", complete=True)
        wanted, found = fingerprints(self.reference), fingerprints(self.folder)
        self.lost += [f"{path}: other fingerprint" for path in wanted if found.get(path) != wanted[path]]
        audited = run_module(self.folder, "logzoo", "audit")
        print(audited.stdout.strip().splitlines()[-1] if audited.stdout else audited.stderr, flush=True)
        if audited.returncode:
            self.lost.append(f"audit: {audited.stdout}{audited.stderr}")
        for line in tracebacks(self.output.read_text()):
            self.lost.append(f"a job ended in a traceback: {line}")

    def _moment(self, made):
        """A moment of a run when so many files are made; an earlier one of the next run where this one ends before."""
        while True:
            if self.run is None or self.run.over():
                self._start()
            until(lambda made=made: self.run.over() or self._made() >= made, 3600, step=0.5)
            moment = wait_for_moment(self.run, self.draws, self.moments)
            if moment is not None:
                return moment
            if self.run.wait() == 0:
                self._look("a run that ended", complete=True)
                self._begin_again()
                made = self.draws.uniform(0.0, made)

    def _made(self):
        return len(set(files_of(self.folder)) & set(files_of(self.reference)))

    def _start(self):
        self.run = Run(self.folder, self.arguments, self.output, self.mirror)
        self.runs += 1

    def _begin_again(self):
        """Remove all that was made, for the moments that are left."""
        for path in files_of(self.folder):
            if not path.endswith("README.md"):
                (self.folder / path).unlink()

    def _look(self, when, *, complete=False):
        for line in losses(self.folder, self.reference, complete=complete):
            self.lost.append(f"{when}: {line}")
            print(f"LOST {self.lost[-1]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--moments", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--configfile", default="tests/tiny.yaml")
    parser.add_argument("--targets", nargs="*", default=[])
    parser.add_argument("--mirror", default="")
    parser.add_argument("--reference", type=Path)
    parser.add_argument("--room", type=int, default=192)
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--moment", action="append", choices=MOMENTS)
    parser.add_argument("--plant", action="store_true", help="files copied to their places: losses must be seen")
    arguments = parser.parse_args()
    # Runs have process groups of their own: they must not outlive the drill.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    draws = np.random.Generator(np.random.Philox(key=arguments.seed))
    asked = ["--configfile", arguments.configfile, "--", *arguments.targets]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        output, mirror = scratch / "output.txt", arguments.mirror
        reference = reference_of((arguments.reference or scratch / "reference").resolve(), asked, output, mirror)
        with small_disk(scratch / "disk", arguments.room) as (folder, mounted):
            kinds = [kind for kind in arguments.kind or KINDS if mounted or kind != "disk"]
            if not mounted:
                print("no tmpfs can be mounted here: a full disk is not tried", flush=True)
            copy_project(folder)
            if arguments.plant:
                (folder / "src/sitecustomize.py").write_text(_PLANTED)
            moments = arguments.moment or MOMENTS
            drill = Drill(folder, reference, asked, output, mirror, draws, kinds, moments)
            start = time.monotonic()
            try:
                drill.disturbances(arguments.moments)
                drill.finish()
            finally:
                if drill.run is not None:
                    drill.run.kill()
    for (kind, moment), count in sorted(drill.tried.items()):
        print(f"{kind:10} {moment:10} {count}")
    print(f"{drill.tried.total()} disturbances, {drill.runs} runs, {time.monotonic() - start:.0f} s", end="; ")
    print(f"at most {drill.left} temporary files and checkpoints after one", end="; ")
    print(f"{len(drill.lost)} lost" if drill.lost else "nothing was lost")
    for line in drill.lost:
        print(f"LOST {line}")
    return 1 if drill.lost else 0


if __name__ == "__main__":
    sys.exit(main())
