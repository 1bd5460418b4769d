# The whole replication: snakemake --cores N draws every figure of the configured scale.
import atexit
import sys
from pathlib import Path
from runpy import run_path

# Before the package is imported: a full disk may have cut its compiled modules short.
run_path(f"{workflow.basedir}/src/logzoo/pipeline/startup.py")["keep_modules_compiled"]("logzoo")

from logzoo.pipeline.catalogue import Catalogue
from logzoo.pipeline.configuration import checked
from logzoo.pipeline.startup import clear_stale_locks


configfile: "config/datasets.yaml"
configfile: "config/models.yaml"
configfile: "config/estimators.yaml"
configfile: "config/zoo.yaml"
configfile: "config/config.yaml"


for paper in sorted(Path(workflow.basedir).glob("config/papers/*.yaml")):

    configfile: paper


try:
    config = checked(config, f"{workflow.basedir}/workflow/schemas")
    CATALOGUE = Catalogue(config)
except ValueError as error:
    sys.exit(f"logzoo: error: {error}")

if clear_stale_locks():
    print("logzoo: a run was killed here; its lock is removed", file=sys.stderr)


include: "workflow/rules/common.smk"
include: "workflow/rules/datasets.smk"
include: "workflow/rules/models.smk"
include: "workflow/rules/truths.smk"
include: "workflow/rules/estimates.smk"
include: "workflow/rules/experiments.smk"
include: "workflow/rules/verdicts.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/audit.smk"


rule all:
    default_target: True
    input:
        CATALOGUE.files,
        f"{DATA}/zoo.nc",
        SCORECARD,
        f"{FIGURES}/index.html",
        f"{FIGURES}/zoo.html",


# Everything of one paper: its figures and tables, the verdicts on its claims, and the page of the zoo.
for paper in config["papers"]:

    rule:
        name:
            paper
        input:
            CATALOGUE.files_of_paper(paper),
            [f"{FIGURES}/zoo.html"] if paper == ZOO.paper else [],


# On this machine jobs may start as fast as they end. Under a limit, snakemake 9 looks for jobs once more each second for
# every job that it has started: after a hundred of them that costs a quarter of a core. There is no public way to say so.
onstart:
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None
    if makes_files(workflow):
        remove_manifest(SCALE)


onsuccess:
    if makes_files(workflow):
        print_tables(CATALOGUE)
        print_manifest(workflow, SCALE)


atexit.register(list_what_was_made, workflow, SCALE)
