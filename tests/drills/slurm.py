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
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from projects import CONFIGURATION, ROOT, closed_environment, copy_project, fingerprints  # noqa: E402

PACKAGES = ("munge", "slurm-client", "slurmctld", "slurmd")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "srun")
# Daemons are started by us alone, never while their packages are installed.
POLICY = Path("/usr/sbin/policy-rc.d")

# No cgroups, no accounts: memory is read from /proc each second, and a job above what it asked for is killed.
SLURM_CONF = """\
ClusterName=drill
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
KillWait=5
MinJobAge=600
SchedulerParameters=batch_sched_delay=1
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/jobs.txt
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=drill Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""
PLUGIN = "snakemake_executor_plugin_slurm"
# No accounts here, so Slurm's queue must tell how jobs end; one machine need not wait for files or be gentle.
HERE = ["--slurm-status-command=squeue", "--slurm-no-account", "--slurm-init-seconds-before-status-checks=5"]
HERE += ["--seconds-between-status-checks=5", "--max-status-checks-per-second=10", "--latency-wait=10"]
# Jobs that take seconds and ask for a node of their own, as snakemake announces them.
TIMED_JOBS = r"^ +wildcards: experiment=timings/\S+$"
# A job of the target, made again: by which rule, which file, and MB at each attempt.
RETRIED = ("experiment", "data/tiny/comparisons/toy-4-4.pcd.nc", "100 if attempt == 1 else 2000 * attempt")


class CannotRun(Exception):
    """What this machine lacks for the drill."""


def install():
    """Install what is missing with apt; raise CannotRun where that cannot be done."""
    if all(map(shutil.which, PROGRAMS)):
        return
    if os.geteuid() != 0:
        raise CannotRun("Slurm is not installed, and only root may install it")
    if shutil.which("apt-get") is None:
        raise CannotRun("Slurm is not installed, and there is no apt-get")
    ours = not POLICY.exists()
    if ours:
        POLICY.write_text("#!/bin/sh\nexit 101\n")
        POLICY.chmod(0o755)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        for command in (["update"], ["install", "--yes", "--no-install-recommends", *PACKAGES]):
            done = subprocess.run(["apt-get", *command], env=environment, capture_output=True, text=True)
            if done.returncode:
                raise CannotRun(f"apt-get {command[0]} failed: {done.stderr.strip().splitlines()[-1:]}")
    finally:
        if ours:
            POLICY.unlink()


class SlurmNode:
    """Slurm on this machine while in its context.

    folder: an empty folder for its keys, files and logs, cpus: cores that jobs may ask for.
    """

    def __init__(self, folder, cpus):
        self.folder, self.cpus = Path(folder), cpus
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": path}
        self.daemons = {}

    def __enter__(self):
        try:
            self._write_files()
            socket_file = self.folder / "munge.socket"
            munge = {name: self.folder / f"munge.{name}" for name in ("key", "pid", "seed")}
            options = [f"--{name}-file={path}" for name, path in munge.items()]
            self._start("munged", "--foreground", f"--socket={socket_file}", *options)
            self._wait("munged", socket_file.exists)
            self._start("slurmctld", "-D")
            self._start("slurmd", "-D")
            self._wait("slurmd", lambda: self.ask("sinfo", "--noheader", "--format=%T") == "idle")
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_):
        self._stop()

    def ask(self, *command):
        """What a command of Slurm's prints; nothing if it fails."""
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else ""

    def jobs(self, name):
        """Slurm's own record of the finished jobs of a name, in the order of their numbers: a dict of each."""
        file = self.folder / "jobs.txt"
        lines = file.read_text().splitlines() if file.exists() else []
        found = [job for job in map(job_record, lines) if job["Name"] == name]
        return sorted(found, key=lambda job: int(job["JobId"]))

    def pids(self):
        """Process ids of what this started and still runs."""
        return {name: process.pid for name, process in self.daemons.items() if process.poll() is None}

    def leftovers(self):
        """Process ids, other than this one's, of whatever was started with this cluster's slurm.conf and still runs."""
        mark = f"SLURM_CONF={self.folder}/slurm.conf".encode()
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            try:
                environment = path.read_bytes().split(b"\0")
            except OSError:
                continue
            if mark in environment and int(path.parent.name) != os.getpid():
                found.append(int(path.parent.name))
        return found

    def _write_files(self):
        # munge asks for a way to its socket that all may take, and for a key that nobody else may read.
        self.folder.chmod(0o755)
        for name in ("bin", "spool", "state"):
            (self.folder / name).mkdir()
        # Inside a job, snakemake's plugin forgets SLURM_CONF before it calls srun, which then looks below /etc.
        srun = self.folder / "bin/srun"
        srun.write_text(f'#!/bin/sh\nSLURM_CONF={self.folder}/slurm.conf exec {shutil.which("srun")} "$@"\n')
        srun.chmod(0o755)
        key = self.folder / "munge.key"
        key.touch(0o600)
        key.write_bytes(os.urandom(128))
        ports = free_ports(2)
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20 - 500
        text = SLURM_CONF.format(
            host=socket.gethostname().split(".")[0],
            folder=self.folder,
            controller_port=ports[0],
            node_port=ports[1],
            cpus=self.cpus,
            memory=memory,
        )
        (self.folder / "slurm.conf").write_text(text)

    def _start(self, program, *arguments):
        # Our own session: a Ctrl-C at the terminal reaches the drill, which then stops them in their order.
        with (self.folder / f"{program}.log").open("w") as log:
            self.daemons[program] = subprocess.Popen(
                [shutil.which(program), *arguments],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _wait(self, program, ready, seconds=60):
        end = time.monotonic() + seconds
        while not ready():
            ended = [name for name, process in self.daemons.items() if process.poll() is not None]
            if ended or time.monotonic() > end:
                log = (self.folder / f"{(ended or [program])[0]}.log").read_text()
                raise RuntimeError(f"{(ended or [program])[0]} does not run:\n{log[-2000:]}")
            time.sleep(0.2)

    def _stop(self):
        """End the jobs, then the daemons, the last started first, and wait for each."""
        if {"slurmctld", "slurmd"} <= self.pids().keys():
            for job in self.ask("squeue", "--noheader", "--format=%i").split():
                self.ask("scancel", job)
            end = time.monotonic() + 30
            while self.ask("squeue", "--noheader", "--format=%i") and time.monotonic() < end:
                time.sleep(0.5)
        for process in reversed(self.daemons.values()):
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def job_record(line):
    """One line of jobcomp/filetxt: its fields by name."""
    return dict(re.findall(r"(\w+)=(\S*)", line))


def memory_of(job):
    """Megabytes that a job of the record asked for."""
    (number, unit) = re.search(r"mem=([\d.]+)([MGT])", job["Tres"]).groups()
    return round(float(number) * {"M": 1, "G": 2**10, "T": 2**20}[unit])


def free_ports(count):
    """Ports of this machine that nobody listens on now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def plugin_folder(scratch):
    """The folder below `scratch` that the extra `cluster` is installed in; None where it is installed already."""
    if importlib.util.find_spec(PLUGIN):
        return None
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    folder = scratch / "plugin"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder)]
    done = subprocess.run([*command, *project["optional-dependencies"]["cluster"]], capture_output=True, text=True)
    if done.returncode:
        raise CannotRun(f"pip cannot install the extra `cluster`: {done.stderr.strip().splitlines()[-1:]}")
    return folder


class Project:
    """A copy of the project in which the workflow runs.

    slurm: the Slurm that runs its jobs, if any. plugin: folder of Snakemake's plugin for it, if it is not installed.
    """

    def __init__(self, folder, slurm=None, plugin=None):
        self.folder = copy_project(folder)
        self.options = ["--workflow-profile", "workflow/profiles/slurm", *HERE] if slurm else []
        self.environment = closed_environment(self.folder, slurm.environment if slurm else os.environ)
        if plugin:
            self.environment["PYTHONPATH"] += f"{os.pathsep}{plugin}"

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
    install()
    plugin = plugin_folder(scratch)
    # munge asks for a way to its socket that all may take.
    scratch.chmod(0o755)
    (scratch / "slurm").mkdir()
    with SlurmNode(scratch / "slurm", arguments.cores) as slurm:
        print(f"{slurm.ask('sinfo', '--version')}, node {slurm.ask('sinfo', '--noheader')}; {slurm.pids()}", flush=True)
        local, cluster = Project(scratch / "local"), Project(scratch / "cluster", slurm, plugin)
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
