# The crate: a finished run described for archives, if it is what this configuration and this code would make.
#
# inputs:  data/<scale>/manifest.json and all that it lists
# outputs: ro-crate-metadata.json
# steps:   crate, which makes nothing anew


# Without outputs it always runs; without inputs it makes nothing.
rule crate:
    log:
        f"logs/{config['scale']}/crate.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        tasks=lambda wildcards: tasks_of_files(),
        scale=config["scale"],
    script:
        "../scripts/crate.py"
