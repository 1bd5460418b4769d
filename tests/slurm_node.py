"""A Slurm cluster of one node, this machine: Debian's packages, files in one folder, processes stopped by their ids."""

import os
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

PACKAGES = ("munge", "slurm-client", "slurmctld", "slurmd")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "srun")
# Daemons are started by us alone, never while their packages are installed.
POLICY = Path("/usr/sbin/policy-rc.d")

# No cgroups, no accounts: memory is read from /proc each second, and a job above what it asked for is killed.
CONFIGURATION = """\
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
        text = CONFIGURATION.format(
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
