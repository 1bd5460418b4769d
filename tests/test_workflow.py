"""The workflow as a user runs it, at toy size, with every source hidden: complete, repeatable, rerun when due."""

import json
import re
import shutil
import subprocess

import pytest
import xarray as xr
from crates import breaches, graph_of, read_crate, references
from pages import faults
from projects import CONFIGURATION, copy_project, fingerprints, snakemake

from logzoo.reporting.scorecard import without_links

RULES = re.compile(r"^(\w+) +(\d+)$", re.MULTILINE)


def planned(folder):
    """Rules that a dry run would execute, without `all`."""
    result = snakemake(folder, "-n", "--cores", "2", *CONFIGURATION)
    assert result.returncode == 0, result.stderr
    return (
        {name: int(count) for name, count in RULES.findall(result.stdout + result.stderr)}
        if ("Job stats" in result.stdout + result.stderr)
        else {}
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A project in which `snakemake --cores 2` has run, and its result."""
    folder = copy_project(tmp_path_factory.mktemp("two-cores"))
    return folder, snakemake(folder, "--cores", "2", *CONFIGURATION)


@pytest.fixture
def pristine(finished):
    """The finished project; files a test edits are put back."""
    folder, _ = finished
    kept = {path: path.read_bytes() for path in (folder / "src").rglob("*.py")}
    yield folder
    for path, content in kept.items():
        if path.read_bytes() != content:
            path.write_bytes(content)


def test_a_run_ends_in_figures_artifacts_and_a_summary(finished):
    folder, result = finished
    assert result.returncode == 0, result.stderr
    numbers = ("1", "2", "3", "3-seconds", "4", "4-cost", "6", "7", "8")
    tracked = ("rts/rts-f5", *(f"trk/trk-f{number}" for number in ("1", "2", "3", "4a", "4b")))
    swapped = (f"ins/ins-{name}" for name in ("f1", "f2", "f3", "f4", "f5", "f6", "equal", "many", "association"))
    toured = (f"lv/lv-{name}" for name in ("f1", "f2a", "f2b", "f2c", "f3", "f4"))
    zoo_figures = (f"zoo/zoo-{name}" for name in ("rmse", "sweeps", "seconds", "ranks", "bias", "coverage", "trainers"))
    for name in (*(f"rts/rts-f{number}" for number in numbers), *tracked, *swapped, *toured, *zoo_figures):
        assert (folder / f"figures/tiny/{name}.png").read_bytes()[:4] == b"\x89PNG"
        assert (folder / f"figures/tiny/{name}.pdf").read_bytes()[:5] == b"%PDF-"
    for name in ("trk/trk-t1", "trk/trk-text", "lv/lv-t1", "lv/lv-t2", "zoo/trainers", "zoo/zoo-choice"):
        text = (folder / f"figures/tiny/{name}.md").read_text()
        assert text in result.stdout
        assert "STAND-IN" in text and "[nat]" in text
        assert (folder / f"figures/tiny/{name}.csv").read_text().count("\n") == text.count("\n") - 3
        assert "<table" in (folder / f"figures/tiny/{name}.html").read_text()
    assert not list((folder / "data").rglob("*.checkpoint.npz*"))
    assert "Log partition functions" in result.stdout
    assert result.stdout.count("not tested (stand-in data)") >= 10
    assert "On a mixture of two Gaussians" in result.stdout
    card = (folder / "figures/tiny/scorecard.md").read_text()
    assert without_links(card) in result.stdout and "](rts/rts-f3.png)" in card
    for name in ("index.html", "scorecard.html"):
        assert faults(folder / "figures/tiny" / name) == []
    page = (folder / "figures/tiny/index.html").read_text()
    assert "STAND-IN DATA" in page and str(folder) not in page
    with xr.open_dataset(folder / "data/tiny/zoo.nc") as zoo:
        assert dict(zoo["log_z"].sizes) == {"model": 3, "estimator": 4, "budget": 2, "replicate": 2}
        assert int(zoo["sweeps_spent"].max()) == 120
        assert list(zoo["family"].values) == ["mnist-cd25-500", "mnist-8", "mnist-8"]


def test_a_stand_in_says_so_in_log_artifact_table_and_figure(finished):
    folder, result = finished
    with xr.open_dataset(folder / "data/tiny/models/mnist-10.nc") as model:
        assert model.attrs["stand_in_for"] == "mnist-binary"
        assert model.sizes["visible"] == 64
    with xr.open_dataset(folder / "data/tiny/estimates/mnist-cd25-500/rts.nc") as estimate:
        assert estimate.attrs["stand_in_for"] == "mnist-cd25-500"
    assert "stand-in" in (folder / "logs/fetch/mnist.log").read_text()
    assert "STAND-IN" in (folder / "figures/tiny/likelihoods.md").read_text()
    assert "stand-in" in result.stderr


def test_a_second_run_has_nothing_to_do(finished):
    folder, _ = finished
    result = snakemake(folder, "--cores", "2", *CONFIGURATION)
    assert "Nothing to be done" in result.stdout + result.stderr


def test_the_targets_of_the_papers_make_everything_between_them(finished):
    folder, _ = finished
    made = {}
    for target in ("rts", "tracking", "infinite-swapping", "las-vegas", "zoo"):
        done = snakemake(folder, "-n", "--cores", "2", *CONFIGURATION, "--", target)
        assert "Nothing to be done" in done.stdout + done.stderr
        plan = snakemake(folder, "-n", "--forceall", "--cores", "2", *CONFIGURATION, "--", target)
        made[target] = set(re.findall(r"figures/tiny/\S+\.(?:png|csv)", plan.stdout + plan.stderr))
        assert made[target]
    shown = {
        str(path.relative_to(folder)) for kind in ("png", "csv") for path in folder.glob(f"figures/tiny/*/*.{kind}")
    }
    assert set.union(*made.values()) == shown
    assert sum(map(len, made.values())) == len(shown)


def test_costs_are_told_for_every_figure_and_table_before_anything_runs(finished, tmp_path):
    folder = copy_project(tmp_path)
    result = snakemake(folder, "--cores", "1", "--configfile", "config/paper.yaml", "--", "cost")
    assert result.returncode == 0, result.stderr
    rows = {
        line.split()[0]: line.split()[1:] for line in result.stdout.splitlines() if "core-hours" not in line and line
    }
    shown = {path.stem for kind in ("png", "csv") for path in finished[0].glob(f"figures/tiny/*/*.{kind}")}
    assert shown <= set(rows)
    core_hours = {name: float(rows[name][-3].replace(",", "")) for name in [*shown, "everything"]}
    assert max(core_hours[name] for name in shown) < core_hours["everything"] < sum(core_hours.values())
    assert not (folder / "data/paper").exists()
    # Rates can be measured anew, wherever a run has finished.
    folder, _ = finished
    measured = [folder / f"workflow/{name}.yaml" for name in ("rates", "memory")]
    kept = [path.read_bytes() for path in measured]
    result = snakemake(folder, "--cores", "1", *CONFIGURATION, "--", "measure_rates")
    assert result.returncode == 0 and b"tiny scale" in (folder / "workflow/rates.yaml").read_bytes(), result.stderr
    assert b"jobs ask for" in measured[1].read_bytes() != kept[1]
    for path, content in zip(measured, kept, strict=True):
        path.write_bytes(content)


def test_claims_are_printed_whenever_they_are_asked_for(finished):
    folder, _ = finished
    result = snakemake(folder, "claims", "--cores", "1", *CONFIGURATION)
    assert result.returncode == 0
    assert result.stdout.count("Verdicts on the published claims") == 1


def test_an_audit_finds_nothing_wrong_and_makes_nothing(finished):
    folder, result = finished
    assert "All files are listed in data/tiny/manifest.json" in result.stdout
    before = {path: path.stat().st_mtime_ns for path in [*folder.glob("data/**/*"), *folder.glob("figures/**/*")]}
    done = snakemake(folder, "audit", "--cores", "1", *CONFIGURATION)
    assert done.returncode == 0, done.stdout
    assert "\n0 faults in 0 files" in done.stdout and "not checked" not in done.stdout
    assert before == {path: path.stat().st_mtime_ns for path in before}
    checks = json.loads((folder / "audit.json").read_text())["checks"]
    assert min(checks[name] for name in ("parameters", "source", "inputs", "manifest")) > 50


def test_a_finished_run_is_described_and_nothing_is_made(finished):
    folder, _ = finished
    before = {path: path.stat().st_mtime_ns for path in [*folder.glob("data/**/*"), *folder.glob("figures/**/*")]}
    done = snakemake(folder, "crate", "--cores", "1", *CONFIGURATION)
    assert done.returncode == 0, done.stdout
    assert "written: ro-crate-metadata.json" in done.stdout
    assert "Verdicts on the published claims" not in done.stdout and "All files are listed" not in done.stdout
    assert before == {path: path.stat().st_mtime_ns for path in before}
    content = read_crate(folder)
    assert list(breaches(content)) == []
    run = graph_of(content)["#run-tiny"]
    assert {"data/tiny/zoo.nc", "figures/tiny/index.html"} <= set(references({"are": run["result"]}))
    assert {"config/config.yaml", "config/models.yaml"} <= set(references({"are": run["object"]}))


def test_an_audit_sees_another_configuration_and_other_code(pristine):
    with (pristine / "src/logzoo/figures/zoo_ranks.py").open("a") as file:
        file.write("\n# edited\n")
    other = pristine / "other.yaml"
    other.write_text("matrix: {replicates: 3}\n")
    done = snakemake(pristine, "audit", "--cores", "1", *CONFIGURATION, other.name)
    crate = snakemake(pristine, "crate", "--cores", "1", *CONFIGURATION, other.name)
    other.unlink()
    assert crate.returncode == 1 and "configuration or code is not that of the run" in crate.stdout + crate.stderr
    assert done.returncode == 1
    faults = {(one["file"], one["check"]) for one in json.loads((pristine / "audit.json").read_text())["faults"]}
    assert {check for _, check in faults} == {"parameters", "source"}
    assert {file for file, check in faults if check == "source"} == {
        f"figures/tiny/zoo/zoo-ranks.{form}" for form in ("png", "pdf")
    }
    assert ("data/tiny/estimates/mnist-cd25-500/rts.nc", "parameters") in faults


def test_one_core_makes_the_same_bits(finished, tmp_path):
    assert len(same_on_one_core(finished[0], tmp_path, "zoo")) > 30


@pytest.mark.nightly
def test_one_core_makes_the_same_bits_of_everything(finished, tmp_path):
    folder, _ = finished
    assert same_on_one_core(folder, tmp_path, "all") == set(fingerprints(folder))


def same_on_one_core(folder, other, target):
    """Files that a target leaves on one core, all of them the same as in a finished folder."""
    other = copy_project(other)
    assert snakemake(other, "--cores", "1", *CONFIGURATION, "--", target).returncode == 0
    made, expected = fingerprints(other), fingerprints(folder)
    assert made == {path: expected[path] for path in made}
    return set(made)


def test_touching_a_file_reruns_nothing(pristine):
    for path in (pristine / "src").rglob("*.py"):
        path.touch()
    assert planned(pristine) == {}


def test_editing_a_kernel_reruns_what_depends_on_it(pristine):
    with (pristine / "src/logzoo/kernels/gibbs.py").open("a") as file:
        file.write("\n# edited\n")
    rules = planned(pristine)
    expected = {"train_model", "import_model", "estimate", "estimate_together", "long_run"}
    expected |= {"initial_iterations", "rungs", "stationary"}
    assert expected <= set(rules)
    assert not {"fetch", "build_dataset"} & set(rules)


def test_editing_a_plot_reruns_the_plot_only(pristine):
    with (pristine / "src/logzoo/figures/zoo.py").open("a") as file:
        file.write("\n# edited\n")
    assert set(planned(pristine)) - {"all", "total"} == {"zoo_rmse", "likelihoods", "page"}


def test_editing_one_estimator_leaves_the_others(pristine):
    with (pristine / "src/logzoo/estimators/ais.py").open("a") as file:
        file.write("\n# edited\n")
    rules = planned(pristine)
    # AIS on three models, and from a uniform base on one; two others run together, without it.
    assert rules["estimate"] == 4
    assert "estimate_together" not in rules
    assert not {"train_model", "rungs", "stationary"} & set(rules)


def test_the_report_opens_in_a_browser(finished, tmp_path):
    folder, _ = finished
    result = snakemake(folder, "--cores", "1", *CONFIGURATION, "--report", "report.html")
    assert result.returncode == 0, result.stderr
    report = folder / "report.html"
    assert "rts-f3" in report.read_text()
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium on this machine")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--dump-dom"]
    options += [f"--user-data-dir={tmp_path}", "--virtual-time-budget=5000"]
    page = subprocess.run([browser, *options, report.as_uri()], capture_output=True, text=True, timeout=120)
    # The menu is drawn by scripts: it is there only if they ran.
    drawn = re.sub(r"<script.*?</script>", "", page.stdout, flags=re.DOTALL)
    assert re.search(r">\s*RTS\s*<", drawn)
    assert re.search(r">\s*ZOO\s*<", drawn)
