# The whole replication: snakemake --cores N draws every figure of the configured scale.
import functools
import os
import sys
from importlib.util import find_spec
from pathlib import Path

# The folder of the checkout, and whether this workflow runs by itself. Otherwise another workflow imports it as a module.
ROOT = Path(workflow.current_basedir)
ALONE = Path(workflow.basedir) in (ROOT, ROOT / "workflow")
# Words of the command line that may be targets. Folders after these options may have the names of targets.
OF_FOLDERS = ("--directory", "-d", "--profile", "--workflow-profile", "--snakefile", "-s", "--conda-prefix")
WORDS = [word for before, word in zip(sys.argv, sys.argv[1:]) if before not in OF_FOLDERS]
# Whether to run the demo, which has a separate scale.
DEMO = ALONE and "demo" in WORDS

# This process and its jobs import the package of this checkout, even if another version is installed. Jobs in an
# environment of conda lose PYTHONPATH. Snakemake appends this process's search path to the search path of these jobs, so
# such an environment needs only the dependencies.
sys.path.insert(0, f"{ROOT}/src")
os.environ.update(PYTHONPATH=os.pathsep.join(filter(None, [f"{ROOT}/src", os.environ.get("PYTHONPATH")])))

try:
    # Missing libraries are found without imports, which take long.
    for name in ("netCDF4", "numba", "pandas", "scipy", "xarray"):
        if find_spec(name) is None:
            raise ModuleNotFoundError(name=name)
    from replication.catalogue import Catalogue
    from replication.configuration import checked, laid_over
    from replication.costs import expected_seconds, expected_total
    from replication.forks import COMPILES_LATER, end_server, serve_jobs
    from replication.progress import attach
    from replication.project import settings_files
except ModuleNotFoundError as error:
    sys.exit(f"logzoo: error: no module {error.name}: pip install -r requirements.txt, or use environment.yml")

SETTINGS = settings_files(ROOT) + [ROOT / "config/demo.yaml"] * DEMO

for settings in SETTINGS:

    configfile: os.path.relpath(settings)


try:
    # The files are merged again for two reasons. Snakemake reads none of them if another workflow passes `config` to this
    # module. Snakemake also puts overriding keys first, but figures, claims and rows must keep the order of the files.
    config = checked(laid_over(SETTINGS, config), ROOT / "config")
    CATALOGUE = Catalogue(config)
except ValueError as error:
    sys.exit(f"logzoo: error: {error}")

# The terminal shows a line of progress; Snakemake's messages go to its log file. `--verbose` shows them on the terminal.
PROGRESS = None
if ALONE and "--verbose" not in sys.argv:
    PROGRESS = attach(
        lambda path: expected_seconds(CATALOGUE, path),
        lambda counts: expected_total(CATALOGUE, counts, WORDS),
    )


include: "workflow/rules/common.smk"
include: "workflow/rules/datasets.smk"
include: "workflow/rules/models.smk"
include: "workflow/rules/truths.smk"
include: "workflow/rules/estimates.smk"
include: "workflow/rules/experiments.smk"
include: "workflow/rules/verdicts.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/report.smk"


# The jobs of a configuration, which `replication audit`, `publish` and `crate` list in a scratch folder. They describe a
# whole project, but an imported workflow is only a part of a project.
if ALONE:

    # Snakemake evaluates params twice, and at the scale `paper` the jobs take many seconds.
    all_jobs = functools.cache(lambda: tasks.jobs_of_files(workflow, CATALOGUE))

    rule jobs:
        log:
            f"{LOGS}/jobs.log",
        localrule: True
        conda:
            "environment.yml"
        params:
            jobs=lambda wildcards: all_jobs(),
            path=f"{LOGS}/jobs.json",
        script:
            "workflow/scripts/jobs.py"


rule all:
    default_target: True
    input:
        CATALOGUE.files,
        f"{DATA}/zoo.nc",
        SCORECARD,
        f"{FIGURES}/index.html",
        f"{FIGURES}/zoo.html",


# The demo makes the same files as `all`, at the scale of config/demo.yaml; see `DEMO`.
rule demo:
    input:
        rules.all.input,


# One rule per paper makes its figures, tables and verdicts. The paper `zoo` also has the page of the zoo.
for paper in config["papers"]:
    if rules.has(paper):
        sys.exit(f"logzoo: error: configuration: papers.{paper}: expected another name, found the name of a rule")

    rule:
        name:
            paper
        input:
            CATALOGUE.files_of_paper(paper),
            [f"{FIGURES}/zoo.html"] if paper == ZOO.paper else [],


# Suggest the right names for misspelt targets; Snakemake only reports that no rule makes such a target.
if ALONE:
    for line in tasks.near_targets(
        WORDS, [*config["papers"], "all", "claims", "demo", *CATALOGUE.files, *CATALOGUE.verdicts.values()]
    ):
        print(line, file=sys.stderr)


# Local jobs may start at any rate, so the rate limit is removed; Snakemake has no public option for this. With the limit,
# snakemake 9 searches for jobs once a second for each job started so far. After a hundred jobs the searches take a quarter
# of a core.
onstart:
    try:
        lacking = tasks.lacking_sources(config) if config["missing_data"] == "stop" else []
    except ValueError as error:
        sys.exit(f"logzoo: error: {error}")
    if lacking:
        sys.exit(f"logzoo: error: {lacking[0]} lists files that were not available; remove it to try again")
    tasks.remove_manifest(SCALE)
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None
        # The few jobs of the demo compile only the kernels that they need.
        if COMPILES_LATER not in os.environ and not DEMO:
            from replication.compiling import compile_kernels

            compile_kernels(workflow.cores)
        serve_jobs()
    if PROGRESS is not None:
        PROGRESS.start_jobs()


onsuccess:
    end_server()
    tasks.print_ending(PROGRESS, CATALOGUE, log, success=True)
    # A terminal gets the tables only if the target is `claims`; files and pipes always get them.
    if "claims" in WORDS or not (sys.stdout and sys.stdout.isatty()):
        tasks.print_tables(CATALOGUE, [paper for paper in config["papers"] if paper in WORDS])
    tasks.print_manifest(CATALOGUE)


onerror:
    end_server()
    tasks.print_ending(PROGRESS, CATALOGUE, log, success=False)
