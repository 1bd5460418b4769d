"""The workflow through a real Slurm on this machine, and the same bits as without; run by hand, as root, minutes.

    python tests/drills/slurm.py [--target infinite-swapping] [--cores 2] [--keep FOLDER]

Installs Debian's slurmctld, slurmd and munge if they are missing (they stay), starts them on ports of their own with
all their files in a scratch folder, makes TARGET at toy size in two copies of the project, one with
workflow/profiles/slurm, one with --cores alone, and compares all files that measure no time. One job is then made once
more with far too little memory at its first attempt, which Slurm kills. Whatever was started is stopped by its process
id. Ends in 1 if anything differs or is left, in 77 if this machine cannot run it.
"""

import argparse
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from projects import CONFIGURATION, closed_environment, copy_project, fingerprints  # noqa: E402
from slurm_node import CannotRun, SlurmNode, install, memory_of  # noqa: E402

PLUGIN = "snakemake_executor_plugin_slurm"
# No accounts here, so Slurm's queue must tell how jobs end; one machine need not wait for files or be gentle.
HERE = ["--slurm-status-command=squeue", "--slurm-no-account", "--slurm-init-seconds-before-status-checks=5"]
HERE += ["--seconds-between-status-checks=5", "--max-status-checks-per-second=10", "--latency-wait=10"]
# Jobs that take seconds and ask for a node of their own, as snakemake announces them.
TIMED_JOBS = r"^ +wildcards: experiment=timings/\S+$"
# A job of the target, made again: by which rule, which file, and MB at each attempt.
RETRIED = ("experiment", "data/tiny/comparisons/toy-4-4.pcd.nc", "100 if attempt == 1 else 2000 * attempt")


class Project:
    """A copy of the project in which the workflow runs.

    slurm: the Slurm that runs its jobs, if any.
    """

    def __init__(self, folder, slurm=None):
        self.folder = copy_project(folder)
        self.options = ["--workflow-profile", "workflow/profiles/slurm", *HERE] if slurm else []
        self.environment = closed_environment(self.folder, slurm.environment if slurm else os.environ)

    def make(self, *arguments):
        """Run snakemake; return what it printed, and the seconds it took."""
        started = time.perf_counter()
        command = [sys.executable, "-m", "snakemake", *self.options, *CONFIGURATION, *arguments]
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        output = done.stdout + done.stderr
        if done.returncode:
            raise RuntimeError(f"{' '.join(command[1:])}: exit code {done.returncode}\n{output[-6000:]}")
        return output, time.perf_counter() - started


def differing(first, second):
    """Names of the files that two trees do not have alike."""
    return sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))


def jobs_of_run(slurm, output):
    """Slurm's record of the jobs of one run of snakemake: they all bear the number of the run as their name."""
    (name,) = set(re.findall(r"SLURM run ID: (\S+)", output))
    return slurm.jobs(name)


def drill(arguments, scratch):
    """Run everything and print what was found; yield a line for each fault."""
    if importlib.util.find_spec(PLUGIN) is None:
        raise CannotRun("no snakemake-executor-plugin-slurm: pip install -e .[cluster]")
    install()
    # munge asks for a way to its socket that all may take.
    scratch.chmod(0o755)
    (scratch / "slurm").mkdir()
    with SlurmNode(scratch / "slurm", arguments.cores) as slurm:
        print(f"{slurm.ask('sinfo', '--version')}, node {slurm.ask('sinfo', '--noheader')}; {slurm.pids()}", flush=True)
        local, cluster = Project(scratch / "local"), Project(scratch / "cluster", slurm)
        _, seconds = local.make("--cores", str(arguments.cores), "--", arguments.target)
        print(f"{arguments.target} on {arguments.cores} cores: {seconds:.0f} s", flush=True)
        output, seconds = cluster.make("--", arguments.target)
        jobs = jobs_of_run(slurm, output)
        (steps,) = map(int, re.findall(r"^(\d+) of \1 steps \(100%\) done", output, re.MULTILINE))
        completed = sum(job["JobState"] == "COMPLETED" for job in jobs)
        print(f"through Slurm: {seconds:.0f} s, {len(jobs)} jobs in its record, {completed} completed, {steps} steps")
        # The target itself runs nothing; no job should need a second attempt.
        if completed != steps - 1:
            yield f"{steps} steps, but {completed} jobs completed in Slurm"
        for job in jobs:
            if job["JobState"] != "COMPLETED":
                yield f"job {job['JobId']}, which asked for {memory_of(job)} MB: {job['JobState']}"
        alone = sum(int(job["ProcCnt"]) == arguments.cores for job in jobs)
        timed = len(re.findall(TIMED_JOBS, output, re.MULTILINE))
        print(f"{timed} jobs that take times, {alone} had all {arguments.cores} cores of the node", flush=True)
        if alone != timed:
            yield f"{timed} jobs take times, but {alone} had the node to themselves"
        yield from compared(local, cluster, "after the run")
        yield from retried(slurm, cluster)
        yield from compared(local, cluster, "after the retry")
    for pid in slurm.leftovers():
        yield f"process {pid} is left"


def compared(local, cluster, when):
    """Compare the two trees; yield a line for each file that differs."""
    first, second = fingerprints(local.folder), fingerprints(cluster.folder)
    different = differing(first, second)
    kinds = {kind: sum(name.endswith(kind) for name in first) for kind in (".nc", ".png", ".md")}
    print(f"{when}: {len(first)} files compared ({kinds}), {len(different)} differ", flush=True)
    if not first:
        yield "there was nothing to compare"
    for name in different:
        yield f"{when}, {name} differs"


def retried(slurm, cluster):
    """Make one file again with too little memory at first; yield what is wrong with the attempts in Slurm's record."""
    rule, file, memory = RETRIED
    made = (cluster.folder / file).stat().st_mtime_ns
    output, _ = cluster.make("--set-resources", f"{rule}:mem_mb={memory}", "--forcerun", rule, "--", file)
    attempts = [(job["JobState"], memory_of(job)) for job in jobs_of_run(slurm, output)]
    for number, (state, asked) in enumerate(attempts, start=1):
        print(f"{rule}, attempt {number}: asked for {asked} MB, {state}", flush=True)
    if [asked for _, asked in attempts] != [100, 4000] or attempts[0][0] == "COMPLETED":
        yield f"{rule} was not run again with more memory: {attempts}"
    logs = (cluster.folder / f".snakemake/slurm_logs/rule_{rule}").rglob("*.log")
    if not any("exceeded memory limit" in log.read_text() for log in logs):
        yield f"{rule} failed of something else than memory"
    if (cluster.folder / file).stat().st_mtime_ns == made:
        yield f"{file} was not made again"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--target", default="infinite-swapping")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="a new folder for everything made, which is then kept")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="slurm-drill-") as scratch:
        if arguments.keep:
            arguments.keep.mkdir(parents=True)
        try:
            faults = list(drill(arguments, (arguments.keep or Path(scratch)).resolve()))
        except CannotRun as reason:
            print(f"cannot run here: {reason}")
            return 77
    for fault in faults:
        print(f"FAULT {fault}")
    print(f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
