# What a job asks of a cluster: memory and run time, from what finished runs measured; no rules here.
import yaml

from logzoo import costs, memory

RATES = Path(workflow.basedir) / "workflow" / "rates.yaml"
PEAKS = Path(workflow.basedir) / "workflow" / "memory.yaml"
MEASURED = yaml.safe_load(RATES.read_text()) | yaml.safe_load(PEAKS.read_text())
# On a cluster, two other processes of snakemake run beside the work of each job: 245 MB each, and some shells.
BESIDE_MB = 600
# Machines differ, and what was not foreseen takes longer.
TIME_MARGIN = 3.0
LEAST_MINUTES = 10
# Of work that no finished run has measured.
A_DAY = 1440
# MB of each data set, a byte a value.
DATASET_MB = {
    f"data/datasets/{name}.nc": sum(entry["splits"].values()) * entry["visible"] / 1e6
    for name, entry in config["datasets"].items()
}
# Grey levels take four bytes each where they are used.
GREY = {f"data/datasets/{name}.nc" for name, entry in config["datasets"].items() if entry["values"] == "grey"}


def mbar_mb(figure):
    """What MBAR holds: the energy of every draw at every rung, and about ten arrays of that size to solve with."""
    entry = config["figures"][figure]
    return 8e-5 * entry["samples"] * max(entry.get("mbar_ladders", entry["ladders"]))


# What jobs of a rule hold beside the data sets that they read.
HELD_MB = {"rungs": lambda: mbar_mb("rts-f4"), "time_of_rungs": lambda: mbar_mb("rts-f4-cost")}


def work_of(rule, wildcards):
    """The work of a job: that of its rule, to draw, and to start."""
    draws = any(str(made).endswith(".png") for made in workflow.get_rule(rule).output)
    drawn = {costs.DRAW: costs.Work(1.0)} if draws else {}
    return {costs.START: costs.Work(1.0), **drawn, **(WORK[rule](wildcards) if rule in WORK else {})}


def read_by(rule, files):
    """MB of the data sets among the files of a job, and of what it holds beside them."""
    return sum(DATASET_MB.get(str(file), 0.0) for file in files) + (HELD_MB[rule]() if rule in HELD_MB else 0.0)


def memory_kind(rule, work, wildcards, files):
    """The kind of memory that a job needs: its rule and methods, what it is for, and whether it reads grey levels."""
    solves_mbar = rule in HELD_MB  # several rules do, and differ in how large its equations are
    if solves_mbar:
        return "mbar"
    name = "estimate" if rule in ("estimate_together", "long_run") else rule
    if name == "train_model" and wildcards.model in models_with_snapshots():
        name = "train_with_snapshots"
    methods = [kind.partition(" ")[2] for kind in work if kind.startswith(("train ", "estimate "))]
    shown = [getattr(wildcards, one) for one in ("figure", "table") if hasattr(wildcards, one)]
    if name == "build_dataset":
        shown = [config["datasets"][wildcards.dataset]["reader"]]
    return " ".join([name, *methods, *shown, *(["grey"] if GREY.intersection(map(str, files)) else [])])


def needs(rule):
    """Resources of the jobs of a rule: memory and minutes, more of both at every attempt."""

    def mem_mb(wildcards, input, attempt):
        files = [*input, *([f"data/datasets/{wildcards.dataset}.nc"] if rule == "build_dataset" else [])]
        kind = memory_kind(rule, work_of(rule, wildcards), wildcards, input)
        asked = memory.declared(kind, read_by(rule, files), MEASURED["memory"])
        # Where jobs run is not known yet when the rules are read.
        return (asked + (0 if workflow.local_exec else BESIDE_MB)) * attempt

    def runtime(wildcards, attempt):
        try:
            taken = costs.seconds(work_of(rule, wildcards), MEASURED["rates"])
        except ValueError:
            return A_DAY * attempt
        return max(LEAST_MINUTES, round(TIME_MARGIN * taken / 60)) * attempt

    return {"mem_mb": mem_mb, "runtime": runtime}
