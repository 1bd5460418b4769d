# Estimates of log Z: one job for each pair of model and estimator, all budgets and replicates inside.
#
# inputs:  data/<scale>/models/<model>.nc; data/datasets/<dataset>.nc; data/<scale>/truths/<model>.nc
# outputs: data/<scale>/estimates/<model>/<estimator>.nc; data/<scale>/zoo.nc
# steps:   estimate, zoo


rule estimate:
    input:
        model=f"{DATA}/models/{{model}}.nc",
        dataset=dataset_of,
    output:
        estimate=f"{DATA}/estimates/{{model}}/{{estimator}}.nc",
    log:
        f"logs/{config['scale']}/estimates/{{model}}.{{estimator}}.log",
    benchmark:
        f"logs/{config['scale']}/estimates/{{model}}.{{estimator}}.benchmark.tsv"
    conda:
        "../../environment.yml"
    params:
        settings=estimate_settings,
        stream="estimate",
        source=estimate_source,
    script:
        "../scripts/estimate.py"


rule zoo:
    input:
        estimates=expand(
            f"{DATA}/estimates/{{model}}/{{estimator}}.nc", model=MATRIX["models"], estimator=MATRIX["estimators"]
        ),
        truths=expand(f"{DATA}/truths/{{model}}.nc", model=MATRIX["models"]),
    output:
        zoo=f"{DATA}/zoo.nc",
    log:
        f"logs/{config['scale']}/zoo.log",
    conda:
        "../../environment.yml"
    params:
        models=MATRIX["models"],
        estimators=MATRIX["estimators"],
        source=source_digest("logzoo.zoo"),
    script:
        "../scripts/zoo.py"
