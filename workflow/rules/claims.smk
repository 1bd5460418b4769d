# Verdicts on the published claims, from artifacts alone: one job for each figure that shows any.
#
# inputs:  data/<scale>/
# outputs: data/<scale>/verdicts/<figure>.nc; figures/<scale>/claims.md
# steps:   verdict, claims_table, claims


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
    params:
        claims=lambda wildcards: claims_of(wildcards.figure),
        source=lambda wildcards: source_digest(claims_module(wildcards.figure)),
    script:
        "../scripts/verdict.py"


rule claims_table:
    input:
        verdicts=expand(
            f"{DATA}/verdicts/{{figure}}.nc",
            figure=[name for name in [*config["figures"], *config["tables"]] if name in ARTIFACTS],
        ),
    output:
        table=f"{FIGURES}/claims.md",
    log:
        f"logs/{config['scale']}/figures/claims.log",
    conda:
        "../../environment.yml"
    params:
        source=source_digest("logzoo.claims.verdicts"),
    script:
        "../scripts/claims.py"


# Without outputs it always runs, and whatever ran ends in printing the tables.
rule claims:
    input:
        table=f"{FIGURES}/claims.md",
    log:
        f"logs/{config['scale']}/claims.log",
    conda:
        "../../environment.yml"
    shell:
        "true 2> {log}"
