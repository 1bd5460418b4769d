"""Reference RBMs: their cards are true, and scores distinguish right solvers from silently wrong ones."""

import json
import subprocess
import sys
import sysconfig
from types import SimpleNamespace

import numpy as np
import pytest
from projects import ROOT
from scipy.special import expit, logsumexp

from logzoo import RBM, estimate_log_z, exact_log_z
from logzoo.cli.main import main
from logzoo.models.known.families import known
from logzoo.reference import cards, load_reference, score_solver, solver_from, summary

FOLDER = ROOT / "src/logzoo/reference_data"
KEYS = {"name", "title", "visible", "hidden", "units", "log_z", "std_error", "known_by", "origin", "licence", "checks"}


@pytest.mark.parametrize("name", cards())
def test_a_card_is_true(name):
    card = cards()[name]
    assert card.keys() >= KEYS and card["checks"] and (FOLDER / f"{name}.json").is_file()
    if "url" in card:
        assert card["std_error"] > 0.0
        with pytest.raises(ValueError, match="not part of logzoo; download https"):
            load_reference(name)
        return
    rbm = load_reference(name)
    assert (rbm.visible, rbm.hidden) == (card["visible"], card["hidden"])
    log_z = known(card["family"], 0, **card["options"]).log_z if "family" in card else exact_log_z(rbm)
    assert log_z == pytest.approx(card["log_z"], abs=1e-7) and card["std_error"] == 0.0


def test_a_changed_card_changes_no_score():
    cards()["tiny"]["log_z"] += 5.0
    (score,) = score_solver(lambda *arrays: (exact_log_z(RBM(*arrays)), 0.0), ["tiny"])
    assert score.verdict == "right"


def test_the_set_is_described_by_croissant():
    content = json.loads((FOLDER / "croissant.json").read_text())
    required = {"@context", "@type", "conformsTo", "description", "license", "name", "url", "creator", "datePublished"}
    assert content.keys() >= required | {"distribution", "recordSet"}
    sums = {entry["sha256"] for entry in content["distribution"] if "sha256" in entry}
    assert {card["sha256"] for card in cards().values() if "url" in card} < sums
    fields = {field["name"] for field in content["recordSet"][0]["field"]}
    assert {"name", "log_z", "std_error"} <= fields and all(card.keys() >= fields for card in cards().values())
    # No file is left over.
    files = {card.get("file") for card in cards().values()} - {None, "mnistvh_CD25.mat"}
    assert {path.name for path in FOLDER.glob("*.npz")} == files


def annealed(weights, visible_bias, hidden_bias, sweeps=100, chains=400, seed=0):
    """Log weights of plain AIS in NumPy, from uniform units, and log Z of those."""
    draws = np.random.default_rng(seed)
    v = draws.random((chains, len(visible_bias))) < 0.5
    log_weights = np.zeros(chains)
    betas = np.linspace(0.0, 1.0, sweeps + 1)
    for before, beta in zip(betas, betas[1:], strict=False):
        inputs = v @ weights + hidden_bias
        change = np.logaddexp(0.0, beta * inputs) - np.logaddexp(0.0, before * inputs)
        log_weights += (beta - before) * (v @ visible_bias) + change.sum(axis=1)
        h = draws.random(inputs.shape) < expit(beta * inputs)
        v = draws.random(v.shape) < expit(beta * (h @ weights.T + visible_bias))
    return log_weights, np.log(2.0) * sum(weights.shape)


def ais(*arrays):
    log_weights, base = annealed(*arrays)
    log_mean = logsumexp(log_weights) - np.log(log_weights.size)
    return base + log_mean, np.exp(log_weights - log_mean).std(ddof=1) / np.sqrt(log_weights.size)


def mean_of_logs(*arrays):
    """The mistake: the mean of log weights is below the log of their mean."""
    log_weights, base = annealed(*arrays)
    return base + log_weights.mean(), log_weights.std(ddof=1) / np.sqrt(log_weights.size)


def test_a_wrong_average_is_silently_wrong_and_the_right_average_is_not():
    names = ["tiny", "twins", "hopfield"]
    scores = {solve: score_solver(solve, names) for solve in (ais, mean_of_logs)}
    # AIS of logzoo.
    ours = score_solver(lambda *arrays: estimate_log_z(RBM(*arrays), "ais", sweeps=200), ["tiny", "dna-pcd"])
    assert [score.verdict for score in [*scores[ais], *ours]] == ["right"] * 5
    # Six units are too easy to show the mistake.
    assert [score.verdict for score in scores[mean_of_logs]] == ["right", "silently wrong", "silently wrong"]
    assert summary(scores[mean_of_logs])["rmse"] > 2.0 * summary(scores[ais])["rmse"]


@pytest.mark.parametrize(
    ("solve", "verdict"),
    [
        (lambda w, a, b: (exact_log_z(RBM(w, a, b)) + 0.49, 0.0), "right"),
        (lambda w, a, b: (exact_log_z(RBM(w, a, b)) - 0.51, 0.12), "silently wrong"),
        (lambda w, a, b: (exact_log_z(RBM(w, a, b)) - 0.51, 0.13), "right"),
        (lambda w, a, b: exact_log_z(RBM(w.T, a, b)), "refused"),
        (lambda *_: None, "refused"),
        (lambda *_: (np.inf, 0.1), "refused"),
        (lambda *_: (10.9, np.nan), "refused"),
        (lambda *_: SimpleNamespace(log_z=10.9, std_error=9.0, reasons=None), "right"),
    ],
)
def test_verdicts(solve, verdict):
    (score,) = score_solver(solve, ["tiny"])
    assert score.verdict == verdict and bool(score.reason) == (verdict == "refused")


@pytest.mark.parametrize("answer", [10.9, "12", b"12", (10**400, 1), ["1" * 99], SimpleNamespace(log_z=10.9)])
def test_an_answer_of_another_form_is_refused_and_shown(answer):
    scores = score_solver(lambda *_: answer, ["tiny"])
    assert scores[0].verdict == "refused" and scores[0].reason.removesuffix("...").endswith(repr(answer)[:80])


def test_a_solver_may_call_sys_exit_and_a_command_may_print_nothing():
    silent = solver_from(f"{sys.executable} -c pass")
    reasons = [score_solver(solve, ["tiny"])[0].reason for solve in (lambda *_: sys.exit(3), silent)]
    assert reasons == ["SystemExit: 3", "ValueError: exit code 0: no output"]


@pytest.mark.parametrize(
    ("solver", "message"),
    [
        ("leaves:f", "leaves:f: cannot be imported: SystemExit: 3"),
        ("math:pi", "math:pi: expected a function, found 3.14"),
        ("./s 'unclosed", '"./s \'unclosed": cannot be split into words'),
        ("./leaves.py -x", "./leaves.py: the file is not executable; run chmod +x"),
        ("math:hypot --sweeps=0", "sweeps: expected a whole number of at least 1, found 0"),
    ],
)
def test_a_solver_that_cannot_run_is_an_error(tmp_path, monkeypatch, capfd, solver, message):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])  # to which the working folder is added
    (tmp_path / "leaves.py").write_text("raise SystemExit(3)\n")
    solver, _, option = solver.partition(" --")
    assert main(["score", solver, *([f"--{option}"] if option else [])]) == 1
    out, err = capfd.readouterr()
    assert out == "" and err.startswith(f"logzoo: error: {message}") and err.count("\n") == 1


def test_unknown_files_and_solvers_are_errors(tmp_path):
    (tmp_path / "other.mat").touch()
    with pytest.raises(ValueError, match="SHA-256 of .*other.mat: unknown value 'e3b0.*expected one of 264d0e1b"):
        score_solver(ais, files=[tmp_path / "other.mat"])
    with pytest.raises(ValueError, match="other.mat is not 264d0e1b"):
        load_reference("mnist-cd25-500", tmp_path / "other.mat")
    for call in (lambda: score_solver(ais, files=[tmp_path]), lambda: load_reference("mnist-cd25-500", tmp_path)):
        with pytest.raises(ValueError, match=f"^{tmp_path}: expected a regular file"):
            call()
    for text in ("logzoo:nothing", "nothing_here:f", "no-such-program -x", ""):
        with pytest.raises(ValueError, match="cannot be imported|expected module:function"):
            solver_from(text)


COMMAND = """
import sys
import numpy as np
from logzoo import RBM, exact_log_z
with np.load(sys.argv[-1]) as arrays:
    rbm = RBM(**arrays)
if rbm.visible > 100:
    sys.exit("too large")
print("log Z and its error:")
print(exact_log_z(rbm), 0.0)
"""


def test_the_commands(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "solver.py").write_text(COMMAND)
    arguments = ["--only", "tiny", "--only", "dna-pcd", "--sweeps", "200"]
    assert main(["score", f"{sys.executable} solver.py", *arguments]) == 0
    out = capfd.readouterr().out.splitlines()
    assert out[1].split()[:4] == ["tiny", "+0.0000", "0.0000", "right"]
    assert out[4] == "dna-pcd  refused: ValueError: exit code 1: too large" and "solver.py" in out[7]
    monkeypatch.setitem(sys.modules, "off_by_nine", sys.modules[__name__])
    assert main(["score", "off_by_nine:nine_less", *arguments[:2], "--sweeps", "200", "--json"]) == 1
    content = json.loads(capfd.readouterr().out)
    assert content["summary"]["off_by_nine:nine_less"]["silently wrong"] == 1
    assert content["scores"]["logzoo ais"][0]["verdict"] == "right"
    assert main(["score", "off_by_nine:ais", "--only", "twins", "--sweeps", "20", "--method", "auto"]) == 0
    assert "twins  logzoo refused: BudgetExceeded: sweeps: expected at least" in capfd.readouterr().out
    assert main(["reference", "list"]) == 0 and len(capfd.readouterr().out.splitlines()) == len(cards()) + 1
    assert main(["reference", "show", "tiny"]) == 0 and json.loads(capfd.readouterr().out) == cards()["tiny"]
    assert main(["reference", "get", "tiny", "-o", "tiny.npz"]) == 0
    with np.load("tiny.npz") as arrays:
        assert exact_log_z(RBM(**arrays)) == pytest.approx(cards()["tiny"]["log_z"], abs=1e-12)
    for words in (["get", "tiny"], ["get", "tiny", "-o", "tiny.txt"], ["show"], ["show", "tyny"], ["take", "tiny"]):
        assert main(["reference", *words]) == 1
        err = capfd.readouterr().err
        assert err.startswith("logzoo: error: ") and err.count("\n") == 1


def nine_less(*arrays):
    print("a line that is no result")
    return ais(*arrays)[0] - 9.0, 0.1


@pytest.mark.nightly
def test_the_examples_for_other_packages(tmp_path):
    python = f"{tmp_path}/venv/bin/python"
    subprocess.run([sys.executable, "-m", "venv", f"{tmp_path}/venv"], check=True)
    # With the packages of this environment, and ours.
    (site,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    (site / "outside.pth").write_text(f"{ROOT / 'src'}\n{sysconfig.get_path('purelib')}\n")
    # QuCumber asks for a torch of 2023, and works with those of today.
    for words in (["-r", str(ROOT / "benchmarks/requirements.txt")], ["--no-deps", "qucumber==1.3.3"]):
        if subprocess.run([python, "-m", "pip", "install", "-q", *words]).returncode:
            pytest.skip("torch, rbms or qucumber cannot be installed")
    result = {}
    for solver in ("rbms_ais", "qucumber_sum"):
        only = [word for name in ("tiny", "wide-narrow", "random") for word in ("--only", name)]
        words = [python, "-m", "logzoo", "score", f"solvers:{solver}", "--sweeps", "200", "--json", *only]
        run = subprocess.run(words, cwd=ROOT / "examples", capture_output=True, text=True)
        result[solver] = [row["verdict"] for row in json.loads(run.stdout)["scores"][f"solvers:{solver}"]]
    # AIS from the biases misses the narrow mode.
    assert result["rbms_ais"][:2] == ["right", "silently wrong"]
    assert result["qucumber_sum"] == ["right", "refused", "right"]
