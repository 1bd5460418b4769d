# What log Z is: by enumeration where the smaller layer allows it, else the mean of long runs of unlike estimators.
#
# inputs:  data/<scale>/models/<model>.nc; data/datasets/<dataset>.nc
# outputs: data/<scale>/truths/<model>.nc; <model>.<estimator>.nc for the long runs
# steps:   long_run, truth


rule long_run:
    input:
        model=f"{DATA}/models/{{model}}.nc",
        dataset=dataset_of,
    output:
        f"{DATA}/truths/{{model}}.{{estimator}}.nc",
    log:
        f"logs/{config['scale']}/truths/{{model}}.{{estimator}}.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("long_run"),
    params:
        settings=long_run_settings,
        stream="truth",
        sources=source_of_one,
    script:
        "../scripts/estimate.py"


rule truth:
    input:
        model=f"{DATA}/models/{{model}}.nc",
        dataset=dataset_of,
        long_runs=lambda wildcards: (
            []
            if is_enumerable(wildcards.model)
            else expand(f"{DATA}/truths/{wildcards.model}.{{estimator}}.nc", estimator=config["truth"]["estimators"])
        ),
    output:
        truth=f"{DATA}/truths/{{model}}.nc",
    log:
        f"logs/{config['scale']}/truths/{{model}}.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("truth"),
    params:
        published=lambda wildcards: model_entry(wildcards).get("published", {}),
        source=source_digest("logzoo.models.exact", "logzoo.truths"),
    script:
        "../scripts/truth.py"
