"""A small tree of artifacts, pictures and tables as a run leaves it, for the audit; no model is sampled.

The jobs that would make the files are in jobs.json beside data/ and figures/, as {path: job}.
"""

import contextlib
import hashlib
import json
from pathlib import Path

import numpy as np
import xarray as xr

from logzoo.io.netcdf import write_artifact
from replication.artifacts import digest_of, named_hashes, stamped_text
from replication.audit.manifest import write_manifest
from replication.layout import files_of, scale_of
from replication.reporting import scorecard, tables
from replication.reporting.statistics import Statistic
from replication.reporting.style import new_figure, save
from replication.reporting.verdicts import verdicts

SOURCE = hashlib.sha256(b"the code").hexdigest()
CLAIM = {"figure": "f", "claim": "a claim", "published": "1", "at_least": 0.5}
UNTESTED = {"figure": "f", "claim": "another", "published": "2", "not_tested": "no data"}


def jobs_of(tree):
    return json.loads((tree / "jobs.json").read_text())


def labelled(dimensions, values, units="1"):
    return dimensions, np.asarray(values), {"long_name": "a quantity", "units": units}


def dataset_of(seed=0):
    draws = np.random.Generator(np.random.Philox(key=seed))
    data = labelled(("example", "visible"), draws.integers(2, size=(30, 6), dtype=np.uint8))
    split = labelled("example", np.repeat(np.arange(3, dtype=np.int8), 10))
    return xr.Dataset({"data": data, "split": split}, attrs={"title": "a data set"})


def model_of(seed):
    draws = np.random.Generator(np.random.Philox(key=seed))
    return xr.Dataset(
        {
            "weights": labelled(("visible", "hidden"), draws.normal(size=(6, 4))),
            "visible_bias": labelled("visible", draws.normal(size=6)),
            "hidden_bias": labelled("hidden", draws.normal(size=4)),
        }
    )


def estimate_of(seed):
    draws = np.random.Generator(np.random.Philox(key=seed))
    runs, log_z = ("budget", "replicate"), draws.normal(size=(2, 3))
    matrix = draws.random((2, 3, 4, 4))
    matrix /= matrix.sum(-1, keepdims=True)
    matrix[0, 0, 0] = 0.0  # no move from there
    return xr.Dataset(
        {
            "log_z": labelled(runs, log_z, "nat"),
            "std_error": labelled(runs, np.full((2, 3), 0.5), "nat"),
            "interval": labelled((*runs, "bound"), np.stack([log_z - 1, log_z + 1], -1), "nat"),
            "sweeps_spent": labelled(runs, [[10] * 3, [19] * 3], "sweep"),
            "converged": labelled(runs, np.ones((2, 3), np.int8)),
            "transition_matrix": labelled((*runs, "part_before", "part_after"), matrix),
            "drift": labelled(runs, np.where(log_z > 0, log_z, np.nan)),
        },
        coords={"budget": labelled("budget", [10, 20], "sweep"), "replicate": labelled("replicate", [0, 1, 2])},
        attrs={"chains": 5},
    )


def zoo_of(seed):
    draws = np.random.Generator(np.random.Philox(key=seed))
    cells, shape = ("model", "estimator", "budget", "replicate"), (2, 1, 2, 3)
    spent = np.array([[[[10] * 3, [20] * 3]], [[[10] * 3, [0] * 3]]])
    ran = spent > 0
    return xr.Dataset(
        {
            "log_z": labelled(cells, np.where(ran, draws.normal(size=shape), np.nan), "nat"),
            "std_error": labelled(cells, np.where(ran, 0.5, np.nan), "nat"),
            "interval": labelled((*cells, "bound"), np.where(ran[..., None], np.zeros((*shape, 2)), np.nan), "nat"),
            "sweeps_spent": labelled(cells, spent, "sweep"),
            "truth": labelled("model", [1.0, 2.0], "nat"),
        },
        coords={"budget": labelled("budget", [10, 20], "sweep")},
    )


def trace_of(values):
    return xr.Dataset({"values": labelled("step", np.asarray(values, float))})


class Tree:
    """Writes a tree file by file, and remembers the job that would make each: {path: job}."""

    def __init__(self, folder, seed=0):
        self.folder, self.seed, self.jobs = Path(folder), seed, {}

    def write(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        with contextlib.chdir(self.folder):
            self._data()
            self._results()
            self._shown()
            Path("jobs.json").write_text(json.dumps(self.jobs))
            write_manifest(".", "tiny", [path for path in files_of(".") if scale_of(path) is None], "0123abcd")
        return self.folder

    def _job(self, outputs, inputs, parameters, rule="some"):
        for path in outputs:
            job = {"rule": rule, "script": "", "inputs": list(inputs), "parameters": parameters, "source": SOURCE}
            self.jobs[path] = {**job, "default": True}
            Path(path).parent.mkdir(parents=True, exist_ok=True)

    def artifact(self, path, dataset, kind, inputs=(), **settings):
        self._job([path], inputs, settings)
        provenance = {"source": SOURCE, "inputs": named_hashes(inputs), "seed_path": f"0/{path}"}
        write_artifact(dataset, path, kind=kind, parameters=settings, **provenance)

    def stamp(self, outputs, inputs, **settings):
        self._job(outputs, inputs, settings)
        return {"inputs": named_hashes(inputs), "parameters": digest_of(settings), "source": SOURCE}

    def _data(self):
        for folder in ("data", "figures"):
            Path(folder).mkdir()
            Path(folder, "README.md").write_text("about this folder\n")
        raw = Path("data/raw/source/values.txt")
        raw.parent.mkdir(parents=True)
        raw.write_text(f"raw numbers {self.seed}\n")
        digest = hashlib.sha256(raw.read_bytes()).hexdigest()
        manifest = "data/raw/source/manifest.json"
        entry = {"bytes": raw.stat().st_size, "sha256": digest, "source": "kept"}
        Path(manifest).write_text(json.dumps({"files": {"values.txt": entry}, "name": "source"}))
        self._job([manifest], [], {"files": {"values.txt": {"sha256": digest, "sources": []}}}, rule="fetch")
        self.artifact("data/datasets/digits.nc", dataset_of(self.seed), "dataset", [manifest], visible=6)

    def _results(self):
        data = "data/datasets/digits.nc"
        said = {"budgets": [10, 20], "replicates": 3, "chains": 5}
        for number, model in enumerate("ab"):
            path = f"data/tiny/models/{model}.nc"
            self.artifact(path, model_of(10 * self.seed + number), "model", [data], updates=5)
            estimate = estimate_of(100 * self.seed + number)
            self.artifact(f"data/tiny/estimates/{model}/rts.nc", estimate, "estimate", [path, data], **said)
            truth = xr.Dataset({"log_z": labelled((), 1.0 + self.seed, "nat"), "std_error": labelled((), 0.0, "nat")})
            self.artifact(f"data/tiny/truths/{model}.nc", truth, "truth", [path, data])
        self.artifact("data/tiny/models/a.trace.nc", trace_of([self.seed, np.nan, 3.0]), "trace", [data], updates=5)
        made = [f"data/tiny/{name}.nc" for name in ("estimates/a/rts", "estimates/b/rts", "truths/a", "truths/b")]
        self.artifact("data/tiny/zoo.nc", zoo_of(self.seed), "zoo", made)
        self.artifact("data/tiny/timings/f.nc", trace_of([0.1, 0.2 + self.seed]), "trace", ["data/tiny/models/a.nc"])
        self.artifact("data/tiny/figures/timed.nc", trace_of([0.2]), "trace", ["data/tiny/timings/f.nc"])

    def _shown(self):
        judged = verdicts({"c": CLAIM}, {"c": Statistic(1.0 + self.seed, 0.6, 1.4 + self.seed, "a mean")})
        self.artifact("data/tiny/verdicts/f.nc", judged, "verdict", ["data/tiny/zoo.nc"])
        places = {"f": {"paper": "p", "picture": "figures/tiny/p/f.png", "artifacts": {"zoo": "data/tiny/zoo.nc"}}}
        card = scorecard.scorecard({"c": CLAIM, "u": UNTESTED}, {"f": judged}, places)
        self.artifact("data/tiny/scorecard.nc", card, "scorecard", ["data/tiny/verdicts/f.nc"])
        rows = tables.table_of({"one": {"log_z": 1.5 + self.seed}}, "model", {"log_z": tables.Column("log Z", "nat")})
        rows = rows.assign_attrs(title="A table")
        self.artifact("data/tiny/tables/t.nc", rows, "table", ["data/tiny/zoo.nc"])
        self._texts(card, rows)
        figure = new_figure(2, 2)
        figure.subplots().plot([0, self.seed + 1])
        files = ["figures/tiny/p/f.png", "figures/tiny/p/f.pdf"]
        save(figure, *files, self.stamp(files, ["data/tiny/zoo.nc", "data/tiny/verdicts/f.nc"], title="a--b"))

    def _texts(self, card, rows):
        texts = [f"figures/tiny/p/t.{form}" for form in ("md", "html", "csv")]
        self._job(texts, ["data/tiny/tables/t.nc"], {})
        for path in texts:
            Path(path).write_text(tables.text_of(rows, path.rpartition(".")[2]))
        cards = [f"figures/tiny/scorecard.{form}" for form in ("html", "md", "csv")]
        stamp = self.stamp(cards, ["data/tiny/scorecard.nc"], scale="tiny")
        Path(cards[0]).write_text(stamped_text(f"<p>{self.seed}</p>\n", stamp))
        Path(cards[1]).write_text(scorecard.markdown(card, Path("figures/tiny")))
        Path(cards[2]).write_text(scorecard.csv(card))
        stamp = self.stamp(["figures/tiny/index.html"], ["data/tiny/truths/a.nc"], titles={"a": "a--b"})
        Path("figures/tiny/index.html").write_text(stamped_text(f"<p>all {self.seed}</p>\n", stamp))
