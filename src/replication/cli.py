"""The command line of the replication: audit, cost, protocol, publish, crate.

Slow imports are inside the commands, so that `--help` prints at once.
"""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from logzoo import __version__
from logzoo.cli.running import Parser, adder, count, run_command, write
from logzoo.printing import table


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line on `argv` (if None, the arguments of the process). Returns the exit code."""
    return run_command(command_parser(), argv)


def command_parser() -> Parser:
    parser = Parser(prog="replication", description="Four papers on log Z of RBMs: audit, cost and publish their runs.")
    parser.add_argument("--version", action="version", version=f"logzoo {__version__}")
    commands = adder(parser.add_subparsers(metavar="COMMAND", required=True))

    def command(name, run, summary, configuration, *, with_scale=False):
        """Add a command with the arguments of most commands. Returns its `add_argument`."""
        add = commands(name, run, summary)
        project = "folder of the project (default: the working folder)"
        add("folder", metavar="PATH", nargs="?", default=".", help=project)
        if with_scale:
            add("--scale", default="quick", metavar="NAME", help="scale of the run (default quick)")
        add("--configfile", metavar="FILE", help=configuration)
        return add

    of_scale = "configuration of a scale (default: the scale of config/config.yaml)"
    added = "configuration of your own scale, in addition to the configurations in config/"
    summary = "Check every artifact, picture and table of a project, or of published results."
    add = command("audit", _audit, summary, added)
    add("--regenerate", type=count, default=0, metavar="N", help="regenerate N files in a scratch folder (default 0)")
    add("--seed", type=count, default=0, metavar="N", help="seed of the choice of files to regenerate (default 0)")
    add("--output", metavar="FILE", help="also write the report to this file, as JSON")
    command("cost", _cost, "Print the cost of the figures of a scale, in core-hours.", of_scale)
    command("protocol", _protocol, "Print the claims of a scale with statistics, bounds, sizes and powers.", of_scale)
    summary = "Copy pages, figures, tables and verdicts of a finished run to results/ of its project."
    add = command("publish", _publish, summary, added, with_scale=True)
    add("--megabytes", type=float, default=20.0, metavar="N", help="largest size to publish, in megabytes (default 20)")
    add("--add", action="store_true", help="keep published files that this run did not make")
    summary = "Write ro-crate-metadata.json, the description of a finished run for archives, to its project."
    add = command("crate", _crate, summary, added, with_scale=True)
    add("--agent", metavar="NAME", help="name of the person who ran the workflow")
    return parser


def _audit(**arguments):
    from replication.audit.tree import run_audit

    text, passed = run_audit(**arguments)
    write(text)
    return 0 if passed else 1


def _cost(folder, configfile):
    from replication.costs import measured_slowness, table_of_costs

    catalogue, slowness = _catalogue(folder, configfile), measured_slowness()
    write(f"{table_of_costs(catalogue, slowness)}\n")
    probed = f"{datetime.now():%Y-%m-%d %H:%M}"
    write(f"The core-hours are {slowness:.2f} times the core-hours of an AMD EPYC (probe of this machine, {probed}).\n")


def _protocol(folder, configfile):
    from replication.protocol import protocol_page

    write(protocol_page(_catalogue(folder, configfile)))


def _publish(folder, scale, configfile, megabytes, add):
    from logzoo.checks import expected_one_of, shown
    from replication.audit import checkout
    from replication.audit.publish import publish
    from replication.costs import core_hours

    known = checkout.configuration_files(configfile)
    if scale not in known:
        others = "use --configfile for another scale"
        raise ValueError(f"--scale: unknown value {shown(scale)}; {expected_one_of(scale, known)}; {others}")
    jobs, hours = checkout.jobs_of_scale(scale, known[scale]), core_hours(_catalogue(folder, known[scale]))
    write(publish(folder, scale, jobs, most=megabytes, hours=hours, add=add))


def _crate(folder, scale, configfile, agent):
    from replication.audit import checkout
    from replication.audit.crate import write_crate

    # A run whose scale is not in the checkout is described as well.
    known = checkout.configuration_files(configfile)
    jobs = {scale: checkout.jobs_of_scale(scale, known[scale])} if scale in known else None
    write(table([("written", write_crate(folder, scale, jobs=jobs, configuration=configfile, agent=agent))]))


def _catalogue(folder, configfile):
    from replication.project import catalogue_of

    if not Path(folder, "Snakefile").is_file():
        raise ValueError(f"{folder}: expected the folder of a project, found no Snakefile in it")
    # A path from the user is relative to the working folder, not to the folder of the project.
    return catalogue_of(*([] if configfile is None else [str(Path(configfile).absolute())]), folder=folder)
