# Swapped temperatures: how well gradients are estimated, and trainings compared over repeats.
#
# inputs:  data/datasets/<dataset>.nc; data/<scale>/models/<model>.{nc,snapshots.nc}
# outputs: data/<scale>/comparisons/<comparison>.<trainer>.nc; data/<scale>/figures/<figure>.nc;
#          data/<scale>/timings/swapping.nc, which differs from run to run; figures/<scale>/ins/
# steps:   compare_trainings, gradient_distances, time_of_swapping; one rule for each kind of figure


rule compare_trainings:
    input:
        dataset=lambda wildcards: f"data/datasets/{config['comparisons'][wildcards.comparison]['dataset']}.nc",
    output:
        comparison=f"{DATA}/comparisons/{{comparison}}.{{trainer}}.nc",
    log:
        f"logs/{config['scale']}/comparisons/{{comparison}}.{{trainer}}.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("compare_trainings"),
    params:
        settings=comparison_settings,
        source=lambda wildcards: source_digest(
            trainer_module(comparison_settings(wildcards)["train"]["method"]), "logzoo.experiments.comparisons"
        ),
    script:
        "../scripts/compare_trainings.py"


rule gradient_distances:
    input:
        model=lambda wildcards: f"{DATA}/models/{model_of(wildcards.figure)}.nc",
        snapshots=lambda wildcards: f"{DATA}/models/{model_of(wildcards.figure)}.snapshots.nc",
    output:
        gradients=f"{DATA}/figures/{{figure}}.nc",
    log:
        f"logs/{config['scale']}/experiments/{{figure}}.log",
    wildcard_constraints:
        figure="ins-f2|ins-f4|ins-many",
    conda:
        "../../environment.yml"
    resources:
        **needs("gradient_distances"),
    params:
        settings=lambda wildcards: gradients_settings(wildcards.figure),
        source=source_digest("logzoo.experiments.gradients"),
    script:
        "../scripts/gradient_distances.py"


# Seconds are taken with the machine to themselves.
rule time_of_swapping:
    input:
        model=f"{DATA}/models/{model_of(config['figures']['ins-equal']['gradients'])}.nc",
        dataset=f"data/datasets/{compared('ins-equal')['dataset']}.nc",
    output:
        timings=f"{DATA}/timings/swapping.nc",
    log:
        f"logs/{config['scale']}/timings/swapping.log",
    conda:
        "../../environment.yml"
    threads: workflow.cores
    resources:
        **needs("time_of_swapping"),
    params:
        settings=swapping_timings(),
        source=source_digest("logzoo.experiments.timing"),
    script:
        "../scripts/time_of_swapping.py"


rule ins_f1:
    input:
        dataset=f"data/datasets/{config['figures']['ins-f1']['dataset']}.nc",
    output:
        png=figure_report("ins-f1"),
        pdf=f"{figure_file('ins-f1')}.pdf",
    log:
        f"logs/{config['scale']}/figures/ins-f1.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("ins_f1"),
    params:
        examples=config["figures"]["ins-f1"]["examples"],
        source=source_digest("logzoo.figures.infinite_swapping"),
    script:
        "../scripts/ins_f1.py"


for name in ("ins-f2", "ins-f4"):

    rule:
        name:
            name.replace("-", "_")
        input:
            gradients=f"{DATA}/figures/{name}.nc",
            verdict=verdict_on(name),
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
            kind="gradients",
            title=SHORT_TITLES[model_of(name)],
            names=sampler_names(name),
            source=source_digest("logzoo.figures.swapping_gradients", "logzoo.figures.verdicts"),
        script:
            "../scripts/ins_gradients.py"


for name in ("ins-f3", "ins-f5", "ins-f6"):

    rule:
        name:
            name.replace("-", "_")
        input:
            runs=comparison_files(name),
            verdict=verdict_on(name),
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
            titles=comparison_titles(name),
            names=trainer_names(name),
            source=source_digest("logzoo.figures.swapping_trainings", "logzoo.figures.verdicts"),
        script:
            "../scripts/ins_trainings.py"


rule ins_equal:
    input:
        gradients=f"{DATA}/figures/{config['figures']['ins-equal']['gradients']}.nc",
        runs=comparison_files("ins-equal"),
        timings=f"{DATA}/timings/swapping.nc",
    output:
        png=figure_report("ins-equal"),
        pdf=f"{figure_file('ins-equal')}.pdf",
    log:
        f"logs/{config['scale']}/figures/ins-equal.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("ins_equal"),
    params:
        title=compared("ins-equal")["title"],
        names=trainer_names("ins-equal"),
        source=source_digest("logzoo.figures.swapping_trainings"),
    script:
        "../scripts/ins_equal.py"


rule ins_many:
    input:
        gradients=f"{DATA}/figures/ins-many.nc",
        timings=f"{DATA}/timings/swapping.nc",
    output:
        png=figure_report("ins-many"),
        pdf=f"{figure_file('ins-many')}.pdf",
    log:
        f"logs/{config['scale']}/figures/ins-many.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("ins_many"),
    params:
        kind="many",
        title=SHORT_TITLES[model_of("ins-many")],
        names=sampler_names("ins-many"),
        source=source_digest("logzoo.figures.swapping_gradients"),
    script:
        "../scripts/ins_gradients.py"


rule ins_association:
    input:
        gradients=f"{DATA}/figures/{config['figures']['ins-association']['gradients']}.nc",
    output:
        png=figure_report("ins-association"),
        pdf=f"{figure_file('ins-association')}.pdf",
    log:
        f"logs/{config['scale']}/figures/ins-association.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("ins_association"),
    params:
        kind="association",
        title=SHORT_TITLES[model_of(config["figures"]["ins-association"]["gradients"])],
        names=associated_names(),
        source=source_digest("logzoo.figures.swapping_gradients"),
    script:
        "../scripts/ins_gradients.py"
