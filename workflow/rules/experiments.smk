# What a figure needs beyond the estimates of the matrix: one job for each experiment.
#
# inputs:  data/<scale>/models/<model>.nc; data/datasets/<dataset>.nc
# outputs: data/<scale>/figures/<figure>.nc; data/<scale>/timings/<figure>.nc, which differ from run to run
# steps:   initial_iterations, mixture, rungs, stationary, time_of_sweeps, time_of_rungs


rule initial_iterations:
    input:
        model=f"{DATA}/models/{model_of('rts-f1')}.nc",
        dataset=dataset_file(model_of("rts-f1")),
    output:
        iterations=f"{DATA}/figures/rts-f1.nc",
    log:
        f"logs/{config['scale']}/experiments/rts-f1.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("initial_iterations"),
    params:
        settings=figure_settings("rts-f1", "rungs", "sweeps", "iterations", "replicates"),
        source=source_digest("logzoo.experiments.initial"),
    script:
        "../scripts/experiment.py"


rule mixture:
    output:
        mixture=f"{DATA}/figures/{{figure}}.nc",
    log:
        f"logs/{config['scale']}/experiments/{{figure}}.log",
    wildcard_constraints:
        figure="rts-f2|rts-f6",
    conda:
        "../../environment.yml"
    resources:
        **needs("mixture"),
    params:
        settings=lambda wildcards: mixture_settings(wildcards.figure),
        source=source_digest("logzoo.experiments.mixture"),
    script:
        "../scripts/mixture.py"


rule rungs:
    input:
        model=f"{DATA}/models/{model_of('rts-f4')}.nc",
        dataset=dataset_file(model_of("rts-f4")),
    output:
        rungs=f"{DATA}/figures/rts-f4.nc",
    log:
        f"logs/{config['scale']}/experiments/rts-f4.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("rungs"),
    params:
        settings=figure_settings(
            "rts-f4", "ladders", "sweeps", "samples", "estimates", "mbar_ladders", "mbar_estimates"
        ),
        source=source_digest("logzoo.experiments.rungs"),
    script:
        "../scripts/experiment.py"


rule stationary:
    input:
        model=f"{DATA}/models/{{model}}.nc",
        dataset=dataset_of,
    output:
        stationary=f"{DATA}/figures/rts-f8.{{model}}.nc",
    log:
        f"logs/{config['scale']}/experiments/rts-f8.{{model}}.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("stationary"),
    params:
        settings=figure_settings("rts-f8", "rungs", "budgets", "replicates"),
        source=source_digest("logzoo.experiments.stationary"),
    script:
        "../scripts/experiment.py"


# Seconds are taken with the machine to themselves; what takes long is judged by ratios.
rule time_of_sweeps:
    input:
        model=f"{DATA}/models/{{model}}.nc",
        dataset=dataset_of,
    output:
        timings=f"{DATA}/timings/rts-f3.{{model}}.nc",
    log:
        f"logs/{config['scale']}/timings/rts-f3.{{model}}.log",
    conda:
        "../../environment.yml"
    threads: workflow.cores
    resources:
        **needs("time_of_sweeps"),
    params:
        settings=figure_settings("rts-f3-seconds", "budgets"),
        estimators={name: config["estimators"][name] for name in config["figures"]["rts-f3"]["estimators"]},
        source=source_digest("logzoo.experiments.timing"),
    script:
        "../scripts/time_of_sweeps.py"


rule time_of_rungs:
    input:
        model=f"{DATA}/models/{model_of('rts-f4')}.nc",
        dataset=dataset_file(model_of("rts-f4")),
    output:
        timings=f"{DATA}/timings/rts-f4.nc",
    log:
        f"logs/{config['scale']}/timings/rts-f4.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("time_of_rungs"),
    params:
        settings=figure_settings("rts-f4-cost", "ladders", "samples"),
        source=source_digest("logzoo.experiments.timing"),
    script:
        "../scripts/experiment.py"
