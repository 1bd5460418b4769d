"""What a run prints, from the log events of Snakemake: progress, time left, and the summary at the end."""

import logging
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from projects import catalogue_of

from replication import costs, progress
from replication.tasks import near_targets

COSTS = {"data/quick/models/a.nc": 30.0, "data/quick/models/b.nc": 10.0}
STATS = {"train_model": 2, "total": 2}


def event(name, **fields):
    return SimpleNamespace(event=name, levelno=logging.INFO, **fields)


@pytest.fixture
def run():
    """Progress of a run of two jobs on one core, of 30 and 10 expected seconds."""
    result = progress.Progress(COSTS.__getitem__, lambda counts: (20.0 * counts["train_model"], 30.0))
    result.is_terminal = False
    result.emit(event("resources_info", cores=1))
    result.emit(event("run_info", stats=STATS))
    return result


def job(number, path, log="none.log"):
    return event("job_info", jobid=number, output=[path], log=[log], rule_name="train_model")


def test_time_left_follows_the_measured_speed_and_a_dry_run_hides_nothing(run):
    assert run.jobs == 2 and run.remaining(run.started) == pytest.approx(40.0)
    first, second = COSTS
    run.emit(job(1, first))
    run.emit(event("job_finished", job_id=1))
    # 30 expected seconds of work took 130 s: 10 are left, at a third of the speed.
    assert run.remaining(run.started + 130) == pytest.approx(10 * 150 / 50)
    run.emit(job(2, second))
    run.emit(event("job_finished", job_id=2))
    assert run.finished == 2 and run.remaining(run.started + 200) == 0.0
    # A job that runs alone uses one of the cores: the others do not shorten it.
    run.cores, run.done, run.took, run.work = 4, 285.0, 285.0, 1000.0
    run.running[3] = 600.0, run.started
    assert run.remaining(run.started + 95.0) == pytest.approx(600.0 - 95.0)
    # A long first job does not lower the speed while it runs.
    run.done = run.took = 0.0
    run.running[3] = 3600.0, run.started
    run.work = 3600.0
    assert run.remaining(run.started + 1800.0) == pytest.approx(1800.0)
    # A dry run has no progress to show.
    dry = progress.Progress(COSTS.__getitem__, lambda counts: (1.0, 1.0))
    dry.emit(event("run_info", stats=STATS))
    dry.emit(job(1, next(iter(COSTS))))
    assert run.shown and not dry.shown and dry.jobs == 0 and not dry.outputs


def test_the_summary_names_failures_and_what_to_do(run, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.log").write_text("INFO began\nERROR no room\n")
    picture = Path("figures/quick/rts/rts-f1.png")
    picture.parent.mkdir(parents=True)
    picture.touch()
    run.expected = lambda path: 1.0
    run.emit(job(1, str(picture)))
    run.emit(event("job_finished", job_id=1))
    run.emit(job(2, "data/quick/models/b.nc", "job.log"))
    log = ["job.log (check log file(s) for error details)"]
    run.emit(event("job_error", jobid=2, log=log, rule_name="train_model"))
    assert "train_model: ERROR no room (see job.log)" in capsys.readouterr().err
    lines = progress.ending(run, "figures/quick", "", "snakemake.log", False).splitlines()
    assert len(lines) <= 10 and "1 of 2 jobs" in lines[0] and "1 failed" in lines[0]
    assert "1 figures and tables of rts" in lines[1]
    assert any("no room" in line for line in lines) and any("--rerun-incomplete" in line for line in lines)


def test_the_demo_is_small():
    catalogue = catalogue_of("config/demo.yaml")
    assert set(catalogue.shown) == {"rts-f3", "zoo-answer", "zoo-seconds"} and catalogue.data == "data/demo"
    assert len(catalogue.config["matrix"]["estimators"]) == 6
    # Two cores take half a minute, and longer to compile the kernels.
    counts = {"evidence": 2, "estimate_together": 2, "long_run": 3, "experiment": 9}
    assert costs.expected_total(catalogue, counts)[0] < 60


def test_a_run_of_a_figure_is_expected_to_take_what_its_own_jobs_take(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)  # no artifact exists here
    catalogue = catalogue_of("config/paper.yaml")
    picture, verdict = catalogue.files_of(catalogue.shown["rts-f4"])[0], catalogue.verdicts["rts-f4"]
    jobs = costs.jobs_behind(catalogue, [picture, verdict])
    seconds, longest = sum(job.seconds for job in jobs.values()), max(job.seconds for job in jobs.values())
    assert f"{seconds / 3600:,.2f}" in re.findall("(?m)^rts-f4 .*", costs.table_of_costs(catalogue))[0].split()
    counts = {"train_model": 1, "evidence": 1, "long_run": 3, "truth": 1, "experiment": 1, "draw": 1, "verdict": 1}
    counts["build_dataset"] = 1
    for targets in ([picture], [verdict], [picture, verdict]):
        expected = costs.expected_total(catalogue, counts, ["--cores", "2", *targets])
        assert expected == pytest.approx((seconds, longest))
    # Files that other code made are there, and are made again.
    for path in jobs:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).touch()
    assert costs.expected_total(catalogue, counts, [picture]) == pytest.approx((seconds, longest))
    truth = f"data/paper/truths/{catalogue.config['figures']['rts-f4']['model']}.nc"
    assert costs.expected_total(catalogue, {"truth": 1, "long_run": 3}, [truth])[0] > 3000
    # No number of cores makes a run shorter than its longest job.
    run = progress.Progress(COSTS.__getitem__, lambda counts: (seconds, longest))
    run.emit(event("resources_info", cores=64))
    run.emit(event("run_info", stats=counts))
    run.start_jobs()
    assert f"10 jobs, about {progress.duration(longest)} on 64 cores" in capsys.readouterr().err


def test_the_rows_of_tables_are_counted_as_short_jobs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    catalogue = catalogue_of()
    jobs = costs.jobs_behind(catalogue, catalogue.files)
    experiments = {path: job.seconds for path, job in jobs.items() if path in catalogue.experiments}
    assert any("/tables/" in path for path in experiments)
    total, _ = costs.expected_total(catalogue, {"experiment": len(experiments)})
    assert total == pytest.approx(sum(experiments.values()))
    assert set(catalogue.verdicts.values()) < set(costs.jobs_behind(catalogue, ["data/quick/scorecard.nc"]))


def test_words_that_nearly_name_a_target_have_a_hint():
    targets = ["tracking", "all", "figures/quick/rts/rts-f3.png"]
    words = ["--cores", "2", "trakcing", "rts-f33.png", "all", "--configfile", "config/paper.yaml"]
    words.append("data/quick/models/rts-f3.nc")
    hints = near_targets(words, targets)
    assert [hint.partition("did you mean ")[2] for hint in hints] == ["tracking?", "figures/quick/rts/rts-f3.png?"]
