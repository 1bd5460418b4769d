"""Scripts of the workflow, run once more in scratch folders on links to the inputs of their jobs.

What runs is the script of that name of the checkout that this module belongs to, on that checkout's package: an audited
tree says what a job was given, not what it does. As a program of its own, python -m logzoo.audit.scripts TASKS.json, it
runs the scripts of some tasks, each in its folder, as Snakemake would.
"""

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

from logzoo.artifacts.provenance import PACKAGE_FOLDER, source_digest
from logzoo.audit.layout import kind_of
from logzoo.audit.tasks import named_parts
from logzoo.reporting.printing import one_line

_WORKFLOW = PACKAGE_FOLDER.parents[1] / "workflow"
SCRIPTS, TEMPLATES = _WORKFLOW / "scripts", _WORKFLOW / "templates"
_SCRIPT = re.compile(r"workflow/scripts/(\w+\.py)")
_TEMPLATE = re.compile(r"workflow/templates/([\w-]+\.(?:html|css|js))")
# Params that name code, which is to be that of a figure or table; and one that names the folder of the templates.
_CODE = {
    "run": re.compile(r"logzoo\.papers(\.\w+)+:\w+"),
    "module": re.compile(r"logzoo\.papers(\.\w+)+"),
    "templates": re.compile("workflow/templates"),
}


def refusal(task):
    """Why a task is none of this workflow: it names other programs or places; empty if it names none."""
    script = _SCRIPT.fullmatch(task.script)
    if script is None or not (SCRIPTS / script[1]).is_file():
        return f"{task.script} is no script in {SCRIPTS}"
    for key in _CODE.keys() & task.params:
        if not _CODE[key].fullmatch(str(task.params[key])):
            return f"{key} {task.params[key]} is no code of a figure or table"
    inputs = [path for path in task.inputs if not is_template(path)]
    strange = [path for path in (*inputs, *task.outputs) if kind_of(path) is None]
    return f"{strange[0]} is no place for a file of a run" if strange else ""


def is_template(path):
    """Whether an input of a job is a template of the checkout."""
    return _TEMPLATE.fullmatch(path) is not None


def digest_today(task):
    """The source digest that a task would have today, whose params name all code that its script does not import.

    None where the checkout has no such script or module any more.
    """
    templates = []
    if "templates" in task.params:
        templates = sorted(path for path in TEMPLATES.iterdir() if is_template(f"workflow/templates/{path.name}"))
    modules = [task.params[key].partition(":")[0] for key in ("module", "run") if key in task.params]
    try:
        return source_digest(*modules, scripts=[SCRIPTS / Path(task.script).name, *templates])
    except (OSError, ValueError):
        return None


def run_scripts(folder, scratch, tasks):
    """Run the scripts of tasks, one after the other, each in a scratch folder of its own that links to its inputs.

    Returns a list of (folder that holds the outputs, what went wrong as text, empty if nothing did).
    """
    places = [scratch / str(number) for number in range(len(tasks))]
    for place, task in zip(places, tasks, strict=True):
        _prepare(folder, place, task)
    given = scratch / "tasks.json"
    scripts = [str(SCRIPTS / Path(task.script).name) for task in tasks]
    contents = [{**task.content, "script": script} for task, script in zip(tasks, scripts, strict=True)]
    given.write_text(json.dumps(contents))
    # -P: no module is looked for in the scratch folder, and none in the audited tree.
    command = [sys.executable, "-P", "-m", "logzoo.audit.scripts", str(given)]
    modules = [str(PACKAGE_FOLDER.parent), *(path for path in sys.path if path and Path(path).resolve() != folder)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(modules)}
    done = subprocess.run(command, cwd=scratch, env=environment, capture_output=True, text=True)
    last = one_line((done.stderr.strip().splitlines() or ["it failed"])[-1])
    said = [place / "said.txt" for place in places]
    return [(place, one.read_text() if one.is_file() else last) for place, one in zip(places, said, strict=True)]


def _prepare(folder, place, task):
    """Make the folder of a task, with links to its inputs: to the project, and templates to the checkout."""
    place.mkdir()
    for name in task.inputs:
        top = TEMPLATES.parents[1] if is_template(name) else folder
        files = (top / name).parent.iterdir() if name in task.raw_manifests else [top / name]
        for file in filter(Path.is_file, files):
            link = place / file.relative_to(top)
            link.parent.mkdir(parents=True, exist_ok=True)
            if not link.is_symlink():
                link.symlink_to(file)
    for name in task.outputs:
        (place / name).parent.mkdir(parents=True, exist_ok=True)


def _run_script(task, place):
    """Run the script of a task with an object `snakemake` that holds what it was given; returns what went wrong."""
    os.chdir(place)
    log = place / "job.log"
    given = SimpleNamespace(**named_parts(task), log=[str(log)], rule=task["rule"], threads=1)
    try:
        runpy.run_path(task["script"], init_globals={"snakemake": given})
    except SystemExit as stop:
        # A job says in its log why it ends.
        lines = log.read_text().splitlines() if log.is_file() else []
        return one_line((lines or ["it failed"])[-1]) if stop.code else ""
    except Exception as error:
        return one_line(f"{type(error).__name__}: {error}")
    return ""


def _run_all(path):
    """Run the scripts of the tasks in a JSON file, in folders by their numbers beside it."""
    path = Path(path).resolve()
    for number, task in enumerate(json.loads(path.read_text())):
        place = path.parent / str(number)
        (place / "said.txt").write_text(_run_script(task, place))


if __name__ == "__main__":
    _run_all(sys.argv[1])
