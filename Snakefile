# The whole replication: snakemake --cores N draws every figure of the configured scale.
import atexit
import sys
from pathlib import Path
from runpy import run_path

# Before the package is imported: a full disk may have cut its compiled modules short.
run_path(f"{workflow.basedir}/src/logzoo/pipeline/startup.py")["keep_modules_compiled"]("logzoo")

from logzoo.artifacts.provenance import source_digest
from logzoo.configuration import check_configuration, grid_models, kept_grids, kept_zoo, zoo_models
from logzoo.pipeline.startup import clear_stale_locks


configfile: "config/datasets.yaml"
configfile: "config/models.yaml"
configfile: "config/grids.yaml"
configfile: "config/zoo.yaml"
configfile: "config/comparisons.yaml"
configfile: "config/estimators.yaml"
configfile: "config/figures.yaml"
configfile: "config/claims.yaml"
configfile: "config/config.yaml"


try:
    config["grids"] = kept_grids(config["grids"])
    config["zoo"] = kept_zoo(config["zoo"])
    config["models"] |= grid_models(config["grids"]) | zoo_models(config["zoo"])
    check_configuration(config, Path(workflow.basedir) / "workflow" / "schemas")
except ValueError as error:
    sys.exit(f"logzoo: error: {error}")


if clear_stale_locks():
    print("logzoo: a run was killed here; its lock is removed", file=sys.stderr)


include: "workflow/rules/common.smk"
include: "workflow/rules/needs.smk"
include: "workflow/rules/judged.smk"
include: "workflow/rules/swapped.smk"
include: "workflow/rules/toured.smk"
include: "workflow/rules/families.smk"
include: "workflow/rules/shown.smk"
include: "workflow/rules/made.smk"
include: "workflow/rules/datasets.smk"
include: "workflow/rules/models.smk"
include: "workflow/rules/tracking.smk"
include: "workflow/rules/truths.smk"
include: "workflow/rules/estimates.smk"
include: "workflow/rules/experiments.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/swapping.smk"
include: "workflow/rules/las-vegas.smk"
include: "workflow/rules/zoo.smk"
include: "workflow/rules/page.smk"
include: "workflow/rules/costs.smk"
include: "workflow/rules/targets.smk"
include: "workflow/rules/audit.smk"
include: "workflow/rules/crate.smk"


rule all:
    default_target: True
    input:
        files_of_all(),


# On this machine jobs may start as fast as they end. Under a limit, snakemake 9 looks for jobs once more each second for
# every job that it has started: after a hundred of them that costs a quarter of a core.
onstart:
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None
    if makes_files():
        remove_manifest()


onsuccess:
    if makes_files():
        print_summary()
        print_manifest()


atexit.register(list_what_was_made)
