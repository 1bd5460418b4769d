# The true log Z of a model: its known value, the result of enumeration, or for larger models the mean of long runs of
# different estimators.
#
# inputs:  data/<scale>/models/<model>.nc; data/datasets/<dataset>.nc; data/<scale>/evidence/<model>.nc for long runs
# outputs: data/<scale>/truths/<model>.nc; <model>.<estimator>.nc for the long runs
# steps:   long_run, truth


rule long_run:
    input:
        model=f"{DATA}/models/{{model}}.nc",
        dataset=dataset_of,
        evidence=f"{DATA}/evidence/{{model}}.nc",
    output:
        f"{DATA}/truths/{{model}}.{{estimator}}.nc",
    log:
        f"{LOGS}/truths/{{model}}.{{estimator}}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=rising(1000),
        runtime=rising(720),
    params:
        settings=lambda wildcards: models.estimate_settings(
            config, wildcards.model, [wildcards.estimator], long_run=True
        ),
        stream="truth",
        sources=lambda wildcards: models.sources_of(config, script_source, [wildcards.estimator]),
    script:
        "../scripts/estimate.py"


rule truth:
    input:
        unpack(long_runs_of),
        model=f"{DATA}/models/{{model}}.nc",
        dataset=dataset_of,
    output:
        truth=f"{DATA}/truths/{{model}}.nc",
    log:
        f"{LOGS}/truths/{{model}}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=rising(1000),
        runtime=rising(120),
    params:
        published=lambda wildcards: config["models"][wildcards.model].get("published", {}),
        source=script_source("truth"),
    script:
        "../scripts/truth.py"
