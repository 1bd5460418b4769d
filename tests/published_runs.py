"""A small finished run of made-up numbers; its verdicts, figure and scorecard are made by scripts of the workflow."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import xarray as xr
from projects import ROOT, catalogue_of
from trees import Tree, estimate_of, labelled, model_of, named, paths, zoo_of

from logzoo.artifacts.made import digest_of, named_hashes
from logzoo.audit.scripts import TEMPLATES, digest_today
from logzoo.audit.tasks import Task
from logzoo.reporting.style import new_figure, save

CATALOGUE = catalogue_of({"scale": "tiny"})
FIGURE, TABLE = "rts-f4-cost", "trk-cost"
# Scripts of several jobs, one after the other, in the folder of the run: later ones read what earlier ones made.
_RUN = """
import json, sys
from pathlib import Path
from logzoo.audit.scripts import _run_script
for task in json.load(open(sys.argv[1])):
    said = _run_script(task, Path(sys.argv[2]))
    Path("job.log").unlink()
    assert not said, said
"""


def timings_of(seed):
    """Seconds of what is timed for the figure and for the table."""
    draws = np.random.Generator(np.random.Philox(key=seed))
    steps, trackers = ["sampling", "rts", "mbar"], ["none", "kalman", "rts"]
    titles = {"title": labelled("step", np.array(steps, dtype=object))}
    rungs = {"step": labelled("step", np.array(steps, dtype=object)), "rungs": labelled("rungs", [5, 50])}
    seconds = labelled(("repeat", "step", "rungs"), np.array([1.0, 2.0, 30.0])[:, None] + draws.random((5, 3, 2)), "s")
    figure = xr.Dataset({"seconds": seconds, **titles}, rungs, {"samples": 1000})
    names = {"tracker": labelled("tracker", np.array(trackers, dtype=object))}
    table = xr.Dataset({"seconds": labelled(("repeat", "tracker"), 1.0 + draws.random((5, 3)), "s")}, names)
    return figure, table


class Run(Tree):
    """Writes such a run; what no script makes is as in the other trees."""

    def _results(self):
        data, model = "data/datasets/digits.nc", "data/tiny/models/a.nc"
        figure, table = timings_of(self.seed)
        self.artifact(model, model_of(self.seed), "model", [data])
        self.artifact("data/tiny/models/a.snapshots.nc", _snapshots(), "snapshots", [data])
        settings = {"budgets": [10, 20], "replicates": 3, "chains": 5}
        self.artifact("data/tiny/estimates/a/rts.nc", estimate_of(self.seed), "estimate", [model, data], **settings)
        self.artifact("data/tiny/zoo.nc", zoo_of(self.seed), "zoo", ["data/tiny/estimates/a/rts.nc"])
        self.artifact(f"data/tiny/timings/{FIGURE}.nc", figure, "trace", [model, data])
        self.artifact(f"data/tiny/timings/{TABLE}.nc", table, "trace", [data])

    def _shown(self):
        figure, rows, jobs = CATALOGUE.shown[FIGURE], f"data/tiny/tables/{TABLE}.nc", []
        for name in (FIGURE, TABLE):
            shown = CATALOGUE.shown[name]
            params = {"claims": shown.tested, "figure": name, "module": shown.module.__name__}
            given = {"timings": f"data/tiny/timings/{name}.nc"}
            jobs.append(self._job("verdict", given, {"verdict": CATALOGUE.verdicts[name]}, params))
        given = {"timings": f"data/tiny/timings/{FIGURE}.nc", "verdict": CATALOGUE.verdicts[FIGURE]}
        params = {"settings": figure.settings, "module": figure.module.__name__, "caption": figure.caption}
        made = {form: f"figures/tiny/rts/{FIGURE}.{form}" for form in ("png", "pdf")}
        jobs.append(self._job("draw", given, made, params))
        job = CATALOGUE.rows_of(CATALOGUE.shown[TABLE])
        params = {"run": job.run, "settings": job.settings, "stream": [], "attributes": {"title": job.title}}
        params |= {"kind": "table", "checkpoints": False, "seed": 0}
        jobs.append(self._job("experiment", {"timings": f"data/tiny/timings/{TABLE}.nc"}, {"rows": rows}, params))
        made = {form: f"figures/tiny/tracking/{TABLE}.{form}" for form in ("html", "md", "csv")}
        jobs.append(self._job("write_table", {"rows": rows}, made, {"caption": ""}))
        self._scorecard(jobs)
        self._lone_picture()
        Path("jobs.json").write_text(json.dumps(jobs))
        done = subprocess.run([sys.executable, "-c", _RUN, "jobs.json", "."], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        Path("jobs.json").unlink()

    def _scorecard(self, jobs):
        claims = {name: one for name, one in CATALOGUE.claims.items() if one["figure"] in (FIGURE, TABLE)}
        places = {name: CATALOGUE.claimed[name] for name in (FIGURE, TABLE)}
        given = {name: CATALOGUE.verdicts[name] for name in places}
        card = "data/tiny/scorecard.nc"
        jobs.append(self._job("scorecard", given, {"scorecard": card}, {"claims": claims, "places": places}))
        templates = sorted(path.name for path in TEMPLATES.iterdir() if path.suffix in (".html", ".css", ".js"))
        templates = [f"workflow/templates/{name}" for name in templates]
        made = {form: f"figures/tiny/scorecard.{form}" for form in ("md", "html", "csv")}
        params = {"scale": "tiny", "folder": "figures/tiny", "templates": "workflow/templates"}
        jobs.append(self._job("write_scorecard", {"scorecard": card}, made, params, templates))
        Path("workflow").symlink_to(ROOT / "workflow")

    def _lone_picture(self):
        """A picture that cannot be drawn once more from what is published."""
        made = {form: f"figures/tiny/infinite-swapping/ins-f1.{form}" for form in ("png", "pdf")}
        params = {"settings": {}, "module": "logzoo.papers.infinite_swapping.f1"}
        self._job("draw", {"dataset": "data/datasets/digits.nc"}, made, params)
        task = Task(self.tasks[-1], 0)
        stamp = {"inputs": named_hashes(task.inputs), "parameters": digest_of(task.parameters), "source": task.source}
        save(new_figure(1, 1), *made.values(), stamp)

    def _job(self, script, given, made, params, templates=()):
        """Remember a job with its true source digest; returns it for the scripts."""
        self._task(list(made.values()), [], {}, rule=script, script=f"workflow/scripts/{script}.py")
        task = self.tasks[-1]
        task |= {"input": paths(templates, **given), "output": paths(**made), "params": named(**params)}
        task["params"] = named(**params, source=digest_today(Task({**task, "params": named(**params, source="")}, 0)))
        return {**task, "script": str(ROOT / task["script"])}


def _snapshots():
    one = model_of(3)
    kept = {name: labelled(("update", *one[name].dims), one[name].values[None]) for name in one.data_vars}
    return xr.Dataset(kept, {"update": labelled("update", [1])})
