"""The audit as a command: from what was asked for to what is printed."""

from pathlib import Path

from logzoo.audit.findings import report, write_report
from logzoo.audit.replay import replay_some
from logzoo.audit.tasks import read_tasks
from logzoo.audit.tree import audit
from logzoo.checks import whole_number


def run_audit(folder, *, expected=None, replay=0, seed=0, output=None):
    """Audit a project and write what was found to `output` (default audit.json in its folder).

    expected: file with the tasks of the configuration, or None; replay: how many artifacts are made once more, picked
    by seed. Returns the report and whether there was no fault. Raises ValueError, one line, for wrong use.
    """
    target = Path(folder, "audit.json") if output is None else Path(output)
    if output is not None and not target.parent.is_dir():
        raise ValueError(f"--output {output}: there is no folder {target.parent}")
    replay, seed = (whole_number(name, value, minimum=0) for name, value in (("--replay", replay), ("--seed", seed)))
    tasks = None if expected is None else read_tasks(expected)
    findings = audit(folder, tasks)
    if replay:
        replay_some(findings, folder, tasks, replay, seed)
    write_report(findings, target)
    return report(findings), not findings.faults
