# The jobs of a configuration, which `replication audit`, `publish` and `crate` list in a scratch folder.
#
# inputs:  none
# outputs: logs/<scale>/jobs.json
# steps:   jobs


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
