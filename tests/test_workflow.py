"""The workflow as a user runs it, at toy size, with every source hidden: complete, repeatable, rerun when due."""

import json
import os
import re
import shutil
from contextlib import contextmanager

import pytest
import xarray as xr
from pages import faults
from projects import CONFIGURATION, ROOT, catalogue_of, copy_project, run_module, snakemake

from logzoo.io.netcdf import read_artifact
from logzoo.models.exact_sums import exact_log_z
from logzoo.models.rbm import RBM
from replication.artifacts import code_digest
from replication.audit.checkout import OTHER_CODE
from replication.audit.manifest import read_manifest
from replication.audit.tree import audit
from replication.layout import kind_of
from replication.reporting.scorecard import summary, without_links

# In a dry run: the rule of a job, its first output, and why it is due.
JOBS = re.compile(r"^rule (\w+):\n(?:    .*\n)*?    output: ([^,\s]+).*\n(?:    .*\n)*?    reason: (.*)$", re.MULTILINE)
PAPERS = ("rts", "tracking", "infinite-swapping", "las-vegas", "zoo")
# Python runs this when it starts. At its end a job lists the modules of the package that it has loaded. Kernels are
# left out, because no code imports them by a name computed at run time, and so are modules that hand jobs over.
LISTING = """
import atexit, json, os, sys
from pathlib import Path

def listed():
    task = getattr(sys.modules.get("__main__"), "snakemake", None)
    if getattr(task, "output", None):
        ours = [name for name in sys.modules if name.startswith(("logzoo.", "replication."))]
        modules = [name for name in ours if not hasattr(sys.modules[name], "__path__")]
        modules = [name for name in modules if not name.startswith(("logzoo.kernels.", "replication.forks"))]
        folder = Path(__file__).parents[1] / "loaded"
        folder.mkdir(exist_ok=True)
        (folder / f"{os.getpid()}.json").write_text(json.dumps([list(task.output), modules]))

def end(code, leave=os._exit):
    # A job that another process does lists nothing itself.
    if "replication.forks" not in sys.modules:
        listed()
    leave(code)

def forget():
    # A fork of the server has modules that its job may not use. The job imports the modules that it uses again.
    if getattr(sys.modules["__main__"].__spec__, "name", "") == "replication.forks":
        for name in [name for name in sys.modules if name.partition(".")[0] in ("logzoo", "replication")]:
            if not name.startswith("logzoo.kernels"):
                del sys.modules[name]

atexit.register(listed)
os._exit = end
os.register_at_fork(after_in_child=forget)
"""


def planned(folder):
    """The jobs that a dry run would execute, as {first output: (rule, reason)}."""
    result = snakemake(folder, "-n", "--cores", "2", *CONFIGURATION)
    assert result.returncode == 0, result.stderr
    found = {output: (rule, reason) for rule, output, reason in JOBS.findall(result.stdout + result.stderr)}
    assert re.search(rf"^total +{len(found) + 1}$", result.stdout + result.stderr, re.MULTILINE)
    return found


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A project in which `snakemake --cores 2` has run, and its result."""
    folder = copy_project(tmp_path_factory.mktemp("two-cores"))
    (folder / "src/sitecustomize.py").write_text(LISTING)
    return folder, snakemake(folder, "--cores", "2", *CONFIGURATION)


def test_a_run_ends_in_figures_artifacts_and_a_summary(finished):
    folder, result = finished
    assert result.returncode == 0, result.stderr
    shown = catalogue_of("tests/tiny.yaml").shown
    for name in [f"{one.paper}/{one.name}" for one in shown.values() if not one.is_table]:
        assert (folder / f"figures/tiny/{name}.png").read_bytes()[:4] == b"\x89PNG"
        assert (folder / f"figures/tiny/{name}.pdf").read_bytes()[:5] == b"%PDF-"
    tables = [f"{one.paper}/{one.name}" for one in shown.values() if one.is_table]
    assert len(shown) - len(tables) > 30 and len(tables) >= 7
    for name in tables:
        text = (folder / f"figures/tiny/{name}.md").read_text()
        assert text in result.stdout
        assert "STAND-IN" in text and re.search(r"\[(nat|s)\]", text)
        assert (folder / f"figures/tiny/{name}.csv").read_text().count("\n") == text.count("\n| ") - 1
        assert "<table" in (folder / f"figures/tiny/{name}.html").read_text()
    assert not list((folder / "data").rglob("*.checkpoint.npz*"))
    assert result.stdout.count("not tested (stand-in data)") >= 10
    assert "On a mixture of two Gaussians" in result.stdout
    card = (folder / "figures/tiny/scorecard.md").read_text()
    assert without_links(card) in result.stdout and "](rts/rts-f3.png)" in card
    for name in ("index.html", "scorecard.html", "zoo.html"):
        assert faults(folder / "figures/tiny" / name) == []
    with xr.open_dataset(folder / "data/tiny/zoo.nc") as zoo:
        assert dict(zoo["log_z"].sizes) == {"model": 5, "estimator": 4, "budget": 2, "replicate": 2}
        assert int(zoo["sweeps_spent"].max()) == 120
        assert list(zoo["family"].values) == ["mnist-cd25-500", "small-twins", "toy-modes", *["mnist-8"] * 2]


def test_a_stand_in_says_so_in_log_artifact_table_and_figure(finished):
    folder, result = finished
    with xr.open_dataset(folder / "data/tiny/models/mnist-10.nc") as model:
        assert model.attrs["stand_in_for"] == "mnist-binary"
        assert model.sizes["visible"] == 64
    with xr.open_dataset(folder / "data/tiny/estimates/mnist-cd25-500/rts.nc") as estimate:
        assert estimate.attrs["stand_in_for"] == "mnist-cd25-500"
    assert "stand-in" in (folder / "logs/fetch/mnist.log").read_text()
    assert "STAND-IN" in (folder / "figures/tiny/zoo/zoo-likelihoods.md").read_text()
    assert "stand-in" in result.stderr


def test_a_known_truth_is_that_of_the_model(finished):
    folder, _ = finished
    rbm = RBM.load(folder / "data/tiny/models/small-twins.nc")
    with xr.open_dataset(folder / "data/tiny/truths/small-twins.nc") as truth:
        assert float(truth["log_z"]) == pytest.approx(exact_log_z(rbm), abs=1e-10) and float(truth["std_error"]) == 0.0
        assert truth.attrs["truth_method"] == "a sum over the counts of equal hidden units"
    with xr.open_dataset(folder / "data/tiny/zoo.nc") as zoo:
        assert zoo["trainer"].sel(model="small-twins") == "known"


def test_a_second_run_has_nothing_to_do_though_every_source_was_touched(finished):
    folder, _ = finished
    for path in (folder / "src").rglob("*.py"):
        path.touch()
    result = snakemake(folder, "--cores", "2", *CONFIGURATION, "--", "all", *PAPERS)
    assert "Nothing to be done" in result.stdout + result.stderr


def test_the_targets_of_the_papers_make_every_figure_and_table(finished):
    folder, _ = finished
    plan = snakemake(folder, "-n", "--forceall", "--cores", "2", *CONFIGURATION, "--", *PAPERS)
    jobs = JOBS.findall(plan.stdout + plan.stderr)
    outputs = [output.rpartition(".")[0] for rule, output, _ in jobs if rule in ("draw", "write_table")]
    shown = catalogue_of("tests/tiny.yaml").shown.values()
    assert sorted(outputs) == sorted(f"figures/tiny/{one.paper}/{one.name}" for one in shown)


def test_costs_are_printed_for_every_figure_and_table():
    result = run_module(ROOT, "replication", "cost", "--configfile", "config/paper.yaml")
    assert result.returncode == 0, result.stderr
    lines = {line.split()[0] for line in result.stdout.splitlines() if line}
    assert lines >= set(catalogue_of("config/paper.yaml").shown)


def test_claims_are_printed_whenever_they_are_asked_for(finished):
    folder, _ = finished
    result = snakemake(folder, "claims", "--cores", "1", *CONFIGURATION)
    assert result.returncode == 0
    assert result.stdout.count("Verdicts on the published claims") == 1


def test_a_finished_run_has_no_fault_is_regenerated_and_described(finished):
    folder, result = finished
    assert "All files are listed in data/tiny/manifest.json" in result.stdout
    before = {path: path.stat().st_mtime_ns for path in [*folder.glob("data/**/*"), *folder.glob("figures/**/*")]}
    found = run_module(folder, "replication", "audit", *CONFIGURATION, "--regenerate", "3", "--seed", "3")
    assert found.returncode == 0, found.stdout
    assert "\n0 faults in 0 files; 0 stale files" in found.stdout and "not compared" not in found.stdout
    assert "regenerated: 3 of" in found.stdout
    described = run_module(folder, "replication", "crate", "--scale", "tiny", *CONFIGURATION)
    assert described.returncode == 0 and "ro-crate-metadata.json" in described.stdout, described.stderr
    assert before == {path: path.stat().st_mtime_ns for path in before}


def test_a_finished_run_is_published_and_quoted(finished):
    folder, _ = finished
    page, results = folder / "docs/quoted.md", folder / "results/tiny"
    page.write_text("<!-- tiny: summary -->of another run<!-- / -->\n")
    try:
        done = run_module(folder, "replication", "publish", "--scale", "tiny", *CONFIGURATION, "--megabytes", "60")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "published: results/tiny, " in done.stdout and "updated: docs/quoted.md" in done.stdout
        card = read_artifact(results / "data/tiny/scorecard.nc", "scorecard")
        assert page.read_text() == f"<!-- tiny: summary -->{summary(card, 'tiny')}<!-- / -->\n"
        assert audit(results).faults == []
    finally:
        page.unlink()
        shutil.rmtree(results, ignore_errors=True)


def test_one_core_makes_the_same_bits(finished, tmp_path):
    targets = "data/tiny/estimates/mnist-cd25-500/rts.nc", "data/tiny/models/mnist-10.nc"
    other = copy_project(tmp_path)
    assert snakemake(other, "--cores", "1", *CONFIGURATION, "--", *targets).returncode == 0
    made = [path.relative_to(other) for path in other.glob("data/**/*.nc")]
    assert {*targets} < {*map(str, made)}
    assert [path for path in made if (other / path).read_bytes() != (finished[0] / path).read_bytes()] == []


@contextmanager
def edited(folder, *paths, line=b"EDITED = 1"):
    """Append a line to Python files of a folder, and a line feed to other files; restore them afterwards."""
    before = {folder / path: ((folder / path).read_bytes(), (folder / path).stat().st_mtime_ns) for path in paths}
    for path, (content, _) in before.items():
        path.write_bytes(content + b"\n" + (line if path.suffix == ".py" else b""))
    try:
        yield
    finally:
        for path, (content, written) in before.items():
            path.write_bytes(content)
            os.utime(path, ns=(written, written))  # Snakemake compares the times of scripts, too


def rules_of(plan):
    return {rule for rule, _ in plan.values()}


def audited(folder, *arguments):
    """The report of `replication audit` of a checkout on itself, as a dict."""
    command = ("replication", "audit", "--configfile", CONFIGURATION[1], "--output", "report.json", *arguments)
    done = run_module(folder, *command)
    assert done.returncode in (0, 1) and "faults in" in done.stdout, done.stderr
    return json.loads((folder / "report.json").read_text())


@pytest.fixture(scope="module")
def jobs(finished):
    """{path: job} of the configuration of the finished project."""
    folder, _ = finished
    assert snakemake(folder, "jobs", "--cores", "1", *CONFIGURATION).returncode == 0
    return json.loads((folder / "logs/tiny/jobs.json").read_text())


def of_other_code(folder):
    """Files that the audit reports as made by other code than the present; there are no faults."""
    report = audited(folder)
    assert report["faults"] == [] and set(report["stale"].values()) == {OTHER_CODE}
    return set(report["stale"])


def test_editing_a_comment_reruns_nothing(finished):
    folder, _ = finished
    # No kernel is edited, because a changed kernel is compiled again, which takes minutes.
    modules = ("logzoo/estimators/weights", "replication/papers/zoo/zoo_errors", "logzoo/training/loop")
    with edited(folder, *(f"src/{module}.py" for module in modules), line=b"# Reworded.\n"):
        result = snakemake(folder, "-n", "--cores", "2", *CONFIGURATION)
        assert "Nothing to be done" in result.stdout + result.stderr
        assert audited(folder)["stale"] == {}


def test_editing_a_kernel_reruns_what_depends_on_it(finished):
    folder, _ = finished
    with edited(folder, "src/logzoo/kernels/gibbs.py"):
        rules = rules_of(planned(folder))
    assert {"train_model", "import_model", "estimate", "estimate_together", "long_run", "experiment"} <= rules
    assert not {"fetch", "build_dataset"} & rules


def test_editing_one_thing_reruns_it_and_what_reads_it(finished):
    folder, made = finished[0], "data/tiny"
    papers = "replication/papers"
    modules = f"{papers}/zoo/zoo_sandwich", f"{papers}/rts/rts_f5", f"{papers}/rts/mixture", "logzoo/samplers/averaged"
    with edited(folder, *(f"src/{module}.py" for module in modules)):
        plan = planned(folder)
    verdicts = {f"{made}/verdicts/rts-{figure}.nc" for figure in ("f2", "f5", "f6", "f7")}
    read = f"{made}/runs/mnist-cd25-500.ais-moments-uniform.nc"
    of_experiment = {f"{made}/figures/rts-{figure}.nc" for figure in ("f2", "f6")}
    assert {output: rule for output, (rule, _) in plan.items()} == {
        **dict.fromkeys(verdicts, "verdict"),
        **dict.fromkeys(of_experiment, "experiment"),
        **{f"figures/tiny/rts/rts-{figure}.png": "draw" for figure in ("f2", "f5", "f6", "f7")},
        "figures/tiny/zoo/zoo-sandwich.png": "draw",
        f"{made}/estimates/mnist-cd25-500/ais-moments-uniform.nc": "estimate",
        read: "experiment",
        f"{made}/scorecard.nc": "scorecard",
        "figures/tiny/scorecard.md": "write_scorecard",
        "figures/tiny/index.html": "page",
    }
    reasons = {output: reason for output, (_, reason) in plan.items()}
    # One reason for each edit: of a figure, of a figure with claims, of an estimator, of an experiment.
    assert reasons["figures/tiny/zoo/zoo-sandwich.png"].startswith("Params have changed")
    assert reasons[f"{made}/verdicts/rts-f5.nc"].startswith("Params have changed")
    assert read_by(reasons[f"{made}/verdicts/rts-f7.nc"]) == {read}
    assert {
        path for figure in ("f2", "f6") for path in read_by(reasons[f"{made}/verdicts/rts-{figure}.nc"])
    } == of_experiment
    assert read_by(reasons[f"{made}/scorecard.nc"]) == verdicts


def read_by(reason):
    """Files that another job would update first."""
    assert reason.startswith("Input files updated by another job: ")
    return set(reason.partition(": ")[2].split(", "))


def test_editing_a_figure_and_a_template_reruns_them_alone_and_makes_them_stale(finished):
    folder, _ = finished
    figure = {f"figures/tiny/tracking/trk-f1.{form}" for form in ("png", "pdf")}
    with edited(folder, "src/replication/papers/tracking/trk_f1.py", "workflow/templates/style.css"):
        plan = planned(folder)
        stale = of_other_code(folder)
    assert {output: rule for output, (rule, _) in plan.items()} == {
        "figures/tiny/tracking/trk-f1.png": "draw",
        "figures/tiny/scorecard.md": "write_scorecard",
        "figures/tiny/index.html": "page",
        "figures/tiny/zoo.html": "zoo_page",
    }
    assert plan["figures/tiny/zoo.html"][1].startswith("Updated input files: workflow/templates/style.css")
    assert plan["figures/tiny/scorecard.md"][1].startswith("Updated input files: workflow/templates/style.css")
    assert figure < read_by(plan["figures/tiny/index.html"][1])
    pages = {f"figures/tiny/{name}.html" for name in ("index", "zoo", "scorecard")}
    assert stale == figure | pages


def test_editing_any_script_reruns_its_jobs_and_makes_stale_what_they_made(finished, jobs):
    folder, _ = finished
    files = read_manifest(folder, "tiny").files
    with edited(folder, *(folder / "workflow/scripts").glob("*.py")):
        rules, stale = rules_of(planned(folder)), of_other_code(folder)
    assert {job["rule"] for job in jobs.values()} | {"estimate_together"} <= rules
    assert stale == {path for path in files if kind_of(path) not in ("raw file", "raw manifest", "table text")}


def test_the_digest_of_a_job_covers_every_module_that_it_loaded(finished, jobs):
    folder, seen = finished[0], set()
    for outputs, modules in (json.loads(path.read_text()) for path in (folder / "loaded").glob("*.json")):
        job = jobs[outputs[0]]
        if len(outputs) > 1 and job["rule"] in ("estimate", "long_run"):
            continue  # a job of several estimators; each has a separate job, too
        files = [ROOT / "workflow/scripts" / job["script"]]
        files += [ROOT / path for path in job["inputs"] if path.startswith("workflow/templates/")]
        assert code_digest(*modules, scripts=files) == job["source"], (job["rule"], outputs)
        seen.add(job["rule"])
    assert seen == {job["rule"] for job in jobs.values()}


def test_the_report_holds_the_figures(finished):
    folder, _ = finished
    result = snakemake(folder, "--cores", "1", *CONFIGURATION, "--report", "report.html")
    assert result.returncode == 0, result.stderr
    assert "rts-f3" in (folder / "report.html").read_text()
