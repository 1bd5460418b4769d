# Estimates of log Z: all budgets and replicates of a model and an estimator in one job, some estimators together.
#
# inputs:  data/<scale>/models/<model>.nc; data/datasets/<dataset>.nc
# outputs: data/<scale>/estimates/<model>/<estimator>.nc
# steps:   estimate, estimate_together_<number>


rule estimate:
    input:
        model=f"{DATA}/models/{{model}}.nc",
        dataset=dataset_of,
    output:
        f"{DATA}/estimates/{{model}}/{{estimator}}.nc",
    log:
        f"logs/{config['scale']}/estimates/{{model}}.{{estimator}}.log",
    benchmark:
        f"logs/{config['scale']}/estimates/{{model}}.{{estimator}}.benchmark.tsv"
    wildcard_constraints:
        estimator=one_of_names(estimators_alone()),
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


for number, names in enumerate(MATRIX["jobs"]):

    rule:
        name:
            f"estimate_together_{number}"
        input:
            model=f"{DATA}/models/{{model}}.nc",
            dataset=dataset_of,
        output:
            expand(f"{DATA}/estimates/{{{{model}}}}/{{estimator}}.nc", estimator=names),
        log:
            f"logs/{config['scale']}/estimates/{{model}}.together-{number}.log",
        benchmark:
            f"logs/{config['scale']}/estimates/{{model}}.together-{number}.benchmark.tsv"
        priority: ZOO_FIRST
        conda:
            "../../environment.yml"
        resources:
            **needs(f"estimate_together_{number}"),
        params:
            settings=settings_of(names),
            stream="estimate",
            sources=sources_of(names),
        script:
            "../scripts/estimate.py"
