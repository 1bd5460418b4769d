# The audit: is every file what this configuration and this code would make, and as it was made?
#
# inputs:  data/; figures/
# outputs: audit.json; logs/<scale>/expected.json for `logzoo audit --expected`
# steps:   audit, which makes nothing anew


# Without outputs it always runs; without inputs it makes nothing.
rule audit:
    log:
        f"logs/{config['scale']}/audit.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        tasks=lambda wildcards: tasks_of_files(),
        expected=f"logs/{config['scale']}/expected.json",
    script:
        "../scripts/audit.py"
