# What every file that is there would be made with, by this configuration and this code; no rules here.
from logzoo.audit.manifest import listed_files, manifest_path, write_manifest
from logzoo.audit.tasks import Tasks


def named_list(items):
    """What a job is given under names, as logzoo.audit.tasks reads it."""
    return {"items": plain(list(items)), "names": {name: plain(value) for name, value in items.items()}}


def plain(value):
    """Texts and lists without the types of Snakemake."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    return str(value) if isinstance(value, str) else value


def task_content(maker, wildcards):
    """One job, as logzoo.audit.tasks reads it."""
    given, made = maker.expand_input(wildcards)[0], maker.expand_output(wildcards)[0]
    return {
        "rule": maker.name,
        "script": f"workflow/scripts/{Path(maker.script).name}" if maker.script else "",
        "wildcards": {"items": [], "names": wildcards},
        "input": named_list(given),
        "output": named_list(made),
        "params": named_list(maker.expand_params(wildcards, given, made, None)[0]) | {"items": []},
    }


def makers_of(path):
    """The rules that can make a file, those first that make the fewest others with it; a run takes the last."""
    able = [one for one in workflow.rules if any(made.match(path) for made in one.output)]
    return sorted(able, key=lambda one: len(one.output))


def tasks_of_files():
    """The jobs that make the files that are there, as this configuration and this code would have them made."""
    tasks, files, numbers = [], {}, {}
    for path in listed_files(".", config["scale"]):
        maker = next(iter(makers_of(path)), None)
        if maker is None:
            files[path] = None
            continue
        wildcards = maker.get_wildcards(path)
        key = (maker.name, *wildcards.values())
        if key not in numbers:
            numbers[key] = len(tasks)
            tasks.append(task_content(maker, wildcards))
        files[path] = [numbers[key], tasks[numbers[key]]["output"]["items"].index(path)]
    return {"scale": config["scale"], "tasks": tasks, "files": files}


def makes_files():
    """Whether this run makes anything, or only tells something."""
    return not {"audit", "cost", "crate", "measure_rates"} & set(workflow.dag_settings.targets)


def remove_manifest():
    """Remove the manifest of the last run: what follows changes files, and may be killed before it lists them."""
    Path(manifest_path(config["scale"])).unlink(missing_ok=True)


def list_what_was_made():
    """Write the manifest if a run was killed when all was made but the manifest.

    Snakemake then has nothing to do, and no hook for that.
    """
    ready = workflow.is_main_process and workflow.scheduler is not None and not workflow.dryrun
    if ready and not len(workflow.dag) and Path(DATA).is_dir() and not Path(manifest_path(config["scale"])).exists():
        print_manifest()


def print_manifest():
    """Write the manifest of a run, and print its hash."""
    digest = write_manifest(".", config["scale"], Tasks(tasks_of_files()))
    print(f"All files are listed in {manifest_path(config['scale'])}, sha256 {digest}")
