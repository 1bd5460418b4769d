# Verdicts on the published claims, from artifacts alone: one job for each figure that shows any.
#
# inputs:  data/<scale>/
# outputs: data/<scale>/verdicts/<figure>.nc; figures/<scale>/claims.md
# steps:   verdict, claims_table, claims


def claims_of(figure):
    """The claims that a figure shows, by id."""
    return {name: entry for name, entry in config["claims"].items() if entry["figure"] == figure}


def artifacts_of(wildcards):
    """The artifacts that the claims of a figure are judged by, as the figure's function in logzoo.claims names them."""
    return ARTIFACTS[wildcards.figure]()


def estimates_on(model, **names):
    return {key: f"{DATA}/estimates/{model}/{name}.nc" for key, name in names.items()}


def f3_artifacts():
    entry = config["figures"]["rts-f3"]
    model = entry["models"][0]
    names = {name: name for name in entry["estimators"]}
    return {"truth": f"{DATA}/truths/{model}.nc", **estimates_on(model, **names)}


def f7_artifacts():
    model = model_of("rts-f7")
    return {"truth": f"{DATA}/truths/{model}.nc", **estimates_on(model, matched="rts", uniform="rts-uniform")}


def f8_artifacts():
    small, large = config["figures"]["rts-f8"]["models"]
    return {
        "small": f"{DATA}/figures/rts-f8.{small}.nc",
        "large": f"{DATA}/figures/rts-f8.{large}.nc",
        "small_truth": f"{DATA}/truths/{small}.nc",
        "large_truth": f"{DATA}/truths/{large}.nc",
    }


ARTIFACTS = {
    "rts-f1": lambda: {"iterations": f"{DATA}/figures/rts-f1.nc"},
    "rts-f2": lambda: {"mixture": f"{DATA}/figures/rts-f2.nc"},
    "rts-f3": f3_artifacts,
    "rts-f4": lambda: {"rungs": f"{DATA}/figures/rts-f4.nc", "truth": f"{DATA}/truths/{model_of('rts-f4')}.nc"},
    "rts-f4-cost": lambda: {"timings": f"{DATA}/timings/rts-f4.nc"},
    "rts-f6": lambda: {"mixture": f"{DATA}/figures/rts-f6.nc"},
    "rts-f7": f7_artifacts,
    "rts-f8": f8_artifacts,
}


rule verdict:
    input:
        unpack(artifacts_of),
    output:
        verdict=f"{DATA}/verdicts/{{figure}}.nc",
    log:
        f"logs/{config['scale']}/verdicts/{{figure}}.log",
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
            f"{DATA}/verdicts/{{figure}}.nc", figure=[name for name in config["figures"] if name in ARTIFACTS]
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
