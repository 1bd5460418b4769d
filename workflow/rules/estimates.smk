# Estimates of log Z: all budgets and replicates of a model and an estimator in one job; of a model of the matrix, of all
# its estimators in one, where the configuration says so: starting a job may cost more than a small model.
#
# inputs:  data/<scale>/models/<model>.nc; data/datasets/<dataset>.nc
# outputs: data/<scale>/estimates/<model>/<estimator>.nc
# steps:   estimate, estimate_together


rule estimate:
    input:
        unpack(snapshots_of),
        model=f"{DATA}/models/{{model}}.nc",
        dataset=dataset_of,
    output:
        f"{DATA}/estimates/{{model}}/{{estimator}}.nc",
    log:
        f"{LOGS}/estimates/{{model}}.{{estimator}}.log",
    priority: ZOO_FIRST
    conda:
        "../../environment.yml"
    resources:
        mem_mb=rising(2000),
        runtime=rising(720),
    params:
        settings=lambda wildcards: estimate_settings(config, wildcards.model, [wildcards.estimator]),
        stream="estimate",
        sources=lambda wildcards: sources_of(config, script_source, [wildcards.estimator]),
    script:
        "../scripts/estimate.py"


if MATRIX["together"]:

    ruleorder: estimate_together > estimate

    rule estimate_together:
        input:
            unpack(snapshots_of),
            model=f"{DATA}/models/{{model}}.nc",
            dataset=dataset_of,
        output:
            expand(f"{DATA}/estimates/{{{{model}}}}/{{estimator}}.nc", estimator=MATRIX["estimators"]),
        log:
            f"{LOGS}/estimates/{{model}}.together.log",
        wildcard_constraints:
            model=one_of_names(matrix_places(config)),
        priority: ZOO_FIRST
        conda:
            "../../environment.yml"
        resources:
            mem_mb=rising(2000),
            runtime=rising(720),
        params:
            settings=lambda wildcards: estimate_settings(config, wildcards.model, MATRIX["estimators"]),
            stream="estimate",
            sources=sources_of(config, script_source, MATRIX["estimators"]),
        script:
            "../scripts/estimate.py"
