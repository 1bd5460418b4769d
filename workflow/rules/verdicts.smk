# Verdicts on the published claims, from artifacts alone. Each figure with claims has a job, and the scorecard has a job.
#
# inputs:  data/<scale>/
# outputs: data/<scale>/verdicts/<figure>.nc; data/<scale>/scorecard.nc
# steps:   verdict, scorecard


rule verdict:
    input:
        unpack(lambda wildcards: named_paths(CATALOGUE.shown[wildcards.figure].inputs)),
    output:
        verdict=f"{DATA}/verdicts/{{figure}}.nc",
    log:
        f"{LOGS}/verdicts/{{figure}}.log",
    wildcard_constraints:
        figure=one_of_names(CATALOGUE.verdicts),
    conda:
        "../../environment.yml"
    resources:
        mem_mb=rising(1000),
        runtime=rising(15),
    params:
        claims=lambda wildcards: CATALOGUE.shown[wildcards.figure].tested,
        figure="{figure}",
        protocol=PROTOCOL,
        module=lambda wildcards: CATALOGUE.shown[wildcards.figure].module.__name__,
        source=lambda wildcards: script_source("verdict", CATALOGUE.shown[wildcards.figure].module.__name__),
    script:
        "../scripts/verdict.py"


rule scorecard:
    input:
        **CATALOGUE.verdicts,
    output:
        scorecard=f"{DATA}/scorecard.nc",
    log:
        f"{LOGS}/scorecard.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=rising(1000),
        runtime=rising(15),
    params:
        claims=CATALOGUE.claims,
        places=CATALOGUE.claimed,
        standing=standing(PROTOCOL, SCALE, ROOT),
        source=script_source("scorecard"),
    script:
        "../scripts/scorecard.py"
