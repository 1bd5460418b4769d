# Tours between visits to a stopping set: their lengths, log Z from them, and trainers compared by exact likelihoods.
#
# inputs:  data/datasets/<dataset>.nc; data/<scale>/models/<model>.nc
# outputs: data/<scale>/tours/<model>.nc; data/<scale>/figures/{lv-f1,lv-f4.<model>}.nc;
#          data/<scale>/trainings/<training>.<trainer>.nc; figures/<scale>/lv/
# steps:   tour_lengths, broken_chains, tour_estimates, trained_likelihoods; one rule for each figure


rule tour_lengths:
    input:
        model=f"{DATA}/models/{{model}}.nc",
        dataset=dataset_of,
    output:
        tours=f"{DATA}/tours/{{model}}.nc",
    log:
        f"logs/{config['scale']}/tours/{{model}}.log",
    wildcard_constraints:
        model=one_of_names(toured_models()),
    conda:
        "../../environment.yml"
    resources:
        **needs("tour_lengths"),
    params:
        settings=tour_settings,
        source=source_digest("logzoo.experiments.tours"),
    script:
        "../scripts/tour_lengths.py"


rule broken_chains:
    input:
        model=f"{DATA}/models/{model_of('lv-f1')}.nc",
        dataset=dataset_file(model_of("lv-f1")),
    output:
        chains=f"{DATA}/figures/lv-f1.nc",
    log:
        f"logs/{config['scale']}/experiments/lv-f1.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("broken_chains"),
    params:
        settings=chain_settings(),
        source=source_digest("logzoo.experiments.tours"),
    script:
        "../scripts/tour_lengths.py"


rule tour_estimates:
    input:
        model=f"{DATA}/models/{{model}}.nc",
        dataset=dataset_of,
    output:
        estimates=f"{DATA}/figures/lv-f4.{{model}}.nc",
    log:
        f"logs/{config['scale']}/experiments/lv-f4.{{model}}.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("tour_estimates"),
    params:
        settings=tour_estimate_settings(),
        source=source_digest("logzoo.experiments.tour_estimates"),
    script:
        "../scripts/tour_estimates.py"


rule trained_likelihoods:
    input:
        dataset=lambda wildcards: f"data/datasets/{training_entry(wildcards)['dataset']}.nc",
    output:
        likelihoods=f"{DATA}/trainings/{{training}}.{{trainer}}.nc",
    log:
        f"logs/{config['scale']}/trainings/{{training}}.{{trainer}}.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("trained_likelihoods"),
    params:
        settings=training_settings,
        source=lambda wildcards: source_digest(
            trainer_module(training_settings(wildcards)["method"]), "logzoo.experiments.likelihoods"
        ),
    script:
        "../scripts/trained_likelihoods.py"


for name in ("lv-f1", "lv-f2a", "lv-f2b", "lv-f2c", "lv-f3", "lv-f4"):

    rule:
        name:
            name.replace("-", "_")
        input:
            tours=drawn_tours(name),
            verdict=[verdict_on(name)] if name in ARTIFACTS else [],
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
            models=drawn_models(name),
            titles=SHORT_TITLES,
            names=drawn_estimators(name),
            source=source_digest("logzoo.figures.tours", "logzoo.figures.las_vegas", "logzoo.figures.verdicts"),
        script:
            "../scripts/tour_figures.py"
