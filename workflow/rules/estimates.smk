# Estimates of log Z. A job makes the estimates by one estimator on one model, at all budgets and replicates. For models
# of the matrix, estimators with the same sampler, base and options share a job. With `together`, all estimators of a
# model share a job, because starting a job may cost more than the estimates on a small model. All estimates of a model
# are checked against the same evidence.
#
# inputs:  data/<scale>/models/<model>.nc; data/datasets/<dataset>.nc
# outputs: data/<scale>/evidence/<model>.nc; data/<scale>/estimates/<model>/<estimator>.nc
# steps:   evidence, estimate, estimate_<lot>


rule evidence:
    input:
        model=f"{DATA}/models/{{model}}.nc",
        dataset=dataset_of,
    output:
        f"{DATA}/evidence/{{model}}.nc",
    log:
        f"{LOGS}/evidence/{{model}}.log",
    priority: ZOO_FIRST
    conda:
        "../../environment.yml"
    resources:
        mem_mb=rising(1000),
        runtime=rising(120),
    params:
        seed=config["seed"],
        chains=config["evidence"]["chains"],
        source=script_source("evidence"),
    script:
        "../scripts/evidence.py"


rule estimate:
    input:
        unpack(snapshots_of),
        model=f"{DATA}/models/{{model}}.nc",
        dataset=dataset_of,
        evidence=f"{DATA}/evidence/{{model}}.nc",
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
        settings=lambda wildcards: models.estimate_settings(config, wildcards.model, [wildcards.estimator]),
        stream="estimate",
        sources=lambda wildcards: models.sources_of(config, script_source, [wildcards.estimator]),
    script:
        "../scripts/estimate.py"


# One rule per group (`lot`) of estimators that share a job. `ruleorder` prefers it over `estimate`, which can make the same
# files.
for lot, estimators in models.made_together(config).items():

    workflow.ruleorder(f"estimate_{lot}".replace("-", "_"), "estimate")

    rule:
        name:
            f"estimate_{lot}".replace("-", "_")
        input:
            unpack(snapshots_of),
            model=f"{DATA}/models/{{model}}.nc",
            dataset=dataset_of,
            evidence=f"{DATA}/evidence/{{model}}.nc",
        output:
            expand(f"{DATA}/estimates/{{{{model}}}}/{{estimator}}.nc", estimator=estimators),
        log:
            f"{LOGS}/estimates/{{model}}.{lot}.log",
        wildcard_constraints:
            model=one_of_names(matrix_places(config)),
        priority: ZOO_FIRST
        conda:
            "../../environment.yml"
        resources:
            mem_mb=rising(2000),
            runtime=rising(720),
        params:
            # Snakemake does not compare params that are functions of `output`, so these params depend on wildcards only.
            settings=settings_of(estimators),
            stream="estimate",
            sources=models.sources_of(config, script_source, estimators),
        script:
            "../scripts/estimate.py"
