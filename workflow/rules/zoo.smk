# The zoo: every estimator on every model at matched budgets, and what holds.
#
# inputs:  data/<scale>/estimates/<model>/<estimator>.nc; data/<scale>/models/<model>.nc; data/<scale>/truths/<model>.nc
# outputs: data/<scale>/zoo.nc; data/<scale>/timings/zoo.<family>.nc, which differ from run to run;
#          data/<scale>/tables/zoo-choice.nc; figures/<scale>/zoo/
# steps:   combine_zoo, time_of_zoo, choice_rows; one for each figure


rule combine_zoo:
    input:
        estimates=expand(
            f"{DATA}/estimates/{{model}}/{{estimator}}.nc", model=MATRIX_MODELS, estimator=MATRIX["estimators"]
        ),
        truths=expand(f"{DATA}/truths/{{model}}.nc", model=MATRIX_MODELS),
        models=expand(f"{DATA}/models/{{model}}.nc", model=MATRIX_MODELS),
    output:
        zoo=f"{DATA}/zoo.nc",
    log:
        f"logs/{config['scale']}/zoo.log",
    priority: ZOO_FIRST
    conda:
        "../../environment.yml"
    resources:
        **needs("combine_zoo"),
    params:
        places=MATRIX_PLACES,
        estimators=MATRIX["estimators"],
        source=source_digest("logzoo.zoo"),
    script:
        "../scripts/zoo.py"


# Seconds are taken with the machine to themselves, on the first model of each family.
rule time_of_zoo:
    input:
        unpack(timed_in_family),
    output:
        timings=f"{DATA}/timings/zoo.{{family}}.nc",
    log:
        f"logs/{config['scale']}/timings/zoo.{{family}}.log",
    wildcard_constraints:
        family=one_of_names(FAMILIES),
    conda:
        "../../environment.yml"
    threads: workflow.cores
    resources:
        **needs("time_of_zoo"),
    params:
        settings=family_timing_settings,
        estimators={name: config["estimators"][name] for name in MATRIX["estimators"]},
        source=source_digest("logzoo.experiments.timing"),
    script:
        "../scripts/time_of_sweeps.py"


for name, module in ZOO_FIGURES.items():

    rule:
        name:
            name.replace("-", "_")
        input:
            **zoo_figure_inputs(name),
        output:
            png=figure_report(name),
            pdf=f"{figure_file(name)}.pdf",
        log:
            f"logs/{config['scale']}/figures/{name}.log",
        conda:
            "../../environment.yml"
        resources:
            **needs(name.replace("-", "_")),
        params:
            figure=name,
            names=ESTIMATOR_NAMES,
            titles=SHORT_TITLES,
            trainers={trainer: entry["title"] for trainer, entry in config["zoo"]["trainers"].items()},
            source=source_digest(module),
        script:
            "../scripts/zoo_figure.py"


rule choice_rows:
    input:
        zoo=f"{DATA}/zoo.nc",
        timings=family_timings(),
    output:
        rows=f"{DATA}/tables/zoo-choice.nc",
    log:
        f"logs/{config['scale']}/tables/zoo-choice.rows.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("choice_rows"),
    params:
        title=config["tables"]["zoo-choice"]["title"],
        names=ESTIMATOR_NAMES,
        source=source_digest("logzoo.figures.zoo_choice"),
    script:
        "../scripts/choice_rows.py"
