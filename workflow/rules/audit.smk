# What is told of a run and makes nothing of it anew: what it will cost, whether every file is what this configuration and
# this code would make, its description for archives, and what of it is kept in the repository.
#
# inputs:  data/; figures/
# outputs: audit.json and logs/<scale>/expected.json for `logzoo audit --expected`; ro-crate-metadata.json;
#          results/<scale>/, and what README.md and docs/ quote of it
# steps:   cost, audit, crate, publish


rule cost:
    log:
        f"{LOGS}/cost.log",
    localrule: True
    run:
        print(table_of_costs(CATALOGUE))


# Without outputs these always run; without inputs they make nothing.
rule audit:
    log:
        f"{LOGS}/audit.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        tasks=lambda wildcards: tasks_of_files(workflow, SCALE, one_or_more(config["expected"])),
        expected=f"{LOGS}/expected.json",
    script:
        "../scripts/audit.py"


rule crate:
    log:
        f"{LOGS}/crate.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        tasks=lambda wildcards: tasks_of_files(workflow, SCALE),
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
        tasks=lambda wildcards: tasks_of_files(workflow, SCALE, one_or_more(config["expected"])),
        scale=SCALE,
        hours=lambda wildcards: core_hours(CATALOGUE),
        partial=config["publish"] == "partial",
        megabytes=config["publish_megabytes"],
        pages=lambda wildcards: ["README.md", *sorted(str(page) for page in Path("docs").glob("**/[!_]*.md"))],
    script:
        "../scripts/publish.py"
