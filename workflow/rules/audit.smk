# What a run costs, whether its files are intact, its description for archives, and its publication in the repository.
#
# inputs:  data/; figures/
# outputs: logs/<scale>/jobs.json for `replication audit`; ro-crate-metadata.json; results/<scale>/, and what README.md and docs/
#          quote of it
# steps:   cost, jobs, audit, crate, publish


rule cost:
    log:
        f"{LOGS}/cost.log",
    localrule: True
    run:
        print(table_of_costs(CATALOGUE))


# Lists the jobs of this configuration; `replication audit` runs this rule in a scratch folder.
rule jobs:
    log:
        f"{LOGS}/jobs.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        jobs=lambda wildcards: jobs_of_files(workflow),
        path=f"{LOGS}/jobs.json",
    script:
        "../scripts/jobs.py"


# Without outputs these always run; without inputs they make nothing.
rule audit:
    log:
        f"{LOGS}/audit.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        jobs=lambda wildcards: {SCALE: jobs_of_files(workflow)},
    script:
        "../scripts/audit.py"


rule crate:
    log:
        f"{LOGS}/crate.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        jobs=lambda wildcards: {SCALE: jobs_of_files(workflow)},
        scale=SCALE,
    script:
        "../scripts/crate.py"


rule publish:
    log:
        f"{LOGS}/publish.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        jobs=lambda wildcards: jobs_of_files(workflow),
        scale=SCALE,
        hours=lambda wildcards: core_hours(CATALOGUE),
        megabytes=config["publish_megabytes"],
        pages=lambda wildcards: ["README.md", *sorted(str(page) for page in Path("docs").glob("**/[!_]*.md"))],
    script:
        "../scripts/publish.py"
