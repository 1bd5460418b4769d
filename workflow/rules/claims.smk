# Verdicts on the published claims, from artifacts alone: one job for each figure that shows any, and the scorecard.
#
# inputs:  data/<scale>/
# outputs: data/<scale>/verdicts/<figure>.nc; data/<scale>/scorecard.nc; figures/<scale>/scorecard.{md,html,csv}
# steps:   verdict, all_verdicts, scorecard, claims


rule verdict:
    input:
        unpack(artifacts_of),
    output:
        verdict=f"{DATA}/verdicts/{{figure}}.nc",
    log:
        f"logs/{config['scale']}/verdicts/{{figure}}.log",
    wildcard_constraints:
        figure=one_of_names(ARTIFACTS),
    conda:
        "../../environment.yml"
    resources:
        **needs("verdict"),
    params:
        claims=lambda wildcards: claims_of(wildcards.figure),
        source=lambda wildcards: source_digest(claims_module(wildcards.figure)),
    script:
        "../scripts/verdict.py"


rule all_verdicts:
    input:
        verdicts=expand(f"{DATA}/verdicts/{{figure}}.nc", figure=judged_figures()),
    output:
        scorecard=f"{DATA}/scorecard.nc",
    log:
        f"logs/{config['scale']}/scorecard.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("all_verdicts"),
    params:
        claims=config["claims"],
        places=places_of_claims(),
        source=source_digest("logzoo.claims.scorecard"),
    script:
        "../scripts/all_verdicts.py"


rule scorecard:
    input:
        scorecard=f"{DATA}/scorecard.nc",
        templates=TEMPLATES,
    output:
        md=f"{FIGURES}/scorecard.md",
        html=f"{FIGURES}/scorecard.html",
        csv=f"{FIGURES}/scorecard.csv",
    log:
        f"logs/{config['scale']}/figures/scorecard.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("scorecard"),
    params:
        scale=config["scale"],
        source=source_digest("logzoo.claims.scorecard", "logzoo.figures.page"),
    script:
        "../scripts/scorecard.py"


# Without outputs it always runs, and whatever ran ends in printing the tables.
rule claims:
    input:
        table=f"{FIGURES}/scorecard.md",
    log:
        f"logs/{config['scale']}/claims.log",
    localrule: True
    conda:
        "../../environment.yml"
    shell:
        "true 2> {log}"
