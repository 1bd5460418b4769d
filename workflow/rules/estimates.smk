# Estimates of log Z: all budgets and replicates of a model and an estimator in one job; of a model of the matrix, of
# some estimators together.
#
# inputs:  data/<scale>/models/<model>.nc; data/datasets/<dataset>.nc
# outputs: data/<scale>/estimates/<model>/<estimator>.nc
# steps:   estimate, estimate_together


rule estimate:
    input:
        model=f"{DATA}/models/{{model}}.nc",
        dataset=dataset_of,
    output:
        f"{DATA}/estimates/{{model}}/{{estimator}}.nc",
    log:
        f"logs/{config['scale']}/estimates/{{model}}.{{estimator}}.log",
    wildcard_constraints:
        estimator=one_of_names(config["estimators"]),
    priority: ZOO_FIRST
    conda:
        "../../environment.yml"
    resources:
        **needs("estimate"),
    params:
        settings=settings_of_one,
        stream="estimate",
        sources=source_of_one,
    script:
        "../scripts/estimate.py"


if MATRIX["together"]:

    ruleorder: estimate_together > estimate

    rule estimate_together:
        input:
            model=f"{DATA}/models/{{model}}.nc",
            dataset=dataset_of,
        output:
            expand(f"{DATA}/estimates/{{{{model}}}}/{{estimator}}.nc", estimator=MATRIX["together"]),
        log:
            f"logs/{config['scale']}/estimates/{{model}}.together.log",
        wildcard_constraints:
            model=one_of_names(MATRIX_MODELS),
        priority: ZOO_FIRST
        conda:
            "../../environment.yml"
        resources:
            **needs("estimate_together"),
        params:
            settings=settings_of(MATRIX["together"]),
            stream="estimate",
            sources=sources_of(MATRIX["together"]),
        script:
            "../scripts/estimate.py"
