# Experiments: the artifacts that declarations of figures and tables need beyond models, truths and estimates.
#
# inputs:  data/<scale>/; data/datasets/<dataset>.nc
# outputs: data/<scale>/{best,checks,comparisons,figures,runs,tables,timings,tours,trainings}/; data/<scale>/zoo.nc
# steps:   experiment


rule experiment:
    input:
        unpack(lambda wildcards: named_paths(experiment_at(wildcards).inputs)),
    output:
        f"{DATA}/{{experiment}}.nc",
    log:
        f"{LOGS}/experiments/{{experiment}}.log",
    wildcard_constraints:
        experiment=one_of_names(path.removeprefix(f"{DATA}/").removesuffix(".nc") for path in CATALOGUE.experiments),
    conda:
        "../../environment.yml"
    resources:
        mem_mb=rising(2500),
        runtime=rising(720),
        # On a cluster timed jobs run on an exclusive node. On one machine they run beside other jobs and measure CPU time.
        slurm_extra=lambda wildcards: "--exclusive" if experiment_at(wildcards).timed else "",
    params:
        run=lambda wildcards: experiment_at(wildcards).run,
        settings=lambda wildcards: experiment_at(wildcards).settings,
        stream=lambda wildcards: list(experiment_at(wildcards).stream),
        attributes=lambda wildcards: {"title": experiment_at(wildcards).title} if experiment_at(wildcards).title else {},
        kind=lambda wildcards: experiment_at(wildcards).kind,
        checkpoints=lambda wildcards: experiment_at(wildcards).checkpoints,
        seed=config["seed"],
        source=lambda wildcards: script_source(
            "experiment",
            experiment_at(wildcards).run.partition(":")[0],
            *modules_of(experiment_at(wildcards).methods),
        ),
    script:
        "../scripts/experiment.py"
