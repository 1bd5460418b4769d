# What a run will cost, before anyone commits to it, from rates that were measured; no rules here.
from typing import NamedTuple

from logzoo.artifacts.netcdf import read_artifact
from logzoo.jobs import ended


def shape_of(model):
    """(visible, hidden) units of a model."""
    entry = config["models"][model]
    hidden = 500 if "import" in entry else entry["train"]["hidden"]
    return config["datasets"][entry["dataset"]]["visible"], hidden


def snapshots_work(wildcards):
    count = config["models"][wildcards.model]["train"]["options"]["snapshots"]
    shape = shape_of(wildcards.model)
    if wildcards.check == "exact":
        return costs.total(costs.enumeration(*shape), times=count)
    return costs.total(ais_work(*shape), times=count)


def ais_work(visible, hidden):
    settings = config["checks"]["ais"]
    return {"estimate ais": costs.sampling(settings["sweeps"], settings["chains"], visible, hidden)}


def best_work(wildcards):
    hidden = max(one["hidden"] for one in grid_settings(config["grids"][wildcards.grid]))
    return ais_work(config["datasets"][wildcards.dataset]["visible"], hidden)


def compared_work(wildcards):
    entry, settings = config["comparisons"][wildcards.comparison], comparison_settings(wildcards)
    visible = config["datasets"][entry["dataset"]]["visible"]
    judged = {"judge a training": costs.sampling(settings["points"], 1, visible, entry["train"]["hidden"])}
    return costs.total(costs.training(settings["train"], visible), judged, times=settings["repeats"])


def likelihoods_work(wildcards):
    settings = training_settings(wildcards)
    visible = config["datasets"][training_entry(wildcards)["dataset"]]["visible"]
    train = {**settings["train"], "method": settings["method"]}
    works = costs.training(train, visible), costs.enumeration(visible, train["hidden"])
    return costs.total(*works, times=settings["runs"] * len(settings["rates"]))


def gradients_work(wildcards):
    settings, shape = gradients_settings(wildcards.figure), shape_of(model_of(wildcards.figure))
    runs = settings["repeats"] * len(settings["states"]) * settings["steps"]
    works = []
    for one in settings["samplers"].values():
        chains = one.get("ladders", settings["ladders"]) * len(one["temperatures"])
        works.append({"gradient distances": costs.sampling(runs, chains, *shape)})
    return costs.total(*works)


def rungs_work(wildcards):
    entry = config["figures"]["rts-f4"]
    sampled = costs.sampling(entry["sweeps"] * len(entry["ladders"]), MATRIX["chains"], *shape_of(entry["model"]))
    solved = entry["mbar_estimates"] * entry["samples"] * sum(entry["mbar_ladders"])
    counted = entry["estimates"] * entry["samples"] * sum(entry["ladders"])
    return {"estimate rts": sampled, "MBAR": costs.Work(solved), "estimates from samples": costs.Work(counted)}


def stationary_work(wildcards):
    entry = config["figures"]["rts-f8"]
    sweeps = sum(entry["budgets"]) * entry["replicates"]
    return {"stationary": costs.sampling(sweeps, MATRIX["chains"], *shape_of(wildcards.model))}


def initial_work(wildcards):
    entry = config["figures"]["rts-f1"]
    sweeps = entry["sweeps"] * entry["iterations"] * entry["replicates"]
    return {"estimate rts": costs.sampling(sweeps, MATRIX["chains"], *shape_of(entry["model"]))}


def mixture_work(wildcards):
    entry = config["figures"][wildcards.figure]
    draws = sum(entry.get("samples", [entry.get("draws", 0)])) * entry["replicates"] * entry["chains"]
    return {f"mixture {wildcards.figure}": costs.Work(draws)}


def tours_work(wildcards):
    entry = config["figures"]["lv-f2a"]
    rounds = tour_settings(wildcards)["rounds"]
    return {"tours": costs.sampling(entry["batches"] * len(rounds), entry["batch"], *shape_of(wildcards.model))}


def tour_estimates_work(wildcards):
    entry = config["figures"]["lv-f4"]
    shape = shape_of(wildcards.model)
    return {"log Z by tours": costs.sampling(entry["replicates"], entry["tours"], *shape), **costs.enumeration(*shape)}


def trained_work(wildcards):
    entry = model_entry(wildcards)
    return costs.training(entry["train"], shape_of(wildcards.model)[0])


def estimates_work(settings):
    """A function of a job's wildcards: the work of estimates whose settings another function of them gives."""
    return lambda wildcards: costs.estimates(settings(wildcards), *shape_of(wildcards.model))


def truth_work(wildcards):
    return costs.enumeration(*shape_of(wildcards.model)) if is_enumerable(wildcards.model) else {}


# The work of the jobs of a rule, as a function of their wildcards; the jobs of other rules only start, or draw.
WORK = {
    "train_model": trained_work,
    "train_with_snapshots": trained_work,
    "estimate": estimates_work(settings_of_one),
    "estimate_together": estimates_work(settings_of(MATRIX["together"])),
    "long_run": estimates_work(long_run_settings),
    "truth": truth_work,
    "check_snapshots": snapshots_work,
    "best_model": best_work,
    "compare_trainings": compared_work,
    "trained_likelihoods": likelihoods_work,
    "gradient_distances": gradients_work,
    "rungs": rungs_work,
    "stationary": stationary_work,
    "initial_iterations": initial_work,
    "mixture": mixture_work,
    "tour_lengths": tours_work,
    "tour_estimates": tour_estimates_work,
}


class Job(NamedTuple):
    """A job before it runs: its work, the MB that it reads, what it should be given and the files it leaves."""

    work: dict
    inputs: list
    memory_kind: str
    read: float
    declared: int
    log: str | None


def jobs_behind(files, known):
    """Jobs {(rule, wildcards): Job} that make files and all they are made from.

    known: {file: (key, Job)} of what was found before; it grows.
    """
    jobs, waiting, seen = {}, [str(file) for file in files], set()
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        if file not in known:
            known[file] = _job_of(file)
        if known[file] is not None:
            key, found = known[file]
            jobs[key] = found
            waiting += found.inputs
    return jobs


def _job_of(file):
    """((rule, wildcards), Job) of the job that makes a file; None if no rule does."""
    maker = next(reversed(makers_of(file)), None)
    if maker is None:
        return None
    wildcards = maker.get_wildcards(file)
    inputs = [str(path) for path in maker.expand_input(wildcards)[0]]
    values = SimpleNamespace(**wildcards)
    work, read = work_of(maker.name, values), read_by(maker.name, [*inputs, file])
    kind = memory_kind(maker.name, work, values, inputs)
    found = Job(
        work=work,
        inputs=inputs,
        memory_kind=kind,
        read=read,
        declared=memory.declared(kind, read, MEASURED["memory"]),
        log=next(iter(map(str, maker.expand_log(wildcards))), None),
    )
    return (maker.name, tuple(sorted(wildcards.items()))), found


def print_costs():
    """Print core-hours of every figure and table, each by itself, and of all together."""
    known, rows = {}, []
    papers = list(config["papers"])
    places = sorted(shown().items(), key=lambda item: papers.index(item[1]["paper"]))
    for name, place in [*places, ("everything", {"paper": "", "files": files_of_all()})]:
        jobs = jobs_behind(place["files"], known).values()
        taken = [costs.seconds(job.work, MEASURED["rates"]) for job in jobs]
        rows.append((place["paper"], name, taken, max(job.declared for job in jobs)))
    print(costs.table(rows))
    print(f"Rates were measured on {MEASURED['machine']}: {MEASURED['accuracy']}.")


def ended_jobs(jobs):
    """[(Job, what it says of itself)] of the jobs that have ended well."""
    said = ((job, ended(job.log)) for job in jobs if job.log)
    return [(job, one) for job, one in said if one is not None]


def measured_work(jobs):
    """[(work, seconds)] of jobs that have ended, as `ended_jobs`, and of estimators timed by themselves."""
    found = [(job.work, one.to_start + one.took) for job, one in jobs]
    for family, file in zip(FAMILIES, family_timings()):
        timings = read_artifact(file)
        shape = shape_of(first_in_family(SimpleNamespace(family=family)))
        for (name, budget), taken in timings["seconds"].to_series().items():
            sampled = costs.sampling(budget, timings.attrs["chains"], *shape)
            found.append(({f"estimate {config['estimators'][name]['method']}": sampled}, taken))
    return found


def write_measured(path, what, content):
    """Write what a finished run measured, with a heading that says what it is."""
    path.write_text(
        f"# From a finished run (snakemake measure_rates): {what}\n{yaml.safe_dump(content, sort_keys=True)}"
    )


def write_rates():
    """Fit rates and peaks to what a finished run measured, and say how well they tell its times and its memory."""
    jobs = ended_jobs(jobs_behind(files_of_all(), {}).values())
    measured, held = measured_work(jobs), [(job.memory_kind, job.read, one.held) for job, one in jobs]
    rates, peaks = costs.fitted(measured), memory.fitted(held)
    ratios = [costs.seconds(work, rates) / taken for work, taken in measured]
    within = sum(0.5 <= ratio <= 2.0 for ratio in ratios) / len(ratios)
    asked = [memory.declared(kind, read, peaks) / peak for kind, read, peak in held]
    machine = f"{costs.processor()}, {config['scale']} scale"
    accuracy = f"they tell {within:.0%} of its {len(ratios)} times within a factor of two"
    memory_accuracy = (
        f"{len(asked)} jobs ask for {min(asked):.2f} to {max(asked):.2f} times what they held, "
        f"{sum(one <= memory.WITHIN for one in asked)} of them for at most {memory.WITHIN} times"
    )
    write_measured(
        RATES,
        "seconds of a step and of a visit (logzoo.costs).",
        {"machine": machine, "accuracy": accuracy, "rates": rates},
    )
    write_measured(
        PEAKS,
        "MB of a job and for each MB that it reads (logzoo.memory).",
        {"memory_accuracy": memory_accuracy, "memory": peaks},
    )
    print(f"{RATES.name}: {accuracy}; {PEAKS.name}: {memory_accuracy}")
    to_start, took = sum(one.to_start for _, one in jobs), sum(one.took for _, one in jobs)
    print(f"{len(jobs)} jobs worked for {took:,.0f} s, and took {to_start:,.0f} s to start")
